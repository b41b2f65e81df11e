//! The files of a design: elements as CSV, in and out, and far fields as FEKO's `.ffe`.

use super::csv;
use super::model::Elements;
use files::ffe;
use num_complex::Complex;
use std::io::Write;
use std::path::Path;

const HEADER: &str = "x_m,y_m,phase_rad";
/// Largest file of elements in bytes: a hundred for each of the most.
const MAX_BYTES: u64 = 100 * super::case::MOST_ELEMENTS as u64;

/// Writes `x_m,y_m,phase_rad`, a line an element, with all digits.
pub fn write_elements(path: &Path, elements: &Elements) -> Result<(), files::Error> {
    let mut rows = elements.x.iter().zip(&elements.y).zip(&elements.phase);
    files::atomic::write(path, |file| {
        writeln!(file, "{HEADER}")?;
        rows.try_for_each(|((x, y), phase)| writeln!(file, "{x},{y},{phase}"))
    })
}

/// Reads what [`write_elements`] writes, or anybody else.
pub fn read_elements(path: &Path) -> Result<Elements, csv::Error> {
    csv::load(path, MAX_BYTES, |text| {
        let mut elements = Elements::default();
        for (_, [x, y, phase]) in csv::rows(text, HEADER, "three finite numbers are expected")? {
            elements.x.push(x);
            elements.y.push(y);
            elements.phase.push(phase);
        }
        Ok(elements)
    })
}

/// A far field over a grid of angles.
#[derive(Debug, Clone, PartialEq)]
pub struct FarField {
    /// Hz.
    pub frequency: f64,
    /// Angles off the aperture's normal, degrees.
    pub theta_deg: Vec<f64>,
    /// Angles from x towards y, degrees.
    pub phi_deg: Vec<f64>,
    /// Co-polar field at r exp(j beta r) = 1, `[phi][theta]`.
    pub co: Vec<Complex<f64>>,
    /// Cross-polar field.
    pub cross: Vec<Complex<f64>>,
    /// Power through the hemisphere over 2 pi: D = 2 |E|^2/P.
    pub power: f64,
}

impl FarField {
    /// u and v of all directions, `[phi][theta]`.
    pub fn directions(theta_deg: &[f64], phi_deg: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let all = phi_deg.iter().flat_map(|phi| theta_deg.iter().map(move |theta| (theta, phi)));
        all.map(|(theta, phi)| {
            let (sine, (y, x)) = (theta.to_radians().sin(), phi.to_radians().sin_cos());
            (sine * x, sine * y)
        })
        .unzip()
    }

    /// Writes the field as FEKO's far-field file. The co-polar component is Ludwig's third for x:
    /// E_theta = co cos(phi) + cross sin(phi), E_phi = cross cos(phi) - co sin(phi).
    pub fn write_ffe(&self, path: &Path, name: &str) -> Result<(), files::Error> {
        let Self { frequency, theta_deg, phi_deg, co, cross, power } = self;
        let row = |_: usize, i: usize, j: usize| {
            let (sin, cos) = phi_deg[j].to_radians().sin_cos();
            let (co, cross) = (co[j * theta_deg.len() + i], cross[j * theta_deg.len() + i]);
            let both = [co * cos + cross * sin, cross * cos - co * sin];
            let [t, p] = both.map(|part| part.norm_sqr());
            let dbi = |squared: f64| 10.0 * (2.0 * squared / power).max(1e-30).log10();
            (both, [t, p, t + p].map(dbi))
        };
        let frequencies = std::slice::from_ref(frequency);
        ffe::FarField { name, quantity: "Directivity", frequencies, theta_deg, phi_deg }.write(path, &row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_read_back_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("elements.csv");
        let mut elements = Elements::grid(7, 5, 0.1 / 3.0);
        elements.phase.iter_mut().enumerate().for_each(|(at, phase)| *phase = (at as f64).sqrt() - 3.0);
        write_elements(&path, &elements).unwrap();
        assert_eq!(read_elements(&path).unwrap(), elements);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("x_m,y_m,phase_rad\n"));
    }

    #[test]
    fn files_that_are_none_are_refused_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("elements.csv");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_elements(&path).unwrap_err().to_string()
        };
        assert!(refused("").contains("line 1"));
        assert!(refused("x,y\n").contains("line 1"));
        assert!(refused("x_m,y_m,phase_rad\n1,2,3\n\n1,2\n").contains("line 4"));
        assert!(refused("x_m,y_m,phase_rad\n1,2,3,4\n").contains("line 2"));
        assert!(refused("x_m,y_m,phase_rad\n1,nan,3\n").contains("line 2"));
        let missing = read_elements(&folder.path().join("no.csv")).unwrap_err().reason;
        assert!(matches!(missing, csv::Reason::Text(files::case::Unread::System(_))));
    }

    #[test]
    fn far_fields_have_their_components_and_directivity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ffe");
        let (theta_deg, phi_deg) = (vec![0.0, 10.0], vec![0.0, 90.0, 180.0]);
        let (u, v) = FarField::directions(&theta_deg, &phi_deg);
        assert!((v[3] - 10f64.to_radians().sin()).abs() < 1e-15 && u[3].abs() < 1e-15 && u[5] < 0.0);
        let co = vec![Complex::new(3.0, 4.0); 6];
        let field = FarField {
            frequency: 14.25e9,
            theta_deg,
            phi_deg,
            co,
            cross: vec![Complex::default(); 6],
            power: 0.5,
        };
        field.write_ffe(&path, "two\nlines").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("#Frequency: 1.425E10\n") && text.contains("#Configuration Name: two lines\n"));
        let rows: Vec<Vec<f64>> = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(|line| line.split_whitespace().map(|n| n.parse().unwrap()).collect())
            .collect();
        assert_eq!((rows.len(), rows[0].len()), (6, 9));
        // At phi = 0 the co-polar field is along theta, at 90 degrees against phi; 2 x 25/0.5 is 20 dBi.
        assert!(
            (rows[0][2] - 3.0).abs() < 1e-7 && rows[0][4].abs() < 1e-7 && (rows[0][8] - 20.0).abs() < 1e-6
        );
        assert!(
            (rows[3][4] + 3.0).abs() < 1e-7 && rows[3][2].abs() < 1e-7 && (rows[3][1] - 90.0).abs() < 1e-7
        );
    }
}
