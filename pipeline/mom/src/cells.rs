//! Outlines cut into cells, and the nodes on them.
//!
//! Cells of LCN at corners and open ends are halved towards them, again and again: what a corner does to the current,
//! d^(pi/beta - 1) at a distance d, is then smooth in every cell but the last. A number of cells is kept, and at most every
//! fourth one of a side is spent on one end; with cells a wavelength, halvings come on top.

use super::Error;
use super::curve::{Outline, Piece, Point, dot, minus};
use super::hodlr::planned_bytes;
use super::settings::{Density, Method, Settings, Solver};
use numerics::quadrature::Gauss;
use std::sync::LazyLock;

/// A node, where the equation is enforced and the current is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// m.
    pub point: Point,
    /// Unit vector along the outline.
    pub tangent: Point,
    /// Outward unit vector.
    pub normal: Point,
    /// Weight of the rule times |dr/dx|, m.
    pub weight: f64,
    /// Curvature, 1/m: positive where the body is convex.
    pub curvature: f64,
    /// From the beginning of the first outline, m.
    pub arc_length: f64,
}

/// A part of a piece, x from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Number of its body.
    pub body: usize,
    /// What it is a part of.
    pub piece: Piece,
    /// Its middle, in u of the piece.
    pub middle: f64,
    /// Half of its extent in u.
    pub half: f64,
    /// Where it begins and ends, m.
    pub ends: [Point; 2],
    /// m.
    pub length: f64,
    /// Number of its first node.
    pub first: usize,
}

impl Cell {
    /// u of x.
    pub fn parameter(&self, x: f64) -> f64 {
        self.middle + self.half * x
    }

    /// Point, outward normal and |dr/dx| at x.
    pub fn at(&self, x: f64) -> (Point, Point, f64) {
        let u = self.parameter(x);
        let slope = self.piece.slope(u);
        let speed = slope[0].hypot(slope[1]);
        (self.piece.point(u), [slope[1] / speed, -slope[0] / speed], speed * self.half)
    }
}

/// All cells and nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// In the order of the outlines.
    pub cells: Vec<Cell>,
    /// In the order of the cells.
    pub nodes: Vec<Node>,
    /// The rule of every cell.
    pub rule: Gauss,
    /// First cells of the bodies, and the number of cells.
    pub bodies: Vec<usize>,
}

/// Fewest unknowns a wavelength that are accepted, and that are not warned of.
pub const LEAST_DENSITY: f64 = 2.0;
/// See [`LEAST_DENSITY`].
pub const GOOD_DENSITY: f64 = 5.0;

/// Nodes of the rule that measures pieces: curves are analytic.
const MEASURE: usize = 64;
/// The rule that measures parts of cells.
static ARC: LazyLock<Gauss> = LazyLock::new(|| Gauss::new(16));

impl Mesh {
    /// Cuts outlines.
    pub fn new(outlines: &[Outline], settings: &Settings, room: &Room) -> Result<Self, Error> {
        settings.validate()?;
        if outlines.is_empty() {
            return Err(Error::Empty);
        }
        let rule = Gauss::new(settings.nodes());
        let divisions = divide(outlines, settings, room)?;
        let bodies = outlines.iter().enumerate();
        let pieces =
            bodies.flat_map(|(body, outline)| outline.pieces().iter().map(move |piece| (body, piece)));
        let mut mesh = Self { cells: Vec::new(), nodes: Vec::new(), rule, bodies: Vec::new() };
        for ((body, piece), division) in pieces.zip(&divisions) {
            if mesh.bodies.len() == body {
                mesh.bodies.push(mesh.cells.len());
            }
            mesh.cut(body, piece, division);
        }
        mesh.bodies.push(mesh.cells.len());
        let (length, density) = mesh.least_density(settings.wavelength);
        if density < LEAST_DENSITY {
            return Err(Error::Coarse { length, nodes: settings.nodes(), density });
        }
        Ok(mesh)
    }

    fn cut(&mut self, body: usize, piece: &Piece, division: &Division) {
        let borders = division.borders();
        for pair in borders.windows(2) {
            let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
            let first = self.nodes.len();
            let ends = [pair[0], pair[1]].map(|u| piece.point(u));
            let mut cell = Cell { body, piece: piece.clone(), middle, half, ends, length: 0.0, first };
            let end = self.rule.nodes[self.rule.nodes.len() - 1];
            let begin = self.nodes.last().map_or(0.0, |node| node.arc_length);
            let begin = begin + self.cells.last().map_or(0.0, |before| arc(before, end, 1.0));
            for (x, weight) in self.rule.pairs() {
                let node = node(&cell, x, weight, begin);
                cell.length += node.weight;
                self.nodes.push(node);
            }
            self.cells.push(cell);
        }
    }

