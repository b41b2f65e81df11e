//! Sizes of patches by the phase that they reflect with.
//!
//! A CSV file has the header `phase_rad,width_m,height_m` (sides along x and y) and phases that rise or fall by less than a turn in all. Between rows sizes
//! are linear in the phase.
//!
//! [`PatchModel`] makes an example table from a formula: square patches on a grounded slab, in an infinite periodic lattice, at normal
//! incidence and without losses, after Luukkonen and others, IEEE Trans. Antennas Propag. 56, 1624 (2008). The grid of patches is a capacitance beside
//! the slab's inductance:
//!
//! ```text
//! Z_g = -j eta_e/(2 alpha)     alpha = (k_e D/pi) ln(1/sin(pi g/(2 D)))     eps_e = (eps_r + 1)/2
//! Z_d = j eta_d tan(k_d h)     Z_s = Z_g Z_d/(Z_g + Z_d)                    Gamma = (Z_s - eta_0)/(Z_s + eta_0)
//! ```
//!
//! D is the cell, g the gap between patches, h the slab's height, and e and d stand for the grid's effective medium and for the slab. It is meant for cells well below a wavelength;
//! a real board takes a table from a full-wave solver or from measurements.

use crate::csv::{self, Reason};
use files::case::Error;
use numerics::constants::{ETA_0, SPEED_OF_LIGHT};
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// Largest file in bytes.
const MAX_BYTES: u64 = 1 << 22;
const HEADER: &str = "phase_rad,width_m,height_m";
/// Sides of a patch, m.
const SIDES: std::ops::RangeInclusive<f64> = 1e-9..=10.0;
/// Largest phase, rad: some turns.
const FARTHEST: f64 = 1e3;
const USABLE: &str = "a phase within 1000 rad and two sides of 1e-9 to 10 m are expected";

/// Sizes of patches by phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTable {
    /// Phase, rad, rising, and the sides along x and y, m.
    rows: Vec<(f64, [f64; 2])>,
}

impl PhaseTable {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, csv::Error> {
        csv::load(path, MAX_BYTES, Self::parse)
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let rows = csv::rows::<3>(text, HEADER, USABLE)?;
        match rows.iter().find(|(_, [phase, sides @ ..])| !usable(*phase, *sides)) {
            Some((line, row)) => Err(Reason::line(*line, row.map(|x| x.to_string()).join(","), USABLE)),
            None => Self::new(rows.into_iter().map(|(_, [phase, x, y])| (phase, [x, y])).collect()),
        }
    }

    /// A table of phases (rad) and sides along x and y (m).
    pub fn new(mut rows: Vec<(f64, [f64; 2])>) -> Result<Self, Reason> {
        if rows.len() < 2 {
            return Err(Reason::Table(format!("{} rows; a table has at least 2", rows.len())));
        }
        let falls = rows[1].0 < rows[0].0;
        let ordered =
            |pair: &[(f64, [f64; 2])]| if falls { pair[1].0 < pair[0].0 } else { pair[0].0 < pair[1].0 };
        let line = |at: usize, expected| Reason::line(at + 2, rows[at].0, expected);
        if let Some(at) = rows.iter().position(|&(phase, sides)| !usable(phase, sides)) {
            return Err(line(at, USABLE));
        }
        if let Some(at) = rows.windows(2).position(|pair| !ordered(pair)) {
            return Err(line(at + 1, "phases must rise or fall all the way"));
        }
        let last = rows.len() - 1;
        if (rows[last].0 - rows[0].0).abs() > TAU {
            return Err(line(last, "phases may span one turn at most"));
        }
        if falls {
            rows.reverse();
        }
        Ok(Self { rows })
    }

    /// Least and largest phase, rad.
    pub fn range(&self) -> [f64; 2] {
        [self.rows[0].0, self.rows[self.rows.len() - 1].0]
    }

    /// Sides of the patch with a phase, and by how much that phase is missed: 0 within the range.
    pub fn sides(&self, phase: f64) -> ([f64; 2], f64) {
        let [from, to] = self.range();
        let wanted = within(phase, from);
        if wanted > to {
            let (below, above) = (turn(wanted - from), turn(wanted - to));
            let low = below.abs() < above.abs();
            let end = if low { 0 } else { self.rows.len() - 1 };
            return (self.rows[end].1, if low { below } else { above });
        }
        let next = self.rows.partition_point(|row| row.0 <= wanted).clamp(1, self.rows.len() - 1);
        let ((low, a), (high, b)) = (self.rows[next - 1], self.rows[next]);
        let t = (wanted - low) / (high - low);
        ([0, 1].map(|i| a[i] + t * (b[i] - a[i])), 0.0)
    }

