//! Shooting and bouncing rays on a card against the CPU.

use crate::devices;
use kernels::Device;
use kernels::sbr::Room;
use num_complex::Complex;
use pipeline::mesh::{Mesh, shapes};
use pipeline::sbr::cpu::Plan;
use pipeline::sbr::cuda;
use pipeline::sbr::material::{Backing, Layer};
use pipeline::sbr::{
    Direction, Edges, Error, Material, Matrix, Response, Rule, Settings, Target, wavenumber,
};
use std::ops::ControlFlow;

/// Of what all of the target's shadow would send back in phase: both sides trace the same rays, and round sums of 1e6 tubes differently, 1e6 x 1e-16. Gordon's formula has the
/// largest share: 2^-52/1e-6 of a part of a tube, and parts are at most a tenth of all. Polynomials over a band are wrong by 1e-12.
const SAME: f64 = 1e-10;

/// With edges: beside a pole of their coefficients two terms of 1/h cancel, each right to 2^-52/h^2, with h = 1e-5/(1 + 0.01 k reach) down to 5e-6: 1e-5 of the field of an edge, which is 1/(k size)^2 of a mirror's, at most 1e-3 of it below. Up to ten edges are in phase.
const SAME_EDGES: f64 = 1e-7;

/// By the paper's rule polygons are where they are in space: phases of 1e3 rad lose 1e-13, which edges over the square of a phase of 1e-3, [`SAME`]'s 1e-6, make 1e-10 of each of four edges.
const STRICT: f64 = 1e-9;

