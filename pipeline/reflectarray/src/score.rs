//! The figures of a design, on samples finer than those it was optimised on.

use super::cpu::{Directions, Plan, Scratch};
use super::decibels::DECIBELS;
use super::mask::{Mask, Region};
use super::progress::Score;
use super::{Elements, Model, Result};

/// Directivities at all samples of a mask, in its order, dBi.
pub fn directivities(model: &Model, elements: &Elements, mask: &Mask) -> Result<Vec<f64>> {
    let (u, v) = samples(mask);
    let plan = Plan::fixed(model, Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE)?;
    let places = plan.places(&elements.x, &elements.y)?;
    let all = plan.directivity(&places, &elements.phase, &mut Scratch::default())?;
    Ok(all.iter().map(|d| DECIBELS * d.ln()).collect())
}

/// Relative error of fields in a score: 1e-8 dB.
const TOLERANCE: f64 = 1e-9;

/// u and v of all regions, one after the other.
pub fn samples(mask: &Mask) -> (Vec<f64>, Vec<f64>) {
    let all = |part: fn(&Region) -> &Vec<f64>| mask.regions.iter().flat_map(part).copied().collect();
    (all(|region| &region.u), all(|region| &region.v))
}

/// Scores of every coverage, and of all of them together; the mean of all weighs samples equally, as areas do.
pub fn scores(mask: &Mask, dbi: &[f64]) -> (Vec<Option<Score>>, Score) {
    let mut rest = dbi;
    let (mut sum, mut count, mut least) = (0.0, 0usize, f64::INFINITY);
    let mut each = Vec::new();
    for region in &mask.regions {
        let (own, later) = rest.split_at(region.len());
        rest = later;
        each.push(region.is_coverage().then(|| {
            let inside: f64 = own[..region.interior].iter().sum();
            let d_min_db = own.iter().copied().fold(f64::INFINITY, f64::min);
            (sum, count, least) = (sum + inside, count + region.interior, least.min(d_min_db));
            Score { d_mean_db: inside / region.interior as f64, d_min_db }
        }));
    }
    (each, Score { d_mean_db: sum / count as f64, d_min_db: least })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_the_interior_and_minima_of_all() {
        let region = |interior, lower_dbi| Region {
            u: vec![0.0; 3],
            v: vec![0.0; 3],
            interior,
            lower_dbi,
            weight: 1.0,
            ..Region::default()
        };
        let mask = Mask {
            regions: vec![region(2, Some(0.0)), region(3, None), region(1, Some(3.0))],
            solid_angle: 1.0,
        };
        let (each, all) = scores(&mask, &[30.0, 32.0, 25.0, -9.0, -9.0, -9.0, 28.0, 27.0, 29.0]);
        assert_eq!(each[0], Some(Score { d_mean_db: 31.0, d_min_db: 25.0 }));
        assert_eq!(each[1], None);
        assert_eq!(each[2], Some(Score { d_mean_db: 28.0, d_min_db: 27.0 }));
        assert_eq!(all, Score { d_mean_db: 30.0, d_min_db: 25.0 });
    }
}
