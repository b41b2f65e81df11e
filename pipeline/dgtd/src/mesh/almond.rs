//! The EMCC almond in a box, without a mesher.
//!
//! ```text
//! s     = unit vector along (2 tan u, tan v, tan w)              u, v, w: -45 to 45 degrees over the box
//! x/d   = 0.583333 (1 - 2 acos(s_x)/pi) or 0.416667 s_x          where s_x > 0 or not
//! y + j (a_y/a_z) z = a_y exp(j atan2(s_z, s_y))                 a_y, a_z: half axes at x
//! ```
//! The surface of the box goes over to that of the almond in shells. Near the tip x falls in proportion to the angle, so that triangles of the cone there are about as long as others; the factor 2 leaves more of the length to the four long
//! sides of the box. Flat triangles lie inside the almond: y and z are multiplied until the solid has its volume.

use super::named::point;
use super::shells::{Built, Shell};
use crate::Error;
use mesh::Volume;
use mesh::shapes::{ALMOND_BACK, ALMOND_TIP, almond_half_axes};
use numerics::vec3::Vec3;
use serde::Deserialize;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_4, PI};

/// How much longer than wide the box is for directions.
const STRETCH: f64 = 2.0;

/// Most elements, before those outside a quarter are left out: some 10 GB.
const MOST: f64 = 5e7;

/// Groups of tetrahedra.
pub const GROUPS: [&str; 2] = ["scattered", "total"];

/// Groups of faces: the almond, and the planes of a quarter.
pub const SURFACES: [&str; 3] = ["surface", "y_min", "z_min"];

/// What is built: the almond about the x axis, its tip towards +x, wide along y and flat along z.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Almond {
    /// d, m.
    #[serde(rename = "length_m")]
    pub length: f64,
    /// Lower corner of the box with the total field, m.
    #[serde(rename = "low_m", deserialize_with = "point")]
    pub low: Vec3,
    /// Upper corner, m.
    #[serde(rename = "high_m", deserialize_with = "point")]
    pub high: Vec3,
    /// Cells along the edges of the box, even along y and z.
    pub cells: [usize; 3],
    /// Shells between the box and the almond.
    pub shells: usize,
    /// Cells outside the box, on each side.
    pub outside: usize,
    /// Whether only y > 0, z > 0 is built.
    #[serde(default)]
    pub quarter: bool,
}

impl Almond {
    /// Elements with the groups of [`GROUPS`] and [`SURFACES`].
    pub fn volume(&self) -> Result<Volume, Error> {
        self.validate()?;
        let mut built = Built::new([self.low, self.high], self.cells, self.outside);
        built.volume.names = GROUPS.map(String::from).to_vec();
        let (mut shell, triangles) = built.surface();
        let places = self.places(&shell, &triangles);
        built.shells(&mut shell, &places, &triangles, self.shells, 1);
        let faces = triangles.iter().map(|triangle| triangle.map(|at| shell.numbers[at]));
        let symmetry: &[usize] = if self.quarter { &[1, 2] } else { &[] };
        Ok(built.finished(faces.collect(), symmetry, &SURFACES))
    }

    fn validate(&self) -> Result<(), Error> {
        let [x, y, z] = self.cells;
        let all: f64 = self.cells.iter().map(|count| (count + 2 * self.outside) as f64).product();
        let sides = (x * y + y * z + z * x) as f64;
        // Six in a cell, and three below each of two triangles of six sides.
        let elements = 6.0 * all + 12.0 * sides * self.shells as f64;
        let counts = [x, y, z, self.shells, self.outside];
        let is_even = y.is_multiple_of(2) && z.is_multiple_of(2);
        let (half_y, half_z) = almond_half_axes(0.0);
        let inner = [[ALMOND_BACK, ALMOND_TIP], [-half_y, half_y], [-half_z, half_z]];
        let is_inside = (0..3).all(|axis| {
            let [low, high] = inner[axis].map(|end| 1.05 * self.length * end);
            low > self.low[axis] && high < self.high[axis]
        });
        let is_symmetric = !self.quarter
            || (1..3).all(|axis| (self.low[axis] + self.high[axis]).abs() < 1e-9 * self.high[axis]);
        let is_finite = self.length > 0.0 && self.low.is_finite() && self.high.is_finite();
        if counts.iter().all(|count| *count > 0)
            && elements < MOST
            && is_even
            && is_inside
            && is_symmetric
            && is_finite
        {
            return Ok(());
        }
        let allowed = format!(
            "the box must hold the almond with a twentieth to spare, and lie alike on both sides of the planes of a quarter; cells along y and z must be even, all counts at least 1, elements fewer than {MOST}"
        );
        Err(Error::value("the almond", self, allowed))
    }

