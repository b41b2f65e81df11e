//! The fields of `CASE.toml`.

use crate::mesh::almond::Almond;
use crate::mesh::helix::Helix;
use crate::mesh::sphere::Sphere;
use crate::settings::Boundary;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Name of the case.
    pub title: Option<String>,
    /// Order of the polynomials, 1 to 8; 3 unless given.
    pub order: Option<usize>,
    /// 1, which is the default, is the upwind flux, 0 the central one.
    pub upwinding: Option<f64>,
    /// How long, s; the longest where `until_energy` is given.
    pub duration_s: f64,
    /// The run ends when its energy has fallen to this part of the largest.
    pub until_energy: Option<f64>,
    /// Part of the longest time step that is known to be stable; 1 unless given, and above 1 the run may fail.
    pub courant: Option<f64>,
    /// Rows of files over time; 1000 unless given.
    pub samples: Option<usize>,
    /// Rows between two snapshots of all fields; none unless given.
    pub snapshot_rows: Option<NonZero<u64>>,
    /// Elements.
    pub mesh: MeshTable,
    /// Media by group; vacuum elsewhere.
    #[serde(default)]
    pub material: Vec<MaterialTable>,
    /// What is at the boundary.
    #[serde(default)]
    pub boundary: BoundaryTable,
    /// The plane wave.
    pub wave: Option<WaveTable>,
    /// Short currents.
    #[serde(default)]
    pub dipole: Vec<DipoleTable>,
    /// A generator between two conductors.
    pub port: Option<PortTable>,
    /// What the run begins with.
    #[serde(default)]
    pub initial: InitialTable,
    /// Matched layers.
    pub upml: Option<UpmlTable>,
    /// Radar cross-sections.
    pub far_field: Option<FarFieldTable>,
    /// Points to look at.
    #[serde(default)]
    pub probe: Vec<ProbeTable>,
}

/// `[mesh]`: a file, a box of equal cells, a sphere, an almond, or a helix.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshTable {
    /// gmsh, 2.2 or 4.1.
    pub file: Option<PathBuf>,
    /// Metres in a unit of the file; 1 unless given.
    pub scale: Option<f64>,
    /// Lower corner of the box.
    pub low_m: Option<[f64; 3]>,
    /// Upper corner.
    pub high_m: Option<[f64; 3]>,
    /// Cells along the axes, six tetrahedra each; sides are the groups x_min to z_max.
    pub cells: Option<[usize; 3]>,
    /// Groups of tetrahedra of the box, by place; later ones go first.
    #[serde(default)]
    pub block: Vec<RegionTable>,
    /// Groups of faces of the box in rectangles between cells; later ones go first.
    #[serde(default)]
    pub sheet: Vec<RegionTable>,
    /// A sphere in a box, without a mesher.
    pub sphere: Option<Sphere>,
    /// The EMCC almond in a box, without a mesher.
    pub almond: Option<Almond>,
    /// A helix of square turns on a ground plane, without a mesher.
    pub helix: Option<Helix>,
}

/// `[[mesh.block]]` and `[[mesh.sheet]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionTable {
    /// Of the group.
    pub name: String,
    /// Lower corner.
    pub low_m: [f64; 3],
    /// Upper corner; that of a sheet has one coordinate of the lower one.
    pub high_m: [f64; 3],
}

/// `[[dipole]]`: a current over a short length.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DipoleTable {
    /// Where.
    pub position_m: [f64; 3],
    /// Current times length.
    pub moment_a_m: [f64; 3],
    /// Hz.
    pub frequency_hz: f64,
    /// As that of `[wave]`.
    pub width_s: Option<f64>,
    /// As that of `[wave]`.
    pub delay_s: Option<f64>,
}

/// `[port]`: a generator of 1 V and its resistance on a sheet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortTable {
    /// Group of faces.
    pub group: String,
    /// From the minus to the plus terminal.
    pub direction: [f64; 3],
    /// Between the terminals.
    pub length_m: f64,
    /// Across that.
    pub width_m: f64,
    /// 50 unless given.
    pub resistance_ohm: Option<f64>,
    /// Hz, of the pulse.
    pub frequency_hz: f64,
    /// The pulse falls to 1/e at this time before and after.
    pub width_s: f64,
    /// When its middle is; 0 unless given.
    pub delay_s: Option<f64>,
    /// First, last, step of the S-parameters.
    pub sweep_hz: [f64; 3],
}

