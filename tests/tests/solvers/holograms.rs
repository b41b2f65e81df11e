//! Holography on every card found against the CPU's plan in double precision: both rungs, and the readable one stage by
//! stage.

mod exact;
mod refusals;

use crate::devices;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use pipeline::holography::cuda::{Number, Plan, Staged};
use pipeline::holography::design::{Aperture, Field, Grid, KFilter};
use pipeline::holography::{Direction, Padding, Settings, cpu};

type C = Complex<f64>;

/// Relative error (L2 over a hologram) of `f32`: rounding of 6e-8 times 1e2 for each pass of a prediction from data with
/// 1e-2 of noise; 1e4 in the corners, behind the window's foot, and a gain of less than 10 add one digit to one pass.
const SINGLE: f64 = 1e-4;
/// The same with the rounding of `f64`, 1e-16: both sides differ in the order of their sums only.
const DOUBLE: f64 = 1e-11;

/// Numbers in [-1, 1) from a linear congruential generator.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let step = move |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1));
    std::iter::successors(Some(seed), step)
        .skip(1)
        .map(|state| (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
}

#[derive(Debug, Clone, Copy)]
enum Scene {
    /// A monopole behind each hologram, with 1e-2 of noise.
    Source,
    /// Nothing but noise.
    Noise,
    /// A long wave with 1e-3 of noise: as smooth as a good array makes it.
    Smooth,
    /// A monopole and nothing that cannot be predicted.
    Exact,
}

fn holograms(scene: Scene, aperture: Aperture, count: usize) -> Vec<C> {
    let mut random = noise(aperture.len() as u64);
    let value = |i: usize| {
        let (n, i) = ((i / aperture.len()) as f64, i % aperture.len());
        let (y, x) = ((i / aperture.cols) as f64 - 3.0, (i % aperture.cols) as f64 - n);
        let r = (x * x + y * y + 9.0).sqrt();
        let noise = C::new(random.next().unwrap_or(0.0), random.next().unwrap_or(0.0));
        match scene {
            Scene::Source => C::from_polar(3.0 / r, -0.4 * r) + 1e-2 * noise,
            Scene::Noise => noise,
            Scene::Smooth => C::cis(0.11 * x + 0.07 * (1.0 + n) * y) + 1e-3 * noise,
            Scene::Exact => C::from_polar(3.0 / r, -0.4 * r),
        }
    };
    (0..count * aperture.len()).map(value).collect()
}

fn narrow<T: Number>(values: &[C]) -> Vec<Complex<T>> {
    values.iter().map(|v| Complex::new(T::of(v.re), T::of(v.im))).collect()
}

fn poisoned<T: Number>(length: usize) -> Vec<Complex<T>> {
    vec![Complex::new(T::nan(), T::nan()); length]
}

/// Relative L2 error; NaN stays NaN.
fn error<T: Number>(ours: &[Complex<T>], expected: &[C]) -> f64 {
    assert_eq!(ours.len(), expected.len());
    let wide = |v: &Complex<T>| C::new(v.re.to_f64(), v.im.to_f64());
    let difference: f64 = ours.iter().zip(expected).map(|(a, b)| (wide(a) - b).norm_sqr()).sum();
    (difference / expected.iter().map(|b| b.norm_sqr()).sum::<f64>()).sqrt()
}

/// The error of what a stage made, which must be within the precision's tolerance.
fn checked_error<T: Number>(what: &str, settings: &Settings, ours: &[Complex<T>], expected: &[C]) -> f64 {
    let tolerance = if T::BYTES == 4 { SINGLE } else { DOUBLE };
    let error = error(ours, expected);
    assert!(error <= tolerance, "{what} of {settings:?}: {error:e}");
    error
}

const FILTERS: [KFilter; 2] = [KFilter::THESIS, KFilter { cutoff: 80.0, slope: 0.1 }];
const FREQUENCIES: [f64; 2] = [700.0, 2500.0];

fn shapes() -> Vec<Grid> {
    let grid = |rows, cols, grid_rows, grid_cols| {
        Grid::new(Aperture { rows, cols, pitch: 0.02 }, grid_rows, grid_cols).unwrap()
    };
    vec![
        grid(5, 7, 15, 21),
        grid(5, 8, 16, 24),
        grid(8, 8, 24, 24),
        grid(9, 18, 25, 33),
        grid(12, 9, 12, 10),
        grid(32, 32, 96, 96),
    ]
}

fn cases() -> Vec<Settings> {
    let mut cases = Vec::new();
    for grid in shapes() {
        let plain = Settings { velocity: true, ..Settings::new(grid, 0.05) };
        let highest = grid.aperture.rows.min(grid.aperture.cols) - 1;
        for order in [1, 6, 8].map(|order: usize| order.min(highest)) {
            cases.push(Settings { padding: Padding::Lpbp { order }, ..plain });
            cases.push(Settings { padding: Padding::Plpbp { order }, ..plain });
        }
        cases.push(Settings { padding: Padding::Zero, ..plain });
        cases.push(Settings { refinement: 3, ..plain });
        cases.push(Settings { padding: Padding::Zero, refinement: 3, ..plain });
        cases.push(Settings { direction: Direction::Forward, ..plain });
    }
    cases
}

/// What a plan chooses by itself, and the readable rung.
fn rungs<T: Number>(stream: &mut Stream, settings: &Settings) -> [Plan<T>; 2] {
    [Plan::new, Plan::staged].map(|make| {
        let mut plan = make(stream, settings, &FREQUENCIES, FILTERS[0]).unwrap();
        plan.set_filter(stream, 1, FILTERS[1]).unwrap();
        plan
    })
}

/// The CPU's plan with the same filters.
fn on_cpu<T: Number>(settings: &Settings) -> cpu::Plan<T> {
    let mut plan = cpu::Plan::new(settings, &FREQUENCIES, FILTERS[0]).unwrap();
    plan.set_filter(1, FILTERS[1]).unwrap();
    plan
}

/// Every stage of one batch; the worst errors of fields, spectra and results.
fn stages_agree<T: Number>(stream: &mut Stream, settings: &Settings, scene: Scene) -> [f64; 3] {
    let mut ours = Staged::<T>::new(stream, settings, &FREQUENCIES, FILTERS[0]).unwrap();
    ours.set_filter(stream, 1, FILTERS[1]).unwrap();
    let mut expected = on_cpu::<f64>(settings);
    let input = holograms(scene, settings.grid.aperture, 2);
    let mut worst = [0.0f64; 3];
    let on_card = Buffer::from_slice(stream, "holograms", &narrow::<T>(&input)).unwrap();
    ours.pad(stream, &on_card).unwrap();
    ours.check_finite(stream).unwrap();
    expected.pad(&input).unwrap();
    for i in 0..2 {
        let (field, truth) = (ours.field(stream, i).unwrap(), expected.field(i).unwrap());
        worst[0] = worst[0].max(checked_error(&format!("{scene:?}: field {i}"), settings, &field, truth));
    }
    ours.transform(stream).unwrap();
    expected.transform();
    for i in 0..2 {
        let (spectrum, truth) = (ours.spectrum(stream, i).unwrap(), expected.spectrum(i).unwrap());
        worst[1] =
            worst[1].max(checked_error(&format!("{scene:?}: spectrum {i}"), settings, &spectrum, truth));
    }
    let (rows, cols) = ours.output_shape();
    assert_eq!((rows, cols), expected.output_shape());
    let results = 2 * rows * cols;
    let mut fields = Buffer::poisoned(stream, "fields", 2 * results).unwrap();
    for (place, field) in [Field::Pressure, Field::NormalVelocity].into_iter().enumerate() {
        let (mut result, mut truth) = (poisoned::<T>(results), poisoned(results));
        ours.propagate(stream, field, &mut fields).unwrap();
        stream.download_at(&fields, place * results, &mut result).unwrap();
        expected.propagate(field, &mut truth).unwrap();
        for (i, (result, truth)) in result.chunks(rows * cols).zip(truth.chunks(rows * cols)).enumerate() {
            worst[2] =
                worst[2].max(checked_error(&format!("{scene:?}: {field:?} {i}"), settings, result, truth));
        }
    }
    worst
}

/// The worst error of both rungs, pressure and velocity of one batch.
fn errors_of_rungs<T: Number>(stream: &mut Stream, settings: &Settings, scene: Scene) -> [f64; 2] {
    let mut expected = on_cpu::<f64>(settings);
    let input = holograms(scene, settings.grid.aperture, 2);
    let (rows, cols) = expected.output_shape();
    let points = rows * cols;
    let (mut pressure, mut velocity) = (poisoned(2 * points), poisoned(2 * points));
    expected.execute(&input, &mut pressure, Some(&mut velocity)).unwrap();
    let truth = [pressure, velocity].concat();
    rungs::<T>(stream, settings).map(|mut plan| {
        let (mut pressure, mut velocity) = (poisoned::<T>(2 * points), poisoned(2 * points));
        plan.execute(stream, &narrow(&input), &mut pressure, Some(&mut velocity)).unwrap();
        let ours = [pressure, velocity].concat();
        let pairs = ours.chunks(points).zip(truth.chunks(points)).enumerate();
        let error =
            |(i, (ours, truth))| checked_error(&format!("{scene:?}: result {i}"), settings, ours, truth);
        pairs.map(error).fold(0.0, f64::max)
    })
}

/// Both rungs on the cases that `wanted` takes.
fn rungs_agree<T: Number>(test: &str, scenes: &[Scene], wanted: impl Fn(&Settings) -> bool) {
    for device in devices(test) {
        let mut stream = device.stream().unwrap();
        let mut worst = [0.0f64; 2];
        for settings in cases().into_iter().filter(&wanted) {
            for &scene in scenes {
                let errors = errors_of_rungs::<T>(&mut stream, &settings, scene);
                worst = std::array::from_fn(|i| worst[i].max(errors[i]));
            }
        }
        let ([chosen, staged], name) = (worst, &device.properties().name);
        println!("{test}, {name}: worst of the chosen rung {chosen:.1e}, of the stages {staged:.1e}");
    }
}

/// Short factors, LPBP or zeros, no refinement: the fused kernel's; what it cannot do is staged.
#[test]
fn small_plans_are_fused_where_they_can_be() {
    for device in devices("small_plans_are_fused_where_they_can_be") {
        let mut stream = device.stream().unwrap();
        let clusters = device.properties().clusters();
        for settings in cases().into_iter().filter(|s| s.grid.rows <= 25) {
            let short = [16, 24].contains(&settings.grid.rows);
            let planar = matches!(settings.padding, Padding::Plpbp { .. });
            let [chosen, staged] = rungs::<f32>(&mut stream, &settings).map(|plan| plan.is_fused());
            assert_eq!(chosen, clusters && short && !planar && settings.refinement == 1, "{settings:?}");
            assert!(!staged);
        }
    }
}

/// One of each kernel, for tools that take a thousand times as long.
#[test]
fn tiny_rungs_agree() {
    let wanted = |s: &Settings| s.grid.rows == 16 && s.refinement == 1 && s.direction != Direction::Forward;
    rungs_agree::<f32>("tiny_rungs_agree", &[Scene::Source], wanted);
}

#[test]
fn small_rungs_agree_in_single_precision() {
    let scenes = [Scene::Source, Scene::Noise, Scene::Smooth];
    rungs_agree::<f32>("small_rungs_agree_in_single_precision", &scenes, |s| s.grid.rows <= 25);
}

#[test]
fn rungs_agree_in_single_precision() {
    let scenes = [Scene::Source, Scene::Noise, Scene::Smooth];
    rungs_agree::<f32>("rungs_agree_in_single_precision", &scenes, |s| s.grid.rows > 25);
}

#[test]
fn small_rungs_agree_in_double_precision() {
    rungs_agree::<f64>("small_rungs_agree_in_double_precision", &[Scene::Source], |s| s.grid.rows <= 25);
}

fn every_stage_agrees<T: Number>(test: &str, scenes: &[Scene]) {
    for device in devices(test) {
        let mut stream = device.stream().unwrap();
        let mut worst = [0.0f64; 3];
        for settings in cases() {
            for &scene in scenes {
                let errors = stages_agree::<T>(&mut stream, &settings, scene);
                worst = std::array::from_fn(|i| worst[i].max(errors[i]));
            }
        }
        let ([field, spectrum, result], name) = (worst, &device.properties().name);
        println!("{test}, {name}: worst field {field:.1e}, spectrum {spectrum:.1e}, result {result:.1e}");
    }
}

#[test]
fn every_stage_agrees_in_single_precision() {
    let scenes = [Scene::Source, Scene::Noise, Scene::Smooth];
    every_stage_agrees::<f32>("every_stage_agrees_in_single_precision", &scenes);
}

#[test]
fn every_stage_agrees_in_double_precision() {
    every_stage_agrees::<f64>("every_stage_agrees_in_double_precision", &[Scene::Source, Scene::Noise]);
}

/// Predicting a field without noise is as ill-conditioned as it gets: `f32` comes out where rounding puts it, and the
/// card may be as far from the truth as the CPU's own `f32`. Both errors are sums of many roundings, so their sizes
/// are within a factor of 2 of each other; 3 leaves room for the card's fused multiply-add.
#[test]
fn fields_without_noise_are_as_good_as_on_the_cpu() {
    for device in devices("fields_without_noise_are_as_good_as_on_the_cpu") {
        let mut stream = device.stream().unwrap();
        for settings in cases().into_iter().filter(|s| s.grid.rows > 24 && s.refinement == 1) {
            let (mut expected, mut twin) = (on_cpu::<f64>(&settings), on_cpu::<f32>(&settings));
            let input = holograms(Scene::Exact, settings.grid.aperture, 2);
            let (single, n) = (narrow(&input), input.len());
            let (mut b, mut truth) = (poisoned(n), poisoned(n));
            twin.execute(&single, &mut b, None).unwrap();
            expected.execute(&input, &mut truth, None).unwrap();
            let b = error(&b, &truth);
            for mut ours in rungs::<f32>(&mut stream, &settings) {
                let mut a = poisoned(n);
                ours.execute(&mut stream, &single, &mut a, None).unwrap();
                let a = error(&a, &truth);
                assert!(a <= 3.0 * b, "{a:e} on the card, {b:e} on the CPU: {settings:?}");
            }
        }
    }
}
