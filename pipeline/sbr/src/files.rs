//! Files of radar cross-sections: CSV, NumPy archives and FEKO's `.ffe`.

use super::Direction;
use super::field::{Matrix, dbsm};
use files::Error;
use files::ffe::FarField;
use files::npz::NpzFile;
use num_complex::Complex;
use std::io::Write;
use std::path::Path;

/// Name, row and column in a matrix of each channel: received, then transmitted polarisation.
pub const CHANNELS: [(&str, usize, usize); 4] = [("hh", 1, 1), ("hv", 1, 0), ("vh", 0, 1), ("vv", 0, 0)];

/// Fields over directions and frequencies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cuts {
    /// Hz.
    pub frequencies: Vec<f64>,
    /// From z, degrees.
    pub theta_deg: Vec<f64>,
    /// From x towards y, degrees.
    pub phi_deg: Vec<f64>,
    /// Scattering matrices, m: `[theta][phi][frequency]`; fewer where not all directions are finished.
    pub fields: Vec<Matrix>,
}

impl Cuts {
    /// All directions, theta outermost.
    pub fn directions(&self) -> impl Iterator<Item = (f64, f64)> {
        self.theta_deg.iter().flat_map(|theta| self.phi_deg.iter().map(move |phi| (*theta, *phi)))
    }

    /// The same as directions for a plan.
    pub fn targets(&self) -> Vec<Direction> {
        self.directions().map(|(theta, phi)| Direction::degrees(theta, phi)).collect()
    }

    /// `frequency_hz,theta_deg,phi_deg` and the four channels in dBsm; frequencies outermost.
    pub fn write_csv(&self, path: &Path) -> Result<(), Error> {
        let names = CHANNELS.map(|(name, ..)| format!("sigma_{name}_dbsm")).join(",");
        files::atomic::write(path, |file| {
            writeln!(file, "frequency_hz,theta_deg,phi_deg,{names}")?;
            for (at, frequency) in self.frequencies.iter().enumerate() {
                let fields = self.fields.chunks(self.frequencies.len());
                for ((theta, phi), fields) in self.directions().zip(fields) {
                    let level = |(_, p, q): (&str, usize, usize)| format!("{:.6}", dbsm(fields[at][p][q]));
                    writeln!(file, "{frequency},{theta},{phi},{}", CHANNELS.map(level).join(","))?;
                }
            }
            Ok(())
        })
    }

    /// `frequency_hz`, `theta_deg`, `phi_deg` of every direction, and complex `hh`, `hv`, `vh`, `vv`
    /// `[direction][frequency]`.
    pub fn write_npz(&self, path: &Path) -> Result<(), Error> {
        // Fields of the first directions, where a run was interrupted.
        let done = self.fields.len() / self.frequencies.len();
        let (theta, phi): (Vec<f64>, Vec<f64>) = self.directions().take(done).unzip();
        let shape = [theta.len(), self.frequencies.len()];
        let mut file = NpzFile::create(path)?
            .add("frequency_hz", &[self.frequencies.len()], &self.frequencies)?
            .add("theta_deg", &[theta.len()], &theta)?
            .add("phi_deg", &[phi.len()], &phi)?;
        for (name, p, q) in CHANNELS {
            let values: Vec<Complex<f64>> = self.fields.iter().map(|field| field[p][q]).collect();
            file = file.add(name, &shape, &values)?;
        }
        file.finish()
    }

    /// FEKO's far-field file for one transmitted polarisation (0: v, 1: h) of 1 V/m: a block a frequency.
    pub fn write_ffe(&self, path: &Path, transmit: usize) -> Result<(), Error> {
        let Self { frequencies, theta_deg, phi_deg, fields } = self;
        let root = (4.0 * std::f64::consts::PI).sqrt();
        let row = |at: usize, i: usize, j: usize| {
            let field = &fields[(i * phi_deg.len() + j) * frequencies.len() + at];
            let both = [field[0][transmit], field[1][transmit]];
            let [v, h] = both.map(|part| part.norm_sqr());
            (both.map(|part| part / root), [v, h, v + h])
        };
        FarField { name: "Scattering", quantity: "RCS", frequencies, theta_deg, phi_deg }.write(path, &row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use files::npz::read_complex;

    fn cuts() -> Cuts {
        let entry = |i: usize| Complex::new(i as f64 + 1.0, -0.5);
        let fields = (0..12).map(|i| [[entry(i), entry(i + 20)], [entry(i + 40), entry(i + 60)]]).collect();
        Cuts {
            frequencies: vec![1e9, 2e9],
            theta_deg: vec![80.0, 90.0],
            phi_deg: vec![0.0, 1.0, 2.0],
            fields,
        }
    }

    #[test]
    fn files_have_every_direction_and_frequency_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let cuts = cuts();
        cuts.write_csv(&path("rcs.csv")).unwrap();
        let text = std::fs::read_to_string(path("rcs.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "frequency_hz,theta_deg,phi_deg,sigma_hh_dbsm,sigma_hv_dbsm,sigma_vh_dbsm,sigma_vv_dbsm"
        );
        assert_eq!(lines.len(), 13);
        // Second frequency, first theta, last phi: fields[5].
        let row: Vec<f64> = lines[9].split(',').map(|field| field.parse().unwrap()).collect();
        assert_eq!(row[..3], [2e9, 80.0, 2.0]);
        for (found, (_, p, q)) in row[3..].iter().zip(CHANNELS) {
            assert!((found - dbsm(cuts.fields[5][p][q])).abs() < 1e-6);
        }
        cuts.write_npz(&path("fields.npz")).unwrap();
        let (vh, shape) = read_complex(path("fields.npz"), "vh").unwrap();
        assert_eq!((vh[5], shape), (cuts.fields[5][0][1], vec![6, 2]));
        cuts.write_ffe(&path("h.ffe"), 1).unwrap();
        let text = std::fs::read_to_string(path("h.ffe")).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(' ')).collect();
        assert_eq!(rows.len(), 12);
        // Second block, last phi, first theta.
        let numbers: Vec<f64> = rows[10].split_whitespace().map(|word| word.parse().unwrap()).collect();
        let (v, h) = (cuts.fields[5][0][1], cuts.fields[5][1][1]);
        assert_eq!(numbers[..2], [80.0, 2.0]);
        assert!((numbers[8] / (v.norm_sqr() + h.norm_sqr()) - 1.0).abs() < 1e-8);
        assert!((numbers[2] * (4.0 * std::f64::consts::PI).sqrt() / v.re - 1.0).abs() < 1e-8);
    }
}
