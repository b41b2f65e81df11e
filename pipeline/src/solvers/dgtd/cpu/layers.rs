//! Perfectly matched layers in a block: the lanes of [`pml`](crate::solvers::dgtd::pml).

use super::kernel::Six;
use super::{LANES, Lane};
use crate::real::Real;
use crate::simd::multiply_add;
use crate::solvers::dgtd::design::Design;
use crate::solvers::dgtd::pml::Memory;
use crate::vec3::Vec3;

/// What a node remembers: three memories and their residuals for each component.
#[derive(Debug, Clone)]
pub struct Remembered<T> {
    /// m_0, m_1, m_2 of Ex, Ey, Ez, Hx, Hy, Hz.
    pub memory: [Six<T>; 3],
    /// Of the Runge-Kutta scheme.
    pub residual: [Six<T>; 3],
}

impl<T: Real> Remembered<T> {
    /// Nothing.
    pub fn new() -> Self {
        let nothing = [[[T::zero(); LANES]; 6]; 3];
        Self { memory: nothing, residual: nothing }
    }
}

impl<T: Real> Remembered<T> {
    /// The memories of a lane.
    pub fn at(&self, lane: usize) -> Memory {
        let of = |first: usize| {
            let value = |kind: usize, axis: usize| self.memory[kind][first + axis][lane].to_f64();
            [0, 1, 2].map(|kind| [0, 1, 2].map(|axis| value(kind, axis)).into())
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
    sigma: [Lane<T>; 3],
    shift: T,
}

impl<T: Real> Matched<T> {
    /// Of a block of these elements; none where no element is in the layers.
    pub fn new(design: &Design, elements: &[Option<u32>]) -> Option<Self> {
        let absorber = design.absorber.as_ref()?;
        let mut found = Self { sigma: [[T::zero(); LANES]; 3], shift: T::of(absorber.shift) };
        let mut is_there = false;
        for (lane, element) in elements.iter().enumerate() {
            let sigma = element.map_or(Vec3::ZERO, |element| absorber.sigma_of(element));
            is_there |= sigma != Vec3::ZERO;
            (0..3).for_each(|axis| found.sigma[axis][lane] = T::of(sigma[axis]));
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
        let (sigma, shift) = (&self.sigma, self.shift);
        for component in 0..6 {
            let (x, y, z) = (&sigma[component % 3], &sigma[(component + 1) % 3], &sigma[(component + 2) % 3]);
            // Copies of whole lanes, as in the kernel.
            let [m0, m1, m2] = &remembered.memory;
            let mut memory = [m0[component], m1[component], m2[component]];
            let [r0, r1, r2] = &remembered.residual;
            let mut residual = [r0[component], r1[component], r2[component]];
            let (field, mut rate) = (fields[component], rates[component]);
            for lane in 0..LANES {
                let first = multiply_add::<T, FMA>(y[lane], memory[0][lane], field[lane]);
                let second = multiply_add::<T, FMA>(z[lane], memory[1][lane], first);
                let change = [
                    field[lane] - shift * memory[0][lane],
                    first - shift * memory[1][lane],
                    second - (shift + x[lane]) * memory[2][lane],
                ];
                rate[lane] += x[lane] * change[2] - y[lane] * change[0] - z[lane] * change[1];
                for kind in 0..3 {
                    let sum = multiply_add::<T, FMA>(a, residual[kind][lane], dt * change[kind]);
                    residual[kind][lane] = sum;
                    memory[kind][lane] = multiply_add::<T, FMA>(b, sum, memory[kind][lane]);
                }
            }
            rates[component] = rate;
            for kind in 0..3 {
                remembered.memory[kind][component] = memory[kind];
                remembered.residual[kind][component] = residual[kind];
            }
        }
    }
}
