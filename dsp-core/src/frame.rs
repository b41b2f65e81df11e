//! The wire frame shared by boards, simulator and host.
//!
//! A 40-byte header and a payload, everything little-endian:
//!
//! | offset | size | name | meaning |
//! |---|---|---|---|
//! | 0 | 4 | magic | the bytes `NFLD` |
//! | 4 | 1 | version | 1 |
//! | 5 | 1 | kind | what the payload holds, see [`Kind`] |
//! | 6 | 2 | layout | where the channels sit: 0 unspecified, 1 the camera's 32x32 in tiles of 8x8 |
//! | 8 | 2 | channels | channels in the payload, at least 1 |
//! | 10 | 2 | stride | bit clocks from one row to the next, at least 1; see [`Header::stride`] |
//! | 12 | 4 | sequence | frames sent before this one, wraps |
//! | 16 | 8 | first_sample | index of the payload's first sample, counted in bit clocks |
//! | 24 | 8 | timestamp_ns | when that sample was taken, nanoseconds of the source's clock |
//! | 32 | 4 | length | payload bytes |
//! | 36 | 4 | crc | CRC-32C of bytes 0..36 and the payload |
//! | 40 | length | payload | whole rows, see [`Kind`] |
//!
//! Header and payload are multiples of 8 and 4 bytes, so frames written one after the other
//! keep the payload's 32-bit words aligned. One row of 1024 channels in bits is 128 bytes: 8 rows
//! (1064 bytes with the header) fit an Ethernet frame, 64 rows (8232 bytes) a jumbo frame.
//!
//! Decoding borrows the payload, copies nothing, and answers every malformed input with a
//! [`FrameError`]. The CRC finds every single-bit error and lets one in 2^32 random corruptions
//! pass.
//!
//! The CRC table has 16 KiB on hosts, where a frame must cost less than its decimation, and 1 KiB
//! on targets without an operating system or with the feature `small-tables`, where the table would
//! crowd out the program. Both give the same value; the small one's loop has no bounds check left.

use crc::{CRC_32_ISCSI, Crc, Table};

/// First four bytes of a frame.
pub const MAGIC: [u8; 4] = *b"NFLD";

/// The version that this code writes and reads.
pub const VERSION: u8 = 1;

/// Bytes before the payload.
pub const HEADER_LEN: usize = 40;

/// Largest payload in bytes: bounds what a receiver must buffer for one frame.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// Layout id: the receiver has to know where the channels sit.
pub const LAYOUT_UNSPECIFIED: u16 = 0;

/// Layout id: 32x32 microphones as sixteen 8x8 tiles, two words a tile.
pub const LAYOUT_CAMERA: u16 = 1;

/// Bytes of the header that the CRC covers: all before the CRC itself.
const CRC_OFFSET: usize = 36;

#[cfg(not(any(target_os = "none", feature = "small-tables")))]
type CrcTable = Table<16>;
#[cfg(any(target_os = "none", feature = "small-tables"))]
type CrcTable = Table<1>;

static CRC32C: Crc<u32, CrcTable> = Crc::<u32, CrcTable>::new(&CRC_32_ISCSI);

/// What a payload holds. Rows follow each other; in a row the channels follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Kind {
    /// A row is one time sample: one bit a channel in 32-bit words, channel 32 w + j in bit j of
    /// word w. Bits beyond the last channel are ignored.
    Bits = 1,
    /// A row is one time sample: one `i32` a channel.
    Samples = 2,
    /// A row is one Walsh index: one `i32` coefficient a channel.
    Walsh = 3,
}

impl Kind {
    /// Payload bytes of one row.
    #[inline]
    pub const fn row_len(self, channels: u16) -> usize {
        match self {
            Kind::Bits => 4 * (channels as usize).div_ceil(32),
            Kind::Samples | Kind::Walsh => 4 * channels as usize,
        }
    }
}

impl TryFrom<u8> for Kind {
    type Error = FrameError;

    fn try_from(found: u8) -> Result<Self, FrameError> {
        match found {
            1 => Ok(Kind::Bits),
            2 => Ok(Kind::Samples),
            3 => Ok(Kind::Walsh),
            _ => Err(FrameError::UnknownKind(found)),
        }
    }
}

/// The fields that a sender chooses; the rest follows from them and the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Header {
    /// What the payload holds.
    pub kind: Kind,
    /// Where the channels sit, [`LAYOUT_UNSPECIFIED`], [`LAYOUT_CAMERA`] or a user's own id.
    pub layout: u16,
    /// Channels in the payload, at least 1.
    pub channels: u16,
    /// Bit clocks from one row to the next: 1 for bits, the decimation for samples; for Walsh coefficients, whose rows
    /// are indices, the bits of the transformed window. At least 1.
    pub stride: u16,
    /// Frames sent before this one, wraps.
    pub sequence: u32,
    /// Index of the payload's first sample, counted in bit clocks.
    pub first_sample: u64,
    /// When that sample was taken, nanoseconds of the source's clock.
    pub timestamp_ns: u64,
}

