//! Total and scattered fields: what leaks through a Huygens surface with nothing behind it.

use super::super::{Boundary, PlaneWave, Pulse, cpu, time_step};
use super::*;
use numerics::real::Real;

/// A cube of three cells an edge whose middle one has the total field; its surface is scattered-field elements away from walls that absorb.
fn empty(order: usize) -> (Design, PlaneWave) {
    let mut volume = kuhn::cuboid(Vec3::ZERO, Vec3::splat(1.0), [3; 3]);
    volume.names.push("total".into());
    for element in 0..volume.tetrahedra.len() {
        let corners = volume.corners(element);
        let centre = corners.iter().fold(Vec3::ZERO, |sum, corner| sum + *corner * 0.25);
        let is_inside = (0..3).all(|axis| (centre[axis] - 0.5).abs() < 1.0 / 6.0);
        volume.groups[element] = u32::from(is_inside);
    }
    // It comes from where it has not arrived yet, obliquely to all faces.
    let pulse = Pulse::Gauss { centre: 0.0, width: 0.8, wavenumber: 0.0 };
    let (direction, polarisation) = (Vec3::new(1.0, 2.0, -2.0), Vec3::new(2.0, -2.0, -1.0));
    let wave = PlaneWave::new(direction, polarisation, pulse, &Material::VACUUM).unwrap();
    let mut settings = Settings::new(order);
    (settings.outer, settings.wave) = (Some(Boundary::Absorbing), Some(wave));
    settings.total_field = vec!["total".into()];
    (Design::new(Mesh::new(volume).unwrap(), &settings).unwrap(), wave)
}

/// The largest scattered field while the pulse, of 1 V/m, passes, and the largest error of the total one.
fn leaks<T: Real>(order: usize) -> [f64; 2] {
    let (design, wave) = empty(order);
    let (dt, nodes) = (time_step::limit(&design), design.element.node_count());
    let plan = cpu::Plan::<T>::new(design);
    let mut found = vec![State::default(); plan.design().states()];
    let mut fields = plan.load(&found, -3.0).unwrap();
    let mut most = [0f64; 2];
    while fields.time < 1.0 {
        (0..10).for_each(|_| plan.step(&mut fields, dt));
        plan.store(&fields, &mut found).unwrap();
        for (at, state) in found.iter().enumerate() {
            let is_total = plan.design().mesh.volume().groups[at / nodes] == 1;
            let expected = match is_total {
                true => wave.at(plan.design().place(at / nodes, at % nodes), fields.time),
                false => State::default(),
            };
            let wrong = (state.e - expected.e).length().max((state.h - expected.h).length());
            most[usize::from(is_total)] = most[usize::from(is_total)].max(wrong);
        }
    }
    most
}

#[test]
fn what_leaks_through_a_huygens_surface_falls_with_the_order() {
    let found = [2, 4].map(leaks::<f64>);
    // Two orders, each of which gains a factor of six or more with these cells.
    assert!((0..2).all(|side| found[1][side] < found[0][side] / 36.0), "{found:?}");
    let single = leaks::<f32>(6);
    assert!(single[0] < 1e-5, "{single:?}");
}
