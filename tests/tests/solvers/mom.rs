//! Moments and Nystrom methods against series, data and each other: `shared/data/cylinder`, convergence, resonances, ends and corners.

mod cuda;

use num_complex::Complex;
use pipeline::mom::contour::{Kind, outline};
use pipeline::mom::curve::Outline;
use pipeline::mom::reference::Cylinder;
use pipeline::mom::{Currents, Density, Formulation, Method, Plan, Polarisation, Settings};
use pipeline::numerics::constants::ETA_0;
use std::f64::consts::{PI, TAU};

type C = Complex<f64>;

const WAVES: [Polarisation; 2] = [Polarisation::Tm, Polarisation::Te];

/// Rows of a file of the shared data; none where it is absent, which is said.
fn data(test: &str, name: &str) -> Option<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(tests::shared(test, name)?).unwrap();
    let row = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    Some(text.lines().skip(1).map(row).collect())
}

fn circle(radius: f64) -> Vec<Outline> {
    vec![Outline::circle([0.0; 2], radius).unwrap()]
}

fn settings(polarisation: Polarisation, method: Method, cells: usize) -> Settings {
    Settings { polarisation, method, density: Density::Cells(cells), ..Settings::new(1.0) }
}

fn solve(outlines: &[Outline], settings: &Settings, incidence_deg: f64) -> (Plan, Currents) {
    let plan = Plan::on_cpu(outlines, settings).unwrap();
    let currents = plan.solve(&[incidence_deg]).unwrap();
    (plan, currents)
}

/// Worst error of the current of a circle over its greatest value, for a wavelength of 1.
fn current_error(radius: f64, settings: &Settings) -> f64 {
    let (plan, currents) = solve(&circle(radius), settings, 0.0);
    let cylinder = Cylinder::new(settings.polarisation, radius, settings.wavenumber());
    let (mut worst, mut top): (f64, f64) = (0.0, 0.0);
    for (node, found) in plan.mesh().nodes.iter().zip(currents.density(0)) {
        let exact = cylinder.current(node.point[1].atan2(node.point[0]));
        assert!(found.is_finite());
        worst = worst.max((found - exact).norm());
        top = top.max(exact.norm());
    }
    worst / top
}

fn worst_difference(a: &[C], b: &[C]) -> f64 {
    let top = b.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let worst = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, |worst, next| if next <= worst { worst } else { next });
    worst / top
}

fn degrees() -> Vec<f64> {
    (0..360).map(f64::from).collect()
}

/// The series is that of the data, which has 17 digits and a value of eta of its own.
#[test]
fn series_and_echo_width_are_those_of_the_data() {
    let Some(rows) = data("series", "cylinder/exact_a1lambda.csv") else { return };
    let number = |row: &[String], at: usize| row[at].parse::<f64>().unwrap();
    let cylinder = Cylinder::new(Polarisation::Tm, 1.0, TAU);
    let exact: Vec<C> = rows.iter().map(|row| C::new(number(row, 1), number(row, 2))).collect();
    let found: Vec<C> = rows.iter().map(|row| cylinder.current(number(row, 0).to_radians())).collect();
    let error = worst_difference(&found, &exact);
    assert!(error < 1e-12, "series: {error:e}");
    // Echo widths of LCN, eight nodes on 63 cells, for a wave that travels elsewhere.
    let (plan, currents) = solve(&circle(1.0), &settings(Polarisation::Tm, Method::Lcn(8), 63), 77.0);
    let towards: Vec<f64> = rows.iter().map(|row| number(row, 0) + 77.0).collect();
    let top = rows.iter().map(|row| number(row, 4)).fold(0.0, f64::max);
    for (row, width) in rows.iter().zip(plan.echo_widths(&currents, 0, &towards)) {
        let error = (width - number(row, 4)).abs() / top;
        assert!(error < 1e-12, "phi {}: {error:e}", row[0]);
    }
}

