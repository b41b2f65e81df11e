mod binary_gmsh;
mod volumes;

use super::*;
use numerics::vec3::Vec3;

const STL: &str = "solid one
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1 0 0
   vertex 0 1 0
  endloop
 endfacet
endsolid one
solid two
 facet normal 0 0 1
  outer loop
   vertex 1 0 -0
   vertex 1 1 0
   vertex 0 1 0
  endloop
 endfacet
endsolid two
";

const OBJ: &str = "# a square
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vn 0 0 1
g top
f 1/1/1 2//1 3 -1 # fan
";

const PLY: &str = "ply
format ascii 1.0
comment a square
element vertex 4
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
0 0 0 9
1 0 0 9
1 1 0 9
0 1 0 9
3 0 1 2
3 0 2 3
";

const GMSH_2: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 \"top side\"
$EndPhysicalNames
$Nodes
4
10 0 0 0
20 1 0 0
30 1 1 0
40 0 1 0
$EndNodes
$Elements
3
1 15 2 0 1 10
2 2 2 7 1 10 20 30
3 2 2 7 1 10 30 40
$EndElements
";

const GMSH_4: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 \"top side\"
$EndPhysicalNames
$Entities
0 0 1 0
5 0 0 0 1 1 0 1 7 0
$EndEntities
$Nodes
1 4 1 4
2 5 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Comments
nothing
$EndComments
$Elements
1 1 1 1
2 5 3 1
1 1 2 3 4
$EndElements
";

type Parse = fn(&[u8]) -> Result<Mesh, Error>;

fn binary_ply(big: bool) -> Vec<u8> {
    let header = PLY.split_once("end_header\n").unwrap().0;
    let order = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = format!("{}end_header\n", header.replace("ascii", order)).into_bytes();
    for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        for value in [x, y, 0f32] {
            bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
        }
        bytes.push(9);
    }
    for face in [[0, 1, 2], [0, 2, 3i32]] {
        bytes.push(3);
        face.iter().for_each(|v| bytes.extend(if big { v.to_be_bytes() } else { v.to_le_bytes() }));
    }
    bytes
}

fn binary_stl() -> Vec<u8> {
    let mesh = shapes::plate(1.0, 1.0);
    let mut bytes = b"solid, says the header of some programs".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2u32.to_le_bytes());
    for index in 0..2 {
        bytes.extend([0; 12]);
        for corner in mesh.corners(index) {
            corner.to_array().iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// All formats, each with a square of side 1.
fn squares() -> Vec<(Parse, Vec<u8>)> {
    vec![
        (stl::parse, STL.into()),
        (stl::parse, binary_stl()),
        (obj::parse, OBJ.into()),
        (ply::parse, PLY.into()),
        (ply::parse, binary_ply(false)),
        (ply::parse, binary_ply(true)),
        (gmsh::parse, GMSH_2.into()),
        (gmsh::parse, GMSH_4.into()),
        (gmsh::parse, binary_gmsh::square_2(false)),
        (gmsh::parse, binary_gmsh::square_2(true)),
        (gmsh::parse, binary_gmsh::square_4(false)),
        (gmsh::parse, binary_gmsh::square_4(true)),
    ]
}

#[test]
fn every_format_gives_the_same_square() {
    for (number, (parse, bytes)) in squares().into_iter().enumerate() {
        let mesh = parse(&bytes).unwrap_or_else(|error| panic!("format {number}: {error}"));
        mesh.validate().unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2), "format {number}");
        assert!((mesh.area() - 1.0).abs() < 1e-12, "format {number}");
        assert!((0..2).all(|index| mesh.area_vector(index).z > 0.0), "format {number}");
        let expected = Report { open_edges: 4, ..Report::default() };
        assert_eq!(check(&mesh), expected, "format {number}");
    }
}

#[test]
fn groups_have_the_names_of_the_file() {
    assert_eq!(stl::parse(STL.as_bytes()).unwrap().names, ["one", "two"]);
    assert_eq!(stl::parse(STL.as_bytes()).unwrap().groups, [0, 1]);
    assert_eq!(gmsh::parse(GMSH_2.as_bytes()).unwrap().names, ["top side"]);
    assert_eq!(gmsh::parse(GMSH_4.as_bytes()).unwrap().names, ["top side"]);
    for bytes in [binary_gmsh::square_2(false), binary_gmsh::square_4(true)] {
        assert_eq!(gmsh::parse(&bytes).unwrap().names, ["top side"]);
    }
    let obj = obj::parse(OBJ.as_bytes()).unwrap();
    assert!(obj.groups.iter().all(|group| obj.names[*group as usize] == "top"));
}

/// A cheap generator for damage; the quality of its numbers does not matter.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize
}

#[test]
fn damaged_files_are_errors_or_meshes_and_never_panics() {
    let mut state = 1;
    let mut refused = 0;
    for round in 0..20_000 {
        let formats = squares();
        let (parse, mut bytes) = formats[round % formats.len()].clone();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) % bytes.len();
            match next(&mut state) % 4 {
                0 => bytes[at] = next(&mut state) as u8,
                1 => bytes.truncate(at + 1),
                2 => bytes[at] = b"0123456789-"[next(&mut state) % 11],
                _ => bytes.insert(at, b"9 \n-e"[next(&mut state) % 5]),
            }
        }
        let outcome = parse(&bytes).and_then(|mesh| {
            mesh.validate()?;
            Ok(check(&mesh))
        });
        refused += usize::from(outcome.is_err());
    }
    assert!(refused > 5_000, "{refused}");
}

