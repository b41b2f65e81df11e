//! TOML to a geometry.

use serde::Deserialize;

/// What a file may say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    #[serde(rename = "name")]
    _name: Option<String>,
    pub(super) rows: Option<usize>,
    pub(super) cols: Option<usize>,
    pub(super) pitch_m: Option<f64>,
    #[serde(default)]
    pub(super) missing: Vec<usize>,
    #[serde(default)]
    pub(super) dead: Vec<usize>,
    #[serde(default)]
    pub(super) microphone: Vec<Microphone>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Microphone {
    pub(super) x_m: f64,
    pub(super) y_m: f64,
    #[serde(default)]
    pub(super) z_m: f64,
}
