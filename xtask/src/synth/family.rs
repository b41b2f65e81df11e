//! The three families: how yosys is called for each, how its cells are counted, and which parts there are.

use anyhow::{Context, Result};
use serde_json::Value;
use std::ops::{Add, Mul, Sub};

/// What a design takes, or a part has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Look-up tables, those of carry chains and small memories among them.
    pub luts: f64,
    /// Flip-flops.
    pub flip_flops: f64,
    pub multipliers: f64,
    /// Block RAMs of the family's size.
    pub memories: f64,
}

impl Area {
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            luts: f(self.luts, other.luts),
            flip_flops: f(self.flip_flops, other.flip_flops),
            multipliers: f(self.multipliers, other.multipliers),
            memories: f(self.memories, other.memories),
        }
    }
}

impl Add for Area {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Area {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul<f64> for Area {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        self.zip(self, |a, _| a * factor)
    }
}

/// A part: its name and what it has.
pub struct Part {
    /// As it is sold.
    pub name: &'static str,
    /// From the family's data sheet.
    pub has: Area,
}

/// A family of parts.
pub struct Family {
    /// For people.
    pub name: &'static str,
    /// yosys's command.
    pub synthesis: &'static str,
    /// What a look-up table and a block RAM are.
    pub units: &'static str,
    /// log2 of a lane's channels: fewer where the clock is slow.
    pub channel_bits: u32,
    /// Lanes of a large front end: not more than [`super::fit::MOST_LANES`].
    pub large_lanes: u32,
    /// The smallest FIFO of 32 bits: its words, and the block RAMs that they take.
    pub fifo: (f64, f64),
    /// Cells, what each counts as: (prefix, area).
    cells: &'static [(&'static str, Area)],
    /// From small to large.
    pub parts: &'static [Part],
}

const fn area(luts: u32, flip_flops: u32, multipliers: u32, half_memories: u32) -> Area {
    Area {
        luts: luts as f64,
        flip_flops: flip_flops as f64,
        multipliers: multipliers as f64,
        memories: half_memories as f64 / 2.0,
    }
}

const fn part(name: &'static str, luts: u32, flip_flops: u32, multipliers: u32, memories: u32) -> Part {
    Part { name, has: area(luts, flip_flops, multipliers, 2 * memories) }
}

/// iCE40: no memory of two ports, no multiplier in the HX parts.
pub const ICE40: Family = Family {
    name: "iCE40",
    synthesis: "synth_ice40",
    units: "LUT4, block RAM of 4 kbit",
    channel_bits: 4,
    large_lanes: 32,
    fifo: (256.0, 2.0),
    cells: &[
        ("SB_LUT4", area(1, 0, 0, 0)),
        ("SB_DFF", area(0, 1, 0, 0)),
        ("SB_MAC16", area(0, 0, 1, 0)),
        ("SB_RAM40_4K", area(0, 0, 0, 2)),
    ],
    parts: &[part("iCE40HX4K", 3520, 3520, 0, 20), part("iCE40HX8K", 7680, 7680, 0, 32)],
};

/// ECP5: a carry cell is two LUTs, a small memory of 16 by 4 bits is four and two more that write it.
pub const ECP5: Family = Family {
    name: "ECP5",
    synthesis: "synth_ecp5",
    units: "LUT4, block RAM of 18 kbit",
    channel_bits: 5,
    large_lanes: 32,
    fifo: (512.0, 1.0),
    cells: &[
        ("LUT4", area(1, 0, 0, 0)),
        ("CCU2C", area(2, 0, 0, 0)),
        ("TRELLIS_DPR16X4", area(6, 0, 0, 0)),
        ("TRELLIS_FF", area(0, 1, 0, 0)),
        ("MULT18X18D", area(0, 0, 1, 0)),
        ("DP16KD", area(0, 0, 0, 2)),
    ],
    parts: &[
        part("LFE5U-25F", 24288, 24288, 28, 56),
        part("LFE5U-45F", 43848, 43848, 72, 108),
        part("LFE5U-85F", 83640, 83640, 156, 208),
    ],
};

/// 7-series: LUT6; RAMB18 is half a block RAM of 36 kbit; RAM32M is four LUTs.
pub const SERIES7: Family = Family {
    name: "7-series",
    synthesis: "synth_xilinx -flatten -noiopad -noclkbuf",
    units: "LUT6, block RAM of 36 kbit",
    channel_bits: 5,
    large_lanes: 32,
    fifo: (512.0, 0.5),
    cells: &[
        ("LUT", area(1, 0, 0, 0)),
        ("INV", area(1, 0, 0, 0)),
        ("SRL", area(1, 0, 0, 0)),
        ("RAM32M", area(4, 0, 0, 0)),
        ("RAM64M", area(4, 0, 0, 0)),
        ("FD", area(0, 1, 0, 0)),
        ("DSP48E1", area(0, 0, 1, 0)),
        ("RAMB18E1", area(0, 0, 0, 1)),
        ("RAMB36E1", area(0, 0, 0, 2)),
    ],
    parts: &[
        part("XC7A35T", 20800, 41600, 90, 50),
        part("XC7A100T", 63400, 126_800, 240, 135),
        part("XC7A200T", 134_600, 269_200, 740, 365),
    ],
};

impl Family {
    /// Lines of a large front end.
    pub fn large(&self) -> u32 {
        self.large_lanes << self.channel_bits
    }

    /// The area in yosys's `stat -json`.
    pub fn area(&self, statistics: &str) -> Result<Area> {
        let statistics: Value = serde_json::from_str(statistics).context("yosys's statistics")?;
        let cells =
            statistics["design"]["num_cells_by_type"].as_object().context("no cells in the statistics")?;
        let mut sum = Area::default();
        for (cell, count) in cells {
            let count = count.as_f64().with_context(|| format!("cells of type {cell}"))?;
            // Longer names first: RAM32M is no LUT, LUT4 no LUT in general.
            let kind =
                self.cells.iter().filter(|(prefix, _)| cell.starts_with(prefix)).max_by_key(|(p, _)| p.len());
            if let Some((_, area)) = kind {
                sum = sum + *area * count;
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_by_their_kind() {
        let statistics = r#"{"design": {"num_cells_by_type": {"LUT2": 3, "LUT6": 4, "RAM32M": 2, "MUXF7": 9, "FDRE": 5,
            "FDSE": 1, "RAMB18E1": 3, "RAMB36E1": 2, "DSP48E1": 7, "CARRY4": 8}}}"#;
        let expected = Area { luts: 15.0, flip_flops: 6.0, multipliers: 7.0, memories: 3.5 };
        assert_eq!(SERIES7.area(statistics).unwrap(), expected);
        let ice = r#"{"design": {"num_cells_by_type": {"SB_LUT4": 3, "SB_DFFESR": 4, "SB_CARRY": 2, "SB_RAM40_4KNR": 1}}}"#;
        let expected = Area { luts: 3.0, flip_flops: 4.0, multipliers: 0.0, memories: 1.0 };
        assert_eq!(ICE40.area(ice).unwrap(), expected);
        assert!(ECP5.area("{}").is_err());
    }
}
