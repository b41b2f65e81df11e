//! What is computed, and how.

use super::error::{Error, MOST_BOUNCES, MOST_SPLITS};
use numerics::constants::SPEED_OF_LIGHT;

/// The tree that rays walk through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structure {
    /// Bounding volume hierarchy.
    #[default]
    Bvh,
    /// kd-tree with ropes, as in the paper.
    KdTree,
}

/// What happens to a tube whose corners do not go the way of its centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// No area is lost: a tube whose corners disagree is cut into the pieces that go one way each, or
    /// quartered, up to so many times.
    Footprint {
        /// Most halvings of the sides; with 0, tubes are neither cut nor quartered, and centres count for the
        /// whole.
        splits: u32,
    },
    /// The paper's: the tube is dropped unless all corners end on one triangle.
    Discard,
}

/// What edges add.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Edges {
    /// Nothing.
    #[default]
    None,
    /// Incremental length diffraction, see `wedge`.
    Ildc {
        /// Edges whose faces turn by less than this are a smooth surface that was cut into facets, rad.
        least_turn: f64,
    },
}

/// [`Edges::Ildc`] unless told otherwise, rad: best for the EMCC almond of 2000 to 3600 facets at 3.5 and
/// 7 GHz. A coarser mesh wants more and a finer one less, where its round rim has a radius of a tenth of a
/// wavelength. True edges of machines turn by far more, those of a sphere's even facets by their length over
/// 1.7 radii.
pub const LEAST_TURN: f64 = 0.2;

impl Edges {
    /// Least turn of what counts as an edge, rad.
    pub fn least_turn(&self) -> f64 {
        match self {
            Self::None => LEAST_TURN,
            Self::Ildc { least_turn } => *least_turn,
        }
    }
}

/// Settings of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Hz.
    pub frequencies: Vec<f64>,
    /// Most bounces of a ray; one that would have more radiates from its last.
    pub bounces: usize,
    /// Tubes along the shortest wavelength.
    pub tubes_per_wavelength: f64,
    /// What rays walk through.
    pub structure: Structure,
    /// What happens to tubes that part.
    pub rule: Rule,
    /// Turn of the launch grid about the line of sight, rad.
    pub rotation: f64,
    /// What edges add.
    pub edges: Edges,
}

/// Turn of the launch grid unless told otherwise, rad. Edges of targets are often parallel to each other and
/// to the axes; a grid along them samples all of an edge with the same error, one across them with errors
/// that cancel. 0.37 is far from all simple fractions of a turn.
pub const ROTATION: f64 = 0.37;

impl Settings {
    /// Five bounces, ten tubes a wavelength, a hierarchy of boxes, and tubes that are cut, or quartered up to
    /// three times.
    pub fn new(frequencies: Vec<f64>) -> Self {
        Self {
            frequencies,
            bounces: 5,
            tubes_per_wavelength: 10.0,
            structure: Structure::Bvh,
            rule: Rule::Footprint { splits: 3 },
            rotation: ROTATION,
            edges: Edges::None,
        }
    }

    /// Refuses what cannot be computed.
    pub fn validate(&self) -> Result<(), Error> {
        let wrong = |frequency: &&f64| !(**frequency > 0.0 && frequency.is_finite());
        if let Some(frequency) = self.frequencies.iter().find(wrong) {
            return Err(Error::Frequency(*frequency));
        }
        if self.frequencies.is_empty() {
            return Err(Error::Frequency(f64::NAN));
        }
        if !(1..=MOST_BOUNCES).contains(&self.bounces) {
            return Err(Error::Bounces(self.bounces));
        }
        if !(self.tubes_per_wavelength > 0.0 && self.tubes_per_wavelength.is_finite()) {
            return Err(Error::Tubes(self.tubes_per_wavelength));
        }
        match self.rule {
            Rule::Footprint { splits } if splits > MOST_SPLITS => Err(Error::Splits(splits)),
            _ => Ok(()),
        }
    }

    /// The shortest wavelength, m.
    pub fn shortest_wavelength(&self) -> f64 {
        SPEED_OF_LIGHT / self.frequencies.iter().fold(0.0, |a: f64, b| a.max(*b))
    }

    /// Side of a tube, m.
    pub fn cell(&self) -> f64 {
        self.shortest_wavelength() / self.tubes_per_wavelength
    }
}
