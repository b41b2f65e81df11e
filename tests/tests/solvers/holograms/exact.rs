//! Answers that are known without another plan: the same bits twice, powers of two, the ends of the range, plane waves.

use super::{FILTERS, FREQUENCIES, Scene, cases, holograms, narrow, poisoned, rungs};
use crate::devices;
use kernels::{Buffer, Device};
use num_complex::Complex;
use pipeline::holography::cuda::Staged;
use pipeline::holography::design::{Aperture, Grid, KFilter};
use pipeline::holography::{self, Padding, Settings, cpu};

/// Host to host and device to device, twice, with another batch in between, through both kinds of plan: the same bits.
#[test]
fn small_runs_repeat_bit_for_bit() {
    for device in devices("small_runs_repeat_bit_for_bit") {
        for settings in cases().into_iter().filter(|s| s.grid.rows <= 25) {
            repeats(&device, &settings);
        }
    }
}

fn repeats(device: &Device, settings: &Settings) {
    let mut stream = device.stream().unwrap();
    let mut results = Vec::new();
    for mut plan in rungs::<f32>(&mut stream, settings) {
        let (rows, cols) = plan.output_shape();
        let length = 2 * rows * cols;
        let input: Vec<Complex<f32>> = narrow(&holograms(Scene::Source, settings.grid.aperture, 2));
        let other: Vec<Complex<f32>> = narrow(&holograms(Scene::Noise, settings.grid.aperture, 2));
        let mut run = |input: &[Complex<f32>]| {
            let (mut pressure, mut velocity) = (poisoned(length), poisoned(length));
            plan.execute(&mut stream, input, &mut pressure, Some(&mut velocity)).unwrap();
            [pressure, velocity]
        };
        let first = run(&input);
        assert_ne!(run(&other), first);
        assert_eq!(run(&input), first, "{settings:?}");

        let on_card = Buffer::from_slice(&mut stream, "holograms", &input).unwrap();
        let mut fields = Buffer::poisoned(&mut stream, "fields", 2 * length).unwrap();
        plan.execute_device(&mut stream, &on_card, &mut fields).unwrap();
        let mut values = poisoned(2 * length);
        stream.download(&fields, &mut values).unwrap();
        assert_eq!(values, first.concat(), "{settings:?}");
        results.push((input, first));
    }
    let (input, first) = &results[0];
    let mut plan = holography::Plan::on_cuda(device, settings, &FREQUENCIES, FILTERS[0]).unwrap();
    plan.set_filter(1, FILTERS[1]).unwrap();
    let mut pressure = poisoned(first[0].len());
    plan.execute(input, &mut pressure, None).unwrap();
    assert_eq!(pressure, first[0], "{settings:?}");
}

/// Powers of two are exact, and the scale of a hologram is one: they go through the chain without touching a bit.
#[test]
fn small_powers_of_two_change_nothing() {
    for device in devices("small_powers_of_two_change_nothing") {
        let mut stream = device.stream().unwrap();
        let cases = cases().into_iter().filter(|s| s.grid.rows == 24 && s.refinement == 1);
        for (settings, rung) in cases.flat_map(|settings| [(settings, 0), (settings, 1)]) {
            let plan = &mut rungs::<f32>(&mut stream, &settings)[rung];
            let input: Vec<Complex<f32>> = narrow(&holograms(Scene::Source, settings.grid.aperture, 2));
            let mut run = |factor: f32| {
                let input: Vec<_> = input.iter().map(|x| x * factor).collect();
                let mut result = poisoned::<f32>(input.len());
                plan.execute(&mut stream, &input, &mut result, None).unwrap();
                result.into_iter().map(|x| x / factor).collect::<Vec<_>>()
            };
            let plain = run(1.0);
            for exponent in [-60, 60] {
                assert_eq!(run(2f32.powi(exponent)), plain, "2^{exponent}, {settings:?}");
            }
        }
    }
}

