//! Compressed matrices against dense ones.

use super::super::cells::Room;
use super::super::compressed::Compressed;
use super::super::contour::{Kind, outline};
use super::super::design::Bodies;
use super::super::entries::{Entries, Rules};
use super::super::reference::Cylinder;
use super::super::settings::Solver;
use super::super::{Error, cpu};
use super::*;
use crate::solve::Operand;
use num_complex::Complex;
use numerics::failure::Failure;

type C = Complex<f64>;

const TM: Polarisation = Polarisation::Tm;
const TE: Polarisation = Polarisation::Te;

fn polygon() -> Outline {
    outline(vec![[0.0, 0.0], [1.0, 0.1], [1.2, 0.9], [0.2, 0.6]], Kind::Polygon).unwrap()
}

/// Every method, both polarisations and all equations, on one body, two and three, closed and open ones, with corners and without.
fn cases() -> Vec<(Vec<Outline>, Settings)> {
    let circle = || Outline::circle([0.0; 2], 1.0).unwrap();
    let ellipse = || Outline::ellipse([2.0, 0.4], [0.7, 0.3]).unwrap();
    let strip = || Outline::strip(3.0).unwrap();
    let of = |outlines: Vec<Outline>, polarisation, formulation, method, cells| {
        // Kress's rule wants even numbers.
        let density =
            if method == Method::Kress { Density::PerWavelength(60.0) } else { Density::Cells(cells) };
        let settings = Settings {
            polarisation,
            formulation,
            method,
            density,
            solver: Solver::Hodlr,
            ..Settings::new(1.0)
        };
        (outlines, settings)
    };
    let (efie, mfie, cfie) = (Formulation::Efie, Formulation::Mfie, Formulation::Cfie(0.5));
    vec![
        of(vec![circle()], TM, efie, Method::Pulse, 900),
        of(vec![circle()], TE, cfie, Method::Pulse, 700),
        of(vec![circle()], TM, cfie, Method::Lcn(8), 80),
        of(vec![circle()], TE, efie, Method::Lcn(4), 150),
        of(vec![circle(), ellipse()], TM, efie, Method::Lcn(3), 250),
        of(vec![circle(), ellipse()], TE, cfie, Method::Lcn(5), 130),
        of(vec![strip()], TM, efie, Method::Lcn(8), 90),
        of(vec![strip()], TE, efie, Method::Pulse, 600),
        of(vec![polygon()], TM, mfie, Method::Lcn(6), 120),
        of(vec![polygon()], TE, mfie, Method::Pulse, 640),
        of(
            vec![circle(), ellipse(), Outline::circle([-2.0, 0.0], 0.1).unwrap()],
            TM,
            cfie,
            Method::Kress,
            600,
        ),
    ]
}

/// Numbers without order, of a size of 1.
fn noise(count: usize) -> Vec<C> {
    let part = |at: usize| 2.0 * ((at * at) as f64 * 0.618_033_988_749_894_9).fract() - 1.0;
    (0..count).map(|at| C::new(part(at), part(at + count))).collect()
}

fn size(values: &[C]) -> f64 {
    values.iter().map(|value| value.norm_sqr()).sum::<f64>().sqrt()
}

fn difference(a: &[C], b: &[C]) -> f64 {
    size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<C>>())
}

fn room() -> Room {
    Room::on_host(&Settings::new(1.0))
}

#[test]
fn entries_are_those_of_the_fill() {
    for (outlines, settings) in cases() {
        let bodies = Bodies::new(&outlines, &settings, &room()).unwrap();
        let (matrix, count) = (bodies.fill(&settings), bodies.mesh.nodes.len());
        let rules = Rules::new(&bodies, &settings).unwrap();
        let entries = Entries { bodies: &bodies, rules: &rules };
        let mut found = vec![C::ZERO; count];
        for at in [0, 1, count / 3, count - 1] {
            entries.row(at, 0..count, &mut found);
            assert!((0..count).all(|j| found[j] == matrix[j * count + at]), "{settings:?}: row {at}");
            entries.column(at, 0..count, &mut found);
            assert_eq!(found, matrix[at * count..(at + 1) * count], "{settings:?}: column {at}");
        }
    }
}

