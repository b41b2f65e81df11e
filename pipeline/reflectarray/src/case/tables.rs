//! The fields of `CASE.toml`; `docs/reflectarray.md` explains them.

use crate::layout::Outside;
use crate::synthesis::{Method, Power};
use serde::Deserialize;
use std::path::PathBuf;

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Name of the case.
    pub title: Option<String>,
    /// The elements.
    pub array: ArrayTable,
    /// What lights them.
    pub feed: FeedTable,
    /// What an element does.
    #[serde(default)]
    pub element: ElementTable,
    /// Where the antenna is.
    pub satellite: Option<SatelliteTable>,
    /// Regions to be covered.
    pub coverage: Vec<CoverageTable>,
    /// Regions to be kept quiet.
    #[serde(default)]
    pub isolation: Vec<IsolationTable>,
    /// All the rest.
    pub side_lobes: Option<SideLobesTable>,
    /// Where the directivity is looked at.
    #[serde(default)]
    pub sampling: SamplingTable,
    /// How it is designed.
    #[serde(default)]
    pub synthesis: SynthesisTable,
    /// The drawing.
    pub layout: Option<LayoutTable>,
}

/// `[array]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayTable {
    /// Elements of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Hz.
    pub frequency_hz: Option<f64>,
    /// Several, Hz.
    pub frequencies_hz: Option<Vec<f64>>,
    /// Of the regular grid, m.
    pub pitch_m: Option<f64>,
    /// The same in wavelengths of the first frequency.
    pub pitch_wavelengths: Option<f64>,
    /// Least and greatest distance of neighbours, wavelengths of the first frequency.
    pub spacing_wavelengths: Option<[f64; 2]>,
}

/// `[feed]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedTable {
    /// y of the aperture's centre from below the feed, m.
    pub offset_m: Option<f64>,
    /// Above the aperture, m.
    pub height_m: Option<f64>,
    /// Phase centre instead, m.
    pub position_m: Option<[f64; 3]>,
    /// What it looks at, m.
    pub aim_m: Option<[f64; 3]>,
    /// m of cos^m.
    pub exponent: f64,
}

/// `[element]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ElementTable {
    /// q of the element pattern cos^q.
    pub pattern_exponent: Option<f64>,
    /// Files of S-parameters.
    pub scattering: Option<OneOrMore>,
}

/// One file for all frequencies, or one for each.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// For all.
    One(PathBuf),
    /// For each.
    More(Vec<PathBuf>),
}

/// `[satellite]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SatelliteTable {
    /// Degrees east.
    pub longitude_deg: f64,
    /// Longitude and latitude, degrees.
    pub aim_deg: Option<[f64; 2]>,
    /// By how much the antenna may miss its aim, degrees.
    #[serde(default)]
    pub pointing_error_deg: f64,
}

/// `[[coverage]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageTable {
    /// Its name.
    pub name: String,
    /// Longitudes and latitudes, degrees.
    pub polygon_deg: Option<Vec<[f64; 2]>>,
    /// u and v instead.
    pub polygon_uv: Option<Vec<[f64; 2]>>,
    /// Least directivity, dBi.
    pub min_dbi: Option<f64>,
    /// Greatest directivity, dBi.
    pub max_dbi: Option<f64>,
    /// What it counts for.
    pub weight: Option<f64>,
}

/// `[[isolation]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IsolationTable {
    /// Its name.
    pub name: String,
    /// Longitudes and latitudes, degrees.
    pub polygon_deg: Option<Vec<[f64; 2]>>,
    /// u and v instead.
    pub polygon_uv: Option<Vec<[f64; 2]>>,
    /// Greatest directivity, dBi.
    pub max_dbi: f64,
    /// What it counts for.
    pub weight: Option<f64>,
}

/// `[side_lobes]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideLobesTable {
    /// Greatest directivity, dBi.
    pub max_dbi: f64,
    /// From the coverages, degrees.
    pub gap_deg: f64,
    /// Farthest from the aim, degrees.
    pub reach_deg: Option<f64>,
    /// What they count for.
    pub weight: Option<f64>,
}

/// `[sampling]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SamplingTable {
    /// In u and v.
    pub step: Option<f64>,
}

/// `[synthesis]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SynthesisTable {
    /// How a design is judged.
    pub method: Method,
    /// Directivities or gains.
    pub power: Power,
    /// What the mean counts for beside the least margin.
    pub mean: Option<f64>,
    /// Starts.
    pub starts: Option<usize>,
    /// Stages instead of the usual ones.
    pub stage: Vec<StageTable>,
}

/// `[[synthesis.stage]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageTable {
    /// Its name.
    pub name: String,
    /// Order of Zernike's polynomials; every phase by itself without.
    pub zernike_order: Option<usize>,
    /// Nodes of the map of positions along each axis.
    #[serde(default)]
    pub nodes: usize,
    /// p of the soft minimum.
    pub sharpness: Option<f64>,
    /// Most iterations.
    pub iterations: usize,
    /// What the penalty of the spacing counts for.
    pub penalty: Option<f64>,
    /// Designs that go on.
    pub keep: Option<usize>,
    /// A global search.
    pub global: Option<GlobalTable>,
}

/// `[synthesis.stage.global]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GlobalTable {
    /// Samples of a level.
    pub samples: Option<usize>,
    /// Levels at most.
    pub levels: Option<usize>,
    /// Local searches at most.
    pub searches: Option<usize>,
    /// Of the coefficients, either way, rad.
    pub range_rad: Option<f64>,
    /// Of the nodes, either way, wavelengths of the first frequency.
    pub shift_wavelengths: Option<f64>,
    /// Of the samples.
    pub seed: Option<u64>,
}

/// `[layout]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutTable {
    /// A file of sizes.
    pub table: Option<PathBuf>,
    /// Sizes by a formula instead.
    pub model: Option<PatchTable>,
    /// Added to every phase, degrees.
    #[serde(default)]
    pub offset_deg: f64,
    /// Phases that the table does not have.
    #[serde(default)]
    pub outside: Outside,
    /// Least distance of patches, m.
    pub gap_m: Option<f64>,
    /// From which side the board is seen.
    #[serde(default)]
    pub view: Side,
}

/// Sides of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Towards the Earth.
    #[default]
    Back,
    /// From the feed.
    Front,
}

/// `[layout.model]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchTable {
    /// Height of the slab, m.
    pub height_m: f64,
    /// Its relative permittivity.
    pub permittivity: f64,
}