/// The smallest and the largest numbers have a scale too, and zeros stay zeros.
#[test]
fn small_and_large_numbers() {
    for device in devices("small_and_large_numbers") {
        let mut stream = device.stream().unwrap();
        for settings in cases().into_iter().filter(|s| s.grid.rows == 15 && s.refinement == 1) {
            let (mut plan, mut twin) = (
                Staged::<f32>::new(&mut stream, &settings, &[700.0], KFilter::THESIS).unwrap(),
                cpu::Plan::<f32>::new(&settings, &[700.0], KFilter::THESIS).unwrap(),
            );
            let points = settings.grid.aperture.len();
            for value in [0.0, f32::from_bits(1), f32::MIN_POSITIVE, 1.7e38] {
                // Alternating signs: a flat line has a constant continuation, which would hide a wrong scale.
                let input: Vec<_> =
                    (0..points).map(|i| Complex::new(if i % 3 == 0 { value } else { -value }, 0.0)).collect();
                let on_card = Buffer::from_slice(&mut stream, "holograms", &input).unwrap();
                plan.pad(&mut stream, &on_card).unwrap();
                twin.pad(&input).unwrap();
                let ours = plan.field(&mut stream, 0).unwrap();
                for (a, b) in ours.iter().zip(twin.field(0).unwrap()) {
                    // Roundings of numbers no larger than 16 times the input; subnormals are 2^-149 = 1.4e-45 apart.
                    let near = (a / 16.0 - b / 16.0).norm() <= 1e-4 * value + 1e-44;
                    assert!(near, "{value:e}: {a} is not {b}, {settings:?}");
                }
            }
        }
    }
}

/// The padded and windowed fields of a camera's hologram in `f32`, row by row, for orders up to the highest.
fn padded(device: &kernels::Device, hologram: &[Complex<f32>]) -> Vec<(usize, Vec<Complex<f32>>)> {
    let mut stream = device.stream().unwrap();
    let grid = Grid::triple(Aperture::CAMERA).unwrap();
    let hologram = Buffer::from_slice(&mut stream, "hologram", hologram).unwrap();
    let mut of_order = |order: usize| {
        let settings = Settings { padding: Padding::Lpbp { order }, ..Settings::new(grid, 0.05) };
        let mut plan = Staged::new(&mut stream, &settings, &[500.0], KFilter::THESIS).unwrap();
        plan.pad(&mut stream, &hologram).unwrap();
        let field = plan.field(&mut stream, 0).unwrap();
        (order, (0..grid.len()).map(|i| field[i % grid.cols * grid.rows + i / grid.cols]).collect())
    };
    [1, 2, 8, 16, 31].into_iter().map(&mut of_order).collect()
}

/// The model of order 1 is exact, and what higher orders would fit is rounding. N products are summed for k_1, so its
/// phase is wrong by at most N u, and the field by as much at each of the 32 + 32 steps to a corner.
#[test]
fn plane_waves_continue() {
    let tolerance = 64.0 * 32.0 * f32::EPSILON;
    let wave = |y: f32, x: f32| Complex::cis(-0.2 * y + 0.5 * x);
    let hologram: Vec<_> = (0..1024).map(|i| wave((i / 32) as f32, (i % 32) as f32)).collect();
    let (window, _) = Grid::triple(Aperture::CAMERA).unwrap().windows();
    for device in devices("plane_waves_continue") {
        for (order, field) in padded(&device, &hologram) {
            for (i, value) in field.iter().enumerate() {
                let (y, x) = (i / 96, i % 96);
                let exact = wave(y as f32 - 32.0, x as f32 - 32.0) * (window[y] * window[x]) as f32;
                let error = (value - exact).norm();
                assert!(error <= tolerance, "order {order}, row {y}, column {x}: {error:e}");
            }
        }
    }
}

/// The lattice's poles cannot leave the unit circle: 4 times the maximum is the CPU's limit for the same field.
#[test]
fn ramps_stay_small() {
    let hologram: Vec<_> =
        (0..1024).map(|i| Complex::new((i % 32) as f32 + 0.5 * (i / 32) as f32, 0.0)).collect();
    let largest = |values: &[Complex<f32>]| values.iter().map(|x| x.norm()).fold(0.0, f32::max);
    for device in devices("ramps_stay_small") {
        for (order, field) in padded(&device, &hologram) {
            let ratio = largest(&field) / largest(&hologram);
            assert!(field.iter().all(|x| x.is_finite()) && ratio <= 4.0, "order {order}: {ratio}");
        }
    }
}
