//! The kernels of `cuda/sbr*.cu`, and their parameters.

use crate::abi;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};

const NUMBERS: Parameter = Value("s", size_of::<abi::Sbr>());
const LAUNCHES: Parameter = Input("launches");
const LEVEL: Parameter = Value("level", size_of::<u32>());
const ROUND: Parameter = Value("round", size_of::<u32>());

const fn signature(module: &'static str, name: &'static str, parameters: &'static [Parameter]) -> Signature {
    // A walk through the tree has a stack, and a tube has more numbers than a thread has registers.
    Signature { module, name, hot: false, capability: 80, parameters }
}

pub const FREE: Signature = signature(
    "sbr_lists",
    "sbr_free",
    &[Input("sights"), Input("nodes"), Input("corners"), Input("normals"), Output("frees"), NUMBERS],
);
pub const COUNT: Signature =
    signature("sbr_lists", "sbr_count", &[LAUNCHES, Input("corners"), Output("counts"), NUMBERS]);
pub const ROOM: Signature = signature(
    "sbr_lists",
    "sbr_room",
    &[LAUNCHES, Input("counts"), Output("tiles"), Output("counters"), NUMBERS],
);
pub const LIST: Signature = signature(
    "sbr_lists",
    "sbr_list",
    &[LAUNCHES, Input("corners"), Input("tiles"), Output("counts"), Output("found"), NUMBERS],
);
pub const ENTER: Signature = signature(
    "sbr_lists",
    "sbr_enter",
    &[LAUNCHES, Input("corners"), Input("tiles"), Input("found"), Input("frees"), Output("entries"), NUMBERS],
);
pub const BINS_KERNEL: Signature =
    signature("sbr_bins", "sbr_bins", &[Input("waves"), Output("sums"), NUMBERS]);
