//! Physical optics: what a tube that leaves the target radiates, the paper's eq. 3 with f_e = f_h = 1/2.
//! ```text
//! E_p r exp(jkr) = -jk/(4 pi) n.[ (k_r x E) x p + (s x p) x E ] I          p: polarisation of the receiver, s: direction to it
//! I = exp(-jk path) integral over the footprint of exp(jk (s.r' - k_r.(r' - r))) dS
//! ```
//! n is the normal of the last facet, k_r the direction of the tube, r where its centre leaves, E the field
//! there without its phase. On a parallelogram of sides U and V the integral is exp(jk s.r) |U x V| sinc(k (s
//! - k_r).U/2) sinc(k (s - k_r).V/2); on another polygon [`polygon`] has it.

use super::field::{C, Matrix, Receiver};
use super::path::{Bounce, Exit};
use numerics::special::sinc;
use numerics::vec3::Vec3;

/// A field or anything else complex with three components.
pub type Complex3 = [C; 3];

/// The vector g of n.[ (k_r x E) x p + (s x p) x E ] = g . E for both polarisations of the receiver.
fn patterns(exit: &Exit, receiver: &Receiver) -> [Vec3; 2] {
    let (n, k) = (exit.normal, exit.direction);
    receiver.polarisations.map(|p| {
        // Triple products: n.((k x E) x p) = E.((p x n) x k), and n.((s x p) x E) = E.(n x (s x p)).
        p.cross(n).cross(k) + n.cross(receiver.sight.cross(p))
    })
}

/// Pattern of a tube whose field is real, for both transmitted polarisations.
pub fn real_pattern(exit: &Exit, fields: &[Vec3; 2], receiver: &Receiver) -> [[f64; 2]; 2] {
    patterns(exit, receiver).map(|g| fields.map(|field| g.dot(field)))
}

/// Pattern of a tube, for both transmitted polarisations.
pub fn complex_pattern(exit: &Exit, fields: &[Complex3; 2], receiver: &Receiver) -> Matrix {
    patterns(exit, receiver).map(|g| fields.map(|[x, y, z]| x * g.x + y * g.y + z * g.z))
}

/// The field of a perfect conductor's reflections: E_r = -E + 2 (n.E) n at each.
pub fn conducted(field: Vec3, bounces: &[Bounce]) -> Vec3 {
    bounces.iter().fold(field, |field, bounce| -field.mirrored(bounce.normal))
}

/// One reflection with the paper's eq. 1.
pub fn reflected(field: &Complex3, bounce: &Bounce, across: C, along: C) -> Complex3 {
    let (k, n) = (bounce.incoming, bounce.normal);
    let normal_incidence = k.cross(n);
    // At normal incidence any direction across will do.
    let e_across = if normal_incidence.dot(normal_incidence) > 1e-24 {
        normal_incidence.unit()
    } else {
        let axis = if n.x.abs() < 0.5 { Vec3::new(1.0, 0.0, 0.0) } else { Vec3::new(0.0, 1.0, 0.0) };
        n.cross(axis).unit()
    };
    let (e_in, e_out) = (k.cross(e_across), k.mirrored(n).cross(e_across));
    let dot = |e: Vec3| field[0] * e.x + field[1] * e.y + field[2] * e.z;
    let (a, b) = (across * dot(e_across), along * dot(e_in));
    [a * e_across.x + b * e_out.x, a * e_across.y + b * e_out.y, a * e_across.z + b * e_out.z]
}

/// Lengths of which the integral over a footprint is made, m; frequency comes in later.
#[derive(Debug, Clone, Copy)]
pub struct Footprint {
    /// |U x V|, m^2.
    pub area: f64,
    /// path - s.r
    pub path: f64,
    /// (s - k_r).U/2
    pub u: f64,
    /// (s - k_r).V/2
    pub v: f64,
}

impl Footprint {
    /// Of a tube with sides of `size` whole ones, towards a receiver.
    pub fn new(exit: &Exit, sight: Vec3, size: f64) -> Self {
        let slope = (sight - exit.direction) * (0.5 * size);
        Self {
            area: exit.u.cross(exit.v).length() * size * size,
            path: exit.path - sight.dot(exit.place),
            u: slope.dot(exit.u),
            v: slope.dot(exit.v),
        }
    }

