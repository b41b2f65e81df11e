//! Moments on a card against the processor: Hankel functions, matrices of all methods and equations, solvers, far fields.

use crate::devices;
use kernels::mom;
use num_complex::Complex;
use pipeline::mom::contour::{self, Kind};
use pipeline::mom::cuda::{self, Card};
use pipeline::mom::curve::Outline;
use pipeline::mom::equation::Equation;
use pipeline::mom::hankel::hankel;
use pipeline::mom::{Density, Error, Formulation, Method, Plan, Polarisation, Settings, Solver, cpu};

type C = Complex<f64>;

/// Hankel functions of the card and of the processor, two roundings each, and of 32 bits, where all of P, Q, sine, cosine and the root are rounded.
const HANKEL: f64 = 4.0 * f64::EPSILON;
const SHORT_HANKEL: f64 = 4.0 * f32::EPSILON as f64;
/// Entries: phases of kR up to 100 with a rounding each, and differences of terms that nearly cancel, of the greatest entry's size.
const ENTRY: f64 = 1e-12;
const SHORT_ENTRY: f64 = 2e-6;
/// Currents and far fields: rounding times a condition of some 1e3, on both sides.
const SOLUTION: f64 = 1e-11;
const NOTHING: C = C::new(f64::NAN, f64::NAN);

/// Greatest distance over the greatest magnitude; not a number where one is none.
fn off(found: &[C], expected: &[C]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let greatest = expected.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let worse = |worst: f64, error: f64| if error <= worst { worst } else { error };
    found.iter().zip(expected).map(|(a, b)| (a - b).norm() / greatest).fold(0.0, worse)
}

fn widened(value: &Complex<f32>) -> C {
    C::new(value.re.into(), value.im.into())
}

#[test]
fn hankel_functions_are_those_of_the_processor() {
    for device in devices("hankel_functions_are_those_of_the_processor") {
        let mut stream = device.stream().unwrap();
        let settings = Settings::new(1.0);
        let numbers = cuda::numbers(&Equation::new(&settings), &settings);
        let mut state = 1u64;
        let arguments: Vec<f64> = (0..1_000_000)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                10f64.powf(13.0 * (state >> 11) as f64 / (1u64 << 53) as f64 - 8.0)
            })
            .collect();
        let there = mom::hankel::<f64>(&mut stream, &numbers, &arguments).unwrap();
        let mut double = vec![NOTHING; there.len()];
        stream.download(&there, &mut double).unwrap();
        let there = mom::hankel::<f32>(&mut stream, &numbers, &arguments).unwrap();
        let mut single = vec![Complex::new(f32::NAN, f32::NAN); there.len()];
        stream.download(&there, &mut single).unwrap();
        for (at, x) in arguments.iter().enumerate() {
            for (order, expected) in hankel(*x).into_iter().enumerate() {
                let (wide, narrow) = (double[2 * at + order], widened(&single[2 * at + order]));
                assert!(
                    (wide - expected).norm() < HANKEL * expected.norm(),
                    "H{order}({x}): {wide} {expected}"
                );
                assert!(
                    (narrow - expected).norm() < SHORT_HANKEL * expected.norm(),
                    "H{order}({x}): {narrow}"
                );
            }
        }
    }
}

/// A circle, an ellipse and a triangle with graded corners.
fn bodies() -> [Outline; 3] {
    let corners = vec![[5.0, 0.0], [6.0, 0.0], [5.5, 1.0]];
    [
        Outline::circle([0.3, 0.1], 1.0).unwrap(),
        Outline::ellipse([3.0, 0.5], [0.5, 1.1]).unwrap(),
        contour::outline(corners, Kind::Polygon).unwrap(),
    ]
}

fn cases() -> Vec<Settings> {
    let methods =
        [Method::Pulse, Method::Kress, Method::Lcn(1), Method::Lcn(4), Method::Lcn(8), Method::Lcn(16)];
    let formulations = [Formulation::Efie, Formulation::Mfie, Formulation::Cfie(0.4)];
    let mut cases = Vec::new();
    for polarisation in [Polarisation::Tm, Polarisation::Te] {
        for formulation in formulations {
            for method in methods {
                for impedance in [C::ZERO, C::new(30.0, 20.0)] {
                    let settings = Settings {
                        polarisation,
                        formulation,
                        method,
                        impedance,
                        grading: 3,
                        ..Settings::new(0.7)
                    };
                    let density = Density::PerWavelength(12.0 / settings.nodes() as f64);
                    cases.push(Settings { density, ..settings });
                }
            }
        }
    }
    cases
}

