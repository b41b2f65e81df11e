//! The body of a message: its size, how it is written, and why bytes are no message.

/// Most payload bytes of a message.
pub const MAX_PAYLOAD: usize = 64;

/// Bytes of a body around its payload.
pub(super) const OVERHEAD: usize = 6;

/// Longest message on the wire: COBS adds one byte to at most 254, the closing 0 is another.
pub const MAX_LEN: usize = OVERHEAD + MAX_PAYLOAD + 2;

/// Why bytes are no message, or a message cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ConsoleError {
    /// More bytes than these, the most that a message has before the 0 that ends it.
    TooLong(usize),
    /// The 0 came inside a run of bytes, or so many bytes cannot hold kind, sequence and CRC.
    Truncated(usize),
    /// The CRC does not fit the bytes.
    BadCrc {
        /// CRC of the bytes received.
        expected: u32,
        /// CRC in the message.
        found: u32,
    },
    /// A kind that is not defined.
    UnknownKind(u8),
    /// The payload is not that of its kind.
    BadPayload {
        /// The kind.
        kind: u8,
        /// Payload bytes that came.
        have: usize,
    },
    /// The output buffer of so many bytes is too short.
    NoRoom(usize),
}

texts! {
    ConsoleError:
    Self::TooLong(max) => "message longer than {max} bytes",
    Self::Truncated(have) => "message cut short after {have} bytes",
    Self::BadCrc { expected, found } => "CRC {found:#010x}, the bytes give {expected:#010x}",
    Self::UnknownKind(found) => "unknown message kind {found:#04x}",
    Self::BadPayload { kind, have } => "message kind {kind:#04x} with a wrong payload of {have} bytes",
    Self::NoRoom(have) => "buffer of {have} bytes, need {MAX_LEN}",
}

/// A body that is being written; a length beyond the array says that it did not fit.
pub(super) struct Body {
    pub(super) bytes: [u8; OVERHEAD + MAX_PAYLOAD],
    pub(super) len: usize,
}

impl Body {
    /// Before the first field.
    pub(super) const fn new() -> Self {
        Self { bytes: [0; OVERHEAD + MAX_PAYLOAD], len: 0 }
    }

    pub(super) fn put(&mut self, field: &[u8]) {
        let slots = self.bytes.iter_mut().skip(self.len);
        slots.zip(field).for_each(|(slot, byte)| *slot = *byte);
        self.len = self.len.saturating_add(field.len());
    }

    pub(super) fn written(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}
