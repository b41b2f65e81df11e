//! Rows of bits for kernels that may already be waiting for them (`cuda/mail.cuh`).
//!
//! A row goes in parcels of 12 bytes with a tag, which is written behind the bytes; the card reads all 16 at once. So a kernel that
//! finds its iteration's tag has the bytes, whether it began before or after they were sent, and needs no other sign. An iteration that
//! is called off makes no result; it may take rows all the same, many more than a hop has.

use crate::call::Pointer;
use crate::error::{Error, at_least, at_most, same, size32};
use crate::memory::Mapped;
use crate::stream::Stream;
use std::sync::Arc;
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
    skipped: usize,
    row_bytes: usize,
    /// So far: the tag of the last one's rows.
    skips: u32,
}

impl Mail {
    /// For up to `rows` rows of `row_bytes` bytes, at least one, of iterations that are work of `stream`, or up to `skipped` rows
    /// of one that makes no result.
    pub fn new(stream: &Stream, rows: usize, skipped: usize, row_bytes: usize) -> Result<Self, Error> {
        at_least("bytes of a row", row_bytes, 1)?;
        let all = rows.checked_add(skipped);
        let length = all.and_then(|all| all.checked_mul(2 * row_bytes.div_ceil(BYTES)));
        let length = length.ok_or(Error::Size { what: "rows of mail", value: rows })?;
        Ok(Self { parcels: Mapped::zeros(stream, "mail", length)?, rows, skipped, row_bytes, skips: 0 })
    }

    /// Most rows of an iteration.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Most rows of an iteration that makes no result; they lie behind those of the others.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Sends the rows of an iteration, as many as its kernels expect. The one before has taken its own. The stream is asked for
    /// because kernels that wait in it go on.
    pub fn send(&mut self, stream: &mut Stream, rows: &[u8], iteration: u32) -> Result<(), Error> {
        let count = self.whole_rows(rows)?;
        at_most("rows of mail", count, self.rows)?;
        self.put(stream, 0, rows, iteration & !CALLED_OFF);
        Ok(())
    }

    /// Calls off an iteration of `count` rows, which takes these rows instead, any number of them, and makes nothing of them. The one
    /// before has taken its own. Without rows its kernels end, and the stream of bits stays where it was.
    pub fn skip(
        &mut self,
        stream: &mut Stream,
        count: usize,
        rows: &[u8],
        iteration: u32,
    ) -> Result<(), Error> {
        let skipped = self.whole_rows(rows)?;
        at_most("rows of mail", count, self.rows)?;
        at_most("rows that are skipped", skipped, self.skipped)?;
        let (skipped, first) =
            (size32("rows that are skipped", skipped)?, size32("rows of mail", self.rows)?);
        self.skips = self.skips.wrapping_add(1);
        let tag = self.skips & !CALLED_OFF;
        // Before the notice: they are not looked at while they are written, which is faster.
        self.put(stream, self.rows, rows, tag);
        let mut notice = [0; BYTES];
        for (bytes, word) in notice.as_chunks_mut().0.iter_mut().zip([skipped, tag, first]) {
            *bytes = u32::to_le_bytes(word);
        }
        let parcels = self.parcels.atomics(stream).as_chunks().0;
        for parcel in &parcels[..count * self.row_parcels()] {
            put_parcel(parcel, notice, iteration | CALLED_OFF);
        }
        Ok(())
    }

    fn row_parcels(&self) -> usize {
        self.row_bytes.div_ceil(BYTES)
    }

    fn whole_rows(&self, rows: &[u8]) -> Result<usize, Error> {
        let count = rows.len() / self.row_bytes;
        same("bytes of whole rows", rows.len(), count * self.row_bytes)?;
        Ok(count)
    }

    /// From row `first` on.
    fn put(&mut self, stream: &mut Stream, first: usize, rows: &[u8], tag: u32) {
        let each = self.row_parcels();
        let parcels = &self.parcels.atomics(stream).as_chunks::<2>().0[first * each..];
        for (row, parcels) in rows.chunks_exact(self.row_bytes).zip(parcels.chunks_exact(each)) {
            let (whole, rest) = row.as_chunks::<BYTES>();
            for (bytes, parcel) in whole.iter().zip(parcels) {
                put_parcel(parcel, *bytes, tag);
            }
            if let (false, Some(parcel)) = (rest.is_empty(), parcels.last()) {
                let mut bytes = [0; BYTES];
                bytes[..rest.len()].copy_from_slice(rest);
                put_parcel(parcel, bytes, tag);
            }
        }
    }

    pub(crate) fn pointer(&self) -> Pointer {
        Pointer(Some(Arc::clone(&self.parcels.memory)))
    }
}

fn put_parcel([first, second]: &[AtomicU64; 2], bytes: [u8; BYTES], tag: u32) {
    let [a, b, c, d, e, f, g, h, last @ ..] = bytes;
    let last = u64::from(u32::from_le_bytes(last)) | u64::from(tag) << 32;
    first.store(u64::from_le_bytes([a, b, c, d, e, f, g, h]), Ordering::Relaxed);
    // What the host wrote before is seen by whoever sees the tag.
    second.store(last, Ordering::Release);
}
