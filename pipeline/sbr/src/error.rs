//! What a computation can be refused for.

use numerics::failure::{Failure, Kind};

/// Most bounces of a ray.
pub const MOST_BOUNCES: usize = 64;
/// Most halvings of a tube's sides.
pub const MOST_SPLITS: u32 = 8;
/// Most tubes along a side of the launch grid.
pub const MOST_TUBES: u64 = 1 << 22;

/// What a plan can refuse.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The mesh.
    #[error(transparent)]
    Mesh(#[from] mesh::Error),
    /// The card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// What only the processor does.
    #[error("a card does not compute {0}: use the CPU (--device cpu)")]
    NotOnCard(&'static str),
    /// Nothing that a ray can hit.
    #[error(
        "{triangles} triangles within {radius} m of their middle: at least one must have an area, and the target must be larger than 1e-12 m and smaller than 1e12 m"
    )]
    NoSurface {
        /// Triangles given.
        triangles: usize,
        /// Radius of the target, m.
        radius: f64,
    },
    /// A frequency that is not positive and finite, Hz; NaN where there is none at all.
    #[error("frequency {0} Hz: there must be at least one, all positive and finite")]
    Frequency(f64),
    /// No bounce, or too many.
    #[error("{0} bounces: from 1 to {MOST_BOUNCES}")]
    Bounces(usize),
    /// Tubes that are no size.
    #[error("{0} tubes a wavelength: it must be positive and finite")]
    Tubes(f64),
    /// Tubes that were split too often.
    #[error("tubes split {0} times: at most {MOST_SPLITS}")]
    Splits(u32),
    /// More tubes than one would wait for.
    #[error(
        "{columns} x {rows} tubes of {cell} m: at most {} along a side; take a lower frequency or fewer tubes a wavelength",
        MOST_TUBES
    )]
    TooManyTubes {
        /// Along one side.
        columns: f64,
        /// Along the other.
        rows: f64,
        /// Side of a tube, m.
        cell: f64,
    },
    /// A direction that is none.
    #[error("direction theta {theta} rad, phi {phi} rad: both must be finite")]
    Direction {
        /// From z, rad.
        theta: f64,
        /// From x towards y, rad.
        phi: f64,
    },
    /// Nowhere to look from.
    #[error("no direction of observation")]
    NoObservation,
    /// A group of the mesh that has no material.
    #[error("group {group} of the mesh has no material: there are {materials}")]
    Material {
        /// Number of the group.
        group: u32,
        /// Materials given.
        materials: usize,
    },
    /// A material that makes energy, or none.
    #[error("material {material}: {reason}")]
    BadMaterial {
        /// Number of the material.
        material: usize,
        /// What is wrong.
        reason: String,
    },
    /// Fields of which no image can be made: what is missing.
    #[error("no image: {0}")]
    Image(String),
    /// The user stopped it.
    #[error("stopped after {done} of {total} parts")]
    Stopped {
        /// Parts finished.
        done: usize,
        /// All parts.
        total: usize,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Mesh(error) => error.kind(),
            Self::Card(error) => error.kind(),
            Self::Stopped { .. } => Kind::Interrupted,
            _ => Kind::Input,
        }
    }
}
