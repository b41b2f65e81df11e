//! What a plan on a card does not take.

use super::{FREQUENCIES, Scene, cases, holograms, narrow, poisoned, rungs, shapes};
use crate::devices;
use kernels::Buffer;
use num_complex::Complex;
use pipeline::holography::cuda::{Plan, Staged};
use pipeline::holography::design::KFilter;
use pipeline::holography::{Error, Padding, Settings};

#[test]
fn bad_plans_are_refused() {
    for device in devices("bad_plans_are_refused") {
        let mut stream = device.stream().unwrap();
        let good = Settings::new(shapes()[2], 0.05);
        let mut plan = |settings: Settings, frequencies: &[f64]| {
            Plan::<f32>::new(&mut stream, &settings, frequencies, KFilter::THESIS).unwrap_err()
        };
        assert_eq!(plan(good, &[]), Error::NoFrequency);
        assert_eq!(plan(Settings { refinement: 0, ..good }, &[500.0]), Error::Refinement(0));
        let padding = Padding::Plpbp { order: 8 };
        assert_eq!(plan(Settings { padding, ..good }, &[500.0]), Error::Order { order: 8, samples: 8 });
        assert!(matches!(plan(good, &[9000.0]), Error::SpatialAliasing { .. }));
        assert!(matches!(plan(Settings { standoff: 1.0, ..good }, &[500.0]), Error::Overflow { .. }));
    }
}

#[test]
fn small_bad_runs_are_refused() {
    for device in devices("small_bad_runs_are_refused") {
        let mut stream = device.stream().unwrap();
        let settings = Settings::new(shapes()[2], 0.05);
        let mut plan = Plan::<f32>::new(&mut stream, &settings, &FREQUENCIES, KFilter::THESIS).unwrap();
        let mut input: Vec<Complex<f32>> = narrow(&holograms(Scene::Source, settings.grid.aperture, 2));
        let mut result = poisoned(128);
        let short = plan.execute(&mut stream, &input[1..], &mut result, None);
        assert_eq!(short, Err(Error::Length { what: "holograms", given: 127, needed: 128 }));
        let short = plan.execute(&mut stream, &input, &mut result[1..], None);
        assert_eq!(short, Err(Error::Length { what: "result", given: 127, needed: 128 }));
        let mut velocity = poisoned(128);
        let none = plan.execute(&mut stream, &input, &mut result, Some(&mut velocity));
        assert_eq!(none, Err(Error::NoVelocity));
        for bad in [f32::NAN, f32::NEG_INFINITY, f32::MAX] {
            let place = 64 + 3 * 8 + 4;
            let good = std::mem::replace(&mut input[place], Complex::new(bad, f32::MAX));
            // A later one is not the first.
            let later = std::mem::replace(&mut input[127].re, f32::NAN);
            let refused = plan.execute(&mut stream, &input, &mut result, None);
            assert_eq!(refused, Err(Error::NotFinite { hologram: 1, row: 3, col: 4 }), "{bad}");
            (input[place], input[127].re) = (good, later);
        }
        plan.execute(&mut stream, &input, &mut result, None).unwrap();
        let staged = Staged::<f32>::new(&mut stream, &settings, &FREQUENCIES, KFilter::THESIS).unwrap();
        assert_eq!(staged.field(&mut stream, 2), Err(Error::Hologram { index: 2, count: 2 }));
    }
}

/// What is not waited for cannot be refused: it comes out as NaN, and only where it went in.
#[test]
fn small_nan_on_the_card_stays_in_its_hologram() {
    for device in devices("small_nan_on_the_card_stays_in_its_hologram") {
        let mut stream = device.stream().unwrap();
        for settings in cases().into_iter().filter(|s| s.grid.rows <= 16) {
            let points = settings.grid.aperture.len();
            let mut input: Vec<Complex<f32>> = narrow(&holograms(Scene::Source, settings.grid.aperture, 2));
            input[2 * settings.grid.aperture.cols + 6].im = f32::NAN;
            let input = Buffer::from_slice(&mut stream, "holograms", &input).unwrap();
            for mut plan in rungs::<f32>(&mut stream, &settings) {
                let (rows, cols) = plan.output_shape();
                let mut fields = Buffer::zeros(&mut stream, "fields", 4 * rows * cols).unwrap();
                plan.execute_device(&mut stream, &input, &mut fields).unwrap();
                let mut values = poisoned(4 * rows * cols);
                stream.download(&fields, &mut values).unwrap();
                for field in values.chunks(2 * rows * cols) {
                    let (bad, good) = field.split_at(rows * cols);
                    assert!(bad.iter().all(|x| x.re.is_nan() && x.im.is_nan()), "{settings:?}");
                    assert!(good.iter().all(|x| x.is_finite()), "{settings:?}");
                }
                let short = Buffer::zeros(&mut stream, "short", 2 * points - 1).unwrap();
                let refused = plan.execute_device(&mut stream, &short, &mut fields);
                let (given, needed) = (2 * points - 1, 2 * points);
                assert_eq!(refused, Err(Error::Length { what: "holograms", given, needed }));
            }
            let mut staged = Staged::new(&mut stream, &settings, &FREQUENCIES, KFilter::THESIS).unwrap();
            staged.pad(&mut stream, &input).unwrap();
            let refused = Err(Error::NotFinite { hologram: 0, row: 2, col: 6 });
            assert_eq!(staged.check_finite(&mut stream), refused);
        }
    }
}

#[test]
fn a_filter_that_fails_changes_nothing() {
    for device in devices("a_filter_that_fails_changes_nothing") {
        let mut stream = device.stream().unwrap();
        let settings = Settings { velocity: true, ..Settings::new(shapes()[2], 0.3) };
        let filter = KFilter { cutoff: 40.0, slope: 0.05 };
        let mut plan = Plan::<f32>::new(&mut stream, &settings, &FREQUENCIES, filter).unwrap();
        let input: Vec<Complex<f32>> = narrow(&holograms(Scene::Source, settings.grid.aperture, 2));
        let (mut before, mut after) = (poisoned(128), poisoned(128));
        plan.execute(&mut stream, &input, &mut before, None).unwrap();
        assert!(matches!(plan.set_filter(&mut stream, 1, KFilter::NONE), Err(Error::Overflow { .. })));
        let nonsense = KFilter { cutoff: f64::NAN, slope: 0.1 };
        assert!(matches!(plan.set_filter(&mut stream, 1, nonsense), Err(Error::Filter { .. })));
        let refused = plan.set_filter(&mut stream, 2, filter);
        assert_eq!(refused, Err(Error::Hologram { index: 2, count: 2 }));
        assert_eq!(plan.filters(), [filter; 2]);
        plan.execute(&mut stream, &input, &mut after, None).unwrap();
        assert_eq!(before, after);
    }
}
