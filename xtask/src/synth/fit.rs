//! How many channels fit a part: fixed area and area of a lane follow from two sizes of one front end.

use super::family::{Area, Part};

/// Bit rate of the instrument's microphones.
pub const BIT_RATE_MHZ: f64 = 1.5;
/// Lanes that one front end with a decimator can have; `boards/rtl/front_end.v` checks it.
pub const MOST_LANES: u32 = 48;
/// Share of a part's LUTs that a router can be expected to fill.
const LUT_SHARE: f64 = 0.8;

/// System clocks for a bit time that a front end needs; `boards/rtl/front_end.v` has the rule.
pub fn clocks_per_bit(lines: u32, channel_bits: u32, decimating: bool) -> u32 {
    let channels = 1 << channel_bits;
    let visits = if decimating { (channels + 1) * 56 + 8 } else { 0 };
    let by_block = visits.max(lines + 8) / 32 + 1;
    by_block.max(channels + 4)
}

/// What a FIFO takes.
fn memories(words: u32, (smallest, memories): (f64, f64)) -> Area {
    Area { memories: (f64::from(words) / smallest).ceil() * memories, ..Area::default() }
}

/// A front end without its FIFO, as a fixed area and an area for each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    fixed: Area,
    lane: Area,
    /// Channels of a lane.
    channels: u32,
    /// Words and block RAMs of the smallest FIFO.
    fifo: (f64, f64),
}

impl Model {
    /// From areas with 64 lines and a FIFO of 2^11 words, and with `large_lines` and 2^13 words.
    pub fn new([small, large]: [Area; 2], large_lines: u32, channels: u32, fifo: (f64, f64)) -> Self {
        let (small, large) = (small - memories(1 << 11, fifo), large - memories(1 << 13, fifo));
        let (small_lanes, large_lanes) = (f64::from(64 / channels), f64::from(large_lines / channels));
        let lane = (large - small) * (1.0 / (large_lanes - small_lanes));
        Self { fixed: small - lane * small_lanes, lane, channels, fifo }
    }

    /// With as many lanes, and a FIFO that holds two blocks.
    pub fn area(&self, lanes: u32) -> Area {
        let words = 2 * (self.channels * lanes + 1);
        self.fixed + self.lane * f64::from(lanes) + memories(words.next_power_of_two(), self.fifo)
    }

    /// The most channels that fit, and what there is too little of for more.
    pub fn channels(&self, part: &Part) -> (u32, &'static str) {
        let mut lanes = 0;
        loop {
            let (needed, has) = (self.area(lanes + 1), part.has);
            let short = [
                (needed.luts > LUT_SHARE * has.luts, "LUT"),
                (needed.flip_flops > has.flip_flops, "FF"),
                (needed.multipliers > has.multipliers, "DSP"),
                (needed.memories > has.memories, "BRAM"),
            ];
            if let Some((_, what)) = short.iter().find(|(short, _)| *short) {
                return (lanes * self.channels, what);
            }
            lanes += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_gives_back_what_it_was_made_of() {
        let make = |lanes: f64, fifo: f64| Area {
            luts: 300.0 + 100.0 * lanes,
            flip_flops: 200.0 + 90.0 * lanes,
            multipliers: lanes,
            memories: 5.0 * lanes + fifo,
        };
        let model = Model::new([make(2.0, 4.0), make(32.0, 16.0)], 1024, 32, (512.0, 1.0));
        assert!((model.area(32).luts - 3500.0).abs() < 1e-9);
        // Two blocks of 65 words are 256 words, in one memory.
        assert!((model.area(2).memories - 11.0).abs() < 1e-9);
        let has = |multipliers, memories| Area { luts: 5000.0, flip_flops: 9000.0, multipliers, memories };
        assert_eq!(model.channels(&Part { name: "x", has: has(9.0, 500.0) }), (288, "DSP"));
        assert_eq!(model.channels(&Part { name: "x", has: has(90.0, 24.0) }), (128, "BRAM"));
        assert_eq!(model.channels(&Part { name: "x", has: has(90.0, 500.0) }), (1184, "LUT"));
    }

    #[test]
    fn the_clock_follows_from_a_lanes_channels() {
        let decimating = |lines, bits| clocks_per_bit(lines, bits, true);
        assert_eq!((decimating(64, 5), decimating(1024, 5), decimating(32, 4)), (59, 59, 31));
        assert_eq!((clocks_per_bit(64, 5, false), clocks_per_bit(1024, 4, false)), (36, 33));
    }
}