fn go(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn target(mesh: &Mesh, materials: &[Material], settings: &Settings) -> Target {
    Target::new(mesh, materials, settings).unwrap()
}

fn card(device: &Device, mesh: &Mesh, settings: &Settings) -> cuda::Plan {
    cuda::Plan::new(device, target(mesh, &conductors(mesh), settings)).unwrap()
}

fn conductors(mesh: &Mesh) -> Vec<Material> {
    vec![Material::conductor(); mesh.names.len()]
}

/// Directions that no symmetry has.
fn directions(count: usize) -> Vec<Direction> {
    let at = |i: usize| {
        let turn = i as f64;
        Direction::degrees(20.0 + (137.5 * turn) % 140.0, 10.0 + (77.7 * turn) % 360.0)
    };
    (0..count).map(at).collect()
}

/// Largest difference over what a mirror of the target's size would send back.
fn apart(mesh: &Mesh, frequency: f64, one: &[Matrix], other: &[Matrix]) -> f64 {
    assert_eq!(one.len(), other.len());
    let (low, high) = mesh.bounds();
    let size = (high - low).length();
    let mirror = wavenumber(frequency) * size * size / (4.0 * std::f64::consts::PI).sqrt();
    let entries = one.iter().flatten().flatten().zip(other.iter().flatten().flatten());
    entries.map(|(a, b)| (a - b).norm() / mirror).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
}

#[test]
fn fields_are_those_of_the_cpu() {
    for device in devices("fields_are_those_of_the_cpu") {
        for (name, mesh, frequency, bounces) in [
            ("plate", shapes::plate(1.0, 0.7), 5e9, 5),
            ("dihedral", shapes::dihedral(1.0), 3e9, 5),
            ("trihedral", shapes::trihedral(1.0), 3e9, 5),
            ("sphere", shapes::sphere(0.3, 4), 8e9, 5),
            ("missile", shapes::target("missile").unwrap(), 6e9, 5),
            // More bounces than the card remembers of a ray.
            ("ship", shapes::target("ship").unwrap(), 5e9, 20),
        ] {
            let settings = Settings { bounces, ..Settings::new(vec![frequency]) };
            let cpu = Plan::new(Target::conductor(&mesh, &settings).unwrap());
            let mut plan = card(&device, &mesh, &settings);
            let directions = directions(4);
            let found = plan.monostatic(&directions, &mut go).unwrap();
            let expected: Vec<Response> =
                directions.iter().map(|direction| cpu.monostatic(*direction).unwrap()).collect();
            for (found, expected) in found.iter().zip(&expected) {
                let apart = apart(&mesh, frequency, &found.fields, &expected.fields);
                assert!(apart < SAME, "{name}: {apart:e}");
            }
            // The same decisions about every tube.
            let tubes = |responses: &[Response]| -> [u64; 3] {
                let sum = |of: fn(&Response) -> u64| responses.iter().map(of).sum();
                [sum(|r| r.counts.tubes), sum(|r| r.counts.split), sum(|r| r.counts.cut)]
            };
            assert_eq!(tubes(&found), tubes(&expected), "{name}");
        }
    }
}

#[test]
fn frequencies_and_receivers_come_from_one_trace() {
    for device in devices("frequencies_and_receivers_come_from_one_trace") {
        let mesh = shapes::target("missile").unwrap();
        let frequencies: Vec<f64> = (0..37).map(|i| 5e9 + 3e7 * f64::from(i)).collect();
        let settings = Settings::new(frequencies.clone());
        let cpu = Plan::new(Target::conductor(&mesh, &settings).unwrap());
        let mut plan = card(&device, &mesh, &settings);
        let directions = directions(9);
        let expected = cpu.execute(directions[0], &directions, &mut go).unwrap();
        let found = plan.execute(directions[0], &directions, &mut go).unwrap();
        let apart = apart(&mesh, frequencies[36], &found.fields, &expected.fields);
        assert!(apart < SAME, "{apart:e}");
    }
}

#[test]
fn bands_narrow_and_wide_are_those_of_the_cpu() {
    for device in devices("bands_narrow_and_wide_are_those_of_the_cpu") {
        // Along the plate phases across a tube are large: few nodes have them over the narrow band, none over the wide one, whose frequencies are not at equal steps.
        let narrow: Vec<f64> = (0..70).map(|i| 8e9 + 1e7 * f64::from(i)).collect();
        let wide: Vec<f64> = (0..60).map(|i| 1e9 * 1.03f64.powi(i)).collect();
        let mut directions = directions(2);
        directions.extend([86.0, 88.5, 89.7].map(|theta| Direction::degrees(theta, 3.0 * theta)));
        for (name, mesh) in
            [("plate", shapes::plate(0.6, 0.4)), ("missile", shapes::target("missile").unwrap())]
        {
            for frequencies in [&narrow, &wide] {
                let settings = Settings::new(frequencies.clone());
                let cpu = Plan::new(Target::conductor(&mesh, &settings).unwrap());
                let found = card(&device, &mesh, &settings).monostatic(&directions, &mut go).unwrap();
                let highest = frequencies[frequencies.len() - 1];
                for (direction, found) in directions.iter().zip(&found) {
                    let expected = cpu.monostatic(*direction).unwrap();
                    let apart = apart(&mesh, highest, &found.fields, &expected.fields);
                    assert!(apart < SAME, "{name} to {highest:e} Hz, {direction:?}: {apart:e}");
                }
            }
        }
    }
}

#[test]
fn edges_diffract_as_on_the_cpu() {
    for device in devices("edges_diffract_as_on_the_cpu") {
        let edges = Edges::Ildc { least_turn: 0.2 };
        for (name, mesh) in [
            ("plate", shapes::plate(0.6, 0.4)),
            ("trihedral", shapes::trihedral(0.5)),
            ("missile", shapes::target("missile").unwrap()),
        ] {
            let optical = Settings::new(vec![3e9, 4.1e9, 5e9]);
            let settings = Settings { edges, ..optical.clone() };
            let cpu = Plan::new(Target::conductor(&mesh, &settings).unwrap());
            let (mut plan, mut without) = (card(&device, &mesh, &settings), card(&device, &mesh, &optical));
            // With one along the plate and the trihedral's faces: what lies there is not left to rounding.
            let mut directions = directions(5);
            directions.push(Direction::degrees(90.0, 0.0));
            let bistatic = plan.execute(directions[0], &directions, &mut go).unwrap();
            let expected = cpu.execute(directions[0], &directions, &mut go).unwrap();
            let far = apart(&mesh, 5e9, &bistatic.fields, &expected.fields);
            assert!(far < SAME_EDGES, "{name}, bistatic: {far:e}");
            let found = plan.monostatic(&directions, &mut go).unwrap();
            assert_eq!(fields(&plan.monostatic(&directions, &mut go).unwrap()), fields(&found), "{name}");
            let plain = without.monostatic(&directions, &mut go).unwrap();
            for ((direction, found), plain) in directions.iter().zip(&found).zip(&plain) {
                let expected = cpu.monostatic(*direction).unwrap();
                let far = apart(&mesh, 5e9, &found.fields, &expected.fields);
                assert!(far < SAME_EDGES, "{name}, {direction:?}: {far:e}");
                // An edge as long as the target adds 1/(k size)^2 of what a mirror would, some 1e-4.
                assert!(apart(&mesh, 5e9, &found.fields, &plain.fields) > 1e-6, "{name}, {direction:?}");
            }
        }
    }
}

#[test]
fn results_are_the_same_bits_however_grids_are_cut() {
    for device in devices("results_are_the_same_bits_however_grids_are_cut") {
        let mesh = shapes::target("ship").unwrap();
        // So many that tiles and parts take nodes of their band.
        let settings = Settings::new((0..40).map(|i| 6e9 + 1e7 * f64::from(i)).collect());
        let directions = directions(5);
        let mut plan = card(&device, &mesh, &settings);
        let expected = plan.monostatic(&directions, &mut go).unwrap();
        assert_eq!(fields(&plan.monostatic(&directions, &mut go).unwrap()), fields(&expected));
        // Lists so short that grids go in many parts, and cells are taken again in halves.
        let room = Room { cells: 1 << 14, quartered: 256, parts: 512, kept: 100, listed: 1 << 10 };
        let mut small =
            cuda::Plan::with_room(&device, target(&mesh, &conductors(&mesh), &settings), room).unwrap();
        assert_eq!(fields(&small.monostatic(&directions, &mut go).unwrap()), fields(&expected));
        // One direction at a time.
        for (direction, expected) in directions.iter().zip(&expected) {
            let found = plan.monostatic(&[*direction], &mut go).unwrap();
            assert_eq!(found[0].fields, expected.fields);
        }
    }
}

/// One of every kind: bare metal, an impedance, half-spaces with and without losses, layers on each of them.
fn matter() -> Vec<Material> {
    let c = Complex::new;
    let glass = Backing::HalfSpace { permittivity: c(4.0, 0.0), permeability: c(1.0, 0.0) };
    let soil = Backing::HalfSpace { permittivity: c(6.0, -2.0), permeability: c(1.2, -0.3) };
    let foam = Layer { permittivity: c(1.3, 0.0), permeability: c(1.0, 0.0), thickness: 0.013 };
    let tile = Layer { permittivity: c(9.0, -3.0), permeability: c(1.7, -1.1), thickness: 0.002 };
    // A wave along it is not let in.
    let thin = Layer { permittivity: c(0.5, -1e-3), permeability: c(1.0, 0.0), thickness: 0.004 };
    let impedance = Backing::Impedance(c(0.4, 0.3));
    let material = |layers: &[Layer], backing| Material { layers: layers.to_vec(), backing };
    vec![
        Material::conductor(),
        material(&[], impedance),
        material(&[], glass),
        material(&[], soil),
        material(&[tile], Backing::Conductor),
        material(&[foam, tile, thin], Backing::Conductor),
        material(&[thin, foam], soil),
        material(&[tile, foam], impedance),
    ]
}

/// A target of all of these, facet by facet.
fn patched(mesh: Mesh) -> Mesh {
    let materials = matter().len() as u32;
    let groups = (0..mesh.triangles.len() as u32).map(|i| i % materials).collect();
    let names = (0..materials).map(|i| i.to_string()).collect();
    Mesh { groups, names, ..mesh }
}

/// Monostatic fields and decisions about tubes of both sides, at all frequencies.
fn compare(
    device: &Device,
    name: &str,
    (mesh, materials): (&Mesh, &[Material]),
    settings: &Settings,
    same: f64,
) {
    let cpu = Plan::new(Target::new(mesh, materials, settings).unwrap());
    let mut plan = cuda::Plan::new(device, target(mesh, materials, settings)).unwrap();
    let directions = directions(3);
    let found = plan.monostatic(&directions, &mut go).unwrap();
    let expected: Vec<Response> = directions.iter().map(|at| cpu.monostatic(*at).unwrap()).collect();
    let highest = settings.frequencies.iter().copied().fold(0.0, f64::max);
    for (found, expected) in found.iter().zip(&expected) {
        let apart = apart(mesh, highest, &found.fields, &expected.fields);
        assert!(apart < same, "{name}, {} frequencies: {apart:e}", settings.frequencies.len());
    }
    let decisions = |responses: &[Response]| -> [u64; 4] {
        let sum = |of: fn(&Response) -> u64| responses.iter().map(of).sum();
        [sum(|r| r.counts.tubes), sum(|r| r.counts.split), sum(|r| r.counts.cut), sum(|r| r.counts.dropped)]
    };
    assert_eq!(decisions(&found), decisions(&expected), "{name}");
}

#[test]
fn materials_are_those_of_the_cpu() {
    for device in devices("materials_are_those_of_the_cpu") {
        for (name, mesh, frequency, settings) in [
            ("plate", shapes::plate(1.0, 0.7), 5e9, Settings::new(vec![])),
            ("dihedral", shapes::dihedral(1.0), 3e9, Settings::new(vec![])),
            ("trihedral", shapes::trihedral(1.0), 3e9, Settings::new(vec![])),
            // Centres count for all of their tubes.
            (
                "sphere",
                shapes::sphere(0.3, 3),
                8e9,
                Settings { rule: Rule::Footprint { splits: 0 }, ..Settings::new(vec![]) },
            ),
            ("missile", shapes::target("missile").unwrap(), 6e9, Settings::new(vec![])),
            // More bounces than the card remembers of a ray.
            ("ship", shapes::target("ship").unwrap(), 4e9, Settings { bounces: 20, ..Settings::new(vec![]) }),
        ] {
            let mesh = patched(mesh);
            // One, and more than a warp takes at once, over a wide band.
            let wide: Vec<f64> = (0..11).map(|i| frequency * 0.4 * 1.095f64.powi(i)).collect();
            for frequencies in [vec![frequency], wide] {
                let settings = Settings { frequencies, ..settings.clone() };
                compare(&device, name, (&mesh, &matter()), &settings, SAME);
            }
        }
    }
}

#[test]
fn receivers_of_a_target_of_materials_are_those_of_the_cpu() {
    for device in devices("receivers_of_a_target_of_materials_are_those_of_the_cpu") {
        let mesh = patched(shapes::target("missile").unwrap());
        let settings = Settings::new((0..9).map(|i| 5e9 + 1e7 * f64::from(i)).collect());
        let cpu = Plan::new(Target::new(&mesh, &matter(), &settings).unwrap());
        let mut plan = cuda::Plan::new(&device, target(&mesh, &matter(), &settings)).unwrap();
        let directions = directions(7);
        let expected = cpu.execute(directions[1], &directions, &mut go).unwrap();
        let found = plan.execute(directions[1], &directions, &mut go).unwrap();
        let apart = apart(&mesh, settings.frequencies[8], &found.fields, &expected.fields);
        assert!(apart < SAME, "{apart:e}");
    }
}

#[test]
fn materials_are_the_same_bits_however_grids_are_cut() {
    for device in devices("materials_are_the_same_bits_however_grids_are_cut") {
        let mesh = patched(shapes::target("ship").unwrap());
        let settings = Settings::new((0..3).map(|i| 5e9 + 1e8 * f64::from(i)).collect());
        let directions = directions(4);
        let mut plan = cuda::Plan::new(&device, target(&mesh, &matter(), &settings)).unwrap();
        let expected = plan.monostatic(&directions, &mut go).unwrap();
        assert_eq!(fields(&plan.monostatic(&directions, &mut go).unwrap()), fields(&expected));
        // Parts that not all simple tubes find room among: these are found again with the others.
        let room = Room { cells: 1 << 14, quartered: 256, parts: 512, kept: 100, listed: 1 << 10 };
        let mut small = cuda::Plan::with_room(&device, target(&mesh, &matter(), &settings), room).unwrap();
        let found = small.monostatic(&directions, &mut go).unwrap();
        assert_eq!(fields(&found), fields(&expected));
        assert_eq!(found[0].counts.tubes, expected[0].counts.tubes);
    }
}

#[test]
fn the_paper_s_rule_is_that_of_the_cpu() {
    for device in devices("the_paper_s_rule_is_that_of_the_cpu") {
        for (name, mesh, frequency, bounces) in [
            ("plate", shapes::plate(1.0, 0.7), 5e9, 5),
            ("trihedral", shapes::trihedral(1.0), 3e9, 5),
            ("missile", shapes::target("missile").unwrap(), 6e9, 5),
            ("ship", shapes::target("ship").unwrap(), 4e9, 20),
        ] {
            let settings = Settings { bounces, rule: Rule::Discard, ..Settings::new(vec![frequency]) };
            let band = (0..33).map(|i| frequency * (0.8 + 0.005 * f64::from(i))).collect();
            let many = Settings { frequencies: band, ..settings.clone() };
            let metal = conductors(&mesh);
            compare(&device, name, (&mesh, &metal), &settings, STRICT);
            compare(&device, name, (&mesh, &metal), &many, STRICT);
            let mesh = patched(mesh);
            compare(&device, name, (&mesh, &matter()), &settings, STRICT);
        }
    }
}

fn fields(responses: &[Response]) -> Vec<&[Matrix]> {
    responses.iter().map(|response| response.fields.as_slice()).collect()
}

#[test]
fn what_a_card_does_not_do_is_refused() {
    for device in devices("what_a_card_does_not_do_is_refused") {
        let mesh = shapes::plate(1.0, 1.0);
        let settings = Settings::new(vec![1e9]);
        let plan = |materials: &[Material], settings: &Settings| {
            Target::new(&mesh, materials, settings)
                .and_then(|target| cuda::Plan::new(&device, target))
                .map(drop)
        };
        let conductors = conductors(&mesh);
        let refused = |settings: &Settings| matches!(plan(&conductors, settings), Err(Error::NotOnCard(_)));
        assert!(refused(&Settings { rule: Rule::Footprint { splits: 4 }, ..settings.clone() }));
        // Materials as the processor refuses them.
        assert_eq!(plan(&[], &settings), Err(Error::Material { group: 0, materials: 0 }));
        let giving = Material { layers: vec![], backing: Backing::Impedance(Complex::new(-0.1, 0.0)) };
        assert!(matches!(plan(&[giving], &settings), Err(Error::BadMaterial { material: 0, .. })));
        // A stop is obeyed.
        let mut plan = card(&device, &mesh, &settings);
        let stopped = plan.monostatic(&directions(1), &mut |_, _| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(Error::Stopped { .. })));
    }
}