    /// Where the points of the box are on the almond.
    fn places(&self, shell: &Shell, triangles: &[[usize; 3]]) -> Vec<Vec3> {
        let flat: Vec<Vec3> = shell.places.iter().map(|place| self.place(*place)).collect();
        // Triangles are not the same in all quarters.
        let is_here = |corners: &[Vec3; 3]| {
            let sum = corners[0] + corners[1] + corners[2];
            !self.quarter || (sum.y > 0.0 && sum.z > 0.0)
        };
        let volume = |[a, b, c]: [Vec3; 3]| a.dot(b.cross(c)).abs() / 6.0;
        let corners = triangles.iter().map(|triangle| triangle.map(|at| flat[at])).filter(is_here);
        let parts = if self.quarter { 4.0 } else { 1.0 };
        let solid = parts * corners.map(volume).sum::<f64>();
        let wider = (volume_of_almond() * self.length.powi(3) / solid).sqrt();
        flat.into_iter().map(|place| Vec3::new(place.x, wider * place.y, wider * place.z)).collect()
    }

    fn place(&self, place: [usize; 3]) -> Vec3 {
        let tangent =
            |axis: usize| (FRAC_PI_4 * (2.0 * place[axis] as f64 / self.cells[axis] as f64 - 1.0)).tan();
        let s = Vec3::new(STRETCH * tangent(0), tangent(1), tangent(2)).unit();
        let is_end = s.y == 0.0 && s.z == 0.0;
        let t =
            if s.x > 0.0 { ALMOND_TIP * (1.0 - FRAC_2_PI * s.x.min(1.0).acos()) } else { -ALMOND_BACK * s.x };
        // The coefficients leave 1e-7 of a radius at the tip.
        let (y, z) = if is_end { (0.0, 0.0) } else { almond_half_axes(t) };
        let across = s.y.hypot(s.z).max(f64::MIN_POSITIVE);
        Vec3::new(t, y * s.y / across, z * s.z / across) * self.length
    }
}

/// Volume over d^3: half an ellipsoid, and Simpson's rule over the ellipses of the other part.
fn volume_of_almond() -> f64 {
    const PARTS: usize = 200;
    let area = |t: f64| {
        let (y, z) = almond_half_axes(t);
        PI * y * z
    };
    let step = ALMOND_TIP / PARTS as f64;
    let pair = |i: usize| {
        let t = 2.0 * i as f64 * step;
        area(t) + 4.0 * area(t + step) + area(t + 2.0 * step)
    };
    let front: f64 = (0..PARTS / 2).map(pair).sum::<f64>() * step / 3.0;
    // The two formulas differ at x = 0 by the rounding of their coefficients.
    front - 2.0 / 3.0 * ALMOND_BACK * area(-1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::quality::quality;
    use crate::mesh::{Mesh, conformity};

    fn almond(quarter: bool) -> Almond {
        Almond {
            length: 1.0,
            low: Vec3::new(-0.55, -0.3, -0.18),
            high: Vec3::new(0.72, 0.3, 0.18),
            cells: [10, 6, 4],
            shells: 2,
            outside: 2,
            quarter,
        }
    }

    /// Positive elements without gaps, whose hollow has the volume of the almond; a quarter is a quarter.
    #[test]
    fn a_box_has_an_almond_less() {
        for quarter in [false, true] {
            let almond = almond(quarter);
            let mesh = Mesh::new(almond.volume().unwrap()).unwrap();
            conformity::check(&mesh).unwrap();
            let found = quality(&mesh, |_| 1.0);
            let part = if quarter { 0.25 } else { 1.0 };
            let cell = [0, 1, 2].map(|axis| (almond.high - almond.low)[axis] / almond.cells[axis] as f64);
            let sides = [0, 1, 2].map(|axis| cell[axis] * (almond.cells[axis] + 2 * almond.outside) as f64);
            let all: f64 = sides.iter().product();
            assert!(
                (found.volume / part - (all - volume_of_almond())).abs() < 1e-12 * all,
                "{}",
                found.volume
            );
            let groups = mesh.volume().face_groups.iter();
            let surface = groups.filter(|group| **group == 0).count();
            assert_eq!(surface as f64, part * 4.0 * (10 * 6 + 6 * 4 + 4 * 10) as f64);
        }
        // Simpson's rule of the whole against a fine one of ellipses: pi times the sum of their half axes' products.
        let fine: f64 = (0..100_000)
            .map(|i| {
                let (y, z) = almond_half_axes(ALMOND_BACK + (i as f64 + 0.5) * 1e-5);
                PI * y * z * 1e-5
            })
            .sum();
        assert!((volume_of_almond() / fine - 1.0).abs() < 1e-5);
    }

    #[test]
    fn boxes_that_do_not_hold_it_are_refused() {
        let wrong = [
            Almond { length: 1.3, ..almond(false) },
            Almond { length: f64::NAN, ..almond(false) },
            Almond { cells: [10, 5, 4], ..almond(false) },
            Almond { shells: 0, ..almond(false) },
            Almond { cells: [10_000, 1000, 1000], ..almond(false) },
            Almond { high: Vec3::new(0.72, 0.4, 0.18), ..almond(true) },
        ];
        assert!(
            wrong.iter().all(
                |almond| matches!(almond.volume(), Err(Error::Value { what, .. }) if what == "the almond")
            )
        );
    }
}
