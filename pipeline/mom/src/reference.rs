//! The circular cylinder, exactly: series over angular orders.
//!
//! ```text
//! TM   J_z = 2/(pi k eta a) sum_n j^-n exp(jn(phi - phi_0))/H_n(ka)                    f = -sum_n J_n/H_n exp(jn(phi - phi_0))
//! TE   H_z = -2j/(pi k a eta) sum_n j^-n exp(jn(phi - phi_0))/H_n'(ka)                 f = -sum_n J_n'/H_n' exp(jn(phi - phi_0))
//! ```
//! of a wave of 1 V/m towards phi_0. A surface impedance zeta eta puts H_n + j zeta H_n' for H_n (TM), H_n' - j zeta H_n for H_n' (TE), and the same
//! of J_n for J_n in f. Orders run until 1/H_n has no digit left.

use super::hankel::{C, hankel};
use super::settings::Polarisation;
use numerics::constants::ETA_0;
use std::f64::consts::PI;

/// Orders beyond ka.
const MORE_ORDERS: usize = 40;

/// Hankel functions of the second kind and their derivatives, orders 0 to `last`.
///
/// Y_n by recurrence upwards, J_n downwards (Miller), both stable; J is scaled by J_0 or J_1, whichever is greater.
pub fn orders(x: f64, last: usize) -> Vec<[C; 2]> {
    let [h0, h1] = hankel(x);
    let mut y = vec![-h0.im, -h1.im];
    for n in 1..=last {
        y.push(2.0 * n as f64 / x * y[n] - y[n - 1]);
    }
    let top = last + 2 * MORE_ORDERS + x as usize;
    let mut j = vec![0.0; top + 2];
    j[top] = 1e-300;
    for n in (1..=top).rev() {
        j[n - 1] = 2.0 * n as f64 / x * j[n] - j[n + 1];
        if j[n - 1].abs() > 1e250 {
            j[n - 1..].iter_mut().for_each(|value| *value *= 1e-250);
        }
    }
    let scale = if h0.re.abs() > h1.re.abs() { h0.re / j[0] } else { h1.re / j[1] };
    let h: Vec<C> = (0..=last + 1).map(|n| C::new(scale * j[n], -y[n])).collect();
    let slope = |n: usize| if n == 0 { -h[1] } else { h[n - 1] - h[n] * (n as f64 / x) };
    (0..=last).map(|n| [h[n], slope(n)]).collect()
}

/// A cylinder at the origin.
#[derive(Debug, Clone)]
pub struct Cylinder {
    polarisation: Polarisation,
    /// Surface impedance over eta.
    zeta: C,
    ka: f64,
    orders: Vec<[C; 2]>,
}

impl Cylinder {
    /// With radius and wavenumber.
    pub fn new(polarisation: Polarisation, radius: f64, k: f64) -> Self {
        let ka = k * radius;
        Self { polarisation, zeta: C::ZERO, ka, orders: orders(ka, ka.ceil() as usize + MORE_ORDERS) }
    }

    /// The same with a surface impedance, ohm.
    pub fn with_impedance(self, ohm: C) -> Self {
        Self { zeta: ohm / ETA_0, ..self }
    }

    /// What the boundary condition makes of a function and its slope.
    fn condition(&self, value: C, slope: C) -> C {
        let j_zeta = C::new(-self.zeta.im, self.zeta.re);
        match self.polarisation {
            Polarisation::Tm => value + j_zeta * slope,
            Polarisation::Te => slope - j_zeta * value,
        }
    }

    fn outgoing(&self, n: usize) -> C {
        self.condition(self.orders[n][0], self.orders[n][1])
    }

    /// sum over n of both signs of terms(n) exp(jn angle), for terms that are even in n.
    fn sum(&self, angle: f64, term: impl Fn(usize) -> C) -> C {
        let both = |n: usize| if n == 0 { 1.0 } else { 2.0 * (n as f64 * angle).cos() };
        (0..self.orders.len()).map(|n| term(n) * both(n)).sum()
    }

    /// J_z or J_t at an angle from the direction of the wave, radians; A/m.
    pub fn current(&self, angle: f64) -> C {
        let turn = |n: usize| C::new(0.0, -1.0).powu(n as u32 % 4);
        let sum = self.sum(angle, |n| turn(n) / self.outgoing(n));
        let scale = 2.0 / (PI * self.ka * ETA_0);
        match self.polarisation {
            Polarisation::Tm => sum * scale,
            // J_t = -H_z.
            Polarisation::Te => sum * C::new(0.0, scale),
        }
    }

    /// f at an angle from the direction of the wave, radians.
    pub fn amplitude(&self, angle: f64) -> C {
        let standing = |n: usize| self.condition(self.orders[n][0].re.into(), self.orders[n][1].re.into());
        -self.sum(angle, |n| standing(n) / self.outgoing(n))
    }
}
