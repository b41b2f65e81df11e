//! The source and its kernels.

use super::layout;
use crate::abi;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Program, Signature};

/// The source.
pub const PROGRAM: Program = Program {
    name: "dgtd",
    source: include_str!("../../cuda/dgtd.cu"),
    kernels: &[&STAGE, &SPECTRUM, &SOURCE, &PORT, &TERMINALS, &POLES, &ENERGY],
    samples: layout::SAMPLES,
};

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    // Of the highest orders some have more sums than a thread has registers.
    Signature { module: "dgtd", name, hot: false, capability: 80, parameters }
}

const NUMBERS: Parameter = Value("s", size_of::<abi::Dgtd>());
pub(super) const STAGE: Signature = signature(
    "dgtd_stage",
    &[
        Input("now"),
        Output("next"),
        Output("residual"),
        Input("derivatives"),
        Input("lift"),
        Input("geometry"),
        Input("neighbours"),
        Input("wet"),
        Input("delays"),
        Input("face_nodes"),
        Input("seen"),
        Input("sigma"),
        Input("starts"),
        Output("memory"),
        NUMBERS,
    ],
);
pub(super) const SPECTRUM: Signature = signature(
    "dgtd_spectrum",
    &[
        Input("now"),
        Input("nodes"),
        Input("wavenumbers"),
        Output("phasors"),
        Value("count", size_of::<u32>()),
        Value("frequencies", size_of::<u32>()),
        Value("time", size_of::<f64>()),
        Value("dt", size_of::<f64>()),
    ],
);
pub(super) const SOURCE: Signature = signature(
    "dgtd_source",
    &[
        Output("now"),
        Output("residual"),
        Input("rates"),
        Value("place", size_of::<u32>()),
        Value("signal", size_of::<f64>()),
        Value("b", size_of::<f64>()),
    ],
);

pub(super) const PORT: Signature = signature(
    "dgtd_port",
    &[
        Input("before"),
        Output("now"),
        Output("residual"),
        Input("lift"),
        Input("gaps"),
        Input("starts"),
        Value("s", size_of::<abi::DgtdPort>()),
    ],
);
pub(super) const TERMINALS: Signature = signature(
    "dgtd_terminals",
    &[
        Input("now"),
        Input("gaps"),
        Input("wavenumbers"),
        Output("sums"),
        Value("count", size_of::<u32>()),
        Value("frequencies", size_of::<u32>()),
        Value("s", size_of::<abi::DgtdPort>()),
    ],
);

pub(super) const POLES: Signature = signature(
    "dgtd_poles",
    &[
        Input("before"),
        Output("now"),
        Output("residual"),
        Input("places"),
        Input("rates"),
        Output("polarised"),
        Value("count", size_of::<u32>()),
        Value("poles", size_of::<u32>()),
        Value("a", size_of::<f64>()),
        Value("b", size_of::<f64>()),
        Value("dt", size_of::<f64>()),
    ],
);

pub(super) const ENERGY: Signature =
    signature("dgtd_energy", &[Input("now"), Input("mass"), Input("scales"), Output("energies")]);
