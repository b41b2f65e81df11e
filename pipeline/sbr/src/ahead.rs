//! Rays that are traced ahead: a square of a grid or a few rays of one cell at a time.
//!
//! All rays go through one bounce, then those that are left through the next. They are sorted by direction
//! and by the facet that they hit, so that similar rays are cast as packets. Results are kept, so that no ray
//! is traced again when its tube radiates. They are the same bits as those of rays on their own.

use super::cast::{Bvh, Hit, Ray, Rays, Scratch};
use super::path::{Bounce, Counts, Exit, Optics};
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

pub struct Traced<'a, 'b> {
    pub optics: Optics<'a>,
    pub tree: &'a Bvh,
    pub scratch: &'b mut Scratch,
    pub counts: &'b mut Counts,
}

impl Ahead {
    /// Traces the rays of a grid that are wanted, by column and row, instead of those that are kept.
    pub fn grid(
        &mut self,
        by: &mut Traced<'_, '_>,
        start: [f64; 2],
        size: [usize; 2],
        wanted: impl Fn(usize, usize) -> bool,
    ) {
        self.places = Places::Grid(start, size);
        self.ready.clear();
        self.ready.resize(size[0] * size[1], None);
        self.bounces.clear();
        for y in (0..size[1]).step_by(SIDE) {
            for x in (0..size[0]).step_by(SIDE) {
                let points = (y..size[1].min(y + SIDE))
                    .flat_map(|row| (x..size[0].min(x + SIDE)).map(move |column| (column, row)))
                    .filter(|(column, row)| wanted(*column, *row));
                for (column, row) in points {
                    let at = [start[0] + column as f64, start[1] + row as f64];
                    self.launch(&by.optics, row * size[0] + column, at);
                }
                self.fly(by);
            }
        }
    }

    /// Traces rays at such places, in tubes, and keeps them with others, as long as those are few.
    pub fn some(&mut self, by: &mut Traced<'_, '_>, places: &[[f64; 2]]) {
        if let Places::Some(kept) = &mut self.places {
            if kept.len() > KEPT {
                kept.clear();
                self.ready.clear();
                self.bounces.clear();
            }
            kept.extend(places);
        }
        for at in places {
            let index = self.ready.len();
            self.ready.push(None);
            self.launch(&by.optics, index, *at);
        }
        self.fly(by);
    }

    fn launch(&mut self, optics: &Optics<'_>, index: usize, [x, y]: [f64; 2]) {
        let launch = optics.launch;
        let start = launch.point(x, y);
        let path = -launch.sight.dot(start);
        self.rays.push(&Ray::new(start, -launch.sight));
        self.flights.push(Flight { index, path, sides: (launch.u, launch.v), last: NONE, count: 0 });
    }

    fn fly(&mut self, by: &mut Traced<'_, '_>) {
        let optics = by.optics;
        by.counts.rays += self.rays.len() as u64;
        while !self.rays.is_empty() {
            by.counts.segments += self.rays.len() as u64;
            by.tree.cast(optics.facets, &self.rays, &mut self.hits, by.scratch);
            self.next.clear();
            self.order.clear();
            for ((ray, flight), hit) in self.rays.iter().zip(&self.flights).zip(&self.hits) {
                let cut = hit.is_some() && flight.count == optics.max_bounces;
                if !hit.is_some() || cut {
                    let last = self.bounces.get(flight.last as usize).map(|(bounce, _)| bounce);
                    let exit = optics.exit(&ray, (last, flight.count), flight.path, flight.sides, cut);
                    self.ready[flight.index] = Some(Ready { exit, last: flight.last });
                    continue;
                }
                let (bounce, sides, next) = optics.reflected(&ray, *hit, flight.sides);
                self.bounces.push((bounce, flight.last));
                let (last, count) = (self.bounces.len() as u32 - 1, flight.count + 1);
                let flight = Flight { path: flight.path + hit.distance, sides, last, count, ..*flight };
                self.order.push((next.heading(), hit.facet, self.next.len()));
                self.next.push((next, flight));
            }
            self.order.sort_unstable();
            self.rays.clear();
            self.flights.clear();
            for (.., index) in &self.order {
                let (ray, flight) = &self.next[*index];
                self.rays.push(ray);
                self.flights.push(*flight);
            }
        }
    }
}
