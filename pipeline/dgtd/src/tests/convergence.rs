//! Convergence with the size of elements and with the order, by modes of a cavity and by a plane wave.

use super::super::reference::half_product;
use super::super::{Boundary, Mode, PlaneWave, Pulse, cpu, time_step};
use super::*;

/// Root of the mean square of the error over that of the field after a run to `time`, m.
fn error(design: Design, exact: impl Fn(Vec3, f64) -> State, time: f64) -> f64 {
    // With the longest step: k dt is below 0.1 in all runs here, and errors of time, of fourth order, are below 1e-5 of those of space.
    let steps = (time / time_step::limit(&design)).ceil();
    let plan = cpu::Plan::<f64>::new(design);
    let design = plan.design();
    let mut fields = plan.load(&design.sampled(|x| exact(x, 0.0)), 0.0).unwrap();
    (0..steps as usize).for_each(|_| plan.step(&mut fields, time / steps));
    let mut found = vec![State::default(); design.states()];
    plan.store(&fields, &mut found).unwrap();
    let expected = design.sampled(|x| exact(x, time));
    let wrong: Vec<State> =
        found.iter().zip(&expected).map(|(a, b)| State { e: a.e - b.e, h: a.h - b.h }).collect();
    let norm = |states: &[State]| half_product(design, states, states).sqrt();
    norm(&wrong) / norm(&expected)
}

/// Slope of the errors over the cells of an edge.
fn slope(cells: [usize; 2], errors: [f64; 2]) -> f64 {
    (errors[0] / errors[1]).ln() / (cells[1] as f64 / cells[0] as f64).ln()
}

fn cavity(order: usize, cells: usize) -> f64 {
    let side = 2.0;
    let mode = Mode::new([1, 1, 1], Vec3::splat(side), Vec3::new(1.0, 0.5, -1.5)).unwrap();
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, Vec3::splat(side), [cells; 3])).unwrap();
    error(Design::new(mesh, &Settings::new(order)).unwrap(), |x, t| mode.at(x, t), 0.5)
}

fn plane_wave(order: usize, cells: usize) -> f64 {
    let pulse = Pulse::Sine { wavenumber: 3.0 };
    let wave =
        PlaneWave::new(Vec3::new(1.0, 2.0, -2.0), Vec3::new(2.0, -2.0, -1.0), pulse, &Material::VACUUM)
            .unwrap();
    let mut settings = Settings::new(order);
    (settings.outer, settings.wave) = (Some(Boundary::Incident), Some(wave));
    let mesh = Mesh::new(kuhn::cuboid(Vec3::splat(-1.0), Vec3::splat(1.0), [cells; 3])).unwrap();
    error(Design::new(mesh, &settings).unwrap(), |x, t| wave.at(x, t), 1.0)
}

/// Coarse enough for a test and fine enough for the slope.
const CELLS: [[usize; 2]; 5] = [[8, 12], [4, 8], [4, 6], [3, 5], [3, 4]];

#[test]
fn the_error_of_a_cavity_mode_falls_with_the_order_plus_one() {
    for (order, cells) in (1..).zip(CELLS) {
        let errors = cells.map(|cells| cavity(order, cells));
        let slope = slope(cells, errors);
        assert!((slope - (order + 1) as f64).abs() < 0.3, "order {order}: slope {slope}, {errors:?}");
    }
}

#[test]
fn the_error_of_a_plane_wave_falls_with_the_order_plus_one() {
    for (order, cells) in (1..).zip(CELLS).take(3) {
        let errors = cells.map(|cells| plane_wave(order, cells));
        let slope = slope(cells, errors);
        assert!((slope - (order + 1) as f64).abs() < 0.3, "order {order}: slope {slope}, {errors:?}");
    }
}

#[test]
fn the_error_falls_exponentially_with_the_order() {
    for run in [cavity, plane_wave] {
        let errors: Vec<f64> = (1..=6).map(|order| run(order, 2)).collect();
        assert!(errors.windows(2).all(|pair| pair[1] < 0.4 * pair[0]), "{errors:?}");
    }
}
