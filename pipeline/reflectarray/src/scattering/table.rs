//! Reflection between the phases and angles of a table.

use num_complex::Complex;
use std::f64::consts::TAU;

type C = Complex<f64>;

/// Reflection of an element against its phase and the angle of incidence.
///
/// Between phases, S exp(-j psi) is a cubic with the slopes of its neighbours, periodic over one turn; between angles it is a straight
/// line, and it is constant beyond the first and the last.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatteringTable {
    /// Phases, rad, rising, within one turn.
    pub phases: Vec<f64>,
    /// Angles of incidence off the normal, rad, rising.
    pub angles: Vec<f64>,
    /// Co-polar reflection, `[angle][phase]`.
    pub co: Vec<C>,
    /// Cross-polar reflection, `[angle][phase]`.
    pub cross: Vec<C>,
}

/// S, dS/dpsi and dS/dangle of one polarisation.
pub type Slopes = [C; 3];

impl ScatteringTable {
    pub(super) fn slopes(&self, values: &[C], phase: f64, incidence: f64) -> Slopes {
        let count = self.phases.len();
        let last = self.angles.len() - 1;
        let above = self.angles.partition_point(|angle| *angle <= incidence);
        let below = above.saturating_sub(1).min(last);
        let above = above.min(last);
        let width = self.angles[above] - self.angles[below];
        let part = if width > 0.0 { (incidence - self.angles[below]) / width } else { 0.0 };
        let [low, high] = [below, above].map(|angle| self.along(&values[angle * count..][..count], phase));
        let value = low[0] + (high[0] - low[0]) * part;
        let slope = low[1] + (high[1] - low[1]) * part;
        let tilt = if width > 0.0 { (high[0] - low[0]) / width } else { C::default() };
        let turn = C::from_polar(1.0, phase);
        [turn * value, turn * (slope + C::i() * value), turn * tilt]
    }

    /// S exp(-j psi) and its slope at one angle.
    fn along(&self, values: &[C], phase: f64) -> [C; 2] {
        let count = self.phases.len() as isize;
        let start = self.phases[0];
        let phase = start + (phase - start).rem_euclid(TAU);
        let at = self.phases.partition_point(|p| *p <= phase) as isize - 1;
        // Beyond the ends the table goes on a turn away.
        let node = |i: isize| {
            let p = self.phases[i.rem_euclid(count) as usize];
            let value = values[i.rem_euclid(count) as usize] * C::from_polar(1.0, -p);
            (p + TAU * i.div_euclid(count) as f64, value)
        };
        let [(p0, y0), (p1, y1), (p2, y2), (p3, y3)] = [-1, 0, 1, 2].map(|step| node(at + step));
        let h = p2 - p1;
        let (m1, m2) = ((y2 - y0) / (p2 - p0) * h, (y3 - y1) / (p3 - p1) * h);
        let t = (phase - p1) / h;
        let (square, cube) = (t * t, t * t * t);
        let value = y1 * (2.0 * cube - 3.0 * square + 1.0)
            + m1 * (cube - 2.0 * square + t)
            + y2 * (3.0 * square - 2.0 * cube)
            + m2 * (cube - square);
        let slope = (y1 - y2) * (6.0 * (square - t))
            + m1 * (3.0 * square - 4.0 * t + 1.0)
            + m2 * (3.0 * square - 2.0 * t);
        [value, slope / h]
    }
}
