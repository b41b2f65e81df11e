//! What is synthesised, placed and routed, and what is found of it.

use super::family::{Area, ECP5, Family, ICE40};
use super::tools::Design;

/// One lane's blocks.
pub const BLOCKS: [Design; 7] = [
    Design { name: "capture_lane", top: "capture_lane", parameters: "" },
    Design { name: "cic_window", top: "cic_window", parameters: "" },
    Design { name: "cic_integrators", top: "cic_integrators", parameters: "" },
    Design { name: "fir_lane", top: "fir_lane", parameters: "" },
    Design { name: "chain_lane", top: "chain_lane", parameters: "" },
    Design { name: "walsh_lane", top: "walsh_lane", parameters: "" },
    Design { name: "decimator_control", top: "decimator_control", parameters: "" },
];

/// A front end in two sizes.
pub struct Kind {
    pub name: &'static str,
    /// 64 lines, and the family's large number.
    pub designs: [Design; 2],
}

const fn front_end(name: &'static str, parameters: &'static str) -> Design {
    Design { name, top: "front_end", parameters }
}

/// The front ends of the table.
pub const KINDS: [Kind; 2] = [
    Kind {
        name: "capture",
        designs: [
            front_end("capture-64", "LINES=64 FIFO_BITS=11 WITH_DECIMATOR=0 WITH_WALSH=0"),
            front_end("capture-large", "LINES=large FIFO_BITS=13 WITH_DECIMATOR=0 WITH_WALSH=0"),
        ],
    },
    Kind {
        name: "capture, samples",
        designs: [
            front_end("samples-64", "LINES=64 FIFO_BITS=11 WITH_WALSH=0"),
            front_end("samples-large", "LINES=large FIFO_BITS=13 WITH_WALSH=0"),
        ],
    },
];

/// A place and route: family, design, the part for the tool and for people.
pub struct Route {
    pub family: &'static Family,
    pub design: Design,
    pub part: &'static str,
    pub part_name: &'static str,
    pub lines: u32,
}

const fn pins(name: &'static str, parameters: &'static str) -> Design {
    Design { name, top: "pins", parameters }
}

/// What is placed and routed.
pub const ROUTES: [Route; 3] = [
    Route {
        family: &ICE40,
        design: pins("pins-16", "LINES=16 FIFO_BITS=7 WITH_WALSH=0"),
        part: "--hx8k --package ct256 --pcf-allow-unconstrained",
        part_name: "iCE40HX8K",
        lines: 16,
    },
    Route {
        family: &ECP5,
        design: pins("pins-64", "LINES=64 FIFO_BITS=11"),
        part: "--25k --package CABGA381 --speed 6",
        part_name: "LFE5U-25F, speed grade 6",
        lines: 64,
    },
    Route {
        family: &ECP5,
        design: pins("pins-1024", "LINES=1024 FIFO_BITS=13 WITH_WALSH=0"),
        part: "--85k --package CABGA756 --speed 6",
        part_name: "LFE5U-85F, speed grade 6",
        lines: 1024,
    },
];

/// What was found for a family.
pub struct Findings {
    pub family: &'static Family,
    pub blocks: Vec<Area>,
    /// For each of [`KINDS`], 64 lines and [`Family::large`].
    pub kinds: Vec<[Area; 2]>,
}