    /// Length of the longest cell, m, and unknowns a wavelength in it.
    pub fn least_density(&self, wavelength: f64) -> (f64, f64) {
        let longest = self.cells.iter().map(|cell| cell.length).fold(0.0, f64::max);
        (longest, self.rule.nodes.len() as f64 * wavelength / longest)
    }

    /// Length of all outlines, m.
    pub fn length(&self) -> f64 {
        self.cells.iter().map(|cell| cell.length).sum()
    }
}

fn node(cell: &Cell, x: f64, weight: f64, begin: f64) -> Node {
    let (point, normal, speed) = cell.at(x);
    let (slope, bend) = (cell.piece.slope(cell.parameter(x)), cell.piece.bend(cell.parameter(x)));
    Node {
        point,
        tangent: [-normal[1], normal[0]],
        normal,
        weight: weight * speed,
        curvature: -dot(normal, bend) / dot(slope, slope),
        arc_length: begin + arc(cell, -1.0, x),
    }
}

/// Length of a cell between two x, m.
fn arc(cell: &Cell, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    if !matches!(cell.piece, Piece::Segment { .. } | Piece::Circle { .. }) {
        return ARC.pairs().map(|(x, w)| w * half * cell.at(middle + half * x).2).sum();
    }
    2.0 * half * cell.at(middle).2
}

/// Length of a piece, m.
fn measure(piece: &Piece) -> f64 {
    match piece {
        // Equal steps on a closed curve are exact to rounding once they resolve its waves.
        Piece::Series(terms) => {
            let count = MEASURE * terms.len();
            (0..count).map(|i| piece.speed(i as f64 / count as f64)).sum::<f64>() / count as f64
        }
        Piece::Cubic(_) | Piece::Ellipse { .. } => {
            let rule = Gauss::new(MEASURE);
            rule.pairs().map(|(x, weight)| 0.5 * weight * piece.speed(0.5 * (1.0 + x))).sum()
        }
        Piece::Segment { .. } | Piece::Circle { .. } => piece.speed(0.0),
    }
}

/// How a piece is cut: equal cells, of which the first and the last are halved towards the ends, again and again.
struct Division {
    equal: usize,
    halvings: [usize; 2],
}

impl Division {
    fn cells(&self) -> usize {
        self.equal + self.halvings[0] + self.halvings[1]
    }

    /// Borders of the cells on 0 to 1.
    fn borders(&self) -> Vec<f64> {
        let side = 1.0 / self.equal as f64;
        let halves = |halvings: usize| (1..=halvings).map(move |level| side * 0.5f64.powi(level as i32));
        let mut borders: Vec<f64> = (0..=self.equal).map(|i| i as f64 / self.equal as f64).collect();
        borders.extend(halves(self.halvings[0]));
        borders.extend(halves(self.halvings[1]).map(|step| 1.0 - step));
        borders.sort_by(f64::total_cmp);
        borders
    }
}

/// Fewest nodes on a smooth closed curve, however small it is beside the wavelength: they carry its shape.
const LEAST_NODES: usize = 32;

fn divide(outlines: &[Outline], settings: &Settings, room: &Room) -> Result<Vec<Division>, Error> {
    let pieces: Vec<&Piece> = outlines.iter().flat_map(|outline| outline.pieces()).collect();
    let lengths: Vec<f64> = pieces.iter().map(|piece| measure(piece)).collect();
    let length = lengths.iter().sum::<f64>();
    let graded = matches!(settings.method, Method::Lcn(_));
    let corners = outlines.iter().flat_map(Outline::corners);
    let grading: Vec<[usize; 2]> =
        corners.map(|ends| ends.map(|corner| if corner && graded { settings.grading } else { 0 })).collect();
    let least_points = settings.method.least_points();
    let divisions: Vec<Division> = match settings.density {
        Density::PerWavelength(density) => {
            // Checked as floating-point numbers first: a tiny wavelength must not overflow anything.
            let ideal = |length: &f64| (density * length / settings.wavelength - 1e-9).ceil().max(1.0);
            room.check(lengths.iter().map(ideal).sum::<f64>() * settings.nodes() as f64, length)?;
            let equal = |(piece, length): (&&Piece, &f64)| {
                let count = ideal(length) as usize;
                let least = if piece.is_closed() { LEAST_NODES.div_ceil(settings.nodes()) } else { 1 };
                if least_points.is_some() { count.max(least).next_multiple_of(2) } else { count.max(least) }
            };
            let of = |(equal, halvings): (usize, [usize; 2])| Division {
                equal: if halvings.contains(&0) { equal } else { equal.max(2) },
                halvings,
            };
            pieces.iter().zip(&lengths).map(equal).zip(grading).map(of).collect()
        }
        Density::Cells(cells) => {
            if cells < lengths.len() {
                let allowed = format!("every one of the {} sides needs one", lengths.len());
                return Err(Error::value("number of cells", cells, allowed));
            }
            let of = |(count, grading): (usize, [usize; 2])| {
                let halvings = grading.map(|grading| grading.min(count / 4));
                Division { equal: count - halvings[0] - halvings[1], halvings }
            };
            largest_remainders(&lengths, cells).into_iter().zip(grading).map(of).collect()
        }
    };
    let unknowns = divisions.iter().map(|division| (division.cells() * settings.nodes()) as f64).sum();
    room.check(unknowns, length)?;
    let Some(least) = least_points else { return Ok(divisions) };
    let odd = |division: &Division| division.equal % 2 == 1 || division.equal < least;
    match divisions.iter().position(odd) {
        Some(body) => {
            let what = format!("number of points on body {}", body + 1);
            let allowed = format!("kress and kr need an even number, {least} or more");
            Err(Error::value(what, divisions[body].equal, allowed))
        }
        None => Ok(divisions),
    }
}

