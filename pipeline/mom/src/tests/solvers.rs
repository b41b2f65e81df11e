use super::super::crout::Crout;
use super::super::settings::Solver;
use super::super::solve::System;
use super::super::{Error, cpu};
use super::*;
use num_complex::Complex;

type C = Complex<f64>;

/// Forward errors are condition (some 250) times rounding; all incidences at once.
const AGREEMENT: f64 = 1e-12;

#[test]
fn all_solvers_agree_and_can_be_used_twice() {
    let (outlines, settings) = case(Polarisation::Tm, Formulation::Efie, Method::Lcn(4), 40);
    let incidences = [0.0, 33.0, 270.0];
    let plan = cpu::Plan::new(&outlines, &settings).unwrap();
    let expected = plan.solve(&incidences).unwrap();
    assert!(expected.backward_error < 1e-15);
    for solver in [Solver::Lu, Solver::Refine, Solver::Crout] {
        let plan = cpu::Plan::new(&outlines, &Settings { solver, ..settings }).unwrap();
        let condition = plan.condition();
        assert!((10.0..1e3).contains(&condition), "{solver:?}: {condition}");
        for _ in 0..2 {
            let found = plan.solve(&incidences).unwrap();
            let top = expected.unknowns.iter().map(|value| value.norm()).fold(0.0, f64::max);
            for (a, b) in found.unknowns.iter().zip(&expected.unknowns) {
                assert!((a - b).norm() < AGREEMENT * top, "{solver:?}: {a} {b}");
            }
            assert!(found.backward_error < 1e-14, "{solver:?}: {:e}", found.backward_error);
            assert_eq!(found.steps > 0, solver == Solver::Refine);
        }
    }
}

/// A permutation has no pivot where it stands.
#[test]
fn crout_pivots() {
    let (zero, one) = (C::ZERO, C::ONE);
    let matrix = vec![zero, one, zero, zero, zero, 2.0 * one, one, zero, zero];
    let crout = Crout::new(matrix, 3).unwrap();
    // A x: rows (0 0 1), (1 0 0), (0 2 0).
    assert_eq!(crout.solve(&[3.0 * one, one, 4.0 * one]), [one, 2.0 * one, 3.0 * one]);
    assert!(Crout::new(vec![zero; 4], 2).is_err());
}

#[test]
fn singular_matrices_are_refused_by_their_pivot() {
    let ones = vec![C::ONE; 9];
    for solver in [Solver::Lu, Solver::Refine, Solver::Crout] {
        assert!(
            matches!(System::new(ones.clone(), 3, solver), Err(Error::Singular { pivot: 1, .. })),
            "{solver:?}"
        );
        let nan = vec![C::new(f64::NAN, 0.0); 9];
        assert!(System::new(nan, 3, solver).is_err());
    }
}

/// 32 bits do not carry a condition of 1e12: refinement says so.
#[test]
fn refinement_that_cannot_converge_is_an_error() {
    let size = 12;
    // Hilbert's matrix: condition 1e16.
    let matrix =
        (0..size * size).map(|at| C::new(1.0 / (1.0 + (at % size + at / size) as f64), 0.0)).collect();
    match System::new(matrix, size, Solver::Refine) {
        Err(Error::Singular { .. }) => {}
        Ok(system) => assert!(matches!(system.solve(&vec![C::ONE; size]), Err(Error::Stalled { .. }))),
        Err(other) => panic!("{other}"),
    }
}

/// The estimate is exact for diagonal matrices, and scaling takes its part.
#[test]
fn conditions_are_estimated() {
    let size = 5;
    let mut matrix = vec![C::ZERO; size * size];
    (0..size).for_each(|i| matrix[i * size + i] = C::new(0.0, 10f64.powi(i as i32)));
    for solver in [Solver::Lu, Solver::Crout] {
        let system = System::new(matrix.clone(), size, solver).unwrap();
        assert!((system.condition(&vec![1.0; size]) / 1e4 - 1.0).abs() < 1e-12);
        assert!((system.condition(&[3.0, 1.0, 4.0, 1.0, 5.0]) / 1e4 - 1.0).abs() < 1e-12);
    }
}
