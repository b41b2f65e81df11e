use super::Random;
use crate::cpu::Plan;
use crate::material::{Backing, Layer};
use crate::{
    Counts, Direction, Edges, Error, Material, Matrix, Rule, Settings, Structure, Target, reference,
    wavenumber,
};
use mesh::{Mesh, shapes};
use num_complex::Complex;
use numerics::vec3::Vec3;
use std::ops::ControlFlow;

type C = Complex<f64>;

fn apart(a: &Matrix, b: &Matrix) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    // NaN must not pass as zero.
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

fn size(a: &Matrix) -> f64 {
    a.iter().flatten().map(|entry| entry.norm()).fold(0.0, f64::max)
}

/// A corner and an almond in front of it: everything that rays can do, without symmetry.
fn scene() -> Mesh {
    let mut mesh = shapes::trihedral(1.0);
    let almond = shapes::almond(0.4, 12, 10).moved(|v| Vec3::new(v.y + 0.5, v.z + 0.4, v.x + 0.6));
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(&almond.vertices);
    mesh.triangles.extend(almond.triangles.iter().map(|t| t.map(|v| v + first)));
    mesh.groups.extend(vec![1; almond.triangles.len()]);
    mesh.names.push("almond".into());
    mesh
}

fn coated() -> Vec<Material> {
    let layer = Layer { permittivity: C::new(3.0, -0.5), permeability: C::new(1.2, -0.1), thickness: 4e-3 };
    let lossy = Material { layers: vec![layer], backing: Backing::Conductor };
    vec![Material::conductor(), lossy]
}

fn settings(frequency: f64) -> Settings {
    Settings { tubes_per_wavelength: 20.0, ..Settings::new(vec![frequency]) }
}

#[test]
fn the_plan_is_the_reference_for_small_tubes() {
    let mesh = scene();
    let (from, to) = (Direction::degrees(50.0, 35.0), Direction::degrees(62.0, 20.0));
    let frequency = 1e9;
    for materials in [vec![Material::conductor(); 2], coated()] {
        let dense = Settings { tubes_per_wavelength: 100.0, ..settings(frequency) };
        let expected = reference::scattering(&mesh, &materials, &dense, from, to).unwrap();
        for structure in [Structure::Bvh, Structure::KdTree] {
            let plan = Settings { structure, rule: Rule::Footprint { splits: 3 }, ..settings(frequency) };
            let plan = Plan::new(Target::new(&mesh, &materials, &plan).unwrap());
            let found = plan.execute(from, &[to], &mut |_, _| ControlFlow::Continue(())).unwrap();
            // Borders of tubes of 1/160 against 1/100 wavelength: both are off by some 1e-3 of the whole.
            let error = apart(&found.fields[0], &expected);
            assert!(error < 6e-3 * size(&expected), "{error:e} of {:e}", size(&expected));
        }
    }
}

#[test]
fn without_splitting_the_plan_is_the_reference_but_for_the_phase_within_tubes() {
    let mesh = scene();
    let at = Direction::degrees(50.0, 35.0);
    let fine = Settings { tubes_per_wavelength: 60.0, rule: Rule::Footprint { splits: 0 }, ..settings(1e9) };
    let expected = reference::scattering(&mesh, &coated(), &fine, at, at).unwrap();
    let found = Plan::new(Target::new(&mesh, &coated(), &fine).unwrap()).monostatic(at).unwrap();
    // The phase of 2 pi/60 x 2 across a tube: 1 - sinc is below (0.105)^2/6 for each side.
    assert!(apart(&found.fields[0], &expected) < 4e-3 * size(&expected));
}

#[test]
fn results_are_the_same_bits_for_any_number_of_threads_and_on_a_second_run() {
    let plan = Plan::new(Target::new(&scene(), &coated(), &Settings::new(vec![3e9, 2.5e9])).unwrap());
    let at = Direction::degrees(50.0, 35.0);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| plan.monostatic(at).unwrap())
    };
    let one = run(1);
    assert_eq!(one, run(3));
    assert_eq!(one, run(3));
    assert!(one.fields.iter().all(|field| size(field) > 0.0));
}

#[test]
fn trees_give_the_same_fields() {
    let at = Direction::degrees(50.0, 35.0);
    let [a, b] = [Structure::Bvh, Structure::KdTree].map(|structure| {
        let settings = Settings { structure, ..Settings::new(vec![3e9]) };
        Plan::new(Target::conductor(&scene(), &settings).unwrap()).monostatic(at).unwrap()
    });
    // Rays are asked for again where they were not traced ahead.
    let decided = |counts: Counts| [counts.tubes, counts.cut, counts.split];
    assert_eq!((a.fields, decided(a.counts)), (b.fields, decided(b.counts)));
    assert!(b.steps[1].leaves > 0 && a.steps[0].leaves == 0);
}

