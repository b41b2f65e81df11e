//! The error of padding, measured on the hologram itself: leave the outermost microphones out, continue the rest beyond the
//! new border, and see how the source plane inside changes.
//!
//! ```text
//! D(F) = (N/M) sum over the inner aperture of |IDFT(F B (P - P_inner))|^2
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | P, P_inner | spectra of the hologram and of its inner part, padded to the same grid and windowed |
//! | F, B | k-filter, back-propagator |
//! | N, M | microphones along the shorter edge of the whole and the inner aperture: errors lie along the border |
//!
//! An eighth of the aperture is left out on every side: enough that the old border lies beyond the reach of the filter's
//! kernel (some 2 pi/k_co) for the usual filters, little enough that the fits change little. The microphones' noise is in both
//! spectra and cancels inside. The twin on a card is `kernels/cuda/border.cu`.

use super::design::{Aperture, Grid, KFilter, vertical_wavenumber};
use super::fft2::Fft2;
use super::{Error, Padding, lpbp, plpbp};
use num_complex::Complex;

/// The two apertures.
pub(super) struct Border {
    pub(super) whole: Grid,
    pub(super) inner: Grid,
    /// Of an order that the inner aperture allows.
    pub(super) padding: Padding,
    fft: Fft2,
    radii: Vec<f64>,
}

/// What moving the border does to one hologram's spectrum.
pub(super) struct Change<'a> {
    border: &'a Border,
    /// P - P_inner times exp(j Re k_z z).
    spectrum: Vec<Complex<f64>>,
    /// kappa z of every point.
    growth: Vec<f64>,
}

impl Border {
    pub(super) fn new(grid: &Grid, padding: Padding) -> Result<Self, Error> {
        let Aperture { rows, cols, pitch } = grid.aperture;
        let margin = (rows.min(cols) / 8).max(1);
        let (rows, cols) = (rows - 2 * margin, cols - 2 * margin);
        let inner = Grid::new(Aperture { rows, cols, pitch }, grid.rows, grid.cols)?;
        let highest = rows.min(cols) - 1;
        let padding = match padding {
            Padding::Zero => Padding::Zero,
            Padding::Lpbp { order } => Padding::Lpbp { order: order.min(highest) },
            Padding::Plpbp { order } => Padding::Plpbp { order: order.min(highest) },
        };
        let (ky, kx) = grid.wavenumbers();
        let radii = ky.iter().flat_map(|y| kx.iter().map(move |x| x.hypot(*y))).collect();
        Ok(Self { whole: *grid, inner, padding, fft: Fft2::new(grid.rows, grid.cols), radii })
    }

    /// The change for a hologram at wavenumber `k`, to be taken `distance` metres towards the source.
    pub(super) fn change(
        &self,
        k: f64,
        distance: f64,
        hologram: &[Complex<f64>],
    ) -> Result<Change<'_>, Error> {
        let (rows, cols) = (self.whole.aperture.rows, self.whole.aperture.cols);
        let (top, left) = (self.inner.top() - self.whole.top(), self.inner.left() - self.whole.left());
        let line = |y: usize| &hologram[y * cols + left..(y + 1) * cols - left];
        let part: Vec<Complex<f64>> = (top..rows - top).flat_map(line).copied().collect();
        let mut spectrum = self.padded(hologram, &self.whole)?;
        let inner = self.padded(&part, &self.inner)?;
        spectrum.iter_mut().zip(inner).for_each(|(whole, inner)| *whole -= inner);
        self.fft.forward(&mut spectrum);
        let mut growth = Vec::with_capacity(spectrum.len());
        for (value, radius) in spectrum.iter_mut().zip(&self.radii) {
            let kz = vertical_wavenumber(k, *radius);
            *value *= Complex::from_polar(1.0, kz.re * distance);
            growth.push(-kz.im * distance);
        }
        Ok(Change { border: self, spectrum, growth })
    }

    /// The padded and windowed field, row by row.
    fn padded(&self, hologram: &[Complex<f64>], grid: &Grid) -> Result<Vec<Complex<f64>>, Error> {
        let mut field = match self.padding {
            Padding::Lpbp { order } => lpbp::extend(hologram, grid, order)?,
            Padding::Plpbp { order } => plpbp::extend(hologram, grid, order)?,
            Padding::Zero => {
                let mut field = vec![Complex::new(0.0, 0.0); grid.len()];
                for (y, line) in hologram.chunks_exact(grid.aperture.cols).enumerate() {
                    field[(grid.top() + y) * grid.cols + grid.left()..][..line.len()].copy_from_slice(line);
                }
                field
            }
        };
        let (along_y, along_x) = grid.windows();
        for (line, y) in field.chunks_exact_mut(grid.cols).zip(&along_y) {
            line.iter_mut().zip(&along_x).for_each(|(value, x)| *value *= x * y);
        }
        Ok(field)
    }
}

