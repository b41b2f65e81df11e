//! The console between a board and its host: commands down; replies, events and log bytes up.
//!
//! A message is a body in COBS (consistent overhead byte stuffing: no byte is 0) and a byte 0 that ends it, so that a
//! receiver finds the next message after any damage. The body, little-endian:
//!
//! | offset | size | name | meaning |
//! |---|---|---|---|
//! | 0 | 1 | kind | which [`Message`] |
//! | 1 | 1 | sequence | of a command, chosen by the host; of a reply, that of its command; of others, counted |
//! | 2 | n | payload | the message's fields in their order, at most [`MAX_PAYLOAD`] bytes |
//! | 2 + n | 4 | crc | CRC-32C of what stands before it |
//!
//! A damaged message is a [`ConsoleError`], is counted by whoever received it, and leaves nothing behind: the next one
//! begins after the next 0. Empty messages (two zeros in a row) are nothing at all; a board sends a 0 when it starts,
//! which ends whatever a reset cut short.

mod cobs;
mod message;

use crate::frame::crc32c;
use cobs::{Stuffer, Unstuffer};
use core::fmt;

pub use message::{Answer, Message, Mode, ResetCode, Status};

/// Most payload bytes of a message.
pub const MAX_PAYLOAD: usize = 64;

/// Bytes of a body around its payload.
const OVERHEAD: usize = 6;

/// Longest message on the wire: COBS adds one byte to at most 254, the closing 0 is another.
pub const MAX_LEN: usize = OVERHEAD + MAX_PAYLOAD + 2;

/// Why bytes are no message, or a message cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ConsoleError {
    /// More bytes than a message has before the 0 that ends it.
    TooLong {
        /// The most body bytes accepted.
        max: usize,
    },
    /// The 0 came inside a run of bytes, or the body cannot hold kind, sequence and CRC.
    Truncated {
        /// Body bytes that came.
        have: usize,
    },
    /// The CRC does not fit the bytes.
    BadCrc {
        /// CRC of the bytes received.
        expected: u32,
        /// CRC in the message.
        found: u32,
    },
    /// A kind that is not defined.
    UnknownKind {
        /// The kind found.
        found: u8,
    },
    /// The payload is not that of its kind.
    BadPayload {
        /// The kind.
        kind: u8,
        /// Payload bytes that came.
        have: usize,
    },
    /// The output buffer is too short.
    NoRoom {
        /// Bytes given.
        have: usize,
    },
}

impl fmt::Display for ConsoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLong { max } => write!(f, "message longer than {max} bytes"),
            Self::Truncated { have } => write!(f, "message cut short after {have} bytes"),
            Self::BadCrc { expected, found } => {
                write!(f, "CRC {found:#010x}, the bytes give {expected:#010x}")
            }
            Self::UnknownKind { found } => write!(f, "unknown message kind {found:#04x}"),
            Self::BadPayload { kind, have } => {
                write!(f, "message kind {kind:#04x} with a wrong payload of {have} bytes")
            }
            Self::NoRoom { have } => write!(f, "buffer of {have} bytes, need {MAX_LEN}"),
        }
    }
}

impl core::error::Error for ConsoleError {}

/// Writes a message with its closing 0 to the start of `out`; returns the bytes written, at most [`MAX_LEN`].
pub fn encode(sequence: u8, message: &Message<'_>, out: &mut [u8]) -> Result<usize, ConsoleError> {
    let no_room = ConsoleError::NoRoom { have: out.len() };
    let mut body = Body { bytes: [0; OVERHEAD + MAX_PAYLOAD], len: 0 };
    body.put(&[message.kind(), sequence]);
    message.write(&mut body);
    let crc = crc32c(&[body.written()]);
    body.put(&crc.to_le_bytes());
    if body.len > body.bytes.len() {
        return Err(ConsoleError::TooLong { max: body.bytes.len() });
    }
    let mut stuffer = Stuffer::new(out);
    body.written().iter().for_each(|byte| stuffer.push(*byte));
    stuffer.finish().ok_or(no_room)
}

/// A body that is being written; a length beyond the array says that it did not fit.
struct Body {
    bytes: [u8; OVERHEAD + MAX_PAYLOAD],
    len: usize,
}

impl Body {
    fn put(&mut self, field: &[u8]) {
        let slots = self.bytes.iter_mut().skip(self.len);
        slots.zip(field).for_each(|(slot, byte)| *slot = *byte);
        self.len = self.len.saturating_add(field.len());
    }

    fn written(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

/// Takes bytes as they come and finds the messages in them.
///
/// ```
/// use dsp_core::console::{MAX_LEN, Message, Receiver, encode};
/// let mut wire = [0; MAX_LEN];
/// let len = encode(7, &Message::SetRate { divider: 32 }, &mut wire).unwrap();
/// let (last, before) = wire[..len].split_last().unwrap();
/// let mut receiver = Receiver::new();
/// assert!(before.iter().all(|byte| receiver.push(*byte).is_none()));
/// assert_eq!(receiver.push(*last), Some(Ok((7, Message::SetRate { divider: 32 }))));
/// ```
#[derive(Clone, Debug)]
pub struct Receiver {
    unstuffer: Unstuffer,
    bytes: [u8; OVERHEAD + MAX_PAYLOAD],
    len: usize,
}

impl Receiver {
    /// Before the first byte.
    pub const fn new() -> Self {
        Self { unstuffer: Unstuffer::new(), bytes: [0; OVERHEAD + MAX_PAYLOAD], len: 0 }
    }

    /// Takes a byte; one that ends a message gives its sequence number and itself, or says what is wrong with it.
    pub fn push(&mut self, byte: u8) -> Option<Result<(u8, Message<'_>), ConsoleError>> {
        if byte != 0 {
            if let Some(byte) = self.unstuffer.push(byte) {
                if let Some(slot) = self.bytes.get_mut(self.len) {
                    *slot = byte;
                }
                self.len = self.len.saturating_add(1);
            }
            return None;
        }
        let whole = self.unstuffer.end();
        let len = core::mem::take(&mut self.len);
        match (whole, self.bytes.get(..len)) {
            (None, _) => None,
            (_, None) => Some(Err(ConsoleError::TooLong { max: self.bytes.len() })),
            (Some(false), _) => Some(Err(ConsoleError::Truncated { have: len })),
            (Some(true), Some(body)) => Some(parse(body)),
        }
    }
}

impl Default for Receiver {
    fn default() -> Self {
        Self::new()
    }
}

/// A body as sequence number and message.
fn parse(body: &[u8]) -> Result<(u8, Message<'_>), ConsoleError> {
    let truncated = ConsoleError::Truncated { have: body.len() };
    let (covered, crc) = body.split_last_chunk::<4>().ok_or(truncated)?;
    let ([kind, sequence], payload) = covered.split_first_chunk::<2>().ok_or(truncated)?;
    let (expected, found) = (crc32c(&[covered]), u32::from_le_bytes(*crc));
    if found != expected {
        return Err(ConsoleError::BadCrc { expected, found });
    }
    Ok((*sequence, Message::read(*kind, payload)?))
}

#[cfg(test)]
mod tests;
