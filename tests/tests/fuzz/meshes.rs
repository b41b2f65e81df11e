//! Hostile meshes and materials: every reader refuses or gives a mesh that can be checked and lit, or materials that reflect no more than they get. `FUZZ_INPUTS` says how many.

use pipeline::mesh::{Error, Mesh, check, gmsh, obj, ply, shapes, stl};
use pipeline::numerics::vec3::Vec3;
use pipeline::sbr::cast::{Bvh, Hit, Ray, Scratch, brute_force};
use pipeline::sbr::{Facets, material_file};
use std::path::Path;
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

fn numbered(lines: &[String]) -> String {
    lines.iter().enumerate().map(|(i, line)| format!("{} {line}\n", i + 1)).collect()
}

fn nodes(mesh: &Mesh) -> Vec<String> {
    mesh.vertices.iter().map(|v| format!("{} {} {}", v.x, v.y, v.z)).collect()
}

const NAMES: &str = "$PhysicalNames\n1\n2 1 \"all\"\n$EndPhysicalNames\n";

#[test]
fn gmsh_2_texts() {
    let text = |mesh: &Mesh| {
        let (nodes, element) =
            (nodes(mesh), |[a, b, c]: &[u32; 3]| format!("2 2 1 1 {} {} {}", a + 1, b + 1, c + 1));
        let elements: Vec<String> = mesh.triangles.iter().map(element).collect();
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{NAMES}$Nodes\n{}\n{}$EndNodes\n$Elements\n{}\n{}$EndElements\n",
            nodes.len(),
            numbered(&nodes),
            elements.len(),
            numbered(&elements)
        )
        .into_bytes()
    };
    let seeds = seeds().iter().map(text).collect();
    fuzz("gmsh 2.2", Mutator::new(Dialect::Text, seeds), |bytes| is_fit(gmsh::parse(bytes)));
}

#[test]
fn gmsh_4_texts() {
    let text = |mesh: &Mesh| {
        let (nodes, element) = (nodes(mesh), |[a, b, c]: &[u32; 3]| format!("{} {} {}", a + 1, b + 1, c + 1));
        let tags: String = (1..=nodes.len()).map(|tag| format!("{tag}\n")).collect();
        let elements: Vec<String> = mesh.triangles.iter().map(element).collect();
        let (n, m) = (nodes.len(), elements.len());
        format!(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{NAMES}$Entities\n0 0 1 0\n1 0 0 0 1 1 1 1 1 0\n$EndEntities\n$Nodes\n1 {n} 1 {n}\n2 1 0 {n}\n{tags}{}\n$EndNodes\n$Elements\n1 {m} 1 {m}\n2 1 2 {m}\n{}$EndElements\n",
            nodes.join("\n"),
            numbered(&elements)
        )
        .into_bytes()
    };
    let seeds = seeds().iter().map(text).collect();
    fuzz("gmsh 4.1", Mutator::new(Dialect::Text, seeds), |bytes| is_fit(gmsh::parse(bytes)));
}

/// Little-endian numbers one after the other.
fn put<const N: usize>(bytes: &mut Vec<u8>, values: impl IntoIterator<Item = [u8; N]>) {
    values.into_iter().for_each(|value| bytes.extend(value));
}

fn binary_head(version: &str) -> Vec<u8> {
    let mut bytes = format!("$MeshFormat\n{version} 1 8\n").into_bytes();
    put(&mut bytes, [1i32.to_le_bytes()]);
    bytes.extend(format!("\n$EndMeshFormat\n{NAMES}").into_bytes());
    bytes
}

#[test]
fn gmsh_2_binaries() {
    let binary = |mesh: &Mesh| {
        let mut bytes = binary_head("2.2");
        bytes.extend(format!("$Nodes\n{}\n", mesh.vertices.len()).into_bytes());
        for (tag, vertex) in (1i32..).zip(&mesh.vertices) {
            put(&mut bytes, [tag.to_le_bytes()]);
            put(&mut bytes, vertex.to_array().map(f64::to_le_bytes));
        }
        bytes.extend(format!("\n$EndNodes\n$Elements\n{}\n", mesh.triangles.len()).into_bytes());
        put(&mut bytes, [2i32, mesh.triangles.len() as i32, 1].map(i32::to_le_bytes));
        for (tag, [a, b, c]) in (1i32..).zip(&mesh.triangles) {
            put(&mut bytes, [tag, 1, *a as i32 + 1, *b as i32 + 1, *c as i32 + 1].map(i32::to_le_bytes));
        }
        bytes.extend(b"\n$EndElements\n");
        bytes
    };
    let seeds = seeds().iter().map(binary).collect();
    fuzz("binary gmsh 2.2", Mutator::new(Dialect::Binary, seeds), |bytes| is_fit(gmsh::parse(bytes)));
}