/// What the data has of convergence on exact arcs, reproduced: q = 2, 3, 4, 6 and 8 with corrections within a quarter wavelength, and eqs 12 and 17.
#[test]
fn convergence_is_that_of_the_data() {
    let Some(rows) = data("convergence", "cylinder/convergence.csv") else { return };
    let mut seen = 0;
    for row in rows.iter().filter(|row| row[0] == "1" && row[2] == "arc") {
        let (q, cells): (usize, usize) = (row[3].parse().unwrap(), row[4].parse().unwrap());
        let (unknowns, expected): (usize, f64) = (row[5].parse().unwrap(), row[7].parse().unwrap());
        let method = match (row[1].as_str(), row[6].as_str()) {
            ("MoM", _) => Method::Pulse,
            ("LCN", "0.25lam") if [2, 3, 4, 6, 8].contains(&q) => Method::Lcn(q),
            _ => continue,
        };
        if !(60..=504).contains(&unknowns) {
            continue;
        }
        let error = current_error(1.0, &settings(Polarisation::Tm, method, cells));
        println!("{method:?} with {unknowns} unknowns: {error:.3e}, data {expected:.3e}");
        // Nodes lie elsewhere around the circle, and cells count as near a little earlier or later.
        assert!(
            (0.7 * expected..1.25 * expected).contains(&error),
            "{method:?} {unknowns}: {error:e} {expected:e}"
        );
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
}

/// Eleven digits of the current, and more.
#[test]
fn eight_nodes_on_63_cells_have_eleven_digits() {
    let error = current_error(1.0, &settings(Polarisation::Tm, Method::Lcn(8), 63));
    println!("lcn:8, 504 unknowns: {error:.2e}");
    assert!(error < 1e-11);
}

/// Orders of the current between two meshes, one twice as fine: at least `order` - 0.3.
#[test]
fn errors_fall_at_their_orders() {
    for (polarisation, method, cells, order) in [
        (Polarisation::Tm, Method::Pulse, 126, 0.9),
        (Polarisation::Tm, Method::Lcn(1), 126, 2.0),
        (Polarisation::Tm, Method::Lcn(2), 63, 3.0),
        (Polarisation::Tm, Method::Lcn(3), 42, 3.0),
        (Polarisation::Tm, Method::Lcn(4), 32, 5.0),
        (Polarisation::Tm, Method::Lcn(6), 42, 7.0),
        // The hypersingular kernel takes an order or two.
        (Polarisation::Te, Method::Pulse, 126, 0.9),
        (Polarisation::Te, Method::Lcn(1), 63, 2.0),
        (Polarisation::Te, Method::Lcn(3), 42, 3.0),
        (Polarisation::Te, Method::Lcn(4), 32, 3.0),
        (Polarisation::Te, Method::Lcn(6), 42, 5.0),
    ] {
        let error = |cells| current_error(1.0, &settings(polarisation, method, cells));
        let (coarse, fine) = (error(cells), error(2 * cells));
        let found = (coarse / fine).log2();
        println!("{polarisation:?} {method:?}: {coarse:.2e}, {fine:.2e}, order {found:.2}");
        assert!(found > order - 0.3, "{polarisation:?} {method:?}: {found}");
    }
}

/// 64 points at ka = 10: the far field of every equation; with 96 points the current, too.
#[test]
fn kress_is_exact_with_few_points() {
    let radius = 10.0 / TAU;
    for polarisation in WAVES {
        for formulation in [Formulation::Efie, Formulation::Mfie, Formulation::Cfie(0.5)] {
            let settings = Settings { formulation, ..settings(polarisation, Method::Kress, 64) };
            let (plan, currents) = solve(&circle(radius), &settings, 0.0);
            let cylinder = Cylinder::new(polarisation, radius, TAU);
            let exact: Vec<C> = degrees().iter().map(|phi| cylinder.amplitude(phi.to_radians())).collect();
            let error = worst_difference(&plan.amplitudes(&currents, 0, &degrees()), &exact);
            println!("{polarisation:?} {formulation:?}: far field {error:.1e}");
            // What 64 points miss of the waves of order 32 and more; TE has their slopes, ka times as large at most.
            let tolerance = if polarisation == Polarisation::Tm { 1e-12 } else { 1e-11 };
            assert!(error < tolerance, "{polarisation:?} {formulation:?}: {error:e}");
            let error = current_error(radius, &Settings { density: Density::Cells(96), ..settings });
            assert!(error < 1e-12, "{polarisation:?} {formulation:?}: {error:e}");
        }
    }
}

/// LCN and Kress's rule share only the Hankel functions: an ellipse and a kite, both polarisations.
#[test]
fn two_methods_agree_on_other_curves() {
    let kite: Vec<[f64; 2]> = (0..32)
        .map(|i| TAU * f64::from(i) / 32.0)
        .map(|t| [0.5 * t.cos() + 0.325 * (2.0 * t).cos() - 0.325, 0.75 * t.sin()])
        .collect();
    for body in [Outline::ellipse([0.3, -0.2], [1.0, 0.4]).unwrap(), outline(kite, Kind::Smooth).unwrap()] {
        for (polarisation, tolerance) in [(Polarisation::Tm, 1e-10), (Polarisation::Te, 1e-8)] {
            let amplitudes = |method, cells| {
                let settings =
                    Settings { formulation: Formulation::Cfie(0.5), ..settings(polarisation, method, cells) };
                let (plan, currents) = solve(std::slice::from_ref(&body), &settings, 40.0);
                plan.amplitudes(&currents, 0, &degrees())
            };
            let error = worst_difference(&amplitudes(Method::Lcn(8), 48), &amplitudes(Method::Kress, 160));
            println!("{polarisation:?}: {error:.1e}");
            assert!(error < tolerance, "{polarisation:?}: {error:e}");
        }
    }
}

/// Energy and reciprocity of two bodies at once, one with corners, both closed and open ones.
#[test]
fn energy_and_reciprocity_hold() {
    let triangle = outline(vec![[0.0, 0.0], [1.0, 0.2], [0.3, 0.9]], Kind::Polygon).unwrap();
    let sheet = outline(vec![[-1.0, 0.0], [-0.8, 0.7], [-1.5, 1.0]], Kind::Open).unwrap();
    let bodies = [triangle, sheet, Outline::circle([1.0, -1.0], 0.4).unwrap()];
    for (polarisation, tolerance) in [(Polarisation::Tm, 1e-6), (Polarisation::Te, 1e-5)] {
        let settings = Settings { polarisation, ..Settings::new(1.0) };
        let plan = Plan::on_cpu(&bodies, &settings).unwrap();
        let currents = plan.solve(&[20.0, 255.0]).unwrap();
        for at in 0..2 {
            let [ahead, around] = plan.widths(&currents, at);
            println!("{polarisation:?}: {ahead} {around}");
            assert!((ahead - around).abs() < tolerance * around, "{polarisation:?}: {ahead} {around}");
        }
        // From 20 degrees seen at 255 - 180, and the way back.
        let there = plan.amplitudes(&currents, 0, &[75.0])[0];
        let back = plan.amplitudes(&currents, 1, &[200.0])[0];
        assert!((there - back).norm() < tolerance * there.norm(), "{polarisation:?}: {there} {back}");
    }
}

/// Slope of the logarithm of the current over that of the distance to an end, over the first graded cells but the very last.
fn exponent(plan: &Plan, current: &[C], corner: [f64; 2], from: f64, to: f64) -> f64 {
    let near = plan.mesh().nodes.iter().zip(current).filter_map(|(node, value)| {
        let distance = (node.point[0] - corner[0]).hypot(node.point[1] - corner[1]);
        (from..to).contains(&distance).then(|| (distance.ln(), value.norm().ln()))
    });
    let points: Vec<(f64, f64)> = near.collect();
    assert!(points.len() > 20, "{}", points.len());
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (top, bottom) = points.iter().fold((0.0, 0.0), |(top, bottom), point| {
        (top + (point.0 - x) * (point.1 - y), bottom + (point.0 - x).powi(2))
    });
    top / bottom
}

/// At an edge the current goes as d^(-1/2) (TM) or d^(1/2) (TE); at a right angle outside of a body TM goes as d^(pi/(3 pi/2) - 1).
#[test]
fn currents_have_the_exponents_of_ends_and_corners() {
    let square = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], Kind::Polygon).unwrap();
    let strip = Outline::strip(1.5).unwrap();
    for (body, corner, polarisation, expected) in [
        (&strip, [0.75, 0.0], Polarisation::Tm, -0.5),
        (&strip, [0.75, 0.0], Polarisation::Te, 0.5),
        (&square, [1.0, 1.0], Polarisation::Tm, -1.0 / 3.0),
    ] {
        let settings = Settings { polarisation, grading: 16, ..Settings::new(1.0) };
        let (plan, currents) = solve(std::slice::from_ref(body), &settings, 225.0);
        let found = exponent(&plan, &currents.density(0), corner, 3e-5, 1e-2);
        println!("{polarisation:?}: exponent {found:.4}, {expected:.4}");
        assert!((found - expected).abs() < 0.02, "{polarisation:?}: {found} {expected}");
    }
}

