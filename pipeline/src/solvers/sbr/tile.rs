//! The tubes of a part of the launch grid: whole, cut along a border, quartered or dropped.
//!
//! Where the corners of a tube go two ways, the border between them is looked for on the two sides that it crosses, by dividing them until an edge of the facet of one of both rays is in what
//! is left, or five times, and each part radiates by the polygon that it covers. The border of a facet is then exact, any other right to a few ten-thousandths of a tube.
//! Where that fails (three ways, a corner of the border) the tube is quartered, and so it is where a vertex of a border lies in it ([`super::vertices`]), which its corners need not show.

use super::Rule;
use super::design::Launch;
use super::sum::Sums;
use super::tube::{Exit, Tracer, agrees};
use super::vertices::{self, Masks};
use crate::vec3::Vec3;

/// Parts into which a side is divided at once to find where a border crosses it, and how often.
const DIVIDED: u32 = 5;
const ROUNDS: u32 = 5;
/// From this round on an edge of a facet in what is left of the side is the border.
const SNAPPED: u32 = 2;
/// Two rays beside the middle of a cut, this far in tubes, must go the two ways: else the border has a corner.
const BESIDE: f64 = 1.0 / 16.0;
/// Parts with less of a tube are left to the other part.
const LEAST_PART: f64 = 1e-6;

/// A part of the grid at work.
pub struct Tile<'a> {
    /// The whole grid.
    pub launch: &'a Launch,
    /// What happens to tubes that part.
    pub rule: Rule,
    /// Where borders turn.
    pub masks: &'a Masks,
    /// Edges of facets that can be borders, see [`super::edges::borders`].
    pub borders: &'a [u8],
    /// Rays.
    pub tracer: Tracer<'a>,
    /// What they radiate.
    pub sums: Sums<'a>,
}

/// Where the corners of a tube are, in halves of its sides from its centre; counterclockwise.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// A ray of the grid: where it began, in tubes from the grid's corner, and where it left.
#[derive(Clone, Copy)]
struct Sample {
    at: [f64; 2],
    exit: Option<Exit>,
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
}

