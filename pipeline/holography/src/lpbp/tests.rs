use super::super::design::Aperture;
use super::super::{Padding, reference};
use super::*;

type C = Complex<f64>;

fn camera() -> Grid {
    Grid::triple(Aperture::CAMERA).unwrap()
}

fn hologram(field: impl Fn(f64, f64) -> C) -> Vec<C> {
    (0..1024).map(|i| field((i / 32) as f64 - 15.5, (i % 32) as f64 - 15.5)).collect()
}

fn rounded(hologram: &[C]) -> Vec<Complex<f32>> {
    hologram.iter().map(|x| Complex::new(x.re as f32, x.im as f32)).collect()
}

/// A monopole `depth` pitches behind the plane, at (y, x).
fn monopole(k: f64, (y0, x0, depth): (f64, f64, f64)) -> Vec<C> {
    hologram(|y, x| {
        let r = ((y - y0).powi(2) + (x - x0).powi(2) + depth * depth).sqrt();
        C::from_polar(1.0 / r, -k * r)
    })
}

/// Ideal fields: predictable to the last digit, or nearly.
fn ideal() -> Vec<(String, Vec<C>)> {
    let mut fields = vec![
        ("constant".to_string(), hologram(|_, _| C::new(0.3, -0.7))),
        ("zero".to_string(), hologram(|_, _| C::ZERO)),
        ("one sample".to_string(), hologram(|y, x| C::from(f64::from(y == 3.5 && x == -2.5)))),
        ("ramp".to_string(), hologram(|y, x| C::new(x, y))),
        ("parabola".to_string(), hologram(|y, x| C::from(x * x + 0.3 * y * y))),
        ("growing wave".to_string(), hologram(|y, x| C::from_polar((0.2 * x).exp(), 0.1 * y))),
    ];
    for (ky, kx) in [(0.0, 0.3), (0.2, -0.5), (1.0, 3.1)] {
        fields.push((format!("plane wave {ky} {kx}"), hologram(|y, x| C::cis(-ky * y - kx * x))));
    }
    for k in [0.08, 0.4, 1.2] {
        for place in [(0.0, 0.0, 2.5), (6.0, -3.5, 4.0), (-12.0, 15.0, 3.0)] {
            fields.push((format!("monopole {k} {place:?}"), monopole(k, place)));
        }
    }
    fields
}

fn largest<T: Real>(values: impl IntoIterator<Item = Complex<T>>) -> f64 {
    values.into_iter().map(|x| x.norm().to_f64()).fold(0.0, |m, x| if x <= m { m } else { x })
}

/// The bound of the module page, with room for rounding: every rotation of the lattice rounds to a few parts of the
/// precision, so 1 % is far more than 64 steps of p <= 31 stages can add.
fn bound(order: usize, samples: usize) -> f64 {
    1.01 * ((2 * order - 1) as f64 * samples as f64).sqrt()
}

fn stays_bounded<T: Real>(name: &str, field: &[Complex<T>]) {
    let (grid, peak) = (camera(), largest(field.iter().copied()));
    for order in (1..=16).chain([31]) {
        let padded = extend(field, &grid, order).unwrap();
        let inside = |i: usize| (32..64).contains(&i);
        for (i, x) in padded.iter().enumerate() {
            let steps = i32::from(!inside(i / 96)) + i32::from(!inside(i % 96));
            let limit = peak * bound(order, 32).powi(steps) * (1.0 + 1e-6);
            assert!(x.norm().to_f64() <= limit, "{name}, order {order}, {i}: {x} beyond {limit:e}");
        }
    }
}

#[test]
fn ideal_fields_stay_bounded() {
    for (name, field) in ideal() {
        stays_bounded(&format!("{name} f64"), &field);
        stays_bounded(&format!("{name} f32"), &rounded(&field));
    }
}

/// Measured on these fields: 2.6 times the maximum in `f64`, 2.4 in `f32`. A pole outside the unit circle shows as
/// orders of magnitude.
#[test]
fn ideal_fields_stay_small_in_f32() {
    for (name, field) in ideal().into_iter().filter(|(name, _)| name != "growing wave") {
        let (field, grid) = (rounded(&field), camera());
        for order in (1..=16).chain([31]) {
            let ratio = largest(extend(&field, &grid, order).unwrap()) / largest(field.iter().copied());
            assert!(ratio <= 4.0 || name == "zero", "{name}, order {order}: {ratio}");
        }
    }
}

