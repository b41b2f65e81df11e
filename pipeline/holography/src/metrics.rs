//! How far a hologram is from a reference.
//!
//! With both fields divided by their own largest modulus (thesis eq. 7.3), r the reference, t the test field,
//! and N pixels:
//!
//! ```text
//! RMSRE       = sqrt( 1/N sum ((|r| - |t|) / |r|)^2 )          thesis eq. 7.1
//! NSAD        = 1/N sum | |r| - |t| |                          thesis eq. 7.2
//! relative L2 = min over complex s of ||r - s t|| / ||r||,     s = <t, r> / <t, t>
//! ```
//!
//! - RMSRE and NSAD compare moduli and are blind to phase. Relative L2 compares complex fields up to one
//!   common amplitude and phase; it is the sine of the angle between them, from 0 to 1, and symmetric.
//! - RMSRE weighs quiet pixels most. Where the reference is exactly zero (a nodal line) and the test field is
//!   not, it is infinite; where both are zero the pixel counts as equal.
//! - Eq. 7.2 as printed sums signed differences, which cancel: the absolute value is meant by the name.
//!
//! All three are ratios: 0.05 is 5 %. Three passes over the fields, no allocation.

use num_complex::Complex;
use numerics::failure::{Failure, Kind};

/// The three distances; ratios, not percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Root mean squared reconstruction error. May be infinite.
    pub rmsre: f64,
    /// Normalised sum of absolute differences, 0 to 1.
    pub nsad: f64,
    /// Relative L2 error after the best complex scale, 0 to 1.
    pub relative_l2: f64,
}

/// Names of the two fields.
const FIELDS: [&str; 2] = ["reference", "test field"];

/// Why two fields cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The fields have no pixels.
    #[error("the fields have no pixels")]
    Empty,
    /// The fields differ in size.
    #[error("the reference has {reference} pixels and the test field {test}")]
    Length {
        /// Pixels of the reference.
        reference: usize,
        /// Pixels of the test field.
        test: usize,
    },
    /// A pixel is NaN or infinite.
    #[error("the {field} is {value} at pixel {at}, which is not finite")]
    NotFinite {
        /// Which field.
        field: &'static str,
        /// Index of the first such pixel.
        at: usize,
        /// Its value.
        value: Complex<f64>,
    },
    /// A field is zero everywhere and has no scale.
    #[error("the {field} is zero at all {count} pixels")]
    Zero {
        /// Which field.
        field: &'static str,
        /// Pixels.
        count: usize,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        Kind::Run
    }
}

/// Compares `test` with `reference`, pixel by pixel.
pub fn compare(reference: &[Complex<f64>], test: &[Complex<f64>]) -> Result<Comparison, Error> {
    if reference.len() != test.len() {
        return Err(Error::Length { reference: reference.len(), test: test.len() });
    }
    let (r_scale, t_scale) = (Scale::of(reference, FIELDS[0])?, Scale::of(test, FIELDS[1])?);
    let pairs = || reference.iter().zip(test).map(|(&r, &t)| (r_scale.apply(r), t_scale.apply(t)));
    let (mut rmsre, mut nsad, mut cross, mut power) = (0.0, 0.0, Complex::new(0.0, 0.0), 0.0);
    for (r, t) in pairs() {
        let difference = (r.norm() - t.norm()).abs();
        rmsre += if difference > 0.0 { (difference / r.norm()).powi(2) } else { 0.0 };
        nsad += difference;
        cross += t.conj() * r;
        power += t.norm_sqr();
    }
    let best = cross / power;
    // ||r||^2 - |cross|^2 / power would lose half the digits of a small error.
    let (residual, total) =
        pairs().fold((0.0, 0.0), |(e, p), (r, t)| (e + (r - best * t).norm_sqr(), p + r.norm_sqr()));
    let count = reference.len() as f64;
    Ok(Comparison {
        rmsre: (rmsre / count).sqrt(),
        nsad: nsad / count,
        relative_l2: (residual / total).sqrt(),
    })
}

/// Divides by the largest modulus of a field.
#[derive(Clone, Copy)]
struct Scale {
    /// Largest component; it is taken out first, so that no square leaves the range of numbers.
    component: f64,
    /// Largest modulus after that, 1 to sqrt 2.
    modulus: f64,
}