impl Tile<'_> {
    /// All tubes of `columns` x `rows` from a corner.
    pub fn run(&mut self, [x0, y0]: [f64; 2], [columns, rows]: [usize; 2]) {
        let corners = match self.rule {
            Rule::Footprint { splits: 0 } => Vec::new(),
            _ => self.corners([x0, y0], [columns, rows]),
        };
        let four = |column: usize, row: usize| {
            let at = |column: usize, row: usize| corners[row * (columns + 1) + column];
            [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)]
        };
        let (launch, rule) = (self.launch, self.rule);
        self.tracer.ahead([x0 + 0.5, y0 + 0.5], [columns, rows], |column, row| {
            matches!(rule, Rule::Footprint { splits: 0 }) || needs_centre(launch, rule, &four(column, row))
        });
        for row in 0..rows {
            for column in 0..columns {
                let cell = Cell { middle: [x0 + column as f64 + 0.5, y0 + row as f64 + 0.5], size: 1.0 };
                match self.rule {
                    Rule::Footprint { splits: 0 } => self.whole(cell),
                    Rule::Footprint { splits } => {
                        let mask = self.masks.of(x0 as u64 + column as u64, y0 as u64 + row as u64);
                        self.footprint(cell, four(column, row), splits, mask);
                    }
                    Rule::Discard => self.strict(cell, four(column, row)),
                }
            }
        }
    }

    /// Rays at the corners of all tubes.
    fn corners(&mut self, [x0, y0]: [f64; 2], [columns, rows]: [usize; 2]) -> Vec<Sample> {
        self.tracer.ahead([x0, y0], [columns + 1, rows + 1], |_, _| true);
        let points = (0..=rows).flat_map(|row| (0..=columns).map(move |column| (column, row)));
        points.map(|(column, row)| self.sample([x0 + column as f64, y0 + row as f64])).collect()
    }

    fn sample(&mut self, at: [f64; 2]) -> Sample {
        Sample { at, exit: self.tracer.trace(at) }
    }

    /// Whether two rays go one way.
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

    /// A cell that loses no area, and may be quartered so many times; it is wherever its mask has a vertex.
    fn footprint(&mut self, cell: Cell, corners: [Sample; 4], splits: u32, mask: u64) {
        if mask != 0 && splits > 0 {
            return self.quarter(cell, corners, splits - 1, mask);
        }
        let kinds = [0, 1, 2, 3].map(|corner| self.agree(&corners[0], &corners[corner]));
        if kinds == [true; 4] {
            let centre = self.sample(cell.middle);
            if splits == 0 || corners.iter().all(|corner| self.agree(&centre, corner)) {
                return self.radiate(&centre, cell.size);
            }
        } else if let Some(parts) = self.cut(cell.size, &corners, kinds, splits == 0) {
            return parts.iter().for_each(|part| self.part(part));
        } else if splits == 0 {
            return self.whole(cell);
        }
        self.quarter(cell, corners, splits - 1, mask);
    }

    fn quarter(&mut self, cell: Cell, corners: [Sample; 4], splits: u32, mask: u64) {
        self.tracer.counts.split += 1;
        let centre = self.sample(cell.middle);
        // Below, right, above, left of the centre.
        let middles = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]].map(|at| self.sample(cell.at(at)));
        for (part, [a, b]) in CORNERS.into_iter().enumerate() {
            let child = Cell { middle: cell.at([0.5 * a, 0.5 * b]), size: 0.5 * cell.size };
            // The child at a corner has that corner, the middles on both sides of it, and the centre across.
            let mut own = [centre; 4];
            own[part] = corners[part];
            own[(part + 1) % 4] = middles[part];
            own[(part + 3) % 4] = middles[(part + 3) % 4];
            let mask = vertices::quarter(mask, (8.0 * cell.size) as u32, part);
            self.footprint(child, own, splits, mask);
        }
    }

    /// The two parts of a cell whose corners go two ways: corners like the first, and others. None if it is not as simple, which is only asked for
    /// where the cell is not the `last`.
    fn cut(&mut self, size: f64, corners: &[Sample; 4], like: [bool; 4], last: bool) -> Option<Vec<Part>> {
        let other = corners.iter().zip(like).find(|(_, like)| !like)?.0;
        let same = |corner: usize| like[corner] || self.agree(other, &corners[corner]);
        let changes = (0..4).filter(|corner| like[*corner] != like[(corner + 1) % 4]).count();
        if changes != 2 || !(0..4).all(same) {
            return None;
        }
        let (mut first, mut second) = (Vec::with_capacity(5), Vec::with_capacity(5));
        let mut crossings = Vec::with_capacity(2);
        for corner in 0..4 {
            let next = (corner + 1) % 4;
            let own = if like[corner] { &mut first } else { &mut second };
            own.push(corners[corner].at);
            if like[corner] != like[next] {
                let crossing = self.crossing(corners[corner], corners[next], last)?;
                crossings.push(crossing);
                first.push(crossing);
                second.push(crossing);
            }
        }
        if !last && !self.is_straight(&crossings, size, &corners[0], other) {
            return None;
        }
        [(first, corners[0]), (second, *other)]
            .into_iter()
            .filter_map(|(polygon, like)| self.centred(polygon, like))
            .collect()
    }

    /// Where the way of rays changes between two points; None if it does in more than one place, which is only asked for where the cell is not the `last`.
    fn crossing(&mut self, mut from: Sample, mut to: Sample, last: bool) -> Option<[f64; 2]> {
        for round in 0..ROUNDS {
            if round >= SNAPPED
                && let Some(part) = self.edge_between(&from, &to)
            {
                return Some(between(from.at, to.at, part));
            }
            let at = |i: u32| between(from.at, to.at, f64::from(i) / f64::from(DIVIDED));
            let probes = (1..DIVIDED).map(at).map(|at| self.sample(at)).collect::<Vec<_>>();
            let before = probes.iter().take_while(|probe| self.agree(&from, probe)).count();
            if let Some(behind) = probes.get(before) {
                if !last && !self.agree(&to, behind) {
                    return None;
                }
                to = *behind;
            }
            if before > 0 {
                from = probes[before - 1];
            }
        }
        Some(between(from.at, to.at, self.edge_between(&from, &to).unwrap_or(0.5)))
    }

    /// Where a border of the facet of either ray lies between two, as a part of the way.
    fn edge_between(&self, from: &Sample, to: &Sample) -> Option<f64> {
        let parts = [self.leaves(from, to), 1.0 - self.leaves(to, from)];
        parts.into_iter().find(|part| (0.0..=1.0).contains(part))
    }

    /// How far on the way to another a ray leaves its last facet by a border, as a part of the way; infinite if it does not.
    fn leaves(&self, from: &Sample, to: &Sample) -> f64 {
        let Some(exit) = &from.exit else { return f64::INFINITY };
        let corners = self.tracer.facets().corners[exit.facet as usize].map(Vec3::from);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let way = exit.u * (to.at[0] - from.at[0]) + exit.v * (to.at[1] - from.at[1]);
        let borders = self.borders[exit.facet as usize];
        let across = (0..3).filter(|i| borders >> i & 1 == 1).filter_map(|i| {
            // Out of the facet, across this edge.
            let out = (corners[(i + 1) % 3] - corners[i]).cross(normal);
            let speed = out.dot(way);
            (speed > 0.0).then(|| out.dot(corners[i] - exit.place) / speed)
        });
        across.fold(f64::INFINITY, f64::min)
    }

    /// Whether rays on both sides of the middle of a cut go the ways of its sides.
    fn is_straight(&mut self, crossings: &[[f64; 2]], size: f64, one: &Sample, other: &Sample) -> bool {
        let &[a, b] = crossings else { return false };
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        let length = x.hypot(y);
        if length < BESIDE * size {
            return true;
        }
        let middle = between(a, b, 0.5);
        let step = BESIDE * size / length;
        let sides = [step, -step].map(|step| self.sample([middle[0] - step * y, middle[1] + step * x]));
        // Which side is whose follows from where the first corner lies.
        let left = x * (one.at[1] - a[1]) - y * (one.at[0] - a[0]) > 0.0;
        let (of_one, of_other) = if left { (sides[0], sides[1]) } else { (sides[1], sides[0]) };
        self.agree(one, &of_one) && self.agree(other, &of_other)
    }

    /// A part with the ray of its own centre. None if nothing is there, and nothing in that if the centre goes another way.
    fn centred(&mut self, polygon: Vec<[f64; 2]>, like: Sample) -> Option<Option<Part>> {
        let (middle, area) = centroid(&polygon);
        if like.exit.is_none() || area < LEAST_PART {
            return None;
        }
        let centre = self.sample(middle);
        Some(self.agree(&like, &centre).then_some(Part { at: middle, polygon }))
    }

    fn part(&mut self, part: &Part) {
        let Some(exit) = self.tracer.trace(part.at) else { return };
        self.count(&exit);
        let corners: Vec<[f64; 2]> =
            part.polygon.iter().map(|[x, y]| [x - part.at[0], y - part.at[1]]).collect();
        self.sums.part(&exit, &self.tracer.bounces, &corners);
    }

    /// The paper's tube: dropped unless all corners end on one triangle.
    fn strict(&mut self, cell: Cell, corners: [Sample; 4]) {
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

/// Whether a cell with these corners will ask for its centre, most probably.
fn needs_centre(launch: &Launch, rule: Rule, corners: &[Sample; 4]) -> bool {
    let [first, others @ ..] = corners;
    others.iter().all(|other| match rule {
        Rule::Footprint { .. } => {
            let beside = [other.at[0] - first.at[0], other.at[1] - first.at[1]];
            agrees(launch, first.exit.as_ref(), other.exit.as_ref(), beside)
        }
        Rule::Discard => match (first.exit, other.exit) {
            (Some(first), Some(other)) => first.facet == other.facet,
            _ => false,
        },
    })
}

/// A part of a cell: a polygon of the grid, and the ray that stands for it.
struct Part {
    at: [f64; 2],
    polygon: Vec<[f64; 2]>,
}

fn between(a: [f64; 2], b: [f64; 2], part: f64) -> [f64; 2] {
    [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part]
}

/// Centroid and area of a polygon, from its first corner, so that places far from the origin lose no digits.
fn centroid(polygon: &[[f64; 2]]) -> ([f64; 2], f64) {
    let [x0, y0] = polygon[0];
    let (mut x, mut y, mut area) = (0.0, 0.0, 0.0);
    for pair in polygon[1..].windows(2) {
        let ([ax, ay], [bx, by]) = (pair[0], pair[1]);
        let (ax, ay, bx, by) = (ax - x0, ay - y0, bx - x0, by - y0);
        let part = 0.5 * (ax * by - ay * bx);
        x += part * (ax + bx) / 3.0;
        y += part * (ay + by) / 3.0;
        area += part;
    }
    if area > 0.0 { ([x0 + x / area, y0 + y / area], area) } else { ([x0, y0], 0.0) }
}
