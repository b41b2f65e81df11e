//! Outlines from drawings: the paths of an SVG file.
//!
//! Every subpath is a body; lines, Bezier's curves and elliptic arcs are kept as what they are. The y axis of drawings points
//! down and is turned up. A user unit is `scale` metres, whatever width and viewBox say; transforms of paths and of groups
//! around them are applied. Paths in definitions, masks and the like are not drawn and not read. Other shapes are refused: drawing programs make paths of them.

use super::check::{Kind, MOST_POINTS, chain};
use super::path;
use crate::curve::{Outline, Piece, Point};
use crate::error::Error;
use roxmltree::{Document, Node, ParsingOptions};

/// Elements whose contents are not drawn where they stand.
const HIDDEN: [&str; 7] = ["defs", "clipPath", "mask", "symbol", "marker", "pattern", "metadata"];
/// Shapes that are no paths.
const SHAPES: [&str; 7] = ["rect", "circle", "ellipse", "line", "polyline", "polygon", "use"];
/// Elements around a path.
const DEEPEST: usize = 100;

/// All outlines of a text. Subpaths that end without Z are thin sheets if those are asked for; else a straight line closes them.
pub fn parse(text: &str, kind: Kind, scale: f64) -> Result<Vec<Outline>, Error> {
    if kind == Kind::Smooth {
        return Err(Error::Drawing {
            line: 1,
            reason: "--smooth is for points: a drawing has curves of its own".into(),
        });
    }
    check_depth(text)?;
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MOST_POINTS as u32, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Error::Drawing { line: error.pos().row as usize, reason: error.to_string() })?;
    let mut outlines = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let line = document.text_pos_at(node.range().start).row as usize;
        if node.ancestors().any(|around| HIDDEN.contains(&around.tag_name().name())) {
            continue;
        }
        if SHAPES.contains(&name) {
            return Err(Error::Drawing { line, reason: format!("<{name}> is no path: make it one") });
        }
        if name == "path" {
            let transform = Transform::of(node, line)?.scaled(scale);
            for (pieces, closed) in path::parse(node.attribute("d").unwrap_or_default(), line)? {
                let pieces = pieces.iter().map(|piece| transform.piece(piece)).collect();
                outlines.push(body(pieces, closed, kind)?);
            }
        }
    }
    if outlines.is_empty() { Err(Error::Empty) } else { Ok(outlines) }
}

fn body(mut pieces: Vec<Piece>, closed: bool, kind: Kind) -> Result<Outline, Error> {
    if kind == Kind::Open && !closed {
        return chain(pieces, false);
    }
    let ends = pieces.first().zip(pieces.last()).filter(|_| !closed);
    let line = ends.map(|(first, last)| Piece::Segment { from: last.point(1.0), to: first.point(0.0) });
    pieces.extend(line);
    chain(pieces, true)
}

/// Refuses elements in elements in elements, before anything is read that would follow them.
fn check_depth(text: &str) -> Result<(), Error> {
    let mut depth = 0usize;
    for (at, _) in text.match_indices('<') {
        match text.as_bytes().get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(b'!' | b'?') | None => {}
            _ => {
                let end = text[at + 1..].find(['<', '>']).map_or(text.len(), |end| at + 1 + end);
                depth += usize::from(!text[at..end].ends_with('/'));
            }
        }
        if depth > DEEPEST {
            let line = 1 + text[..at].matches('\n').count();
            return Err(Error::Drawing {
                line,
                reason: format!("more than {DEEPEST} elements in each other"),
            });
        }
    }
    Ok(())
}

/// x' = a x + c y + e, y' = b x + d y + f, as SVG's matrix has it.
#[derive(Debug, Clone, Copy)]
struct Transform([f64; 6]);

