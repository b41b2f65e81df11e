//! Rays side by side, cast together.
//!
//! Rays of a beam run fastest along the same axis, z here, in the same sense. They go through boxes together, see [`super::bounds`]; then come the facets of a block, see [`super::block`]; then rays and facets in single
//! precision, see `sieve`; and what they found is tested exactly, see `lanes`.

use super::before::Planes;
use super::block::{BLOCK, FLOOR, Outline, Shadows, WRONG};
use super::bounds::Bounds;
use super::bvh::Bvh;
use super::facets::{Facets, NO_FACET};
use super::lanes::{LANES, Lanes, gathered};
use super::ray::Hit;
use super::rays::{Alike, Rays};
use super::sieve::{Offer, Offered, Parted, ROW, Sieve, first};
use super::wide::{self, IS_BLOCK, Stack};

#[cfg(test)]
mod tests;

const ROWS: usize = 4;
/// Added to depths: those of rays that are not there are infinite.
const OTHERS: Parted<f64> = [[0.0; ROW], [f64::INFINITY; ROW]];
const GROUPS: usize = ROWS * ROW / LANES;
/// Rays of a beam.
pub const MOST: usize = ROWS * ROW;

/// The rays.
#[derive(Default)]
pub struct Beam {
    alike: Alike,
    /// How many rows of rays there are.
    rows: usize,
    /// Rays that have not hit anything, one bit each.
    open: u64,
    outline: Outline,
    bounds: Bounds,
    sieves: [Sieve; ROWS],
    shadows: Shadows,
    planes: Planes,
    /// Filled where a bit of `filled` is set.
    lanes: [Lanes; GROUPS],
    filled: u32,
}

impl Beam {
    /// Takes rays.
    #[inline(always)]
    pub fn load(&mut self, bvh: &Bvh, facets: &Facets, rays: &Rays, alike: &Alike) {
        let (axes, [_, _, scale]) = rays.runs[alike.run].ray.frame();
        self.alike = *alike;
        self.rows = alike.count.div_ceil(ROW);
        self.open = u64::MAX >> (MOST - alike.count);
        self.filled = 0;
        self.outline.axes = axes;
        self.outline.sense = 1f64.copysign(scale);
        self.outline.wrong = WRONG * facets.radius as f32;
        self.outline.floor = FLOOR * facets.radius as f32;
        self.set_plane(rays, facets.radius);
        for axis in 0..2 {
            let (a, b) = (self.outline.sense * alike.least[axis], self.outline.sense * alike.most[axis]);
            let (flat, steep) = (least(a, b), most(a, b));
            self.outline.slope[axis] = 0.5 * (flat + steep);
            self.outline.spread[axis] = (0.5 * (steep - flat)) as f32;
            (self.bounds.least[axis], self.bounds.most[axis]) = (flat as f32, steep as f32);
        }
        self.bounds.far = f32::INFINITY;
        self.planes = Planes::new(facets, &bvh.owns, rays, alike);
        if alike.least == alike.most {
            self.place::<true>(rays);
        } else {
            self.place::<false>(rays);
        }
    }

    /// At the nearest origin, or at the border of the target; a number of single precision.
    #[inline(always)]
    fn set_plane(&mut self, rays: &Rays, radius: f64) {
        let mut nearest = [f64::INFINITY; ROW];
        for row in 0..self.rows {
            let z = rays.some::<ROW>(self.outline.axes[2], self.alike.start + row * ROW);
            let others = first(&OTHERS, self.alike.count - row * ROW);
            for i in 0..ROW {
                nearest[i] = least(nearest[i], self.outline.sense * z[i] + others[i]);
            }
        }
        self.bounds.plane = lowest(&halved(&nearest, least)).clamp(-radius, radius) as f32;
        self.outline.plane = f64::from(self.bounds.plane);
    }

    /// Where rays cut the plane, and around that.
    #[inline(always)]
    fn place<const PARALLEL: bool>(&mut self, rays: &Rays) {
        let Alike { start, count, mut run, .. } = self.alike;
        let Outline { axes, sense, slope, .. } = self.outline;
        let plane = sense * self.outline.plane;
        let (_, shear) = rays.runs[run].ray.frame();
        let above = rays.origin[axes[2]][start] - plane;
        let origin =
            [rays.origin[axes[0]][start] - shear[0] * above, rays.origin[axes[1]][start] - shear[1] * above];
        let mut around = [[[f32::INFINITY; ROW], [f32::NEG_INFINITY; ROW]]; 2];
        for row in 0..self.rows {
            let (sieve, at) = (&mut self.sieves[row], start + row * ROW);
            sieve.begin(count - row * ROW);
            let slopes;
            (slopes, sieve.leaves) = rays.shared::<ROW>(&mut run, at);
            let (z, mut height, mut places) = (rays.some::<ROW>(axes[2], at), [0.0; ROW], [0.0; ROW]);
            for (height, z) in height.iter_mut().zip(&z) {
                *height = z - plane;
            }
            for (start, height) in sieve.start.iter_mut().zip(&height) {
                *start = (sense * height) as f32;
            }
            for axis in 0..2 {
                let (x, slopes) = (rays.some::<ROW>(axes[axis], at), &slopes[axis]);
                for i in 0..ROW {
                    places[i] = x[i] - slopes[i] * height[i] - origin[axis];
                }
                sieve.set_place(axis, &places, &mut around[axis]);
                if !PARALLEL {
                    for (turn, own) in sieve.turn[axis].iter_mut().zip(slopes) {
                        *turn = (sense * own - slope[axis]) as f32;
                    }
                }
            }
        }
        self.centre(origin, &around);
        if !PARALLEL {
            self.sieves[..self.rows].iter_mut().for_each(Sieve::twist);
        }
    }

