//! Proofs that need only this library: the definition by its energy and by polynomials, the CPU by the definition, convergence by formulas.

mod checkpoint;
mod convergence;
mod dispersion;
mod far_field;
mod huygens;
mod layers;
mod mie;
mod operator;
mod parts;
mod plan;
mod sources;
mod stability;

use super::design::Design;
use super::mesh::{Mesh, kuhn};
use super::{Material, Pole, Settings, Spectrum, State};
use mesh::Volume;
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;

/// |F|^2 in a direction.
fn intensity(spectrum: &Spectrum, number: usize, direction: Vec3) -> f64 {
    crate::far_field::amplitude(spectrum, number, direction).iter().map(|part| part.norm_sqr()).sum()
}

/// A cheap generator of numbers from -1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn states(&mut self, count: usize) -> Vec<State> {
        (0..count).map(|_| State { e: self.vector(), h: self.vector() }).collect()
    }
}

/// A box of `n` x `n` x `n` cells whose inner vertices are moved, with the groups `one` and `two` mixed.
fn crooked(n: usize, seed: u64) -> Volume {
    let mut random = Random(seed);
    let mut volume = kuhn::cuboid(Vec3::ZERO, Vec3::new(1.0, 1.1, 0.9), [n; 3]);
    for vertex in &mut volume.vertices {
        let is_inside =
            [(vertex.x, 1.0), (vertex.y, 1.1), (vertex.z, 0.9)].iter().all(|(x, high)| *x > 0.0 && x < high);
        if is_inside {
            *vertex += random.vector() * (0.15 / n as f64);
        }
    }
    volume.names = vec!["one".into(), "two".into()];
    volume.groups.iter_mut().for_each(|group| *group = u32::from(random.next() > 0.0));
    volume
}

const GLASS: Material = Material { permittivity: 4.0, permeability: 1.5, conductivity: 0.0 };

/// A crooked box with two media.
fn mixed(order: usize, n: usize, change: impl Fn(&mut Settings)) -> Design {
    let mut settings = Settings::new(order);
    settings.materials = vec![("two".into(), GLASS)];
    change(&mut settings);
    Design::new(Mesh::new(crooked(n, 3)).unwrap(), &settings).unwrap()
}

/// A pole of each kind; times and rates are about those of waves through the box.
const POLES: [Pole; 3] = [
    Pole::Debye { delta: 2.0, relaxation: 0.4 / SPEED_OF_LIGHT },
    Pole::Drude { plasma: 2.0 * SPEED_OF_LIGHT, collision: 0.3 * SPEED_OF_LIGHT },
    Pole::Lorentz { delta: 1.5, resonance: 3.0 * SPEED_OF_LIGHT, damping: 0.4 * SPEED_OF_LIGHT },
];

/// A crooked box of two dispersive media, one with a pole more than the other, beside one without poles.
fn dispersive(order: usize, n: usize, change: impl Fn(&mut Settings)) -> Design {
    let mut volume = crooked(n, 3);
    volume.names.push("three".into());
    volume.groups.iter_mut().step_by(5).for_each(|group| *group = 2);
    let mut settings = Settings::new(order);
    settings.materials = vec![("two".into(), GLASS)];
    settings.poles = vec![("two".into(), POLES.to_vec()), ("three".into(), POLES[1..].to_vec())];
    change(&mut settings);
    Design::new(Mesh::new(volume).unwrap(), &settings).unwrap()
}

fn largest(states: &[State]) -> f64 {
    states.iter().map(|state| state.e.length().max(state.h.length())).fold(0.0, f64::max)
}

/// Largest difference of two lists of states; NaN is infinite.
fn distance(one: &[State], other: &[State]) -> f64 {
    assert_eq!(one.len(), other.len());
    let differences = one.iter().zip(other).map(|(a, b)| (a.e - b.e).length().max((a.h - b.h).length()));
    differences.fold(0.0, |most: f64, it| if it.is_nan() { f64::INFINITY } else { most.max(it) })
}
