//! Hostile meshes: every reader refuses or gives a mesh that can be checked and lit. `FUZZ_INPUTS` says how many.

use pipeline::mesh::{Error, Mesh, check, gmsh, obj, ply, shapes, stl};
use pipeline::solvers::sbr::bvh::{Bvh, Scratch};
use pipeline::solvers::sbr::facets::Facets;
use pipeline::solvers::sbr::ray::{Hit, Ray, brute_force};
use pipeline::vec3::Vec3;
use tests::fuzz::{Dialect, Mutator, fuzz};

/// Whether a mesh is one; if so, it must be fit for rays.
fn is_fit(mesh: Result<Mesh, Error>) -> bool {
    let Ok(mesh) = mesh.and_then(|mesh| mesh.validate().map(|()| mesh)) else { return false };
    assert!(check(&mesh).degenerate <= mesh.triangles.len());
    assert!(mesh.groups.iter().all(|group| (*group as usize) < mesh.names.len()));
    let Ok(facets) = Facets::new(&mesh) else { return true };
    let direction = Vec3::new(-0.3, 0.5, -0.8).unit();
    let ray = Ray::new(direction * (-2.0 * facets.radius), direction);
    let (found, expected) =
        (Bvh::new(&facets).nearest(&facets, &ray, &mut Scratch::default()), brute_force(&facets, &ray));
    assert!(found == expected || is_rounding(&facets, &ray, expected), "{found:?}, {expected:?}: {mesh:?}");
    true
}

/// Whether a hit is not where its facet is: of a facet that is 1e-9 of the target and seen along an edge, rounding decides, and a tree
/// that asks its box first knows better.
fn is_rounding(facets: &Facets, ray: &Ray, hit: Hit) -> bool {
    let (point, (low, high)) = (ray.at(hit.distance), facets.bounds(hit.facet as usize));
    let outside = (low - point).max(point - high).to_array().into_iter().fold(0.0, f64::max);
    hit.is_some() && outside > ROUNDING * facets.radius
}

/// Of coordinates of rays that begin two radii away, a thousand times over.
const ROUNDING: f64 = 1e-12;

fn each(mesh: &Mesh, line: impl Fn([Vec3; 3]) -> String) -> String {
    (0..mesh.triangles.len()).map(|index| line(mesh.corners(index))).collect()
}

fn seeds() -> Vec<Mesh> {
    vec![shapes::plate(1.0, 2.0), shapes::trihedral(0.3), shapes::sphere(1.0, 0)]
}

fn vertices(mesh: &Mesh, before: &str) -> String {
    let vertex = |v: &Vec3| format!("{before}{} {} {}\n", v.x, v.y, v.z);
    mesh.vertices.iter().map(vertex).collect()
}

#[test]
fn stl_texts() {
    let text = |mesh: &Mesh| {
        let facet = |corners: [Vec3; 3]| {
            let lines: String = corners.iter().map(|v| format!("vertex {} {} {}\n", v.x, v.y, v.z)).collect();
            format!("facet normal 0 0 1\nouter loop\n{lines}endloop\nendfacet\n")
        };
        format!("solid a\n{}endsolid a\n", each(mesh, facet)).into_bytes()
    };
    let seeds = seeds().iter().map(text).collect();
    fuzz("text STL", Mutator::new(Dialect::Text, seeds), |bytes| is_fit(stl::parse(bytes)));
}

#[test]
fn stl_binaries() {
    let bytes = |mesh: &Mesh| {
        let mut bytes = vec![b' '; 80];
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for index in 0..mesh.triangles.len() {
            bytes.extend([0; 12]);
            let numbers = mesh.corners(index).into_iter().flat_map(Vec3::to_array);
            numbers.for_each(|x| bytes.extend((x as f32).to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    };
    let seeds = seeds().iter().map(bytes).collect();
    fuzz("binary STL", Mutator::new(Dialect::Binary, seeds), |bytes| is_fit(stl::parse(bytes)));
}

#[test]
fn objs() {
    let text = |mesh: &Mesh| {
        let faces = mesh.triangles.iter().map(|[a, b, c]| format!("f {}//1 {} {}\n", a + 1, b + 1, c + 1));
        format!("# seed\n{}g one\n{}", vertices(mesh, "v "), faces.collect::<String>()).into_bytes()
    };
    let seeds = seeds().iter().map(text).collect();
    fuzz("OBJ", Mutator::new(Dialect::Text, seeds), |bytes| is_fit(obj::parse(bytes)));
}

#[test]
fn plys() {
    let header = |mesh: &Mesh, format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
            mesh.vertices.len(),
            mesh.triangles.len()
        )
    };
    let text = |mesh: &Mesh| {
        let faces = mesh.triangles.iter().map(|[a, b, c]| format!("3 {a} {b} {c}\n"));
        format!("{}{}{}", header(mesh, "ascii"), vertices(mesh, ""), faces.collect::<String>()).into_bytes()
    };
    let binary = |mesh: &Mesh| {
        let mut bytes = header(mesh, "binary_little_endian").into_bytes();
        mesh.vertices.iter().flat_map(|v| v.to_array()).for_each(|x| bytes.extend(x.to_le_bytes()));
        for triangle in &mesh.triangles {
            bytes.push(3);
            triangle.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        }
        bytes
    };
    let (texts, binaries) = (seeds().iter().map(text).collect(), seeds().iter().map(binary).collect());
    fuzz("text PLY", Mutator::new(Dialect::Text, texts), |bytes| is_fit(ply::parse(bytes)));
    fuzz("binary PLY", Mutator::new(Dialect::Binary, binaries), |bytes| is_fit(ply::parse(bytes)));
}

#[test]
fn gmshs() {
    let numbered = |lines: &[String]| -> String {
        lines.iter().enumerate().map(|(i, line)| format!("{} {line}\n", i + 1)).collect()
    };
    let text = |mesh: &Mesh| {
        let nodes: Vec<String> = mesh.vertices.iter().map(|v| format!("{} {} {}", v.x, v.y, v.z)).collect();
        let elements: Vec<String> =
            mesh.triangles.iter().map(|[a, b, c]| format!("2 2 1 1 {} {} {}", a + 1, b + 1, c + 1)).collect();
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{}$EndNodes\n$Elements\n{}\n{}$EndElements\n",
            nodes.len(),
            numbered(&nodes),
            elements.len(),
            numbered(&elements)
        )
        .into_bytes()
    };
    let seeds = seeds().iter().map(text).collect();
    fuzz("gmsh", Mutator::new(Dialect::Text, seeds), |bytes| is_fit(gmsh::parse(bytes)));
}