/// Grading of a square and of a wedge of 22 degrees: the far field converges, and the plain mesh is worse by far.
#[test]
fn grading_makes_corners_converge() {
    let square = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], Kind::Polygon).unwrap();
    let wedge = outline(vec![[0.0, 0.0], [1.0, -0.2], [1.0, 0.2]], Kind::Polygon).unwrap();
    for body in [square, wedge] {
        for polarisation in WAVES {
            let amplitudes = |grading| {
                let settings = Settings { polarisation, grading, ..Settings::new(1.0) };
                let (plan, currents) = solve(std::slice::from_ref(&body), &settings, 30.0);
                plan.amplitudes(&currents, 0, &degrees())
            };
            let best = amplitudes(20);
            let [plain, graded] = [0, 10].map(|grading| worst_difference(&amplitudes(grading), &best));
            println!("{polarisation:?}: plain {plain:.1e}, graded {graded:.1e}");
            assert!(graded < 1e-5 && graded < 0.05 * plain, "{polarisation:?}: {plain:e} {graded:e}");
        }
    }
}

/// The first zero of J_0, where the inside of a circle resonates with TM.
const RESONANCE: f64 = 2.404_825_557_695_773;

/// Near it the electric equation loses digits and its amplification tells; the combined one does not notice. A graded square far from resonances is no alarm.
#[test]
fn the_combined_equation_passes_resonances() {
    let run = |formulation, ka: f64| {
        let settings = Settings { formulation, ..settings(Polarisation::Tm, Method::Lcn(4), 24) };
        let radius = ka / TAU;
        let plan = Plan::on_cpu(&circle(radius), &settings).unwrap();
        (plan.amplification().unwrap(), current_error(radius, &settings))
    };
    let (mut flat, mut spike): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for offset in [-0.1, -1e-3, -1e-5, 1e-5, 1e-3, 0.1] {
        let (combined, electric) =
            (run(Formulation::Cfie(0.5), RESONANCE + offset), run(Formulation::Efie, RESONANCE + offset));
        println!("ka {:+e}: cfie {combined:?}, efie {electric:?}", offset);
        assert!(combined.1 < 1e-5, "{offset}: {combined:?}");
        flat.push(combined.0);
        spike.push(electric.0);
    }
    let ratio = |values: &[f64]| {
        values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    assert!(ratio(&flat) < 1.5, "{flat:?}");
    assert!(ratio(&spike) > 1e3, "{spike:?}");
    let square = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], Kind::Polygon).unwrap();
    let plan = Plan::on_cpu(&[square], &Settings::new(1.0)).unwrap();
    println!(
        "square: amplification {}, condition {:e}",
        plan.amplification().unwrap(),
        plan.condition().unwrap()
    );
    assert!(plan.amplification().unwrap() < 30.0);
}