    /// Makes places relative to the middle.
    #[inline(always)]
    fn centre(&mut self, first: [f64; 2], around: &[[[f32; ROW]; 2]; 2]) {
        for axis in 0..2 {
            let [from, to] = &around[axis];
            let (from, to) = (lowest(&halved(from, least)), highest(&halved(to, most)));
            let middle = 0.5 * (from + to);
            for sieve in &mut self.sieves[..self.rows] {
                for i in 0..ROW {
                    sieve.place[axis][i] -= middle;
                }
            }
            self.outline.centre[axis] = first[axis] + f64::from(middle);
            self.outline.half[axis] = most(to - middle, middle - from);
            self.bounds.from[axis] = first[axis] as f32 + from;
            self.bounds.to[axis] = first[axis] as f32 + to;
        }
    }

    /// Finds the nearest facets.
    #[inline(always)]
    pub fn cast<const FMA: bool>(&mut self, bvh: &Bvh, scene: (&Facets, &Rays), stack: &mut Stack) {
        match (self.alike.least == self.alike.most, self.rows == 1) {
            (true, true) => self.walk::<FMA, true, true>(bvh, scene, stack),
            (true, false) => self.walk::<FMA, true, false>(bvh, scene, stack),
            (false, true) => self.walk::<FMA, false, true>(bvh, scene, stack),
            (false, false) => self.walk::<FMA, false, false>(bvh, scene, stack),
        }
    }

    #[inline(always)]
    fn walk<const FMA: bool, const PARALLEL: bool, const SINGLE: bool>(
        &mut self,
        bvh: &Bvh,
        scene: (&Facets, &Rays),
        stack: &mut Stack,
    ) {
        stack.clear();
        stack.push((0, f32::NEG_INFINITY));
        while let Some((child, near)) = stack.pop() {
            if near > self.bounds.far {
                continue;
            }
            if child & IS_BLOCK != 0 {
                let number = child & !IS_BLOCK;
                let before = self.planes.own.of(number);
                if before == 0 {
                    continue;
                }
                let block = &bvh.blocks[number as usize];
                let mut met =
                    self.shadows.cast::<FMA, PARALLEL>(block, &self.outline, self.bounds.far) & before;
                while met != 0 {
                    let index = met.trailing_zeros() as usize % BLOCK;
                    met &= met - 1;
                    let offered = Offered::new(&self.shadows, index, block.facets[index]);
                    self.offer::<FMA, PARALLEL, SINGLE>(scene, &offered);
                }
                continue;
            }
            let node = &bvh.wide[child as usize];
            let (nears, mut met) = self.bounds.meets::<FMA>(&self.outline, node);
            if self.planes.are {
                met &= self.planes.boxes::<FMA>(node);
            }
            wide::push(stack, node, &nears, met);
        }
        for group in 0..self.rows * ROW / LANES {
            self.settle(scene, group);
        }
    }

    /// Offers a facet to all rays.
    #[inline(always)]
    fn offer<const FMA: bool, const PARALLEL: bool, const SINGLE: bool>(
        &mut self,
        scene: (&Facets, &Rays),
        facet: &Offered,
    ) {
        let (mut taken, mut unclear) = if SINGLE {
            self.offer_row::<FMA, PARALLEL>(facet)
        } else {
            self.offer_rows::<FMA, PARALLEL>(facet)
        };
        self.open &= !taken;
        while unclear != 0 {
            let group = unclear.trailing_zeros() as usize / LANES % GROUPS;
            unclear &= !(0xff << (group * LANES));
            self.decide(scene, group, facet.facet);
            taken = 1;
        }
        if taken != 0 && self.open == 0 {
            self.bounds.far = self.farthest();
        }
    }

    /// Offers a facet to the only row: bits of rays that take it, and of those for which only the exact test can tell.
    #[inline(always)]
    fn offer_row<const FMA: bool, const PARALLEL: bool>(&mut self, facet: &Offered) -> (u64, u64) {
        let sieve = &mut self.sieves[0];
        let functions = sieve.edges::<FMA, PARALLEL>(facet);
        if sieve.may(facet, &functions) == 0 {
            return (0, 0);
        }
        let Offer { taken, unclear } = sieve.offer::<FMA, PARALLEL>(facet, &functions, self.outline.wrong);
        (taken.into(), unclear.into())
    }

