//! The oversampling that costs least.
//!
//! More oversampling makes the fine grid larger and the window narrower. Work is counted in multiply-adds of vectors that are full:
//! ```text
//! a point        (degree + 1) W (d + 1) + 2 W w^(d - 1)        polynomials, and the window's rows
//! a fine point   FFT log2 n                                    its share of the FFTs, with turning and folding
//! ```
//! W is w rounded up to whole vectors. A window whose rounding would take half the tolerance is left out.

use super::design::{Window, smooth};
use super::settings::check_modes;
use super::{Result, Settings};
use numerics::real::Real;

/// Oversamplings that are compared.
const CHOICES: [f64; 6] = [1.25, 1.5, 1.75, 2.0, 2.25, 2.5];
/// Multiply-adds that a fine point is worth, a factor of 2 in n: FFTs reach a fraction of the speed of a window's rows.
const FFT: f64 = 16.0;

numerics::compiled! { T: Real => Settings::tuned::<T> }

impl Settings {
    /// These settings with the oversampling of the least work for about `points` points.
    #[inline(never)]
    pub fn tuned<T: Real>(&self, modes: &[usize], points: usize) -> Result<Self> {
        check_modes(modes)?;
        let with = |oversampling: f64| Self { oversampling, ..self.clone() };
        let work = |oversampling: f64| {
            let window = Window::new(self.window, self.tolerance, oversampling, modes).ok()?;
            self.holds::<T>(&window, modes).then(|| (work::<T>(&window, modes, points), with(oversampling)))
        };
        let choices = CHOICES.into_iter().filter_map(work);
        let best = choices.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, settings)| settings);
        // Where none will do, what was asked for says why.
        best.map_or_else(
            || Window::new(self.window, self.tolerance, self.oversampling, modes).map(|_| self.clone()),
            Ok,
        )
    }

    /// Whether rounding in `T` takes less than half the tolerance.
    pub(super) fn holds<T: Real>(&self, window: &Window, modes: &[usize]) -> bool {
        let rounding = T::epsilon().to_f64() * window.amplification().powi(modes.len() as i32);
        rounding < 0.5 * self.tolerance
    }
}

/// Multiply-adds of either type.
fn work<T: Real>(window: &Window, modes: &[usize], points: usize) -> f64 {
    let axes = modes.len() as i32;
    let w = window.width as f64;
    // Pairs of a register of 64 bytes; never less than a quarter of one.
    let whole = if size_of::<T>() == 4 && window.width > 4 { 8 } else { 4 };
    let lanes = window.width.next_multiple_of(whole) as f64;
    let polynomials = (window.degree as f64 + 1.0) * lanes * f64::from(axes + 1);
    let rows = 2.0 * lanes * w.powi(axes - 1);
    let fine = |n: &usize| {
        let least = (window.oversampling * *n as f64).min(LARGEST) as usize;
        smooth(least.max(2 * window.width)) as f64
    };
    let grid: f64 = modes.iter().map(fine).product();
    points as f64 * (polynomials + rows) + FFT * grid * grid.log2() / f64::from(axes)
}

/// Grids beyond are refused later.
const LARGEST: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::super::Sign;
    use super::*;

    /// Few points on a large grid want a small fine grid, many a narrow window.
    #[test]
    fn oversampling_follows_the_density() {
        for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
            let settings = Settings::new(tolerance, Sign::Negative);
            for modes in [&[500][..], &[200, 100], &[40, 40, 40]] {
                let total: usize = modes.iter().product();
                let chosen = [total / 100, total, 100 * total]
                    .map(|points| settings.tuned::<f64>(modes, points).unwrap().oversampling);
                assert!(chosen.is_sorted() && chosen[0] < chosen[2], "{tolerance:e} {modes:?}: {chosen:?}");
            }
        }
    }

    /// What single precision cannot have with little oversampling is not chosen; what nothing reaches is refused.
    #[test]
    fn rounding_and_tolerance_are_heeded() {
        let settings = Settings::new(1e-6, Sign::Negative);
        let [single, double] = [
            settings.tuned::<f32>(&[300, 300], 10).unwrap().oversampling,
            settings.tuned::<f64>(&[300, 300], 10).unwrap().oversampling,
        ];
        assert!(single > double, "{single} {double}");
        let impossible = Settings::new(1e-17, Sign::Negative).tuned::<f64>(&[50], 50);
        assert!(matches!(impossible, Err(Error::Tolerance { .. })), "{impossible:?}");
        assert_eq!(settings.tuned::<f64>(&[50, 0], 50), Err(Error::Modes(1)));
        let huge = settings.tuned::<f64>(&[usize::MAX; 3], 50).unwrap();
        assert!(huge.oversampling < 2.0);
    }
}
