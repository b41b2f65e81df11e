//! Range profiles and ISAR images: where on a target the echo comes from.
//! ```text
//! p(r) = sum over directions a and frequencies f of w S_af exp(-2 j k_f s_a.r) / sum of w        w: Hann over both
//! ```
//! A point at r with a constant echo S has exactly S at its place. Range repeats every c/(2 df), cross-range
//! about every lambda/(2 dphi).

use super::Error;
use super::field::{C, Matrix, add, wavenumber};
use numerics::parallel;
use numerics::vec3::Vec3;

/// Points of a profile for each frequency: enough for a smooth curve.
const POINTS: usize = 4;
/// Most terms of all sums of an image: minutes.
const MOST_TERMS: f64 = 1e11;

/// Echo over distance.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Towards the radar from the centre, m.
    pub range: Vec<f64>,
    /// m.
    pub fields: Vec<Matrix>,
}

/// Echo over a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Isar {
    /// Towards the radar from the centre, m.
    pub range: Vec<f64>,
    /// Across, in the direction in which the radar moved, m.
    pub cross: Vec<f64>,
    /// m, `[cross][range]`.
    pub fields: Vec<Matrix>,
}

/// First wavenumber and step, rad/m, of frequencies at equal steps.
fn steps(frequencies: &[f64]) -> Result<(f64, f64), Error> {
    let refuse = || Error::Image("at least two frequencies at equal steps are needed".into());
    let [first, second, ..] = frequencies else { return Err(refuse()) };
    let step = second - first;
    let equal = frequencies.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6 * step.abs());
    if step != 0.0 && equal { Ok((wavenumber(*first), wavenumber(step))) } else { Err(refuse()) }
}

/// Hann over n values, none of them zero.
fn window(n: usize) -> Vec<f64> {
    let value = |i: usize| (std::f64::consts::PI * (i as f64 + 0.5) / n as f64).sin().powi(2);
    (0..n).map(value).collect()
}

/// sum over f of w_f S_f exp(-2 j (k + f dk) x)
fn focused(fields: &[Matrix], window: &[f64], (k, dk): (f64, f64), x: f64) -> Matrix {
    let (mut wave, turn) = (C::from_polar(1.0, -2.0 * k * x), C::from_polar(1.0, -2.0 * dk * x));
    let mut sum = Matrix::default();
    for (field, weight) in fields.iter().zip(window) {
        add(&mut sum, field, wave * weight);
        wave *= turn;
    }
    sum
}

fn divided(matrix: Matrix, by: f64) -> Matrix {
    matrix.map(|row| row.map(|entry| entry / by))
}

/// The echo of one direction over distance; `fields` has all frequencies.
pub fn profile(frequencies: &[f64], fields: &[Matrix], sight: Vec3, centre: Vec3) -> Result<Profile, Error> {
    let (k, dk) = steps(frequencies)?;
    let window = window(frequencies.len());
    let weight: f64 = window.iter().sum();
    let points = POINTS * frequencies.len();
    let length = std::f64::consts::PI / dk.abs();
    let range: Vec<f64> = (0..points).map(|i| length * (i as f64 / points as f64 - 0.5)).collect();
    let offset = sight.dot(centre);
    let at = |i: usize| divided(focused(fields, &window, (k, dk), range[i] + offset), weight);
    let fields = parallel::map(points, &at);
    Ok(Profile { range, fields })
}

