//! Rays that are traced ahead, a square of a grid or a few of one cell at a time: all through one bounce, then those that are left through the next, sorted by where they go and what they hit, so that
//! rays that are alike go through the tree together. They are kept, so that none is traced again when it radiates. Results are the same bits as those of rays on their own.

use super::bvh::Bvh;
use super::ray::{Hit, Ray};
use super::rays::Rays;
use super::tube::{Bounce, Exit, Tracer, Tree};
use numerics::vec3::Vec3;

/// Rays along a side of a square.
const SIDE: usize = 8;
/// Rays of cells that are kept.
const KEPT: usize = 64;
/// No bounce before.
const NONE: u32 = u32::MAX;

/// What became of the rays.
#[derive(Default)]
pub struct Ahead {
    /// Where they are, in tubes.
    places: Places,
    /// In that order.
    ready: Vec<Option<Ready>>,
    /// All bounces, each with the one before it.
    bounces: Vec<(Bounce, u32)>,
    /// Rays on their way, what else belongs to each, and what they hit.
    rays: Rays,
    flights: Vec<Flight>,
    hits: Vec<Hit>,
    /// Those that go on, and their order: by heading and by the facets that they leave.
    next: Vec<(Ray, Flight)>,
    order: Vec<(usize, u32, usize)>,
}

/// Where rays began.
enum Places {
    /// From a first one on, one tube apart: columns and rows, row by row.
    Grid([f64; 2], [usize; 2]),
    /// Anywhere.
    Some(Vec<[f64; 2]>),
}

impl Default for Places {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl Places {
    /// The number of a ray.
    fn index(&self, at: [f64; 2]) -> Option<usize> {
        match self {
            Self::Grid(start, [columns, rows]) => {
                let [x, y] = [at[0] - start[0], at[1] - start[1]];
                let inside = x >= 0.0 && y >= 0.0 && x < *columns as f64 && y < *rows as f64;
                (inside && x.fract() == 0.0 && y.fract() == 0.0).then(|| y as usize * columns + x as usize)
            }
            Self::Some(places) => places.iter().rposition(|place| *place == at),
        }
    }
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
        let Ready { exit, mut last } = self.ready[self.places.index(at)?]?;
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
    /// Traces the rays of a grid that are wanted, by column and row, where the tree is one of boxes. `start` is in tubes, and rays are one tube apart. They and those of the grid before are kept.
    pub fn ahead(&mut self, start: [f64; 2], size: [usize; 2], wanted: impl Fn(usize, usize) -> bool) {
        let Tree::Bvh(tree) = self.tree else { return };
        let mut ahead = std::mem::take(&mut self.grids[1]);
        self.grids.swap(0, 1);
        ahead.places = Places::Grid(start, size);
        ahead.ready.clear();
        ahead.ready.resize(size[0] * size[1], None);
        ahead.bounces.clear();
        for y in (0..size[1]).step_by(SIDE) {
            for x in (0..size[0]).step_by(SIDE) {
                let points = (y..size[1].min(y + SIDE))
                    .flat_map(|row| (x..size[0].min(x + SIDE)).map(move |column| (column, row)))
                    .filter(|(column, row)| wanted(*column, *row));
                for (column, row) in points {
                    let at = [start[0] + column as f64, start[1] + row as f64];
                    self.launch(&mut ahead, row * size[0] + column, at);
                }
                self.fly(tree, &mut ahead);
            }
        }
        self.grids[0] = ahead;
    }

    /// Traces rays at such places, in tubes, that are near each other, where the tree is one of boxes. They are kept with others of their kind, as long as those are few.
    pub fn some(&mut self, places: &[[f64; 2]]) {
        let Tree::Bvh(tree) = self.tree else { return };
        let mut ahead = std::mem::take(&mut self.some);
        if let Places::Some(kept) = &mut ahead.places {
            if kept.len() > KEPT {
                kept.clear();
                ahead.ready.clear();
                ahead.bounces.clear();
            }
            kept.extend(places);
        }
        for at in places {
            let index = ahead.ready.len();
            ahead.ready.push(None);
            self.launch(&mut ahead, index, *at);
        }
        self.fly(tree, &mut ahead);
        self.some = ahead;
    }

    /// Adds a ray to those on their way.
    fn launch(&self, ahead: &mut Ahead, index: usize, [x, y]: [f64; 2]) {
        let launch = self.launch;
        let start = launch.point(x, y);
        let path = -launch.sight.dot(start);
        ahead.rays.push(&Ray::new(start, -launch.sight));
        ahead.flights.push(Flight { index, path, sides: (launch.u, launch.v), last: NONE, count: 0 });
    }

    /// Follows rays until all have left.
    fn fly(&mut self, tree: &Bvh, ahead: &mut Ahead) {
        self.counts.rays += ahead.rays.len() as u64;
        while !ahead.rays.is_empty() {
            self.counts.segments += ahead.rays.len() as u64;
            tree.cast(self.facets, &ahead.rays, &mut ahead.hits, &mut self.scratch);
            ahead.next.clear();
            ahead.order.clear();
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
                ahead.order.push((next.heading(), hit.facet, ahead.next.len()));
                ahead.next.push((next, flight));
            }
            ahead.order.sort_unstable();
            ahead.rays.clear();
            ahead.flights.clear();
            for (.., index) in &ahead.order {
                let (ray, flight) = &ahead.next[*index];
                ahead.rays.push(ray);
                ahead.flights.push(*flight);
            }
        }
    }
}
