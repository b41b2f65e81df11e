use super::*;
use num_complex::Complex;
use std::f64::consts::TAU;

/// A few roundings of `f64`.
const EXACT: f64 = 1e-14;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= EXACT * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn air_by_temperature() {
    let zero = Medium::air_at(0.0).unwrap();
    near(zero.speed_of_sound, 331.3);
    let twenty = Medium::air_at(20.0).unwrap();
    // Tables: 343.2 m/s and 1.204 kg/m^3 at 20 degrees, to the last digit given.
    assert!((twenty.speed_of_sound - 343.2).abs() < 0.05, "{twenty:?}");
    assert!((twenty.density - 1.204).abs() < 0.0005, "{twenty:?}");
    for celsius in [-273.15, -300.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Medium::air_at(celsius), Err(Error::Temperature(..))), "{celsius}");
    }
}

#[test]
fn grids() {
    let wide = Aperture { rows: 8, cols: 32, pitch: 0.01 };
    assert_eq!(Grid::triple(wide).map(|g| (g.rows, g.cols)), Ok((24, 96)));
    let grid = Grid::with_side(wide, 97).unwrap();
    assert_eq!((grid.rows, grid.cols, grid.top(), grid.left()), (25, 97, 8, 32));
    assert_eq!(Grid::with_side(Aperture::CAMERA, 96), Grid::triple(Aperture::CAMERA));
    assert_eq!(Grid::with_side(Aperture::CAMERA, 31), Err(Error::Grid { grid: 31, measured: 32 }));
    assert_eq!(Grid::new(wide, 8, usize::MAX), Err(Error::GridSize { rows: 8, cols: usize::MAX }));
    for (rows, cols, pitch) in [(0, 32, 0.02), (32, 0, 0.02), (32, 32, 0.0), (32, 32, f64::NAN)] {
        let aperture = Aperture { rows, cols, pitch };
        assert!(matches!(Grid::new(aperture, 96, 96), Err(Error::Aperture { .. })), "{aperture:?}");
    }
}

#[test]
fn window_is_one_on_the_aperture_and_falls_to_zero() {
    for (n, measured) in [(96, 32), (97, 32), (96, 31), (33, 32), (32, 32), (5, 1)] {
        let w = window(n, measured);
        let before = (n - measured) / 2;
        assert!(w[before..before + measured].iter().all(|&w| w == 1.0), "{n} {measured}");
        assert!(w[..before].is_sorted() && w[before + measured..].iter().rev().is_sorted());
        for (i, &w) in w.iter().enumerate().filter(|(i, _)| !(before..before + measured).contains(i)) {
            assert!((0.0..1.0).contains(&w), "{n} {measured} {i}: {w}");
        }
        if n - measured > 1 {
            assert_eq!((w[0], w[n - 1]), (0.0, 0.0));
        }
    }
    // Half way down the taper of (96, 2/3), which is 95/3 samples long.
    near(window(96, 32)[19], 0.5 * (1.0 - (PI * 19.0 * 3.0 / 95.0).cos()));
}

#[test]
fn wavenumbers_in_the_order_of_the_dft() {
    let step = TAU / (5.0 * 0.1);
    assert_eq!(wavenumbers(5, 0.1), [0.0, step, 2.0 * step, -2.0 * step, -step]);
    let step = TAU / (4.0 * 0.1);
    assert_eq!(wavenumbers(4, 0.1), [0.0, step, -2.0 * step, -step]);
}

#[test]
fn branch_and_propagator() {
    let kz = vertical_wavenumber(5.0, 3.0);
    assert_eq!((kz.re, kz.im), (4.0, 0.0));
    let kz = vertical_wavenumber(3.0, 5.0);
    assert_eq!((kz.re, kz.im), (0.0, -4.0));
    // Back towards the source: phase advances, evanescent waves grow; forward is the inverse of both.
    let back = propagator(5.0, 3.0, 0.1);
    near(back.arg(), 0.4);
    near(back.norm(), 1.0);
    near(propagator(3.0, 5.0, 0.1).re, 0.4f64.exp());
    for radial in [3.0, 8.0] {
        near((propagator(5.0, radial, 0.1) * propagator(5.0, radial, -0.1) - 1.0).norm(), 0.0);
    }
}

