//! What the card's rule needs beside the data, computed on the host in `f64`.

use super::super::super::Error;
use super::super::super::Padding;
use super::super::super::design::{Operator, Radii, Wave};
use super::super::{Chooser, DEPTHS, RADII, decay};
use kernels::abi::{CutoffCircle, CutoffWave};
use kernels::{Buffer, Stream, border, cutoff, size32};
use num_complex::Complex;
use std::f64::consts::TAU;

/// The CPU's rule for some wavenumbers (rad/m) and one distance (m), of which tables are made.
pub struct Tables<'a> {
    pub chooser: &'a Chooser,
    pub wavenumbers: &'a [f64],
    pub distance: f64,
}

impl Tables<'_> {
    pub fn border_shape(&self, radii: &Radii) -> border::Shape {
        let (whole, inner) = (&self.chooser.border.whole, &self.chooser.border.inner);
        border::Shape {
            holograms: self.wavenumbers.len(),
            rows: whole.aperture.rows,
            cols: whole.aperture.cols,
            grid_rows: whole.rows,
            grid_cols: whole.cols,
            margin: inner.top() - whole.top(),
            order: self.chooser.border.padding.order().unwrap_or(0),
            planar: matches!(self.chooser.border.padding, Padding::Plpbp { .. }),
            radii: radii.values().len(),
            filters: self.chooser.candidates().count(),
        }
    }

    pub fn cutoff_shape(&self, radii: &Radii, frames: usize, tiles: usize) -> cutoff::Shape {
        let grid = &self.chooser.border.whole;
        cutoff::Shape {
            holograms: self.wavenumbers.len(),
            frames,
            rows: grid.aperture.rows,
            cols: grid.aperture.cols,
            grid_rows: grid.rows,
            grid_cols: grid.cols,
            rings: self.chooser.counts.len(),
            radii: radii.values().len(),
            circles: RADII,
            ranges: DEPTHS,
            filters: self.chooser.candidates().count(),
            tiles,
        }
    }

    /// Tables of the expected error.
    pub fn rule(&self, stream: &mut Stream) -> Result<cutoff::Tables, Error> {
        let host = self.chooser;
        let (starts, points) = self.rings()?;
        let rings = host.counts.len();
        let first = |&k: &f64| size32("first evanescent ring", host.first_evanescent(k));
        let first: Vec<u32> = self.wavenumbers.iter().map(first).collect::<Result<_, _>>()?;
        let kappa: Vec<f64> = self
            .wavenumbers
            .iter()
            .flat_map(|&k| (0..rings).map(move |ring| decay(k, host.radius(ring))))
            .collect();
        let circles: Vec<CutoffCircle> =
            self.wavenumbers.iter().flat_map(|&k| (0..RADII).map(move |i| self.circle(i, k))).collect();
        let ranges: Vec<f64> = host.ranges(self.distance).collect();
        let filters: Vec<_> = host.candidates().map(|f| Complex::new(f.cutoff, f.slope)).collect();
        // Radii are the same for all holograms.
        let gains: Vec<f64> = host
            .candidates()
            .flat_map(|f| circles.iter().take(RADII).map(move |c| f.gain(c.radius)))
            .collect();
        let (rows, cols) = (host.aperture.rows, host.aperture.cols);
        Ok(cutoff::Tables {
            hann: Buffer::from_slice(stream, "Hann windows", &host.hann.concat())?,
            twiddles: Buffer::from_slice(stream, "twiddles", &twiddles([3 * rows, 3 * cols]))?,
            starts: Buffer::from_slice(stream, "starts of rings", &starts)?,
            points: Buffer::from_slice(stream, "points of rings", &points)?,
            first: Buffer::from_slice(stream, "first rings", &first)?,
            kappa: Buffer::from_slice(stream, "kappa of rings", &kappa)?,
            ranges: Buffer::from_slice(stream, "ranges", &ranges)?,
            circles: Buffer::from_slice(stream, "circles", &circles)?,
            gains: Buffer::from_slice(stream, "gains", &gains)?,
            filters: Buffer::from_slice(stream, "filters", &filters)?,
        })
    }

    fn circle(&self, i: usize, k: f64) -> CutoffCircle {
        let super::super::Circle { radius, kappa, weight } = self.chooser.circle(i, k, self.distance);
        CutoffCircle { radius, kappa, weight }
    }

    /// Points of the tapered spectrum ring by ring, and where each ring starts.
    fn rings(&self) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let (ring_of, rings) = (&self.chooser.ring_of, self.chooser.counts.len());
        let mut points: Vec<usize> = (0..ring_of.len()).collect();
        points.sort_by_key(|&point| ring_of[point]);
        let start = |ring| points.partition_point(|&point| ring_of[point] < ring);
        let numbers = |values: Vec<usize>| values.into_iter().map(|x| size32("point of a ring", x)).collect();
        let starts: Result<_, kernels::Error> = numbers((0..=rings).map(start).collect());
        Ok((starts?, numbers(points)?))
    }

    /// Tables of the padding's error.
    pub fn change(&self, stream: &mut Stream, shape: &border::Shape) -> Result<border::Tables, Error> {
        let (whole, inner) = (&self.chooser.border.whole, &self.chooser.border.inner);
        let windows =
            [whole.windows(), inner.windows()].map(|(along_y, along_x)| [along_y, along_x].concat());
        let along_y = Axis { points: inner.rows, first: inner.top(), measured: inner.aperture.rows };
        let along_x = Axis { points: inner.cols, first: inner.left(), measured: inner.aperture.cols };
        let (rows, cols) = shape.outputs();
        let centre: Vec<_> = along_y.centre().chain(along_x.centre()).collect();
        Ok(border::Tables {
            windows: Buffer::from_slice(stream, "windows", &windows.concat())?,
            twiddles: Buffer::from_slice(stream, "twiddles", &twiddles([whole.rows, whole.cols]))?,
            centre: Buffer::from_slice(stream, "centre", &centre)?,
            along_y: Buffer::from_slice(stream, "parts along y", &along_y.parts(rows))?,
            along_x: Buffer::from_slice(stream, "parts along x", &along_x.parts(cols))?,
        })
    }
}

