//! The tubes of a part of the launch grid: whole, in pieces, quartered or dropped.
//!
//! A tube whose corners go the way of its centre counts as a whole. Any other is cut into the pieces that its
//! rays have found ([`super::pieces`]), which is exact where they are all of it. What they leave must then be
//! a gap beside the target, which a ray beyond every edge of the pieces shows. Where there is more to find
//! the tube is quartered, and at last its centre counts for the whole. A corner of a border that reaches
//! between the rays has rays of its own ([`super::vertices`]).

use super::Rule;
use super::launch::Launch;
use super::path::{Exit, agrees};
use super::pieces::{self, Piece, Scene, Way};
use super::sum::Sums;
use super::tube::Tracer;
use super::vertices::Seeds;

/// Pieces are all of a cell if what they leave is less than this part of it: far above the rounding of
/// corners, 1e-12 of a tube.
const CLOSED: f64 = 1e-6;
/// How far beyond an edge of a piece a ray looks, in lengths of the edge.
const BEYOND: f64 = 1e-3;
/// Edges shorter than this, in sides of the cell, are corners but for rounding.
const LEAST_EDGE: f64 = 1e-6;
/// Most edges to look beyond at once, and how often.
const MOST_EDGES: usize = 8;
const ROUNDS: usize = 2;
/// Nothing large lies beyond pieces that have less than this of a cell, if they were found last.
const LITTLE: f64 = 1.0 / 256.0;
/// Most pieces of a cell, and most of those that its first rays find: with more of them most cells fail, and
/// quarters do better.
const MOST_PIECES: usize = 8;
const MOST_AT_FIRST: usize = 4;
/// Most rays for the corners of borders in a cell.
const MOST_SEEDS: usize = 3;

/// A part of the grid at work.
pub struct Tile<'a> {
    pub launch: &'a Launch,
    pub rule: Rule,
    pub seeds: &'a Seeds,
    pub tracer: Tracer<'a>,
    pub sums: Sums<'a>,
}

/// Where the corners of a tube are, in halves of its sides from its centre; counterclockwise.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// A ray of the grid: where it began, in tubes from the grid's corner, and where it left.
#[derive(Clone, Copy)]
struct Sample {
    at: [f64; 2],
    exit: Option<Exit>,
    way: Way,
}

/// A square of the grid: middle and side, in tubes.
#[derive(Clone, Copy)]
struct Cell {
    middle: [f64; 2],
    size: f64,
}

impl Cell {
    /// The point at so many halves of the sides from the middle.
    fn at(&self, [a, b]: [f64; 2]) -> [f64; 2] {
        [self.middle[0] + 0.5 * self.size * a, self.middle[1] + 0.5 * self.size * b]
    }

    fn holds(&self, at: [f64; 2]) -> bool {
        (0..2).all(|axis| (at[axis] - self.middle[axis]).abs() <= 0.5 * self.size)
    }
}

