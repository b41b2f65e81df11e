//! What is checked of outlines before anything is computed.

use crate::curve::{Outline, Piece, Point, dot, minus};
use crate::error::Error;
use std::f64::consts::TAU;

/// Most points of a contour.
pub const MOST_POINTS: usize = 100_000;
/// An area below this part of the squared perimeter is none: rounding of the sum.
const LEAST_AREA: f64 = 1e-12;
/// Points by which a smooth curve is checked, beside ten for every term of its series.
const SAMPLES: usize = 256;
/// Points by which a curved piece is checked.
const PIECE_SAMPLES: usize = 48;

/// What a contour is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A body with straight sides.
    Polygon,
    /// A body whose smooth outline goes through the points, equally spaced in the parameter: their trigonometric polynomial.
    Smooth,
    /// A thin sheet with straight parts.
    Open,
}

/// Pieces one after another as an outline, checked; nothing is left of pieces without length.
pub fn chain(mut pieces: Vec<Piece>, closed: bool) -> Result<Outline, Error> {
    pieces.retain(|piece| {
        let begin = piece.point(0.0);
        piece.point(1.0) != begin || samples(piece).iter().any(|point| *point != begin)
    });
    let count = pieces.iter().map(sample_count).sum();
    if !(2..=MOST_POINTS).contains(&(count + usize::from(!closed))) {
        return Err(wrong_count(count, 2));
    }
    let outline = Outline::chain(pieces, closed);
    let points = sample(&outline);
    check_finite(&points)?;
    outline.pieces().iter().enumerate().try_for_each(|(at, piece)| check_speed(at, piece))?;
    // The piece of every sample.
    let owner = |(at, piece)| std::iter::repeat_n(at, sample_count(piece));
    let owners: Vec<usize> = outline.pieces().iter().enumerate().flat_map(owner).collect();
    check_crossings(&points, closed).map_err(|error| match error {
        Error::Meeting { first, second, at, .. } => {
            let [first, second] = [first, second].map(|point| owners[(point - 1).min(owners.len() - 1)] + 1);
            Error::Meeting { what: "pieces", first, second, at }
        }
        other => other,
    })?;
    if runs_clockwise(&points, closed)? {
        return Ok(Outline::chain(outline.pieces().iter().rev().map(Piece::reversed).collect(), true));
    }
    Ok(outline)
}

/// An outline through points, checked.
pub fn outline(mut points: Vec<Point>, kind: Kind) -> Result<Outline, Error> {
    if kind != Kind::Open && points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    let least = if kind == Kind::Open { 2 } else { 3 };
    if !(least..=MOST_POINTS).contains(&points.len()) {
        return Err(wrong_count(points.len(), least));
    }
    let closed = kind != Kind::Open;
    check_duplicates(&points, closed)?;
    if kind != Kind::Smooth {
        check_crossings(&points, closed)?;
    }
    if runs_clockwise(&points, closed)? {
        points.reverse();
    }
    if kind != Kind::Smooth {
        return Ok(Outline::polyline(&points, closed));
    }
    let outline = Outline::series(interpolate(&points));
    check_crossings(&sample(&outline), true)?;
    Ok(outline)
}

/// Refuses bodies that meet, or that meet themselves.
pub fn check_bodies(outlines: &[Outline]) -> Result<(), Error> {
    let of = |(body, outline): (usize, &Outline)| {
        let sides = sides(&sample(outline), outline.is_closed());
        sides.into_iter().map(move |side| Side { label: body, ..side })
    };
    let sides: Vec<Side> = outlines.iter().enumerate().flat_map(of).collect();
    let found = meeting(&sides, |a, b| sides[a].label != sides[b].label);
    found.map_or(Ok(()), |(a, b, at)| {
        let [a, b] = [sides[a].label, sides[b].label];
        Err(crossing("bodies", a.min(b), a.max(b), at))
    })
}