impl Change<'_> {
    /// D of a filter.
    pub(super) fn power(&self, filter: &KFilter) -> f64 {
        let Border { whole, inner, fft, radii, .. } = self.border;
        let terms = self.spectrum.iter().zip(radii).zip(&self.growth);
        let mut field: Vec<Complex<f64>> =
            terms.map(|((value, radius), growth)| value * filter.gain_times_exp(*radius, *growth)).collect();
        fft.inverse(&mut field);
        let row = |y: usize| &field[(inner.top() + y) * inner.cols + inner.left()..][..inner.aperture.cols];
        let power: f64 = (0..inner.aperture.rows).flat_map(row).map(|p| p.norm_sqr()).sum();
        let shorter = |grid: &Grid| grid.aperture.rows.min(grid.aperture.cols) as f64;
        power * shorter(whole) / shorter(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::Medium;
    use super::super::testing::monopole;
    use super::*;

    const FILTER: KFilter = KFilter { cutoff: 60.0, slope: 0.1 };

    fn power(padding: Padding, aperture: Aperture, distance: f64, hologram: &[Complex<f64>]) -> f64 {
        let border = Border::new(&Grid::triple(aperture).unwrap(), padding).unwrap();
        let k = Medium::default().wavenumber(1000.0);
        border.change(k, distance, hologram).unwrap().power(&FILTER)
    }

    /// Prediction continues a field better than zeros do, and a nearer plane feels the border less.
    #[test]
    fn knows_good_padding_from_bad_and_near_from_far() {
        let hologram = monopole(&Aperture::CAMERA, 1000.0, [0.05, -0.1, -0.03], 0.04);
        let all: f64 = hologram.iter().map(|p| p.norm_sqr()).sum();
        let [good, bad, far] =
            [(Padding::Lpbp { order: 6 }, 0.04), (Padding::Zero, 0.04), (Padding::Zero, 0.12)]
                .map(|(padding, distance)| power(padding, Aperture::CAMERA, distance, &hologram));
        assert!(good < 0.1 * bad && bad < 0.1 * far, "{good} {bad} {far} of {all}");
    }

    /// A field that is zero where the border may lie does not change, however it is padded.
    #[test]
    fn a_field_inside_does_not_feel_the_border() {
        let mut hologram = vec![Complex::new(0.0, 0.0); 1024];
        hologram[15 * 32 + 17] = Complex::new(1.0, 2.0);
        assert!(power(Padding::Zero, Aperture::CAMERA, 0.04, &hologram) < 1e-20);
    }

    #[test]
    fn small_apertures_and_high_orders() {
        let aperture = Aperture { rows: 5, cols: 9, pitch: 0.02 };
        let hologram = monopole(&aperture, 1000.0, [0.0, 0.0, -0.03], 0.04);
        for padding in [Padding::Zero, Padding::Lpbp { order: 4 }, Padding::Plpbp { order: 4 }] {
            assert!(power(padding, aperture, 0.04, &hologram).is_finite());
        }
    }
}
