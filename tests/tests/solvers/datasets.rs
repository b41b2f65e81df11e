//! The whole chain on every card found, from bits to the source plane, against the CPU in double precision on the independent
//! recordings `pnah/d1` to `d4`.

use crate::devices;
use kernels::Device;
use num_complex::Complex;
use pipeline::holography::Padding;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::design::KFilter;
use pipeline::signal::front_end::{Method, Taper};
use tests::holograms::{Chain, Dataset, datasets};

const POINTS: usize = 1024;
const THESIS: FilterRule = FilterRule::Fixed(KFilter::THESIS);
const LPBP_8: Padding = Padding::Lpbp { order: 8 };

/// Relative L2 error over a hologram in `f32`: sums of 1024 products round by less than 1e-6 of a bin of average strength,
/// which the weakest bins of these recordings, 20 dB below, see as 1e-5; linear prediction and back-propagation at 4 cm
/// multiply what enters them by less than 10.
const TOLERANCE: f64 = 1e-4;

/// Largest relative L2 error of all holograms.
fn worst(ours: &[Complex<f64>], expected: &[Complex<f64>]) -> f64 {
    assert_eq!(ours.len(), expected.len());
    let error = |(ours, expected): (&[Complex<f64>], &[Complex<f64>])| {
        let apart: f64 = ours.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
        (apart / expected.iter().map(|b| b.norm_sqr()).sum::<f64>()).sqrt()
    };
    let errors = ours.chunks_exact(POINTS).zip(expected.chunks_exact(POINTS)).map(error);
    // A NaN must not get lost in a maximum.
    errors.fold(0.0, |worst: f64, e| if e.is_nan() || e > worst { e } else { worst })
}

/// Runs a chain on card and CPU, prints the worst errors, and holds both to the tolerance.
fn agrees(device: &Device, name: &str, chain: Chain, datasets: &[Dataset]) {
    for dataset in datasets {
        let (measured, source) = chain.run_on::<f32>(Some(device), dataset);
        assert_eq!(measured.len(), POINTS * dataset.bins.len());
        let expected = chain.run::<f64>(dataset);
        let errors = [worst(&measured, &expected.0), worst(&source, &expected.1)];
        println!(
            "{name}, {}, {} bins: measured {:.1e}, source {:.1e}",
            dataset.name,
            dataset.bins.len(),
            errors[0],
            errors[1]
        );
        assert!(errors.iter().all(|&e| e < TOLERANCE), "{name}, {}: {errors:?}", dataset.name);
    }
}

#[test]
fn every_front_end_agrees_on_the_recordings() {
    let test = "every_front_end_agrees_on_the_recordings";
    for device in devices(test) {
        let Some(datasets) = datasets(test) else { return };
        for (name, method, taper) in [
            ("nominal", Method::Nominal, Taper::Hann),
            ("dot", Method::Dot, Taper::Hann),
            ("average", Method::Average, Taper::None),
            ("walsh 40", Method::Walsh { coefficients: Some(40) }, Taper::None),
            ("walsh all, Hann", Method::Walsh { coefficients: None }, Taper::Hann),
            ("bits", Method::Bits, Taper::None),
        ] {
            agrees(&device, name, Chain { method, taper, padding: LPBP_8, rule: THESIS }, &datasets);
        }
    }
}

#[test]
fn every_padding_and_filter_agrees_on_the_recordings() {
    let test = "every_padding_and_filter_agrees_on_the_recordings";
    for device in devices(test) {
        let Some(datasets) = datasets(test) else { return };
        let default = Padding::Lpbp { order: 6 };
        for (name, padding, rule) in [
            ("zeros, 50:0.3", Padding::Zero, THESIS),
            ("plpbp:8, 50:0.3", Padding::Plpbp { order: 8 }, THESIS),
            // A filter other than the CPU's would be far beyond the tolerance.
            ("lpbp:6, auto", default, FilterRule::Auto),
            ("lpbp:6, L-curve", default, FilterRule::LCurve),
        ] {
            agrees(&device, name, Chain::nominal(padding, rule), &datasets);
        }
    }
}
