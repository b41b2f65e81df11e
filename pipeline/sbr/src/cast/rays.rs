//! Rays to cast, coordinate by coordinate; consecutive rays of one direction, as those of a launch grid,
//! share one entry.

use super::interval::{max, min};
use super::ray::Ray;
use crate::facets::NO_FACET;
use numerics::vec3::Vec3;

pub const MAX_RAYS: usize = 64;

/// A sequence of rays.
#[derive(Debug, Clone, Default)]
pub struct Rays {
    /// Origins by axis, m from the centre of the facets. At least [`SPARE`] numbers follow the last one, so
    /// that a row can be read from any place.
    pub(super) origin: [Vec<f64>; 3],
    /// Slopes along the first axes of the frame of each ray, and the facets that rays leave; as long as the
    /// origins.
    slope: [Vec<f64>; 2],
    leaves: Vec<u32>,
    count: usize,
    pub(super) runs: Vec<Run>,
}

const SPARE: usize = 16;

/// Consecutive rays that differ in their origins only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub ray: Ray,
    /// Number of the ray after the last one.
    pub end: usize,
}

impl Rays {
    /// Number of rays.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no ray.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Removes all rays.
    pub fn clear(&mut self) {
        self.count = 0;
        self.runs.clear();
    }

    /// Adds a ray.
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

    /// All rays.
    pub fn iter(&self) -> impl Iterator<Item = Ray> {
        let mut run = 0;
        (0..self.len()).map(move |index| {
            run += usize::from(self.runs[run].end <= index);
            self.get(run, index)
        })
    }

    /// Origins of `N` rays from number `first` on along an axis, at most [`SPARE`]; any numbers behind the
    /// last ray.
    #[inline(always)]
    pub(super) fn origins<const N: usize>(&self, axis: usize, first: usize) -> [f64; N] {
        chunk(&self.origin[axis], first, 0.0)
    }

    /// Slopes of `N` rays from number `first` on, and the facets that they leave. `run` is the run of the
    /// first ray or one before, and becomes that of the first ray.
    #[inline(always)]
    pub(super) fn slopes<const N: usize>(&self, run: &mut usize, first: usize) -> ([[f64; N]; 2], [u32; N]) {
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

    /// A ray of a run, by its number among all.
    pub(super) fn get(&self, run: usize, index: usize) -> Ray {
        let [x, y, z] = &self.origin;
        let mut ray = self.runs[run].ray;
        ray.origin = Vec3::new(x[index], y[index], z[index]);
        ray
    }
}

/// `N` numbers from `first` on, or `other` if there are too few.
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

/// Largest difference of the slopes of rays of a packet from those of the first one.
const MAX_SLOPE_DIFFERENCE: f64 = 0.05;

/// Consecutive rays that can form a packet.
#[derive(Default, Clone, Copy)]
pub struct Span {
    pub start: usize,
    pub run: usize,
    pub runs: usize,
    /// Number of rays.
    pub count: usize,
    pub slope_min: [f64; 2],
    pub slope_max: [f64; 2],
}

impl Span {
    /// Rays from `start`, which is of run `run`, up to the next run that has `escaped`.
    #[inline(always)]
    pub fn new(rays: &Rays, start: usize, run: usize, escaped: &[bool]) -> Self {
        let (axes, [sx, sy, _]) = rays.runs[run].ray.frame();
        let mut span = Self { start, run, runs: 0, count: 0, slope_min: [sx, sy], slope_max: [sx, sy] };
        for (Run { ray, end }, escaped) in rays.runs[run..].iter().zip(&escaped[run..]) {
            let (others, [x, y, _]) = ray.frame();
            let differs = others != axes
                || (x - sx).abs() > MAX_SLOPE_DIFFERENCE
                || (y - sy).abs() > MAX_SLOPE_DIFFERENCE;
            if differs || span.count == MAX_RAYS || *escaped {
                break;
            }
            span.slope_min = [min(span.slope_min[0], x), min(span.slope_min[1], y)];
            span.slope_max = [max(span.slope_max[0], x), max(span.slope_max[1], y)];
            span.count = (end - start).min(MAX_RAYS);
            span.runs += 1;
        }
        span
    }

    #[inline(always)]
    pub fn is_parallel(&self) -> bool {
        self.slope_min == self.slope_max
    }
}
