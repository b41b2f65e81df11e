//! Curves in the plane: pieces that are smooth each, and outlines made of them.
//!
//! A piece is r(u), 0 <= u <= 1. Outlines run counter-clockwise, so that (t_y, -t_x) points out of the body.

use super::Error;
use std::f64::consts::TAU;
use std::sync::Arc;

/// x and y, m.
pub type Point = [f64; 2];

/// a - b.
pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// a . b
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A smooth piece of an outline.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A straight line.
    Segment {
        /// Its beginning, m.
        from: Point,
        /// Its end, m.
        to: Point,
    },
    /// A whole circle, from its rightmost point.
    Circle {
        /// Its middle, m.
        centre: Point,
        /// m.
        radius: f64,
    },
    /// A closed smooth curve: sum over m of a_m cos(2 pi m u) + b_m sin(2 pi m u), as `[a_x, a_y, b_x, b_y]`, m.
    Series(Arc<Vec<[f64; 4]>>),
}

impl Piece {
    /// r(u).
    pub fn point(&self, u: f64) -> Point {
        match self {
            Self::Segment { from, to } => [0, 1].map(|i| from[i] + u * (to[i] - from[i])),
            Self::Circle { centre, radius } => {
                let (sin, cos) = (TAU * u).sin_cos();
                [centre[0] + radius * cos, centre[1] + radius * sin]
            }
            Self::Series(terms) => waves(terms, u, |_, cos, sin| [cos, sin]),
        }
    }

    /// dr/du.
    pub fn slope(&self, u: f64) -> Point {
        match self {
            Self::Segment { from, to } => minus(*to, *from),
            Self::Circle { radius, .. } => {
                let (sin, cos) = (TAU * u).sin_cos();
                [-TAU * radius * sin, TAU * radius * cos]
            }
            Self::Series(terms) => waves(terms, u, |w, cos, sin| [-w * sin, w * cos]),
        }
    }

    /// d^2r/du^2.
    pub fn bend(&self, u: f64) -> Point {
        match self {
            Self::Segment { .. } => [0.0; 2],
            Self::Circle { radius, .. } => {
                let (sin, cos) = (TAU * u).sin_cos();
                [-TAU * TAU * radius * cos, -TAU * TAU * radius * sin]
            }
            Self::Series(terms) => waves(terms, u, |w, cos, sin| [-w * w * cos, -w * w * sin]),
        }
    }

    /// r(u + step) - r(u), with all its digits however small the step is.
    pub fn chord(&self, u: f64, step: f64) -> Point {
        match self {
            Self::Segment { from, to } => minus(*to, *from).map(|x| step * x),
            Self::Circle { radius, .. } => {
                let (sin, cos) = (TAU * (u + 0.5 * step)).sin_cos();
                let length = 2.0 * radius * (0.5 * TAU * step).sin();
                [-length * sin, length * cos]
            }
            // cos b - cos a = -2 sin((a + b)/2) sin((b - a)/2), and so on.
            Self::Series(terms) => waves(terms, u + 0.5 * step, |w, cos, sin| {
                let length = 2.0 * (0.5 * w * step).sin();
                [-length * sin, length * cos]
            }),
        }
    }

    /// Whether it ends where it begins.
    pub fn is_closed(&self) -> bool {
        !matches!(self, Self::Segment { .. })
    }
}

/// Sum over a series with factors of a_m and b_m that `factors` makes of 2 pi m and of cosine and sine at u.
fn waves(terms: &[[f64; 4]], u: f64, factors: impl Fn(f64, f64, f64) -> [f64; 2]) -> Point {
    let mut sum = [0.0; 2];
    for (m, [ax, ay, bx, by]) in terms.iter().enumerate() {
        let w = TAU * m as f64;
        let (sin, cos) = (w * u).sin_cos();
        let [a, b] = factors(w, cos, sin);
        sum[0] += a * ax + b * bx;
        sum[1] += a * ay + b * by;
    }
    sum
}

/// Sides that turn by less belong to a curve that was cut into them, radians.
pub const CORNER: f64 = 0.2;

/// Pieces one after another.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pieces: Vec<Piece>,
    closed: bool,
}

impl Outline {
    /// A circle.
    pub fn circle(centre: Point, radius: f64) -> Result<Self, Error> {
        if !(radius > 0.0 && radius.is_finite() && centre.iter().all(|x| x.is_finite())) {
            return Err(Error::Size { what: "radius of the circle", value: radius });
        }
        Ok(Self { pieces: vec![Piece::Circle { centre, radius }], closed: true })
    }