impl Scale {
    fn of(values: &[Complex<f64>], field: &'static str) -> Result<Self, Error> {
        if values.is_empty() {
            return Err(Error::Empty);
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { field, at, value: values[at] });
        }
        let component = values.iter().flat_map(|v| [v.re.abs(), v.im.abs()]).fold(0.0, f64::max);
        if component == 0.0 {
            return Err(Error::Zero { field, count: values.len() });
        }
        let modulus = values.iter().map(|v| (v / component).norm()).fold(0.0, f64::max);
        Ok(Self { component, modulus })
    }

    fn apply(self, value: Complex<f64>) -> Complex<f64> {
        value / self.component / self.modulus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A few roundings of numbers of size 1.
    const ROUNDING: f64 = 8.0 * f64::EPSILON;

    fn c(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= ROUNDING, "{found} is not {expected}");
    }

    #[test]
    fn two_pixels_by_hand() {
        // Moduli 1, 1/2 against 1/4, 1; unscaled 2, 1 and 1, 4.
        let found = compare(&[c(0.0, 2.0), c(1.0, 0.0)], &[c(1.0, 0.0), c(0.0, 4.0)]).unwrap();
        near(found.rmsre, ((0.75f64.powi(2) + 1.0) / 2.0).sqrt());
        near(found.nsad, (0.75 + 0.5) / 2.0);
        // cos = |<t, r>| / (||r|| ||t||) = |2j - 4j| / sqrt(5 * 17).
        near(found.relative_l2, (1.0 - 4.0 / 85.0f64).sqrt());
    }

    #[test]
    fn orthogonal_fields_are_wholly_different() {
        let found = compare(&[c(1.0, 0.0), c(1.0, 0.0)], &[c(1.0, 0.0), c(-1.0, 0.0)]).unwrap();
        assert_eq!(found, Comparison { rmsre: 0.0, nsad: 0.0, relative_l2: 1.0 });
    }

    #[test]
    fn small_errors_keep_their_digits() {
        // r = (1, 0), t = (1, e): the sine of the angle is e / sqrt(1 + e^2).
        for e in [1e-3, 1e-6, 1e-9, 1e-12] {
            let found = compare(&[c(1.0, 0.0), c(0.0, 0.0)], &[c(1.0, 0.0), c(0.0, e)]).unwrap();
            let expected = e / (1.0 + e * e).sqrt();
            // The best scale is known to eps, which adds eps^2 to the e^2 of the residual.
            let tolerance = ROUNDING + (f64::EPSILON / e).powi(2);
            assert!((found.relative_l2 / expected - 1.0).abs() < tolerance, "{e}: {found:?}");
        }
    }

    #[test]
    fn zeros_of_the_reference() {
        let reference = [c(1.0, 0.0), c(0.0, 0.0)];
        assert_eq!(compare(&reference, &[c(1.0, 0.0), c(0.0, 1e-9)]).unwrap().rmsre, f64::INFINITY);
        let same = Comparison { rmsre: 0.0, nsad: 0.0, relative_l2: 0.0 };
        assert_eq!(compare(&reference, &reference).unwrap(), same);
    }

    #[test]
    fn the_ends_of_the_number_range() {
        let (huge, tiny) = (f64::MAX, f64::from_bits(1));
        for size in [huge, tiny, 1e200, 1e-200] {
            let field = [c(size, size), c(-size, 0.0)];
            let found = compare(&field, &[c(1.0, 1.0), c(-1.0, 0.0)]).unwrap();
            assert!(found.rmsre <= ROUNDING && found.nsad <= ROUNDING, "{size}: {found:?}");
            assert!(found.relative_l2 <= ROUNDING, "{size}: {found:?}");
        }
    }

    #[test]
    fn refusals_name_the_operands() {
        let one = [c(1.0, 0.0)];
        assert_eq!(compare(&[], &[]), Err(Error::Empty));
        assert_eq!(compare(&one, &[]), Err(Error::Length { reference: 1, test: 0 }));
        assert_eq!(compare(&one, &[c(0.0, -0.0)]), Err(Error::Zero { field: FIELDS[1], count: 1 }));
        assert_eq!(compare(&[c(0.0, 0.0)], &one), Err(Error::Zero { field: FIELDS[0], count: 1 }));
        let bad = [c(1.0, 0.0), c(0.0, f64::INFINITY)];
        let error = compare(&bad, &bad).unwrap_err();
        assert_eq!(error, Error::NotFinite { field: FIELDS[0], at: 1, value: bad[1] });
        assert!(error.to_string().contains("pixel 1"), "{error}");
        let error = compare(&[one[0]; 2], &[one[0], c(f64::NAN, 0.0)]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { field: "test field", at: 1, .. }));
    }

    fn field() -> impl Strategy<Value = Vec<Complex<f64>>> {
        prop::collection::vec((0.1..1.0f64, -3.0..3.0f64).prop_map(|(r, a)| Complex::from_polar(r, a)), 12)
    }

    proptest! {
        #[test]
        fn no_common_scale_matters(r in field(), t in field(), size in 1e-9..1e9f64, phase in -3.0..3.0f64) {
            let scaled: Vec<_> = t.iter().map(|&t| t * Complex::from_polar(size, phase)).collect();
            let (plain, turned) = (compare(&r, &t).unwrap(), compare(&r, &scaled).unwrap());
            // Moduli are known to 3 eps (polar form, product, division); RMSRE divides them by 0.1 at least
            // and has at most 10 terms' worth of relative difference; L2 errors lie well above 0.
            prop_assert!((plain.rmsre - turned.rmsre).abs() < 100.0 * ROUNDING);
            prop_assert!((plain.nsad - turned.nsad).abs() < ROUNDING);
            prop_assert!((plain.relative_l2 - turned.relative_l2).abs() < 4.0 * ROUNDING);
            let same = compare(&t, &scaled).unwrap();
            prop_assert!(same.rmsre < 10.0 * ROUNDING && same.relative_l2 < ROUNDING, "{:?}", same);
        }

        #[test]
        fn bounds_and_symmetry(r in field(), t in field()) {
            let (there, back) = (compare(&r, &t).unwrap(), compare(&t, &r).unwrap());
            prop_assert!((0.0..=1.0).contains(&there.nsad) && there.relative_l2 <= 1.0 + ROUNDING);
            prop_assert!((there.nsad - back.nsad).abs() < ROUNDING);
            prop_assert!((there.relative_l2 - back.relative_l2).abs() < 4.0 * ROUNDING);
        }
    }
}
