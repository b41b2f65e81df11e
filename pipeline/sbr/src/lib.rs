//! Radar cross-sections by shooting and bouncing rays: geometrical optics through all reflections, physical
//! optics where tubes of rays leave the target.
//!
//! # Formulas
//! ```text
//! E_i       = e exp(jk s_i.r)                                 plane wave from the direction s_i                launch
//! k_r       = k_i - 2 (n.k_i) n                               at each bounce                                   path
//! E_r       = -E + 2 (n.E) n                                  perfect conductor; else Fresnel                  po, material
//! E_p       = -jk/(4 pi) sum over tubes of n.[ (k_r x E) x p + (s x p) x E ] I                                 po
//! I         = exp(-jk (path - s.r)) |U x V| sinc(k (s - k_r).U/2) sinc(k (s - k_r).V/2)                        po
//! S_pq      = sqrt(4 pi) E_p for e = q,   sigma_pq = |S_pq|^2                                                  field
//! ```
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | s_i, s | unit vectors from the target to transmitter and receiver | 1 |
//! | k, k_i, k_r | wavenumber; directions before and after a bounce | rad/m, 1 |
//! | n | normal of a facet, on the side of the ray | 1 |
//! | e, p, q | polarisations: v is theta-hat, h is phi-hat, at the radar | 1 |
//! | U, V | sides of the footprint of a tube on its last facet | m |
//! | r, path | last reflection of the centre of a tube; length of its path to there | m |
//! | S_pq | scattering matrix, received p, transmitted q | m |
//! | sigma | radar cross-section; in files dBsm | m^2 |
//!
//! Phases have the origin of coordinates as reference: a target moved by d has exp(jk (s_i + s).d) times the
//! fields.
//!
//! # Terms
//! | term | meaning |
//! |---|---|
//! | facet | a triangle with an area |
//! | tube | a square cell of the launch grid, traced by the ray at its centre and those at its corners |
//! | cell | a tube, or a quarter of one, of a quarter, and so on |
//! | way | the facets that a ray hits, in order (`pieces`) |
//! | piece | the part of a cell whose rays go one way |
//! | border | an open edge of the mesh, or one whose faces turn by more than a limit |
//! | turning | a vertex at which borders change direction (`vertices`) |
//! | seed | a ray just inside a corner of a border that no ray of a cell would hit |
//! | wedge | an edge that diffracts, with its two faces |
//!
//! # Validity
//! Facets of several wavelengths, radii of curvature above a wavelength. Shadows have sharp edges, and
//! nothing creeps round a surface. Only the last bounce radiates, in all directions, whatever lies in the
//! way, as in the paper. Normals need not be consistent: a surface is lit on the side that the ray hits.
//!
//! # Cost
//! One ray a tube and one more for corners, (size/lambda tubes)^2 of them for a direction of incidence, each
//! through a tree of log2 N steps; frequencies and observations cost a few dozen operations a tube. Memory:
//! tree, facets and edges, at most 210 bytes a triangle (258 up to 200 000 triangles), twice that while they
//! are made (`cargo xtask measure-sbr-large`), and the sums of 16 to 256 tiles, 64 MiB in all unless 16
//! results have more.
//!
//! # References
//! Tao, Lin and Bao, GPU-based shooting and bouncing ray method for fast RCS prediction, IEEE Trans. Antennas
//! Propag. 58, 494 (2010) (the paper); Johansen, IEEE Trans. Antennas Propag. 44, 989 (1996), for edges;
//! Ling, Chou and Lee, IEEE Trans. Antennas Propag. 37, 194 (1989); Gordon, IEEE Trans. Antennas Propag. 23,
//! 590 (1975). Mathematics: `docs/math/sbr.md`.
//!
//! # What differs from the paper
//! - Tubes whose corners part are cut into the pieces that go one way each (`pieces`) or quartered, not
//!   dropped (`tile`), and so are those that a corner of the target reaches into (`vertices`). The
//!   paper's rule is there, too ([`Rule`]).
//! - The launch grid is turned about the line of sight, so that the errors at parallel edges cancel.
//! - Phases are in double precision, and one trace serves all frequencies.
//! - A bounding volume hierarchy stands beside the kd-tree with ropes.
//!
//! # Reading order
//! [`settings`], `direction`, `facets`, `field`; [`cast`]: rays and trees; `launch`, `path`,
//! `ahead`, `tube`; `po`, [`material`], [`material_file`]; [`reference`](mod@reference);
//! `edges`, `wedge`; `sum`, `polygon`, `pieces`, `vertices`, `tile`; `design`: the prepared
//! target; `response`, [`cpu`], [`cuda`]; [`files`], [`image`].
#![forbid(unsafe_code)]

