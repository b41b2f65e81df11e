use super::super::design::{Aperture, Grid};
use super::super::{Direction, reference};
use super::*;

type C = Complex<f64>;

/// Fields of a source with something unpredictable at 1e-2 of the peak; `seed` makes another one.
fn holograms(aperture: Aperture, count: usize, seed: usize) -> Vec<C> {
    let value = |i: usize| {
        let (n, i) = (i / aperture.len() + seed, i % aperture.len());
        let (y, x) = ((i / aperture.cols) as f64 - 3.0, (i % aperture.cols) as f64 - n as f64);
        let r = (x * x + y * y + 9.0).sqrt();
        C::from_polar(3.0 / r, -0.4 * r) + 1e-2 * C::cis(((i + 7 * n) * (i + 7 * n) % 1009) as f64)
    };
    (0..count * aperture.len()).map(value).collect()
}

fn cast<T: Real>(values: &[C]) -> Vec<Complex<T>> {
    values.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect()
}

fn poisoned<T: Real>(length: usize) -> Vec<Complex<T>> {
    vec![Complex::new(T::nan(), T::nan()); length]
}

fn cases() -> Vec<Settings> {
    let camera = Settings::new(Grid::triple(Aperture { rows: 16, cols: 16, pitch: 0.02 }).unwrap(), 0.05);
    let odd = Grid::new(Aperture { rows: 9, cols: 18, pitch: 0.03 }, 25, 33).unwrap();
    let tight = Grid::new(Aperture { rows: 17, cols: 12, pitch: 0.01 }, 17, 12).unwrap();
    let mut cases = Vec::new();
    for grid in [camera.grid, odd, tight] {
        for padding in [Padding::Zero, Padding::Lpbp { order: 5 }, Padding::Plpbp { order: 5 }] {
            for refinement in [1, 2, 3] {
                cases.push(Settings { grid, padding, refinement, velocity: true, ..camera });
            }
        }
        cases.push(Settings { grid, direction: Direction::Forward, ..camera });
    }
    cases
}

/// Largest error of the plan against direct sums, as a part of the largest value; two runs with another in between.
fn error_against_reference<T: Real>(settings: &Settings, field: Field) -> f64 {
    let (frequencies, aperture) = ([700.0, 2500.0], settings.grid.aperture);
    let filters = [KFilter::THESIS, KFilter { cutoff: 80.0, slope: 0.1 }];
    let mut plan = Plan::<T>::new(settings, &frequencies, filters[0]).unwrap();
    plan.set_filter(1, filters[1]).unwrap();
    let input = holograms(aperture, 2, 0);
    let (rows, cols) = plan.output_shape();
    let mut worst = 0.0f64;
    for seed in [0, 5, 0] {
        plan.pad(&cast(&holograms(aperture, 2, seed))).unwrap();
        plan.transform();
        let mut result = poisoned(2 * rows * cols);
        plan.propagate(field, &mut result).unwrap();
        if seed != 0 {
            continue;
        }
        let each = input
            .chunks(aperture.len())
            .zip(result.chunks(rows * cols))
            .zip(frequencies.iter().zip(&filters));
        for ((hologram, ours), (&frequency, filter)) in each {
            let expected = reference::execute(settings, frequency, filter, field, hologram).unwrap();
            let largest = expected.iter().map(|x| x.norm()).fold(0.0, f64::max);
            for (a, b) in ours.iter().zip(&expected) {
                let error = (C::new(a.re.to_f64(), a.im.to_f64()) - b).norm() / largest;
                worst = if error <= worst { worst } else { error };
            }
        }
    }
    worst
}

