use super::super::objective::{Functional, Masks, SoftMinimum};
use super::super::scattering::ScatteringTable;
use super::super::testing::{lattice, mask, model, scattered, sky};
use super::super::{Elements, Mask, Pattern};
use super::*;
use numerics::quadrature::half_line;
use std::f64::consts::TAU;

/// Of every plan here. Fields are right to it times the sum of all |a|, which is at most 10 times a level above -20 dB of the peak.
const TOLERANCE: f64 = 1e-10;

fn table() -> Scattering {
    let phases: Vec<f64> = (0..30).map(|i| -3.1 + TAU / 30.5 * f64::from(i)).collect();
    let angles = vec![0.0, 0.2, 0.6];
    let all = || angles.iter().flat_map(|angle| phases.iter().map(move |phase| (*angle, *phase)));
    let co = all()
        .map(|(angle, phase)| C::from_polar(0.9 + 0.05 * phase.cos() - 0.2 * angle, phase + 0.1 * angle));
    let cross = all().map(|(angle, phase)| C::from_polar(0.05 + 0.3 * angle, 0.5 + 2.0 * phase.sin()));
    let (co, cross) = (co.collect(), cross.collect());
    Scattering::Table(ScatteringTable { phases: phases.clone(), angles: angles.clone(), co, cross })
}

/// Models that differ in what elements are.
fn models() -> Vec<Model> {
    let cosine = Model { pattern: Pattern::Cosine { exponent: 1.0 }, ..model() };
    let uneven = Model { pattern: Pattern::Cosine { exponent: 0.37 }, scattering: table(), ..model() };
    vec![model(), cosine, uneven]
}

/// A lattice, one with holes and out of order, and elements anywhere.
fn arrays() -> Vec<Elements> {
    let mut holed = lattice();
    for at in [40, 12, 0] {
        for values in [&mut holed.x, &mut holed.y, &mut holed.phase] {
            values.remove(at);
        }
    }
    [&mut holed.x, &mut holed.y, &mut holed.phase].into_iter().for_each(|values| values.reverse());
    vec![lattice(), holed, scattered()]
}

/// A part of the sky aside from the axis, by moments, and so much of it that a NUFFT is cheaper.
fn skies() -> [(Vec<f64>, Vec<f64>); 2] {
    [sky(9, 0.1, -0.05, 0.12), sky(120, 0.0, 0.0, 0.65)]
}

#[test]
fn both_ways_to_the_sky_are_walked() {
    let elements = scattered();
    let [near, wide] = skies().map(|(u, v)| {
        let directions = Directions { u: &u, v: &v };
        Plan::moving(&model(), directions, elements.len(), [0.05; 2], TOLERANCE).unwrap().far
    });
    assert!(matches!(near, Far::Moments(_)) && matches!(wide, Far::Nufft(_)));
}

/// Directivities, co- and cross-polar fields and P, by definition.
#[test]
fn fields_are_those_of_the_definition() {
    let mut scratch = Scratch::default();
    for (m, model) in models().iter().enumerate() {
        for (e, elements) in arrays().iter().enumerate() {
            for (u, v) in skies() {
                let plan =
                    Plan::fixed(model, Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE)
                        .unwrap();
                let places = plan.places(&elements.x, &elements.y).unwrap();
                scratch.levels.fill(f64::NAN);
                for _ in 0..2 {
                    let (fields, power) = plan.fields(&places, &elements.phase, &mut scratch).unwrap();
                    let few: Vec<usize> = (0..u.len()).step_by(u.len() / 40).collect();
                    let pick = |all: &[f64]| few.iter().map(|i| all[*i]).collect::<Vec<_>>();
                    let expected = reference::directivity(model, elements, &pick(&u), &pick(&v));
                    let peak = expected.iter().map(|d| d[0]).fold(0.0, f64::max);
                    for (i, expected) in few.iter().zip(&expected) {
                        for (field, expected) in fields.iter().zip(expected) {
                            let found = 2.0 * field[*i].norm_sqr() / power;
                            let tolerance = 100.0 * TOLERANCE * peak;
                            assert!(
                                (found - expected).abs() < tolerance,
                                "model {m} array {e}: {found} {expected}"
                            );
                        }
                    }
                    scratch.field.re.fill(f64::NAN);
                }
                scratch = Scratch::default();
            }
        }
    }
}