/// Two circles far apart: each scatters the other's wave. Addition theorem at leading order is not needed: both bodies turned by 180 degrees about the middle give the mirrored field.
#[test]
fn several_bodies_keep_their_symmetry() {
    let bodies =
        |x: f64| [Outline::circle([x, 0.3], 0.4).unwrap(), Outline::ellipse([-x, -0.3], [0.2, 0.6]).unwrap()];
    let amplitudes = |outlines: &[Outline], incidence: f64, turn: f64| {
        let settings = settings(Polarisation::Te, Method::Kress, 120);
        let (plan, currents) = solve(outlines, &settings, incidence);
        let towards: Vec<f64> = degrees().iter().map(|phi| phi + turn).collect();
        plan.amplitudes(&currents, 0, &towards)
    };
    let turned =
        [Outline::circle([-1.0, -0.3], 0.4).unwrap(), Outline::ellipse([1.0, 0.3], [0.2, 0.6]).unwrap()];
    let error =
        worst_difference(&amplitudes(&turned, 50.0 + 180.0, 180.0), &amplitudes(&bodies(1.0), 50.0, 0.0));
    assert!(error < 1e-12, "{error:e}");
}

/// High up a conducting cylinder is a mirror: 2/eta on the lit side, and sigma = pi a backwards, to some 1/(ka)^2.
#[test]
fn large_cylinders_are_mirrors() {
    let radius = 8.0;
    for polarisation in WAVES {
        let settings =
            Settings { formulation: Formulation::Cfie(0.5), ..settings(polarisation, Method::Lcn(8), 160) };
        let (plan, currents) = solve(&circle(radius), &settings, 180.0);
        let lit = plan
            .mesh()
            .nodes
            .iter()
            .zip(currents.density(0))
            .filter(|(node, _)| node.point[0] > 0.999 * radius);
        for (_, current) in lit {
            assert!((0.5 * ETA_0 * current.norm() - 1.0).abs() < 0.01, "{}", current.norm() * ETA_0);
        }
        let back = plan.echo_widths(&currents, 0, &[0.0])[0];
        assert!((back / (PI * radius) - 1.0).abs() < 0.02, "{back}");
    }
}