#[test]
fn filter_gain() {
    let filter = KFilter { cutoff: 50.0, slope: 0.3 };
    near(filter.gain(50.0), 0.5);
    near(filter.gain(0.0), 1.0 - 0.5 * (-1.0f64 / 0.3).exp());
    near(filter.gain(65.0), 0.5 * (-1.0f64).exp());
    near(filter.gain(35.0), 1.0 - 0.5 * (-1.0f64).exp());
    assert_eq!([0.0, 1.0, 1e300].map(|k| KFilter::NONE.gain(k)), [1.0; 3]);
    let wall = KFilter { cutoff: 50.0, slope: 0.0 };
    assert_eq!([49.0, 50.0, 51.0].map(|k| wall.gain(k)), [1.0, 0.5, 0.0]);
    for radial in [0.0, 20.0, 50.0, 60.0, 200.0] {
        near(filter.gain_times_exp(radial, 3.0), filter.gain(radial) * 3.0f64.exp());
    }
    // exp(800) alone is infinite; the filter brings it back.
    assert!(filter.gain_times_exp(50.0 + 15.0 * 790.0, 800.0).is_finite());
    for (cutoff, slope) in
        [(0.0, 0.3), (-1.0, 0.3), (f64::NAN, 0.3), (50.0, -0.1), (50.0, f64::NAN), (50.0, f64::INFINITY)]
    {
        let error = KFilter { cutoff, slope }.check();
        assert!(matches!(error, Err(Error::Filter { .. })), "{cutoff} {slope}");
    }
}

#[test]
fn radii_cover_every_wavenumber() {
    for (rows, cols) in [(6, 6), (7, 10), (9, 5), (1, 4), (96, 96)] {
        let aperture = Aperture { rows: 1, cols: 2, pitch: 0.03 };
        let grid = Grid::new(aperture, rows, cols).unwrap();
        let (radii, (ky, kx)) = (Radii::new(&grid), grid.wavenumbers());
        assert!(radii.values().is_sorted_by(|a, b| a < b));
        let mut table = vec![f64::NAN; radii.half_rows() * cols];
        radii.spread(radii.values(), &mut table);
        for (i, ky) in ky.iter().enumerate() {
            for (j, kx) in kx.iter().enumerate() {
                near(radii.values()[radii.at(i, j)], kx.hypot(*ky));
                near(table[i.min(rows - i) * cols + j], kx.hypot(*ky));
            }
        }
    }
    let camera = Radii::new(&Grid::triple(Aperture::CAMERA).unwrap());
    assert!(camera.values().len() < 9216 / 8, "{}", camera.values().len());
}

#[test]
fn operator_refuses_what_the_precision_cannot_hold() {
    let grid = Grid::triple(Aperture::CAMERA).unwrap();
    let radii = Radii::new(&grid);
    let operator = Operator::new(&radii, &Medium::default(), 20.0, 1.0);
    let mut values = vec![Complex::<f32>::default(); radii.values().len()];
    let scaled = (Field::Pressure, 1.0);
    let error = operator.evaluate(&radii, &KFilter::NONE, scaled, &mut values).unwrap_err();
    let Error::Overflow { standoff, wavenumber, exponent, limit } = error else { panic!("{error:?}") };
    assert_eq!(standoff, 1.0);
    // The first radius beyond the limit is named: sqrt of the largest f32 is exp(44.36).
    assert!((limit - 44.36).abs() < 0.01 && exponent > limit && exponent < limit + 1.0, "{exponent} {limit}");
    near(vertical_wavenumber(20.0, wavenumber).im, -exponent);
    let hard = KFilter { cutoff: 30.0, slope: 0.02 };
    operator.evaluate(&radii, &hard, scaled, &mut values).unwrap();
    assert!(values.iter().all(|h| h.re.is_finite() && h.im.is_finite()));
    let mut values = vec![Complex::<f64>::default(); radii.values().len()];
    operator.evaluate(&radii, &KFilter::NONE, scaled, &mut values).unwrap();
}

#[test]
fn frequencies_between_zero_and_the_pitch_limit() {
    let (medium, aperture) = (Medium::default(), Aperture::CAMERA);
    near(highest_frequency(&medium, &aperture), 8575.0);
    assert!(checked_wavenumber(&medium, &aperture, 8574.9).is_ok());
    assert!(matches!(checked_wavenumber(&medium, &aperture, 8575.0), Err(Error::SpatialAliasing { .. })));
    for frequency in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(checked_wavenumber(&medium, &aperture, frequency), Err(Error::Frequency(..))));
    }
}
