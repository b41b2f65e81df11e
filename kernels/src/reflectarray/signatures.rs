//! The kernels of `cuda/reflectarray.cu` and their parameters.

use crate::abi;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};

const SIZES: Parameter = Value("r", size_of::<abi::Reflectarray>());
const MOVES: Parameter = Input("moves");

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "reflectarray", name, hot: true, capability: 80, parameters }
}

pub const EXCITE: Signature = signature(
    "excite",
    &[
        MOVES,
        Input("unknowns"),
        Input("base"),
        Input("zernike"),
        Input("amplitude"),
        Input("carrier"),
        Input("along"),
        Output("grid"),
        Output("lines"),
        SIZES,
    ],
);
pub const LINES_TO_FAR: Signature = signature(
    "lines_to_far",
    &[MOVES, Input("lines"), Input("down"), Input("waves_v"), Output("far_lines"), SIZES],
);
pub const FIELD_LEVELS: Signature = Signature {
    // A lane's fields take all registers that two blocks leave, on some architectures two more.
    hot: false,
    ..signature(
        "field_levels",
        &[
            MOVES,
            Input("far_lines"),
            Input("waves_u"),
            Input("pieces"),
            Input("line_of"),
            Input("place_of"),
            Input("gains"),
            Input("lower"),
            Input("shares"),
            Output("field"),
            Output("logs"),
            Output("field_sums"),
            Output("totals"),
            Output("arrived"),
            Value("places", size_of::<u32>()),
            SIZES,
        ],
    )
};
pub const WEIGH: Signature = signature(
    "weigh",
    &[
        MOVES,
        Output("spectrum"),
        Input("weights"),
        Output("power_sums"),
        Output("totals"),
        Output("arrived"),
        SIZES,
    ],
);
pub const SLOPES_TO_LINES: Signature = signature(
    "slopes_to_lines",
    &[
        MOVES,
        Input("field"),
        Input("logs"),
        Input("starts"),
        Input("place_of"),
        Input("lower"),
        Input("shares"),
        Input("upper"),
        Input("waves_u_turned"),
        Output("far_lines"),
        Output("line_sums"),
        Output("totals"),
        Output("arrived"),
        Value("longest", size_of::<u32>()),
        SIZES,
    ],
);
pub const FAR_TO_LINES: Signature = signature(
    "far_to_lines",
    &[MOVES, Input("far_lines"), Input("waves_v_turned"), Input("over"), Output("lines"), SIZES],
);
pub const GRADIENT_OF_ROW: Signature = signature(
    "gradient_of_row",
    &[
        MOVES,
        Input("lines"),
        Input("up"),
        Input("carrier"),
        Input("grid"),
        Input("radiated"),
        Input("totals"),
        Output("by_phase"),
        Output("values"),
        Output("scores"),
        Value("inside", size_of::<f64>()),
        SIZES,
    ],
);
pub const COLLECT: Signature =
    signature("collect", &[MOVES, Input("by_phase"), Input("zernike"), Output("gradient"), SIZES]);