#[test]
fn conductors_by_materials_are_conductors() {
    let at = Direction::degrees(50.0, 35.0);
    let settings = Settings::new(vec![3e9]);
    let quick = Plan::new(Target::conductor(&scene(), &settings).unwrap()).monostatic(at).unwrap();
    let zero = Material { layers: vec![], backing: Backing::Impedance(C::new(0.0, 0.0)) };
    let slow = Plan::new(Target::new(&scene(), &vec![zero; 2], &settings).unwrap()).monostatic(at).unwrap();
    assert!(apart(&quick.fields[0], &slow.fields[0]) < 1e-12 * size(&quick.fields[0]));
}

#[test]
fn one_trace_serves_all_frequencies_and_observations() {
    let frequencies = vec![3e9, 2.9e9, 2.2e9];
    let many = Plan::new(Target::conductor(&scene(), &Settings::new(frequencies)).unwrap());
    let (from, to) = (Direction::degrees(50.0, 35.0), Direction::degrees(70.0, 10.0));
    let all = many.execute(from, &[from, to], &mut |_, _| ControlFlow::Continue(())).unwrap();
    // Another frequency alone with tubes of the same size.
    let alone = Settings { tubes_per_wavelength: 10.0 * 3.0 / 2.2, ..Settings::new(vec![2.2e9]) };
    let one = Plan::new(Target::conductor(&scene(), &alone).unwrap());
    let one = one.execute(from, &[to], &mut |_, _| ControlFlow::Continue(())).unwrap();
    // Corners are compared in wavelengths, so that some tubes are split in one and not in the other.
    assert!(apart(&all.fields[5], &one.fields[0]) < 1e-2 * size(&one.fields[0]));
    let first = many.monostatic(from).unwrap();
    assert_eq!(first.fields, all.fields[..3]);
}

#[test]
fn backscatter_is_reciprocal() {
    let plan = Plan::new(Target::conductor(&scene(), &Settings::new(vec![6e9])).unwrap());
    for at in [Direction::degrees(50.0, 35.0), Direction::degrees(70.0, 60.0)] {
        let [[_, vh], [hv, _]] = plan.monostatic(at).unwrap().fields[0];
        // Every way through the target exists in both senses, but for what is in the sums by borders of
        // tubes.
        let whole = size(&plan.monostatic(at).unwrap().fields[0]);
        assert!((vh - hv).norm() < 1e-2 * whole, "{vh} {hv} {whole}");
    }
}

#[test]
fn a_target_that_is_moved_and_turned_with_the_radar_is_the_same() {
    let mesh = scene();
    let frequency = 3e9;
    let at = Direction::degrees(50.0, 35.0);
    let before =
        Plan::new(Target::conductor(&mesh, &Settings::new(vec![frequency])).unwrap()).monostatic(at).unwrap();
    // A turn about z turns the polarisations with it: exact but for rounding, which moves a few rays across
    // edges.
    let angle: f64 = 0.3;
    let (sin, cos) = angle.sin_cos();
    let shift = Vec3::new(3.0, -7.0, 2.0);
    let moved = mesh.moved(|v| Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z) + shift);
    let there = Direction { theta: at.theta, phi: at.phi + angle };
    let after = Plan::new(Target::conductor(&moved, &Settings::new(vec![frequency])).unwrap())
        .monostatic(there)
        .unwrap();
    let phase = C::from_polar(1.0, 2.0 * wavenumber(frequency) * there.unit().dot(shift));
    let expected = before.fields[0].map(|row| row.map(|entry| entry * phase));
    assert!(apart(&after.fields[0], &expected) < 5e-3 * size(&expected));
}

#[test]
fn a_finer_mesh_of_the_same_surface_is_the_same() {
    let at = Direction::degrees(50.0, 35.0);
    let settings = Settings::new(vec![3e9]);
    let [coarse, fine] = [scene(), scene().refined()].map(|mesh| {
        Plan::new(Target::conductor(&mesh, &settings).unwrap()).monostatic(at).unwrap().fields[0]
    });
    // Both are the same to 1e-9 where pieces are all of a tube. On the almond's rim more facets leave more
    // tubes that are quartered: some 100 of 12 000, by 1/64 of one.
    assert!(apart(&coarse, &fine) < 1e-3 * size(&coarse), "{:e}", apart(&coarse, &fine));
}

