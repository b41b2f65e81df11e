//! Fields, memories and sums as plain numbers, as they are in files and in messages between processes.

use super::State;
use super::dispersion::Polarisation;
use super::pml::Memory;
use super::spectrum::Phasor;
use num_complex::Complex64;
use numerics::vec3::Vec3;

/// What consists of so many numbers.
pub trait Numbers: Copy {
    /// How many.
    const COUNT: usize;

    /// Shows all of them, one after another, so that they can be read or replaced.
    fn each(&mut self, number: &mut dyn FnMut(&mut f64));
}

/// All numbers of a list.
pub fn flat<V: Numbers>(values: &[V]) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(values.len() * V::COUNT);
    for mut value in values.iter().copied() {
        value.each(&mut |number| numbers.push(*number));
    }
    numbers
}

/// The list with these numbers.
pub fn listed<V: Numbers + Default>(numbers: &[f64]) -> Vec<V> {
    let value = |own: &[f64]| {
        let (mut value, mut left) = (V::default(), own.iter());
        value.each(&mut |number| *number = left.next().copied().unwrap_or_default());
        value
    };
    numbers.chunks_exact(V::COUNT).map(value).collect()
}

impl Numbers for f64 {
    const COUNT: usize = 1;

    fn each(&mut self, number: &mut dyn FnMut(&mut f64)) {
        number(self);
    }
}

impl<V: Numbers, const N: usize> Numbers for [V; N] {
    const COUNT: usize = N * V::COUNT;

    fn each(&mut self, number: &mut dyn FnMut(&mut f64)) {
        self.iter_mut().for_each(|value| value.each(number));
    }
}

/// Structures whose fields follow each other.
macro_rules! structures {
    ($($name:ident { $($field:ident),* }: $count:expr;)*) => {
        $(impl Numbers for $name {
            const COUNT: usize = $count;

            fn each(&mut self, number: &mut dyn FnMut(&mut f64)) {
                $(self.$field.each(number);)*
            }
        })*
    };
}

structures! {
    Complex64 { re, im }: 2;
    Vec3 { x, y, z }: 3;
    State { e, h }: 6;
    Memory { e, h }: 12;
    Polarisation { p, j }: 6;
    Phasor { e, h }: 12;
}
