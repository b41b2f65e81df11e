//! Rays to cast: origins coordinate by coordinate, and a direction once for all rays in a row that share it, as those of a launch grid do and those that leave one facet.

use super::beam::{MOST, least, most};
use super::facets::NO_FACET;
use super::ray::Ray;
use numerics::vec3::Vec3;

/// Rays in their order.
#[derive(Debug, Clone, Default)]
pub struct Rays {
    /// By axis, m from the centre of the facets; at least [`SPARE`] numbers follow, so that as many can be read at once.
    pub(super) origin: [Vec<f64>; 3],
    /// Slopes along the first axes of each ray's frame, and the facets that they leave; they are longer, too.
    slope: [Vec<f64>; 2],
    leaves: Vec<u32>,
    count: usize,
    pub(super) runs: Vec<Run>,
}

const SPARE: usize = 16;

/// Rays in a row that differ in their origin only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// The first of them.
    pub ray: Ray,
    /// Number of the ray behind the last.
    pub end: usize,
}

impl Rays {
    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.count = 0;
        self.runs.clear();
    }

    /// Adds one.
    pub fn push(&mut self, ray: &Ray) {
        if self.leaves.len() <= self.count + SPARE {
            let room = 2 * (self.count + SPARE);
            self.origin.iter_mut().chain(&mut self.slope).for_each(|all| all.resize(room, 0.0));
            self.leaves.resize(room, NO_FACET);
        }
        let (_, [sx, sy, _]) = ray.frame();
        let numbers = ray.origin.to_array().into_iter().chain([sx, sy]);
        for (all, one) in self.origin.iter_mut().chain(&mut self.slope).zip(numbers) {
            all[self.count] = one;
        }
        self.leaves[self.count] = ray.leaves;
        self.count += 1;
        let end = self.count;
        match self.runs.last_mut() {
            Some(run) if run.ray.is_beside(ray) => run.end = end,
            _ => self.runs.push(Run { ray: *ray, end }),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Ray> {
        let mut run = 0;
        (0..self.len()).map(move |index| {
            run += usize::from(self.runs[run].end <= index);
            self.get(run, index)
        })
    }

    /// Up to [`SPARE`] origins along an axis, from number `first` on; numbers without a meaning fill what is behind the last.
    #[inline(always)]
    pub(super) fn some<const N: usize>(&self, axis: usize, first: usize) -> [f64; N] {
        chunk(&self.origin[axis], first, 0.0)
    }

    /// Slopes of rays from number `first` on, and the facets that they leave; `run` is theirs or one before, and becomes theirs.
    #[inline(always)]
    pub(super) fn shared<const N: usize>(&self, run: &mut usize, first: usize) -> ([[f64; N]; 2], [u32; N]) {
        while self.runs[*run].end <= first {
            *run += 1;
        }
        let Run { ray, end } = &self.runs[*run];
        if *end >= (first + N).min(self.count) {
            let (_, [sx, sy, _]) = ray.frame();
            return ([[sx; N], [sy; N]], [ray.leaves; N]);
        }
        let slopes = [chunk(&self.slope[0], first, 0.0), chunk(&self.slope[1], first, 0.0)];
        (slopes, chunk(&self.leaves, first, NO_FACET))
    }

    /// Ray `index`, which is one of run `run`.
    pub(super) fn get(&self, run: usize, index: usize) -> Ray {
        let [x, y, z] = &self.origin;
        let mut ray = self.runs[run].ray;
        ray.origin = Vec3::new(x[index], y[index], z[index]);
        ray
    }
}

/// Numbers from `first` on, or others if there are too few.
#[inline(always)]
fn chunk<T: Copy, const N: usize>(all: &[T], first: usize, other: T) -> [T; N] {
    all.get(first..).and_then(<[T]>::first_chunk).copied().unwrap_or([other; N])
}

impl<'a> FromIterator<&'a Ray> for Rays {
    fn from_iter<I: IntoIterator<Item = &'a Ray>>(all: I) -> Self {
        let mut rays = Self::default();
        all.into_iter().for_each(|ray| rays.push(ray));
        rays
    }
}

/// Slopes of rays that go together differ at most by this from those of the first.
const SPREAD: f64 = 0.05;

/// Rays that can go together.
#[derive(Default, Clone, Copy)]
pub struct Alike {
    /// The first, and the run that it belongs to.
    pub(super) start: usize,
    pub(super) run: usize,
    /// How many runs.
    pub(super) runs: usize,
    /// How many rays.
    pub count: usize,
    /// Least and largest slopes.
    pub(super) least: [f64; 2],
    pub(super) most: [f64; 2],
}

impl Alike {
    /// Rays from `start`, of run `run`, on, up to a run that is done.
    #[inline(always)]
    pub fn new(rays: &Rays, start: usize, run: usize, done: &[bool]) -> Self {
        let (axes, [sx, sy, _]) = rays.runs[run].ray.frame();
        let mut alike = Self { start, run, runs: 0, count: 0, least: [sx, sy], most: [sx, sy] };
        for (Run { ray, end }, done) in rays.runs[run..].iter().zip(&done[run..]) {
            let (others, [x, y, _]) = ray.frame();
            let differs = others != axes || (x - sx).abs() > SPREAD || (y - sy).abs() > SPREAD;
            if differs || alike.count == MOST || *done {
                break;
            }
            alike.least = [least(alike.least[0], x), least(alike.least[1], y)];
            alike.most = [most(alike.most[0], x), most(alike.most[1], y)];
            alike.count = (end - start).min(MOST);
            alike.runs += 1;
        }
        alike
    }
}
