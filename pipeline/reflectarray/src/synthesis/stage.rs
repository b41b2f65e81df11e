//! What stages do, and the usual ones.

use super::super::mask::Mask;
use super::super::objective::{Masks, Objective, Over, SoftMinimum};
use serde::{Deserialize, Serialize};

/// How a design is judged on its way; its word in files is `max-min`, `functional` or `projections`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The soft minimum of margins, and the mean.
    #[default]
    MaxMin,
    /// Eqs 17 and 18 of directivities: the distance to absolute levels.
    Functional,
    /// Iterated projections onto absolute levels, the paper's comparison.
    Projections,
}

/// The power that what is judged is over; its word in files is `radiated` or `incident`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    /// What is radiated: directivity.
    #[default]
    Radiated,
    /// What reaches the elements of the regular grid: gain, [`budget`](super::super::budget).
    Incident,
}

/// A global search (MLSL) of a stage's unknowns in a box, from an aperture in phase towards the middle of the coverages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Global {
    /// Samples of a level.
    pub samples: usize,
    /// Levels at most.
    pub levels: usize,
    /// Local searches at most.
    pub searches: usize,
    /// Coefficients of Zernike's polynomials go so far either way, rad.
    pub range: f64,
    /// Nodes of positions go so far either way, wavelengths.
    pub shift: f64,
    /// Of the samples.
    pub seed: u64,
}

/// What one stage may change, how far it goes, and how many designs it keeps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stage {
    /// Name in reports.
    pub name: String,
    /// Order of Zernike's polynomials for the phases; every phase by itself where there is none.
    pub zernike: Option<usize>,
    /// Nodes of the map of positions along each axis; elements stay where it is 0 or no spacing is given.
    pub nodes: usize,
    /// p of the soft minimum.
    pub sharpness: f64,
    /// Most iterations.
    pub iterations: usize,
    /// What the penalty of the spacing counts for.
    pub penalty: f64,
    /// Designs that go on.
    pub keep: usize,
    /// What is minimised.
    pub method: Method,
    /// Of directivities or of gains.
    pub power: Power,
    /// A global search beside the local ones from the designs so far.
    pub global: Option<Global>,
}

impl Stage {
    fn phases(name: &str, sharpness: f64, iterations: usize, keep: usize) -> Self {
        Self { name: name.into(), sharpness, iterations, keep, ..Self::default() }
    }

    /// What is minimised over a mask; `mean` is mu, `incident` the power that reaches the elements.
    pub(super) fn objective(
        &self,
        mask: &Mask,
        mean: f64,
        incident: impl FnOnce() -> f64,
    ) -> Box<dyn Objective> {
        let inner: Box<dyn Objective> = match self.method {
            Method::MaxMin => Box::new(SoftMinimum::new(mask, mean, self.sharpness)),
            Method::Functional | Method::Projections => Box::new(Masks::new(mask, 0.0)),
        };
        match self.power {
            Power::Radiated => inner,
            Power::Incident => Box::new(Over { inner, power: incident() }),
        }
    }

    /// What five iterations in a row must gain: as ln D, 4e-6 dB each; of a functional that tends to zero, less.
    pub(super) fn gain(&self) -> f64 {
        match self.method {
            Method::MaxMin => 1e-6,
            Method::Functional | Method::Projections => 1e-9,
        }
    }

    /// About how long it takes, in iterations, and the part of it that is local.
    pub(super) fn work(&self) -> (f64, f64) {
        let local = self.iterations as f64;
        // A batch of samples is about an iteration of all starts.
        let global = self.global.map_or(0.0, |global| global.evaluations(self.iterations) / BATCH as f64);
        (local + global, local / (local + global))
    }

    fn positions(
        name: &str,
        nodes: usize,
        sharpness: f64,
        iterations: usize,
        penalty: f64,
        keep: usize,
    ) -> Self {
        Self { nodes, penalty, ..Self::phases(name, sharpness, iterations, keep) }
    }
}

/// Samples that are evaluated together.
pub(super) const BATCH: usize = 16;

impl Global {
    /// At most about so many: half of the samples look midway, and a search takes a trial or so an iteration.
    pub(super) fn evaluations(&self, iterations: usize) -> f64 {
        1.5 * self.samples as f64 * self.levels as f64 + self.searches as f64 * iterations as f64
    }
}

/// The usual stages of a method.
pub fn usual(method: Method, moving: bool) -> Vec<Stage> {
    match method {
        Method::MaxMin if moving => aperiodic(),
        Method::MaxMin => periodic(),
        Method::Functional => functional(moving),
        Method::Projections => {
            vec![Stage { method, ..Stage::phases("iterated projections", 0.0, 1000, 1) }]
        }
    }
}

/// Unknowns and starts as those of the soft minimum; levels are what they are from the beginning.
fn functional(moving: bool) -> Vec<Stage> {
    let mut stages = vec![
        Stage { zernike: Some(3), ..Stage::phases("Zernike phases", 0.0, 20, usize::MAX) },
        Stage::phases("phases, all starts", 0.0, 100, 4),
        Stage::phases("phases, best four", 0.0, 200, 2),
    ];
    if moving {
        stages.extend([
            Stage::positions("positions, 3 nodes", 3, 0.0, 80, 1e1, 2),
            Stage::positions("positions, 5 nodes", 5, 0.0, 120, 1e2, 2),
            Stage::positions("positions, 9 nodes", 9, 0.0, 400, 1e3, 1),
        ]);
    } else {
        stages.push(Stage::phases("phases, best two", 0.0, 600, 1));
    }
    stages.into_iter().map(|stage| Stage { method: Method::Functional, ..stage }).collect()
}

/// For elements that stay.
pub fn periodic() -> Vec<Stage> {
    let zernike =
        |order, keep| Stage { zernike: Some(order), ..Stage::phases("Zernike phases", 2.0, 20, keep) };
    vec![
        zernike(3, usize::MAX),
        Stage::phases("phases, p = 2", 2.0, 60, usize::MAX),
        Stage::phases("phases, p = 6", 6.0, 80, 4),
        Stage::phases("phases, p = 20", 20.0, 150, 2),
        Stage::phases("phases, p = 60", 60.0, 250, 2),
        Stage::phases("phases, p = 200", 200.0, 400, 1),
    ]
}

/// For elements that move within limits.
pub fn aperiodic() -> Vec<Stage> {
    let mut stages = periodic();
    stages.truncate(4);
    stages.extend([
        Stage::positions("positions, 3 nodes", 3, 20.0, 80, 1e1, 2),
        Stage::positions("positions, 5 nodes", 5, 20.0, 120, 1e2, 2),
        Stage::positions("positions, 9 nodes", 9, 60.0, 200, 1e2, 2),
        Stage::positions("refinement", 9, 200.0, 300, 1e3, 1),
    ]);
    stages
}

/// From a finished design to one with another trade of mean for minimum; `nodes` as in [`Stage`].
pub fn trade(nodes: usize) -> Vec<Stage> {
    vec![
        Stage::positions("trade, p = 20", nodes, 20.0, 100, 1e2, 1),
        Stage::positions("trade, p = 60", nodes, 60.0, 200, 1e2, 1),
        Stage::positions("trade, p = 200", nodes, 200.0, 300, 1e3, 1),
    ]
}
