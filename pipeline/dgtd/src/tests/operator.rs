//! The definition: its energy, polynomials, walls, waves.

use super::super::reference::{energy, half_product, rates};
use super::super::{Boundary, Error, PlaneWave, Pulse, lsrk};
use super::*;

/// Rounding of the energy's rate: some thousand products of rates (up to `largest` over 1) with fields.
fn rounding(design: &Design, fields: &[State]) -> f64 {
    1e-14 * largest(&rates(design, fields, 0.0)) * energy(design, fields).sqrt()
}

#[test]
fn central_flux_keeps_the_energy_and_upwind_flux_takes_some() {
    for order in 1..=4 {
        for walls in [Boundary::Pec, Boundary::Pmc] {
            for upwinding in [0.0, 0.3, 1.0] {
                let design = mixed(order, 2, |settings| {
                    (settings.upwinding, settings.outer) = (upwinding, Some(walls));
                    settings.boundaries = vec![("x_min".into(), Boundary::Pec)];
                });
                let fields = Random(5).states(design.states());
                let gain = half_product(&design, &fields, &rates(&design, &fields, 0.0));
                let rounding = rounding(&design, &fields);
                if upwinding == 0.0 {
                    assert!(gain.abs() < rounding, "order {order} {walls:?}: {gain:e}, {rounding:e}");
                } else {
                    assert!(gain < -1e6 * rounding, "order {order} {walls:?} {upwinding}: {gain:e}");
                }
            }
        }
    }
}

#[test]
fn open_boundaries_and_losses_take_energy_whatever_the_flux() {
    for (outer, conductivity) in [(Boundary::Absorbing, 0.0), (Boundary::Pec, 0.01)] {
        let design = mixed(2, 2, |settings| {
            (settings.upwinding, settings.outer) = (0.0, Some(outer));
            settings.background.conductivity = conductivity;
        });
        let fields = Random(6).states(design.states());
        let gain = half_product(&design, &fields, &rates(&design, &fields, 0.0));
        assert!(gain < -1e6 * rounding(&design, &fields), "{outer:?}: {gain:e}");
    }
}

/// A field of degree `order` in all coordinates.
fn polynomial(order: usize) -> impl Fn(Vec3) -> State {
    let p = order as i32;
    move |x: Vec3| State {
        e: Vec3::new(x.y.powi(p) + x.z, x.z.powi(p) - 2.0 * x.x, x.x.powi(p) + x.y),
        h: Vec3::new(x.z.powi(p) - x.y, x.x.powi(p) + 3.0 * x.z, x.y.powi(p) - x.x),
    }
}

/// Curls of these.
fn curls(order: usize) -> impl Fn(Vec3) -> State {
    let p = order as i32;
    let slope = move |x: f64| f64::from(p) * x.powi(p - 1);
    move |x: Vec3| State {
        e: Vec3::new(1.0 - slope(x.z), 1.0 - slope(x.x), -2.0 - slope(x.y)),
        h: Vec3::new(slope(x.y) - 3.0, slope(x.z) + 1.0, slope(x.x) + 1.0),
    }
}

#[test]
fn polynomials_have_the_rates_of_their_curls_away_from_walls() {
    for order in 1..=6 {
        let design = mixed(order, 3, |_| ());
        let found = rates(&design, &design.sampled(polynomial(order)), 0.0);
        let curl = design.sampled(curls(order));
        let nodes = design.element.node_count();
        let mut looked_at = 0;
        for element in
            (0..design.mesh.len()).filter(|it| design.mesh.neighbours(*it).iter().all(Option::is_some))
        {
            let material = design.cells[element].material;
            for node in element * nodes..(element + 1) * nodes {
                let expected = State {
                    e: curl[node].h * material.permittivity.recip(),
                    h: -curl[node].e * material.permeability.recip(),
                };
                // Rounding of derivatives: entries up to p^2/h times 1e2 of them.
                assert!(distance(&[found[node]], &[expected]) < 1e-10, "order {order} element {element}");
            }
            looked_at += 1;
        }
        assert!(looked_at > 20);
    }
}

