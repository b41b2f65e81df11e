//! Paths of drawings: the commands of SVG's attribute `d`, as pieces.

use super::super::Error;
use super::super::curve::{Piece, Point, dot, minus};
use std::f64::consts::{PI, TAU};

/// Pieces of a subpath, and whether it ends where it began.
pub type Subpath = (Vec<Piece>, bool);

/// Subpaths of a text, in its own units; `line` is where it stands.
pub fn parse(text: &str, line: usize) -> Result<Vec<Subpath>, Error> {
    let mut pen = Pen { line, command: 0, letter: ' ', rest: text, ..Pen::default() };
    while pen.next_command()? {
        pen.draw()?;
    }
    pen.end(false);
    Ok(pen.subpaths)
}

#[derive(Default)]
struct Pen<'a> {
    line: usize,
    /// Number and letter of the present command.
    command: usize,
    letter: char,
    rest: &'a str,
    at: Point,
    start: Point,
    /// Control point before the present place, of the last cubic (C, S) or quadratic (Q, T) curve.
    cubic: Option<Point>,
    quadratic: Option<Point>,
    pieces: Vec<Piece>,
    subpaths: Vec<Subpath>,
}

impl Pen<'_> {
    fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::Path { line: self.line, command: self.command, letter: self.letter, reason: reason.into() }
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}', ',']);
    }

    /// Goes to the next letter; what stands without one repeats the last command.
    fn next_command(&mut self) -> Result<bool, Error> {
        self.skip();
        let Some(next) = self.rest.chars().next() else { return Ok(false) };
        self.command += 1;
        if next.is_ascii_alphabetic() {
            self.rest = &self.rest[1..];
            self.letter = next;
        } else {
            self.letter = match self.letter {
                'M' => 'L',
                'm' => 'l',
                'Z' | 'z' | ' ' => {
                    self.letter = next;
                    return Err(self.wrong("a command should stand here: M, L, H, V, C, S, Q, T, A or Z"));
                }
                same => same,
            };
        }
        if self.command == 1 && !matches!(self.letter, 'M' | 'm') {
            return Err(self.wrong("a path begins with M"));
        }
        Ok(true)
    }

    /// The next number; signs and second points begin one without a blank.
    fn number(&mut self) -> Result<f64, Error> {
        self.skip();
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let mut end = sign(0);
        end += digits(end);
        if bytes.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let from = end + 1 + sign(end + 1);
            end = if digits(from) > 0 { from + digits(from) } else { end };
        }
        let value = self.rest[..end].parse::<f64>().ok().filter(|value| value.is_finite());
        let seen: String = self.rest.chars().take(20).collect();
        let value = value.ok_or_else(|| self.wrong(format!("'{seen}' is no finite number")))?;
        self.rest = &self.rest[end..];
        Ok(value)
    }

    /// A flag of an arc, which is one digit.
    fn flag(&mut self) -> Result<bool, Error> {
        self.skip();
        let flag = match self.rest.as_bytes().first() {
            Some(b'0') => false,
            Some(b'1') => true,
            _ => return Err(self.wrong("a flag of an arc is 0 or 1")),
        };
        self.rest = &self.rest[1..];
        Ok(flag)
    }

    /// The next two numbers, from the present place if the letter is a small one.
    fn point(&mut self) -> Result<Point, Error> {
        let [x, y] = [self.number()?, self.number()?];
        Ok(if self.letter.is_ascii_lowercase() { [self.at[0] + x, self.at[1] + y] } else { [x, y] })
    }

    fn draw(&mut self) -> Result<(), Error> {
        let (relative, before) = (self.letter.is_ascii_lowercase(), self.at);
        let (cubic, quadratic) = (self.cubic.take(), self.quadratic.take());
        let mirrored = |control: Option<Point>| {
            control.map_or(before, |control| [0, 1].map(|i| 2.0 * before[i] - control[i]))
        };
        match self.letter.to_ascii_uppercase() {
            'M' => {
                self.end(false);
                self.at = self.point()?;
                self.start = self.at;
            }
            'L' => {
                let to = self.point()?;
                self.to(to, Piece::Segment { from: before, to });
            }
            axis @ ('H' | 'V') => {
                let (along, value) = (usize::from(axis == 'V'), self.number()?);
                let mut to = before;
                to[along] = if relative { before[along] + value } else { value };
                self.to(to, Piece::Segment { from: before, to });
            }
            letter @ ('C' | 'S') => {
                let first = if letter == 'C' { self.point()? } else { mirrored(cubic) };
                let (second, to) = (self.point()?, self.point()?);
                self.cubic = Some(second);
                self.to(to, Piece::bezier([before, first, second, to]));
            }
            letter @ ('Q' | 'T') => {
                let control = if letter == 'Q' { self.point()? } else { mirrored(quadratic) };
                let to = self.point()?;
                self.quadratic = Some(control);
                // The same curve with two control points, two thirds of the way to the one.
                let towards = |end: Point| [0, 1].map(|i| end[i] + 2.0 / 3.0 * (control[i] - end[i]));
                self.to(to, Piece::bezier([before, towards(before), towards(to), to]));
            }
            'A' => {
                let (radii, turned) = ([self.number()?.abs(), self.number()?.abs()], self.number()?);
                let (large, sweep, to) = (self.flag()?, self.flag()?, self.point()?);
                self.to(to, arc([before, to], radii, turned * PI / 180.0, large, sweep));
            }
            'Z' => {
                self.end(true);
                self.at = self.start;
            }
            _ => return Err(self.wrong("no command of a path: M, L, H, V, C, S, Q, T, A and Z are")),
        }
        Ok(())
    }

    fn to(&mut self, to: Point, piece: Piece) {
        if to != self.at || !matches!(piece, Piece::Segment { .. }) {
            self.pieces.push(piece);
        }
        self.at = to;
    }

    /// Ends a subpath; a straight line closes it where it must.
    fn end(&mut self, closed: bool) {
        if closed && self.at != self.start {
            self.pieces.push(Piece::Segment { from: self.at, to: self.start });
        }
        if !self.pieces.is_empty() {
            self.subpaths.push((std::mem::take(&mut self.pieces), closed || self.at == self.start));
        }
    }
}

