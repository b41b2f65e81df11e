use super::*;
use crate::tetrahedron::PERMUTATIONS;

fn cube(n: usize) -> Volume {
    kuhn::cuboid(Vec3::ZERO, Vec3::splat(1.0), [n; 3])
}

#[test]
fn a_box_is_filled_and_every_inner_face_has_two_sides() {
    for cells in [[1, 1, 1], [3, 2, 4]] {
        let (low, high) = (Vec3::new(-1.0, 0.0, 2.0), Vec3::new(1.0, 0.5, 3.0));
        let mesh = Mesh::new(kuhn::cuboid(low, high, cells)).unwrap();
        let count: usize = cells.iter().product();
        assert_eq!(mesh.len(), 6 * count);
        let [x, y, z] = cells;
        assert_eq!(mesh.boundary().count(), 4 * (x * y + y * z + z * x));
        let found = quality::quality(&mesh, |_| 1.0);
        assert!((found.volume - 1.0).abs() < 1e-13);
        conformity::check(&mesh).unwrap();
        for element in 0..mesh.len() {
            for (face, neighbour) in mesh.neighbours(element).iter().enumerate() {
                let ours = mesh.face(element, face);
                let Some(neighbour) = neighbour else {
                    let group = mesh.face_groups(element)[face].unwrap() as usize;
                    let side = if group.is_multiple_of(2) { low[group / 2] } else { high[group / 2] };
                    assert!(ours.iter().all(|v| mesh.volume().vertices[*v as usize][group / 2] == side));
                    continue;
                };
                let other = neighbour.element as usize;
                let theirs = mesh.face(other, neighbour.face.into());
                let order = PERMUTATIONS[neighbour.permutation as usize];
                assert!((0..3).all(|i| ours[i] == theirs[order[i]]));
                let back = mesh.neighbours(other)[neighbour.face as usize].unwrap();
                assert_eq!((back.element as usize, back.face as usize), (element, face));
            }
        }
    }
}

#[test]
fn gradients_are_those_of_barycentric_coordinates() {
    let corners = [[0.0, 0.1, 0.2], [1.0, -0.3, 0.0], [0.2, 1.1, 0.1], [0.1, 0.3, 0.9]].map(Vec3::from);
    let (gradients, volume) = gradients(corners);
    assert!(volume > 0.0);
    for (i, gradient) in gradients.iter().enumerate() {
        for j in 1..4 {
            let change = gradient.dot(corners[j] - corners[0]);
            let expected = f64::from(u8::from(i == j)) - f64::from(u8::from(i == 0));
            assert!((change - expected).abs() < 1e-14);
        }
    }
}

#[test]
fn a_regular_tetrahedron_is_the_best() {
    let s = 0.5f64.sqrt();
    let vertices = [[1.0, 0.0, -s], [-1.0, 0.0, -s], [0.0, 1.0, s], [0.0, -1.0, s]].map(Vec3::from).to_vec();
    let one = |tetrahedron| Volume {
        vertices: vertices.clone(),
        tetrahedra: vec![tetrahedron],
        groups: vec![0],
        names: vec!["all".into()],
        ..Volume::default()
    };
    let is_inverted =
        Mesh::new(one([0, 1, 2, 3])).is_err_and(|error| is_of_mesh(&error, "tetrahedron 0 of", "inverted"));
    let mesh = Mesh::new(one(if is_inverted { [0, 2, 1, 3] } else { [0, 1, 2, 3] })).unwrap();
    assert!((quality::radius_ratio(&mesh, 0) - 1.0).abs() < 1e-14);
    // Edge over sqrt(24).
    assert!((quality::inradius(&mesh, 0) - 2.0 / 24f64.sqrt()).abs() < 1e-14);
}

#[test]
fn the_slowest_elements_are_named() {
    let axes = [vec![0.0, 1.0, 2.0], vec![0.0, 1.0], vec![0.0, 0.1, 1.0]];
    let mesh = Mesh::new(kuhn::graded(&axes)).unwrap();
    let found = quality::quality(&mesh, |element| if element == 7 { 2.0 } else { 1.0 });
    assert_eq!(found.slowest[0].0, 7);
    assert!(found.slowest[1..].iter().all(|(element, _)| *element < 12));
    assert!(found.to_string().contains("elements 7,"), "{found}");
}

