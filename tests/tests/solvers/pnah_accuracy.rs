//! How near the holograms come to the truth, from bits, on independent recordings (`pnah/d1` to `d4`).
//!
//! `cargo test -p tests --test solvers pnah_accuracy -- --nocapture` prints the tables of `docs/measured/pnah.md`.

use num_complex::Complex;
use pipeline::holography::Padding;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::design::KFilter;
use pipeline::holography::metrics::{Comparison, compare};
use pipeline::signal::front_end::{Method, Taper};
use tests::holograms::{Chain, Dataset, datasets, geometric_mean};
use tests::{npz, shared};

const POINTS: usize = 1024;
const LPBP_8: Padding = Padding::Lpbp { order: 8 };
const THESIS: FilterRule = FilterRule::Fixed(KFilter::THESIS);

/// Relative L2 errors of all bins of all datasets against both truths.
fn errors(chain: Chain, datasets: &[Dataset]) -> [Vec<f64>; 2] {
    let mut errors = [Vec::new(), Vec::new()];
    for dataset in datasets {
        let source = chain.run::<f32>(dataset).1;
        for (errors, truth) in errors.iter_mut().zip([&dataset.truth, &dataset.truth_bits]) {
            let pairs = truth.chunks_exact(POINTS).zip(source.chunks_exact(POINTS));
            errors.extend(pairs.map(|(truth, source)| compare(truth, source).unwrap().relative_l2));
        }
    }
    errors
}

/// Geometric means against both truths, printed.
fn means(name: &str, chain: Chain, datasets: &[Dataset]) -> [f64; 2] {
    let errors = errors(chain, datasets);
    let means = [geometric_mean(&errors[0]), geometric_mean(&errors[1])];
    let each: Vec<String> = errors[0].iter().map(|e| format!("{:.1}", 100.0 * e)).collect();
    println!("| {name} | {:.2} | {:.2} | {} |", 100.0 * means[0], 100.0 * means[1], each.join(", "));
    means
}

/// The figures that the method must reach. Our decimator's delay (385.5 bits) lies between those of the two truths (782 and
/// 0), and a steady tone does not feel it; d4's broadband sound does, so both are printed. The fixed filter is held to 9.1 %
/// against `p0_nom` only; against `p0_hann` it reaches 9.15 %.
#[test]
fn errors_against_the_truth() {
    let Some(datasets) = datasets("errors_against_the_truth") else { return };
    println!(
        "| chain | against p0_nom, % | against p0_hann, % | bins, against p0_nom, % |\n|---|---|---|---|"
    );
    let nominal = |padding, rule| Chain::nominal(padding, rule);
    let zero = means("zero padding, 50:0.3", nominal(Padding::Zero, THESIS), &datasets);
    let fixed = means("lpbp:8, 50:0.3", nominal(LPBP_8, THESIS), &datasets);
    let auto = means("lpbp:8, auto", nominal(LPBP_8, FilterRule::Auto), &datasets);
    let default = Padding::Lpbp { order: 6 };
    means("lpbp:6, 50:0.3", nominal(default, THESIS), &datasets);
    let six = means("lpbp:6, auto (the program's default)", nominal(default, FilterRule::Auto), &datasets);
    means("lpbp:6, L-curve", nominal(default, FilterRule::LCurve), &datasets);
    for order in [4, 12, 16] {
        means(&format!("lpbp:{order}, auto"), nominal(Padding::Lpbp { order }, FilterRule::Auto), &datasets);
    }
    means("plpbp:8, 50:0.3", nominal(Padding::Plpbp { order: 8 }, THESIS), &datasets);
    means("plpbp:6, auto", nominal(Padding::Plpbp { order: 6 }, FilterRule::Auto), &datasets);
    assert!(zero[0] < 0.21, "{zero:?}");
    assert!(fixed[0] <= 0.091, "{fixed:?}");
    assert!(auto.iter().all(|&e| e <= 0.059), "{auto:?}");
    assert!(six.iter().all(|&e| e <= 0.059), "{six:?}");
}

