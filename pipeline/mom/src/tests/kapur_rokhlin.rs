//! Kapur and Rokhlin's rule against Kress's and against the series.

use super::super::reference::Cylinder;
use super::super::settings::Solver;
use super::super::{Error, cpu};
use super::*;
use num_complex::Complex;
use std::f64::consts::TAU;

type C = Complex<f64>;

fn far_field(outlines: &[Outline], settings: &Settings) -> Vec<C> {
    let plan = cpu::Plan::new(outlines, settings).unwrap();
    let degrees: Vec<f64> = (0..72).map(|at| 5.0 * f64::from(at)).collect();
    plan.bodies().amplitudes(plan.solve(&[20.0]).unwrap().of(0), &degrees)
}

fn worst(found: &[C], expected: &[C]) -> f64 {
    let top = expected.iter().map(|value| value.norm()).fold(0.0, f64::max);
    found.iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / top
}

/// ka = 10 on a circle and on an ellipse of the same width, all equations: errors beside Kress's rule fall at the order.
#[test]
fn errors_beside_kress_fall_at_the_order() {
    let circle = [Outline::circle([0.0; 2], 10.0 / TAU).unwrap()];
    let ellipse = [Outline::ellipse([0.0; 2], [10.0 / TAU, 6.0 / TAU]).unwrap()];
    for (outlines, polarisation, formulation) in [
        (&circle, Polarisation::Tm, Formulation::Efie),
        (&circle, Polarisation::Te, Formulation::Cfie(0.5)),
        (&ellipse, Polarisation::Tm, Formulation::Cfie(0.5)),
        (&ellipse, Polarisation::Te, Formulation::Mfie),
    ] {
        let of = |method, points| {
            let density = Density::Cells(points);
            far_field(
                outlines,
                &Settings { polarisation, formulation, method, density, ..Settings::new(1.0) },
            )
        };
        let exact = of(Method::Kress, 200);
        for (order, points) in [(2, 200), (6, 160), (10, 160)] {
            let error = |points| worst(&of(Method::KapurRokhlin(order), points), &exact);
            let (coarse, fine) = (error(points), error(2 * points));
            let found = (coarse / fine).log2();
            println!(
                "kr:{order} {polarisation:?} {formulation:?}: {coarse:.1e} {fine:.1e}, order {found:.1}"
            );
            assert!(
                found > order as f64 - 0.7,
                "kr:{order} {polarisation:?} {formulation:?}: {coarse:e} {fine:e}"
            );
        }
    }
}

/// With 800 points the tenth order has the current of the series, dense and compressed.
#[test]
fn the_current_is_that_of_the_series() {
    let radius = 10.0 / TAU;
    let outlines = [Outline::circle([0.0; 2], radius).unwrap()];
    for solver in [Solver::Lu, Solver::Hodlr] {
        let method = Method::KapurRokhlin(10);
        let formulation = Formulation::Cfie(0.5);
        let settings =
            Settings { method, formulation, solver, density: Density::Cells(800), ..Settings::new(1.0) };
        let plan = cpu::Plan::new(&outlines, &settings).unwrap();
        let currents = plan.solve(&[0.0]).unwrap();
        let cylinder = Cylinder::new(Polarisation::Tm, radius, settings.wavenumber());
        let found = currents.density(0);
        let angles = plan.bodies().mesh.nodes.iter().map(|node| node.point[1].atan2(node.point[0]));
        let exact: Vec<C> = angles.map(|angle| cylinder.current(angle)).collect();
        let error = worst(&found, &exact);
        println!("{solver:?}: {error:.1e}");
        assert!(error < 1e-8, "{solver:?}: {error:e}");
    }
}

#[test]
fn other_orders_and_few_points_are_refused() {
    let outlines = [Outline::circle([0.0; 2], 0.2).unwrap()];
    let refusal = |method, cells| {
        let settings = Settings { method, density: Density::Cells(cells), ..Settings::new(1.0) };
        cpu::Plan::new(&outlines, &settings).err().unwrap()
    };
    for order in [0, 1, 3, 12] {
        assert!(
            matches!(refusal(Method::KapurRokhlin(order), 64), Error::Value { what, .. } if what == "order of kr"),
            "{order}"
        );
    }
    assert!(
        matches!(refusal(Method::KapurRokhlin(10), 20), Error::Value { given, allowed, .. } if given == "20" && allowed.contains("22 or more"))
    );
    assert!(matches!(refusal(Method::KapurRokhlin(6), 63), Error::Value { given, .. } if given == "63"));
    let strip = [Outline::strip(1.0).unwrap()];
    let settings = Settings { method: Method::KapurRokhlin(6), ..Settings::new(1.0) };
    assert!(matches!(cpu::Plan::new(&strip, &settings).err().unwrap(), Error::Open { .. }));
}