    /// The same for several rows: first all of them are asked, so that the processor need not guess for each what comes next.
    #[inline(always)]
    fn offer_rows<const FMA: bool, const PARALLEL: bool>(&mut self, facet: &Offered) -> (u64, u64) {
        let (mut may, mut taken, mut unclear) = (0u64, 0u64, 0u64);
        for (row, sieve) in self.sieves[..self.rows].iter().enumerate() {
            let functions = sieve.edges::<FMA, PARALLEL>(facet);
            may |= u64::from(sieve.may(facet, &functions)) << (row * ROW);
        }
        while may != 0 {
            let row = may.trailing_zeros() as usize / ROW % ROWS;
            may &= !(0xffff << (row * ROW));
            let functions = self.sieves[row].edges::<FMA, PARALLEL>(facet);
            let offer = self.sieves[row].offer::<FMA, PARALLEL>(facet, &functions, self.outline.wrong);
            taken |= u64::from(offer.taken) << (row * ROW);
            unclear |= u64::from(offer.unclear) << (row * ROW);
        }
        (taken, unclear)
    }

    /// Tests a facet exactly against those of eight rays that see it.
    #[inline(always)]
    fn decide(&mut self, scene: (&Facets, &Rays), group: usize, facet: u32) {
        self.settle(scene, group);
        let corners = gathered(scene.0, self.outline.axes, &[facet; LANES]);
        let Outline { sense, plane, .. } = self.outline;
        let (mut seen, mut run) = ([facet; LANES], self.alike.run);
        for (lane, seen) in seen.iter_mut().enumerate() {
            let index = self.alike.start + group * LANES + lane;
            while run + 1 < scene.1.runs.len() && scene.1.runs[run].end <= index {
                run += 1;
            }
            if !scene.0.sees(&scene.1.runs[run].ray, facet) {
                *seen = NO_FACET;
            }
        }
        let lanes = self.filled(scene.1, group);
        lanes.test(&corners, &seen);
        let depths = lanes.depth(sense, plane);
        let row = group * LANES / ROW;
        self.sieves[row].settle(group % 2, depths, self.outline.wrong);
        self.open &= !(0xffff << (row * ROW)) | u64::from(self.sieves[row].open()) << (row * ROW);
    }

    /// Tests exactly what was found by eight rays.
    #[inline(always)]
    fn settle(&mut self, scene: (&Facets, &Rays), group: usize) {
        let Some(found) = self.sieves[group / 2].take(group % 2) else { return };
        let corners = gathered(scene.0, self.outline.axes, &found);
        self.filled(scene.1, group).test(&corners, &found);
    }

    /// Eight rays in double precision.
    #[inline(always)]
    fn filled(&mut self, rays: &Rays, group: usize) -> &mut Lanes {
        let lanes = &mut self.lanes[group];
        if self.filled & 1 << group == 0 {
            self.filled |= 1 << group;
            lanes.fill(rays, self.outline.axes, self.alike.run, self.alike.start + group * LANES);
        }
        lanes
    }

    #[inline(always)]
    fn farthest(&self) -> f32 {
        let mut far = [f32::NEG_INFINITY; ROW];
        for sieve in &self.sieves[..self.rows] {
            for (far, other) in far.iter_mut().zip(&sieve.far) {
                *far = most(*far, *other);
            }
        }
        highest(&halved(&far, most))
    }

    /// What the rays hit, where they hit something.
    #[inline(always)]
    pub fn give(&self, hits: &mut [Hit]) {
        let hits = &mut hits[self.alike.start..self.alike.start + self.alike.count];
        let (whole, rest) = hits.as_chunks_mut::<LANES>();
        let behind = whole.len();
        for (group, hits) in whole.iter_mut().enumerate() {
            if self.filled & 1 << group != 0 {
                *hits = self.lanes[group].hits();
            }
        }
        if !rest.is_empty() && self.filled & 1 << behind != 0 {
            rest.copy_from_slice(&self.lanes[behind].hits()[..rest.len()]);
        }
    }
}

/// Eight of sixteen.
#[inline(always)]
fn halved<T: Copy>(v: &[T; ROW], pick: impl Fn(T, T) -> T) -> [T; 8] {
    let mut half = [v[0]; 8];
    for i in 0..8 {
        half[i] = pick(v[i], v[i + 8]);
    }
    half
}

/// Of eight, by halves.
#[inline(always)]
fn lowest<T: PartialOrd + Copy>(v: &[T; 8]) -> T {
    let four = [least(v[0], v[4]), least(v[1], v[5]), least(v[2], v[6]), least(v[3], v[7])];
    least(least(four[0], four[2]), least(four[1], four[3]))
}

/// Of eight, by halves.
#[inline(always)]
fn highest<T: PartialOrd + Copy>(v: &[T; 8]) -> T {
    let four = [most(v[0], v[4]), most(v[1], v[5]), most(v[2], v[6]), most(v[3], v[7])];
    most(most(four[0], four[2]), most(four[1], four[3]))
}

/// The smaller one, in one instruction.
#[inline(always)]
pub fn least<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger one, in one instruction.
#[inline(always)]
pub fn most<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}