/// Errors of a front end's source field against the nominal one's, first bin of each dataset: the thesis's Figures 7.6
/// to 7.8.
fn against_nominal(datasets: &[Dataset], method: Method, taper: Taper) -> Vec<Comparison> {
    let of_one = |dataset: &Dataset| {
        let nominal = Chain::nominal(LPBP_8, THESIS).run::<f64>(dataset).1;
        let other = Chain { method, taper, padding: LPBP_8, rule: THESIS }.run::<f64>(dataset).1;
        compare(&nominal[..POINTS], &other[..POINTS]).unwrap()
    };
    datasets.iter().map(of_one).collect()
}

#[test]
fn front_ends_against_the_nominal_one() {
    let Some(datasets) = datasets("front_ends_against_the_nominal_one") else { return };
    let walsh = |coefficients| Method::Walsh { coefficients };
    let rows = [
        ("dot", Method::Dot, Taper::Hann),
        ("average", Method::Average, Taper::None),
        ("average, Hann", Method::Average, Taper::Hann),
        ("walsh 10", walsh(Some(10)), Taper::None),
        ("walsh 40", walsh(Some(40)), Taper::None),
        ("walsh 200", walsh(Some(200)), Taper::None),
        ("walsh all", walsh(None), Taper::None),
        ("bits", Method::Bits, Taper::None),
        ("walsh 200, Hann", walsh(Some(200)), Taper::Hann),
        ("bits, Hann", Method::Bits, Taper::Hann),
    ];
    println!("| front end | d1 | d2 | d3 | d4 |\n|---|---|---|---|---|");
    let mut l2 = Vec::new();
    for (name, method, taper) in rows {
        let found = against_nominal(&datasets, method, taper);
        let cell = |c: &Comparison| {
            format!("{:.2} / {:.2} / {:.2}", 100.0 * c.rmsre, 100.0 * c.nsad, 100.0 * c.relative_l2)
        };
        println!("| {name} | {} |", found.iter().map(cell).collect::<Vec<_>>().join(" | "));
        l2.push(found.iter().map(|c| c.relative_l2).collect::<Vec<f64>>());
    }
    let [dot, average, average_hann, ten, forty, _, all, bits, _, bits_hann] = &l2[..] else {
        unreachable!()
    };
    for i in 0..datasets.len() {
        // f64: the same samples by another way of summing.
        assert!(dot[i] < 1e-10, "{dot:?}");
        assert!((all[i] - bits[i]).abs() < 1e-10, "{all:?} {bits:?}");
        // The bits through the same window differ by the decimator's noise and delay only. A single tone does not feel
        // the delay (0.01 % is left); in d3 and d4 other tones leak into the bin with another phase.
        assert!(bits_hann[i] < [5e-4, 5e-4, 3e-3, 1e-2][i], "{bits_hann:?}");
    }
    // A window takes the leakage from the average of the 220 Hz plate, and more coefficients help.
    assert!(average_hann[2] < 0.2 * average[2], "{average:?} {average_hann:?}");
    assert!(geometric_mean(ten) > geometric_mean(forty) && geometric_mean(forty) > geometric_mean(all));
}

/// Holograms of the independent numpy reference, bin by bin, up to the constant that refers our phase to the first bit.
#[test]
fn holograms_equal_the_reference() {
    let test = "holograms_equal_the_reference";
    let Some(datasets) = datasets(test) else { return };
    for dataset in &datasets {
        let reference = shared(test, &format!("pnah/{}.reference.npz", dataset.name)).unwrap();
        for (name, method, taper) in [
            ("holo_ba", Method::Average, Taper::None),
            ("holo_ba_hann", Method::Average, Taper::Hann),
            ("holo_bits", Method::Bits, Taper::None),
            ("holo_bits_hann", Method::Bits, Taper::Hann),
            ("holo_w40", Method::Walsh { coefficients: Some(40) }, Taper::None),
        ] {
            let expected: Vec<Complex<f64>> = npz(&reference, name).0;
            let chain = Chain { method, taper, padding: Padding::Zero, rule: THESIS };
            let found = chain.run::<f64>(dataset).0;
            for (expected, found) in expected.chunks_exact(POINTS).zip(found.chunks_exact(POINTS)) {
                let error = compare(expected, found).unwrap().relative_l2;
                assert!(error < 1e-9, "{} {name}: {error:e}", dataset.name);
            }
        }
    }
}