/// P by a Gauss rule in w = cos(theta) and evenly spaced phi. The level's mean over phi is even in w and smooth, so that both rules are exact
/// but for the power w^0.74 of the last model, whose edge at the horizon costs about (1/256)^1.74 of the level there.
#[test]
fn the_power_is_the_integral_over_the_hemisphere() {
    let elements = scattered();
    for (model, tolerance) in models().iter().zip([1e-11, 1e-11, 1e-5]) {
        let all = reference::excitations(model, &elements);
        let (beta, count) = (model.wavenumber(), 80);
        let level = |w: f64, phi: f64| {
            let (u, v) = ((1.0 - w * w).sqrt() * phi.cos(), (1.0 - w * w).sqrt() * phi.sin());
            let factor =
                |a: &Vec<C>| reference::array_factor(beta, &elements.x, &elements.y, a, u, v).norm_sqr();
            all.iter().map(factor).sum::<f64>() * reference::gain(model.pattern, u, v)
        };
        let (nodes, weights) = half_line(128);
        let ring = |w: f64| (0..count).map(|j| level(w, TAU * f64::from(j) / f64::from(count))).sum::<f64>();
        let sum: f64 =
            nodes.iter().zip(&weights).map(|(w, weight)| weight * ring(*w) / f64::from(count)).sum();
        let power: f64 =
            all.iter().map(|a| reference::power(beta, model.pattern, &elements.x, &elements.y, a)).sum();
        assert!((sum / power - 1.0).abs() < tolerance, "{:?}: {sum} {power}", model.pattern);
    }
}

fn objectives(mask: &Mask, levels: &[f64]) -> Vec<Box<dyn Objective>> {
    let lower =
        levels.iter().enumerate().map(|(i, level)| if i % 3 == 0 { 1.2 * level } else { 0.0 }).collect();
    let upper =
        levels.iter().enumerate().map(|(i, level)| if i % 3 == 1 { 0.8 * level } else { 9.0 * level });
    let upper = upper.collect();
    vec![
        Box::new(SoftMinimum::new(mask, 0.3, 5.0)),
        Box::new(Masks::new(mask, 3.0)),
        Box::new(Functional { lower, upper }),
    ]
}

/// Gradients by phases and by positions against differences of fourth order, h = 1e-5 of the unknown's scale. What is left is the tolerance of
/// the values over h, of the largest component, and near the nulls of a wide mask the fifth derivative.
#[test]
fn gradients_are_those_of_differences() {
    let mut scratch = Scratch::default();
    for (m, model) in models().iter().enumerate() {
        for (u, v) in [sky(9, 0.1, -0.05, 0.12), sky(60, 0.0, 0.0, 0.6)] {
            let (elements, mask) = (scattered(), mask(&u, &v));
            let n = elements.len();
            let plan = Plan::moving(model, Directions { u: &u, v: &v }, n, [0.06; 2], 1e-12).unwrap();
            let places = plan.places(&elements.x, &elements.y).unwrap();
            let directivity = plan.directivity(&places, &elements.phase, &mut scratch).unwrap();
            let levels: Vec<f64> = scratch.levels.clone();
            assert!(directivity.iter().all(|d| d.is_finite()));
            for (o, objective) in objectives(&mask, &levels).iter().enumerate() {
                let mut by = [vec![f64::NAN; n], vec![f64::NAN; n], vec![f64::NAN; n]];
                let [phase, x, y] = &mut by;
                let gradient = Gradient { phase, places: Some([x, y]) };
                plan.evaluate(&places, &elements.phase, objective.as_ref(), Some(gradient), &mut scratch)
                    .unwrap();
                for (part, scale) in [(0, 1.0), (1, 0.01), (2, 0.01)] {
                    let largest = by[part].iter().fold(0.0, |most: f64, by| most.max(by.abs()));
                    for i in (0..n).step_by(13) {
                        // Values of eq. 17 are 1e9, and their rounding shows.
                        let step = if o == 2 { 1e-4 } else { 1e-5 } * scale;
                        let mut value = |step: f64| {
                            let mut moved = elements.clone();
                            [&mut moved.phase, &mut moved.x, &mut moved.y][part][i] += step;
                            let places = plan.places(&moved.x, &moved.y).unwrap();
                            plan.evaluate(&places, &moved.phase, objective.as_ref(), None, &mut scratch)
                                .unwrap()
                        };
                        let [near, far] = [step, 2.0 * step].map(|h| (value(h) - value(-h)) / (2.0 * h));
                        let difference = (4.0 * near - far) / 3.0;
                        let apart = (difference - by[part][i]).abs() / largest;
                        assert!(
                            apart < 5e-6,
                            "model {m} objective {o} part {part} element {i}: {difference} {}",
                            by[part][i]
                        );
                    }
                }
            }
            scratch = Scratch::default();
        }
    }
}

