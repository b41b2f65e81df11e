//! Uniaxial perfectly matched layers: elements beyond a box take up what leaves it, at any angle.
//!
//! ```text
//! s_i   = 1 + sigma_i/(a + jw),   sigma_i(x) = S_i (depth/thickness)^m,   S_i = -(m + 1) ln(R)/(2 thickness index)
//! jw (s_y s_z/s_x) eps E_x = (curl H)_x                                   and so on, for H as well
//!
//! dm_0/dt = E_x - a m_0                    f = E_x + sigma_y m_0
//! dm_1/dt = f - a m_1                      g = f + sigma_z m_1
//! dm_2/dt = g - (a + sigma_x) m_2
//! dE_x/dt = ... - sigma_y dm_0/dt - sigma_z dm_1/dt + sigma_x dm_2/dt
//! ```
//! Three memories for each component replace the products of s in time. They add nothing to fluxes, and are local to a node. The shift a keeps static fields, to which s without it is infinite, from growing with time
//! (Kuzuoglu and Mittra, 1996).
//!
//! sigma is one vector for each element, that of the middle of the box round it: an element of sigma that varies from node to node feeds fields, as the product with it is then not symmetric in the scalar product of the
//! element. Where elements fill cells between planes of the axes, as those of [`kuhn`](super::mesh::kuhn), steps of sigma lie in such planes, and the medium is matched at each of them; in meshes whose elements are not in
//! layers it is matched about as well as sigma varies from one to the next.

use super::mesh::Mesh;
use super::{Error, Material, State};
use crate::vec3::Vec3;

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
        Err(Error::Layers { layers: *self })
    }
}

/// Lower and upper corner of the box round some points.
fn bounds(points: impl Iterator<Item = Vec3>) -> (Vec3, Vec3) {
    let start = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
    points.fold(start, |(low, high), point| (low.min(point), high.max(point)))
}

/// What layers remember at a node: three memories of E and of H.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Memory {
    /// m_0, m_1 and m_2 of E, V.
    pub e: [Vec3; 3],
    /// Those of H, V.
    pub h: [Vec3; 3],
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
        let (low, high) = bounds(all.map(|vertex| mesh.volume().vertices[*vertex as usize]));
        let mut found = Self { shift: layers.shift, ..Self::default() };
        for element in 0..mesh.len() {
            let (from, to) = bounds(mesh.corners(element).into_iter());
            let sigma = layers.sigma((from + to) * 0.5, [low, high], medium);
            if sigma != Vec3::ZERO {
                found.elements.push(element as u32);
                found.sigma.push(sigma);
            }
        }
        if found.elements.is_empty() {
            Err(Error::NoLayers { low: low.to_array(), high: high.to_array() })
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
    fn one(&self, sigma: Vec3, field: Vec3, memory: &[Vec3; 3]) -> (Vec3, [Vec3; 3]) {
        let component = |x: usize| {
            let (y, z) = ((x + 1) % 3, (x + 2) % 3);
            let first = field[x] + sigma[y] * memory[0][x];
            let second = first + sigma[z] * memory[1][x];
            let rates = [
                field[x] - self.shift * memory[0][x],
                first - self.shift * memory[1][x],
                second - (self.shift + sigma[x]) * memory[2][x],
            ];
            (sigma[x] * rates[2] - sigma[y] * rates[0] - sigma[z] * rates[1], rates)
        };
        let all = [component(0), component(1), component(2)];
        let rates = [0, 1, 2].map(|kind| Vec3::from([0, 1, 2].map(|axis| all[axis].1[kind])));
        (Vec3::from([0, 1, 2].map(|axis| all[axis].0)), rates)
    }
}
