//! Reflectarrays against independent data: `shared/data/reflectarray`, direct sums and a gradient by differences of a 71 x 71 array, and
//! fronts of mean against least directivity that a plain L-BFGS reached.

mod coverage;
mod cuda;
mod layout;

use num_complex::Complex;
use pipeline::reflectarray::cpu::{Directions, Gradient, Plan, Scratch};
use pipeline::reflectarray::objective::{Functional, Objective};
use pipeline::reflectarray::spacing::{self, Shape};
use pipeline::reflectarray::synthesis::{aperiodic, periodic};
use pipeline::reflectarray::{Design, Feed, Mask, Model, Region, Spacing, Task};
use std::ops::ControlFlow;
use std::path::Path;

type C = Complex<f64>;

/// The data's own precision, and that of plans: relative to the largest value.
const TOLERANCE: f64 = 1e-9;

/// Table 1 of the paper.
fn europe() -> Model {
    Model::new(14.25e9, Feed::offset(0.423, 0.833, 12.0))
}

/// Table 3 of the paper.
fn conus() -> Model {
    Model::new(14.25e9, Feed::offset(0.276, 1.0, 12.0))
}

/// Phases that make excitations a of the light of the feed, whose magnitudes the data shares.
fn phases(model: &Model, x: &[f64], y: &[f64], a: &[C]) -> Vec<f64> {
    let light = x.iter().zip(y).map(|(x, y)| model.feed.light(model.wavenumber(), *x, *y).f);
    let ratio = light.zip(a).map(|(f, a)| a / f);
    ratio.inspect(|ratio| assert!((ratio.norm() - 1.0).abs() < 1e-12)).map(|ratio| ratio.arg()).collect()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

#[test]
fn the_array_factor_is_that_of_the_data() {
    let Some(file) = tests::shared("array factor", "reflectarray/af_ref_71.npz") else { return };
    let real = |name: &str| tests::npz::<f64>(&file, name).0;
    let (x, y, u, v) = (real("x"), real("y"), real("u"), real("v"));
    let [a, expected] = ["a", "F"].map(|name| tests::npz::<C>(&file, name).0);
    let model = europe();
    let phase = phases(&model, &x, &y, &a);
    let directions = Directions { u: &u, v: &v };
    let moving = Plan::moving(&model, directions, x.len(), [0.38; 2], 1e-12).unwrap();
    let fixed = Plan::fixed(&model, directions, &x, &y, 1e-12).unwrap();
    for plan in [fixed, moving] {
        let places = plan.places(&x, &y).unwrap();
        let ([co, cross], _) = plan.fields(&places, &phase, &mut Scratch::default()).unwrap();
        let apart = largest(co.iter().zip(&expected).map(|(a, b)| (a - b).norm()));
        assert!(apart < TOLERANCE * largest(expected.iter().map(|f| f.norm())), "{apart:e}");
        assert!(co.len() == expected.len() && cross.iter().all(|f| f.norm() == 0.0));
    }
}

/// Eq. 17 of E = g F, with the data's complex g.
struct Weighted {
    inner: Functional,
    gains: Vec<f64>,
}

impl Objective for Weighted {
    fn value(&self, levels: &[f64], power: f64, slopes: &mut [f64]) -> (f64, f64) {
        let levels: Vec<f64> = levels.iter().zip(&self.gains).map(|(level, gain)| level * gain).collect();
        let both = self.inner.value(&levels, power, slopes);
        slopes.iter_mut().zip(&self.gains).for_each(|(slope, gain)| *slope *= gain);
        both
    }
}

#[test]
fn the_functional_and_its_gradient_are_those_of_the_data() {
    let Some(file) = tests::shared("gradient", "reflectarray/gradcheck_data.npz") else { return };
    let real = |name: &str| tests::npz::<f64>(&file, name).0;
    let [x, y, psi, u, v] = ["x", "y", "psi", "u", "v"].map(real);
    let f = tests::npz::<C>(&file, "fn").0;
    let model = europe();
    let light = |i: usize| model.feed.light(model.wavenumber(), x[i], y[i]).f;
    assert!((0..x.len()).all(|i| (light(i) - f[i]).norm() < 1e-13 * f[i].norm() * 1e2));
    let gains = tests::npz::<C>(&file, "g").0.iter().map(|g| g.norm_sqr()).collect();
    let objective = Weighted { inner: Functional { lower: real("m2"), upper: real("M2") }, gains };
    let plan = Plan::fixed(&model, Directions { u: &u, v: &v }, &x, &y, 1e-13).unwrap();
    let places = plan.places(&x, &y).unwrap();
    let mut scratch = Scratch::default();
    let expected = real("grad");
    for _ in 0..2 {
        let mut phase = vec![f64::NAN; x.len()];
        let gradient = Gradient { phase: &mut phase, places: None };
        let value = plan.evaluate(&places, &psi, &objective, Some(gradient), &mut scratch).unwrap();
        assert!((value / real("Phi")[0] - 1.0).abs() < TOLERANCE, "{value}");
        let apart = largest(phase.iter().zip(&expected).map(|(a, b)| (a - b).abs()));
        assert!(apart < TOLERANCE * largest(expected.iter().map(|g| g.abs())), "{apart:e}");
    }
}

/// Samples of a coverage file at a step of u and v: the middles of cells inside its polygons, and their edges.
fn mask(file: &Path, step: f64) -> Mask {
    let text = std::fs::read_to_string(file).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let polygons: Vec<Vec<[f64; 2]>> = serde_json::from_value(json["polys_uv_densified8"].clone()).unwrap();
    let inside = |u: f64, v: f64| {
        let crossed = |polygon: &Vec<[f64; 2]>| {
            let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
            let hit = |([ua, va], [ub, vb]): &(&[f64; 2], &[f64; 2])| {
                (*va > v) != (*vb > v) && u < (ub - ua) * (v - va) / (vb - va) + ua
            };
            edges.filter(hit).count() % 2 == 1
        };
        polygons.iter().any(crossed)
    };
    let half = (0.12 / step) as i32;
    let along = || (-half..half).map(|i| (f64::from(i) + 0.5) * step);
    let (mut u, mut v): (Vec<f64>, Vec<f64>) =
        along().flat_map(|u| along().map(move |v| (u, v))).filter(|(u, v)| inside(*u, *v)).unzip();
    let interior = u.len();
    for polygon in &polygons {
        for ([ua, va], [ub, vb]) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let parts = ((ub - ua).hypot(vb - va) / step).ceil().max(1.0);
            for i in 0..parts as u32 {
                let t = f64::from(i) / parts;
                u.push(ua + t * (ub - ua));
                v.push(va + t * (vb - va));
            }
        }
    }
    let solid_angle = interior as f64 * step * step;
    let region =
        Region { name: "all".into(), u, v, interior, lower_dbi: Some(0.0), upper_dbi: None, weight: 1.0 };
    Mask { regions: vec![region], solid_angle }
}