/// `cells` in proportion to lengths, one at least each: whole parts first, then the largest remainders.
fn largest_remainders(lengths: &[f64], cells: usize) -> Vec<usize> {
    let total: f64 = lengths.iter().sum();
    let free = (cells - lengths.len()) as f64;
    let ideal: Vec<f64> = lengths.iter().map(|length| free * length / total).collect();
    let mut counts: Vec<usize> = ideal.iter().map(|share| 1 + (share + 1e-9).floor() as usize).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    let remainder = |at: usize| ideal[at] + 1.0 - counts[at] as f64;
    order.sort_by(|a, b| remainder(*b).total_cmp(&remainder(*a)));
    let missing = cells.saturating_sub(counts.iter().sum());
    order.iter().take(missing).for_each(|at| counts[*at] += 1);
    counts
}

/// Bytes for the square of an unknown: the matrix, its factors, and 32-bit factors or a copy.
pub const SQUARE_BYTES: f64 = 40.0;

/// Memory for matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// GiB that are free.
    pub free_gib: f64,
    /// What a matrix needs of them.
    pub need: Need,
}

/// What a matrix needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Need {
    /// Bytes for the square of one unknown.
    Square(f64),
    /// What blocks to a tolerance ([`Settings::tolerance`]) are planned with, at a wavenumber, rad/m.
    Compressed(f64, f64),
}

impl Room {
    /// What the processor has, for the solver of the settings.
    pub fn on_host(settings: &Settings) -> Self {
        let need = match settings.solver {
            Solver::Hodlr => Need::Compressed(settings.tolerance, settings.wavenumber()),
            _ => Need::Square(SQUARE_BYTES),
        };
        Self { free_gib: free_gib(), need }
    }

    /// GiB for so many unknowns on outlines of a length, m.
    pub fn needed_gib(&self, unknowns: f64, length: f64) -> f64 {
        let bytes = match self.need {
            Need::Square(bytes) => bytes * unknowns * unknowns,
            Need::Compressed(tolerance, wavenumber) => {
                planned_bytes(unknowns, wavenumber * length, tolerance)
            }
        };
        bytes / (1u64 << 30) as f64
    }

    /// Refuses matrices that do not fit.
    fn check(&self, unknowns: f64, length: f64) -> Result<(), Error> {
        let (needed_gib, free_gib) = (self.needed_gib(unknowns, length), self.free_gib);
        let fits = needed_gib <= free_gib;
        let instead = match self.need {
            Need::Square(_) => "--solver hodlr on the processor, fewer cells, or more nodes in fewer of them",
            Need::Compressed(..) => "fewer cells, or a larger --tolerance",
        };
        let unknowns = unknowns as usize;
        if fits { Ok(()) } else { Err(Error::Memory { unknowns, needed_gib, free_gib, instead }) }
    }
}

/// Memory that is free according to the system; where it does not say, 16 GiB.
fn free_gib() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.map_or(16.0, |kib| kib / f64::from(1 << 20))
}

/// Square of the distance of a point to a cell's nodes and ends, m2.
pub fn squared_distance(mesh: &Mesh, cell: &Cell, point: Point) -> f64 {
    let to = |other: &Point| {
        let d = minus(*other, point);
        dot(d, d)
    };
    let nodes = &mesh.nodes[cell.first..cell.first + mesh.rule.nodes.len()];
    nodes.iter().map(|node| to(&node.point)).fold(to(&cell.ends[0]).min(to(&cell.ends[1])), f64::min)
}