#[test]
fn contributions_of_facets_and_edges_are_the_field() {
    let (from, to) = (Direction::degrees(50.0, 35.0), Direction::degrees(62.0, 20.0));
    let frequencies = vec![3e9, 2.5e9];
    let mut go_on = |_: usize, _: usize| ControlFlow::Continue(());
    for (materials, edges, rule) in [
        (coated(), Edges::None, Rule::Footprint { splits: 3 }),
        (vec![Material::conductor(); 2], Edges::Ildc { least_turn: 0.2 }, Rule::Footprint { splits: 3 }),
        (coated(), Edges::None, Rule::Discard),
    ] {
        let settings = Settings { edges, rule, ..Settings::new(frequencies.clone()) };
        let plan = Plan::new(Target::new(&scene(), &materials, &settings).unwrap());
        let whole = plan.execute(from, &[to], &mut go_on).unwrap().fields;
        for (frequency, whole) in frequencies.iter().zip(&whole) {
            let parts = plan.contributions(from, to, *frequency, &mut go_on).unwrap();
            assert_eq!(parts.facets.len(), plan.target().facets.len());
            // Another order of the same terms, which are thousands and larger than their sum.
            let terms: f64 = parts.facets.iter().map(|facet| size(&facet.field)).sum();
            assert!(apart(&parts.total(), whole) < 1e-12 * terms, "{:e}", apart(&parts.total(), whole));
            assert_eq!(size(&parts.edges) > 0.0, edges != Edges::None);
            assert_eq!(parts, plan.contributions(from, to, *frequency, &mut go_on).unwrap());
            // The corner's plates have three reflections; the almond's back is in the dark.
            assert_eq!(parts.facets[..3].iter().map(|facet| facet.bounces).max(), Some(5));
            let dark = parts.facets.iter().filter(|facet| facet.bounces == 0);
            assert!(dark.clone().count() > 10 && dark.clone().all(|facet| size(&facet.field) == 0.0));
        }
    }
    let plan = Plan::new(Target::conductor(&scene(), &Settings::new(frequencies)).unwrap());
    let none = plan.contributions(from, to, f64::NAN, &mut go_on);
    assert!(matches!(none, Err(Error::Frequency(_))));
    let stopped = plan.contributions(from, to, 3e9, &mut |_, _| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Stopped { done: 0, .. })));
}

#[test]
fn more_bounces_are_cut_and_counted() {
    let at = Direction::degrees(54.7, 45.0);
    let counts = [1, 2, 3].map(|bounces| {
        let settings = Settings { bounces, ..Settings::new(vec![3e9]) };
        Plan::new(Target::conductor(&shapes::trihedral(1.0), &settings).unwrap())
            .monostatic(at)
            .unwrap()
            .counts
    });
    assert!(counts[0].cut > counts[1].cut && counts[1].cut > 0 && counts[2].cut == 0);
    assert!(counts[0].segments < counts[2].segments);
}

#[test]
fn wrong_settings_are_refused_with_their_numbers() {
    let mesh = shapes::plate(1.0, 1.0);
    let refused = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::new(vec![1e9]);
        change(&mut settings);
        Target::conductor(&mesh, &settings).unwrap_err()
    };
    assert!(matches!(refused(&|s| s.frequencies.clear()), Error::Frequency(_)));
    assert!(matches!(refused(&|s| s.frequencies.push(-1.0)), Error::Frequency(-1.0)));
    assert!(matches!(refused(&|s| s.bounces = 0), Error::Bounces(0)));
    assert!(matches!(refused(&|s| s.tubes_per_wavelength = f64::NAN), Error::Tubes(_)));
    assert!(matches!(refused(&|s| s.rule = Rule::Footprint { splits: 99 }), Error::Splits(99)));
    let point = Mesh::new(vec![Vec3::ZERO; 3], vec![[0, 1, 2]], "point");
    assert!(matches!(Target::conductor(&point, &settings(1e9)), Err(Error::NoSurface { .. })));
    let plan = Plan::new(Target::conductor(&mesh, &Settings::new(vec![1e18])).unwrap());
    assert!(matches!(plan.monostatic(Direction::degrees(0.0, 0.0)), Err(Error::TooManyTubes { .. })));
    let plan = Plan::new(Target::conductor(&mesh, &settings(1e9)).unwrap());
    assert!(matches!(plan.monostatic(Direction::degrees(f64::NAN, 0.0)), Err(Error::Direction { .. })));
    let stop = plan.execute(Direction::degrees(0.0, 0.0), &[Direction::degrees(0.0, 0.0)], &mut |_, _| {
        ControlFlow::Break(())
    });
    assert!(matches!(stop, Err(Error::Stopped { done: 0, .. })));
    assert!(matches!(
        Target::new(&mesh, &[], &settings(1e9)),
        Err(Error::Material { group: 0, materials: 0 })
    ));
}

#[test]
fn a_plate_smaller_than_a_tube_and_strange_directions_give_numbers() {
    let mut random = Random(2);
    let plan = Plan::new(Target::conductor(&shapes::plate(1e-3, 1e-3), &Settings::new(vec![1e9])).unwrap());
    for _ in 0..50 {
        let at = Direction { theta: 10.0 * random.next(), phi: 100.0 * random.next() };
        let fields = plan.monostatic(at).unwrap().fields;
        assert!(fields[0].iter().flatten().all(|entry| entry.re.is_finite() && entry.im.is_finite()));
    }
}
