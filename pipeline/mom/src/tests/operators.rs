use super::super::equation::Equation;
use super::super::reference::{Cylinder, orders};
use super::super::{cpu, curve::Outline};
use super::*;
use num_complex::Complex;

type C = Complex<f64>;

const WAVES: [Polarisation; 2] = [Polarisation::Tm, Polarisation::Te];

/// What the equation's left side makes of exp(j n phi): electric and magnetic part (see `equation.rs`), of
/// a conductor.
fn eigenvalues(polarisation: Polarisation, ka: f64, n: usize) -> [C; 2] {
    let [h, slope] = orders(ka, n)[n];
    let half_turn = 0.5 * std::f64::consts::PI * ka;
    match polarisation {
        Polarisation::Tm => [half_turn * h.re * h, C::new(0.0, -half_turn) * h.re * slope + 1.0],
        Polarisation::Te => [half_turn * slope.re * slope, C::new(0.0, half_turn) * slope.re * h + 1.0],
    }
}

/// Worst error of the matrix on exp(j n phi), in parts of the greatest eigenvalue.
fn worst(polarisation: Polarisation, formulation: Formulation, method: Method, cells: usize) -> f64 {
    let (outlines, settings) = case(polarisation, formulation, method, cells);
    let (mesh, matrix) = cpu::fill(&outlines, &settings).unwrap();
    let [electric, magnetic] = formulation.parts();
    let eigenvalue = |n: usize| {
        let values = eigenvalues(polarisation, settings.wavenumber(), n);
        values[0] * electric + values[1] * magnetic
    };
    let greatest = (0..8).map(|n| eigenvalue(n).norm()).fold(0.0, f64::max);
    let count = mesh.nodes.len();
    let mut worst: f64 = 0.0;
    for n in [0, 1, 3, 7] {
        let wave = |i: usize| {
            let [x, y] = mesh.nodes[i].point;
            C::from_polar(1.0, n as f64 * y.atan2(x))
        };
        for row in 0..count {
            let sum: C = (0..count).map(|column| matrix[column * count + row] * wave(column)).sum();
            let error = (sum - eigenvalue(n) * wave(row)).norm() / greatest;
            assert!(error.is_finite());
            worst = worst.max(error);
        }
    }
    worst
}

/// Interpolation of waves of order 7 by polynomials of degree 7 on 63 cells is exact to 1e-11; the hypersingular operator differentiates it.
const LCN: f64 = 1e-11;
const LCN_HYPERSINGULAR: f64 = 1e-7;
/// Rounding of sums over 64 points.
const KRESS: f64 = 1e-13;
const KRESS_HYPERSINGULAR: f64 = 1e-12;

#[test]
fn nystrom_matrices_have_the_eigenvalues_of_the_circle() {
    for polarisation in WAVES {
        for formulation in [Formulation::Efie, Formulation::Mfie, Formulation::Cfie(0.4)] {
            let strong = polarisation == Polarisation::Te && formulation != Formulation::Mfie;
            let found = worst(polarisation, formulation, Method::Lcn(8), 63);
            println!("lcn {polarisation:?} {formulation:?}: {found:.1e}");
            assert!(
                found < if strong { LCN_HYPERSINGULAR } else { LCN },
                "{polarisation:?} {formulation:?}: {found:e}"
            );
            let found = worst(polarisation, formulation, Method::Kress, 64);
            println!("kress {polarisation:?} {formulation:?}: {found:.1e}");
            assert!(
                found < if strong { KRESS_HYPERSINGULAR } else { KRESS },
                "{polarisation:?} {formulation:?}: {found:e}"
            );
        }
    }
}

/// Moments do not depend on how far exact integration goes, on cells of very different lengths.
#[test]
fn corrections_reach_as_far_as_they_must() {
    let points = vec![[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]];
    let outlines = [super::super::contour::outline(points, super::super::contour::Kind::Polygon).unwrap()];
    let (_, settings) = case(Polarisation::Tm, Formulation::Cfie(0.5), Method::Lcn(8), 48);
    let (mesh, near) = cpu::fill(&outlines, &settings).unwrap();
    let (_, all) = cpu::fill(&outlines, &Settings { near: 3.0, ..settings }).unwrap();
    let count = mesh.nodes.len();
    for (column, node) in mesh.nodes.iter().enumerate() {
        for row in 0..count {
            let at = column * count + row;
            let error = (near[at] - all[at]).norm() / node.weight;
            assert!(error < 1e-8, "{row} {column}: {error:e}");
        }
    }
}

