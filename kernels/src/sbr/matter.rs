//! What facets are made of, as `cuda/sbr_matter.cuh` reads it.

use crate::calls;
use crate::error::{Error, at_least, same, size32};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::program::Signature;
use crate::stream::Stream;

/// Most bounces of a ray, as in the source.
pub const MOST_BOUNCES: usize = 64;

/// Materials of all facets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matter {
    /// Where the material of each facet begins among the numbers, in the order of leaves.
    firsts: Vec<u32>,
    numbers: Vec<f64>,
    /// Where each material begins.
    materials: Vec<u32>,
}

/// What lies below all layers; real and imaginary parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Below {
    /// Surface impedance over that of free space; 0 is a perfect conductor.
    Impedance([f64; 2]),
    /// Relative permittivity and permeability of matter without end.
    HalfSpace([[f64; 2]; 2]),
}

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coat {
    /// Relative; real and imaginary part.
    pub permittivity: [f64; 2],
    /// Relative.
    pub permeability: [f64; 2],
    /// m
    pub thickness: f64,
}

impl Matter {
    /// Adds a material with its layers from the outermost inwards.
    pub fn push(&mut self, below: Below, layers: &[Coat]) -> Result<(), Error> {
        self.materials.push(size32("numbers of materials", self.numbers.len())?);
        let (half_space, [one, other]) = match below {
            Below::Impedance(impedance) => (0.0, [impedance, [0.0; 2]]),
            Below::HalfSpace(both) => (1.0, both),
        };
        self.numbers.extend([layers.len() as f64, half_space, one[0], one[1], other[0], other[1]]);
        for Coat { permittivity: [a, b], permeability: [c, d], thickness } in layers.iter().rev() {
            self.numbers.extend([*a, *b, *c, *d, *thickness]);
        }
        Ok(())
    }

    /// Adds facets, each of the material with such a number.
    pub fn cover(&mut self, facets: impl IntoIterator<Item = usize>) -> Result<(), Error> {
        for material in facets {
            at_least("materials", self.materials.len(), material + 1)?;
            self.firsts.push(self.materials[material]);
        }
        Ok(())
    }
}

/// The same on a card, with the kernels that read it.
#[derive(Debug)]
pub struct OnCard {
    pub firsts: Buffer<u32>,
    pub numbers: Buffer<f64>,
    pub radiate: Kernel,
    pub radiate_deep: Kernel,
}

impl OnCard {
    /// Sends what so many facets are made of.
    pub fn new(
        stream: &mut Stream,
        matter: &Matter,
        facets: usize,
        prepare: impl Fn(&'static Signature) -> Result<Kernel, Error>,
    ) -> Result<Self, Error> {
        let Matter { firsts, numbers, .. } = matter;
        same("materials of facets", firsts.len(), facets)?;
        Ok(Self {
            firsts: Buffer::from_slice(stream, "materials of facets", firsts)?,
            numbers: Buffer::from_slice(stream, "numbers of materials", numbers)?,
            radiate: prepare(&calls::SBR_MATTER)?,
            radiate_deep: prepare(&calls::SBR_DEEP_MATTER)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_the_source() {
        let mut matter = Matter::default();
        matter.push(Below::Impedance([0.5, -0.25]), &[]).unwrap();
        let outer = Coat { permittivity: [2.0, -0.1], permeability: [1.0, 0.0], thickness: 0.001 };
        let inner = Coat { permittivity: [3.0, -0.2], permeability: [1.5, -0.3], thickness: 0.002 };
        matter.push(Below::HalfSpace([[4.0, -1.0], [1.1, -0.5]]), &[outer, inner]).unwrap();
        matter.cover([1, 0, 1]).unwrap();
        assert_eq!(matter.firsts, [6, 0, 6]);
        assert_eq!(matter.numbers[..6], [0.0, 0.0, 0.5, -0.25, 0.0, 0.0]);
        assert_eq!(matter.numbers[6..12], [2.0, 1.0, 4.0, -1.0, 1.1, -0.5]);
        assert_eq!(matter.numbers[12..], [3.0, -0.2, 1.5, -0.3, 0.002, 2.0, -0.1, 1.0, 0.0, 0.001]);
        assert!(matter.cover([2]).is_err());
    }
}
