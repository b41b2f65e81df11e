//! Bounds of the errors of single precision, asked for directly: hits alone would seldom show that one is too
//! small.

use super::*;
use crate::cast::block::Block;
use crate::cast::ray::Ray;
use crate::tests::{Random, meshes};
use mesh::{Mesh, shapes};
use numerics::vec3::Vec3;

/// Edge functions and depth of the exact test, operation by operation.
fn exact(ray: &Ray, corners: &[[f64; 3]; 3], frustum: &Frustum) -> ([f64; 3], f64) {
    let ([kx, ky, kz], [sx, sy, sz]) = ray.frame();
    let [x, y, z] = [kx, ky, kz].map(|axis| ray.origin[axis]);
    let [a, b, c] = corners.map(|at| {
        let height = at[kz] - z;
        [at[kx] - x - sx * height, at[ky] - y - sy * height, sz * height]
    });
    let functions = [c[0] * b[1] - c[1] * b[0], a[0] * c[1] - a[1] * c[0], b[0] * a[1] - b[1] * a[0]];
    let [u, v, w] = functions;
    let distance = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w);
    (functions, frustum.sense * (z + distance * ray.direction[kz]) - frustum.plane)
}

/// Rays side by side at a facet, from somewhere in reach, with directions within `turn` of one.
fn beside(facets: &Facets, turn: f64, random: &mut Random) -> Vec<Ray> {
    let middle = random.point().unit();
    let [a, b, c] = facets.corners[(random.next() * facets.len() as f64) as usize].map(Vec3::from);
    let aim = a + (b - a) * random.next() + (c - a) * random.next();
    let (back, pitch) = (2.9 * random.next(), 0.1f64.powf(1.0 + 11.0 * random.next()));
    let ray = |_| {
        let direction = (middle + random.point() * turn).unit();
        Ray::new(aim + (random.point() * pitch - middle * back) * facets.radius, direction)
    };
    (0..MAX_RAYS).map(ray).collect()
}

/// The largest errors over their bounds: of edge functions and of depths.
#[derive(Default)]
struct Worst {
    edge: f64,
    depth: f64,
}

impl Worst {
    /// Compares the projected facets of a block with the exact test.
    fn see<const FMA: bool, const PARALLEL: bool>(
        &mut self,
        packet: &mut Packet,
        block: &Block,
        facets: &Facets,
        rays: &[Ray],
    ) {
        let frustum = packet.frustum;
        let hit = packet.projected.project::<FMA, PARALLEL>(block, &frustum, f32::INFINITY);
        for (index, facet) in block.facets.into_iter().enumerate().filter(|(_, facet)| *facet != NO_FACET) {
            if hit & 1 << index == 0 {
                for ray in rays {
                    let mut hit = Hit::NONE;
                    ray.test(facets, facet, &mut hit);
                    assert!(!hit.is_some(), "{facet} is hit by {ray:?}");
                }
                continue;
            }
            let candidate = Candidate::new(&packet.projected, index, facet);
            for (i, ray) in rays.iter().enumerate() {
                let functions = packet.filters[i / ROW].edges::<FMA, PARALLEL>(&candidate);
                let own = [0, 1, 2].map(|k| functions[k][i % ROW]);
                let (right, depth) = exact(ray, &facets.corners[facet as usize], &frustum);
                let margin = f64::from(candidate.margin);
                for (own, right) in own.into_iter().zip(right) {
                    self.edge = self.edge.max((f64::from(own) - right).abs() / margin);
                }
                if own.iter().all(|own| *own > candidate.margin)
                    || own.iter().all(|own| *own < -candidate.margin)
                {
                    let (from, to) = candidate.depth::<FMA, PARALLEL>(own, frustum.depth_error);
                    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
                    self.depth = self.depth.max((f64::from(middle) - depth).abs() / f64::from(half));
                }
            }
        }
    }

    fn of(mesh: &Mesh, turn: f64, random: &mut Random) -> Self {
        let facets = Facets::new(mesh).unwrap();
        let bvh = Bvh::new(&facets);
        let (mut worst, mut packet) = (Self::default(), Packet::default());
        for _ in 0..20 {
            let rays = beside(&facets, turn, random);
            let laid: Rays = rays.iter().collect();
            let span = Span::new(&laid, 0, 0, &[false; MAX_RAYS]);
            packet.load(&bvh, &facets, &laid, &span);
            for block in &bvh.blocks {
                let rays = &rays[..span.count];
                if span.is_parallel() {
                    worst.see::<true, true>(&mut packet, block, &facets, rays);
                    worst.see::<false, true>(&mut packet, block, &facets, rays);
                } else {
                    worst.see::<true, false>(&mut packet, block, &facets, rays);
                    worst.see::<false, false>(&mut packet, block, &facets, rays);
                }
            }
        }
        worst
    }
}

/// A small sheet far from the middle of a large target, where double precision is what limits.
fn far_away() -> Mesh {
    let sheet = shapes::plate(1e-10, 1e-10).refined().refined();
    let mut mesh = shapes::plate(2.0, 2.0);
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(sheet.vertices.iter().map(|v| *v + Vec3::new(0.71, 0.43, 0.37)));
    mesh.triangles.extend(sheet.triangles.iter().map(|t| t.map(|v| v + first)));
    mesh.groups.extend(&sheet.groups);
    mesh
}

#[test]
fn errors_of_single_precision_are_within_their_bounds_and_not_far() {
    let mut random = Random(23);
    let mut worst = Worst::default();
    let all = meshes().into_iter().chain([shapes::target("missile").unwrap(), far_away()]);
    for (number, mesh) in all.enumerate() {
        for scale in [1.0, 1e-10, 1e10] {
            let scaled = mesh.clone().moved(|v| v * scale);
            for turn in [0.0, 1e-6, 1e-3, 0.04] {
                let found = Worst::of(&scaled, turn, &mut random);
                let Worst { edge, depth } = found;
                assert!(edge < 1.0 && depth < 1.0, "mesh {number} x {scale}, turn {turn}: {edge} {depth}");
                worst = Worst { edge: worst.edge.max(edge), depth: worst.depth.max(depth) };
            }
        }
    }
    // Roundings seldom add up to what they could; but bounds a good deal smaller would be seen.
    assert!(worst.edge > 0.03 && worst.depth > 0.05, "{} {}", worst.edge, worst.depth);
}
