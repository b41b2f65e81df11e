//! Radar cross-sections by shooting and bouncing rays: geometrical optics through all reflections, physical optics where tubes of rays leave
//! the target.
//!
//! # Formulas
//! ```text
//! E_i       = e exp(jk s_i.r)                                 plane wave from the direction s_i                design::Launch
//! k_r       = k_i - 2 (n.k_i) n                               at each bounce                                   tube::Tracer
//! E_r       = -E + 2 (n.E) n                                  perfect conductor; else Fresnel                  po, material
//! E_p       = -jk/(4 pi) sum over tubes of n.[ (k_r x E) x p + (s x p) x E ] I                                 po
//! I         = exp(-jk (path - s.r)) |U x V| sinc(k (s - k_r).U/2) sinc(k (s - k_r).V/2)                        po::Footprint
//! S_pq      = sqrt(4 pi) E_p for e = q,   sigma_pq = |S_pq|^2
//! ```
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | s_i, s | unit vectors from the target to transmitter and receiver | 1 |
//! | k, k_i, k_r | wavenumber; directions before and after a bounce | rad/m, 1 |
//! | n | normal of a facet, on the side of the ray | 1 |
//! | e, p, q | polarisations: v is theta-hat, h is phi-hat, at the radar | 1 |
//! | U, V | sides of what a tube covers of its last facet | m |
//! | r, path | where the centre of a tube is reflected last; its way there | m |
//! | S_pq | scattering matrix, received p, transmitted q | m |
//! | sigma | radar cross-section; in files dBsm | m^2 |
//!
//! Phases have the origin of coordinates as reference: a target moved by d has exp(jk (s_i + s).d) times the fields.
//!
//! # Validity
//! Facets of several wavelengths, radii of curvature above a wavelength. Shadows have sharp edges, and nothing creeps round a surface. Only the last
//! bounce radiates, in all directions, and what would lie in its way is not asked for, as in the paper. Normals need not be consistent: a surface is lit on the side that the ray sees.
//!
//! # Cost
//! One ray a tube, one more for corners, (size/lambda tubes)^2 of them for a direction of incidence, each through a tree of log2 N steps;
//! frequencies and observations cost a few dozen operations a tube. Memory: tree, facets and edges, at most 210 bytes a triangle (258 up to 200 000 triangles), twice that while
//! they are made (`cargo xtask measure-sbr-large`), and the sums of 16 to 256 tiles, 64 MiB in all unless 16 results have more.
//!
//! # References
//! Tao, Lin and Bao, GPU-based shooting and bouncing ray method for fast RCS prediction, IEEE Trans. Antennas Propag. 58, 494 (2010) (the paper);
//! Johansen, IEEE Trans. Antennas Propag. 44, 989 (1996), for edges;
//! Ling, Chou and Lee, IEEE Trans. Antennas Propag. 37, 194 (1989); Gordon, IEEE Trans. Antennas Propag. 23, 590 (1975).
//! Mathematics: `docs/math/sbr.md`.
//!
//! # What differs from the paper
//! - Tubes whose corners part are cut into the pieces that go one way each ([`pieces`]) or quartered, not dropped ([`tile`]), and so are those that a corner of the target reaches into ([`vertices`]). The paper's rule is there, too ([`Rule`]).
//! - The launch grid is turned about the line of sight, so that what errors are left at parallel edges cancel.
//! - Phases are in double precision, and one trace serves all frequencies.
//! - A hierarchy of boxes stands beside the kd-tree with ropes.
//!
//! # Reading order
//! [`settings`], [`direction`], [`facets`], [`ray`]; [`reference`](mod@reference); [`bvh`], [`walk`], [`rays`], [`wide`], [`block`], [`before`], [`outlook`], [`bounds`], [`beam`], `sieve`, `lanes`, [`kdtree`], [`ropes`], [`standard`]; [`design`], [`tube`], [`ahead`](mod@ahead), [`po`], [`material`], [`material_file`]; [`edges`], [`wedge`]; [`sum`], [`polygon`], [`pieces`](mod@pieces), [`vertices`], [`tile`], [`cpu`], [`cuda`]; [`files`], [`image`].
#![forbid(unsafe_code)]

pub mod ahead;
pub mod beam;
pub mod before;
pub mod block;
pub mod bounds;
pub mod bvh;
pub mod cpu;
pub mod cuda;
pub mod design;
pub mod direction;
pub mod edges;
mod error;
pub mod facets;
pub mod files;
pub mod image;
pub mod kdtree;
mod lanes;
pub mod material;
pub mod material_file;
pub mod outlook;
pub mod pieces;
pub mod po;
pub mod polygon;
pub mod ray;
pub mod rays;
pub mod reference;
pub mod ropes;
pub mod settings;
mod sieve;
pub mod standard;
pub mod sum;
#[cfg(test)]
mod tests;
pub mod tile;
pub mod tube;
pub mod vertices;
pub mod walk;
pub mod wedge;
pub mod wide;

pub use cpu::{Contribution, Contributions, Plan, Response};
pub use direction::Direction;
pub use error::Error;
pub use material::Material;
pub use po::Matrix;
pub use settings::{Edges, Rule, Settings, Structure};

use num_complex::Complex;

/// m/s
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// 2 pi f/c, rad/m.
pub fn wavenumber(frequency: f64) -> f64 {
    std::f64::consts::TAU * frequency / SPEED_OF_LIGHT
}

/// sqrt(4 pi) times the factor of the radiation integral.
fn scale(k: f64) -> Complex<f64> {
    let four_pi = 4.0 * std::f64::consts::PI;
    Complex::new(0.0, -k / four_pi.sqrt())
}

/// Radar cross-section of an entry of a scattering matrix, dBsm.
pub fn dbsm(entry: Complex<f64>) -> f64 {
    10.0 * entry.norm_sqr().log10()
}
