//! Casting of single rays and of many.

use super::bvh::Bvh;
use super::node::Stack;
use super::packet::Packet;
use super::ray::{Hit, Ray};
use super::rays::{Rays, Span};
use super::walk;
use crate::facets::Facets;
use numerics::simd::{Kernel, dispatch};

/// Fewest rays of a packet of one run; every further run needs one more. Fewer rays are cast one by one.
const MIN_RAYS: usize = 3;

/// Memory of casting that is kept from call to call.
#[derive(Default)]
pub struct Scratch {
    stack: Stack,
    packet: Packet,
    /// Whether the rays of each run hit nothing.
    escaped: Vec<bool>,
}

impl Bvh {
    /// The nearest facet along a ray that begins within 4 radii of the centre.
    pub fn nearest(&self, facets: &Facets, ray: &Ray, scratch: &mut Scratch) -> Hit {
        let mut hit = Hit::NONE;
        if self.escapes(facets, ray) {
            return hit;
        }
        dispatch(Single { bvh: self, facets, ray, hit: &mut hit, stack: &mut scratch.stack });
        hit
    }

    /// The nearest facets along rays, one each. Consecutive rays of similar directions are cast as packets.
    pub fn cast(&self, facets: &Facets, rays: &Rays, hits: &mut Vec<Hit>, scratch: &mut Scratch) {
        hits.clear();
        hits.resize(rays.len(), Hit::NONE);
        dispatch(Cast { bvh: self, facets, rays, hits, scratch });
    }
}

struct Single<'a> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    ray: &'a Ray,
    hit: &'a mut Hit,
    stack: &'a mut Stack,
}

impl Kernel for Single<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        *self.hit = walk::nearest::<FMA>(self.bvh, self.facets, self.ray, self.stack);
    }
}

struct Cast<'a> {
    bvh: &'a Bvh,
    facets: &'a Facets,
    rays: &'a Rays,
    hits: &'a mut [Hit],
    scratch: &'a mut Scratch,
}

impl Kernel for Cast<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { bvh, facets, rays, hits, scratch: Scratch { stack, packet, escaped } } = self;
        escaped.clear();
        escaped.extend(rays.runs.iter().map(|run| bvh.escapes(facets, &run.ray)));
        let (mut start, mut run) = (0, 0);
        while start < rays.len() {
            if escaped[run] {
                (start, run) = (rays.runs[run].end, run + 1);
                continue;
            }
            let span = Span::new(rays, start, run, escaped);
            let end = start + span.count;
            if span.count < MIN_RAYS + span.runs - 1 {
                for (index, hit) in hits.iter_mut().enumerate().take(end).skip(start) {
                    run += usize::from(rays.runs[run].end <= index);
                    *hit = walk::nearest::<FMA>(bvh, facets, &rays.get(run, index), stack);
                }
            } else {
                packet.load(bvh, facets, rays, &span);
                packet.cast::<FMA>(bvh, (facets, rays), stack);
                packet.copy_hits(hits);
            }
            while run < rays.runs.len() && rays.runs[run].end <= end {
                run += 1;
            }
            start = end;
        }
    }
}