/// How much longer the side from the last point to the first is than the longest other one, if that is much: the file may hold an open curve.
pub fn suspicious_gap(outline: &Outline) -> Option<(f64, f64)> {
    const MUCH: f64 = 5.0;
    let length = |piece: &Piece| piece.speed(0.0);
    // Reversal puts the closing side last as well: points turn about, and so do both of its ends.
    let (last, others) = outline.pieces().split_last().filter(|(_, others)| others.len() > 2)?;
    let longest = others.iter().map(length).fold(0.0, f64::max);
    (outline.is_closed() && length(last) > MUCH * longest).then(|| (length(last), longest))
}

/// Refuses what a scale or a transform made too large.
pub(super) fn check_finite(points: &[Point]) -> Result<(), Error> {
    Error::check_finite("a coordinate, m,", points.iter().flatten(), "it must be finite")
}

fn check_duplicates(points: &[Point], closed: bool) -> Result<(), Error> {
    match sides(points, closed).iter().find(|side| side.ends[0] == side.ends[1]) {
        Some(Side { ends: [at, _], label: i }) => {
            Err(Error::Duplicate { first: i + 1, second: (i + 1) % points.len() + 1, at: *at })
        }
        None => Ok(()),
    }
}

fn check_crossings(points: &[Point], closed: bool) -> Result<(), Error> {
    const WHAT: &str = "the sides from points";
    let sides = sides(points, closed);
    let count = sides.len();
    // Neighbours share a point, and must not lie on each other beyond it.
    for i in 0..count - usize::from(!closed) {
        let next = (i + 1) % count;
        let [a, b] = [sides[i].along(), sides[next].along()];
        if cross(a, b) == 0.0 && dot(a, b) < 0.0 {
            return Err(crossing(WHAT, i, next, sides[next].ends[0]));
        }
    }
    let apart = |a: usize, b: usize| {
        let distance = a.abs_diff(b);
        distance > 1 && !(closed && distance == count - 1)
    };
    meeting(&sides, apart).map_or(Ok(()), |(a, b, at)| Err(crossing(WHAT, a.min(b), a.max(b), at)))
}

