use hil_sim::Source;
use numerics::random::SplitMix64;

use super::*;
use crate::array::testing::{STANDOFF, draw, field, monopole, plate, pressure, scatter};

const GRID: Grid = Grid { rows: 32, cols: 32, pitch_m: 0.02, centre_m: [0.0; 2] };
const FREQUENCIES: [f64; 4] = [220.0, 1000.0, 2000.0, 4000.0];

fn places(grid: &Grid) -> Vec<[f64; 2]> {
    (0..grid.len()).map(|index| grid.point(index)).collect()
}

/// The field on the grid from positions, some of them dead; dead channels and the output are poisoned.
fn interpolate(
    positions: &[[f64; 2]],
    dead: &[usize],
    source: &Source,
    frequency: f64,
) -> (Vec<Complex<f64>>, Vec<f64>) {
    let mut values = pressure(source, frequency, positions);
    let mut live = vec![true; positions.len()];
    for &channel in dead {
        live[channel] = false;
        values[channel] = Complex::new(f64::NAN, f64::NAN);
    }
    let ideal = vec![Complex::ONE; positions.len()];
    let plan = Interpolator::new(positions, &live, &ideal, &GRID, &field(frequency)).unwrap();
    let mut grid = vec![Complex::new(f64::NAN, f64::NAN); GRID.len()];
    plan.apply(&values, &mut grid).unwrap();
    let first = grid.clone();
    plan.apply(&values, &mut grid).unwrap();
    assert_eq!(first, grid);
    (grid, plan.deviation().to_vec())
}

/// Root-mean-square field around a grid point.
fn local(truth: &[Complex<f64>], index: usize) -> f64 {
    let [x, y] = GRID.point(index);
    let near = (0..GRID.len()).filter(|&other| {
        let [u, v] = GRID.point(other);
        (x - u).hypot(y - v) < 3.3 * GRID.pitch_m
    });
    let powers: Vec<_> = near.map(|other| truth[other].norm_sqr()).collect();
    (powers.iter().sum::<f64>() / powers.len() as f64).sqrt()
}

/// The mean of the live ones of the four neighbours.
fn neighbour_mean(truth: &[Complex<f64>], dead: &[usize], index: usize) -> Complex<f64> {
    let [x, y] = GRID.point(index);
    let near = (0..GRID.len()).filter(|other| {
        let [u, v] = GRID.point(*other);
        (x - u).hypot(y - v) < 1.1 * GRID.pitch_m && !dead.contains(other)
    });
    let values: Vec<_> = near.map(|other| truth[other]).collect();
    values.iter().sum::<Complex<f64>>() / values.len().max(1) as f64
}

/// Largest error relative to the local field at the dead places: ours and of the neighbours' mean.
fn errors(dead: &[usize], source: &Source, frequency: f64) -> [f64; 2] {
    let all = places(&GRID);
    let truth = pressure(source, frequency, &all);
    let (grid, _) = interpolate(&all, dead, source, frequency);
    for (index, (found, value)) in grid.iter().zip(&truth).enumerate() {
        assert!(dead.contains(&index) || found == value, "a live microphone keeps its value");
    }
    dead.iter().fold([0.0; 2], |[ours, mean], &index| {
        let scale = local(&truth, index);
        let other = neighbour_mean(&truth, dead, index);
        [
            ours.max((grid[index] - truth[index]).norm() / scale),
            mean.max((other - truth[index]).norm() / scale),
        ]
    })
}

#[test]
fn dead_microphones_are_within_the_limits_of_the_doc() {
    let mut random = SplitMix64::new(5);
    let cases = [
        (vec![527], 0.01),
        (draw(&mut random, 10, 1024), 0.02),
        (draw(&mut random, 50, 1024), 0.03),
        (vec![495, 496, 527, 528], 0.05),
        (vec![5, 6, 32 * 12, 1023 - 40], 0.05),
        (vec![0, 31, 992, 1023], 0.1),
    ];
    for (dead, limit) in cases {
        for source in [monopole(0.033, -0.047), monopole(-0.2, 0.25)] {
            for frequency in FREQUENCIES {
                let [ours, mean] = errors(&dead, &source, frequency);
                assert!(ours < limit, "{ours} at {frequency} Hz, {} dead", dead.len());
                // At low frequency the field is nearly harmonic, and the mean of neighbours exact.
                assert!(ours < mean.max(0.01), "{ours} against {mean} at {frequency} Hz");
            }
        }
    }
}

