//! What a viewer is asked for, and why it cannot be had.

use super::controls::Limits;
use numerics::failure::Failure;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;
use subtle::ConstantTimeEq;

/// Why there is no viewer, or no map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is taken, foreign or not permitted.
    #[error("cannot listen on {address}: {reason}")]
    Bind {
        /// Asked for.
        address: SocketAddr,
        /// What the system says.
        reason: String,
    },
    /// Anybody on the network could look and record.
    #[error("{0} can be reached from other machines: give a token, or use 127.0.0.1")]
    NeedsToken(SocketAddr),
    /// Too short to withstand guessing, or with characters that a URL or cookie would change.
    #[error(
        "a token has {} to {} characters out of A-Z, a-z, 0-9, '-', '.', '_' and '~'",
        Token::SHORTEST,
        Token::LONGEST
    )]
    Token,
    /// The system gives no thread.
    #[error("cannot start the viewer: {0}")]
    Thread(String),
}

impl Failure for Error {}

/// A secret that opens the viewer from other machines. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    const SHORTEST: usize = 16;
    const LONGEST: usize = 256;

    /// Whether `presented` is this token; the time does not depend on where they differ.
    pub fn matches(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Token {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let length = (Self::SHORTEST..=Self::LONGEST).contains(&text.len());
        if length && text.bytes().all(good) { Ok(Self(text.into())) } else { Err(Error::Token) }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// How long a client may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request.
    pub head: Duration,
    /// For a whole connection that is no WebSocket.
    pub request: Duration,
    /// To take one message.
    pub send: Duration,
    /// Without a word; a ping every third of it asks for one.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let s = Duration::from_secs;
        Self { head: s(5), request: s(60), send: s(5), silence: s(30) }
    }
}

/// What a viewer is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Needed unless the address is of this machine alone.
    pub token: Option<Token>,
    /// Pages at once.
    pub connections: usize,
    /// How long a client may take.
    pub patience: Patience,
    /// Name of the instrument, on the page.
    pub title: String,
    /// What the instrument can do.
    pub limits: Limits,
    /// x to the right and y down from the centre of the aperture of every microphone, m.
    pub microphones_m: Vec<[f32; 2]>,
}

impl Settings {
    /// A page on a free port of this machine alone, for 16 visitors.
    pub fn new(title: impl Into<String>, limits: Limits, microphones_m: Vec<[f32; 2]>) -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            token: None,
            connections: 16,
            patience: Patience::default(),
            title: title.into(),
            limits,
            microphones_m,
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let local = self.address.ip().to_canonical().is_loopback();
        if local || self.token.is_some() { Ok(()) } else { Err(Error::NeedsToken(self.address)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_need_a_token() {
        let limits = Limits { highest_hz: 1.0, highest_bin: 1, most_frequencies: 1, rows: 1, cols: 1 };
        let mut settings = Settings::new("test", limits, Vec::new());
        for local in ["127.0.0.1:0", "127.8.0.1:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
            settings.address = local.parse().unwrap();
            assert_eq!(settings.check(), Ok(()), "{local}");
        }
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"].map(|text| text.parse().unwrap()) {
            settings.address = address;
            settings.token = None;
            assert_eq!(settings.check(), Err(Error::NeedsToken(address)));
            settings.token = Some("0123456789abcdef".parse().unwrap());
            assert_eq!(settings.check(), Ok(()));
        }
    }

    #[test]
    fn tokens_are_long_plain_and_secret() {
        for bad in ["", "0123456789abcde", "0123456789abcde;", "0123456789abcde\n", &"x".repeat(257)] {
            assert_eq!(bad.parse::<Token>(), Err(Error::Token));
        }
        let token: Token = "0123456789abcdef".parse().unwrap();
        assert!(token.matches("0123456789abcdef"));
        for wrong in ["", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcde"] {
            assert!(!token.matches(wrong), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