#[test]
fn points_are_found_in_their_elements() {
    let mesh = Mesh::new(cube(3)).unwrap();
    for point in [[0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.99, 0.34]].map(Vec3::from) {
        let (element, l) = mesh.locate(point).unwrap();
        let corners = mesh.corners(element);
        let back = (0..4).fold(Vec3::ZERO, |sum, i| sum + corners[i] * l[i]);
        assert!((back - point).length() < 1e-14);
    }
    assert_eq!(mesh.locate(Vec3::new(1.1, 0.5, 0.5)), None);
}

/// Whether a mesh is refused, with a message that begins and goes on so.
fn is_of_mesh(error: &Error, begin: &str, part: &str) -> bool {
    matches!(error, Error::Mesh(message) if message.starts_with(begin) && message.contains(part))
}

#[test]
fn broken_meshes_are_refused_with_what_is_wrong() {
    let broken = |change: &dyn Fn(&mut Volume)| {
        let mut volume = cube(2);
        change(&mut volume);
        Mesh::new(volume).unwrap_err()
    };
    let inverted = broken(&|v| v.tetrahedra[5].swap(0, 1));
    assert!(is_of_mesh(&inverted, "tetrahedron 5 of", "is inverted"), "{inverted}");
    let flat = broken(&|v| v.tetrahedra[3][2] = v.tetrahedra[3][1]);
    assert!(is_of_mesh(&flat, "tetrahedron 3 of", "is flat"), "{flat}");
    let twice = broken(&|v| {
        v.tetrahedra.push(v.tetrahedra[0]);
        v.groups.push(0);
    });
    let is_twice =
        is_of_mesh(&twice, "tetrahedra", "are the same") || is_of_mesh(&twice, "face", "belongs to");
    assert!(is_twice, "{twice}");
    assert_eq!(broken(&|v| v.tetrahedra.clear()), Error::Empty);
    let index = broken(&|v| v.tetrahedra[1][0] = 999);
    assert_eq!(index, Error::value("vertex of tetrahedron 1", 999, "there are 27"));
    let number = broken(&|v| v.vertices[4].y = f64::NAN);
    assert!(matches!(&number, Error::Value { what, .. } if what == "place of vertex 4"), "{number}");
    let groups = broken(&|v| v.groups.truncate(47));
    assert_eq!(groups, Error::Length { what: "groups of tetrahedra", given: 47, needed: 48 });
    let group = broken(&|v| v.face_groups[0] = 6);
    assert_eq!(group, Error::value("group of faces", 6, "there are 6"));
    let loose = broken(&|v| v.faces[3] = [0, 1, 26]);
    assert!(is_of_mesh(&loose, "triangle 3 of", "is no face"), "{loose}");
    let two = broken(&|v| {
        v.faces.push(v.faces[0]);
        v.face_groups.push(5);
    });
    assert!(is_of_mesh(&two, "face", "is in the groups"), "{two}");
    let huge = broken(&|v| v.vertices.iter_mut().for_each(|vertex| *vertex = *vertex * 1e200));
    assert!(is_of_mesh(&huge, "tetrahedron", "is flat"), "{huge}");
}

#[test]
fn elements_that_overlap_are_refused() {
    // Two peaks over one triangle, both above it, and a third that makes the face crowded.
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.1, 0.1, 1.5],
        [0.0, 0.0, -1.0],
    ];
    let volume = |tetrahedra: Vec<[u32; 4]>| Volume {
        vertices: vertices.map(Vec3::from).to_vec(),
        groups: vec![0; tetrahedra.len()],
        tetrahedra,
        names: vec!["all".into()],
        ..Volume::default()
    };
    let overlap = Mesh::new(volume(vec![[0, 1, 2, 3], [0, 1, 2, 4]])).unwrap_err();
    let sides = "tetrahedra [0, 1] lie on the same side of their common face [0, 1, 2]: they overlap";
    assert_eq!(overlap, Error::Mesh(sides.into()));
    let crowded = Mesh::new(volume(vec![[0, 1, 2, 3], [0, 1, 2, 4], [1, 0, 2, 5]])).unwrap_err();
    let three = "face [0, 1, 2] belongs to tetrahedra [0, 1, 2]: two can share one";
    assert_eq!(crowded, Error::Mesh(three.into()));
    let twice = Mesh::new(volume(vec![[0, 1, 2, 3], [1, 2, 0, 3]])).unwrap_err();
    assert!(is_of_mesh(&twice, "tetrahedra [0, 1]", "are the same"), "{twice}");
    assert_eq!(Mesh::new(volume(vec![[0, 1, 2, 3], [1, 0, 2, 5]])).unwrap().boundary().count(), 6);
}