#[test]
fn sheets_inside_are_walls_on_both_sides() {
    let mut volume = crooked(2, 3);
    volume
        .vertices
        .iter_mut()
        .filter(|vertex| vertex.x > 0.2 && vertex.x < 0.8)
        .for_each(|vertex| vertex.x = 0.5);
    let mesh = Mesh::new(volume.clone()).unwrap();
    let is_middle = |face: &[u32; 3]| face.iter().all(|vertex| volume.vertices[*vertex as usize].x == 0.5);
    let all = (0..mesh.len()).flat_map(|element| (0..4).map(move |face| (element, face)));
    let mut sheet: Vec<[u32; 3]> =
        all.map(|(element, face)| mesh.face(element, face)).filter(is_middle).collect();
    sheet.iter_mut().for_each(|face| face.sort_unstable());
    sheet.sort_unstable();
    sheet.dedup();
    let mut cut = volume.clone();
    cut.face_groups.extend(vec![6; sheet.len()]);
    cut.faces.extend(sheet);
    cut.face_names.push("sheet".into());
    let mut settings = Settings::new(2);
    settings.boundaries = vec![("sheet".into(), Boundary::Pec)];
    let design = Design::new(Mesh::new(cut).unwrap(), &settings).unwrap();
    // A field on one side only stays there.
    let nodes = design.element.node_count();
    let is_left = |element: usize| design.mesh.corners(element).iter().all(|corner| corner.x <= 0.5);
    let mut random = Random(9);
    let mut fields = random.states(design.states());
    fields
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| !is_left(at / nodes))
        .for_each(|(_, state)| *state = State::default());
    let found = rates(&design, &fields, 0.0);
    let right = found.iter().enumerate().filter(|(at, _)| !is_left(at / nodes));
    assert!(right.clone().count() > 0 && right.clone().all(|(_, state)| *state == State::default()));
    assert!(found.iter().enumerate().any(|(at, state)| is_left(at / nodes) && state.e.length() > 0.0));
}

#[test]
fn a_wave_that_comes_in_balances_the_fields_of_that_wave() {
    // Fields that are the wave have no jump at the incident boundary: the rates are those of the wave to the order of the polynomials.
    let wave = PlaneWave::new(
        Vec3::new(1.0, 2.0, -2.0),
        Vec3::new(2.0, -2.0, -1.0),
        Pulse::Sine { wavenumber: 1.0 },
        &Material::VACUUM,
    )
    .unwrap();
    let mut errors = Vec::new();
    for order in [2, 4, 6] {
        let mut settings = Settings::new(order);
        (settings.outer, settings.wave) = (Some(Boundary::Incident), Some(wave));
        let design = Design::new(Mesh::new(crooked(2, 3)).unwrap(), &settings).unwrap();
        let (time, step) = (0.4, 1e-4);
        let found = rates(&design, &design.sampled(|x| wave.at(x, time)), time);
        let [after, before] = [step, -step].map(|by| design.sampled(|x| wave.at(x, time + by)));
        let slope = |a: Vec3, b: Vec3| (a - b) * (0.5 / step);
        let pairs = after.iter().zip(&before);
        let expected: Vec<State> =
            pairs.map(|(a, b)| State { e: slope(a.e, b.e), h: slope(a.h, b.h) }).collect();
        errors.push(distance(&found, &expected));
    }
    assert!(errors[0] < 0.1 && errors[1] < 0.03 * errors[0] && errors[2] < 0.03 * errors[1], "{errors:?}");
}

#[test]
fn a_step_of_the_definition_is_of_fourth_order() {
    let design = mixed(1, 2, |settings| settings.upwinding = 0.5);
    let start = Random(8).states(design.states());
    let after = |steps: u32| {
        let (mut fields, dt) = (start.clone(), 0.04 / f64::from(steps));
        (0..steps).for_each(|i| lsrk::step(&mut fields, f64::from(i) * dt, dt, |q, t| rates(&design, q, t)));
        fields
    };
    let exact = after(32);
    let order = (distance(&after(2), &exact) / distance(&after(4), &exact)).log2();
    assert!((order - 4.0).abs() < 0.3, "{order}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let design = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::new(1);
        change(&mut settings);
        Design::new(Mesh::new(crooked(1, 1)).unwrap(), &settings).unwrap_err()
    };
    assert_eq!(
        design(&|s| s.upwinding = 1.5),
        Error::value("upwinding", 1.5, "it must be from 0 (central) to 1 (upwind)")
    );
    assert!(matches!(design(&|s| s.upwinding = f64::NAN), Error::Value { what, .. } if what == "upwinding"));
    assert!(matches!(
        design(&|s| s.background.permittivity = 0.0),
        Error::Value { what, .. } if what.starts_with("permittivity")
    ));
    assert!(
        matches!(design(&|s| s.background.conductivity = f64::NAN), Error::Value { what, .. } if what.starts_with("conductivity"))
    );
    assert_eq!(design(&|s| s.outer = Some(Boundary::Incident)), Error::NoWave);
    assert!(
        matches!(design(&|s| s.order = 12), Error::Value { what, given, .. } if what == "order" && given == "12")
    );
    let nobody = design(&|s| s.outer = None);
    let note = "is at the boundary and has no condition; its group is 'x_max'";
    assert!(matches!(&nobody, Error::Mesh(message) if message.ends_with(note)), "{nobody}");
    let air = design(&|s| s.materials = vec![("air".into(), GLASS)]).to_string();
    assert!(air.starts_with("the mesh has no volume group 'air'; it has ["), "{air}");
    let lid = design(&|s| s.boundaries = vec![("lid".into(), Boundary::Pec)]).to_string();
    assert!(lid.starts_with("the mesh has no surface group 'lid'; it has ["), "{lid}");
    assert!(matches!(design(&|s| s.total_field = vec!["air".into()]), Error::NoWave));
}
