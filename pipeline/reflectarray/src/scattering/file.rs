//! Scattering tables as CSV files.
//!
//! The header is `phase_rad,incidence_rad,co_re,co_im,cross_re,cross_im`; a line gives the reflection of the element that was made for a phase, at an angle
//! of incidence off the normal. All phases of the first angle come first, rising, then the same phases of the next larger angle, and so on. Phases go round: none
//! is farther than a quarter of a turn from the next, the first one following the last. A table that closes the turn has its first row again a turn later.

use super::table::ScatteringTable;
use crate::csv::{self, Reason};
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::path::Path;

type C = Complex<f64>;

/// Largest file in bytes.
const MAX_BYTES: u64 = 1 << 24;
/// Widest gap between neighbouring phases, rad: beyond, a cubic says nothing about what lies between.
const WIDEST_GAP: f64 = FRAC_PI_2;
const HEADER: &str = "phase_rad,incidence_rad,co_re,co_im,cross_re,cross_im";
/// Power that may be reflected of what arrives: all of it, and what four printed digits round.
const MOST_POWER: f64 = 1.001;
/// Difference of numbers that are meant to be the same: what six printed digits round. Slopes between nodes that are nearer would mean nothing.
const SAME: f64 = 1e-5;

/// A line of the file.
struct Row {
    line: usize,
    phase: f64,
    angle: f64,
    co: C,
    cross: C,
}

impl Row {
    fn wrong(&self, found: f64, expected: impl Into<String>) -> Reason {
        Reason::line(self.line, found, expected)
    }
}

impl ScatteringTable {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, csv::Error> {
        csv::load(path, MAX_BYTES, Self::parse)
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let rows = rows(text)?;
        let first = rows.first().map_or(0.0, |row| row.angle);
        let count = rows.iter().take_while(|row| row.angle == first).count();
        if count < 3 {
            return Err(short(count));
        }
        if !rows.len().is_multiple_of(count) {
            let whole = "are no whole number of angles with";
            let found = format!("{} rows {whole} {count} phases each, as the first angle has", rows.len());
            return Err(Reason::Table(found));
        }
        let blocks: Vec<&[Row]> = rows.chunks_exact(count).collect();
        check_order(&blocks)?;
        let closed = check_turn(&blocks)?;
        let kept = count - usize::from(closed);
        if kept < 3 {
            return Err(short(kept));
        }
        let all = |value: fn(&Row) -> C| -> Vec<C> {
            blocks.iter().flat_map(|block| block[..kept].iter().map(value)).collect()
        };
        let phases: Vec<f64> = blocks[0][..kept].iter().map(|row| row.phase).collect();
        check_gaps(&phases)?;
        let angles = blocks.iter().map(|block| block[0].angle).collect();
        Ok(Self { phases, angles, co: all(|row| row.co), cross: all(|row| row.cross) })
    }
}

fn short(phases: usize) -> Reason {
    Reason::Table(format!("{phases} phases at the first angle; there must be at least 3"))
}

fn rows(text: &str) -> Result<Vec<Row>, Reason> {
    let rows = csv::rows(text, HEADER, "six finite numbers are expected")?.into_iter();
    let rows = rows.map(|(line, [phase, angle, a, b, c, d])| Row {
        line,
        phase,
        angle,
        co: C::new(a, b),
        cross: C::new(c, d),
    });
    let rows: Vec<Row> = rows.collect();
    let lossy = |row: &&Row| row.co.norm_sqr() + row.cross.norm_sqr() <= MOST_POWER;
    match rows.iter().find(|row| !lossy(row)) {
        Some(row) => {
            let power = row.co.norm_sqr() + row.cross.norm_sqr();
            Err(row.wrong(power, "the power reflected in both polarisations must be 1 at most"))
        }
        None => Ok(rows),
    }
}

/// Angles from 0 to below a right angle that rise from block to block, each with the phases of the first, which rise within a turn.
fn check_order(blocks: &[&[Row]]) -> Result<(), Reason> {
    let mut before = f64::NEG_INFINITY;
    for block in blocks {
        let angle = block[0].angle;
        if !(angle > before + SAME && (0.0..FRAC_PI_2).contains(&angle)) {
            return Err(block[0].wrong(angle, "angles must rise, from 0 to below pi/2"));
        }
        before = angle;
        for (row, first) in block.iter().zip(blocks[0]) {
            if row.angle != angle {
                return Err(row.wrong(row.angle, format!("the angle {angle} has more phases to come")));
            }
            if (row.phase - first.phase).abs() > SAME {
                let expected = format!("the phase {} of the first angle is expected", first.phase);
                return Err(row.wrong(row.phase, expected));
            }
        }
        if let Some(pair) = block.windows(2).find(|pair| pair[1].phase - pair[0].phase <= SAME) {
            return Err(pair[1].wrong(pair[1].phase, "phases must rise"));
        }
        let last = &block[block.len() - 1];
        if last.phase - block[0].phase > TAU + SAME {
            return Err(last.wrong(last.phase, "phases may span one turn at most"));
        }
    }
    Ok(())
}