impl Transform {
    const NONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// That of an element and of all around it.
    fn of(node: Node, line: usize) -> Result<Self, Error> {
        let mut all = Self::NONE;
        for around in node.ancestors() {
            if let Some(text) = around.attribute("transform") {
                let reason = || format!("'{}' is no transform", text.chars().take(60).collect::<String>());
                all = Self::parse(text).ok_or_else(|| Error::Drawing { line, reason: reason() })?.after(all);
            }
        }
        Ok(all)
    }

    /// A list of matrix, translate, scale, rotate, skewX and skewY, the first of which is applied last.
    fn parse(text: &str) -> Option<Self> {
        let mut all = Self::NONE;
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, after) = rest.split_once('(')?;
            let (numbers, after) = after.split_once(')')?;
            let numbers = numbers.split([',', ' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
            let numbers: Vec<f64> = numbers
                .map(|word| word.parse().ok().filter(|x: &f64| x.is_finite()))
                .collect::<Option<_>>()?;
            all = all.after(Self::one(name.trim(), &numbers)?);
            rest = after.trim_start_matches([',', ' ', '\t', '\n', '\r']);
        }
        Some(all)
    }

    fn one(name: &str, numbers: &[f64]) -> Option<Self> {
        let shift = |x: f64, y: f64| Self([1.0, 0.0, 0.0, 1.0, x, y]);
        let turn = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            Self([cos, sin, -sin, cos, 0.0, 0.0])
        };
        match (name, numbers) {
            ("matrix", [a, b, c, d, e, f]) => Some(Self([*a, *b, *c, *d, *e, *f])),
            ("translate", [x]) => Some(shift(*x, 0.0)),
            ("translate", [x, y]) => Some(shift(*x, *y)),
            ("scale", [x]) => Some(Self([*x, 0.0, 0.0, *x, 0.0, 0.0])),
            ("scale", [x, y]) => Some(Self([*x, 0.0, 0.0, *y, 0.0, 0.0])),
            ("rotate", [degrees]) => Some(turn(*degrees)),
            ("rotate", [degrees, x, y]) => Some(shift(*x, *y).after(turn(*degrees)).after(shift(-x, -y))),
            ("skewX", [degrees]) => Some(Self([1.0, 0.0, degrees.to_radians().tan(), 1.0, 0.0, 0.0])),
            ("skewY", [degrees]) => Some(Self([1.0, degrees.to_radians().tan(), 0.0, 1.0, 0.0, 0.0])),
            _ => None,
        }
    }

    fn after(self, first: Self) -> Self {
        let ([a, b, c, d], [e, f]) = (first.linear(), [first.0[4], first.0[5]]);
        let [x, y, shift] = [self.vector([a, b]), self.vector([c, d]), self.point([e, f])];
        Self([x[0], x[1], y[0], y[1], shift[0], shift[1]])
    }

    fn linear(self) -> [f64; 4] {
        [self.0[0], self.0[1], self.0[2], self.0[3]]
    }

    /// Metres, and y up.
    fn scaled(self, scale: f64) -> Self {
        Self([scale, 0.0, 0.0, -scale, 0.0, 0.0]).after(self)
    }

    fn vector(self, [x, y]: Point) -> Point {
        let [a, b, c, d] = self.linear();
        [a * x + c * y, b * x + d * y]
    }

    fn point(self, point: Point) -> Point {
        let [x, y] = self.vector(point);
        [x + self.0[4], y + self.0[5]]
    }

    fn piece(self, piece: &Piece) -> Piece {
        match piece {
            Piece::Segment { from, to } => Piece::Segment { from: self.point(*from), to: self.point(*to) },
            Piece::Cubic([first, rest @ ..]) => {
                let [b, c, d] = rest.map(|coefficient| self.vector(coefficient));
                Piece::Cubic([self.point(*first), b, c, d])
            }
            Piece::Ellipse { centre, axes, from, turn } => Piece::Ellipse {
                centre: self.point(*centre),
                axes: axes.map(|axis| self.vector(axis)),
                from: *from,
                turn: *turn,
            },
            whole @ (Piece::Circle { .. } | Piece::Series(_)) => whole.clone(),
        }
    }
}