/// `[upml]`: layers between a box and the sides of the mesh.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpmlTable {
    /// Lower corner of the box without layers.
    pub low_m: [f64; 3],
    /// Upper corner.
    pub high_m: [f64; 3],
    /// Degree of the profile; 3 unless given.
    pub degree: Option<f64>,
    /// What would come back at normal incidence, amplitude; 1e-6 unless given.
    pub reflection: Option<f64>,
    /// Wavenumber below which layers absorb less; 0.1 over the longest side of the box unless given.
    pub shift_per_m: Option<f64>,
}

/// `[far_field]`: fields far away of what the Huygens surface of `[wave] total_field` has inside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FarFieldTable {
    /// Hz.
    pub frequencies_hz: Vec<f64>,
    /// Groups of tetrahedra inside the surface, where `[wave] total_field` has none.
    #[serde(default)]
    pub inside: Vec<String>,
    /// First, last, step: from the z axis.
    pub theta_deg: [f64; 3],
    /// First, last, step: from the x axis; 0 alone unless given.
    pub phi_deg: Option<[f64; 3]>,
    /// Planes of symmetry through the origin, by axis: `pec` or `pmc`.
    #[serde(default)]
    pub images: BTreeMap<String, Boundary>,
}

/// `[[material]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// Physical groups of the mesh.
    pub groups: Vec<String>,
    /// Relative; 1 unless given; of a dispersive medium that of high frequencies.
    pub permittivity: Option<f64>,
    /// Relative; 1 unless given.
    pub permeability: Option<f64>,
    /// 0 unless given.
    pub conductivity_s_per_m: Option<f64>,
    /// Relaxations of a dispersive medium.
    #[serde(default)]
    pub debye: Vec<DebyeTable>,
    /// Free charges of one.
    #[serde(default)]
    pub drude: Vec<DrudeTable>,
    /// Resonances of one.
    #[serde(default)]
    pub lorentz: Vec<LorentzTable>,
}

/// `debye` of `[[material]]`: delta_eps/(1 + jw tau) is added to the permittivity.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebyeTable {
    /// Above 0.
    pub delta_eps: f64,
    /// Above 0.
    pub tau_s: f64,
}

/// `drude` of `[[material]]`: -plasma^2/(w^2 - jw collision) is added.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrudeTable {
    /// Above 0.
    pub plasma_rad_per_s: f64,
    /// 0 or above.
    pub collision_per_s: f64,
}

/// `lorentz` of `[[material]]`: delta_eps resonance^2/(resonance^2 + jw damping - w^2) is added.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LorentzTable {
    /// Above 0.
    pub delta_eps: f64,
    /// Above 0.
    pub resonance_rad_per_s: f64,
    /// 0 or above.
    pub damping_per_s: f64,
}

/// `[boundary]`: `pec`, `pmc`, `abc` or `incident`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoundaryTable {
    /// Of faces that are in none of the groups.
    pub outer: Option<Boundary>,
    /// By physical group.
    pub groups: BTreeMap<String, Boundary>,
}

/// `[wave]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaveTable {
    /// Where it goes.
    pub direction: [f64; 3],
    /// Of E.
    pub polarisation: [f64; 3],
    /// Hz.
    pub frequency_hz: f64,
    /// The pulse falls to 1/e at this time before and after; without it, the wave is a sine.
    pub width_s: Option<f64>,
    /// When the middle of the pulse passes the origin; 0 unless given.
    pub delay_s: Option<f64>,
    /// Groups of tetrahedra with the total field; others have the scattered field.
    #[serde(default)]
    pub total_field: Vec<String>,
}

/// `[initial]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InitialTable {
    /// Half waves of a mode of the box along its sides.
    pub mode: Option<[u32; 3]>,
    /// Of the mode; what is along the wavevector is taken away.
    pub amplitude_v_per_m: Option<[f64; 3]>,
}

/// `[[probe]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTable {
    /// Where.
    pub point_m: [f64; 3],
}
