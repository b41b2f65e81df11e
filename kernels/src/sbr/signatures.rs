//! The kernels of `cuda/sbr.cu` and `cuda/sbr_cells.cu`, and their parameters.

use crate::abi;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};

const NUMBERS: Parameter = Value("s", size_of::<abi::Sbr>());
const LAUNCHES: Parameter = Input("launches");

const fn signature(module: &'static str, name: &'static str, parameters: &'static [Parameter]) -> Signature {
    // A walk through the tree has a stack, and a tube has more numbers than a thread has registers.
    Signature { module, name, hot: false, capability: 80, parameters }
}

pub const MARK: Signature =
    signature("sbr", "sbr_mark", &[LAUNCHES, Input("corners"), Output("occupied"), NUMBERS]);
pub const SEEDS: Signature = signature("sbr", "sbr_seeds", &[Input("seeds"), Output("firsts"), NUMBERS]);
pub const TILES_KERNEL: Signature = signature(
    "sbr",
    "sbr_tiles",
    &[
        LAUNCHES,
        Input("first_items"),
        Input("occupied"),
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("receivers"),
        Input("waves"),
        Input("firsts"),
        Output("sums"),
        Output("cells"),
        Output("counters"),
        NUMBERS,
    ],
);
pub const CELLS_KERNEL: Signature = signature(
    "sbr_cells",
    "sbr_cells",
    &[
        LAUNCHES,
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("firsts"),
        Input("seeds"),
        Input("cells"),
        Output("children"),
        Output("parts"),
        Output("counters"),
        Value("level", size_of::<u32>()),
        Value("begin", size_of::<u32>()),
        NUMBERS,
    ],
);
pub const PARTS: Signature = signature(
    "sbr_cells",
    "sbr_parts",
    &[
        LAUNCHES,
        Input("parts"),
        Input("receivers"),
        Input("waves"),
        Output("sums"),
        Input("counters"),
        NUMBERS,
    ],
);