/// Surfaces with an impedance on a circle, every equation: current and far field are those of the series.
#[test]
fn impedances_have_the_series_of_the_circle() {
    let ohm = C::new(120.0, 80.0);
    for polarisation in WAVES {
        for formulation in [Formulation::Efie, Formulation::Mfie, Formulation::Cfie(0.5)] {
            for (method, cells, tolerance) in [
                (Method::Kress, 64, 1e-12),
                (Method::Lcn(8), 48, 1e-7),
                (Method::Lcn(1), 200, 2e-2),
                (Method::Pulse, 400, 2e-2),
            ] {
                let (outlines, settings) = case(polarisation, formulation, method, cells);
                let settings = Settings { impedance: ohm, ..settings };
                let plan = cpu::Plan::new(&outlines, &settings).unwrap();
                let currents = plan.solve(&[0.0]).unwrap();
                let cylinder = Cylinder::new(polarisation, 1.0, settings.wavenumber()).with_impedance(ohm);
                let top = cylinder.current(std::f64::consts::PI).norm();
                for (node, value) in plan.bodies().mesh.nodes.iter().zip(currents.density(0)) {
                    let off = (value - cylinder.current(node.point[1].atan2(node.point[0]))).norm() / top;
                    assert!(off < tolerance, "{polarisation:?} {formulation:?} {method:?}: {off:e}");
                }
                let off = (plan.bodies().amplitudes(currents.of(0), &[70.0])[0]
                    - cylinder.amplitude(70f64.to_radians()))
                .norm();
                assert!(
                    off < tolerance * cylinder.amplitude(0.0).norm(),
                    "{polarisation:?} {method:?}: {off:e}"
                );
            }
        }
    }
}

/// J_n by recurrence, against Abramowitz and Stegun, table 9.4: J_10(10), Y_10(10).
#[test]
fn orders_are_those_of_the_handbook() {
    let h = orders(10.0, 12)[10][0];
    assert!((h.re - 0.207_486_106_6).abs() < 1e-10 && (h.im - 0.359_814_152_2).abs() < 1e-10, "{h}");
}

/// Inside of a closed conductor there is no field, and none along its surface: tm with its near integrals.
#[test]
fn the_field_vanishes_inside_and_on_the_surface() {
    let (outlines, settings) = case(Polarisation::Tm, Formulation::Efie, Method::Lcn(8), 63);
    let plan = cpu::Plan::new(&outlines, &settings).unwrap();
    let currents = plan.solve(&[30.0]).unwrap();
    let points = [[0.0, 0.0], [0.9, 0.1], [0.0, -0.99], [0.6, 0.8 - 1e-9], [0.6, 0.8 + 1e-9]];
    for (field, point) in plan.bodies().fields(currents.of(0), 30.0, &points).into_iter().zip(points) {
        assert!(field.norm() < 1e-6, "{point:?}: {field}");
    }
    let outside = plan.bodies().fields(currents.of(0), 30.0, &[[-1.2, 0.0]]);
    assert!(outside[0].norm() > 0.1);
}

/// The equation is that of the exact current, whatever the combination.
#[test]
fn right_sides_belong_to_the_exact_current() {
    for polarisation in WAVES {
        let (_, settings) = case(polarisation, Formulation::Cfie(0.3), Method::Kress, 64);
        let equation = Equation::new(&settings);
        let outlines = [Outline::circle([0.0; 2], 1.0).unwrap()];
        let (mesh, matrix) = cpu::fill(&outlines, &settings).unwrap();
        let cylinder = Cylinder::new(polarisation, 1.0, settings.wavenumber());
        let sign = if polarisation == Polarisation::Tm { 1.0 } else { -1.0 };
        let current: Vec<C> = mesh
            .nodes
            .iter()
            .map(|node| cylinder.current(node.point[1].atan2(node.point[0])) * sign)
            .collect();
        for (row, node) in mesh.nodes.iter().enumerate() {
            let left: C = (0..64).map(|column| matrix[column * 64 + row] * current[column]).sum();
            let right = equation.incident(node, [1.0, 0.0]);
            assert!((left - right).norm() < 1e-12 * right.norm().max(1e-3), "{polarisation:?} {row}");
        }
    }
}