/// Whether points are a polygon that runs clockwise; one that is closed must have an area.
fn runs_clockwise(points: &[Point], closed: bool) -> Result<bool, Error> {
    if !closed {
        return Ok(false);
    }
    let ends = || points.iter().zip(points.iter().cycle().skip(1));
    let perimeter: f64 = ends().map(|(a, b)| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
    let area = area(points);
    let is_body = area.abs() > LEAST_AREA * perimeter * perimeter;
    if is_body { Ok(area < 0.0) } else { Err(Error::Flat { area, perimeter }) }
}

/// Positive for counter-clockwise polygons, m2.
pub(super) fn area(points: &[Point]) -> f64 {
    let origin = points[0];
    let ends = points.iter().zip(points.iter().cycle().skip(1));
    0.5 * ends.map(|(a, b)| cross(minus(*a, origin), minus(*b, origin))).sum::<f64>()
}

fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Points on an outline that straight lines join well.
pub(super) fn sample(outline: &Outline) -> Vec<Point> {
    if let Some(piece) = outline.smooth() {
        let terms = if let Piece::Series(terms) = piece { terms.len() } else { 1 };
        let count = SAMPLES + 10 * terms;
        return (0..count).map(|i| piece.point(i as f64 / count as f64)).collect();
    }
    let mut points: Vec<Point> = outline.pieces().iter().flat_map(samples).collect();
    points.extend(outline.pieces().last().filter(|_| !outline.is_closed()).map(|piece| piece.point(1.0)));
    points
}

fn sample_count(piece: &Piece) -> usize {
    if matches!(piece, Piece::Segment { .. }) { 1 } else { PIECE_SAMPLES }
}

/// Points on a piece from its beginning on, without its end.
fn samples(piece: &Piece) -> Vec<Point> {
    let count = sample_count(piece);
    (0..count).map(|i| piece.point(i as f64 / count as f64)).collect()
}

/// Refuses curves that stand still on their way: there they may turn about, and have no normal.
fn check_speed(at: usize, piece: &Piece) -> Result<(), Error> {
    const SLOW: f64 = 1e-6;
    let place = |i: usize| (i as f64 + 0.5) / PIECE_SAMPLES as f64;
    let speeds: Vec<f64> = (0..PIECE_SAMPLES).map(|i| piece.speed(place(i))).collect();
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    // At its ends a curve may begin slowly; between them a least speed lies within both neighbours of the least sample.
    for i in (1..PIECE_SAMPLES - 1).filter(|i| speeds[*i] <= speeds[i - 1].min(speeds[i + 1])) {
        let (mut from, mut to) = (place(i - 1), place(i + 1));
        for _ in 0..80 {
            let [low, high] = [from + (to - from) / 3.0, to - (to - from) / 3.0];
            (from, to) = if piece.speed(low) < piece.speed(high) { (from, high) } else { (low, to) };
        }
        if piece.speed(from) <= SLOW * fastest {
            return Err(Error::Cusp { piece: at + 1, at: piece.point(from) });
        }
    }
    Ok(())
}

/// The trigonometric polynomial through equally spaced points; of an even number the highest wave is a cosine alone.
fn interpolate(points: &[Point]) -> Vec<[f64; 4]> {
    let count = points.len();
    let wave = |m: usize| {
        let mut sum = [0.0; 4];
        for (i, [x, y]) in points.iter().enumerate() {
            let (sin, cos) = (TAU * ((m * i) % count) as f64 / count as f64).sin_cos();
            for (part, value) in sum.iter_mut().zip([x * cos, y * cos, x * sin, y * sin]) {
                *part += value;
            }
        }
        let share = if m == 0 || 2 * m == count { 1.0 } else { 2.0 };
        sum.map(|part| part * share / count as f64)
    };
    (0..=count / 2).map(wave).collect()
}

/// A straight line with a number that says whose it is.
struct Side {
    ends: [Point; 2],
    label: usize,
}

/// Straight lines from each point to the next, and to the first of a closed outline, by their numbers.
fn sides(points: &[Point], closed: bool) -> Vec<Side> {
    let side = |label: usize| Side { ends: [points[label], points[(label + 1) % points.len()]], label };
    (0..points.len() - usize::from(!closed)).map(side).collect()
}

fn crossing(what: &'static str, a: usize, b: usize, at: Point) -> Error {
    Error::Meeting { what, first: a + 1, second: b + 1, at }
}

impl Side {
    fn along(&self) -> Point {
        minus(self.ends[1], self.ends[0])
    }

    fn range(&self, axis: usize) -> (f64, f64) {
        let [a, b] = self.ends;
        (a[axis].min(b[axis]), a[axis].max(b[axis]))
    }

    /// Where it meets another, ends included.
    fn meets(&self, other: &Self) -> Option<Point> {
        let apart = |axis| {
            let ((a, b), (c, d)) = (self.range(axis), other.range(axis));
            b < c || d < a
        };
        if apart(0) || apart(1) {
            return None;
        }
        let turn = |side: &Self, point: Point| cross(side.along(), minus(point, side.ends[0]));
        let [a, b] = other.ends.map(|point| turn(self, point));
        let [c, d] = self.ends.map(|point| turn(other, point));
        if a * b > 0.0 || c * d > 0.0 {
            return None;
        }
        // On one line, boxes that meet are sides that do.
        let part = if a == b { 0.0 } else { a / (a - b) };
        let along = other.along();
        Some([0, 1].map(|i| other.ends[0][i] + part * along[i]))
    }
}

/// Two sides of those that `counts` that meet, and where: a sweep along x.
fn meeting(sides: &[Side], counts: impl Fn(usize, usize) -> bool) -> Option<(usize, usize, Point)> {
    let mut order: Vec<usize> = (0..sides.len()).collect();
    order.sort_by(|a, b| sides[*a].range(0).0.total_cmp(&sides[*b].range(0).0));
    for (at, first) in order.iter().enumerate() {
        let right = sides[*first].range(0).1;
        for second in order[at + 1..].iter().take_while(|second| sides[**second].range(0).0 <= right) {
            if counts(*first, *second)
                && let Some(place) = sides[*first].meets(&sides[*second])
            {
                return Some((*first, *second, place));
            }
        }
    }
    None
}

fn wrong_count(points: usize, least: usize) -> Error {
    Error::value("number of points of a contour", points, format!("it must be {least} to {MOST_POINTS}"))
}
