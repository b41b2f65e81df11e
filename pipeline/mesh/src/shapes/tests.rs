use super::super::{Mesh, check, obj};
use super::aircraft::Aircraft;
use super::fuselage::Fuselage;
use super::missile::Missile;
use super::ship::Ship;
use super::*;
use numerics::vec3::Vec3;

/// Size, m, and triangles of the paper's Table I.
const TABLE: [(&str, [f64; 3], usize); 4] = [
    ("missile", [1.1, 0.25, 0.2], 700),
    ("ship", [0.9, 0.2, 0.2], 2400),
    ("airplane-a", [11.76, 7.4, 3.67], 13_050),
    ("airplane-b", [14.12, 16.98, 4.5], 20_120),
];

#[test]
fn targets_have_the_sizes_of_the_table() {
    assert_eq!(TABLE.map(|(name, ..)| name), TARGETS);
    for (name, size, triangles) in TABLE {
        let mesh = target(name).unwrap();
        mesh.validate().unwrap();
        let (low, high) = mesh.bounds();
        for (found, expected) in (high - low).to_array().into_iter().zip(size) {
            assert!((found - expected).abs() < 1e-12 * expected, "{name}: {:?}", high - low);
        }
        let found = mesh.triangles.len();
        assert!(found.abs_diff(triangles) * 100 < 3 * triangles, "{name}: {found}");
    }
    assert!(target("submarine").is_none());
}

/// The triangles of one group as a mesh.
fn of_group(mesh: &Mesh, group: u32) -> Mesh {
    let pairs = mesh.triangles.iter().zip(&mesh.groups);
    let triangles = pairs.filter(|(_, of)| **of == group).map(|(triangle, _)| *triangle).collect();
    Mesh::new(mesh.vertices.clone(), triangles, &mesh.names[group as usize])
}

#[test]
fn every_part_is_closed_and_looks_outwards() {
    for name in TARGETS {
        let mesh = target(name).unwrap();
        assert!(check(&mesh).is_clean(), "{name}: {}", check(&mesh));
        for group in 0..mesh.names.len() as u32 {
            let part = of_group(&mesh, group);
            assert!(check(&part).is_clean(), "{name}, {}: {}", mesh.names[group as usize], check(&part));
        }
    }
}

#[test]
fn targets_are_the_same_every_time_and_on_both_sides() {
    for name in TARGETS {
        let mesh = target(name).unwrap();
        assert_eq!(mesh, target(name).unwrap());
        // Diagonals of quadrangles differ from side to side, corners do not.
        for vertex in &mesh.vertices {
            let image = Vec3::new(vertex.x, -vertex.y, vertex.z);
            let mut apart = mesh.vertices.iter().map(|other| *other - image);
            assert!(apart.any(|apart| apart.dot(apart) < 1e-24), "{name}: {vertex:?}");
        }
    }
}

#[test]
fn finer_targets_have_more_triangles_and_the_same_size() {
    let missile = Missile { around: 64, nose_bands: 20, ..Missile::default() };
    let ship = Ship { stations: 64, parts: 8, ..Ship::default() };
    let jet = Aircraft::business_jet();
    let jet = Aircraft { fuselage: Fuselage { around: 80, bands: 100, ..jet.fuselage }, ..jet };
    let pairs = [(missile.mesh(), "missile"), (ship.mesh(), "ship"), (jet.mesh(), "airplane-b")];
    for (fine, name) in pairs {
        let coarse = target(name).unwrap();
        assert!(check(&fine).is_clean() && fine.triangles.len() > coarse.triangles.len(), "{name}");
        let ((a, b), (c, d)) = (fine.bounds(), coarse.bounds());
        assert!((b - a - (d - c)).length() < 1e-12, "{name}");
    }
}

#[test]
fn senseless_counts_are_no_surface_and_no_panic() {
    let none = Missile { around: 0, nose_bands: 0, body_bands: 0, blade_bands: 0, ..Missile::default() };
    let broken = Ship { stations: 0, strakes: 0, parts: 0, around: 0, length: f64::NAN, ..Ship::default() };
    assert!(none.mesh().triangles.len() < target("missile").unwrap().triangles.len());
    assert!(broken.mesh().validate().is_err());
}

#[test]
fn written_targets_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in TARGETS {
        let (mesh, path) = (target(name).unwrap(), folder.path().join("mesh.obj"));
        obj::write(&mesh, &path).unwrap();
        let read = super::super::read(&path).unwrap();
        assert_eq!((&read.vertices, &read.triangles), (&mesh.vertices, &mesh.triangles));
        let name_of = |mesh: &Mesh, at: usize| mesh.names[mesh.groups[at] as usize].clone();
        assert!((0..mesh.triangles.len()).all(|at| name_of(&mesh, at) == name_of(&read, at)), "{name}");
    }
}
