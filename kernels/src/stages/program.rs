//! The source and its kernels.

use crate::abi::stages as abi;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};

/// The source.
pub const PROGRAM: Program = Program {
    name: "stages",
    source: include_str!("../../cuda/stages.cu"),
    kernels: &[
        &PAD_SCALE,
        &PAD_ZERO,
        &PAD_EXTEND,
        &PAD_AVERAGE,
        &PAD_WINDOW,
        &TRANSFORM,
        &PROPAGATE_MULTIPLY,
        &PROPAGATE_INVERSE,
    ],
    samples: &[&[(REAL_BYTES, 4)], &[(REAL_BYTES, 8)]],
};

/// Which number the source is compiled for.
pub(super) const REAL_BYTES: &str = "REAL_BYTES";

pub(super) const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "stages", name, hot: false, capability: 80, parameters }
}

pub(super) const SHAPE: Parameter = Value("s", size_of::<abi::Shape>());
pub(super) const PAD_SCALE: Signature = signature(
    "pad_scale",
    &[Input("holograms"), Output("scales"), Output("not_finite"), Output("scaled"), SHAPE],
);
pub(super) const PAD_ZERO: Signature = signature("pad_zero", &[Input("holograms"), Output("field"), SHAPE]);
pub(super) const PAD_AVERAGE: Signature = signature("pad_average", &[Input("other"), Output("field"), SHAPE]);
pub(super) const PAD_WINDOW: Signature =
    signature("pad_window", &[Input("scales"), Input("windows"), Output("field"), SHAPE]);
pub(super) const PROPAGATE_MULTIPLY: Signature = signature(
    "propagate_multiply",
    &[Input("spectrum"), Input("operators"), Output("product"), SHAPE, Value("field", size_of::<u32>())],
);
const PARAMETERS: &[Parameter] =
    &[Input("input"), Input("twiddles"), Output("output"), Value("d", size_of::<abi::Dft>())];
pub(super) const TRANSFORM: Signature = signature("transform", PARAMETERS);
pub(super) const PROPAGATE_INVERSE: Signature = signature("propagate_inverse", PARAMETERS);
pub(super) const PAD_EXTEND: Signature = signature(
    "pad_extend",
    &[Input("input"), Output("scratch"), Output("output"), Value("l", size_of::<abi::Lines>())],
);
