//! The wire frame and the console: bytes to frames and messages, and back.

use dsp_core::console::{self, ConsoleError, Message, Receiver};
use dsp_core::frame::{Frame, FrameError, HEADER_LEN, Header};

/// A frame from a stream.
#[unsafe(no_mangle)]
pub fn path_frame_decode(bytes: &[u8]) -> Result<(Frame<'_>, usize), FrameError> {
    Frame::decode(bytes)
}

/// A datagram and all that it holds.
#[unsafe(no_mangle)]
pub fn path_frame_datagram(bytes: &[u8]) -> Result<i64, FrameError> {
    let frame = Frame::decode_datagram(bytes)?;
    let words: i64 = frame.words().map(i64::from).sum();
    let values: i64 = frame.values().map(i64::from).sum();
    Ok(words + values + frame.rows() as i64)
}

/// Header and payload into a buffer.
#[unsafe(no_mangle)]
pub fn path_frame_encode(header: &Header, payload: &[u8], out: &mut [u8]) -> Result<usize, FrameError> {
    header.encode(payload, out)
}

/// The header alone, for a payload that stays where it is.
#[unsafe(no_mangle)]
pub fn path_frame_encode_header(header: &Header, payload: &[u8]) -> Result<[u8; HEADER_LEN], FrameError> {
    header.encode_header(payload)
}

/// A byte of the console, and what the message that it ends says.
#[unsafe(no_mangle)]
pub fn path_console_push(
    receiver: &mut Receiver,
    byte: u8,
) -> Option<Result<(u8, Message<'_>), ConsoleError>> {
    receiver.push(byte)
}

/// A message to the console.
#[unsafe(no_mangle)]
pub fn path_console_encode(
    sequence: u8,
    message: &Message<'_>,
    out: &mut [u8],
) -> Result<usize, ConsoleError> {
    console::encode(sequence, message, out)
}