pub const WEDGES_KERNEL: Signature = signature(
    "sbr_wedges",
    "sbr_wedges",
    &[
        LAUNCHES,
        Input("edges"),
        Input("series"),
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("receivers"),
        Input("waves"),
        Output("sums"),
        Value("count", size_of::<u32>()),
        NUMBERS,
    ],
);
pub const SEEDS: Signature = signature("sbr", "sbr_seeds", &[Input("seeds"), Output("firsts"), NUMBERS]);
const OF_TILES: &[Parameter] = &[
    LAUNCHES,
    Input("first_items"),
    Input("tiles"),
    Input("entries"),
    Input("nodes"),
    Input("corners"),
    Input("normals"),
    Input("numbers"),
    Input("receivers"),
    Input("waves"),
    Input("firsts"),
    Output("sums"),
    Output("cells"),
    Output("kept"),
    Output("counters"),
    NUMBERS,
];
pub const TILES_KERNEL: Signature = signature("sbr", "sbr_tiles", OF_TILES);
pub const MANY_TILES: Signature = signature("sbr", "sbr_many_tiles", OF_TILES);
const OF_LISTED_TILES: &[Parameter] = &[
    LAUNCHES,
    Input("first_items"),
    Input("tiles"),
    Input("entries"),
    Input("nodes"),
    Input("corners"),
    Input("normals"),
    Input("numbers"),
    Input("firsts"),
    Output("parts"),
    Output("cells"),
    Output("kept"),
    Output("counters"),
    NUMBERS,
];
pub const LIST_TILES: Signature = signature("sbr", "sbr_list_tiles", OF_LISTED_TILES);
pub const STRICT_TILES: Signature = signature("sbr", "sbr_strict_tiles", OF_LISTED_TILES);
pub const FIRST: Signature = signature(
    "sbr_cells",
    "sbr_first",
    &[
        LAUNCHES,
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("tiles"),
        Input("entries"),
        Input("firsts"),
        Input("seeds"),
        Input("cells"),
        Input("kept"),
        Output("rays"),
        Output("states"),
        Output("open"),
        Output("parts"),
        Output("counters"),
        LEVEL,
        Value("begin", size_of::<u32>()),
        NUMBERS,
    ],
);
pub const WAYS: Signature = signature(
    "sbr_regions",
    "sbr_ways",
    &[
        Input("rays"),
        Output("states"),
        Input("open"),
        Output("pieces"),
        Output("children"),
        Output("parts"),
        Output("counters"),
        LEVEL,
        ROUND,
        NUMBERS,
    ],
);
pub const REGIONS: Signature = signature(
    "sbr_regions",
    "sbr_regions",
    &[
        LAUNCHES,
        Input("corners"),
        Input("normals"),
        Input("rays"),
        Output("states"),
        Input("pieces"),
        Output("regions"),
        Input("counters"),
        LEVEL,
        ROUND,
    ],
);
pub const EDGES: Signature = signature(
    "sbr_regions",
    "sbr_edges",
    &[
        Output("rays"),
        Input("states"),
        Input("regions"),
        Input("open"),
        Output("next"),
        Output("looking"),
        Output("taking"),
        Output("known"),
        Output("children"),
        Output("parts"),
        Output("counters"),
        LEVEL,
        ROUND,
        NUMBERS,
    ],
);
pub const BEYOND: Signature = signature(
    "sbr_cells",
    "sbr_beyond",
    &[
        LAUNCHES,
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("tiles"),
        Input("entries"),
        Output("rays"),
        Input("states"),
        Input("looking"),
        Output("counters"),
        LEVEL,
        ROUND,
        NUMBERS,
    ],
);
pub const TAKE: Signature = signature(
    "sbr_regions",
    "sbr_take",
    &[
        LAUNCHES,
        Input("corners"),
        Input("normals"),
        Input("rays"),
        Output("states"),
        Input("regions"),
        Input("taking"),
        Output("parts"),
        Output("counters"),
        LEVEL,
        NUMBERS,
    ],
);
pub const DECIDE: Signature = signature(
    "sbr_regions",
    "sbr_decide",
    &[
        Input("rays"),
        Input("states"),
        Input("known"),
        Output("children"),
        Output("parts"),
        Output("counters"),
        LEVEL,
        NUMBERS,
    ],
);
const OF_PARTS: &[Parameter] = &[
    LAUNCHES,
    Input("corners"),
    Input("normals"),
    Input("parts"),
    Input("order"),
    Input("receivers"),
    Input("waves"),
    Output("sums"),
    Output("counters"),
    NUMBERS,
];
const OF_DEEP_PARTS: &[Parameter] = &[
    LAUNCHES,
    Input("nodes"),
    Input("corners"),
    Input("normals"),
    Input("numbers"),
    Input("parts"),
    Input("order"),
    Input("receivers"),
    Input("waves"),
    Output("sums"),
    Output("counters"),
    NUMBERS,
];
pub const PARTS: Signature = signature("sbr_parts", "sbr_parts", OF_PARTS);
pub const MANY_PARTS: Signature = signature("sbr_parts", "sbr_many_parts", OF_PARTS);
pub const DEEP_PARTS: Signature = signature("sbr_parts", "sbr_deep_parts", OF_DEEP_PARTS);
pub const MANY_DEEP_PARTS: Signature = signature("sbr_parts", "sbr_many_deep_parts", OF_DEEP_PARTS);
pub const MATTER: Signature = signature(
    "sbr_matter",
    "sbr_matter",
    &[
        LAUNCHES,
        Input("corners"),
        Input("normals"),
        Input("materials"),
        Input("matter"),
        Input("parts"),
        Input("order"),
        Input("receivers"),
        Input("waves"),
        Output("sums"),
        Output("counters"),
        NUMBERS,
    ],
);
pub const DEEP_MATTER: Signature = signature(
    "sbr_matter",
    "sbr_deep_matter",
    &[
        LAUNCHES,
        Input("nodes"),
        Input("corners"),
        Input("normals"),
        Input("numbers"),
        Input("materials"),
        Input("matter"),
        Input("parts"),
        Input("order"),
        Input("receivers"),
        Input("waves"),
        Output("sums"),
        Output("counters"),
        NUMBERS,
    ],
);
pub const MEASURE: Signature =
    signature("sbr_order", "sbr_measure", &[Input("parts"), Output("starts"), Input("counters"), NUMBERS]);
pub const STARTS: Signature = signature("sbr_order", "sbr_starts", &[Output("starts"), NUMBERS]);
pub const ORDER: Signature = signature(
    "sbr_order",
    "sbr_order",
    &[Input("parts"), Output("starts"), Output("order"), Input("counters"), NUMBERS],
);
