//! What the directivity has to be, and where.

use super::decibels::linear;
use super::{Error, Result};
use std::f64::consts::PI;

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

    fn check(&self) -> Result<()> {
        let Self { name, u, v, interior, weight, lower_dbi, upper_dbi } = self;
        let levels = lower_dbi.iter().chain(upper_dbi).all(|level| level.is_finite());
        let order = lower_dbi.zip(*upper_dbi).is_none_or(|(lower, upper)| lower <= upper);
        let counts = u.len() == v.len() && *interior <= u.len() && (*interior > 0 || !self.is_coverage());
        if levels && order && counts && weight.is_finite() && *weight > 0.0 {
            return Ok(());
        }
        let levels = format!("least {lower_dbi:?} dBi, greatest {upper_dbi:?} dBi, weight {weight}");
        let given = format!("region {name}: {interior} samples inside, {levels}");
        let allowed =
            "a coverage needs samples inside, levels must be numbers in order, and the weight positive";
        Err(Error::invalid(given, allowed))
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
        10.0 * (4.0 * PI / self.solid_angle).log10()
    }

    /// Refuses what has no meaning, and least directivities that take more than all power: D over a solid angle takes D omega/(4 pi) of it.
    pub fn check(&self) -> Result<()> {
        self.regions.iter().try_for_each(Region::check)?;
        let interior = self.interior();
        if interior == 0 {
            return Err(Error::NoCoverage);
        }
        let share = |region: &Region| {
            let solid_angle = self.solid_angle * region.interior as f64 / interior as f64;
            solid_angle / (4.0 * PI) * linear(region.lower_dbi.unwrap_or(f64::NEG_INFINITY))
        };
        let share: f64 = self.coverages().map(share).sum();
        if share > 1.0 {
            let over_db = 10.0 * share.log10();
            let (solid_angle, bound_dbi) = (self.solid_angle, self.bound_dbi());
            return Err(Error::Infeasible { share, over_db, solid_angle, bound_dbi });
        }
        Ok(())
    }

    /// Regions to be covered.
    pub fn coverages(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.is_coverage())
    }

    /// Number of samples inside coverages.
    pub fn interior(&self) -> usize {
        self.coverages().map(|region| region.interior).sum()
    }

    /// u and v of the samples inside coverages.
    pub fn covered(&self) -> Vec<[f64; 2]> {
        let inside = |region: &Region| {
            let all = region.u.iter().zip(&region.v).take(region.interior);
            all.map(|(u, v)| [*u, *v]).collect::<Vec<_>>()
        };
        self.coverages().flat_map(inside).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn region(interior: usize, lower_dbi: Option<f64>) -> Region {
        Region {
            u: vec![0.0; interior],
            v: vec![0.0; interior],
            interior,
            lower_dbi,
            weight: 1.0,
            ..Region::default()
        }
    }

    /// 4 pi/0.01 is 31 dBi; two halves at 29 and 33 dBi take 1.42 of all power.
    #[test]
    fn more_than_all_power_is_refused_with_the_reason() {
        let mask = |a, b| Mask {
            regions: vec![region(5, Some(a)), region(5, Some(b)), region(3, None)],
            solid_angle: 0.01,
        };
        assert!((mask(0.0, 0.0).bound_dbi() - 30.992).abs() < 1e-3);
        mask(29.0, 31.5).check().unwrap();
        let refused = mask(29.0, 33.0).check();
        let Err(Error::Infeasible { share, over_db, .. }) = refused else { panic!("{refused:?}") };
        assert!((share - 1.110).abs() < 1e-3 && (over_db - 0.453).abs() < 1e-3, "{share} {over_db}");
    }

    #[test]
    fn regions_without_meaning_are_refused() {
        let good = Mask { regions: vec![region(5, Some(0.0))], solid_angle: 0.01 };
        good.check().unwrap();
        let damages: [fn(&mut Region); 6] = [
            |r| r.weight = 0.0,
            |r| r.interior = 6,
            |r| r.lower_dbi = Some(f64::NAN),
            |r| r.upper_dbi = Some(-1.0),
            |r| r.v.truncate(2),
            |r| r.interior = 0,
        ];
        for damage in damages {
            let mut mask = good.clone();
            damage(&mut mask.regions[0]);
            let refused = mask.check().unwrap_err().to_string();
            assert!(refused.starts_with("region "), "{refused}: {mask:?}");
        }
        assert_eq!(Mask { regions: vec![region(3, None)], solid_angle: 0.0 }.check(), Err(Error::NoCoverage));
    }
}