    /// The patch with the phase nearest to one of those whose sides are within `limit` (m), and by how much it is missed; none where all are larger.
    pub fn within(&self, phase: f64, limit: f64) -> Option<([f64; 2], f64)> {
        let fits = |sides: &[f64; 2]| sides.iter().all(|side| *side <= limit * (1.0 + 1e-12));
        let between = self.rows.windows(2).flat_map(|pair| {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            // Where a side passes the limit.
            let crossing = move |i: usize| {
                let t = (limit - a[i]) / (b[i] - a[i]);
                (0.0..=1.0)
                    .contains(&t)
                    .then(|| (from + t * (to - from), [0, 1].map(|k| a[k] + t * (b[k] - a[k]))))
            };
            [crossing(0), crossing(1)].into_iter().flatten()
        });
        let (sides, off) = self.sides(phase);
        let itself = [(phase - off, sides)];
        let all = self.rows.iter().copied().chain(between).chain(itself).filter(|(_, sides)| fits(sides));
        let missed = all.map(|(found, sides)| (sides, turn(phase - found)));
        missed.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    }

    /// The rows: phase in rad, rising, and sides in m.
    pub fn rows(&self) -> &[(f64, [f64; 2])] {
        &self.rows
    }
}

/// Whether a row is one that sizes can be interpolated from without losing all digits.
fn usable(phase: f64, sides: [f64; 2]) -> bool {
    phase.abs() <= FARTHEST && sides.iter().all(|side| SIDES.contains(side))
}

/// Square patches on a grounded slab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatchModel {
    /// Hz.
    pub frequency: f64,
    /// D, m.
    pub cell: f64,
    /// Least g, m.
    pub gap: f64,
    /// h, m.
    pub height: f64,
    /// eps_r.
    pub permittivity: f64,
}

impl PatchModel {
    /// Phase of the reflection from patches with this side, rad.
    pub fn phase(&self, side: f64) -> f64 {
        let k = TAU * self.frequency / SPEED_OF_LIGHT;
        let (slab, effective) = (self.permittivity.sqrt(), (0.5 * (self.permittivity + 1.0)).sqrt());
        let alpha =
            k * effective * self.cell / PI * (1.0 / (0.5 * PI * (self.cell - side) / self.cell).sin()).ln();
        // Admittances of the two in parallel, over j: without losses the sum is a susceptance.
        let susceptance = 2.0 * alpha * effective / ETA_0 - slab / (ETA_0 * (k * slab * self.height).tan());
        // Gamma = (1 - j b)/(1 + j b).
        -2.0 * (ETA_0 * susceptance).atan()
    }

    /// The table from patches of a twentieth of the cell to those that leave the least gap.
    pub fn table(&self) -> Result<PhaseTable, Error> {
        const ROWS: usize = 400;
        let (small, large) = (0.05 * self.cell, self.cell - self.gap);
        let side = |i: usize| small + (large - small) * i as f64 / (ROWS - 1) as f64;
        let rows = (0..ROWS).map(|i| (self.phase(side(i)), [side(i); 2])).collect();
        let Self { cell, gap, height, permittivity, frequency } = self;
        let made = (*gap > 0.0 && large > small).then(|| PhaseTable::new(rows).ok()).flatten();
        made.ok_or_else(|| {
            let found = format!("cell {cell} m, least gap {gap} m, slab {height} m");
            let found = format!("{found}, permittivity {permittivity} at {frequency} Hz");
            Error::value("[layout.model]", found, "a patch whose phases fall as it grows")
        })
    }
}

/// A phase in the turn that begins at `from`.
pub(super) fn within(phase: f64, from: f64) -> f64 {
    from + (phase - from).rem_euclid(TAU)
}

