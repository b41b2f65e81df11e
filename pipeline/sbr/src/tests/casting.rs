use super::Random;
use crate::cast::{Bvh, Hit, KdTree, Position, Ray, Scratch, Steps, brute_force};
use crate::facets::Facets;
use mesh::{Mesh, shapes};
use numerics::vec3::Vec3;

/// Triangles anywhere: small, large, or needles.
fn soup(count: usize, kind: usize, random: &mut Random) -> Mesh {
    let mut vertices = Vec::new();
    for _ in 0..count {
        let middle = random.point();
        let scale = [0.1, 1.0, 1.0][kind];
        let sides = [random.point() * scale, random.point() * scale];
        let thin = if kind == 2 { sides[0] * 1.0001 + random.point() * 1e-5 } else { sides[1] };
        vertices.extend([middle, middle + sides[0], middle + thin]);
    }
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(vertices, triangles, "soup")
}

/// Three sheets of squares: coplanar triangles that share edges, on planes that trees split at.
fn lattice() -> Mesh {
    let one = shapes::plate(1.0, 1.0).refined().refined();
    let mut mesh = one.clone();
    for z in [0.25, 0.5] {
        let other = one.clone().moved(|v| Vec3::new(v.x, v.y, z));
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(&other.vertices);
        mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        mesh.groups.extend(&other.groups);
    }
    mesh
}

/// The same triangles twice.
fn doubled() -> Mesh {
    let mut mesh = shapes::sphere(1.0, 2);
    mesh.triangles.extend(mesh.triangles.clone());
    mesh.groups.extend(mesh.groups.clone());
    mesh
}

pub fn meshes() -> Vec<Mesh> {
    let mut random = Random(7);
    let mut meshes: Vec<Mesh> = (0..3).map(|kind| soup(300, kind, &mut random)).collect();
    meshes.extend([lattice(), doubled(), shapes::almond(1.0, 24, 16), shapes::trihedral(1.0)]);
    meshes.push(soup(1, 0, &mut random));
    meshes
}

/// Rays at random, along axes, and exactly at corners and middles of edges.
fn rays(facets: &Facets, count: usize, random: &mut Random) -> Vec<Ray> {
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 0.0, -1.0)];
    let ray = |i: usize| {
        let target = (random.next() * facets.len() as f64) as usize;
        let [a, b, c] = facets.corners[target].map(Vec3::from);
        let aim = match i % 5 {
            0 => random.point() * facets.radius,
            1 => a,
            2 => (b + c) * 0.5,
            3 => (a + b + c) * (1.0 / 3.0),
            _ => a + (b - a) * random.next(),
        };
        let direction = if i.is_multiple_of(7) { axes[i % 3] } else { random.point().unit() };
        Ray::new(aim - direction * (2.0 * facets.radius), direction)
    };
    (0..count).map(ray).collect()
}

#[test]
fn trees_hit_what_brute_force_hits() {
    let mut random = Random(3);
    for (number, mesh) in meshes().iter().enumerate() {
        let facets = Facets::new(mesh).unwrap();
        let (bvh, tree) = (Bvh::new(&facets), KdTree::new(&facets));
        let (mut scratch, mut steps) = (Scratch::default(), Steps::default());
        let mut hits = 0;
        for ray in rays(&facets, 3000, &mut random) {
            let mut ray = ray;
            let mut position = Position::default();
            // A first piece and three that leave facets, in the leaf where the last one ended.
            for _ in 0..4 {
                let expected = brute_force(&facets, &ray);
                assert_eq!(bvh.nearest(&facets, &ray, &mut scratch), expected, "mesh {number}: {ray:?}");
                let found = tree.nearest(&facets, &ray, &mut position, &mut steps);
                assert_eq!(found, expected, "mesh {number}: {ray:?}");
                if expected == Hit::NONE {
                    break;
                }
                hits += 1;
                let normal = facets.normals[expected.facet as usize];
                let direction = ray.direction.mirrored(normal);
                ray = Ray::leaving(&facets, expected.facet, ray.at(expected.distance), direction);
            }
        }
        assert!(hits > 500, "mesh {number}: {hits}");
        assert!(steps.leaves > 0 && steps.tests >= hits as u64);
    }
}

#[test]
fn no_ray_passes_between_neighbours() {
    let facets = Facets::new(&shapes::sphere(1.0, 3)).unwrap();
    let bvh = Bvh::new(&facets);
    let mut random = Random(5);
    let mut scratch = Scratch::default();
    for corner in facets.corners.iter().flatten() {
        for aim in [Vec3::from(*corner), Vec3::from(*corner) * 0.9999999999] {
            let direction = (random.point() * 0.3 - aim).unit();
            let ray = Ray::new(aim - direction, direction);
            assert!(bvh.nearest(&facets, &ray, &mut scratch).distance < 1.1, "{ray:?}");
        }
    }
}

#[test]
fn statistics_count_the_bytes() {
    let facets = Facets::new(&shapes::almond(1.0, 40, 32)).unwrap();
    let tree = KdTree::new(&facets);
    let expected = [
        ("leaves", tree.leaves.len()),
        ("basic_bytes", 16 * tree.nodes.len() + 4 * tree.order.len()),
        ("rope_bytes", 80 * tree.leaves.len()),
        ("facet_bytes", 72 * facets.len()),
    ];
    assert_eq!(tree.statistics(&facets), expected);
    assert_eq!(tree.nodes.len(), 2 * tree.leaves.len() - 1);
    // A tree that does not split would find the same hits.
    assert!(tree.leaves.len() > facets.len() / 2);
}

#[test]
fn a_reflected_ray_that_begins_in_its_leaf_passes_fewer_planes() {
    let facets = Facets::new(&shapes::almond(1.0, 40, 32)).unwrap();
    let tree = KdTree::new(&facets);
    let mut random = Random(11);
    let (mut first, mut from_leaf, mut from_root) = (Steps::default(), Steps::default(), Steps::default());
    let mut reflected = 0u64;
    for ray in rays(&facets, 2000, &mut random) {
        let mut position = Position::default();
        let hit = tree.nearest(&facets, &ray, &mut position, &mut first);
        if !hit.is_some() {
            continue;
        }
        reflected += 1;
        let direction = ray.direction.mirrored(facets.normals[hit.facet as usize]);
        let next = Ray::leaving(&facets, hit.facet, ray.at(hit.distance), direction);
        let a = tree.nearest(&facets, &next, &mut position, &mut from_leaf);
        let b = tree.nearest(&facets, &next, &mut Position::default(), &mut from_root);
        assert_eq!(a, b);
    }
    assert!(
        reflected > 1000 && from_leaf.planes + 4 * reflected < from_root.planes,
        "{from_leaf:?} {from_root:?}"
    );
}
