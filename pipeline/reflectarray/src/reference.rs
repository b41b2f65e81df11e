//! The definition: direct sums in `f64`.

use super::design::Kernel;
use super::{Elements, Model, Pattern};
use num_complex::Complex;

type C = Complex<f64>;

/// What the elements radiate, co-polar and cross-polar: a_n and its companion.
pub fn excitations(model: &Model, elements: &Elements) -> [Vec<C>; 2] {
    let both = model.light(&elements.x, &elements.y).zip(&elements.phase).map(|(light, phase)| {
        let [co, cross] = model.scattering.reflection(*phase, light.incidence);
        (light.f * co, light.f * cross)
    });
    both.unzip::<_, _, Vec<_>, Vec<_>>().into()
}

/// F(u, v) = sum_n a_n exp(j beta (u x_n + v y_n)).
pub fn array_factor(beta: f64, x: &[f64], y: &[f64], a: &[C], u: f64, v: f64) -> C {
    x.iter().zip(y).zip(a).map(|((x, y), a)| a * C::from_polar(1.0, beta * (u * x + v * y))).sum()
}

/// g^2 = cos^(2 q)(theta); nothing radiates beyond the horizon.
pub fn gain(pattern: Pattern, u: f64, v: f64) -> f64 {
    let square = 1.0 - u * u - v * v;
    match pattern {
        _ if square < 0.0 => 0.0,
        Pattern::Isotropic => 1.0,
        Pattern::Cosine { exponent } => square.powf(exponent),
    }
}

/// P = a^H S a: the power through the hemisphere over 2 pi.
pub fn power(beta: f64, pattern: Pattern, x: &[f64], y: &[f64], a: &[C]) -> f64 {
    let farthest = |values: &[f64]| values.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let kernel = Kernel::new(pattern.exponent(), 3.0 * beta * farthest(x).hypot(farthest(y)));
    let pair =
        |m: usize, n: usize| (a[m].conj() * a[n]).re * kernel.value(beta * (x[m] - x[n]).hypot(y[m] - y[n]));
    (0..a.len()).flat_map(|m| (0..a.len()).map(move |n| (m, n))).map(|(m, n)| pair(m, n)).sum()
}

/// Co-polar and cross-polar directivity at directions (u, v).
pub fn directivity(model: &Model, elements: &Elements, u: &[f64], v: &[f64]) -> Vec<[f64; 2]> {
    let beta = model.wavenumber();
    let Elements { x, y, .. } = elements;
    let parts = excitations(model, elements);
    let total: f64 = parts.iter().map(|a| power(beta, model.pattern, x, y, a)).sum();
    let both = |(u, v): (&f64, &f64)| {
        let level = |a: &Vec<C>| array_factor(beta, x, y, a, *u, *v).norm_sqr();
        [0, 1].map(|part: usize| 2.0 * gain(model.pattern, *u, *v) * level(&parts[part]) / total)
    };
    u.iter().zip(v).map(both).collect()
}
