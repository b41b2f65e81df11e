//! The sources and their kernels.

use super::constants::{SAMPLES, SAMPLES_PLANE};
use crate::abi::NufftGrid;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};

/// From points to the fine grid and back, and from there to modes and back.
pub const KERNELS: Program = Program {
    name: "nufft",
    source: include_str!("../../cuda/nufft.cu"),
    kernels: &[&SPREAD, &INTERPOLATE, &MODES_FROM_GRID, &GRID_FROM_MODES],
    samples: SAMPLES,
};
/// Spreading in two dimensions.
pub const PLANE: Program = Program {
    name: "nufft_plane",
    source: include_str!("../../cuda/nufft_plane.cu"),
    kernels: &[&SPREAD_PLANE, &SPREAD_ROWS],
    samples: SAMPLES_PLANE,
};
/// The sort of points.
pub const POINTS: Program = Program {
    name: "nufft_points",
    source: include_str!("../../cuda/nufft_points.cu"),
    kernels: OF_POINTS,
    samples: SAMPLES,
};
const OF_POINTS: &[&Signature] =
    &[&BIN_POINTS, &COUNT_DIGITS, &SCAN_DIGITS, &MOVE_BY_DIGIT, &FIND_STARTS, &COUNT_TILES, &LIST_PARTS];

pub(super) const GRID: Parameter = Value("g", size_of::<NufftGrid>());

pub(super) const fn signature(name: &'static str, hot: bool, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "nufft", name, hot, capability: 80, parameters }
}

pub(super) const SPREAD: Signature = signature(
    "spread",
    false,
    &[
        Input("points"),
        Input("starts"),
        Input("parts"),
        Input("owners"),
        Input("strengths"),
        Input("polynomials"),
        Output("partial"),
        Output("arrived"),
        Output("grid"),
        GRID,
    ],
);
pub(super) const SPREAD_PLANE: Signature = Signature {
    module: "nufft_plane",
    name: "spread_plane",
    hot: true,
    capability: 80,
    parameters: &[
        Input("points"),
        Input("starts"),
        Input("strengths"),
        Input("polynomials"),
        Output("grid"),
        GRID,
    ],
};
pub(super) const SPREAD_ROWS: Signature = Signature { name: "spread_rows", ..SPREAD_PLANE };
pub(super) const INTERPOLATE: Signature = signature(
    "interpolate",
    false,
    &[
        Input("points"),
        Input("starts"),
        Input("parts"),
        Input("owners"),
        Input("grid"),
        Input("polynomials"),
        Output("values"),
        GRID,
    ],
);
pub(super) const MODES_FROM_GRID: Signature =
    signature("modes_from_grid", true, &[Input("grid"), Input("factors"), Output("modes"), GRID]);
pub(super) const GRID_FROM_MODES: Signature =
    signature("grid_from_modes", true, &[Input("modes"), Input("factors"), Output("grid"), GRID]);

pub(super) const fn of_points(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "nufft_points", name, hot: true, capability: 80, parameters }
}

pub(super) const NUMBER: usize = size_of::<u32>();
pub(super) const BIN_POINTS: Signature = of_points(
    "bin_points",
    &[
        Input("x"),
        Input("y"),
        Input("z"),
        Output("points"),
        Output("counts"),
        Output("found"),
        Value("mask", NUMBER),
        GRID,
    ],
);
pub(super) const COUNT_DIGITS: Signature = of_points(
    "count_digits",
    &[Input("points"), Output("counts"), Value("shift", NUMBER), Value("mask", NUMBER), Value("all", NUMBER)],
);
pub(super) const SCAN_DIGITS: Signature =
    of_points("scan_digits", &[Output("counts"), Output("totals"), Value("blocks", NUMBER)]);
pub(super) const MOVE_BY_DIGIT: Signature = of_points(
    "move_by_digit",
    &[
        Input("points"),
        Input("counts"),
        Input("totals"),
        Output("moved"),
        Value("shift", NUMBER),
        Value("mask", NUMBER),
        Value("all", NUMBER),
    ],
);
pub(super) const FIND_STARTS: Signature =
    of_points("find_starts", &[Input("points"), Output("starts"), GRID]);
pub(super) const COUNT_TILES: Signature = of_points(
    "count_tiles",
    &[Input("starts"), Output("lengths"), Output("found"), Value("spreads", NUMBER), GRID],
);
pub(super) const LIST_PARTS: Signature = of_points(
    "list_parts",
    &[
        Input("lengths"),
        Output("spread_parts"),
        Output("spread_owners"),
        Output("gather_parts"),
        Output("gather_owners"),
        GRID,
    ],
);
