//! Tetrahedra of gmsh files: two that share a face, one side of which is in a group.

use super::binary_gmsh::Numbers;
use super::*;

const PLACES: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];

fn text_2() -> Vec<u8> {
    let nodes: String = (1..).zip(PLACES).map(|(tag, [x, y, z])| format!("{tag} {x} {y} {z}\n")).collect();
    let names = "$PhysicalNames\n2\n2 7 \"wall\"\n3 8 \"air\"\n$EndPhysicalNames\n";
    let elements = "$Elements\n5\n1 2 2 7 1 1 2 4\n2 2 2 0 1 1 2 5\n3 4 2 8 1 1 2 3 4\n4 4 2 9 1 2 1 3 5\n5 15 2 3 1 1\n$EndElements\n";
    format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{names}$Nodes\n5\n{nodes}$EndNodes\n{elements}").into()
}

fn text_4() -> Vec<u8> {
    let entities = "$Entities\n0 0 2 2\n1 0 0 0 1 1 1 1 7 0\n2 0 0 0 1 1 1 0 0\n1 0 0 0 1 1 1 1 8 0\n2 0 0 0 1 1 1 1 9 0\n$EndEntities\n";
    let names = "$PhysicalNames\n2\n2 7 \"wall\"\n3 8 \"air\"\n$EndPhysicalNames\n";
    let places: String = PLACES.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let nodes = format!("$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n{places}$EndNodes\n");
    let elements = "$Elements\n4 4 1 4\n2 1 2 1\n1 1 2 4\n2 2 2 1\n2 1 2 5\n3 1 4 1\n3 1 2 3 4\n3 2 4 1\n4 2 1 3 5\n$EndElements\n";
    format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{names}{entities}{nodes}{elements}").into()
}

fn names(version: &str, big: bool) -> Numbers {
    let mut file = Numbers { bytes: Vec::new(), big };
    file.text(&format!("$MeshFormat\n{version} 1 8\n"));
    file.ints(&[1]);
    file.text("\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"wall\"\n3 8 \"air\"\n$EndPhysicalNames\n");
    file
}

fn binary_2(big: bool) -> Vec<u8> {
    let mut file = names("2.2", big);
    file.text("$Nodes\n5\n");
    for (tag, place) in (1..).zip(PLACES) {
        file.ints(&[tag]);
        file.reals(&place);
    }
    file.text("\n$EndNodes\n$Elements\n4\n");
    file.ints(&[2, 2, 2, 1, 7, 1, 1, 2, 4, 2, 0, 1, 1, 2, 5]);
    file.ints(&[4, 2, 2, 3, 8, 1, 1, 2, 3, 4, 4, 9, 1, 2, 1, 3, 5]);
    file.text("\n$EndElements\n");
    file.bytes
}

fn binary_4(big: bool) -> Vec<u8> {
    let mut file = names("4.1", big);
    file.text("$Entities\n");
    file.sizes(&[0, 0, 2, 2]);
    for (tag, groups) in [(1, &[7][..]), (2, &[]), (1, &[8]), (2, &[9])] {
        file.ints(&[tag]);
        file.reals(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        file.sizes(&[groups.len() as u64]);
        file.ints(groups);
        file.sizes(&[0]);
    }
    file.text("\n$EndEntities\n$Nodes\n");
    file.sizes(&[1, 5, 1, 5]);
    file.ints(&[3, 1, 0]);
    file.sizes(&[5, 1, 2, 3, 4, 5]);
    PLACES.iter().for_each(|place| file.reals(place));
    file.text("\n$EndNodes\n$Elements\n");
    file.sizes(&[4, 4, 1, 4]);
    for (header, element) in [
        ([2, 1, 2], &[1, 1, 2, 4][..]),
        ([2, 2, 2], &[2, 1, 2, 5]),
        ([3, 1, 4], &[3, 1, 2, 3, 4]),
        ([3, 2, 4], &[4, 2, 1, 3, 5]),
    ] {
        file.ints(&header);
        file.sizes(&[1]);
        file.sizes(element);
    }
    file.text("\n$EndElements\n");
    file.bytes
}

fn files() -> Vec<Vec<u8>> {
    vec![text_2(), text_4(), binary_2(false), binary_2(true), binary_4(false), binary_4(true)]
}

#[test]
fn every_format_gives_the_same_volume() {
    let expected = Volume {
        vertices: PLACES.map(Vec3::from).to_vec(),
        tetrahedra: vec![[0, 1, 2, 3], [1, 0, 2, 4]],
        groups: vec![0, 1],
        names: vec!["air".into(), "volume 9".into()],
        faces: vec![[0, 1, 3]],
        face_groups: vec![0],
        face_names: vec!["wall".into()],
    };
    for (number, bytes) in files().into_iter().enumerate() {
        assert_eq!(gmsh::parse_volume(&bytes), Ok(expected.clone()), "format {number}");
        // The same file as a surface has no tetrahedra, and both triangles.
        assert_eq!(gmsh::parse(&bytes).unwrap().triangles.len(), 2, "format {number}");
    }
}

#[test]
fn other_shapes_in_a_volume_are_refused_with_their_place() {
    let text = String::from_utf8(text_2()).unwrap().replace("3 4 2 8 1 1 2 3 4", "3 7 2 8 1 1 2 3 4 5");
    let error = gmsh::parse_volume(text.as_bytes()).unwrap_err();
    assert!(matches!(error, Error::Syntax { place: Place::Line(_), .. }), "{error}");
    assert!(error.to_string().contains("type 7"), "{error}");
    assert!(gmsh::parse(text.as_bytes()).is_ok());
}

#[test]
fn damaged_volumes_are_errors_or_volumes_and_never_panics() {
    let (files, mut state, mut refused) = (files(), 7, 0);
    for round in 0..20_000 {
        let mut bytes = files[round % files.len()].clone();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) % bytes.len();
            match next(&mut state) % 4 {
                0 => bytes[at] = next(&mut state) as u8,
                1 => bytes.truncate(at + 1),
                2 => bytes[at] = b"0123456789-"[next(&mut state) % 11],
                _ => bytes.insert(at, b"9 \n-e"[next(&mut state) % 5]),
            }
        }
        match gmsh::parse_volume(&bytes) {
            Ok(volume) => assert!(volume.tetrahedra.len() <= 2 && volume.vertices.len() <= 5, "{round}"),
            Err(_) => refused += 1,
        }
    }
    assert!((5_000..20_000).contains(&refused), "{refused}");
}