/// The error over the deviation times the local field has mean square 1 for a field from the model. The model
/// is cautious (its sources are at the standoff itself), never by more than about three.
#[test]
fn the_deviation_is_honest() {
    let mut random = SplitMix64::new(8);
    let all = places(&GRID);
    let dead = draw(&mut random, 50, 1024);
    let mut live = vec![true; 1024];
    dead.iter().for_each(|&channel| live[channel] = false);
    for (source, frequency) in [(monopole(0.1, 0.0), 220.0), (monopole(0.1, 0.0), 4000.0), (plate(), 1000.0)]
    {
        let truth = pressure(&source, frequency, &all);
        let mut values = truth.clone();
        scatter(&mut values, NUGGET.sqrt(), &mut random);
        let plan = Interpolator::new(&all, &live, &[Complex::ONE; 1024], &GRID, &field(frequency)).unwrap();
        let mut grid = vec![Complex::new(f64::NAN, f64::NAN); 1024];
        plan.apply(&values, &mut grid).unwrap();
        let ratio = |&i: &usize| (grid[i] - truth[i]).norm() / (plan.deviation()[i] * local(&truth, i));
        let mean = (dead.iter().map(|i| ratio(i).powi(2)).sum::<f64>() / 50.0).sqrt();
        assert!((0.33..1.5).contains(&mean), "{mean} at {frequency} Hz");
    }
}

/// Jitter of 3 mm rms in the plane. Interpolation leaves its own error, a twentieth of what ignoring costs.
#[test]
fn a_jittered_array_is_straightened() {
    let mut random = SplitMix64::new(4);
    let mut all = places(&GRID);
    all.iter_mut().flatten().for_each(|v| *v += 0.003 / 2f64.sqrt() * random.normal());
    let cases = FREQUENCIES.map(|f| (monopole(0.033, -0.047), f)).into_iter().chain([(plate(), 1000.0)]);
    for (source, frequency) in cases {
        let truth = pressure(&source, frequency, &places(&GRID));
        let ignored = relative(&pressure(&source, frequency, &all), &truth);
        let ours = relative(&interpolate(&all, &[], &source, frequency).0, &truth);
        assert!(ours < ignored / 20.0, "{ours} against {ignored} at {frequency} Hz");
    }
}

/// Without frequency the covariance is the Poisson kernel, which knows no propagating waves: at 4 kHz it is
/// several times worse, and the more so the farther the sources are.
#[test]
fn propagating_waves_need_their_part_of_the_covariance() {
    let mut random = SplitMix64::new(5);
    let all = places(&GRID);
    let dead = draw(&mut random, 50, 1024);
    let mut live = vec![true; 1024];
    dead.iter().for_each(|&channel| live[channel] = false);
    for (standoff_m, gain) in [(0.04, 3.0), (0.1, 10.0), (0.2, 20.0)] {
        let position = [0.033, -0.047, STANDOFF - standoff_m - 0.03];
        let source = Source::Monopole { position, amplitude: Complex::ONE };
        let truth = pressure(&source, 4000.0, &all);
        let worst = |frequency: f64| {
            let field = Field { standoff_m, ..field(frequency) };
            let plan = Interpolator::new(&all, &live, &[Complex::ONE; 1024], &GRID, &field).unwrap();
            let mut grid = vec![Complex::new(f64::NAN, f64::NAN); 1024];
            plan.apply(&truth, &mut grid).unwrap();
            dead.iter().map(|&i| (grid[i] - truth[i]).norm() / local(&truth, i)).fold(0.0, f64::max)
        };
        let (poisson, ours) = (worst(0.0), worst(4000.0));
        assert!(ours * gain < poisson, "{ours} against {poisson} at {standoff_m} m");
    }
}

/// Relative L2 error.
fn relative(found: &[Complex<f64>], truth: &[Complex<f64>]) -> f64 {
    let error: f64 = found.iter().zip(truth).map(|(a, b)| (a - b).norm_sqr()).sum();
    (error / truth.iter().map(Complex::norm_sqr).sum::<f64>()).sqrt()
}