mod ahead;
pub mod cast;
pub mod cpu;
pub mod cuda;
mod design;
mod direction;
mod edges;
mod error;
mod facets;
mod field;
pub mod files;
pub mod image;
mod launch;
pub mod material;
pub mod material_file;
mod path;
mod pieces;
mod po;
mod polygon;
pub mod reference;
mod response;
pub mod settings;
mod sum;
#[cfg(test)]
mod tests;
mod tile;
mod tube;
mod vertices;
mod wedge;

pub use design::Target;
pub use direction::Direction;
pub use error::Error;
pub use facets::Facets;
pub use field::{Matrix, dbsm, wavenumber};
pub use launch::Launch;
pub use material::Material;
pub use path::Counts;
pub use response::{Contribution, Contributions, Response, Watch};
pub use settings::{Edges, Rule, Settings, Structure};

use kernels::Device;
use std::sync::Arc;

/// A target on the device that was chosen when the plan was made.
pub enum Plan {
    /// All cores of the current rayon pool.
    Cpu(cpu::Plan),
    /// A GPU.
    Cuda(Box<cuda::Plan>),
}

impl Plan {
    /// A plan for the CPU.
    pub fn on_cpu(target: impl Into<Arc<Target>>) -> Self {
        Self::Cpu(cpu::Plan::new(target))
    }

    /// A plan for a GPU.
    pub fn on_cuda(device: &Device, target: impl Into<Arc<Target>>) -> Result<Self, Error> {
        Ok(Self::Cuda(Box::new(cuda::Plan::new(device, target)?)))
    }

    /// The target.
    pub fn target(&self) -> &Arc<Target> {
        match self {
            Self::Cpu(plan) => plan.target(),
            Self::Cuda(plan) => plan.target(),
        }
    }

    /// Figures of the tree that rays traverse, by their names.
    pub fn tree(&self) -> Vec<(&'static str, usize)> {
        match self {
            Self::Cpu(plan) => plan.tree(),
            Self::Cuda(plan) => plan.tree(),
        }
    }

    /// Directions of incidence that [`Self::monostatic`] should get at once.
    pub fn directions_at_once(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            Self::Cuda(_) => cuda::DIRECTIONS_AT_ONCE,
        }
    }

    /// What a wave from each direction sends back there, at all frequencies.
    pub fn monostatic(
        &mut self,
        directions: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Response>, Error> {
        let plan = match self {
            Self::Cpu(plan) => plan,
            Self::Cuda(plan) => return plan.monostatic(directions, watch),
        };
        let count = directions.len();
        let one = |(index, direction): (usize, &Direction)| {
            plan.execute(*direction, &[*direction], &mut |done, all| watch(index * all + done, count * all))
        };
        directions.iter().enumerate().map(one).collect()
    }

    /// What a wave from `incidence` sends towards all `observations`, at all frequencies.
    pub fn execute(
        &mut self,
        incidence: Direction,
        observations: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Response, Error> {
        match self {
            Self::Cpu(plan) => plan.execute(incidence, observations, watch),
            Self::Cuda(plan) => plan.execute(incidence, observations, watch),
        }
    }

    /// What each facet adds to an echo, see [`cpu::Plan::contributions`]: always on the CPU.
    pub fn contributions(
        &self,
        incidence: Direction,
        observation: Direction,
        frequency: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Contributions, Error> {
        cpu::Plan::new(self.target().clone()).contributions(incidence, observation, frequency, watch)
    }
}
