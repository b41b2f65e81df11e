//! Where rows of bits come from, one interface for all: simulator, recording, a block again and again.

use dsp_core::pdm::TileLayout;

use crate::bench::Bench;
use crate::simulator::BLOCK;
use crate::{Error, Simulator};

/// Largest block that is kept in memory to be played again and again: 10 s of the camera take 1.9 GB.
pub const MAX_LOOP_BYTES: usize = 2 << 30;

/// A source of rows, one time sample each, packed as the camera sends them.
pub trait Rows {
    /// The grid and the order of its channels.
    fn layout(&self) -> TileLayout;

    /// Writes the next rows over `rows`, whose length is a multiple of the layout's row; returns how many:
    /// fewer than fit only at the end.
    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error>;

    /// Number of the sample that comes next.
    fn position(&self) -> u64 {
        0
    }
}

impl<R: Rows + ?Sized> Rows for Box<R> {
    fn layout(&self) -> TileLayout {
        (**self).layout()
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        (**self).read(rows)
    }

    fn position(&self) -> u64 {
        (**self).position()
    }
}

impl Rows for Simulator {
    fn layout(&self) -> TileLayout {
        self.array().layout
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        self.fill(rows);
        Ok(rows.len() / self.row_bytes())
    }

    fn position(&self) -> u64 {
        self.next_sample()
    }
}

/// Rows that are made a block at a time, so that short frames do not split the work of the threads.
#[derive(Debug)]
pub struct Ahead<R> {
    rows: R,
    block: Vec<u8>,
    /// The part of the block that was not yet handed out.
    left: std::ops::Range<usize>,
}

impl<R: Rows> Ahead<R> {
    /// Reads ahead of its reader by up to `BLOCK` rows.
    pub fn new(rows: R) -> Self {
        let block = vec![0; BLOCK * rows.layout().row_bytes()];
        Self { rows, block, left: 0..0 }
    }
}

impl<R: Rows> Rows for Ahead<R> {
    fn layout(&self) -> TileLayout {
        self.rows.layout()
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        let row_bytes = self.layout().row_bytes();
        let mut done = 0;
        while done < rows.len() {
            if self.left.is_empty() {
                self.left = 0..self.rows.read(&mut self.block)? * row_bytes;
                if self.left.is_empty() {
                    break;
                }
            }
            let len = self.left.len().min(rows.len() - done);
            rows[done..done + len].copy_from_slice(&self.block[self.left.start..self.left.start + len]);
            self.left.start += len;
            done += len;
        }
        Ok(done / row_bytes)
    }

    fn position(&self) -> u64 {
        self.rows.position().saturating_sub((self.left.len() / self.layout().row_bytes()) as u64)
    }
}

/// A block of rows without end.
#[derive(Clone, Debug)]
pub struct Looped {
    layout: TileLayout,
    block: Vec<u8>,
    at: usize,
}

impl Looped {
    /// Reads `samples` rows and plays them again and again. Refuses blocks of nothing and of more than
    /// [`MAX_LOOP_BYTES`].
    pub fn new(rows: &mut impl Rows, samples: u64) -> Result<Self, Error> {
        let layout = rows.layout();
        let bytes = usize::try_from(samples).ok().and_then(|n| n.checked_mul(layout.row_bytes()));
        let fits = bytes.is_some_and(|bytes| (1..=MAX_LOOP_BYTES).contains(&bytes));
        Error::unless(fits, "samples of the loop", samples as f64, "they must take 1 byte to 2 GiB")?;
        let mut block = vec![0; bytes.unwrap_or(0)];
        let read = rows.read(&mut block)?;
        block.truncate(read * layout.row_bytes());
        Error::unless(read > 0, "samples of the loop", 0.0, "there must be at least one")?;
        Ok(Self { layout, block, at: 0 })
    }

    /// Time samples of the block.
    pub fn samples(&self) -> usize {
        self.block.len() / self.layout.row_bytes()
    }
}

impl Rows for Looped {
    fn layout(&self) -> TileLayout {
        self.layout
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        let mut done = 0;
        while done < rows.len() {
            let len = (self.block.len() - self.at).min(rows.len() - done);
            rows[done..done + len].copy_from_slice(&self.block[self.at..self.at + len]);
            self.at = (self.at + len) % self.block.len();
            done += len;
        }
        Ok(done / self.layout.row_bytes())
    }
}

/// The longest block, up to `longest` samples, in which every tone that stands still has whole periods.
///
/// Repeated, its sound has no seam. The modulators' quantisation error has one, and so have noises and moving
/// sources, faults and jitter.
pub fn whole_periods(bench: &Bench, longest: u64) -> Result<u64, Error> {
    let rate = bench.rate_hz();
    let lines = bench.scene.lines.iter().map(|line| line.frequency_hz);
    let cycles: Vec<f64> =
        lines.chain(bench.fields.iter().map(|field| field.frequency_hz)).map(|f| f / rate).collect();
    // A millionth of a cycle is a phase step of -104 dB.
    let whole = |n: u64| cycles.iter().all(|c| (c * n as f64 - (c * n as f64).round()).abs() < 1e-6);
    let period = (1..=longest).find(|&n| whole(n));
    let expected = "no block this long holds whole periods of all tones; take frequencies with a common divisor, \
                    or a longer loop";
    Error::unless(period.is_some(), "samples of the loop", longest as f64, expected)?;
    // Multiples of the period are whole too, up to the same tolerance.
    let period = period.unwrap_or(1);
    let most = longest / period;
    Ok((1..=most).rev().map(|m| m * period).find(|&n| whole(n)).unwrap_or(period))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Scene, Settings};

    fn bench(scene: &str) -> Bench {
        let layout = TileLayout::new(8, 16, 8).unwrap();
        Bench::new(Scene::named(scene).unwrap(), Array { layout, ..Array::CAMERA }, Settings::default())
    }

    #[test]
    fn reading_ahead_changes_nothing() {
        let mut plain = vec![0; 16 * 3000];
        Simulator::of(&bench("monopole")).unwrap().fill(&mut plain);
        let mut ahead = Ahead::new(Simulator::of(&bench("monopole")).unwrap());
        let mut rows = vec![0; plain.len()];
        for piece in rows.chunks_mut(16 * 77) {
            assert_eq!(ahead.read(piece).unwrap(), piece.len() / 16);
        }
        assert!(rows == plain);
        assert_eq!(ahead.position(), 3000);
    }

    #[test]
    fn a_loop_repeats_its_block() {
        let mut simulator = Simulator::of(&bench("monopole")).unwrap();
        let mut first = vec![0; 16 * 150];
        simulator.clone().fill(&mut first);
        let mut looped = Looped::new(&mut simulator, 150).unwrap();
        let mut rows = vec![0; 16 * 400];
        assert_eq!(looped.read(&mut rows).unwrap(), 400);
        assert!(rows.chunks(16 * 150).all(|part| part == &first[..part.len()]));
        assert!(Looped::new(&mut simulator, 0).is_err());
        assert!(Looped::new(&mut simulator, u64::MAX).is_err());
    }

    #[test]
    fn loops_hold_whole_periods() {
        // 220 Hz and multiples of 500 Hz: 20 Hz divides all, 75000 samples are one period.
        assert_eq!(whole_periods(&bench("demo"), 749_999), Ok(675_000));
        assert_eq!(whole_periods(&bench("monopole"), 10_000), Ok(9000));
        assert_eq!(whole_periods(&bench("silence"), 1234), Ok(1234));
        assert!(whole_periods(&bench("demo"), 70_000).is_err());
    }
}
