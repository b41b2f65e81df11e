use super::*;
use crate::cast::node::IS_BLOCK;
use crate::cast::rays::MAX_RAYS;
use crate::cast::{Bvh, Hit, Scratch, brute_force};
use crate::tests::{Random, meshes};
use mesh::shapes;

/// Rays that leave neighbouring facets, along their normals and up to `turn` away from them; from the front
/// or from the back.
pub fn leaving(facets: &Facets, turn: f64, random: &mut Random) -> Vec<Ray> {
    let first = (random.next() * facets.len() as f64) as usize;
    let side = if random.next() < 0.5 { 1.0 } else { -1.0 };
    let few = first..facets.len().min(first + 1 + (random.next() * 4.0) as usize);
    let of_facet = |facet: usize| {
        let [a, b, c] = facets.corners[facet].map(Vec3::from);
        let (u, v) = (random.next(), random.next());
        let at = a + (b - a) * u + (c - a) * ((1.0 - u) * v);
        let direction = (facets.normals[facet] * side + random.point() * turn).unit();
        Ray::leaving(facets, facet as u32, at, direction)
    };
    few.map(of_facet).collect()
}

/// The ray without the facet that it leaves.
fn unruled(ray: &Ray) -> Ray {
    let mut ray = *ray;
    ray.leaves = NO_FACET;
    ray
}

/// All facets below a child of a node.
fn below(bvh: &Bvh, child: u32) -> Vec<u32> {
    if child & IS_BLOCK != 0 {
        let block = &bvh.blocks[(child & !IS_BLOCK) as usize];
        return block.facets.into_iter().filter(|facet| *facet != NO_FACET).collect();
    }
    let node = &bvh.nodes[child as usize];
    let children = (0..WIDTH).filter(|i| node.has(*i));
    children.flat_map(|i| below(bvh, node.child[i])).collect()
}

#[test]
fn what_is_passed_over_is_not_seen_by_any_ray() {
    let mut random = Random(31);
    let (mut boxes, mut own) = (0, 0);
    let all = meshes().into_iter().chain([shapes::sphere(1.0, 3), shapes::target("ship").unwrap()]);
    for mesh in all {
        for scale in [1.0, 1e-10, 1e10] {
            let facets = Facets::new(&mesh.clone().moved(|v| v * scale)).unwrap();
            let bvh = Bvh::new(&facets);
            for _ in 0..40 {
                let rays = leaving(&facets, 0.3, &mut random);
                let laid: Rays = rays.iter().collect();
                let span = Span::new(&laid, 0, 0, &[false; MAX_RAYS]);
                let half_spaces = HalfSpaces::new(&facets, &bvh.members, &laid, &span);
                let unseen = |facet: u32| rays[..span.count].iter().all(|ray| !ray.may_hit(&facets, facet));
                for (number, block) in (0..).zip(&bvh.blocks) {
                    for (i, facet) in block.facets.into_iter().enumerate() {
                        if facet != NO_FACET && half_spaces.own.mask(number) & 1 << i == 0 {
                            own += 1;
                            assert!(unseen(facet), "{facet}: {rays:?}");
                        }
                    }
                }
                for node in bvh.nodes.iter().filter(|_| half_spaces.hold) {
                    let hit = half_spaces.hits::<true>(node) | half_spaces.hits::<false>(node);
                    for i in (0..WIDTH).filter(|i| hit & 1 << i == 0 && node.has(*i)) {
                        boxes += 1;
                        let all = below(&bvh, node.child[i]);
                        assert!(all.iter().all(|facet| unseen(*facet)), "{all:?}: {rays:?}");
                    }
                }
            }
        }
    }
    assert!(boxes > 2000 && own > 2000, "{boxes} {own}");
}

#[test]
fn the_rule_refuses_nothing_that_is_there() {
    let mut random = Random(37);
    let mut hits = 0;
    for mesh in meshes().into_iter().chain([shapes::target("ship").unwrap()]) {
        let facets = Facets::new(&mesh).unwrap();
        for ray in (0..300).flat_map(|_| leaving(&facets, 2.0, &mut random)) {
            // Without the rule, but for the facet that it leaves.
            let (plain, mut hit) = (unruled(&ray), Hit::NONE);
            let others = (0..facets.len() as u32).filter(|facet| *facet != ray.leaves);
            others.for_each(|facet| plain.test(&facets, facet, &mut hit));
            assert_eq!(brute_force(&facets, &ray), hit, "{ray:?}");
            hits += usize::from(hit.is_some());
        }
    }
    assert!(hits > 1000, "{hits}");
}

/// Rays that begin a little below their facet and meet its neighbour in the same plane.
#[test]
fn beams_keep_the_rule_near_the_plane() {
    let facets = Facets::new(&shapes::plate(1.0, 1.0).refined().refined().refined()).unwrap();
    let bvh = Bvh::new(&facets);
    let (mut hits, mut scratch, mut refused) = (Vec::new(), Scratch::default(), 0);
    for (facet, slope) in
        (0..facets.len() as u32).flat_map(|facet| [0.04, 0.2, 1.0].map(|slope| (facet, slope)))
    {
        let [a, b, c] = facets.corners[facet as usize].map(Vec3::from);
        let normal = facets.normals[facet as usize];
        let direction = ((b - a).cross(normal).unit() + normal * slope).unit();
        for below in [1e-12, 1e-9, 5e-8] {
            let rays: Vec<Ray> = (1..=20)
                .map(|i| {
                    let inside = (c - a) * (0.1 * below) + (b - a) * (f64::from(i) / 40.0);
                    Ray::leaving(&facets, facet, a + inside - normal * (below * facets.radius), direction)
                })
                .collect();
            let expected: Vec<Hit> = rays.iter().map(|ray| brute_force(&facets, ray)).collect();
            bvh.cast(&facets, &rays.iter().collect(), &mut hits, &mut scratch);
            assert_eq!(hits, expected, "facet {facet}, {below} below");
            for ray in rays {
                refused += usize::from(brute_force(&facets, &unruled(&ray)).is_some());
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn slender_facets_and_flat_rays_see_everything() {
    let thin = mesh::Mesh::new(
        vec![
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(1.0, 0.9e-3, 0.0),
            Vec3::new(0.0, 0.0, -1.0),
            Vec3::new(1.0, 0.0, -1.0),
            Vec3::new(1.0, 1.0, -1.0),
        ],
        vec![[0, 1, 2], [3, 4, 5]],
        "thin",
    );
    let facets = Facets::new(&thin).unwrap();
    let leaving = |facet: u32, direction: Vec3| {
        let [a, b, c] = facets.corners[facet as usize].map(Vec3::from);
        Ray::leaving(&facets, facet, (a + b + c) * (1.0 / 3.0), direction.unit())
    };
    let [up, down] = [1.0, -1.0].map(|z| Vec3::new(0.0, 0.0, z));
    assert!((leaving(0, up)).may_hit(&facets, 1), "slender");
    assert!((leaving(1, up)).may_hit(&facets, 0) && !(leaving(1, down)).may_hit(&facets, 0));
    assert!(!(leaving(1, down + Vec3::new(30.0, 0.0, 0.0))).may_hit(&facets, 0));
    assert!((leaving(1, down + Vec3::new(34.0, 0.0, 0.0))).may_hit(&facets, 0), "flat");
    assert!((Ray::new(Vec3::ZERO, up)).may_hit(&facets, 1), "from outside");
}