/// The shorter way from one phase to another, -pi to pi.
pub(super) fn turn(phase: f64) -> f64 {
    (phase + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use files::case::Unread;

    const EXAMPLE: PatchModel =
        PatchModel { frequency: 14.25e9, cell: 10.5e-3, gap: 0.2e-3, height: 0.8e-3, permittivity: 2.2 };

    #[test]
    fn sizes_are_linear_between_rows_and_turns_do_not_count() {
        let table = PhaseTable::parse("phase_rad,width_m,height_m\n1,2e-3,4e-3\n\n3,4e-3,8e-3\n").unwrap();
        for turns in [-2.0, 0.0, 3.0] {
            let ([x, y], error) = table.sides(1.5 + turns * TAU);
            assert!((x - 2.5e-3).abs() < 1e-15 && (y - 5e-3).abs() < 1e-15 && error == 0.0, "{x} {y}");
        }
        assert_eq!(table.sides(3.0), ([4e-3, 8e-3], 0.0));
        assert_eq!(table.sides(1.0), ([2e-3, 4e-3], 0.0));
        let (sides, error) = table.sides(0.75);
        assert!(sides == [2e-3, 4e-3] && (error + 0.25).abs() < 1e-12, "{error}");
        let (sides, error) = table.sides(3.25);
        assert!(sides == [4e-3, 8e-3] && (error - 0.25).abs() < 1e-12, "{error}");
        // A height of 6 mm is that of 2 rad.
        let ([x, y], error) = table.within(2.5, 6e-3).unwrap();
        assert!(
            (x - 3e-3).abs() < 1e-12 && (y - 6e-3).abs() < 1e-12 && (error - 0.5).abs() < 1e-9,
            "{x} {y}"
        );
        let ([x, _], error) = table.within(1.5, 6e-3).unwrap();
        assert!((x - 2.5e-3).abs() < 1e-12 && error.abs() < 1e-12, "{x} {error}");
        assert_eq!(table.within(1.5, 3.9e-3), None);
    }

    #[test]
    fn tables_that_are_none_are_refused_by_line() {
        let refused = |text: &str| PhaseTable::parse(text).unwrap_err().to_string();
        assert!(refused("").starts_with("line 1"));
        assert!(refused("a,b,c\n").starts_with("line 1"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n2,x,3\n").starts_with("line 3"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n2,1,3,4\n").starts_with("line 3"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n2,0,3\n").starts_with("line 3"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\nnan,1,3\n").starts_with("line 3"));
        // Between sides so far apart nothing is left of the smaller one.
        assert!(refused("phase_rad,width_m,height_m\n0,1e16,3e-3\n1.5,3e-3,7e-3\n").starts_with("line 2"));
        assert!(refused("phase_rad,width_m,height_m\n1e9,2,3\n2,2,3\n").starts_with("line 2"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n2,2,3\n2,1,3\n").starts_with("line 4"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n9,2,3\n").contains("one turn"));
        assert!(refused("phase_rad,width_m,height_m\n1,2,3\n").contains("1 rows"));
        let unread = |path: &Path| match PhaseTable::load(path).unwrap_err().reason {
            Reason::Text(unread) => unread,
            other => panic!("{other}"),
        };
        assert!(matches!(unread(Path::new("/nowhere/t.csv")), Unread::System(_)));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![b'1'; MAX_BYTES as usize + 1]).unwrap();
        assert!(matches!(unread(file.path()), Unread::TooLarge(MAX_BYTES)));
    }

    #[test]
    fn the_example_resonates_and_spans_most_of_a_turn() {
        let table = EXAMPLE.table().unwrap();
        let [from, to] = table.range();
        println!("{} to {} degrees", from.to_degrees(), to.to_degrees());
        assert!(to - from > 5.0 && to - from < TAU);
        // Without patches the slab alone: Gamma of j eta_d tan(k_d h).
        let (k, n) = (TAU * 14.25e9 / SPEED_OF_LIGHT, 2.2f64.sqrt());
        let slab = PI - 2.0 * ((k * n * 0.8e-3).tan() / n).atan();
        assert!((EXAMPLE.phase(1e-9) - slab).abs() < 1e-6, "{slab}");
        // Phases fall as patches grow.
        assert!(table.rows.windows(2).all(|pair| pair[0].1[0] > pair[1].1[0]));
        assert!(PatchModel { gap: 0.0, ..EXAMPLE }.table().is_err());
        assert!(PatchModel { cell: f64::NAN, ..EXAMPLE }.table().is_err());
        assert!(PatchModel { gap: 1.0, ..EXAMPLE }.table().is_err());
    }
}