/// Two boxes side by side, whose faces meet at x = 1 and are not connected.
fn beside(cells: usize) -> Volume {
    let mut left = cube(1);
    let right = kuhn::cuboid(Vec3::new(1.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0), [cells; 3]);
    let first = left.vertices.len() as u32;
    left.vertices.extend(&right.vertices);
    left.tetrahedra.extend(right.tetrahedra.iter().map(|tetrahedron| tetrahedron.map(|v| v + first)));
    left.groups.extend(&right.groups);
    (left.faces, left.face_groups) = (Vec::new(), Vec::new());
    left
}

#[test]
fn faces_that_touch_without_being_connected_are_refused_unless_they_have_a_group() {
    for cells in [1, 2] {
        let mesh = Mesh::new(beside(cells)).unwrap();
        let error = conformity::check(&mesh).unwrap_err();
        assert!(is_of_mesh(&error, "faces", "touch at [1.0, "), "{error}");
        // The same as a sheet that was meant: all faces there have a group.
        let mut volume = beside(cells);
        let all: Vec<[u32; 3]> = mesh.boundary().map(|(element, face)| mesh.face(element, face)).collect();
        let at = |face: &&[u32; 3]| face.iter().all(|v| volume.vertices[*v as usize].x == 1.0);
        volume.faces = all.iter().filter(at).copied().collect();
        volume.face_groups = vec![0; volume.faces.len()];
        conformity::check(&Mesh::new(volume).unwrap()).unwrap();
    }
}

#[test]
fn groups_are_found_by_name() {
    let mesh = Mesh::new(cube(1)).unwrap();
    assert_eq!((mesh.group("volume"), mesh.face_group("z_max")), (Ok(0), Ok(5)));
    let error = mesh.face_group("lid").unwrap_err();
    assert!(error.to_string().contains("no surface group 'lid'") && error.to_string().contains("x_min"));
}

#[test]
fn spheres_are_conforming_and_have_their_volume() {
    use sphere::Sphere;
    let (radius, half_side) = (1.0, 1.5);
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    for inside in [None, Some(2)] {
        for quarter in [false, true] {
            let made = Sphere { radius, half_side, cells: 4, shells: 2, inside, outside: 2, quarter };
            let mesh = Mesh::new(made.volume().unwrap()).unwrap();
            conformity::check(&mesh).unwrap();
            let side = 2.0 * half_side * 2.0;
            let expected = side.powi(3) - if inside.is_none() { ball } else { 0.0 };
            let part = if quarter { 0.25 } else { 1.0 };
            let found = quality::quality(&mesh, |_| 1.0);
            // Triangles of one quarter are cut other ways than those of the next: a quarter of the solid is not quite a fourth.
            let tolerance = if quarter && inside.is_none() { 1e-4 } else { 1e-10 };
            assert!((found.volume - part * expected).abs() < tolerance * part * expected, "{found}");
            assert!(found.radius_ratio[0] > 0.1, "{found}");
            // Every face at the boundary is that of the box, of the sphere or of a plane of symmetry.
            let reach = half_side * 2.0;
            for (element, face) in mesh.boundary() {
                let corners = mesh.face(element, face).map(|vertex| mesh.volume().vertices[vertex as usize]);
                let is_outer = (0..3)
                    .any(|axis| corners.iter().all(|corner| (corner[axis].abs() - reach).abs() < 1e-12));
                assert_eq!(mesh.face_groups(element)[face].is_none(), is_outer, "{corners:?}");
            }
            let surface = (0..mesh.len())
                .flat_map(|element| *mesh.face_groups(element))
                .filter(|group| *group == Some(0));
            assert_eq!(surface.count(), if inside.is_none() { (192.0 * part) as usize } else { 0 });
        }
    }
    let wrong =
        Sphere { radius: 2.0, half_side, cells: 4, shells: 2, inside: None, outside: 2, quarter: false };
    for sphere in [
        wrong,
        Sphere { radius: 1.0, cells: usize::MAX, ..wrong },
        Sphere { radius: 1.0, outside: 200, ..wrong },
        Sphere { radius: f64::NAN, ..wrong },
        Sphere { radius: 1.0, cells: 5, quarter: true, ..wrong },
    ] {
        assert!(matches!(sphere.volume(), Err(Error::Value { what, .. }) if what == "the sphere"));
    }
}