#[test]
fn gmsh_4_binaries() {
    let binary = |mesh: &Mesh| {
        let mut bytes = binary_head("4.1");
        let (n, m) = (mesh.vertices.len() as u64, mesh.triangles.len() as u64);
        bytes.extend(b"$Entities\n");
        put(&mut bytes, [0u64, 0, 1, 0].map(u64::to_le_bytes));
        put(&mut bytes, [1i32.to_le_bytes()]);
        put(&mut bytes, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0].map(f64::to_le_bytes));
        put(&mut bytes, [1u64.to_le_bytes()]);
        put(&mut bytes, [1i32.to_le_bytes()]);
        put(&mut bytes, [0u64.to_le_bytes()]);
        bytes.extend(b"\n$EndEntities\n$Nodes\n");
        put(&mut bytes, [1, n, 1, n].map(u64::to_le_bytes));
        put(&mut bytes, [2i32, 1, 0].map(i32::to_le_bytes));
        put(&mut bytes, [n].into_iter().chain(1..=n).map(u64::to_le_bytes));
        put(&mut bytes, mesh.vertices.iter().flat_map(|v| v.to_array()).map(f64::to_le_bytes));
        bytes.extend(b"\n$EndNodes\n$Elements\n");
        put(&mut bytes, [1, m, 1, m].map(u64::to_le_bytes));
        put(&mut bytes, [2i32, 1, 2].map(i32::to_le_bytes));
        put(&mut bytes, [m.to_le_bytes()]);
        for (tag, [a, b, c]) in (1u64..).zip(&mesh.triangles) {
            put(
                &mut bytes,
                [tag, u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1].map(u64::to_le_bytes),
            );
        }
        bytes.extend(b"\n$EndElements\n");
        bytes
    };
    let seeds = seeds().iter().map(binary).collect();
    fuzz("binary gmsh 4.1", Mutator::new(Dialect::Binary, seeds), |bytes| is_fit(gmsh::parse(bytes)));
}

#[test]
fn materials() {
    let seeds = [
        "[[material]]\ngroups = [\"wing\"]\nlayers = [{ permittivity = [3.0, -0.1], permeability = [1.0, 0.0], thickness_m = 0.002 }]\nbacking = \"conductor\"\n",
        "[[material]]\ngroups = [\"glass\", \"wing\"]\nbacking = { permittivity = [4.0, -0.01], permeability = [1.0, 0.0] }\n",
        "[[material]]\ngroups = [\"body\"]\nlayers = [{ permittivity = [2.0, 0.0], permeability = [1.5, -0.2], thickness_m = 1e-3 }, { permittivity = [9.0, -3.0], permeability = [1.0, 0.0], thickness_m = 0.0005 }]\nbacking = { impedance_ohm = [50.0, 20.0] }\n",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let groups = ["body", "wing", "glass"].map(String::from);
    fuzz("materials", Mutator::new(Dialect::Text, seeds), |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let Ok(materials) = material_file::parse(text, Path::new("m.toml"), &groups) else { return false };
        assert_eq!(materials.len(), groups.len());
        if materials.iter().enumerate().any(|(index, material)| material.validate(index).is_err()) {
            return false;
        }
        for (material, cosine) in
            materials.iter().flat_map(|material| [1.0, 0.3, 1e-6].map(|cosine| (material, cosine)))
        {
            let found = material.reflection(63.0, cosine);
            // What a passive surface reflects; rounding of layers that are a million wavelengths thick is not.
            for part in [found.across, found.along] {
                assert!(part.norm() <= 1.0 + 1e-6, "{material:?} at {cosine}: {part}");
            }
        }
        true
    });
}