/// A lattice's gradient by phases is that of the same elements anywhere.
#[test]
fn a_lattice_has_the_same_gradient() {
    let (u, v) = sky(9, 0.1, -0.05, 0.12);
    let (elements, mask, mut scratch) = (lattice(), mask(&u, &v), Scratch::default());
    let objective = SoftMinimum::new(&mask, 0.3, 5.0);
    let fixed =
        Plan::fixed(&model(), Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE).unwrap();
    let moving =
        Plan::moving(&model(), Directions { u: &u, v: &v }, elements.len(), [0.05; 2], TOLERANCE).unwrap();
    let [a, b] = [&fixed, &moving].map(|plan| {
        let places = plan.places(&elements.x, &elements.y).unwrap();
        let mut phase = vec![f64::NAN; elements.len()];
        let gradient = Gradient { phase: &mut phase, places: None };
        plan.evaluate(&places, &elements.phase, &objective, Some(gradient), &mut scratch).unwrap();
        scratch = Scratch::default();
        phase
    });
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8), "{a:?} {b:?}");
}

#[test]
fn bad_input_is_refused() {
    let elements = lattice();
    let plan = |model: &Model, u: &[f64], v: &[f64], x: &[f64]| {
        Plan::fixed(model, Directions { u, v }, x, &elements.y[..x.len()], TOLERANCE).err()
    };
    let refused = |model: &Model, u: &[f64], v: &[f64], x: &[f64], named: &str| {
        let error = plan(model, u, v, x);
        assert!(
            matches!(&error, Some(Error::Invalid { given, .. }) if given.starts_with(named)),
            "{error:?}"
        );
    };
    let wrong = Model { frequency: f64::NAN, ..model() };
    refused(&wrong, &[0.0], &[0.0], &elements.x, "frequency NaN");
    refused(&model(), &[0.9], &[0.9], &elements.x, "direction 0,");
    refused(&model(), &[f64::NAN], &[0.0], &elements.x, "direction 0,");
    assert!(matches!(plan(&model(), &[0.0, 0.0], &[0.0], &elements.x), Some(Error::Length { .. })));
    refused(&model(), &[], &[], &elements.x, "63 elements and 0 directions");
    refused(&model(), &[0.0], &[0.0], &[], "0 elements and 1 directions");
    refused(&model(), &[0.0], &[0.0], &[f64::NAN], "element 0 at");
    let good =
        Plan::fixed(&model(), Directions { u: &[0.0], v: &[0.0] }, &elements.x, &elements.y, TOLERANCE)
            .unwrap();
    assert!(matches!(good.places(&elements.x[1..], &elements.y), Err(Error::Length { .. })));
    let places = good.places(&elements.x, &elements.y).unwrap();
    let short = good.directivity(&places, &elements.phase[1..], &mut Scratch::default());
    assert!(matches!(short, Err(Error::Length { .. })));
    let mut feed = model();
    feed.feed.position[2] = -1.0;
    refused(&feed, &[0.0], &[0.0], &elements.x, "feed at");
}
