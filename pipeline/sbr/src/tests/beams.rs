use super::Random;
use super::casting::meshes;
use crate::cast::{Bvh, Hit, Ray, Rays, Scratch, brute_force};
use crate::facets::Facets;
use crate::launch::Launch;
use crate::tube::{Tracer, Tree};
use crate::{Direction, Settings};
use mesh::{Mesh, shapes};
use numerics::simd;
use numerics::vec3::Vec3;

fn archs() -> Vec<pulp::Arch> {
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    sets.push(pulp::Arch::new());
    sets
}

fn targets() -> Vec<Mesh> {
    meshes()
        .into_iter()
        .chain([shapes::target("missile").unwrap(), shapes::target("ship").unwrap()])
        .collect()
}

/// A grid of 13 x 9 rays, so that beams are whole and broken, around the middle of some facet: across the
/// whole target, or so fine that needles are hit.
fn grid(facets: &Facets, direction: Vec3, pitch: f64, random: &mut Random) -> Vec<Ray> {
    let u = direction.cross(random.point()).unit() * (pitch * facets.radius);
    let v = direction.cross(u).unit() * (1.3 * pitch * facets.radius);
    let [a, b, c] = facets.corners[(random.next() * facets.len() as f64) as usize].map(Vec3::from);
    let corner = (a + b + c) * (1.0 / 3.0) - direction * (2.0 * facets.radius) - u * 6.0 - v * 4.0;
    let places = (0..9).flat_map(|row| (0..13).map(move |column| (f64::from(column), f64::from(row))));
    places.map(|(x, y)| Ray::new(corner + u * x + v * y, direction)).collect()
}

/// Reflected rays, those of one facet side by side.
fn reflected(facets: &Facets, rays: &[Ray], hits: &[Hit]) -> Vec<Ray> {
    let mut pairs: Vec<(&Ray, &Hit)> = rays.iter().zip(hits).filter(|(_, hit)| hit.is_some()).collect();
    pairs.sort_by_key(|(_, hit)| hit.facet);
    let next = |(ray, hit): (&Ray, &Hit)| {
        let direction = ray.direction.mirrored(facets.normals[hit.facet as usize]);
        Ray::leaving(facets, hit.facet, ray.at(hit.distance), direction)
    };
    pairs.into_iter().map(next).collect()
}

#[test]
fn beams_hit_what_brute_force_hits() {
    let mut random = Random(11);
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 0.0, -1.0)];
    for (number, mesh) in targets().iter().enumerate() {
        let facets = Facets::new(mesh).unwrap();
        let bvh = Bvh::new(&facets);
        let (mut hits, mut scratch) = (Vec::new(), Scratch::default());
        let mut found = 0;
        for i in 0..16 {
            let direction = if i < axes.len() { axes[i] } else { random.point().unit() };
            let mut rays = grid(&facets, direction, [0.15, 1e-6][i % 2], &mut random);
            for _ in 0..4 {
                let expected: Vec<Hit> = rays.iter().map(|ray| brute_force(&facets, ray)).collect();
                let laid: Rays = rays.iter().collect();
                for arch in archs() {
                    simd::choose(Some(arch));
                    bvh.cast(&facets, &laid, &mut hits, &mut scratch);
                    assert_eq!(hits, expected, "mesh {number} along {direction:?}");
                }
                found += expected.iter().filter(|hit| hit.is_some()).count();
                rays = reflected(&facets, &rays, &expected);
            }
        }
        simd::choose(None);
        assert!(found > 20, "mesh {number}: {found}");
    }
}

/// Rays at points of facets, from near and far, with directions around one.
fn spread(facets: &Facets, turn: f64, random: &mut Random) -> Vec<Ray> {
    let middle = random.point().unit();
    let ray = |_| {
        let [a, b, c] = facets.corners[(random.next() * facets.len() as f64) as usize].map(Vec3::from);
        let (u, v) = (random.next(), random.next());
        let aim = a + (b - a) * u + (c - a) * ((1.0 - u) * v);
        let direction = (middle + random.point() * turn).unit();
        Ray::new(aim - direction * (2.5 * random.next() * facets.radius), direction)
    };
    (0..150).map(ray).collect()
}

