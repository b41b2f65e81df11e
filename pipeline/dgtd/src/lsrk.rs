//! The low-storage Runge-Kutta scheme of five stages and fourth order.
//!
//! ```text
//! R_i = a_i R_(i-1) + dt f(q_(i-1), t + c_i dt),   q_i = q_(i-1) + b_i R_i,   i = 1..5
//! ```
//! Carpenter and Kennedy, NASA TM 109112 (1994).

use super::State;

/// Stages of a step.
pub const STAGES: usize = 5;

/// a
pub const A: [f64; STAGES] = [
    0.0,
    -567301805773.0 / 1357537059087.0,
    -2404267990393.0 / 2016746695238.0,
    -3550918686646.0 / 2091501179385.0,
    -1275806237668.0 / 842570457699.0,
];

/// b
pub const B: [f64; STAGES] = [
    1432997174477.0 / 9575080441755.0,
    5161836677717.0 / 13612068292357.0,
    1720146321549.0 / 2090206949498.0,
    3134564353537.0 / 4481467310338.0,
    2277821191437.0 / 14882151754819.0,
];

/// c
pub const C: [f64; STAGES] = [
    0.0,
    1432997174477.0 / 9575080441755.0,
    2526269341429.0 / 6820363962896.0,
    2006345519317.0 / 3224310063776.0,
    2802321613138.0 / 2924317926251.0,
];

/// One step of the definition: `rates` are those of fields at a time.
pub fn step(fields: &mut [State], time: f64, dt: f64, rates: impl Fn(&[State], f64) -> Vec<State>) {
    let mut residual = vec![State::default(); fields.len()];
    for stage in 0..STAGES {
        let rate = rates(fields, time + C[stage] * dt);
        for ((q, r), f) in fields.iter_mut().zip(&mut residual).zip(rate) {
            r.e = r.e * A[stage] + f.e * dt;
            r.h = r.h * A[stage] + f.h * dt;
            q.e += r.e * B[stage];
            q.h += r.h * B[stage];
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Growth of a mode of dq/dt = lambda q in a step, z = lambda dt, of the scheme with a and b.
    pub fn growth(a: &[f64], b: &[f64], re: f64, im: f64) -> [f64; 2] {
        let times = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a * c - b * d, a * d + b * c];
        let (mut q, mut r) = ([1.0, 0.0], [0.0; 2]);
        for (a, b) in a.iter().zip(b) {
            let f = times([re, im], q);
            r = [0, 1].map(|part| a * r[part] + f[part]);
            q = [0, 1].map(|part| q[part] + b * r[part]);
        }
        q
    }

    #[test]
    fn growth_is_the_exponential_to_fourth_order() {
        let error = |z: f64| (growth(&A, &B, z, 0.0)[0] - z.exp()).abs();
        // The first term that is wrong is that of z^5.
        let order = (error(0.2) / error(0.1)).log2();
        assert!((order - 5.0).abs() < 0.1, "{order}");
        // Stages are at the times of their sums.
        let mut time = 0.0;
        let mut r = 0.0;
        for stage in 0..STAGES {
            assert!((time - C[stage]).abs() < 1e-12, "stage {stage}");
            r = A[stage] * r + 1.0;
            time += B[stage] * r;
        }
        assert!((time - 1.0).abs() < 1e-12);
    }
}