    /// I at wavenumber `k`, rad/m.
    pub fn integral(&self, k: f64) -> C {
        C::from_polar(self.area * sinc(k * self.u) * sinc(k * self.v), -k * self.path)
    }
}

/// Below this phase across a polygon its integral by edges loses digits; the other rule is then right to its
/// cube over 50.
const SMALL_PHASE: f64 = 1e-3;

/// Integral of exp(j w.r) over a flat polygon with unit normal `n`, counterclockwise about it: Gordon's
/// formula.
pub fn polygon(corners: &[Vec3], n: Vec3, w: Vec3) -> C {
    let flat = w - n * n.dot(w);
    let edges = || corners.iter().zip(corners.iter().cycle().skip(1));
    let longest = edges().map(|(a, b)| (*b - *a).length()).fold(0.0, f64::max);
    if flat.length() * longest < SMALL_PHASE {
        return small_polygon(corners, n, w);
    }
    let sum: C = edges()
        .map(|(a, b)| {
            let edge = *b - *a;
            let middle = (*a + *b) * 0.5;
            C::from_polar(flat.dot(edge.cross(n)) * sinc(0.5 * w.dot(edge)), w.dot(middle))
        })
        .sum();
    sum / C::new(0.0, flat.dot(flat))
}

/// The same where the phase hardly varies: triangles from the first corner, each by the middles of its sides.
fn small_polygon(corners: &[Vec3], n: Vec3, w: Vec3) -> C {
    let Some((first, rest)) = corners.split_first() else { return C::default() };
    let wave = |a: Vec3, b: Vec3| C::from_polar(1.0, 0.5 * w.dot(a + b));
    rest.windows(2)
        .map(|pair| {
            let area = 0.5 * n.dot((pair[0] - *first).cross(pair[1] - *first));
            (wave(*first, pair[0]) + wave(pair[0], pair[1]) + wave(pair[1], *first)) * (area / 3.0)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64) -> [Vec3; 4] {
        let h = 0.5 * side;
        [(-h, -h), (h, -h), (h, h), (-h, h)].map(|(x, y)| Vec3::new(x, y, 0.3))
    }

    #[test]
    fn a_polygon_is_the_product_of_sincs_on_a_square() {
        let n = Vec3::new(0.0, 0.0, 1.0);
        // From far below the change of rule to far above it.
        for scale in [0.0, 1e-6, 3e-4, 9e-4, 1.1e-3, 1e-2, 1.0, 30.0] {
            let w = Vec3::new(0.6, -0.8, 1.7) * scale;
            let expected = C::from_polar(sinc(0.5 * w.x) * sinc(0.5 * w.y), 0.3 * w.z);
            let apart = (polygon(&square(1.0), n, w) - expected).norm();
            // Gordon's formula divides rounding by the square of the phase: 2^-52/1e-6.
            assert!(apart < 1e-9, "{scale}: {apart:e}");
        }
    }

    #[test]
    fn a_polygon_along_an_edge_has_no_singularity() {
        let n = Vec3::new(0.0, 0.0, 1.0);
        let w = Vec3::new(0.0, 5.0, 0.0);
        let apart = polygon(&square(1.0), n, w) - C::new(sinc(2.5), 0.0);
        assert!(apart.norm() < 1e-12);
    }

    #[test]
    fn the_paper_s_coefficients_of_a_conductor_are_its_reflection() {
        let n = Vec3::new(0.2, -0.3, 0.9).unit();
        for incoming in [Vec3::new(0.5, 0.1, -0.8).unit(), -n] {
            let bounce = Bounce { facet: 0, incoming, normal: n };
            let field = incoming.cross(Vec3::new(0.3, 0.7, 0.1)).unit();
            let expected = conducted(field, &[bounce]).to_array();
            let complex = field.to_array().map(|x| C::new(x, 0.0));
            let found = reflected(&complex, &bounce, C::new(-1.0, 0.0), C::new(1.0, 0.0));
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).norm() < 1e-14));
            // The field across the surface cancels the incident one, and stays across the ray.
            let total = conducted(field, &[bounce]) + field;
            assert!((total - n * n.dot(total)).length() < 1e-14);
            assert!(conducted(field, &[bounce]).dot(incoming.mirrored(n)).abs() < 1e-14);
        }
    }
}