/// Why bytes are not a frame, or a frame cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum FrameError {
    /// The bytes end inside the frame. A stream receiver waits for more.
    Truncated {
        /// Bytes needed, as far as can be told.
        need: usize,
        /// Bytes given.
        have: usize,
    },
    /// The first four bytes are these and not [`MAGIC`].
    BadMagic([u8; 4]),
    /// A version other than [`VERSION`].
    UnsupportedVersion(u8),
    /// A kind that this version does not define.
    UnknownKind(u8),
    /// Zero channels.
    NoChannels,
    /// A stride of zero: rows would have no time.
    NoStride,
    /// The payload is longer than [`MAX_PAYLOAD`].
    TooLarge {
        /// Payload bytes.
        len: usize,
        /// The limit.
        max: usize,
    },
    /// The payload is not a whole number of rows.
    PartialRow {
        /// Payload bytes.
        len: usize,
        /// Bytes of one row.
        row: usize,
    },
    /// A datagram holds more than its frame.
    TrailingBytes {
        /// Bytes of the frame.
        frame: usize,
        /// Bytes given.
        have: usize,
    },
    /// The CRC does not fit the bytes.
    BadCrc {
        /// CRC of the bytes received.
        expected: u32,
        /// CRC in the header.
        found: u32,
    },
    /// The output buffer is too short.
    NoRoom {
        /// Bytes needed.
        need: usize,
        /// Bytes given.
        have: usize,
    },
}

texts! {
    FrameError:
    Self::Truncated { need, have } => "frame cut short: {have} of {need} bytes",
    Self::BadMagic(found) => "no frame: starts with {found:02x?}",
    Self::UnsupportedVersion(found) => "frame version {found}, expected {VERSION}",
    Self::UnknownKind(found) => "unknown frame kind {found}",
    Self::NoChannels => "frame with zero channels",
    Self::NoStride => "frame with a stride of zero",
    Self::TooLarge { len, max } => "payload of {len} bytes, at most {max}",
    Self::PartialRow { len, row } => "payload of {len} bytes is not a multiple of {row}",
    Self::TrailingBytes { frame, have } => "datagram of {have} bytes holds a frame of {frame}",
    Self::BadCrc { expected, found } => "CRC {found:#010x}, the bytes give {expected:#010x}",
    Self::NoRoom { need, have } => "buffer of {have} bytes, need {need}",
}

impl Header {
    /// Writes header and payload to the start of `out`; returns the bytes written.
    pub fn encode(&self, payload: &[u8], out: &mut [u8]) -> Result<usize, FrameError> {
        let length = self.check_len(payload.len())?;
        let need = HEADER_LEN + payload.len();
        let no_room = FrameError::NoRoom { need, have: out.len() };
        let frame = out.get_mut(..need).ok_or(no_room)?;
        let (head, body) = frame.split_first_chunk_mut::<HEADER_LEN>().ok_or(no_room)?;
        *head = self.bytes(length, payload);
        body.copy_from_slice(payload);
        Ok(need)
    }

    /// The 40 header bytes for a payload that stays where it is, for a sender that gathers.
    pub fn encode_header(&self, payload: &[u8]) -> Result<[u8; HEADER_LEN], FrameError> {
        Ok(self.bytes(self.check_len(payload.len())?, payload))
    }

    /// Checks what sender and receiver both have to check; the payload length as the wire has it.
    fn check_len(&self, len: usize) -> Result<u32, FrameError> {
        let row = self.kind.row_len(self.channels);
        if row == 0 {
            return Err(FrameError::NoChannels);
        }
        if self.stride == 0 {
            return Err(FrameError::NoStride);
        }
        if len > MAX_PAYLOAD {
            return Err(FrameError::TooLarge { len, max: MAX_PAYLOAD });
        }
        if !len.is_multiple_of(row) {
            return Err(FrameError::PartialRow { len, row });
        }
        Ok(len as u32)
    }

    fn bytes(&self, length: u32, payload: &[u8]) -> [u8; HEADER_LEN] {
        let mut head = [0; HEADER_LEN];
        let mut rest = &mut head[..];
        put(&mut rest, MAGIC);
        put(&mut rest, [VERSION, self.kind as u8]);
        put(&mut rest, self.layout.to_le_bytes());
        put(&mut rest, self.channels.to_le_bytes());
        put(&mut rest, self.stride.to_le_bytes());
        put(&mut rest, self.sequence.to_le_bytes());
        put(&mut rest, self.first_sample.to_le_bytes());
        put(&mut rest, self.timestamp_ns.to_le_bytes());
        put(&mut rest, length.to_le_bytes());
        let crc = checksum(&head, payload);
        put(&mut &mut head[CRC_OFFSET..], crc.to_le_bytes());
        head
    }

