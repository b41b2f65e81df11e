//! What the directivity has to be, and where.

/// Directions with one specification. The first `interior` samples lie inside the region at equal areas of the u-v plane, so that
/// their mean is the region's; the others lie on its boundary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// What it is called in results.
    pub name: String,
    /// u of every sample.
    pub u: Vec<f64>,
    /// v of every sample.
    pub v: Vec<f64>,
    /// How many samples are not on the boundary.
    pub interior: usize,
    /// Least directivity of a coverage, dBi. A design that maximises takes the margin over it, so that only the differences between
    /// regions matter.
    pub lower_dbi: Option<f64>,
    /// Greatest directivity, dBi: of side lobes and of isolation.
    pub upper_dbi: Option<f64>,
    /// What it counts for beside the others.
    pub weight: f64,
}

impl Region {
    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.u.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.u.is_empty()
    }

    /// Whether it is to be covered, not only kept below a level.
    pub fn is_coverage(&self) -> bool {
        self.lower_dbi.is_some()
    }
}

/// All regions of a design. Regions with a lower level are coverages; the others are only kept quiet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mask {
    /// The regions.
    pub regions: Vec<Region>,
    /// Solid angle of all coverages together, sr.
    pub solid_angle: f64,
}

impl Mask {
    /// The greatest mean directivity over the coverages that any antenna has, dBi: all power goes there, evenly.
    pub fn bound_dbi(&self) -> f64 {
        10.0 * (4.0 * std::f64::consts::PI / self.solid_angle).log10()
    }

    /// Samples of all regions.
    pub fn len(&self) -> usize {
        self.regions.iter().map(Region::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