/// Prediction from data with 1e-2 of noise has a condition of 1e2 a pass, 1e4 in the corners; transforms and a gain of
/// at most 4 add one digit. `f32` rounds to 6e-8 and meets the corners behind the window's foot.
#[test]
fn equals_the_reference() {
    for settings in cases() {
        let fields: &[Field] =
            if settings.velocity { &[Field::Pressure, Field::NormalVelocity] } else { &[Field::Pressure] };
        for &field in fields {
            let (double, single) = (
                error_against_reference::<f64>(&settings, field),
                error_against_reference::<f32>(&settings, field),
            );
            assert!(double <= 1e-11, "{field:?} {settings:?}: {double:e}");
            assert!(single <= 1e-4, "{field:?} {settings:?}: {single:e}");
        }
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Every line is computed alone, so neither threads nor neighbours in the batch change a bit.
#[test]
fn threads_and_batches_change_nothing() {
    for settings in cases().into_iter().filter(|s| s.refinement < 3) {
        let frequencies = [300.0, 700.0, 1100.0, 1900.0, 2700.0];
        let input: Vec<Complex<f32>> = cast(&holograms(settings.grid.aperture, 5, 0));
        let run = |threads: usize, range: std::ops::Range<usize>| {
            pool(threads).install(|| {
                let mut plan = Plan::new(&settings, &frequencies[range.clone()], KFilter::THESIS).unwrap();
                let (rows, cols) = plan.output_shape();
                let (mut result, n) = (poisoned(range.len() * rows * cols), settings.grid.aperture.len());
                plan.execute(&input[range.start * n..range.end * n], &mut result, None).unwrap();
                result
            })
        };
        let expected = run(1, 0..5);
        for threads in [2, 3, 7] {
            assert_eq!(run(threads, 0..5), expected, "{threads} threads, {settings:?}");
        }
        let alone: Vec<_> = (0..5).flat_map(|i| run(2, i..i + 1)).collect();
        assert_eq!(alone, expected, "{settings:?}");
    }
}

/// A plan made on many threads also runs on one.
#[test]
fn fewer_threads_than_planned() {
    let settings = cases()[3];
    let input = cast::<f64>(&holograms(settings.grid.aperture, 1, 0));
    let mut plan = pool(4).install(|| Plan::new(&settings, &[500.0], KFilter::THESIS)).unwrap();
    let (mut few, mut many) = (poisoned(input.len()), poisoned(input.len()));
    pool(1).install(|| plan.execute(&input, &mut few, None)).unwrap();
    pool(4).install(|| plan.execute(&input, &mut many, None)).unwrap();
    assert_eq!(few, many);
}

#[test]
fn refined_output_passes_through_the_plain_one() {
    for plain in cases().into_iter().filter(|s| s.refinement == 1) {
        let (input, aperture) = (holograms(plain.grid.aperture, 1, 0), plain.grid.aperture);
        let run = |refinement: usize| {
            let settings = Settings { refinement, ..plain };
            let mut plan = Plan::<f64>::new(&settings, &[900.0], KFilter::THESIS).unwrap();
            let mut result = poisoned(aperture.len() * refinement * refinement);
            plan.execute(&input, &mut result, None).unwrap();
            result
        };
        let coarse = run(1);
        for u in [2, 5] {
            let fine = run(u);
            for (i, expected) in coarse.iter().enumerate() {
                let (y, x) = (i / aperture.cols, i % aperture.cols);
                let error = (fine[y * u * aperture.cols * u + x * u] - expected).norm();
                // Transforms of up to 240 points of values up to 10: a few hundred roundings.
                assert!(error <= 1e-12, "{plain:?} {u}: {error:e}");
            }
        }
    }
}

#[test]
fn a_filter_that_fails_changes_nothing() {
    let grid = Grid::triple(Aperture::CAMERA).unwrap();
    let settings = Settings { velocity: true, ..Settings::new(grid, 0.3) };
    let filter = KFilter { cutoff: 40.0, slope: 0.05 };
    let mut plan = Plan::<f32>::new(&settings, &[500.0, 600.0], filter).unwrap();
    let input = cast(&holograms(grid.aperture, 2, 0));
    let (mut before, mut after) = (poisoned(input.len()), poisoned(input.len()));
    plan.execute(&input, &mut before, None).unwrap();
    assert!(matches!(plan.set_filter(1, KFilter::NONE), Err(Error::Overflow { .. })));
    let nonsense = KFilter { cutoff: f64::NAN, slope: 0.1 };
    assert!(matches!(plan.set_filter(1, nonsense), Err(Error::Filter { .. })));
    assert_eq!(plan.set_filter(2, filter), Err(Error::Hologram { index: 2, count: 2 }));
    assert_eq!(plan.filters(), [filter; 2]);
    plan.execute(&input, &mut after, None).unwrap();
    assert_eq!(before, after);
}

#[test]
fn bad_plans_are_refused() {
    let good = Settings::new(Grid::triple(Aperture::CAMERA).unwrap(), 0.05);
    let plan = |settings: Settings, frequencies: &[f64]| {
        Plan::<f32>::new(&settings, frequencies, KFilter::THESIS).map(|_| ()).unwrap_err()
    };
    for standoff in [0.0, -0.05, f64::NAN, f64::INFINITY] {
        assert!(matches!(plan(Settings { standoff, ..good }, &[500.0]), Error::Standoff(..)));
    }
    for frequency in [0.0, f64::NAN] {
        assert!(matches!(plan(good, &[500.0, frequency]), Error::Frequency(..)));
    }
    assert!(matches!(plan(good, &[9000.0]), Error::SpatialAliasing { .. }));
    assert_eq!(plan(good, &[]), Error::NoFrequency);
    for refinement in [0, 65] {
        assert_eq!(plan(Settings { refinement, ..good }, &[500.0]), Error::Refinement(refinement));
    }
    for order in [0, 32] {
        let padding = Padding::Plpbp { order };
        assert_eq!(plan(Settings { padding, ..good }, &[500.0]), Error::Order { order, samples: 32 });
    }
    let grid = Grid { rows: 31, ..good.grid };
    assert_eq!(plan(Settings { grid, ..good }, &[500.0]), Error::Grid { grid: 31, measured: 32 });
    let medium = super::super::design::Medium { speed_of_sound: f64::NAN, density: 1.2 };
    assert!(matches!(plan(Settings { medium, ..good }, &[500.0]), Error::Medium { .. }));
    assert!(matches!(plan(Settings { standoff: 1.0, ..good }, &[500.0]), Error::Overflow { .. }));
}

#[test]
fn bad_runs_are_refused() {
    let grid = Grid::triple(Aperture::CAMERA).unwrap();
    let mut plan = Plan::<f32>::new(&Settings::new(grid, 0.05), &[500.0, 600.0], KFilter::THESIS).unwrap();
    let mut input = cast(&holograms(grid.aperture, 2, 0));
    let mut result = poisoned(2048);
    let short = plan.execute(&input[1..], &mut result, None);
    assert_eq!(short, Err(Error::Length { what: "holograms", given: 2047, needed: 2048 }));
    let short = plan.execute(&input, &mut result[1..], None);
    assert_eq!(short, Err(Error::Length { what: "result", given: 2047, needed: 2048 }));
    let mut velocity = poisoned(2048);
    assert_eq!(plan.execute(&input, &mut result, Some(&mut velocity)), Err(Error::NoVelocity));
    input[1024 + 3 * 32 + 4].im = f32::NAN;
    let error = plan.execute(&input, &mut result, None);
    assert_eq!(error, Err(Error::NotFinite { hologram: 1, row: 3, col: 4 }));
}
