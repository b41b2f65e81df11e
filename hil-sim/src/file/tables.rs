//! The tables of a scene file as they are written. What they mean is in [`super::resolve`].

use std::path::PathBuf;

use files::case::Placed;
use num_complex::Complex;
use serde::Deserialize;

use crate::clock::Clock;
use crate::link::Rates;
use crate::units::complex;
use crate::{Array, Source};

/// A scene file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneTables {
    pub bit_rate_hz: Option<f64>,
    pub seed: Option<u64>,
    pub include: Option<Placed<String>>,
    pub array: Option<Placed<ArrayTable>>,
    pub microphones: Option<Placed<MicrophonesTable>>,
    #[serde(default)]
    pub line: Vec<Placed<LineTable>>,
    #[serde(default)]
    pub moving: Vec<Placed<MovingTable>>,
    #[serde(default)]
    pub noise: Vec<Placed<NoiseTable>>,
    #[serde(default)]
    pub field: Vec<Placed<FieldTable>>,
    #[serde(default)]
    pub fault: Vec<Placed<FaultTable>>,
    pub clock: Option<Placed<Clock>>,
    pub link: Option<Placed<Rates>>,
}

/// A file of faults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultsTables {
    #[serde(default)]
    pub fault: Vec<Placed<FaultTable>>,
    pub clock: Option<Placed<Clock>>,
    pub link: Option<Placed<Rates>>,
}

/// `[array]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArrayTable {
    pub rows: u16,
    pub cols: u16,
    pub tile_side: u16,
    pub pitch_m: f64,
    pub standoff_m: f64,
}

impl Default for ArrayTable {
    fn default() -> Self {
        let Array { layout, pitch, standoff } = Array::CAMERA;
        let (rows, cols, tile_side) = (layout.rows(), layout.cols(), layout.tile_side());
        Self { rows, cols, tile_side, pitch_m: pitch, standoff_m: standoff }
    }
}

/// `[microphones]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MicrophonesTable {
    pub ideal: bool,
    pub gain_spread_db: Option<f64>,
    pub phase_spread_deg: Option<f64>,
    pub offset_spread_fs: Option<f64>,
    pub snr_db: Option<f64>,
    pub overload_pa: Option<f64>,
}

/// `[[line]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineTable {
    pub frequency_hz: f64,
    #[serde(default)]
    pub source: Vec<Placed<Source>>,
}

/// `[[moving]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "path", rename_all = "lowercase")]
pub enum MovingTable {
    Straight {
        frequency_hz: f64,
        #[serde(deserialize_with = "complex")]
        amplitude_pa_m: Complex<f64>,
        start_m: [f64; 3],
        velocity_m_s: [f64; 2],
    },
    Circle {
        frequency_hz: f64,
        #[serde(deserialize_with = "complex")]
        amplitude_pa_m: Complex<f64>,
        centre_m: [f64; 3],
        radius_m: f64,
        turns_per_s: f64,
        #[serde(default)]
        start_deg: f64,
    },
}

/// `[[noise]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "lowercase")]
pub enum NoiseTable {
    Point { band_hz: [f64; 2], position_m: [f64; 3], rms_pa_m: f64 },
    Flow { band_hz: [f64; 2], rms_pa: f64 },
}

/// `[[field]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldTable {
    pub file: PathBuf,
    pub array: Option<String>,
    pub index: Option<usize>,
    pub frequency_hz: f64,
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

/// `[[fault]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultTable {
    pub kind: Kind,
    pub microphones: Option<Vec<u32>>,
    pub fraction: Option<f64>,
    #[serde(default)]
    pub from_s: f64,
    pub to_s: Option<f64>,
    pub rms_pa: Option<f64>,
    pub offset_fs: Option<f64>,
    pub gain_db: Option<f64>,
}

/// Kinds of faults.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Idle,
    Zero,
    One,
    Noisy,
    Offset,
    Saturated,
}