#[test]
fn sizes_that_the_file_cannot_hold_are_refused_at_once() {
    let mut stl = binary_stl();
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let ply = PLY.replace("element vertex 4", "element vertex 99999999999");
    let gmsh = GMSH_2.replace("$Nodes\n4", "$Nodes\n18446744073709551615");
    let blocks = GMSH_4.replace("1 4 1 4", "99999999999 4 1 4");
    for (parse, bytes) in [
        (stl::parse as Parse, stl),
        (ply::parse, ply.into()),
        (gmsh::parse, gmsh.into()),
        (gmsh::parse, blocks.into()),
    ] {
        assert!(matches!(parse(&bytes), Err(Error::Syntax { .. })));
    }
    // Every number of a binary file as large as it can be: refused, or a number that says nothing about sizes.
    for bytes in [binary_gmsh::square_2(false), binary_gmsh::square_4(false)] {
        for at in 0..bytes.len() - 8 {
            for width in [4, 8] {
                let mut bytes = bytes.clone();
                bytes[at..at + width].fill(0xff);
                bytes[at + width - 1] = 0x7f;
                if let Ok(mesh) = gmsh::parse(&bytes) {
                    assert!(mesh.vertices.len() <= 4 && mesh.triangles.len() <= 2, "{at}");
                }
            }
        }
    }
}

#[test]
fn a_group_a_triangle_is_read_in_a_time_that_grows_with_the_file() {
    // Looking through all names for each would take 1e10 comparisons.
    let groups: String = (0..100_000).map(|i| format!("g {i}\nf 1 2 3\n")).collect();
    let mesh = obj::parse(format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{groups}").as_bytes()).unwrap();
    assert_eq!((mesh.names.len(), mesh.groups[99_999]), (100_001, 100_000));
}

#[test]
fn errors_name_the_line() {
    let wrong = OBJ.replace("v 1 1 0", "v 1 one 0");
    let error = obj::parse(wrong.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "line 4: a coordinate is 'one', which is no number");
    assert!(matches!(Mesh::default().validate(), Err(Error::Empty)));
    let mut mesh = shapes::plate(1.0, 1.0);
    mesh.vertices[2].y = f64::NAN;
    assert!(matches!(mesh.validate(), Err(Error::NotFinite { vertex: 2, .. })));
    mesh.triangles[1][2] = 4;
    assert!(matches!(mesh.validate(), Err(Error::Index { triangle: 1, vertex: 4, vertices: 4 })));
    assert!(matches!(read("a.step"), Err(Error::Ending(_))));
    assert!(matches!(read("/nowhere/a.stl"), Err(Error::Read { .. })));
}

#[test]
fn faults_of_a_surface_are_counted() {
    let sphere = shapes::sphere(1.0, 2);
    assert!(check(&sphere).is_clean(), "{}", check(&sphere));
    let mut mesh = sphere.clone();
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    assert_eq!(check(&mesh), Report { inverted: true, ..Report::default() });
    let mut mesh = sphere.clone();
    mesh.triangles[0].swap(0, 1);
    assert_eq!(check(&mesh), Report { inconsistent_edges: 3, ..Report::default() });
    let mut mesh = sphere.clone();
    mesh.triangles.push(mesh.triangles[0]);
    mesh.triangles.push([3, 3, 4]);
    let report = check(&mesh);
    assert_eq!((report.degenerate, report.duplicate, report.crowded_edges), (1, 1, 3));
    assert_eq!(report.to_string().lines().count(), 3);
}

#[test]
fn shapes_have_their_areas() {
    // Chords of the facets: relative deficit of order (edge/radius)^2/4, a quarter a level.
    let deficit = |levels| 1.0 - shapes::sphere(2.0, levels).area() / (16.0 * std::f64::consts::PI);
    assert!(deficit(4) > 0.0 && deficit(4) < 2e-3);
    assert!((deficit(4) / deficit(5) - 4.0).abs() < 0.05);
    assert_eq!(shapes::sphere(1.0, 3).triangles.len(), 20 * 64);
    assert!((shapes::dihedral(2.0).area() - 8.0).abs() < 1e-12);
    assert!((shapes::trihedral(2.0).area() - 6.0).abs() < 1e-12);
    let almond = shapes::almond(0.252, 60, 48);
    assert!(check(&almond).is_clean(), "{}", check(&almond));
    let (low, high) = almond.bounds();
    assert!((high.x - low.x - 0.252).abs() < 1e-6);
    assert!((high.y - 0.193333 * 0.252).abs() < 1e-4 && (high.z - 0.064444 * 0.252).abs() < 1e-4);
    let fine = almond.refined();
    assert!((fine.area() / almond.area() - 1.0).abs() < 1e-12 && check(&fine).is_clean());
}
