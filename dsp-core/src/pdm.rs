//! Packed one-bit samples: the two kinds of words, the tile layout, and the transposition between them.
//!
//! A sensor array delivers *one time sample of all channels* after the other; a filter wants *one channel's
//! samples in time*. Both are 32-bit words, so they are two types here, and only a transposition turns one
//! into the other. Bit 1 is +1, bit 0 is -1, the least significant bit comes first.
//!
//! | symbol | meaning |
//! |---|---|
//! | position | place of a channel in the stream, 0 .. channels: bit `position % 32` of word `position / 32` |
//! | index | place of a channel on the grid, row by row from the top left: `cols * row + col` |
//! | tile | square of `tile_side` x `tile_side` sensors, row by row from its own top left |
//!
//! Cost of a 32x32 transposition: 5 x 16 butterflies of 6 operations, 480 in all, for 1024 bits.

/// 32 channels at one instant: bit j is stream position `32 w + j` of word w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct SampleWord(pub u32);

/// 32 successive instants of one channel: bit t is time sample `32 n + t` of word n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct TimeWord(pub u32);

impl TimeWord {
    /// Silence: alternating +1 and -1, whose mean is zero over any even number of samples.
    pub const IDLE: Self = Self(0x5555_5555);

    /// The value (+1 or -1) of time sample `t`; `t` is taken modulo 32.
    #[inline]
    pub const fn value(self, t: u32) -> i32 {
        ((self.0 >> (t & 31)) & 1) as i32 * 2 - 1
    }

    /// The four bytes, earliest first.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }
}

/// Transposes `G` bit matrices of 32x32 at once, in place: bit c of `rows[r][g]` goes to bit r of `rows[c][g]`.
///
/// The lanes `g` are independent, so the compiler turns each line into vector instructions.
#[inline(always)]
pub fn transpose32_lanes<const G: usize>(rows: &mut [[u32; G]; 32]) {
    exchange::<32, G>(rows, 0x0000_ffff);
    exchange::<16, G>(rows, 0x00ff_00ff);
    exchange::<8, G>(rows, 0x0f0f_0f0f);
    exchange::<4, G>(rows, 0x3333_3333);
    exchange::<2, G>(rows, 0x5555_5555);
}

/// One pass of butterflies: in every block of `B` rows, the upper right quarter of each square of `B` bits changes
/// places with the lower left one. `mask` has the columns of the left halves.
#[inline(always)]
fn exchange<const B: usize, const G: usize>(rows: &mut [[u32; G]; 32], mask: u32) {
    let shift = B as u32 / 2;
    for block in rows.as_chunks_mut::<B>().0 {
        let (upper, lower) = block.split_at_mut(B / 2);
        for (a, b) in upper.iter_mut().zip(lower) {
            for (x, y) in a.iter_mut().zip(b) {
                let t = ((*x >> shift) ^ *y) & mask;
                *x ^= t << shift;
                *y ^= t;
            }
            // Lanes fill registers: a barrier, or the compiler would gather wider ones from several rows.
            if G > 1 {
                core::hint::black_box(());
            }
        }
    }
}

/// Transposes one 32x32 bit matrix in place; twice is the identity.
pub fn transpose32(rows: &mut [u32; 32]) {
    let mut lanes = rows.map(|w| [w]);
    transpose32_lanes(&mut lanes);
    *rows = lanes.map(|[w]| w);
}

/// 32 time samples of `G` x 32 channels to time words: channel `32 g + j` comes out at `[j][g]`.
#[inline(always)]
pub fn to_time_words<const G: usize>(rows: &[[SampleWord; G]; 32]) -> [[TimeWord; G]; 32] {
    let mut lanes = rows.map(|row| row.map(|w| w.0));
    transpose32_lanes(&mut lanes);
    lanes.map(|row| row.map(TimeWord))
}

/// The inverse of [`to_time_words`].
#[inline(always)]
pub fn to_sample_words<const G: usize>(words: &[[TimeWord; G]; 32]) -> [[SampleWord; G]; 32] {
    let mut lanes = words.map(|row| row.map(|w| w.0));
    transpose32_lanes(&mut lanes);
    lanes.map(|row| row.map(SampleWord))
}

/// How a rectangular grid of sensors is cut into square tiles, and in which order the tiles are sent.
///
/// Tiles go column by column from the left, within a column from the bottom to the top; the sensors of a tile
/// go row by row from its top left (Appendix B of the thesis). Seen from the back of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TileLayout {
    rows: u16,
    cols: u16,
    tile_side: u16,
}

/// Why a layout cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LayoutError {
    /// A side is zero.
    Empty,
    /// A side of the grid is not a multiple of the tile's side.
    NotWholeTiles {
        /// Side of the grid in sensors.
        side: u16,
        /// Side of a tile in sensors.
        tile_side: u16,
    },
    /// So many channels of one time sample do not fill whole bytes.
    NotWholeBytes(u32),
}

texts! {
    LayoutError:
    Self::Empty => "a grid and its tiles need at least one sensor a side",
    Self::NotWholeTiles { side, tile_side } =>
        "a grid side of {side} is not a multiple of the tile side {tile_side}",
    Self::NotWholeBytes(channels) => "{channels} channels do not fill whole bytes: use a multiple of 8",
}

impl TileLayout {
    /// The 1024-microphone camera: 32 x 32 in sixteen tiles of 8 x 8.
    pub const CAMERA: Self = Self { rows: 32, cols: 32, tile_side: 8 };

