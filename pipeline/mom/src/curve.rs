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
    /// A polynomial c_0 + c_1 u + c_2 u^2 + c_3 u^3: Bezier's curves, m.
    Cubic([Point; 4]),
    /// A part of an ellipse: centre + a cos t + b sin t, t = from + turn u.
    Ellipse {
        /// Its middle, m.
        centre: Point,
        /// Conjugate half axes, m.
        axes: [Point; 2],
        /// t at its beginning, radians.
        from: f64,
        /// How far t goes, radians.
        turn: f64,
    },
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
            Self::Cubic(c) => [0, 1].map(|i| c[0][i] + u * (c[1][i] + u * (c[2][i] + u * c[3][i]))),
            Self::Ellipse { centre, axes, from, turn } => {
                let (sin, cos) = (from + turn * u).sin_cos();
                [0, 1].map(|i| centre[i] + axes[0][i] * cos + axes[1][i] * sin)
            }
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
            Self::Cubic(c) => [0, 1].map(|i| c[1][i] + u * (2.0 * c[2][i] + 3.0 * u * c[3][i])),
            Self::Ellipse { axes, from, turn, .. } => {
                let (sin, cos) = (from + turn * u).sin_cos();
                [0, 1].map(|i| turn * (axes[1][i] * cos - axes[0][i] * sin))
            }
        }
    }

    /// |dr/du|.
    pub fn speed(&self, u: f64) -> f64 {
        let [x, y] = self.slope(u);
        x.hypot(y)
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
            Self::Cubic(c) => [0, 1].map(|i| 2.0 * c[2][i] + 6.0 * u * c[3][i]),
            Self::Ellipse { axes, from, turn, .. } => {
                let (sin, cos) = (from + turn * u).sin_cos();
                [0, 1].map(|i| -turn * turn * (axes[0][i] * cos + axes[1][i] * sin))
            }
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
            Self::Cubic(c) => {
                let (second, third) = (2.0 * u + step, 3.0 * u * (u + step) + step * step);
                [0, 1].map(|i| step * (c[1][i] + second * c[2][i] + third * c[3][i]))
            }
            Self::Ellipse { axes, from, turn, .. } => {
                let (sin, cos) = (from + turn * (u + 0.5 * step)).sin_cos();
                let length = 2.0 * (0.5 * turn * step).sin();
                [0, 1].map(|i| length * (axes[1][i] * cos - axes[0][i] * sin))
            }
        }
    }

    /// Whether it ends where it begins.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Circle { .. } | Self::Series(_))
    }

    /// Bezier's curve of these control points.
    pub fn bezier([a, b, c, d]: [Point; 4]) -> Self {
        let of = |f: &dyn Fn([f64; 4]) -> f64| [0, 1].map(|i| f([a[i], b[i], c[i], d[i]]));
        Self::Cubic([
            a,
            of(&|[a, b, ..]| 3.0 * (b - a)),
            of(&|[a, b, c, _]| 3.0 * ((c - b) - (b - a))),
            of(&|[a, b, c, d]| (d - a) - 3.0 * (c - b)),
        ])
    }

    /// The same piece from its end to its beginning, where it is open.
    pub fn reversed(&self) -> Self {
        match self {
            Self::Segment { from, to } => Self::Segment { from: *to, to: *from },
            Self::Cubic(c) => Self::Cubic([
                self.point(1.0),
                self.slope(1.0).map(|x| -x),
                [0, 1].map(|i| c[2][i] + 3.0 * c[3][i]),
                c[3].map(|x| -x),
            ]),
            Self::Ellipse { centre, axes, from, turn } => {
                Self::Ellipse { centre: *centre, axes: *axes, from: from + turn, turn: -turn }
            }
            closed @ (Self::Circle { .. } | Self::Series(_)) => closed.clone(),
        }
    }

    /// Where it goes at its beginning or its end; a curve that stands still there goes where it came from.
    fn heading(&self, u: f64) -> Point {
        let slope = self.slope(u);
        if slope == [0.0; 2] { self.slope(u + (0.5 - u) * 1e-3) } else { slope }
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

fn check_size(what: &str, size: f64, centre: Point) -> Result<(), Error> {
    Error::check_positive(what, size)?;
    Error::check_finite("centre", &centre, "its coordinates must be finite")
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
        check_size("radius of the circle", radius, centre)?;
        Ok(Self { pieces: vec![Piece::Circle { centre, radius }], closed: true })
    }

    /// A flat strip along x, in the middle of the plane.
    pub fn strip(width: f64) -> Result<Self, Error> {
        Error::check_positive("width of the strip", width)?;
        let (from, to) = ([-0.5 * width, 0.0], [0.5 * width, 0.0]);
        Ok(Self { pieces: vec![Piece::Segment { from, to }], closed: false })
    }

    /// An ellipse with these half axes along x and y.
    pub fn ellipse(centre: Point, [a, b]: [f64; 2]) -> Result<Self, Error> {
        [a, b].into_iter().try_for_each(|value| check_size("half axis of the ellipse", value, centre))?;
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

    /// Pieces that were checked: each begins where the one before ends, and closed outlines run counter-clockwise.
    pub(super) fn chain(pieces: Vec<Piece>, closed: bool) -> Self {
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
            let (a, b) = (self.pieces[from].heading(1.0), self.pieces[to].heading(0.0));
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

    fn pieces() -> [Piece; 5] {
        let terms = vec![[0.1, -0.2, 0.0, 0.0], [1.0, 0.0, 0.0, 0.7], [0.2, 0.05, -0.1, 0.0]];
        [
            Piece::Segment { from: [1.0, 2.0], to: [0.0, -1.0] },
            Piece::Circle { centre: [0.5, 0.25], radius: 1.5 },
            Piece::Series(Arc::new(terms)),
            Piece::bezier([[0.0, 0.0], [0.5, 1.0], [1.5, 1.0], [2.0, -0.5]]),
            Piece::Ellipse { centre: [0.1, 0.2], axes: [[1.0, 0.3], [-0.2, 0.5]], from: 0.4, turn: -2.5 },
        ]
    }

    #[test]
    fn beziers_go_from_their_first_control_point_to_their_last_and_back() {
        let points = [[0.0, 1.0], [0.5, 2.0], [1.5, 1.0], [2.0, -0.5]];
        let curve = Piece::bezier(points);
        let off = |a: Point, b: Point| (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(off(curve.point(0.0), points[0]) < 1e-15 && off(curve.point(1.0), points[3]) < 1e-15);
        // De Casteljau at the middle: an eighth of the ends, three eighths of the others.
        let middle =
            [0, 1].map(|i| (points[0][i] + 3.0 * (points[1][i] + points[2][i]) + points[3][i]) / 8.0);
        assert!(off(curve.point(0.5), middle) < 1e-15);
        for piece in pieces().iter().filter(|piece| !piece.is_closed()) {
            let back = piece.reversed();
            for u in [0.0, 0.3, 1.0] {
                assert!(off(back.point(u), piece.point(1.0 - u)) < 1e-14, "{piece:?}");
            }
        }
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