/// The echo over a square of `size` m and `pixels` x `pixels` around the centre; `fields` has
/// `[sight][frequency]`.
pub fn isar(
    frequencies: &[f64],
    sights: &[Vec3],
    fields: &[Matrix],
    centre: Vec3,
    (size, pixels): (f64, usize),
) -> Result<Isar, Error> {
    let (k, dk) = steps(frequencies)?;
    let refuse = |reason: &str| Err(Error::Image(reason.into()));
    let towards = sights.iter().fold(Vec3::ZERO, |sum, sight| sum + *sight).unit();
    let [first, .., last] = sights else { return refuse("at least two directions are needed") };
    let moved = *last - *first;
    let across = (moved - towards * towards.dot(moved)).unit();
    if across == Vec3::ZERO || towards == Vec3::ZERO {
        return refuse("directions must lie on one side of the target, and the first must not be the last");
    }
    let terms = (pixels * pixels) as f64 * sights.len() as f64 * frequencies.len() as f64;
    if terms > MOST_TERMS {
        return refuse("too many directions and frequencies for an image");
    }
    let (of_sight, of_frequency) = (window(sights.len()), window(frequencies.len()));
    let weight = of_sight.iter().sum::<f64>() * of_frequency.iter().sum::<f64>();
    let axis: Vec<f64> = (0..pixels).map(|i| size * ((i as f64 + 0.5) / pixels as f64 - 0.5)).collect();
    let pixel = |index: usize| {
        let place = centre + across * axis[index / pixels] + towards * axis[index % pixels];
        let mut sum = Matrix::default();
        for ((sight, weight), fields) in sights.iter().zip(&of_sight).zip(fields.chunks(frequencies.len())) {
            let part = focused(fields, &of_frequency, (k, dk), sight.dot(place));
            add(&mut sum, &part, C::new(*weight, 0.0));
        }
        divided(sum, weight)
    };
    let fields = parallel::map(pixels * pixels, &pixel);
    Ok(Isar { range: axis.clone(), cross: axis, fields })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    fn points(frequencies: &[f64], sight: Vec3) -> Vec<Matrix> {
        let places = [(Vec3::new(0.5, 0.2, 0.0), 2.0), (Vec3::new(-0.4, -0.3, 0.1), 1.0)];
        let echo = |frequency: &f64| {
            let k = wavenumber(*frequency);
            let sum: C = places.iter().map(|(place, s)| C::from_polar(*s, 2.0 * k * sight.dot(*place))).sum();
            [[sum, C::default()], [C::default(), -sum]]
        };
        frequencies.iter().map(echo).collect()
    }

    fn frequencies() -> Vec<f64> {
        (0..64).map(|i| 9e9 + 2e9 * f64::from(i) / 64.0).collect()
    }

    #[test]
    fn points_stand_where_they_are_with_their_echo() {
        let sight = Direction::degrees(90.0, 0.0).unit();
        let fields = points(&frequencies(), sight);
        let centre = Vec3::new(0.1, 0.0, 0.0);
        let profile = profile(&frequencies(), &fields, sight, centre).unwrap();
        for (x, echo) in [(0.4, 2.0), (-0.5, 1.0)] {
            let nearest = profile.range.iter().map(|range| (range - x).abs());
            let (at, _) = nearest.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            // Within a quarter of a resolution cell of the peak, and far from the other's side lobes.
            let found = profile.fields[at];
            assert!((found[0][0].norm() / echo - 1.0).abs() < 0.03, "{x}: {found:?}");
            assert!((found[1][1] + found[0][0]).norm() < 1e-12);
        }
    }

    #[test]
    fn an_image_has_the_points_at_their_places() {
        let sights: Vec<Vec3> =
            (-16..=16).map(|i| Direction::degrees(90.0, 0.4 * f64::from(i)).unit()).collect();
        let fields: Vec<Matrix> = sights.iter().flat_map(|sight| points(&frequencies(), *sight)).collect();
        let image = isar(&frequencies(), &sights, &fields, Vec3::ZERO, (1.6, 32)).unwrap();
        let strongest = |near: [f64; 2]| {
            let level = |index: usize| {
                let (y, x) = (image.cross[index / 32], image.range[index % 32]);
                ((x - near[0]).hypot(y - near[1]) < 0.3).then(|| (image.fields[index][0][0].norm(), [x, y]))
            };
            (0..32 * 32).filter_map(level).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
        };
        for (place, echo) in [([0.5, 0.2], 2.0), ([-0.4, -0.3], 1.0)] {
            let (found, at) = strongest(place);
            // A pixel is 0.05 m.
            assert!((at[0] - place[0]).abs() < 0.05 && (at[1] - place[1]).abs() < 0.06, "{place:?} {at:?}");
            assert!((found / echo - 1.0).abs() < 0.25, "{found} {echo}");
        }
    }

    #[test]
    fn what_makes_no_image_is_refused() {
        let sight = Vec3::new(1.0, 0.0, 0.0);
        for wrong in [vec![], vec![1e9], vec![1e9, 1e9], vec![1e9, 2e9, 4e9]] {
            let fields = vec![Matrix::default(); wrong.len()];
            assert!(matches!(profile(&wrong, &fields, sight, Vec3::ZERO), Err(Error::Image(_))));
        }
        let fields = vec![Matrix::default(); 4];
        let still = isar(&[1e9, 2e9], &[sight, sight], &fields, Vec3::ZERO, (1.0, 8));
        assert!(matches!(still, Err(Error::Image(_))));
    }
}