    /// A flat strip along x, in the middle of the plane.
    pub fn strip(width: f64) -> Result<Self, Error> {
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::Size { what: "width of the strip", value: width });
        }
        let (from, to) = ([-0.5 * width, 0.0], [0.5 * width, 0.0]);
        Ok(Self { pieces: vec![Piece::Segment { from, to }], closed: false })
    }

    /// An ellipse with these half axes along x and y.
    pub fn ellipse(centre: Point, [a, b]: [f64; 2]) -> Result<Self, Error> {
        for value in [a, b] {
            if !(value > 0.0 && value.is_finite() && centre.iter().all(|x| x.is_finite())) {
                return Err(Error::Size { what: "half axis of the ellipse", value });
            }
        }
        Ok(Self::series(vec![[centre[0], centre[1], 0.0, 0.0], [a, 0.0, 0.0, b]]))
    }

    /// A closed smooth curve from its Fourier series, which must run counter-clockwise and not meet itself.
    pub fn series(terms: Vec<[f64; 4]>) -> Self {
        Self { pieces: vec![Piece::Series(Arc::new(terms))], closed: true }
    }

    /// Straight lines between points that were checked: closed ones run counter-clockwise.
    pub(super) fn polyline(points: &[Point], closed: bool) -> Self {
        let ends = points.iter().zip(points.iter().cycle().skip(1));
        let count = points.len() - usize::from(!closed);
        let pieces = ends.take(count).map(|(from, to)| Piece::Segment { from: *from, to: *to }).collect();
        Self { pieces, closed }
    }

    /// Its pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether it ends where it begins.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Of every piece, whether it begins and whether it ends at an open end or at a corner that turns by more than [`CORNER`].
    pub fn corners(&self) -> Vec<[bool; 2]> {
        let count = self.pieces.len();
        let turns = |from: usize, to: usize| {
            let (a, b) = (self.pieces[from].slope(1.0), self.pieces[to].slope(0.0));
            (a[0] * b[1] - a[1] * b[0]).atan2(dot(a, b)).abs() > CORNER
        };
        let begins = |i: usize| if self.closed || i > 0 { turns((i + count - 1) % count, i) } else { true };
        let ends = |i: usize| if self.closed || i + 1 < count { turns(i, (i + 1) % count) } else { true };
        (0..count)
            .map(|i| if self.pieces[i].is_closed() { [false; 2] } else { [begins(i), ends(i)] })
            .collect()
    }

    /// The one piece of an outline without corners.
    pub fn smooth(&self) -> Option<&Piece> {
        match self.pieces.as_slice() {
            [piece] if piece.is_closed() => Some(piece),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of points of a size of 1, over the step of a difference.
    const DIFFERENCE: f64 = 1e-8;

    fn pieces() -> [Piece; 3] {
        let terms = vec![[0.1, -0.2, 0.0, 0.0], [1.0, 0.0, 0.0, 0.7], [0.2, 0.05, -0.1, 0.0]];
        [
            Piece::Segment { from: [1.0, 2.0], to: [0.0, -1.0] },
            Piece::Circle { centre: [0.5, 0.25], radius: 1.5 },
            Piece::Series(Arc::new(terms)),
        ]
    }

    #[test]
    fn slopes_and_bends_are_those_of_the_points() {
        for piece in pieces() {
            for u in [0.0, 0.2, 0.77] {
                let step = 1e-5;
                let middle =
                    |f: &dyn Fn(f64) -> Point| minus(f(u + step), f(u - step)).map(|x| x / (2.0 * step));
                let off = minus(middle(&|u| piece.point(u)), piece.slope(u));
                assert!(off[0].hypot(off[1]) < DIFFERENCE * TAU * TAU, "{piece:?} {u}");
                let off = minus(middle(&|u| piece.slope(u)), piece.bend(u));
                assert!(off[0].hypot(off[1]) < DIFFERENCE * TAU.powi(4), "{piece:?} {u}");
            }
        }
    }

    #[test]
    fn chords_keep_their_digits() {
        for piece in pieces() {
            let (u, long) = (0.3, 0.125);
            let off = minus(piece.chord(u, long), minus(piece.point(u + long), piece.point(u)));
            assert!(off[0].hypot(off[1]) < 1e-14, "{piece:?}");
            let short = 1e-12;
            let off = minus(piece.chord(u, short).map(|x| x / short), piece.slope(u));
            assert!(off[0].hypot(off[1]) < 1e-9, "{piece:?}: {off:?}");
        }
    }

    #[test]
    fn sizes_must_be_positive() {
        for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Outline::circle([0.0; 2], size).is_err());
            assert!(Outline::strip(size).is_err());
            assert!(Outline::ellipse([0.0; 2], [1.0, size]).is_err());
        }
    }
}
