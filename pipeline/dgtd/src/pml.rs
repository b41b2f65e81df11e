//! Uniaxial perfectly matched layers: elements beyond a box take up what leaves it, at any angle.
//!
//! ```text
//! s_i   = 1 + sigma_i/(a + jw),   sigma_i(x) = S_i (depth/thickness)^m,   S_i = -(m + 1) ln(R)/(2 thickness index)
//! jw (s_y s_z/s_x) eps E_x = (curl H)_x                                   and so on, for H as well
//!
//! s_y s_z/s_x = (p + sigma_y)(p + sigma_z)/(p (p + sigma_x)),   p = a + jw
//!
//! dm_0/dt = f E_x - a m_0
//! dm_1/dt = (g - sigma_x)(E_x + m_0) - (a + sigma_x) m_1
//! dE_x/dt = ... - dm_0/dt - dm_1/dt
//! ```
//! with f = sigma_y and g = sigma_z where neither of them is zero. Where one is, p cancels, a single pole is left, and f = 0, g = sigma_y + sigma_z: m_0 stays zero there. Thus two memories for each component of a field in a
//! corner of the layers, for one component along an edge of them, and one memory for all others replace the products of s in time. They add nothing to fluxes, and are local to a node. The shift a keeps static fields, to
//! which s without it is infinite, from growing with time (Kuzuoglu and Mittra, 1996).
//!
//! sigma is one vector for each element, that of the middle of the box round it: an element of sigma that varies from node to node feeds fields, as the product with it is then not symmetric in the scalar product of the
//! element. Where elements fill cells between planes of the axes, as those of [`kuhn`](super::mesh::kuhn), steps of sigma lie in such planes, and the medium is matched at each of them; in meshes whose elements are not in
//! layers it is matched about as well as sigma varies from one to the next.

use super::mesh::Mesh;
use super::{Error, Material, State};
use numerics::vec3::Vec3;

/// Where the layers begin and how strong they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layers {
    /// Lower corner of the box without layers, m.
    pub low: Vec3,
    /// Upper corner, m.
    pub high: Vec3,
    /// m: degree of the profile.
    pub degree: f64,
    /// R: what would come back at normal incidence from a wall behind layers without elements.
    pub reflection: f64,
    /// a, rad/m: below this wavenumber layers absorb less.
    pub shift: f64,
}

impl Layers {
    /// Cubic layers of reflection 1e-6 round a box, for wavelengths well below 60 times its longest side.
    pub fn new(low: Vec3, high: Vec3) -> Self {
        let longest = (high - low).to_array().into_iter().fold(0.0, f64::max);
        Self { low, high, degree: 3.0, reflection: 1e-6, shift: 0.1 / longest }
    }

    /// sigma at a place, 1/m, in a mesh between two corners.
    fn sigma(&self, place: Vec3, [low, high]: [Vec3; 2], medium: &Material) -> Vec3 {
        let along = |axis: usize| {
            let below = (self.low[axis] - place[axis], self.low[axis] - low[axis]);
            let above = (place[axis] - self.high[axis], high[axis] - self.high[axis]);
            let (depth, thickness) = if below.0 > above.0 { below } else { above };
            // Rounding of coordinates on the box must not make an element absorb.
            if depth <= 1e-9 * thickness.abs() || thickness <= 0.0 {
                return 0.0;
            }
            let strongest = -(self.degree + 1.0) * self.reflection.ln() * medium.speed() / (2.0 * thickness);
            strongest * (depth / thickness).powf(self.degree)
        };
        Vec3::new(along(0), along(1), along(2))
    }

    /// Refuses what absorbs nothing or makes no sense.
    pub fn validate(&self) -> Result<(), Error> {
        let is_box = (0..3).all(|axis| self.low[axis] < self.high[axis]);
        let is_strong = (0.0..1.0).contains(&self.reflection) && self.reflection > 0.0;
        let is_right =
            self.degree >= 0.0 && self.degree <= 8.0 && self.shift >= 0.0 && self.shift.is_finite();
        if is_box && is_strong && is_right && self.low.is_finite() && self.high.is_finite() {
            return Ok(());
        }
        let allowed = "the box needs an inside, the reflection must be between 0 and 1, the degree 0 to 8, and the shift a number that is not negative";
        Err(Error::value("matched layers", self, allowed))
    }
}

/// What layers remember at a node: two memories of E and of H.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Memory {
    /// m_0 and m_1 of E, V/m.
    pub e: [Vec3; 2],
    /// Those of H times the impedance of vacuum, V/m.
    pub h: [Vec3; 2],
}

/// Factors of one component of a field in an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// f: of the field in dm_0/dt, 1/m.
    pub first: f64,
    /// g - sigma_x: of the field and m_0 in dm_1/dt, 1/m.
    pub second: f64,
    /// sigma_x, 1/m.
    pub own: f64,
}

impl Factors {
    /// Of the component along an axis.
    pub fn new(sigma: Vec3, axis: usize) -> Self {
        let [own, y, z] = [0, 1, 2].map(|on| sigma[(axis + on) % 3]);
        let (first, last) = if y != 0.0 && z != 0.0 { (y, z) } else { (0.0, y + z) };
        Self { first, second: last - own, own }
    }
}