#[test]
fn undetermined_points_are_listed() {
    let all = places(&GRID);
    let mut live = vec![true; 1024];
    for row in 10..17 {
        live[32 * row + 20..32 * row + 27].fill(false);
    }
    let plan = |field: &Field| Interpolator::<f64>::new(&all, &live, &[Complex::ONE; 1024], &GRID, field);
    match plan(&field(220.0)) {
        Err(Error::Undetermined { points, worst, .. }) => {
            assert!(points.contains(&[13, 23]) && !points.contains(&[10, 20]) && worst > LIMIT);
        }
        other => panic!("{other:?}"),
    }
    // The same hole is no problem from afar.
    assert!(plan(&Field { standoff_m: 0.3, ..field(220.0) }).is_ok());
    let none = Interpolator::<f64>::new(&all, &[false; 1024], &[Complex::ONE; 1024], &GRID, &field(220.0));
    assert!(matches!(none, Err(Error::Undetermined { points, .. }) if points.len() == 1024));
}

#[test]
fn nonsense_is_refused() {
    let (all, one) = (places(&GRID), [Complex::ONE; 1024]);
    let good = field(1000.0);
    let bad = [
        Field { frequency_hz: f64::NAN, ..good },
        Field { frequency_hz: -1.0, ..good },
        Field { standoff_m: 0.0, ..good },
        Field { standoff_m: f64::INFINITY, ..good },
        Field { sound_speed: 0.0, ..good },
    ];
    for field in bad {
        let result = Interpolator::<f32>::new(&all, &[true; 1024], &one, &GRID, &field);
        assert!(matches!(result, Err(Error::Value { .. })), "{field:?}");
    }
    let short = Interpolator::<f32>::new(&all, &[true; 1023], &one, &GRID, &good);
    assert!(matches!(short, Err(Error::Length { found: 1023, expected: 1024, .. })));
    let plan = Interpolator::<f32>::new(&all, &[true; 1024], &one, &GRID, &good).unwrap();
    let mut grid = [Complex::ZERO; 1024];
    assert!(plan.apply(&[Complex::ZERO; 4], &mut grid).is_err());
    assert!(plan.apply(&[Complex::ZERO; 1024], &mut grid[1..]).is_err());
}

/// An array large enough for threads, with a correction: f32 on all threads against f64 on one. A sum of 32
/// terms of f32 errs by 32 epsilon of the sum of magnitudes at most, plus the roundings of the factors.
#[test]
fn threads_and_precisions_agree() {
    let grid = Grid { rows: 64, cols: 64, pitch_m: 0.02, centre_m: [0.0; 2] };
    let mut random = SplitMix64::new(9);
    let mut all = places(&grid);
    all.iter_mut().flatten().for_each(|v| *v += 0.002 * random.normal());
    let live = vec![true; all.len()];
    let correction: Vec<_> =
        all.iter().map(|_| Complex::new(1.0 + random.uniform(), random.uniform())).collect();
    let double = Interpolator::<f64>::new(&all, &live, &correction, &grid, &field(800.0)).unwrap();
    let single = Interpolator::<f32>::new(&all, &live, &correction, &grid, &field(800.0)).unwrap();
    assert!(double.entries.len() > PARALLEL);
    let values: Vec<_> =
        all.iter().map(|_| Complex::new(random.normal() as f32, random.normal() as f32)).collect();
    let wide: Vec<_> = values.iter().map(|v| Complex::new(f64::from(v.re), f64::from(v.im))).collect();
    let mut found = vec![Complex::new(f32::NAN, f32::NAN); grid.len()];
    single.apply(&values, &mut found).unwrap();
    let mut truth = vec![Complex::new(f64::NAN, f64::NAN); grid.len()];
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    alone.install(|| double.apply(&wide, &mut truth)).unwrap();
    let mut start = 0;
    for (index, &end) in double.ends.iter().enumerate() {
        let terms = double.entries[start..end].iter();
        let magnitude: f64 = terms.map(|(channel, weight)| (wide[*channel] * weight).norm()).sum();
        let error =
            (Complex::new(f64::from(found[index].re), f64::from(found[index].im)) - truth[index]).norm();
        assert!(error < 36.0 * f64::from(f32::EPSILON) * magnitude);
        start = end;
    }
}