/// The arc of an ellipse between two points: radii, turn of its axes, and which of the four there are. Radii that are too short are stretched.
fn arc([from, to]: [Point; 2], radii: [f64; 2], turned: f64, large: bool, sweep: bool) -> Piece {
    if from == to || radii.contains(&0.0) {
        return Piece::Segment { from, to };
    }
    let (sin, cos) = turned.sin_cos();
    // Half the chord, in units of the radii along the axes: on the unit circle, both ends lie as far from the middle of the chord.
    let half = minus(from, to).map(|x| 0.5 * x);
    let half = [(cos * half[0] + sin * half[1]) / radii[0], (cos * half[1] - sin * half[0]) / radii[1]];
    let square = dot(half, half);
    let stretch = square.sqrt().max(1.0);
    let half = half.map(|x| x / stretch);
    let off = (1.0 / square - 1.0).max(0.0).sqrt() * if large == sweep { -1.0 } else { 1.0 };
    let centre = [off * half[1], -off * half[0]];
    let angle = |end: Point| (end[1] - centre[1]).atan2(end[0] - centre[0]);
    let (begin, end) = (angle(half), angle(half.map(|x| -x)));
    let turn = if sweep { (end - begin).rem_euclid(TAU) } else { -(begin - end).rem_euclid(TAU) };
    let axes = [[cos * radii[0], sin * radii[0]], [-sin * radii[1], cos * radii[1]]]
        .map(|axis| axis.map(|x| x * stretch));
    let centre = [0, 1].map(|i| 0.5 * (from[i] + to[i]) + axes[0][i] * centre[0] + axes[1][i] * centre[1]);
    Piece::Ellipse { centre, axes, from: begin, turn }
}