/// Layers in a mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Absorber {
    /// Elements in the layers, ascending.
    pub elements: Vec<u32>,
    /// sigma of each of them, 1/m.
    pub sigma: Vec<Vec3>,
    /// a, rad/m.
    pub shift: f64,
}

impl Absorber {
    /// Layers reach from their box to the sides of the mesh.
    pub fn new(layers: &Layers, mesh: &Mesh, medium: &Material) -> Result<Self, Error> {
        layers.validate()?;
        let all = mesh.volume().tetrahedra.iter().flatten();
        let (low, high) = Vec3::bounds(all.map(|vertex| mesh.volume().vertices[*vertex as usize]));
        let mut found = Self { shift: layers.shift, ..Self::default() };
        for element in 0..mesh.len() {
            let (from, to) = Vec3::bounds(mesh.corners(element));
            let sigma = layers.sigma((from + to) * 0.5, [low, high], medium);
            if sigma != Vec3::ZERO {
                found.elements.push(element as u32);
                found.sigma.push(sigma);
            }
        }
        if found.elements.is_empty() {
            let (given, low, high) = ([layers.low, layers.high], low.to_array(), high.to_array());
            let allowed =
                format!("no element is outside of it: the mesh reaches from {low:?} to {high:?} m only");
            Err(Error::value("the box without layers", given.map(Vec3::to_array), allowed))
        } else {
            Ok(found)
        }
    }

    /// sigma of an element, 1/m; zero outside the layers.
    pub fn sigma_of(&self, element: u32) -> Vec3 {
        self.elements.binary_search(&element).map_or(Vec3::ZERO, |at| self.sigma[at])
    }

    /// Adds what the layers do to the rates of the fields, and returns the rates of their memories.
    pub fn absorb(
        &self,
        nodes: usize,
        fields: &[State],
        memory: &[Memory],
        rates: &mut [State],
    ) -> Vec<Memory> {
        let places = self.elements.iter().zip(&self.sigma).flat_map(|(element, sigma)| {
            (0..nodes).map(move |node| (*element as usize * nodes + node, *sigma))
        });
        let each = places.zip(memory).map(|((at, sigma), memory)| {
            let (e, e_rates) = self.one(sigma, fields[at].e, &memory.e);
            let (h, h_rates) = self.one(sigma, fields[at].h, &memory.h);
            rates[at].e += e;
            rates[at].h += h;
            Memory { e: e_rates, h: h_rates }
        });
        each.collect()
    }

    /// What is added to the rate of a field, and the rates of its memories.
    fn one(&self, sigma: Vec3, field: Vec3, memory: &[Vec3; 2]) -> (Vec3, [Vec3; 2]) {
        let component = |x: usize| {
            let Factors { first, second, own } = Factors::new(sigma, x);
            [
                first * field[x] - self.shift * memory[0][x],
                second * (field[x] + memory[0][x]) - (self.shift + own) * memory[1][x],
            ]
        };
        let all = [component(0), component(1), component(2)];
        let rates = [0, 1].map(|kind| Vec3::from([0, 1, 2].map(|axis| all[axis][kind])));
        (-rates[0] - rates[1], rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    /// What memories do to a wave of one frequency is what the product of s does, on sides, edges and in corners.
    #[test]
    fn memories_stand_for_the_product_of_s() {
        let (w, shift) = (3.0, 0.7);
        let (jw, p) = (Complex64::new(0.0, w), Complex64::new(shift, w));
        let absorber = Absorber { shift, ..Absorber::default() };
        let field = Vec3::new(1.0, -2.0, 0.5);
        for bits in 1..8 {
            let sigma =
                Vec3::from([0, 1, 2].map(|axis| [2.0, 5.0, 11.0][axis] * f64::from(bits >> axis & 1)));
            let s = [0, 1, 2].map(|axis| 1.0 + sigma[axis] / p);
            let memory = [0, 1, 2].map(|axis| {
                let Factors { first, second, own } = Factors::new(sigma, axis);
                let m = first * field[axis] / p;
                [m, second * (field[axis] + m) / (p + own)]
            });
            let part = |of: fn(Complex64) -> f64, field: Vec3| {
                let memory = [0, 1].map(|kind| Vec3::from([0, 1, 2].map(|axis| of(memory[axis][kind]))));
                absorber.one(sigma, field, &memory)
            };
            let (real, imaginary) = (part(|z| z.re, field), part(|z| z.im, Vec3::ZERO));
            for axis in 0..3 {
                let product = s[(axis + 1) % 3] * s[(axis + 2) % 3] / s[axis];
                let added = Complex64::new(real.0[axis], imaginary.0[axis]);
                // Some ten roundings of numbers below 1e3.
                assert!((added + jw * (product - 1.0) * field[axis]).norm() < 1e-12, "{sigma:?} {axis}");
                for (kind, memory) in memory[axis].into_iter().enumerate() {
                    let rate = Complex64::new(real.1[kind][axis], imaginary.1[kind][axis]);
                    assert!((rate - jw * memory).norm() < 1e-12, "{sigma:?} {axis} {kind}");
                }
            }
        }
    }
}