/// D_min of a front at a mean, between its points; above the largest mean of the front, what it has there.
fn front(file: &Path, case: &str, mean: f64) -> f64 {
    let text = std::fs::read_to_string(file).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[0] == case).then(|| [fields[4].parse::<f64>().unwrap(), fields[6].parse::<f64>().unwrap()])
    };
    let mut points: Vec<[f64; 2]> = text.lines().skip(1).filter_map(row).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let above = points.iter().position(|point| point[0] >= mean);
    match above {
        None => points[points.len() - 1][1],
        Some(0) => points[0][1],
        Some(i) => {
            let ([x0, y0], [x1, y1]) = (points[i - 1], points[i]);
            y0 + (y1 - y0) * (mean - x0) / (x1 - x0)
        }
    }
}

/// Step of u and v of the optimiser's samples; scores have half of it.
const STEP: f64 = 0.005;

fn design(model: Model, side: usize, pitch: f64, spacing: Option<Spacing>, coverage: &Path) -> Design {
    let task = Task {
        bands: vec![(model, 1.0)],
        shape: Shape { columns: side, rows: side },
        pitch,
        spacing,
        mask: mask(coverage, STEP),
        fine: mask(coverage, 0.5 * STEP),
        mean: 0.3,
        starts: 4,
    };
    let mut stages = if spacing.is_some() { aperiodic() } else { periodic() };
    // The last one is for the last tenth of a decibel.
    stages.pop();
    let plan = pipeline::reflectarray::Plan::on_cpu(task).unwrap();
    let design = plan.synthesise(&stages, &mut |_| ControlFlow::Continue(())).unwrap();
    if let Some(spacing) = spacing {
        spacing::check(&design.elements, plan.task().shape, spacing).unwrap();
    }
    design
}

/// What a design must be above the front at its mean, dB.
const BETTER: f64 = 0.2;

#[test]
fn a_design_for_europe_is_above_the_front() {
    let (Some(coverage), Some(points)) = (
        tests::shared("front", "reflectarray/coverage_europe.json"),
        tests::shared("front", "reflectarray/front_boundary.csv"),
    ) else {
        return;
    };
    let score = design(europe(), 71, 0.5 * europe().wavelength(), None, &coverage).score;
    let before = front(&points, "europe", score.d_mean_db);
    assert!(score.d_min_db > before + BETTER, "{score:?}: {before}");
}

/// Where nothing better is asked for, no design may be below the front.
#[test]
fn periodic_designs_for_wide_coverages_are_not_below_the_front() {
    let cases = [
        ("europewide", "reflectarray/coverage_europewide.json", europe(), 71),
        ("conus44_periodic", "reflectarray/coverage_conus_canada.json", conus(), 44),
    ];
    for (case, coverage, model, side) in cases {
        let (Some(coverage), Some(points)) =
            (tests::shared("front", coverage), tests::shared("front", "reflectarray/front_boundary.csv"))
        else {
            return;
        };
        let pitch = 0.5 * model.wavelength();
        let score = design(model, side, pitch, None, &coverage).score;
        let before = front(&points, case, score.d_mean_db);
        assert!(score.d_min_db > before, "{case}: {score:?}: {before}");
    }
}

#[test]
fn an_aperiodic_design_for_america_is_above_the_front_and_keeps_its_spacing() {
    let (Some(coverage), Some(points)) = (
        tests::shared("front", "reflectarray/coverage_conus_canada.json"),
        tests::shared("front", "reflectarray/front_boundary.csv"),
    ) else {
        return;
    };
    let wavelength = conus().wavelength();
    let spacing = Spacing { min: 0.5 * wavelength, max: 0.7 * wavelength };
    let score = design(conus(), 44, 0.69 * wavelength, Some(spacing), &coverage).score;
    let before = front(&points, "conus44_aper", score.d_mean_db);
    assert!(score.d_min_db > before + BETTER, "{score:?}: {before}");
}