    /// A grid of `rows` x `cols` sensors in tiles of `tile_side` x `tile_side`.
    pub const fn new(rows: u16, cols: u16, tile_side: u16) -> Result<Self, LayoutError> {
        if rows == 0 || cols == 0 || tile_side == 0 {
            return Err(LayoutError::Empty);
        }
        if !rows.is_multiple_of(tile_side) {
            return Err(LayoutError::NotWholeTiles { side: rows, tile_side });
        }
        if !cols.is_multiple_of(tile_side) {
            return Err(LayoutError::NotWholeTiles { side: cols, tile_side });
        }
        let layout = Self { rows, cols, tile_side };
        if !layout.channels().is_multiple_of(8) {
            return Err(LayoutError::NotWholeBytes(layout.channels()));
        }
        Ok(layout)
    }

    /// Rows of the grid.
    pub const fn rows(&self) -> u16 {
        self.rows
    }

    /// Columns of the grid.
    pub const fn cols(&self) -> u16 {
        self.cols
    }

    /// Sensors along a tile's side.
    pub const fn tile_side(&self) -> u16 {
        self.tile_side
    }

    /// Sensors in all.
    pub const fn channels(&self) -> u32 {
        self.rows as u32 * self.cols as u32
    }

    /// Bytes of one time sample.
    pub const fn row_bytes(&self) -> usize {
        (self.channels() / 8) as usize
    }

    /// Grid index of a stream position; `None` beyond the last channel.
    pub const fn index_of(&self, position: u32) -> Option<u32> {
        if position >= self.channels() {
            return None;
        }
        let (side, cols) = (self.tile_side as u32, self.cols as u32);
        let tile_rows = self.rows as u32 / side;
        let (tile, sensor) = (position / (side * side), position % (side * side));
        let (tile_col, tile_row) = (tile / tile_rows, tile % tile_rows);
        let row = side * (tile_rows - 1 - tile_row) + sensor / side;
        let col = side * tile_col + sensor % side;
        Some(cols * row + col)
    }

    /// Stream position of a grid index; `None` beyond the last channel.
    pub const fn position_of(&self, index: u32) -> Option<u32> {
        if index >= self.channels() {
            return None;
        }
        let (side, cols) = (self.tile_side as u32, self.cols as u32);
        let tile_rows = self.rows as u32 / side;
        let (row, col) = (index / cols, index % cols);
        let tile = tile_rows * (col / side) + (tile_rows - 1 - row / side);
        Some(side * side * tile + side * (row % side) + col % side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn camera_matches_appendix_b() {
        // METHODS: tile column c, tile row r, microphone m -> 32 (8 (3-r) + m/8) + 8 c + m mod 8.
        for (c, r, m) in (0..4).flat_map(|c| (0..4).flat_map(move |r| (0..64).map(move |m| (c, r, m)))) {
            let index = 32 * (8 * (3 - r) + m / 8) + 8 * c + m % 8;
            assert_eq!(TileLayout::CAMERA.index_of(64 * (4 * c + r) + m), Some(index));
        }
        assert_eq!(TileLayout::CAMERA.index_of(0), Some(768));
        assert_eq!(TileLayout::CAMERA.index_of(3 * 64), Some(0));
        assert_eq!(TileLayout::CAMERA.index_of(1024), None);
        assert_eq!(TileLayout::CAMERA.position_of(1024), None);
    }

    #[test]
    fn bad_layouts_are_refused() {
        assert_eq!(TileLayout::new(0, 8, 8), Err(LayoutError::Empty));
        assert_eq!(TileLayout::new(12, 8, 8), Err(LayoutError::NotWholeTiles { side: 12, tile_side: 8 }));
        assert_eq!(TileLayout::new(8, 20, 8), Err(LayoutError::NotWholeTiles { side: 20, tile_side: 8 }));
        assert_eq!(TileLayout::new(3, 3, 1), Err(LayoutError::NotWholeBytes(9)));
    }

    #[test]
    fn time_words_read_back_in_time_order() {
        let word = TimeWord(0b0110);
        assert_eq!([0, 1, 2, 3].map(|t| word.value(t)), [-1, 1, 1, -1]);
        assert_eq!((0..32).map(|t| TimeWord::IDLE.value(t)).sum::<i32>(), 0);
    }

    proptest! {
        #[test]
        fn layout_is_a_bijection(tile_rows in 1u16..6, tile_cols in 1u16..6, half in 1u16..5) {
            let side = 2 * half;
            prop_assume!((side * side * tile_rows * tile_cols).is_multiple_of(8));
            let layout = TileLayout::new(side * tile_rows, side * tile_cols, side).unwrap();
            for position in 0..layout.channels() {
                let index = layout.index_of(position).unwrap();
                prop_assert_eq!(layout.position_of(index), Some(position));
            }
        }

        #[test]
        fn transpose32_moves_every_bit(rows: [u32; 32]) {
            let mut out = rows;
            transpose32(&mut out);
            for (r, row) in rows.iter().enumerate() {
                for (c, column) in out.iter().enumerate() {
                    prop_assert_eq!((column >> r) & 1, (row >> c) & 1);
                }
            }
            transpose32(&mut out);
            prop_assert_eq!(out, rows);
        }

        #[test]
        fn lanes_round_trip(words in prop::collection::vec(any::<u32>(), 32 * 3)) {
            let rows: Vec<[SampleWord; 3]> =
                words.chunks_exact(3).map(|w| [w[0], w[1], w[2]].map(SampleWord)).collect();
            let rows: [[SampleWord; 3]; 32] = rows.try_into().unwrap();
            let time = to_time_words(&rows);
            for (t, row) in rows.iter().enumerate() {
                for position in 0..96 {
                    let (g, j) = (position / 32, position % 32);
                    prop_assert_eq!((row[g].0 >> j) & 1, (time[j][g].0 >> t) & 1);
                }
            }
            prop_assert_eq!(to_sample_words(&time), rows);
        }
    }
}
