//! Far fields as FEKO's `.ffe`, format 8.

use crate::{Error, atomic};
use num_complex::Complex;
use std::io::Write;
use std::path::Path;

/// Fields over a grid of angles, at some frequencies.
pub struct FarField<'a> {
    /// Of the configuration.
    pub name: &'a str,
    /// What is given beside the fields: `Directivity` or `RCS`.
    pub quantity: &'a str,
    /// Hz, a block each.
    pub frequencies: &'a [f64],
    /// From z, degrees.
    pub theta_deg: &'a [f64],
    /// From x towards y, degrees.
    pub phi_deg: &'a [f64],
}

/// E_theta and E_phi, V, and the quantity of each and of both, at a direction.
pub type Row = ([Complex<f64>; 2], [f64; 3]);

impl FarField<'_> {
    /// Writes the file; `row` has the fields by the numbers of frequency, theta and phi.
    pub fn write(&self, path: &Path, row: &dyn Fn(usize, usize, usize) -> Row) -> Result<(), Error> {
        atomic::write(path, |file| self.blocks(file, row))
    }

    fn blocks(&self, file: &mut impl Write, row: &dyn Fn(usize, usize, usize) -> Row) -> std::io::Result<()> {
        let Self { quantity, theta_deg, phi_deg, .. } = self;
        // A name may hold anything; a line of the header may not.
        let name: String = self.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let version = env!("CARGO_PKG_VERSION");
        writeln!(file, "##File Type: Far Field\n##File Format: 8\n##Source: nearfield {version}")?;
        for (at, frequency) in self.frequencies.iter().enumerate() {
            writeln!(file, "\n#Configuration Name: {name}\n#Request Name: FarField")?;
            writeln!(file, "#Frequency: {frequency:E}\n#Coordinate System: Spherical")?;
            writeln!(file, "#No. of Theta Samples: {}", theta_deg.len())?;
            writeln!(file, "#No. of Phi Samples: {}", phi_deg.len())?;
            writeln!(file, "#Result Type: {quantity}\n#No. of Header Lines: 1")?;
            let parts = ["Theta", "Phi", "Total"].map(|part| format!(r#""{quantity}({part})""#)).join(" ");
            let fields = r#""Re(Etheta)" "Im(Etheta)" "Re(Ephi)" "Im(Ephi)""#;
            writeln!(file, r#"# "Theta" "Phi" {fields} {parts}"#)?;
            for (j, phi) in phi_deg.iter().enumerate() {
                for (i, theta) in theta_deg.iter().enumerate() {
                    let ([along, across], [a, b, both]) = row(at, i, j);
                    let numbers = [*theta, *phi, along.re, along.im, across.re, across.im, a, b, both];
                    let line: String = numbers.iter().map(|number| format!("{number:>18.8E}")).collect();
                    writeln!(file, "{line}")?;
                }
            }
        }
        Ok(())
    }
}
