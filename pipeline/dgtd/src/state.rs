//! Fields at a node.

use numerics::real::Real;
use numerics::vec3::Vec3;

/// Fields at a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct State {
    /// Electric field, V/m.
    pub e: Vec3,
    /// Magnetic field times the impedance of vacuum, V/m.
    pub h: Vec3,
}

impl State {
    /// Ex, Ey, Ez, Hx, Hy, Hz.
    pub(crate) fn six(&self) -> [f64; 6] {
        let ([ex, ey, ez], [hx, hy, hz]) = (self.e.to_array(), self.h.to_array());
        [ex, ey, ez, hx, hy, hz]
    }

    /// The fields whose components are the values of a function at 0 to 5.
    pub(crate) fn of<T: Real>(component: impl Fn(usize) -> T) -> Self {
        let [e, h] = [0, 3].map(|first| [0, 1, 2].map(|axis| component(first + axis).to_f64()).into());
        Self { e, h }
    }
}