#[test]
fn rays_that_are_less_and_less_alike_hit_what_brute_force_hits() {
    let mut random = Random(17);
    for (number, mesh) in targets().iter().enumerate() {
        let facets = Facets::new(mesh).unwrap();
        let bvh = Bvh::new(&facets);
        let (mut hits, mut scratch) = (Vec::new(), Scratch::default());
        for turn in [0.0, 1e-7, 1e-3, 0.03, 0.1, 0.3, 2.0] {
            let rays = spread(&facets, turn, &mut random);
            let expected: Vec<Hit> = rays.iter().map(|ray| brute_force(&facets, ray)).collect();
            let laid: Rays = rays.iter().collect();
            assert!(laid.iter().zip(&rays).all(|(a, b)| a.origin == b.origin && a.is_beside(b)));
            for arch in archs() {
                simd::choose(Some(arch));
                bvh.cast(&facets, &laid, &mut hits, &mut scratch);
                assert_eq!(hits, expected, "mesh {number}, turn {turn}");
            }
            let found = expected.iter().filter(|hit| hit.is_some()).count();
            assert!(found > 40, "mesh {number}, turn {turn}: {found}");
        }
        simd::choose(None);
    }
}

#[test]
fn rays_traced_ahead_are_those_on_their_own() {
    for name in ["missile", "ship"] {
        let facets = Facets::new(&shapes::target(name).unwrap()).unwrap();
        let bvh = Bvh::new(&facets);
        let settings = Settings::new(vec![3e9]);
        let launch = Launch::new(&facets, Direction::degrees(70.0, 25.0), &settings).unwrap();
        let size = [launch.columns as usize, launch.rows as usize];
        let mut ahead = Tracer::new(&facets, Tree::Bvh(&bvh), &launch, 3);
        let mut alone = Tracer::new(&facets, Tree::Bvh(&bvh), &launch, 3);
        // Every third is not wanted, and traced when it is asked for.
        ahead.ahead([0.5, 0.5], size, |column, row| (column + row) % 3 > 0);
        let mut most = 0;
        for (row, column) in (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| (row, column))) {
            let at = [column as f64 + 0.5, row as f64 + 0.5];
            assert_eq!(ahead.trace(at), alone.trace(at), "{name}: {at:?}");
            assert_eq!(ahead.bounces, alone.bounces, "{name}: {at:?}");
            most = most.max(alone.bounces.len());
        }
        assert_eq!(ahead.counts, alone.counts);
        assert!(most > 1, "{name}: {most}");
    }
}

#[test]
fn rays_of_cells_and_of_the_grid_before_are_kept() {
    let facets = Facets::new(&shapes::target("missile").unwrap()).unwrap();
    let bvh = Bvh::new(&facets);
    let launch = Launch::new(&facets, Direction::degrees(70.0, 25.0), &Settings::new(vec![3e9])).unwrap();
    let size = [launch.columns as usize, launch.rows as usize];
    let mut kept = Tracer::new(&facets, Tree::Bvh(&bvh), &launch, 3);
    let mut alone = Tracer::new(&facets, Tree::Bvh(&bvh), &launch, 3);
    kept.ahead([0.0; 2], size, |_, _| true);
    kept.ahead([0.5; 2], size, |_, _| true);
    let (mut random, mut met) = (Random(29), 0);
    for _ in 0..200 {
        let corner = size.map(|cells| (random.next() * cells as f64).floor());
        let mut places: Vec<[f64; 2]> = (0..8).map(|_| corner.map(|x| x + random.next())).collect();
        kept.some(&places);
        let before = kept.counts;
        places.extend([corner, corner.map(|x| x + 0.5)]);
        for at in places {
            assert_eq!(kept.trace(at), alone.trace(at), "{at:?}");
            assert_eq!(kept.bounces, alone.bounces, "{at:?}");
            met += alone.bounces.len();
        }
        assert_eq!(kept.counts, before, "a ray was traced again");
    }
    assert!(met > 500, "{met}");
}
