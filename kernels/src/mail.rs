//! Rows of bits for kernels that may already be waiting for them (`cuda/mail.cuh`).
//!
//! A row goes in parcels of 12 bytes with a tag, which is written behind the bytes; the card reads all 16 at once. So a kernel that
//! finds its iteration's tag has the bytes, whether it began before or after they were sent, and needs no other sign.

use crate::error::Error;
use crate::front_end::same;
use crate::kernel::Argument;
use crate::memory::Mapped;
use crate::stream::Stream;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a row in a parcel, as in the source.
pub(crate) const BYTES: usize = 12;
/// Bit of a tag that says that the iteration is called off, as in the source.
const CALLED_OFF: u32 = 1 << 31;

/// Where an iteration's rows go.
#[derive(Debug)]
pub struct Mail {
    /// `[row][parcel]`, two numbers each.
    parcels: Mapped<u64>,
    rows: usize,
    row_bytes: usize,
}

impl Mail {
    /// For up to `rows` rows of `row_bytes` bytes, at least one, of iterations that are work of `stream`.
    pub fn new(stream: &Stream, rows: usize, row_bytes: usize) -> Result<Self, Error> {
        if row_bytes == 0 {
            return Err(Error::Length { what: "bytes of a row", given: 0, needed: 1 });
        }
        let numbers = 2 * row_bytes.div_ceil(BYTES);
        let length = rows.checked_mul(numbers).ok_or(Error::Size { what: "rows of mail", value: rows })?;
        Ok(Self { parcels: Mapped::zeros(stream, "mail", length)?, rows, row_bytes })
    }

    /// Most rows of an iteration.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Sends the rows of an iteration, as many as its kernels expect. The one before has taken its own. The stream is asked for
    /// because kernels that wait in it go on.
    pub fn send(&mut self, stream: &mut Stream, rows: &[u8], iteration: u32) -> Result<(), Error> {
        let count = rows.len() / self.row_bytes;
        same("bytes of whole rows", rows.len(), count * self.row_bytes)?;
        self.put(stream, count, rows.chunks_exact(self.row_bytes), iteration & !CALLED_OFF)
    }

    /// Tells the kernels of an iteration of `count` rows that none will come: they end, and the stream of bits stays where it was.
    pub fn call_off(&mut self, stream: &mut Stream, count: usize, iteration: u32) -> Result<(), Error> {
        let nothing = vec![0; self.row_bytes];
        self.put(stream, count, std::iter::repeat(&nothing[..]), iteration | CALLED_OFF)
    }

    fn put<'a>(
        &mut self,
        stream: &mut Stream,
        count: usize,
        rows: impl Iterator<Item = &'a [u8]>,
        tag: u32,
    ) -> Result<(), Error> {
        if count > self.rows {
            return Err(Error::Length { what: "rows of mail", given: count, needed: self.rows });
        }
        let numbers = 2 * self.row_bytes.div_ceil(BYTES);
        let parcels = self.parcels.atomics(stream);
        for (row, parcels) in rows.zip(parcels.chunks_exact(numbers)).take(count) {
            let ((whole, rest), (parcels, _)) = (row.as_chunks::<BYTES>(), parcels.as_chunks::<2>());
            for (bytes, parcel) in whole.iter().zip(parcels) {
                put_parcel(parcel, *bytes, tag);
            }
            if let (false, Some(parcel)) = (rest.is_empty(), parcels.last()) {
                let mut bytes = [0; BYTES];
                bytes[..rest.len()].copy_from_slice(rest);
                put_parcel(parcel, bytes, tag);
            }
        }
        Ok(())
    }

    pub(crate) fn input(&self) -> Argument<'_> {
        self.parcels.input()
    }
}

fn put_parcel([first, second]: &[AtomicU64; 2], bytes: [u8; BYTES], tag: u32) {
    let [a, b, c, d, e, f, g, h, last @ ..] = bytes;
    let last = u64::from(u32::from_le_bytes(last)) | u64::from(tag) << 32;
    first.store(u64::from_le_bytes([a, b, c, d, e, f, g, h]), Ordering::Relaxed);
    // What the host wrote before is seen by whoever sees the tag.
    second.store(last, Ordering::Release);
}
