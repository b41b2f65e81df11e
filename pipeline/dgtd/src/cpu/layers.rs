//! Perfectly matched layers in a block: the lanes of [`pml`](crate::pml).

use super::lane::{LANES, Lane, Six, zero};
use crate::design::Design;
use crate::pml::{Factors, Memory};
use numerics::real::Real;
use numerics::simd::multiply_add;
use numerics::vec3::Vec3;

/// What a node remembers: two memories and their residuals for each component.
#[derive(Debug, Clone)]
pub struct Remembered<T> {
    /// m_0 and m_1 of Ex, Ey, Ez, Hx, Hy, Hz.
    pub memory: [Six<T>; 2],
    /// Of the Runge-Kutta scheme.
    pub residual: [Six<T>; 2],
}

impl<T: Real> Remembered<T> {
    /// Nothing.
    pub fn new() -> Self {
        Self { memory: [zero(); 2], residual: [zero(); 2] }
    }

    /// The memories of a lane.
    pub fn at(&self, lane: usize) -> Memory {
        let of = |first: usize| {
            let value = |kind: usize, axis: usize| self.memory[kind][first + axis][lane].to_f64();
            [0, 1].map(|kind| [0, 1, 2].map(|axis| value(kind, axis)).into())
        };
        Memory { e: of(0), h: of(3) }
    }

    /// Replaces them.
    pub fn set(&mut self, lane: usize, memory: &Memory) {
        for (kind, six) in self.memory.iter_mut().enumerate() {
            let values = memory.e[kind].to_array().into_iter().chain(memory.h[kind].to_array());
            six.iter_mut().zip(values).for_each(|(lanes, value)| lanes[lane] = T::of(value));
        }
    }
}

/// Layers of a block; lanes of elements outside them have no sigma.
#[derive(Debug, Clone)]
pub struct Matched<T> {
    /// f of the components along each axis.
    first: [Lane<T>; 3],
    /// g - sigma_x.
    second: [Lane<T>; 3],
    /// a + sigma_x.
    decay: [Lane<T>; 3],
    /// a.
    shift: T,
}

impl<T: Real> Matched<T> {
    /// Of a block of these elements; none where no element is in the layers.
    pub fn new(design: &Design, elements: &[Option<u32>]) -> Option<Self> {
        let absorber = design.absorber.as_ref()?;
        let nothing = [[T::zero(); LANES]; 3];
        let (shift, mut is_there) = (T::of(absorber.shift), false);
        let mut found = Self { first: nothing, second: nothing, decay: nothing, shift };
        for (lane, element) in elements.iter().enumerate() {
            let sigma = element.map_or(Vec3::ZERO, |element| absorber.sigma_of(element));
            is_there |= sigma != Vec3::ZERO;
            for axis in 0..3 {
                let Factors { first, second, own } = Factors::new(sigma, axis);
                (found.first[axis][lane], found.second[axis][lane]) = (T::of(first), T::of(second));
                found.decay[axis][lane] = T::of(absorber.shift + own);
            }
        }
        is_there.then_some(found)
    }

    /// Adds what the layers do at a node to its rates, and takes its memories through a stage with factors a, b and dt.
    #[inline(always)]
    pub fn absorb<const FMA: bool>(
        &self,
        fields: &Six<T>,
        rates: &mut Six<T>,
        remembered: &mut Remembered<T>,
        [a, b, dt]: [T; 3],
    ) {
        for component in 0..6 {
            let axis = component % 3;
            let (first, second, decay) = (&self.first[axis], &self.second[axis], &self.decay[axis]);
            // Copies of whole lanes, as in the kernel.
            let mut memory = [0, 1].map(|kind| remembered.memory[kind][component]);
            let mut residual = [0, 1].map(|kind| remembered.residual[kind][component]);
            let (field, mut rate) = (fields[component], rates[component]);
            for lane in 0..LANES {
                let change = [
                    first[lane] * field[lane] - self.shift * memory[0][lane],
                    second[lane] * (field[lane] + memory[0][lane]) - decay[lane] * memory[1][lane],
                ];
                rate[lane] -= change[0] + change[1];
                for kind in 0..2 {
                    let sum = multiply_add::<T, FMA>(a, residual[kind][lane], dt * change[kind]);
                    residual[kind][lane] = sum;
                    memory[kind][lane] = multiply_add::<T, FMA>(b, sum, memory[kind][lane]);
                }
            }
            rates[component] = rate;
            for kind in 0..2 {
                remembered.memory[kind][component] = memory[kind];
                remembered.residual[kind][component] = residual[kind];
            }
        }
    }
}