/// Propagators without a filter.
pub fn waves(stream: &mut Stream, radii: &Radii, operators: &[Operator]) -> Result<cutoff::Waves, Error> {
    let wave = |&Wave { growth, phase, admittance }: &Wave| CutoffWave {
        growth,
        phase_re: phase.re,
        phase_im: phase.im,
        admittance_re: admittance.re,
        admittance_im: admittance.im,
    };
    let waves: Vec<CutoffWave> = operators.iter().flat_map(|o| o.waves().iter().map(wave)).collect();
    Ok(cutoff::Waves {
        radii: Buffer::from_slice(stream, "radii", radii.values())?,
        index: Buffer::from_slice(stream, "index of radii", radii.index())?,
        waves: Buffer::from_slice(stream, "waves", &waves)?,
    })
}

/// exp(-j 2 pi i/n) for i = 0..n, one n after the other.
fn twiddles(lengths: [usize; 2]) -> Vec<Complex<f64>> {
    let of = |n: usize| (0..n).map(move |i| Complex::cis(-TAU * i as f64 / n as f64));
    lengths.into_iter().flat_map(of).collect()
}

/// One direction of the grid: its points, and where the inner aperture lies.
struct Axis {
    points: usize,
    first: usize,
    measured: usize,
}

impl Axis {
    /// 2 pi k x/n for x in half points, with whole numbers as long as possible.
    fn angle(&self, k: usize, twice_x: usize) -> f64 {
        TAU * (k * twice_x % (2 * self.points)) as f64 / (2 * self.points) as f64
    }

    /// exp(+j 2 pi k c/n) for k = 0..=n/2, c the centre of the inner aperture.
    fn centre(&self) -> impl Iterator<Item = Complex<f64>> {
        let twice = 2 * self.first + self.measured - 1;
        (0..=self.points / 2).map(move |k| Complex::cis(self.angle(k, twice)))
    }

    /// cos(2 pi k xi/n), then sin, `[k][xi]`: xi from the centre to one end of the inner aperture, then zeros to `length`.
    fn parts(&self, length: usize) -> Vec<f64> {
        // The points nearest to the centre: itself, or half a point beside it.
        let nearest = 1 - self.measured % 2;
        let outputs = self.measured.div_ceil(2);
        let mut parts = Vec::new();
        for of in [f64::cos, f64::sin] {
            for k in 0..=self.points / 2 {
                let value = |i: usize| if i < outputs { of(self.angle(k, nearest + 2 * i)) } else { 0.0 };
                parts.extend((0..length).map(value));
            }
        }
        parts
    }
}
