//! Rays to cast: origins coordinate by coordinate, and a direction once for all rays in a row that share it, as those of a launch grid do and those that leave one facet.

use super::beam::{MOST, least, most};
use super::ray::Ray;
use crate::vec3::Vec3;

/// Rays in their order.
#[derive(Debug, Clone, Default)]
pub struct Rays {
    /// By axis, m from the centre of the facets; at least [`SPARE`] numbers follow, so that as many can be read at once.
    pub(super) origin: [Vec<f64>; 3],
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
        for (all, one) in self.origin.iter_mut().zip(ray.origin.to_array()) {
            if all.len() <= self.count + SPARE {
                all.resize(2 * (self.count + SPARE), 0.0);
            }
            all[self.count] = one;
        }
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
        self.origin[axis].get(first..).and_then(<[f64]>::first_chunk).copied().unwrap_or([0.0; N])
    }

    /// Slopes of rays from number `first` on, and the facets that they leave; `run` is theirs or one before, and becomes theirs.
    #[inline(always)]
    pub(super) fn shared<const N: usize>(&self, run: &mut usize, first: usize) -> ([[f64; N]; 2], [u32; N]) {
        while self.runs[*run].end <= first {
            *run += 1;
        }
        let Run { ray, mut end } = self.runs[*run];
        let (_, [sx, sy, _]) = ray.frame();
        let (mut slopes, mut leaves) = ([[sx; N], [sy; N]], [ray.leaves; N]);
        let mut next = *run + 1;
        while end < first + N && next < self.runs.len() {
            let ray = &self.runs[next].ray;
            let (_, [sx, sy, _]) = ray.frame();
            for i in 0..N {
                let behind = i >= end - first;
                slopes[0][i] = if behind { sx } else { slopes[0][i] };
                slopes[1][i] = if behind { sy } else { slopes[1][i] };
                leaves[i] = if behind { ray.leaves } else { leaves[i] };
            }
            end = self.runs[next].end;
            next += 1;
        }
        (slopes, leaves)
    }

    /// Ray `index`, which is one of run `run`.
    pub(super) fn get(&self, run: usize, index: usize) -> Ray {
        let [x, y, z] = &self.origin;
        let mut ray = self.runs[run].ray;
        ray.origin = Vec3::new(x[index], y[index], z[index]);
        ray
    }
}

impl<'a> FromIterator<&'a Ray> for Rays {
    fn from_iter<I: IntoIterator<Item = &'a Ray>>(all: I) -> Self {
        let mut rays = Self::default();
        all.into_iter().for_each(|ray| rays.push(ray));
        rays
    }
}

/// Slopes of rays that go together differ at most by this from those of the first.
const SPREAD: f64 = 0.2;

/// Rays that can go together.
#[derive(Default, Clone, Copy)]
pub struct Alike {
    /// The first, and the run that it belongs to.
    pub(super) start: usize,
    pub(super) run: usize,
    /// How many.
    pub count: usize,
    /// Least and largest slopes.
    pub(super) least: [f64; 2],
    pub(super) most: [f64; 2],
}

impl Alike {
    /// Rays from `start`, of run `run`, on.
    #[inline(always)]
    pub fn new(rays: &Rays, start: usize, run: usize) -> Self {
        let (axes, [sx, sy, _]) = rays.runs[run].ray.frame();
        let mut alike = Self { start, run, count: 0, least: [sx, sy], most: [sx, sy] };
        for Run { ray, end } in &rays.runs[run..] {
            let (others, [x, y, _]) = ray.frame();
            if others != axes || (x - sx).abs() > SPREAD || (y - sy).abs() > SPREAD || alike.count == MOST {
                break;
            }
            alike.least = [least(alike.least[0], x), least(alike.least[1], y)];
            alike.most = [most(alike.most[0], x), most(alike.most[1], y)];
            alike.count = (end - start).min(MOST);
        }
        alike
    }
}