#[test]
fn a_helix_rises_a_quarter_of_its_pitch_on_every_side() {
    use helix::Helix;
    let (side, pitch, turns, step) = (1.1, 0.9, 2, 0.5);
    for cells in [2, 4] {
        let made = Helix { side, pitch, turns, cells, step, margin: 1, outside: 2 };
        let mesh = Mesh::new(made.volume().unwrap()).unwrap();
        conformity::check(&mesh).unwrap();
        let found = quality::quality(&mesh, |_| 1.0);
        let box_side: f64 = side + 6.0 * step;
        let expected = box_side.powi(2) * (pitch * 2.5 + 3.0 * step);
        // Rounding of some thousand volumes.
        assert!((found.volume / expected - 1.0).abs() < 1e-12, "{found}");
        assert!(found.radius_ratio[0] > 0.2, "{found}");
        let volume = mesh.volume();
        let faces = |name: &str| {
            let group = mesh.face_group(name).unwrap();
            let all = volume.faces.iter().zip(&volume.face_groups).filter(move |(_, own)| **own == group);
            all.map(|(face, _)| face.map(|vertex| volume.vertices[vertex as usize])).collect::<Vec<_>>()
        };
        let (tape, port) = (faces("helix"), faces("port"));
        // Two triangles of every cell, as many cells high as half a side has, and what is between port and tape.
        assert_eq!(tape.len(), 4 * cells * cells * turns + cells * cells / 4);
        let area = |[a, b, c]: &[Vec3; 3]| 0.5 * (*b - *a).cross(*c - *a).length();
        let port: f64 = port.iter().map(area).sum();
        assert!((port - pitch / 4.0 * side / 2.0).abs() < 1e-12, "{port}");
        // Lower and upper edge at every corner of the square, from the first after the feed on.
        let half = side / 2.0;
        let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
        for number in 1..=4 * turns {
            let [x, y] = corners[number % 4];
            let low = pitch * (2 + number) as f64 / 4.0;
            for z in [low, low + pitch / 4.0] {
                let wanted = Vec3::new(x, y, z);
                let is_there = tape.iter().flatten().any(|vertex| (*vertex - wanted).length() < 1e-12);
                assert!(is_there, "{cells}, {number}: {wanted:?}");
            }
        }
        // Nothing moves where matched layers begin.
        let is_far = |vertex: &&Vec3| vertex.x.abs().max(vertex.y.abs()) > half + step - 1e-12;
        let level = |z: f64| (z / (pitch / (2 * cells) as f64)).fract();
        let below = volume.vertices.iter().filter(is_far).filter(|vertex| vertex.z < pitch * 2.4);
        assert!(below.clone().count() > 0);
        assert!(below.map(|vertex| level(vertex.z + 1e-9)).all(|rest| rest < 1e-6));
    }
    let right = Helix { side, pitch, turns, cells: 2, step, margin: 1, outside: 2 };
    for wrong in [
        Helix { side: 0.0, ..right },
        Helix { pitch: f64::NAN, ..right },
        Helix { pitch: 1.1, ..right },
        Helix { turns: 0, ..right },
        Helix { turns: usize::MAX, ..right },
        Helix { cells: 3, ..right },
        Helix { margin: 0, ..right },
        Helix { outside: usize::MAX, ..right },
    ] {
        assert!(matches!(wrong.volume(), Err(Error::Value { what, .. }) if what == "the helix"), "{wrong:?}");
    }
}
