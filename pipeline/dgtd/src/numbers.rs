//! Fields, memories and sums as plain numbers, as they are in files and in messages between processes.

use super::State;
use super::dispersion::Polarisation;
use super::pml::Memory;
use super::spectrum::Phasor;
use num_complex::Complex64;
use numerics::vec3::Vec3;

/// What consists of so many numbers.
pub trait Numbers: Sized {
    /// How many.
    const COUNT: usize;

    /// All of them.
    fn numbers(&self) -> impl Iterator<Item = f64>;

    /// The same again from the next ones; those that are missing are zero.
    fn next(left: &mut impl Iterator<Item = f64>) -> Self;
}

/// All numbers of a list, one after another.
pub fn each<V: Numbers>(values: &[V]) -> impl Iterator<Item = f64> {
    values.iter().flat_map(Numbers::numbers)
}

/// All numbers of a list.
pub fn flat<V: Numbers>(values: &[V]) -> Vec<f64> {
    each(values).collect()
}

/// The list with these numbers.
pub fn listed<V: Numbers>(numbers: &[f64]) -> Vec<V> {
    let mut left = numbers.iter().copied();
    (0..numbers.len() / V::COUNT).map(|_| V::next(&mut left)).collect()
}

impl Numbers for f64 {
    const COUNT: usize = 1;

    fn numbers(&self) -> impl Iterator<Item = f64> {
        std::iter::once(*self)
    }

    fn next(left: &mut impl Iterator<Item = f64>) -> Self {
        left.next().unwrap_or_default()
    }
}

impl Numbers for Complex64 {
    const COUNT: usize = 2;

    fn numbers(&self) -> impl Iterator<Item = f64> {
        [self.re, self.im].into_iter()
    }

    fn next(left: &mut impl Iterator<Item = f64>) -> Self {
        let [re, im] = [(); 2].map(|()| f64::next(left));
        Self { re, im }
    }
}

impl Numbers for Vec3 {
    const COUNT: usize = 3;

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.to_array().into_iter()
    }

    fn next(left: &mut impl Iterator<Item = f64>) -> Self {
        [(); 3].map(|()| f64::next(left)).into()
    }
}

impl<V: Numbers, const N: usize> Numbers for [V; N] {
    const COUNT: usize = N * V::COUNT;

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.iter().flat_map(Numbers::numbers)
    }

    fn next(left: &mut impl Iterator<Item = f64>) -> Self {
        [(); N].map(|()| V::next(left))
    }
}

/// Two fields, one after the other.
macro_rules! pairs {
    ($($name:ident { $one:ident, $other:ident }: $count:expr;)*) => {
        $(impl Numbers for $name {
            const COUNT: usize = $count;

            fn numbers(&self) -> impl Iterator<Item = f64> {
                self.$one.numbers().chain(self.$other.numbers())
            }

            fn next(left: &mut impl Iterator<Item = f64>) -> Self {
                Self { $one: Numbers::next(left), $other: Numbers::next(left) }
            }
        })*
    };
}

pairs! {
    State { e, h }: 6;
    Memory { e, h }: 12;
    Polarisation { p, j }: 6;
    Phasor { e, h }: 12;
}