impl Tile<'_> {
    /// All tubes of `columns` x `rows` from a corner.
    pub fn run(&mut self, [x0, y0]: [f64; 2], [columns, rows]: [usize; 2]) {
        let corners = match self.rule {
            Rule::Footprint { splits: 0 } => Vec::new(),
            _ => self.corners([x0, y0], [columns, rows]),
        };
        let four = |column: usize, row: usize| {
            let at = |column: usize, row: usize| &corners[row * (columns + 1) + column];
            [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)]
        };
        let rule = self.rule;
        self.tracer.ahead([x0 + 0.5, y0 + 0.5], [columns, rows], |column, row| match rule {
            Rule::Footprint { .. } => true,
            Rule::Discard => one_facet(&four(column, row)),
        });
        for row in 0..rows {
            for column in 0..columns {
                let cell = Cell { middle: [x0 + column as f64 + 0.5, y0 + row as f64 + 0.5], size: 1.0 };
                match self.rule {
                    Rule::Footprint { splits: 0 } => self.whole(cell),
                    Rule::Footprint { splits } => {
                        let seeds = self.seeds.of(x0 as u64 + column as u64, y0 as u64 + row as u64);
                        self.footprint(cell, four(column, row), splits, seeds);
                    }
                    Rule::Discard => self.strict(cell, four(column, row)),
                }
            }
        }
    }

    fn corners(&mut self, [x0, y0]: [f64; 2], [columns, rows]: [usize; 2]) -> Vec<Sample> {
        self.tracer.ahead([x0, y0], [columns + 1, rows + 1], |_, _| true);
        let points = (0..=rows).flat_map(|row| (0..=columns).map(move |column| (column, row)));
        points.map(|(column, row)| self.sample([x0 + column as f64, y0 + row as f64])).collect()
    }

    fn sample(&mut self, at: [f64; 2]) -> Sample {
        let exit = self.tracer.trace(at);
        Sample { at, exit, way: Way::new(&self.tracer.bounces) }
    }

    fn samples(&mut self, places: &[[f64; 2]]) -> Vec<Sample> {
        self.tracer.some(places);
        places.iter().map(|at| self.sample(*at)).collect()
    }

    fn agree(&self, one: &Sample, other: &Sample) -> bool {
        let beside = [other.at[0] - one.at[0], other.at[1] - one.at[1]];
        agrees(self.launch, one.exit.as_ref(), other.exit.as_ref(), beside)
    }

    /// The centre counts for all of a cell.
    fn whole(&mut self, cell: Cell) {
        let centre = self.sample(cell.middle);
        self.radiate(&centre, cell.size);
    }

    /// A cell by the ray that was traced last.
    fn radiate(&mut self, centre: &Sample, size: f64) {
        if let Some(exit) = &centre.exit {
            self.count(exit);
            self.sums.footprint(exit, &self.tracer.bounces, size);
        }
    }

    fn count(&mut self, exit: &Exit) {
        self.tracer.counts.tubes += 1;
        self.tracer.counts.cut += u64::from(exit.cut);
    }

    /// A cell that loses no area, and may be quartered so many times.
    fn footprint(&mut self, cell: Cell, corners: [&Sample; 4], splits: u32, seeds: &[[f64; 2]]) {
        let own: Vec<[f64; 2]> =
            seeds.iter().copied().filter(|at| cell.holds(*at)).take(MOST_SEEDS).collect();
        let centre = self.sample(cell.middle);
        if own.is_empty() && corners.iter().all(|corner| self.agree(&centre, corner)) {
            return self.radiate(&centre, cell.size);
        }
        let mut samples: Vec<Sample> = corners.into_iter().chain([&centre]).copied().collect();
        samples.extend(self.samples(&own));
        if samples.iter().all(|sample| self.agree(&centre, sample)) {
            return self.whole(cell);
        }
        match self.pieces(cell, &mut samples) {
            Some(pieces) => pieces.iter().for_each(|piece| self.piece(cell, samples[piece.ray].at, piece)),
            None if splits == 0 => self.whole(cell),
            None => self.quarter(cell, corners, splits - 1, seeds),
        }
    }

    fn quarter(&mut self, cell: Cell, corners: [&Sample; 4], splits: u32, seeds: &[[f64; 2]]) {
        self.tracer.counts.split += 1;
        let centre = self.sample(cell.middle);
        // Below, right, above, left of the centre.
        let middles = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]].map(|at| cell.at(at));
        let centres = CORNERS.map(|[a, b]| cell.at([0.5 * a, 0.5 * b]));
        self.tracer.some([middles, centres].as_flattened());
        let middles = middles.map(|at| self.sample(at));
        for (part, middle) in centres.into_iter().enumerate() {
            let child = Cell { middle, size: 0.5 * cell.size };
            // The child at a corner has that corner, the middles on both sides of it, and the centre across.
            let mut own = [&centre; 4];
            own[part] = corners[part];
            own[(part + 1) % 4] = &middles[part];
            own[(part + 3) % 4] = &middles[(part + 3) % 4];
            self.footprint(child, own, splits, seeds);
        }
    }

    /// The pieces of a cell, as rays find them; none if that is not all of it. Rays beyond the edges of
    /// pieces join the others.
    fn pieces(&mut self, cell: Cell, samples: &mut Vec<Sample>) -> Option<Vec<Piece>> {
        let (launch, facets) = (self.launch, self.tracer.facets());
        let whole = cell.size * cell.size;
        let left = |pieces: &[Piece]| whole - pieces.iter().fold(0.0, |sum, piece| sum + piece.area);
        let is_closed = |left: f64| left.abs() <= CLOSED * whole;
        let mut looked = 0;
        for round in 0..=ROUNDS {
            let rays: Vec<([f64; 2], Way)> = samples.iter().map(|sample| (sample.at, sample.way)).collect();
            let scene = Scene { launch, facets, middle: cell.middle, size: cell.size, rays: &rays };
            let mut pieces = scene.regions();
            if pieces.len() > if round == 0 { MOST_AT_FIRST } else { MOST_PIECES } {
                return None;
            }
            if is_closed(left(&pieces)) {
                return Some(pieces);
            }
            let new = || pieces.iter().filter(|piece| piece.ray >= looked);
            let places: Vec<[f64; 2]> = new()
                .flat_map(|Piece { ray, region, .. }| {
                    region.edges().filter_map(|edge| beyond(cell, rays[*ray].0, edge))
                })
                .collect();
            let found = new().fold(0.0, |sum, piece| sum + piece.area);
            if places.is_empty() || (round == ROUNDS && found <= LITTLE * whole) {
                pieces.iter_mut().for_each(|piece| scene.take(piece));
                let left = left(&pieces);
                let gap = rays.iter().any(|(_, way)| way.is_empty());
                return (is_closed(left) || (gap && left > 0.0)).then_some(pieces);
            }
            if places.len() > MOST_EDGES || round == ROUNDS {
                return None;
            }
            looked = samples.len();
            samples.extend(self.samples(&places));
        }
        None
    }

    fn piece(&mut self, cell: Cell, at: [f64; 2], piece: &Piece) {
        if piece.area <= pieces::LEAST * cell.size * cell.size {
            return;
        }
        let Some(exit) = self.tracer.trace(at) else { return };
        self.count(&exit);
        let bounces = &self.tracer.bounces;
        self.sums.part(&exit, bounces, piece.region.corners());
        for (sign, polygon) in &piece.others {
            let mut corners = polygon.corners().to_vec();
            if *sign < 0.0 {
                // The other way round it counts less than nothing.
                corners.reverse();
            }
            self.sums.part(&exit, bounces, &corners);
        }
    }

    /// The paper's tube: dropped unless all corners end on one triangle.
    fn strict(&mut self, cell: Cell, corners: [&Sample; 4]) {
        let [Some(a), Some(b), Some(c), Some(d)] = corners.map(|corner| corner.exit) else {
            self.tracer.counts.dropped += u64::from(corners.iter().any(|corner| corner.exit.is_some()));
            return;
        };
        let one = [b, c, d].iter().all(|corner| corner.facet == a.facet);
        let centre = if one { self.tracer.trace(cell.middle) } else { None };
        match centre {
            Some(exit) if exit.facet == a.facet => {
                self.count(&exit);
                let polygon = [a, b, c, d].map(|corner| corner.place);
                self.sums.polygon(&exit, &self.tracer.bounces, &polygon);
            }
            _ => self.tracer.counts.dropped += 1,
        }
    }
}

fn one_facet(corners: &[&Sample; 4]) -> bool {
    let facets = corners.map(|corner| corner.exit.map(|exit| exit.facet));
    facets[0].is_some() && facets.iter().all(|facet| *facet == facets[0])
}

/// A place just beyond the middle of an edge of a polygon around a ray, unless it is short or a side of the
/// cell.
fn beyond(cell: Cell, at: [f64; 2], (a, b): ([f64; 2], [f64; 2])) -> Option<[f64; 2]> {
    let half = 0.5 * cell.size;
    let on_side = |axis: usize| {
        let from = at[axis] - cell.middle[axis];
        let (a, b) = (a[axis] + from, b[axis] + from);
        let side = half * (1.0 - CLOSED);
        (a >= side && b >= side) || (a <= -side && b <= -side)
    };
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    if x.abs().max(y.abs()) < LEAST_EDGE * cell.size || on_side(0) || on_side(1) {
        return None;
    }
    Some([at[0] + 0.5 * (a[0] + b[0]) + BEYOND * y, at[1] + 0.5 * (a[1] + b[1]) - BEYOND * x])
}
