//! Rays of a grid that are traced ahead, a square of them at a time: all through one bounce, then those that are left through the next, sorted by what they hit, so that
//! rays that are alike go through the tree together. Results are the same bits as those of rays on their own.

use super::bvh::Bvh;
use super::ray::{Hit, Ray};
use super::rays::Rays;
use super::tube::{Bounce, Exit, Tracer, Tree};
use crate::vec3::Vec3;

/// Rays along a side of a square.
const SIDE: usize = 8;
/// No bounce before.
const NONE: u32 = u32::MAX;

/// What became of the rays.
#[derive(Default)]
pub struct Ahead {
    /// First ray of the grid, in tubes.
    start: [f64; 2],
    size: [usize; 2],
    /// Row by row.
    ready: Vec<Option<Ready>>,
    /// All bounces, each with the one before it.
    bounces: Vec<(Bounce, u32)>,
    /// Rays on their way, what else belongs to each, and what they hit.
    rays: Rays,
    flights: Vec<Flight>,
    hits: Vec<Hit>,
    /// Those that go on, with the facets that they leave.
    next: Vec<(u32, Ray, Flight)>,
}

#[derive(Clone, Copy)]
struct Ready {
    exit: Option<Exit>,
    last: u32,
}

/// A ray on its way.
#[derive(Clone, Copy)]
struct Flight {
    /// Where its result goes.
    index: usize,
    path: f64,
    sides: (Vec3, Vec3),
    last: u32,
    count: usize,
}

impl Ahead {
    /// The result of the ray at so many tubes from the grid's corner, and its bounces.
    pub fn recall(&self, at: [f64; 2], bounces: &mut Vec<Bounce>) -> Option<Option<Exit>> {
        let [x, y] = [at[0] - self.start[0], at[1] - self.start[1]];
        let [columns, rows] = self.size;
        let inside = x >= 0.0 && y >= 0.0 && x < columns as f64 && y < rows as f64;
        if !inside || x.fract() != 0.0 || y.fract() != 0.0 {
            return None;
        }
        let Ready { exit, mut last } = self.ready[y as usize * columns + x as usize]?;
        bounces.clear();
        while last != NONE {
            let (bounce, before) = self.bounces[last as usize];
            bounces.push(bounce);
            last = before;
        }
        bounces.reverse();
        Some(exit)
    }
}

impl Tracer<'_> {
    /// Traces the rays of a grid that are wanted, by column and row, where the tree is one of boxes. `start` is in tubes, and rays are one tube apart.
    pub fn ahead(&mut self, start: [f64; 2], size: [usize; 2], wanted: impl Fn(usize, usize) -> bool) {
        let Tree::Bvh(tree) = self.tree else { return };
        let mut ahead = std::mem::take(&mut self.ahead);
        (ahead.start, ahead.size) = (start, size);
        ahead.ready.clear();
        ahead.ready.resize(size[0] * size[1], None);
        ahead.bounces.clear();
        for y in (0..size[1]).step_by(SIDE) {
            for x in (0..size[0]).step_by(SIDE) {
                let points = (y..size[1].min(y + SIDE))
                    .flat_map(|row| (x..size[0].min(x + SIDE)).map(move |column| (column, row)))
                    .filter(|(column, row)| wanted(*column, *row));
                ahead.rays.clear();
                ahead.flights.clear();
                for (column, row) in points {
                    let (ray, flight) = self.launched(&ahead, column, row);
                    ahead.rays.push(&ray);
                    ahead.flights.push(flight);
                }
                self.fly(tree, &mut ahead);
            }
        }
        self.ahead = ahead;
    }

    fn launched(&self, ahead: &Ahead, column: usize, row: usize) -> (Ray, Flight) {
        let launch = self.launch;
        let start = launch.point(ahead.start[0] + column as f64, ahead.start[1] + row as f64);
        let flight = Flight {
            index: row * ahead.size[0] + column,
            path: -launch.sight.dot(start),
            sides: (launch.u, launch.v),
            last: NONE,
            count: 0,
        };
        (Ray::new(start, -launch.sight), flight)
    }

    /// Follows rays until all have left.
    fn fly(&mut self, tree: &Bvh, ahead: &mut Ahead) {
        self.counts.rays += ahead.rays.len() as u64;
        while !ahead.rays.is_empty() {
            self.counts.segments += ahead.rays.len() as u64;
            tree.cast(self.facets, &ahead.rays, &mut ahead.hits, &mut self.scratch);
            ahead.next.clear();
            for ((ray, flight), hit) in ahead.rays.iter().zip(&ahead.flights).zip(&ahead.hits) {
                let cut = hit.is_some() && flight.count == self.most;
                if !hit.is_some() || cut {
                    let last = ahead.bounces.get(flight.last as usize).map(|(bounce, _)| bounce);
                    let exit = self.exit(&ray, (last, flight.count), flight.path, flight.sides, cut);
                    ahead.ready[flight.index] = Some(Ready { exit, last: flight.last });
                    continue;
                }
                let (bounce, sides, next) = self.reflected(&ray, *hit, flight.sides);
                ahead.bounces.push((bounce, flight.last));
                let (last, count) = (ahead.bounces.len() as u32 - 1, flight.count + 1);
                let flight = Flight { path: flight.path + hit.distance, sides, last, count, ..*flight };
                ahead.next.push((hit.facet, next, flight));
            }
            ahead.next.sort_by_key(|(facet, ..)| *facet);
            ahead.rays.clear();
            ahead.flights.clear();
            for (_, ray, flight) in &ahead.next {
                ahead.rays.push(ray);
                ahead.flights.push(*flight);
            }
        }
    }
}