/// Blocks are disjoint, and each is within the tolerance of its Frobenius norm: so is the whole matrix. Crosses and recompression leave out a
/// tenth and the whole of it, and rounding its part.
#[test]
fn the_tolerance_holds_for_the_whole_matrix() {
    for (outlines, settings) in cases() {
        let bodies = Bodies::new(&outlines, &settings, &room()).unwrap();
        let (matrix, count) = (bodies.fill(&settings), bodies.mesh.nodes.len());
        let mut identity = vec![C::ZERO; count * count];
        (0..count).for_each(|i| identity[i * count + i] = C::ONE);
        let mut ranks = Vec::new();
        for tolerance in [1e-4, 1e-8, 1e-12] {
            let compressed = Compressed::new(&bodies, &Settings { tolerance, ..settings }, 4.0).unwrap();
            let error = difference(&compressed.multiply(&identity, Operand::Matrix), &matrix) / size(&matrix);
            println!(
                "{:?} {:?}: {error:.1e} {:?}",
                settings.method,
                settings.polarisation,
                compressed.compression()
            );
            assert!(error < 1.2 * tolerance, "{settings:?} to {tolerance:e}: {error:e}");
            ranks.push(compressed.compression().ranks.iter().sum::<usize>());
        }
        // Fewer digits, smaller ranks: compression does compress.
        assert!(ranks[0] < ranks[1] && ranks[1] < ranks[2], "{settings:?}: {ranks:?}");
    }
}

#[test]
fn adjoint_products_are_adjoint() {
    for (outlines, settings) in cases() {
        let bodies = Bodies::new(&outlines, &settings, &room()).unwrap();
        let compressed = Compressed::new(&bodies, &settings, 4.0).unwrap();
        let (x, y) = (noise(bodies.mesh.nodes.len()), noise(2 * bodies.mesh.nodes.len()));
        let y = &y[x.len()..];
        let product = |a: &[C], b: &[C]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<C>();
        let (there, back) = (
            product(y, &compressed.multiply(&x, Operand::Matrix)),
            product(&compressed.multiply(y, Operand::Adjoint), &x),
        );
        let scale = size(y) * size(&compressed.multiply(&x, Operand::Matrix));
        assert!((there - back).norm() < 1e-13 * scale, "{settings:?}: {there} {back}");
    }
}

/// Forward errors are the condition times what compression left out; conditions are estimates that may be a third of the truth.
#[test]
fn solutions_are_those_of_lu() {
    let incidences = [10.0, 77.0, 200.0];
    for (outlines, settings) in cases() {
        let dense = cpu::Plan::new(&outlines, &Settings { solver: Solver::Lu, ..settings }).unwrap();
        let expected = dense.solve(&incidences).unwrap();
        for tolerance in [1e-6, 1e-10] {
            let plan = cpu::Plan::new(&outlines, &Settings { tolerance, ..settings }).unwrap();
            let found = plan.solve(&incidences).unwrap();
            let error = difference(&found.unknowns, &expected.unknowns) / size(&expected.unknowns);
            println!(
                "{:?} {:?}: {error:.1e}, backward {:.1e}, condition {:.1e} {:.1e}",
                settings.method,
                settings.polarisation,
                found.backward_error,
                plan.condition(),
                dense.condition()
            );
            assert!(error < 3.0 * dense.condition() * tolerance, "{settings:?}: {error:e}");
            assert!(found.backward_error < tolerance, "{settings:?}: {:e}", found.backward_error);
            assert_eq!(found.rows, plan.bodies().mesh.nodes.len());
            let ratio = plan.condition() / dense.condition();
            assert!((0.2..1.5).contains(&ratio), "{settings:?}: {ratio}");
            let again = plan.solve(&incidences).unwrap();
            assert_eq!(again.unknowns, found.unknowns);
        }
    }
}

