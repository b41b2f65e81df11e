//! What an element does to the wave that reaches it.

mod file;
mod table;

pub use table::{ScatteringTable, Slopes};

use super::{Error, Result};
use num_complex::Complex;
use std::f64::consts::TAU;

type C = Complex<f64>;

/// Reflection against the phase that an element was made for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Scattering {
    /// exp(j psi), nothing cross-polar.
    #[default]
    PhaseOnly,
    /// Measured or computed reflection.
    Table(ScatteringTable),
}

impl Scattering {
    /// Co-polar and cross-polar reflection.
    pub fn reflection(&self, phase: f64, incidence: f64) -> [C; 2] {
        self.slopes(phase, incidence).map(|[value, ..]| value)
    }

    /// The same with slopes.
    pub fn slopes(&self, phase: f64, incidence: f64) -> [Slopes; 2] {
        match self {
            Self::PhaseOnly => {
                let value = C::from_polar(1.0, phase);
                [[value, C::i() * value, C::default()], [C::default(); 3]]
            }
            Self::Table(table) => {
                [&table.co, &table.cross].map(|values| table.slopes(values, phase, incidence))
            }
        }
    }

    /// Refuses tables that are none.
    pub fn check(&self) -> Result<()> {
        let Self::Table(table) = self else { return Ok(()) };
        let ScatteringTable { phases, angles, co, cross } = table;
        let rising = |values: &[f64]| {
            values.iter().all(|x| x.is_finite()) && values.windows(2).all(|pair| pair[0] < pair[1])
        };
        let turn = phases.last().zip(phases.first()).is_some_and(|(last, first)| last - first < TAU);
        let finite = co.iter().chain(cross).all(|s| s.is_finite());
        let full = co.len() == phases.len() * angles.len() && cross.len() == co.len();
        if phases.len() < 3
            || angles.is_empty()
            || !(turn && full && finite && rising(phases) && rising(angles))
        {
            let [phases, angles, co, cross] = [phases.len(), angles.len(), co.len(), cross.len()];
            let values = format!("{co} co-polar and {cross} cross-polar values");
            let given = format!("scattering table of {phases} phases, {angles} angles, {values}");
            let allowed = "it needs three phases or more that rise within one turn, angles that rise, and a \
                           finite value of both polarisations for each pair";
            return Err(Error::invalid(given, allowed));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ScatteringTable {
        let phases: Vec<f64> = (0..24).map(|i| -3.0 + 0.26 * f64::from(i)).collect();
        let angles = vec![0.0, 0.3, 0.7];
        let loss =
            |angle: f64, phase: f64| C::new(0.9 - 0.1 * angle + 0.05 * phase.sin(), 0.02 * phase.cos());
        let all = || angles.iter().flat_map(|angle| phases.iter().map(move |phase| (*angle, *phase)));
        let co = all().map(|(angle, phase)| loss(angle, phase) * C::from_polar(1.0, phase)).collect();
        let cross = all().map(|(angle, phase)| C::from_polar(0.1 * angle, 2.0 * phase)).collect();
        ScatteringTable { phases: phases.clone(), angles: angles.clone(), co, cross }
    }

    #[test]
    fn tables_are_met_at_their_nodes_and_slopes_are_slopes() {
        let table = table();
        let scattering = Scattering::Table(table.clone());
        scattering.check().unwrap();
        for (angle, row) in table.angles.iter().zip(table.co.chunks_exact(24)) {
            for (phase, expected) in table.phases.iter().zip(row) {
                for turns in [-1.0, 0.0, 2.0] {
                    let [co, _] = scattering.reflection(phase + turns * TAU, *angle);
                    assert!((co - expected).norm() < 1e-13, "{phase} {angle}");
                }
            }
        }
        let step = 1e-5;
        for (phase, angle) in [(-3.05, 0.1), (-0.45, 0.5), (2.9, 0.69), (3.1, 0.2), (0.123, 1.0)] {
            let both = scattering.slopes(phase, angle);
            let at = |phase, angle| scattering.reflection(phase, angle);
            for (part, [_, by_phase, by_angle]) in both.iter().enumerate() {
                let differences =
                    (at(phase + step, angle)[part] - at(phase - step, angle)[part]) / (2.0 * step);
                // The cubic's second derivative jumps by about 1 at nodes, none of which is near.
                assert!((differences - by_phase).norm() < 1e-9, "{part}: {phase}");
                let differences =
                    (at(phase, angle + step)[part] - at(phase, angle - step)[part]) / (2.0 * step);
                assert!((differences - by_angle).norm() < 1e-9, "{part}: {angle}");
            }
        }
    }

    #[test]
    fn damaged_tables_are_refused() {
        let damages: [fn(&mut ScatteringTable); 6] = [
            |t| t.phases.truncate(2),
            |t| t.phases[1] = t.phases[0],
            |t| t.angles.clear(),
            |t| t.angles[1] = f64::NAN,
            |t| t.cross.truncate(5),
            |t| t.co[3].re = f64::INFINITY,
        ];
        for damage in damages {
            let mut table = table();
            damage(&mut table);
            let refused = Scattering::Table(table).check().unwrap_err().to_string();
            assert!(refused.starts_with("scattering table of "), "{refused}");
        }
    }
}