/// Whether the last phase is the first one a turn later; its reflection must then be the same.
fn check_turn(blocks: &[&[Row]]) -> Result<bool, Reason> {
    let last = |block: &[Row]| block.len() - 1;
    let span = blocks[0][last(blocks[0])].phase - blocks[0][0].phase;
    if span < TAU - SAME {
        return Ok(false);
    }
    for block in blocks {
        let (first, last) = (&block[0], &block[last(block)]);
        let off = (first.co - last.co).norm().max((first.cross - last.cross).norm());
        if off > MOST_POWER - 1.0 {
            return Err(last.wrong(off, "a turn after the first phase its reflection must come again"));
        }
    }
    Ok(true)
}

fn check_gaps(phases: &[f64]) -> Result<(), Reason> {
    let next = phases.iter().skip(1).copied().chain([phases[0] + TAU]);
    for (&from, to) in phases.iter().zip(next) {
        if to - from > WIDEST_GAP + SAME {
            let [gap, from, most] = [to - from, from, WIDEST_GAP].map(f64::to_degrees);
            let gap = format!("phases leave a gap of {gap:.1} degrees after {from:.1}");
            let most = format!("at most {most:.0} may lie between neighbours, round the turn");
            return Err(Reason::Table(format!("{gap}; {most}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses of 0.4 dB and a little cross-polar reflection at oblique incidence.
    fn text(count: usize, angles: &[f64]) -> String {
        let mut text = format!("{HEADER}\n");
        for angle in angles {
            for i in 0..count {
                let phase = -3.0 + TAU * i as f64 / 16.0;
                let (co, cross) = (C::from_polar(0.95, phase), C::from_polar(0.1 * angle, phase));
                let numbers = [phase, *angle, co.re, co.im, cross.re, cross.im];
                text += &numbers.map(|x| format!("{x:.6}")).join(",");
                text += "\n";
            }
        }
        text
    }

    #[test]
    fn tables_are_read_open_or_closed() {
        let open = ScatteringTable::parse(&text(16, &[0.0, 0.5])).unwrap();
        let closed = ScatteringTable::parse(&text(17, &[0.0, 0.5])).unwrap();
        assert_eq!(open, closed);
        assert_eq!((open.phases.len(), open.angles.len(), open.co.len()), (16, 2, 32));
        assert!((open.phases[15] - (-3.0 + TAU * 15.0 / 16.0)).abs() < 1e-6);
        assert!((open.co[20] - C::from_polar(0.95, open.phases[4])).norm() < 1e-5);
        assert!((open.cross[20] - C::from_polar(0.05, open.phases[4])).norm() < 1e-5);
        super::super::Scattering::Table(open).check().unwrap();
    }

    #[test]
    fn files_that_are_none_are_refused_by_line() {
        let refused = |text: &str| ScatteringTable::parse(text).unwrap_err().to_string();
        let good = text(16, &[0.0, 0.5]);
        let changed = |line: usize, to: &str| {
            let mut lines: Vec<&str> = good.lines().collect();
            lines[line - 1] = to;
            refused(&lines.join("\n"))
        };
        assert!(refused("").starts_with("line 1"));
        assert!(refused("a,b\n").contains("phase_rad,incidence_rad"));
        assert!(refused(&format!("{HEADER}\n")).contains("0 phases"));
        assert!(changed(5, "1,2,3").starts_with("line 5: \"1,2,3\"; six finite"));
        assert!(changed(5, "-1.8,0.0,nan,0,0,0").contains("six finite"));
        assert!(changed(5, "-1.8,0.0,1e999,0,0,0").contains("six finite"));
        assert!(changed(4, "-2.607300,0.0,0.9,0,0,0").contains("phases must rise"));
        assert!(changed(3, "-1.821903,0.0,0.9,0,0,0").contains("phases must rise"));
        assert!(changed(2, "-3.0,0.0,0.9,0.6,0,0").contains("1 at most"));
        assert!(changed(20, "-2.3,0.5,0.9,0,0,0").contains("of the first angle is expected"));
        assert!(changed(20, "-2.214602,0.6,0.9,0,0,0").contains("more phases to come"));
        assert!(refused(&text(16, &[0.5, 0.0])).contains("angles must rise"));
        assert!(refused(&text(16, &[0.0, 1.6])).contains("below pi/2"));
        assert!(refused(&text(18, &[0.0])).contains("one turn"));
        assert!(refused(&text(12, &[0.0])).contains("gap of 112.5 degrees after"));
        assert!(refused(good.trim_end().rsplit_once('\n').unwrap().0).contains("31 rows"));
        let closed = text(17, &[0.0]);
        let (head, _) = closed.trim_end().rsplit_once('\n').unwrap();
        assert!(refused(&format!("{head}\n3.283185,0,0.5,0.5,0,0")).contains("must come again"));
        let missing = ScatteringTable::load(Path::new("/nowhere/s.csv")).unwrap_err().reason;
        assert!(matches!(missing, Reason::Text(files::case::Unread::System(_))));
    }
}