/// A wave along a strip has no H_z that changes across it: nothing on the right, and nothing wrong with it.
#[test]
fn nothing_on_the_right_is_solved() {
    let (_, settings) = case(TE, Formulation::Efie, Method::Pulse, 300);
    for solver in [Solver::Lu, Solver::Hodlr] {
        let plan = cpu::Plan::new(&[Outline::strip(2.0).unwrap()], &Settings { solver, ..settings }).unwrap();
        let currents = plan.solve(&[0.0]).unwrap();
        assert_eq!(currents.backward_error, 0.0, "{solver:?}");
        assert!(currents.unknowns.iter().all(|value| *value == C::ZERO), "{solver:?}");
    }
}

/// More unknowns than rows of the certificate, against the series.
#[test]
fn a_large_cylinder_has_its_current() {
    let (outlines, settings) = case(TM, Formulation::Cfie(0.5), Method::Lcn(8), 1200);
    let plan = cpu::Plan::new(&outlines, &Settings { solver: Solver::Hodlr, ..settings }).unwrap();
    let currents = plan.solve(&[0.0]).unwrap();
    assert!(currents.rows < plan.bodies().mesh.nodes.len() && currents.backward_error < 1e-10);
    let cylinder = Cylinder::new(TM, 1.0, settings.wavenumber());
    let top = cylinder.current(std::f64::consts::PI).norm();
    for (node, value) in plan.bodies().mesh.nodes.iter().zip(currents.density(0)).step_by(50) {
        let off = (value - cylinder.current(node.point[1].atan2(node.point[0]))).norm() / top;
        // The tolerance of 1e-10 times a condition of some ten.
        assert!(off < 1e-9, "{off:e}");
    }
}

#[test]
fn what_cannot_be_compressed_is_refused() {
    let (outlines, settings) = case(TE, Formulation::Efie, Method::Kress, 400);
    let settings = Settings { solver: Solver::Hodlr, ..settings };
    let refusal = |settings: &Settings| cpu::Plan::new(&outlines, settings).err().unwrap();
    assert!(matches!(refusal(&settings), Error::Unsupported { what, .. } if what.contains("hodlr")));
    for tolerance in [0.0, -1.0, 1e-15, 0.1, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(refusal(&Settings { tolerance, ..settings }), Error::Value { what, .. } if what == "tolerance")
        );
    }
    let huge = Settings { density: Density::PerWavelength(1e12), ..settings };
    let error = refusal(&huge);
    assert!(matches!(error, Error::Memory { .. }) && error.to_string().contains("--tolerance"), "{error}");
}

/// The memory that is counted is kept within what is free, and blocks say their ranks.
#[test]
fn ranks_that_do_not_fit_are_refused() {
    let (outlines, settings) = case(TM, Formulation::Efie, Method::Pulse, 2000);
    let bodies = Bodies::new(&outlines, &settings, &room()).unwrap();
    let needed = Compressed::new(&bodies, &settings, 1.0).unwrap().compression().gib;
    let error = Compressed::new(&bodies, &settings, 0.5 * needed).err().unwrap();
    match &error {
        Error::Ranks { needed_gib, free_gib, .. } => assert!(needed_gib > free_gib),
        other => panic!("{other}"),
    }
    assert!(error.is_input() && error.to_string().contains("GiB are free"), "{error}");
}

/// A certificate that is computed with other bodies than those that were compressed refuses.
#[test]
fn a_wrong_solution_gets_no_certificate() {
    let (outlines, settings) = case(TM, Formulation::Efie, Method::Pulse, 400);
    let bodies = Bodies::new(&outlines, &settings, &room()).unwrap();
    let other = Bodies::new(&outlines, &Settings { wavelength: 1.001, ..settings }, &room()).unwrap();
    let compressed = Compressed::new(&bodies, &settings, 1.0).unwrap();
    let right = bodies.right_sides(&[0.0]);
    assert!(compressed.solve(&bodies, &right).is_ok());
    match compressed.solve(&other, &right) {
        Err(Error::Uncertified { backward, limit, .. }) => assert!(backward > limit),
        _ => panic!("certified"),
    }
}
