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

mod body;
mod cobs;
mod message;

use crate::frame::crc32c;
use body::{Body, OVERHEAD};
use cobs::{Stuffer, Unstuffer};

pub use body::{ConsoleError, MAX_LEN, MAX_PAYLOAD};
pub use message::{Answer, Message, Mode, ResetCode, Status};

/// Writes a message with its closing 0 to the start of `out`; returns the bytes written, at most [`MAX_LEN`].
pub fn encode(sequence: u8, message: &Message<'_>, out: &mut [u8]) -> Result<usize, ConsoleError> {
    let no_room = ConsoleError::NoRoom(out.len());
    let mut body = Body::new();
    body.put(&[message.kind(), sequence]);
    message.write(&mut body);
    let crc = crc32c(&[body.written()]);
    body.put(&crc.to_le_bytes());
    if body.len > body.bytes.len() {
        return Err(ConsoleError::TooLong(body.bytes.len()));
    }
    let mut stuffer = Stuffer::new(out);
    body.written().iter().for_each(|byte| stuffer.push(*byte));
    stuffer.finish().ok_or(no_room)
}

/// Takes bytes as they come and finds the messages in them.
///
/// ```
/// use dsp_core::console::{MAX_LEN, Message, Receiver, encode};
/// let mut wire = [0; MAX_LEN];
/// let len = encode(7, &Message::SetRate(32), &mut wire).unwrap();
/// let (last, before) = wire[..len].split_last().unwrap();
/// let mut receiver = Receiver::new();
/// assert!(before.iter().all(|byte| receiver.push(*byte).is_none()));
/// assert_eq!(receiver.push(*last), Some(Ok((7, Message::SetRate(32)))));
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
            (_, None) => Some(Err(ConsoleError::TooLong(self.bytes.len()))),
            (Some(false), _) => Some(Err(ConsoleError::Truncated(len))),
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
    let truncated = ConsoleError::Truncated(body.len());
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
