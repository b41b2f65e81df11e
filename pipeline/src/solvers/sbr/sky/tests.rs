use super::*;
use crate::mesh::shapes;
use crate::simd::ARCH;
use crate::solvers::sbr::bvh::Scratch;
use crate::solvers::sbr::ray::{Hit, brute_force};
use crate::solvers::sbr::tests::{Random, archs, meshes};

/// So many that their cell is looked at.
const MANY: usize = ENOUGH as usize;

/// A ray that leaves a facet: inside, at an edge or at a corner, and as far beside that as reflected rays are at most.
fn leaving(facets: &Facets, facet: u32, direction: Vec3, random: &mut Random) -> Ray {
    let [a, b, c] = facets.corners[facet as usize].map(Vec3::from);
    let (u, v) = (random.next(), random.next());
    let [u, v] = [[u, (1.0 - u) * v], [u, 0.0], [1.0, 0.0]][(3.0 * random.next()) as usize];
    let beside = Vec3::from([0; 3].map(|_| if random.next() < 0.5 { -1.0 } else { 1.0 }));
    let at = a + (b - a) * u + (c - a) * v + beside * (0.39 / (1 << 24) as f64 * facets.radius);
    Ray::leaving(facets, facet, at, direction)
}

#[test]
fn free_rays_meet_nothing() {
    let mut random = Random(41);
    let (mut free, mut rays) = (0, 0);
    let targets = ["missile", "ship"].map(|name| shapes::target(name).unwrap());
    for (number, mesh) in meshes().into_iter().chain(targets).enumerate() {
        for (scale, arch) in [1.0, 1e-10, 1e10].into_iter().zip(archs().into_iter().cycle()) {
            ARCH.set(arch);
            let facets = Facets::new(&mesh.clone().moved(|v| v * scale)).unwrap();
            let bvh = Bvh::new(&facets);
            for _ in 0..400 {
                let facet = (random.next() * facets.len() as f64) as u32;
                let side = if random.next() < 0.5 { -1.0 } else { 1.0 };
                let direction = (facets.normals[facet as usize] * side + random.point()).unit();
                for _ in 0..4 {
                    let ray = leaving(&facets, facet, direction, &mut random);
                    rays += 1;
                    if bvh.is_free(&facets, &ray, MANY) {
                        free += 1;
                        let hit = brute_force(&facets, &ray);
                        assert_eq!(hit, Hit::NONE, "mesh {number} x {scale}: {ray:?}");
                    }
                }
            }
        }
    }
    ARCH.set(pulp::Arch::new());
    assert!(10 * free > rays, "{free} of {rays}");
}

/// Whether a ray is free that leaves the first facet from its middle.
fn first_is_free(mesh: &crate::mesh::Mesh, direction: Vec3) -> bool {
    let facets = Facets::new(mesh).unwrap();
    let [a, b, c] = facets.corners[0].map(Vec3::from);
    let ray = Ray::leaving(&facets, 0, (a + b + c) * (1.0 / 3.0), direction.unit());
    let bvh = Bvh::new(&facets);
    let (first, again) = (bvh.is_free(&facets, &ray, MANY), bvh.is_free(&facets, &ray, MANY));
    assert_eq!(first, again);
    let mut scratch = Scratch::default();
    assert_eq!(bvh.nearest(&facets, &ray, &mut scratch), brute_force(&facets, &ray));
    first
}

#[test]
fn cells_are_free_where_they_should_be() {
    // Two sides of a valley that share an edge, along y: the first rises to -x, the second to x.
    let valley = crate::mesh::Mesh::new(
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.5, 0.5], [1.0, 0.5, 0.5]].map(Vec3::from).to_vec(),
        vec![[0, 1, 2], [1, 0, 3]],
        "valley",
    );
    assert!(first_is_free(&valley, Vec3::new(0.1, 0.1, 1.0)), "up, between both sides");
    assert!(!first_is_free(&valley, Vec3::new(1.0, 0.1, 0.2)), "across");
    assert!(first_is_free(&valley, Vec3::new(-0.9, 0.1, -1.0)), "down, from below");
    assert!(!first_is_free(&valley, Vec3::new(-1.0, 0.1, 0.51)), "along the first side");
    // All rays that leave a convex body are free, unless they are flat.
    let facets = Facets::new(&shapes::sphere(1.0, 3)).unwrap();
    let bvh = Bvh::new(&facets);
    for facet in 0..facets.len() as u32 {
        let [a, b, c] = facets.corners[facet as usize].map(Vec3::from);
        let ray = Ray::leaving(&facets, facet, (a + b + c) * (1.0 / 3.0), facets.normals[facet as usize]);
        assert!(bvh.is_free(&facets, &ray, MANY), "{ray:?}");
        let inwards = Ray::leaving(&facets, facet, ray.origin, -ray.direction);
        assert!(!bvh.is_free(&facets, &inwards, MANY), "{inwards:?}");
    }
}

#[test]
fn rays_fall_into_their_cells() {
    let facets = Facets::new(&shapes::plate(1.0, 1.0)).unwrap();
    let mut random = Random(43);
    let on_borders = [-1.0, -0.125, 0.0, 0.5, 1.0];
    let borders = on_borders.into_iter().flat_map(|x| on_borders.map(|y| Vec3::new(x, y, 1.0).unit()));
    let directions: Vec<Vec3> = borders.chain((0..1000).map(|_| random.point().unit())).collect();
    let mut seen = std::collections::HashSet::new();
    for direction in directions.into_iter().flat_map(|d| [d, -d]) {
        let ray = Ray::leaving(&facets, 0, Vec3::ZERO, direction);
        let cell = Cell::new(&ray);
        let (_, shear) = ray.frame();
        for (axis, shear) in shear.into_iter().enumerate().take(2) {
            let ([least, most], slope) = (cell.slopes(axis), cell.sense * shear);
            assert!(least <= slope + f64::EPSILON && slope <= most + f64::EPSILON, "{least} {slope} {most}");
        }
        assert!((1..=(FACES * SIDE * SIDE) as u64).contains(&cell.number()));
        seen.insert(cell.number());
        // Among the directions of its corners.
        let middle = cell.directions().into_iter().fold(Vec3::ZERO, |sum, corner| sum + corner).unit();
        assert!(middle.dot(direction) > 0.98, "{direction:?}");
    }
    assert!(seen.len() > 800, "{}", seen.len());
}