#[test]
fn matrices_are_those_of_the_processor() {
    for device in devices("matrices_are_those_of_the_processor") {
        let mut card = Card::new(&device).unwrap();
        let all = bodies();
        for settings in cases() {
            // Kress's rule wants smooth curves.
            let outlines = if settings.method == Method::Kress { &all[..2] } else { &all[..] };
            let (_, expected) = cpu::fill(outlines, &settings).unwrap();
            let (bodies, moments) = cuda::prepare(&mut card, outlines, &settings).unwrap();
            for _ in 0..2 {
                let matrix = cuda::fill(&mut card, &bodies, &moments, &settings).unwrap();
                let mut found = vec![NOTHING; expected.len()];
                card.stream.download(&matrix, &mut found).unwrap();
                let error = off(&found, &expected);
                assert!(error < ENTRY, "{settings:?}: {error:e}");
            }
        }
    }
}

#[test]
fn matrices_of_32_bits_are_those_of_64() {
    for device in devices("matrices_of_32_bits_are_those_of_64") {
        let mut card = Card::new(&device).unwrap();
        for polarisation in [Polarisation::Tm, Polarisation::Te] {
            let formulation = Formulation::Cfie(0.5);
            let settings = Settings { polarisation, formulation, ..Settings::new(0.3) };
            let (_, expected) = cpu::fill(&bodies(), &settings).unwrap();
            let (bodies, _) = cuda::prepare(&mut card, &bodies(), &settings).unwrap();
            let (method, tables) = cuda::tables(&bodies.equation, &bodies.mesh, &settings);
            let numbers = cuda::numbers(&bodies.equation, &settings);
            let moments = mom::Moments::<f32>::new(&mut card.stream, method, &numbers, &tables).unwrap();
            let mut matrix = kernels::Buffer::poisoned(&mut card.stream, "matrix", expected.len()).unwrap();
            moments.fill(&mut card.stream, &mut matrix).unwrap();
            let mut found = vec![Complex::new(f32::NAN, f32::NAN); expected.len()];
            card.stream.download(&matrix, &mut found).unwrap();
            let error = off(&found.iter().map(widened).collect::<Vec<C>>(), &expected);
            assert!(error < SHORT_ENTRY, "{polarisation:?}: {error:e}");
        }
    }
}

#[test]
fn solvers_agree_with_the_processor() {
    for device in devices("solvers_agree_with_the_processor") {
        let outlines =
            [Outline::circle([0.0; 2], 2.0).unwrap(), Outline::ellipse([4.0, 0.5], [0.5, 1.1]).unwrap()];
        let angles: Vec<f64> = (0..37).map(|at| 10.0 * f64::from(at)).collect();
        for (polarisation, formulation) in
            [(Polarisation::Tm, Formulation::Efie), (Polarisation::Te, Formulation::Cfie(0.5))]
        {
            let settings = Settings { polarisation, formulation, ..Settings::new(0.5) };
            let here = Plan::on_cpu(&outlines, &settings).unwrap();
            let expected = here.solve(&angles).unwrap();
            let far = here.all_amplitudes(&expected, &angles).unwrap();
            for solver in [Solver::Lu, Solver::Refine, Solver::Crout] {
                let plan = Plan::on_cuda(&device, &outlines, &Settings { solver, ..settings }).unwrap();
                for _ in 0..2 {
                    let found = plan.solve(&angles).unwrap();
                    let error = off(&found.unknowns, &expected.unknowns);
                    assert!(error < SOLUTION, "{solver:?}: {error:e}");
                    assert!(found.backward_error < 1e-14, "{solver:?}: {:e}", found.backward_error);
                    let error = off(&plan.all_amplitudes(&found, &angles).unwrap(), &far);
                    assert!(error < SOLUTION, "{solver:?}, far field: {error:e}");
                }
                // Both are estimates by the same steps, from factors of other roundings.
                let ratio = plan.condition().unwrap() / here.condition().unwrap();
                assert!((0.9..1.1).contains(&ratio), "{solver:?}: {ratio}");
                let ratio = plan.amplification().unwrap() / here.amplification().unwrap();
                assert!((0.999..1.001).contains(&ratio), "{solver:?}: {ratio}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_the_card_is_refused_with_numbers() {
    for device in devices("what_does_not_fit_the_card_is_refused_with_numbers") {
        let settings = Settings { density: Density::Cells(100_000), ..Settings::new(0.01) };
        let outlines = [Outline::circle([0.0; 2], 10.0).unwrap()];
        match Plan::on_cuda(&device, &outlines, &settings).map(drop) {
            Err(Error::Memory { unknowns, needed_gib, free_gib, .. }) => {
                assert_eq!(unknowns, 800_000);
                assert!(needed_gib > free_gib && free_gib > 0.0);
            }
            other => panic!("{other:?}"),
        }
    }
}