    /// Reads a header; returns it with the payload length and the CRC that it declares.
    fn parse(head: &[u8; HEADER_LEN]) -> Result<(Self, usize, u32), FrameError> {
        let mut rest = &head[..];
        let magic: [u8; 4] = take(&mut rest)?;
        if magic != MAGIC {
            return Err(FrameError::BadMagic(magic));
        }
        let [version, kind] = take(&mut rest)?;
        if version != VERSION {
            return Err(FrameError::UnsupportedVersion(version));
        }
        let kind = Kind::try_from(kind)?;
        let layout = u16::from_le_bytes(take(&mut rest)?);
        let channels = u16::from_le_bytes(take(&mut rest)?);
        let stride = u16::from_le_bytes(take(&mut rest)?);
        let sequence = u32::from_le_bytes(take(&mut rest)?);
        let first_sample = u64::from_le_bytes(take(&mut rest)?);
        let timestamp_ns = u64::from_le_bytes(take(&mut rest)?);
        let length = u32::from_le_bytes(take(&mut rest)?) as usize;
        let crc = u32::from_le_bytes(take(&mut rest)?);
        let header = Self { kind, layout, channels, stride, sequence, first_sample, timestamp_ns };
        header.check_len(length)?;
        Ok((header, length, crc))
    }
}

/// A decoded frame that borrows its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Frame<'a> {
    /// The header's fields.
    pub header: Header,
    /// The payload as it came.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Decodes the frame at the start of `bytes`; returns it with the bytes it takes, so that a
    /// stream may hold several.
    ///
    /// `Truncated` asks for more bytes. Since the length is believed before the CRC can be
    /// checked, a damaged length can ask for up to [`MAX_PAYLOAD`] bytes too many.
    pub fn decode(bytes: &'a [u8]) -> Result<(Self, usize), FrameError> {
        let have = bytes.len();
        let (head, rest) = bytes
            .split_first_chunk::<HEADER_LEN>()
            .ok_or(FrameError::Truncated { need: HEADER_LEN, have })?;
        let (header, length, found) = Header::parse(head)?;
        let need = HEADER_LEN + length;
        let payload = rest.get(..length).ok_or(FrameError::Truncated { need, have })?;
        let expected = checksum(head, payload);
        if found != expected {
            return Err(FrameError::BadCrc { expected, found });
        }
        Ok((Self { header, payload }, need))
    }

    /// Decodes a datagram, which must be exactly one frame.
    pub fn decode_datagram(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let (frame, used) = Self::decode(bytes)?;
        if used != bytes.len() {
            return Err(FrameError::TrailingBytes { frame: used, have: bytes.len() });
        }
        Ok(frame)
    }

    /// Rows in the payload: time samples, or Walsh coefficients a channel.
    #[inline]
    pub fn rows(&self) -> usize {
        let row = self.header.kind.row_len(self.header.channels);
        self.payload.len().checked_div(row).unwrap_or(0)
    }

    /// The payload as 32-bit words, for [`Kind::Bits`].
    #[inline]
    pub fn words(&self) -> impl ExactSizeIterator<Item = u32> + Clone + 'a {
        self.payload.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b))
    }

    /// The payload as signed integers, for [`Kind::Samples`] and [`Kind::Walsh`].
    #[inline]
    pub fn values(&self) -> impl ExactSizeIterator<Item = i32> + Clone + 'a {
        self.payload.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b))
    }
}

/// Frames lost between two frames received one after the other, across the counter's wrap.
///
/// A repeated or late frame reads as a gap of nearly 2^32.
#[inline]
pub const fn sequence_gap(prev: u32, next: u32) -> u32 {
    next.wrapping_sub(prev).wrapping_sub(1)
}

/// CRC-32C of the header before its CRC field, then the payload.
fn checksum(head: &[u8; HEADER_LEN], payload: &[u8]) -> u32 {
    crc32c(&[&head[..CRC_OFFSET], payload])
}

/// CRC-32C of parts that follow each other.
#[inline]
pub(crate) fn crc32c(parts: &[&[u8]]) -> u32 {
    let mut digest = CRC32C.digest();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize()
}

/// Takes the next `N` bytes.
#[inline(always)]
fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], FrameError> {
    let truncated = FrameError::Truncated { need: N, have: rest.len() };
    let (field, tail) = rest.split_first_chunk::<N>().ok_or(truncated)?;
    *rest = tail;
    Ok(*field)
}

/// Writes the next `N` bytes; the header's fields fill it exactly.
#[inline(always)]
fn put<const N: usize>(rest: &mut &mut [u8], field: [u8; N]) {
    if let Some((slot, tail)) = core::mem::take(rest).split_first_chunk_mut::<N>() {
        *slot = field;
        *rest = tail;
    }
}

#[cfg(test)]
mod tests;
