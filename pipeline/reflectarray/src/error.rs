//! What a synthesis can refuse.

use numerics::failure::{Failure, Kind};
use thiserror::Error as ThisError;

/// What a model, a mask or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// A card or its driver.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// Something that only the CPU does.
    #[error("a card does not compute {what}: use the CPU (--device cpu)")]
    NotOnCard {
        /// What was asked for.
        what: &'static str,
    },
    /// Not a positive number.
    #[error("frequency {frequency} Hz: it must be positive and finite")]
    Frequency {
        /// What was given, Hz.
        frequency: f64,
    },
    /// A feed that lights nothing.
    #[error(
        "feed at {position:?} m that looks at {aim:?} m with exponent {exponent}: it must lie above the aperture (z > 0), look elsewhere than at itself, and have an exponent of 0 or more"
    )]
    Feed {
        /// Phase centre, m.
        position: [f64; 3],
        /// What it looks at, m.
        aim: [f64; 3],
        /// m.
        exponent: f64,
    },
    /// An element pattern that has no power.
    #[error("element pattern cos^{exponent}: the exponent must be 0 or more")]
    Pattern {
        /// q.
        exponent: f64,
    },
    /// Starts that are no whole number of points.
    #[error(
        "starts of {given} numbers for {unknowns} unknowns: it must be a multiple, and there must be unknowns"
    )]
    Starts {
        /// Numbers given.
        given: usize,
        /// Unknowns of a start.
        unknowns: usize,
    },
    /// An array of the wrong length.
    #[error("{what} has {given} values, and {needed} are needed")]
    Length {
        /// Which.
        what: &'static str,
        /// Its length.
        given: usize,
        /// Right one.
        needed: usize,
    },
    /// A scattering table that is none.
    #[error(
        "scattering table of {phases} phases, {angles} angles, {co} co-polar and {cross} cross-polar values: it needs three phases or more that rise within one turn, angles that rise, and a finite value of both polarisations for each pair"
    )]
    Scattering {
        /// Number of phases.
        phases: usize,
        /// Number of angles.
        angles: usize,
        /// Number of co-polar values.
        co: usize,
        /// Number of cross-polar values.
        cross: usize,
    },
    /// An element where none can be.
    #[error("element {index} at ({x}, {y}) m: it must be a number and lie within {reach:?} m of the centre")]
    Position {
        /// Number of the element.
        index: usize,
        /// x, m.
        x: f64,
        /// y, m.
        y: f64,
        /// Farthest x and y of the plan, m.
        reach: [f64; 2],
    },
    /// A direction that is none.
    #[error("direction {index}, u {u}, v {v}: u^2 + v^2 must be below 1")]
    Direction {
        /// Number of the direction.
        index: usize,
        /// u.
        u: f64,
        /// v.
        v: f64,
    },
    /// No elements or no directions.
    #[error("{elements} elements and {directions} directions: both must be there")]
    Empty {
        /// Number of elements.
        elements: usize,
        /// Number of directions.
        directions: usize,
    },
    /// The transform.
    #[error(transparent)]
    Nufft(#[from] nufft::Error),
    /// Positions that were tabulated by another plan.
    #[error("positions of another plan")]
    Places,
    /// Elements too near or too far from each other.
    #[error(
        "elements are {least} m apart at least and neighbours {greatest} m at most; the limits are {min} m and {max} m"
    )]
    Spacing {
        /// Least distance of any two, m.
        least: f64,
        /// Greatest distance of neighbours, m.
        greatest: f64,
        /// Least allowed, m.
        min: f64,
        /// Greatest allowed, m.
        max: f64,
    },
    /// A region without meaning.
    #[error(
        "region {name}: {interior} samples inside, least {lower_dbi:?} dBi, greatest {upper_dbi:?} dBi, weight {weight}: a coverage needs samples inside, levels must be numbers in order, and the weight positive"
    )]
    Region {
        /// Its name.
        name: String,
        /// Samples that are not on the boundary.
        interior: usize,
        /// Least directivity, dBi.
        lower_dbi: Option<f64>,
        /// Greatest directivity, dBi.
        upper_dbi: Option<f64>,
        /// What it counts for.
        weight: f64,
    },
    /// Nothing to cover.
    #[error("no region has a least directivity: there is nothing to cover")]
    NoCoverage,
    /// More power than there is.
    #[error(
        "infeasible: the least directivities take {share:.3} of all power, {over_db:.2} dB too much; over {solid_angle:.3e} sr no antenna has a mean above 4 pi/solid angle, {bound_dbi:.2} dBi"
    )]
    Infeasible {
        /// Part of the power that is asked for.
        share: f64,
        /// The same, dB.
        over_db: f64,
        /// Solid angle of all coverages, sr.
        solid_angle: f64,
        /// 4 pi/solid angle, dBi.
        bound_dbi: f64,
    },
    /// A weight without meaning.
    #[error("weight {weight} of the {what}: a band's must be positive, the mean's from 0 to 1")]
    Weight {
        /// Of what.
        what: &'static str,
        /// What was given.
        weight: f64,
    },
    /// A feed that lights no element.
    #[error(
        "feed at {position:?} m that looks at {aim:?} m with exponent {exponent}: no light reaches any of the {elements} elements"
    )]
    Dark {
        /// Phase centre, m.
        position: [f64; 3],
        /// What it looks at, m.
        aim: [f64; 3],
        /// m.
        exponent: f64,
        /// How many there are.
        elements: usize,
    },
    /// A global search that cannot be.
    #[error(transparent)]
    Search(#[from] super::mlsl::Wrong),
    /// Not a distance.
    #[error("pitch of {pitch} m: it must be positive and finite")]
    Pitch {
        /// What was given, m.
        pitch: f64,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Card(error) => error.kind(),
            Self::Nufft(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
