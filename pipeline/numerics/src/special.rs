//! sin(x)/x, Bessel functions J_k, how many of them a plane wave needs, and the modified function I_0.
//!
//! ```text
//! exp(j c s t) = sum_k e_k j^k J_k(c s) T_k(t),   e_0 = 1, e_k = 2,   |t| <= 1        Jacobi and Anger
//! ```

/// sin(x)/x
#[inline]
pub fn sinc(x: f64) -> f64 {
    // The next term of the series, x^4/120, is below rounding here.
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// J_0(x) to J_`last`(x), by Miller's recurrence downwards, normalised with J_0 + 2 J_2 + 2 J_4 + ... = 1.
pub fn bessel(x: f64, last: usize) -> Vec<f64> {
    let mut values = vec![0.0; last + 1];
    let size = x.abs();
    if size < TINY {
        values[0] = 1.0;
        if last > 0 {
            values[1] = 0.5 * x;
        }
        return values;
    }
    // Beyond x, values fall by more than 1/2 a step after x^(1/3) steps: these are enough for 1e-17.
    let above = size.max(last as f64);
    let start = 2 * ((above + 12.0 * above.cbrt() + 20.0) as usize / 2);
    let (mut next, mut present, mut sum) = (0.0, f64::MIN_POSITIVE, 0.0);
    for k in (0..=start).rev() {
        if k <= last {
            values[k] = present;
        }
        if k % 2 == 0 {
            sum += if k == 0 { present } else { 2.0 * present };
        }
        if k > 0 {
            (next, present) = (present, 2.0 * k as f64 / size * present - next);
        }
        if present.abs() > LARGE {
            for value in [&mut next, &mut present, &mut sum].into_iter().chain(&mut values) {
                *value /= LARGE;
            }
        }
    }
    let odd = if x < 0.0 { -1.0 } else { 1.0 };
    values.iter_mut().enumerate().for_each(|(k, value)| *value *= if k % 2 == 1 { odd } else { 1.0 } / sum);
    values
}

/// Arguments below this one have J_1 = x/2 to the last bit and J_2 = 0.
const TINY: f64 = 1e-8;
const LARGE: f64 = 1e200;

/// The least number of terms with which exp(j c s t) is right to `tolerance` for all |s| <= 1, |t| <= 1.
/// The rest of the series is at most twice the sum of the later |J_k|, which grow with their argument there.
pub fn terms(c: f64, tolerance: f64) -> usize {
    let most = (c + 12.0 * c.cbrt() + 40.0) as usize;
    let values = bessel(c, most);
    let mut rest = 0.0;
    for k in (1..most).rev() {
        rest += 2.0 * values[k].abs();
        if rest > tolerance {
            return k + 1;
        }
    }
    1
}

/// The modified Bessel function I_0(x), by its series; no term is negative, so nothing cancels.
pub fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut m) = (1.0, 1.0, 1.0);
    while term > 1e-18 * sum {
        term *= quarter / (m * m);
        sum += term;
        m += 1.0;
    }
    sum
}
