use super::*;
use crate::cast::half_space::tests::leaving;
use crate::cast::{Bvh, Scratch, brute_force};
use crate::tests::{Random, meshes};
use mesh::shapes;

/// From a facet towards a corner of another, where what is hardly met is found.
fn towards_corners(facets: &Facets, random: &mut Random) -> Option<Ray> {
    let mut some = || (random.next() * facets.len() as f64) as usize % facets.len();
    let (from, to) = (some(), some());
    let [start, end] =
        [from, to].map(|facet| Vec3::from(facets.corners[facet][(random.next() * 3.0) as usize % 3]));
    let direction = end - start;
    (direction.length() > 0.0).then(|| Ray::leaving(facets, from as u32, start, direction.unit()))
}

#[test]
fn free_rays_meet_nothing() {
    let mut random = Random(41);
    let (mut free, mut missed, mut scratch) = (0, 0, Scratch::default());
    let all = meshes().into_iter().chain([shapes::sphere(1.0, 3), shapes::target("ship").unwrap()]);
    for mesh in all {
        for scale in [1.0, 1e-10, 1e10] {
            let facets = Facets::new(&mesh.clone().moved(|v| v * scale)).unwrap();
            let bvh = Bvh::new(&facets);
            let along = (0..100).flat_map(|_| leaving(&facets, 2.0, &mut random)).collect::<Vec<_>>();
            let across = (0..100).filter_map(|_| towards_corners(&facets, &mut random));
            for ray in along.into_iter().chain(across) {
                let hit = brute_force(&facets, &ray);
                missed += usize::from(!hit.is_some());
                if bvh.escapes(&facets, &ray) {
                    free += 1;
                    assert!(!hit.is_some(), "{ray:?} {hit:?}");
                }
                assert_eq!(bvh.nearest(&facets, &ray, &mut scratch), hit, "{ray:?}");
            }
        }
    }
    assert!(free > 2000 && 3 * free > missed, "{free} of {missed}");
}

/// Boxes are those of all that is before, one by one.
#[test]
fn boxes_hold_what_is_before_and_nothing_else() {
    for mesh in meshes().into_iter().chain([shapes::target("missile").unwrap()]) {
        let facets = Facets::new(&mesh).unwrap();
        let bvh = Bvh::new(&facets);
        let more = 1e-5 * facets.radius;
        for (facet, Displacements(sides)) in (0..).zip(&bvh.displacements) {
            let (low, high) = facets.bounds(facet as usize);
            for (side, found) in sides.iter().enumerate().filter(|_| !facets.is_sliver[facet as usize]) {
                let before =
                    (0..facets.len()).filter(|other| facets.is_in_front(*other as u32, facet, side == 1));
                let (from, to) = before
                    .map(|other| facets.bounds(other))
                    .fold((Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY)), |all, one| {
                        (all.0.min(one.0), all.1.max(one.1))
                    });
                let (from, to) = ((from - high).to_array(), (to - low).to_array());
                for k in 0..3 {
                    let (least, most) = (f64::from(found.0[k]), f64::from(found.1[k]));
                    assert!(least <= from[k] && most >= to[k], "{facet}: {found:?} {from:?} {to:?}");
                    // Boxes are padded, by less than that.
                    assert!(
                        least >= from[k] - more && most <= to[k] + more,
                        "{facet}: {found:?} {from:?} {to:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn facets_of_a_ball_see_nothing_and_plates_each_other() {
    let ball = Facets::new(&shapes::sphere(1.0, 2)).unwrap();
    let bvh = Bvh::new(&ball);
    for facet in 0..ball.len() as u32 {
        let [a, b, c] = ball.corners[facet as usize].map(Vec3::from);
        let ray = |direction: Vec3| Ray::leaving(&ball, facet, (a + b + c) * (1.0 / 3.0), direction);
        let normal = ball.normals[facet as usize];
        assert!(bvh.escapes(&ball, &ray(normal)));
        assert!(!bvh.escapes(&ball, &ray(-normal)));
        // Too flat for the rule.
        let flat = ((b - a).unit() + normal * 0.03).unit();
        assert!(!bvh.escapes(&ball, &ray(flat)));
    }
    // A plate below another, and one beside them: seen from the first, towards the second and past it.
    let plate = |at: Vec3| shapes::plate(1.0, 1.0).moved(|v| v + at);
    let plates = vec![plate(Vec3::ZERO), plate(Vec3::new(0.0, 0.0, 1.0)), plate(Vec3::new(0.0, 9.0, 0.0))];
    let facets = Facets::new(&shapes::joined(plates)).unwrap();
    let bvh = Bvh::new(&facets);
    let first = (0..facets.len()).find(|f| facets.triangles[*f] == 0).unwrap() as u32;
    let [a, b, c] = facets.corners[first as usize].map(Vec3::from);
    let ray =
        |x: f64, z: f64| Ray::leaving(&facets, first, (a + b + c) * (1.0 / 3.0), Vec3::new(x, 0.0, z).unit());
    assert!(!bvh.escapes(&facets, &ray(0.0, 1.0)));
    assert!(bvh.escapes(&facets, &ray(0.0, -1.0)));
    assert!(bvh.escapes(&facets, &ray(1.1, 1.0)) && !bvh.escapes(&facets, &ray(0.9, 1.0)));
}