/// The model of order 1 is exact. N products are summed for k_1, so its phase is wrong by at most N u, and the field by
/// as much at each of the 32 + 32 steps to a corner.
fn continues_plane_waves<T: Real>() {
    let tolerance = 64.0 * 32.0 * T::epsilon().to_f64();
    let wave = |y: f64, x: f64| {
        let phase = C::cis(-0.2 * y + 0.5 * x);
        Complex::new(T::of(phase.re), T::of(phase.im))
    };
    let field: Vec<_> = (0..1024).map(|i| wave((i / 32) as f64, (i % 32) as f64)).collect();
    for order in [1, 2, 8, 16, 31] {
        for (i, x) in extend(&field, &camera(), order).unwrap().iter().enumerate() {
            let exact = wave((i / 96) as f64 - 32.0, (i % 96) as f64 - 32.0);
            let error = (x - exact).norm().to_f64();
            assert!(error <= tolerance, "order {order}, {i}: {error:e}");
        }
    }
}

#[test]
fn plane_waves_continue() {
    continues_plane_waves::<f64>();
    continues_plane_waves::<f32>();
}

/// A field with noise at -60 dB of its peak.
fn measured(rows: usize, cols: usize) -> Vec<C> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut noise = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        1e-3 * ((state >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    };
    let value = |i: usize| {
        let (y, x) = ((i / cols) as f64 - 3.0, (i % cols) as f64 - 10.0);
        let r = (x * x + y * y + 9.0).sqrt();
        C::from_polar(3.0 / r, -0.4 * r)
    };
    (0..rows * cols).map(|i| value(i) + C::new(noise(), noise())).collect()
}

/// Noise at 1e-3 keeps the condition of the fit near 1e3 and that of a second fit near 1e6, against rounding of 1e-16
/// (1e-7 for `f32`, which only meets the first).
#[test]
fn measured_data_as_by_definition() {
    for (rows, cols, grid_rows, grid_cols) in
        [(32, 32, 96, 96), (7, 19, 20, 40), (33, 17, 33, 64), (2, 2, 5, 6)]
    {
        let grid = Grid::new(Aperture { rows, cols, pitch: 0.02 }, grid_rows, grid_cols).unwrap();
        let values = measured(rows, cols);
        let peak = largest(values.iter().copied());
        for order in (1..=16).filter(|&p| p < rows.min(cols)) {
            let ours = extend(&values, &grid, order).unwrap();
            let hologram = reference::Array { rows, cols, values: values.clone() };
            let expected = reference::padded(&hologram, &grid, Padding::Lpbp { order }).values;
            let error = largest(ours.iter().zip(&expected).map(|(a, b)| a - b));
            assert!(error <= 1e-10 * peak, "{rows} x {cols}, order {order}: {error:e}");
            let single = extend(&rounded(&values), &grid, order).unwrap();
            let wide = single.iter().map(|x| C::new(f64::from(x.re), f64::from(x.im)));
            let error = largest(wide.zip(&expected).map(|(a, b)| a - b));
            assert!(error <= 1e-3 * peak, "{rows} x {cols}, order {order}, f32: {error:e}");
        }
    }
}

#[test]
fn aperture_is_kept_and_scale_does_not_matter() {
    let field = rounded(&measured(32, 32));
    let padded = extend(&field, &camera(), 8).unwrap();
    for (i, x) in field.iter().enumerate() {
        assert_eq!(padded[(32 + i / 32) * 96 + 32 + i % 32], *x);
    }
    for factor in [2f32.powi(100), 2f32.powi(-100)] {
        let scaled: Vec<_> = field.iter().map(|x| x * factor).collect();
        let expected: Vec<_> = padded.iter().map(|x| x * factor).collect();
        assert_eq!(extend(&scaled, &camera(), 8).unwrap(), expected, "{factor:e}");
    }
    for extreme in [f32::MAX / 8.0, f32::MIN_POSITIVE, 1e-44] {
        let scaled: Vec<_> = field.iter().map(|x| x * extreme).collect();
        let padded = extend(&scaled, &camera(), 8).unwrap();
        assert!(padded.iter().all(|x| x.re.is_finite() && x.im.is_finite()), "{extreme:e}");
    }
}

#[test]
fn bad_input_is_refused() {
    let (nan, infinity, most) = (f32::NAN, f32::INFINITY, f32::MAX);
    for (re, im) in [(nan, 1.0), (1.0, nan), (infinity, 0.0), (0.0, -infinity), (most, most)] {
        let mut field = rounded(&measured(32, 32));
        field[5 * 32 + 7] = Complex::new(re, im);
        let error = extend(&field, &camera(), 8).unwrap_err();
        assert_eq!(error, Error::NotFinite { hologram: 0, row: 5, col: 7 });
    }
    let field = measured(32, 32);
    for order in [0, 32, 100] {
        assert_eq!(extend(&field, &camera(), order), Err(Error::Order { order, samples: 32 }));
    }
    assert!(matches!(
        extend(&field[1..], &camera(), 8),
        Err(Error::Length { given: 1023, needed: 1024, .. })
    ));
}
