//! Perceptually uniform colour maps, made in OKLab (Ottosson 2020), a space in which equal distances look
//! about equally different. All of them stay inside sRGB (tested).
//!
//! [`colour`], for levels, goes from dark violet over teal to light yellow. With t from 0 to 1, lightness
//! rises in proportion to t, so that the map keeps its order in grey print and for the colour blind; the hue
//! turns in proportion to t; the chroma is the parabola through three values:
//!
//! ```text
//! L = 0.20 + 0.72 t      h = 310 - 210 t degrees      C(0) = 0.10, C(1/2) = 0.09, C(1) = 0.14
//! ```
//!
//! Neighbouring steps differ by the same distance to within 15 % over the whole map (tested).
//!
//! [`cyclic`], for angles, is a circle of radius 0.14 around the grey L = 0.72. All steps are equal. Its
//! plane is tilted, so that angle 0 (green) is 0.16 lighter than half a turn (magenta) and grey print keeps
//! the difference.
//!
//! [`diverging`], for signed numbers, goes from blue over near white to red in two straight lines, with t
//! from 0 to 1 and zero at 1/2: L = 0.97 - 0.52 |2t - 1|, C = 0.15 |2t - 1|, h = 265 or 25 degrees.

use plotters::style::RGBColor;

/// The colour of `t`, which is limited to 0 .. 1.
pub fn colour(t: f64) -> RGBColor {
    rgb(oklab(t.clamp(0.0, 1.0)))
}

/// The colour of `t` turns, of which whole ones do not count.
pub fn cyclic(t: f64) -> RGBColor {
    rgb(circle(t))
}

/// The colour of `t`, which is limited to 0 .. 1; 1/2 is near white.
pub fn diverging(t: f64) -> RGBColor {
    rgb(two_lines(t.clamp(0.0, 1.0)))
}

fn rgb(lab: [f64; 3]) -> RGBColor {
    let [r, g, b] = linear_rgb(lab).map(encode);
    RGBColor(r, g, b)
}

/// Lightness, green-red and blue-yellow coordinates.
fn oklab(t: f64) -> [f64; 3] {
    let hue = (310.0 - 210.0 * t).to_radians();
    let chroma = 0.10 * (1.0 - t) * (1.0 - 2.0 * t) + 0.09 * 4.0 * t * (1.0 - t) + 0.14 * t * (2.0 * t - 1.0);
    [0.20 + 0.72 * t, chroma * hue.cos(), chroma * hue.sin()]
}

/// Centre (0.72, 0, 0); half axes of one length along the direction that is tilted by 0.08 and along the
/// level one.
fn circle(t: f64) -> [f64; 3] {
    const RADIUS: f64 = 0.14;
    const TILT: f64 = 0.08;
    let (hue, turn) = (165f64.to_radians(), std::f64::consts::TAU * t);
    let (tilted, level) = ((RADIUS * RADIUS - TILT * TILT).sqrt() * turn.cos(), RADIUS * turn.sin());
    let (sin, cos) = hue.sin_cos();
    [0.72 + TILT * turn.cos(), tilted * cos - level * sin, tilted * sin + level * cos]
}

fn two_lines(t: f64) -> [f64; 3] {
    let signed = 2.0 * t - 1.0;
    let hue = if signed < 0.0 { 265f64 } else { 25f64 }.to_radians();
    let chroma = 0.15 * signed.abs();
    [0.97 - 0.52 * signed.abs(), chroma * hue.cos(), chroma * hue.sin()]
}

/// OKLab to linear sRGB, by its definition.
fn linear_rgb([lightness, a, b]: [f64; 3]) -> [f64; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// One linear component to its byte, by the sRGB curve.
fn encode(linear: f64) -> u8 {
    let value = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (255.0 * value).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 256 colours of a map, and the ratio of its largest step to its smallest.
    fn walk(map: impl Fn(f64) -> [f64; 3]) -> (Vec<[f64; 3]>, f64) {
        let path: Vec<[f64; 3]> = (0..256).map(|i| map(f64::from(i) / 255.0)).collect();
        let steps = path.windows(2).map(|w| (0..3).map(|i| (w[1][i] - w[0][i]).powi(2)).sum::<f64>().sqrt());
        let (least, most) = steps.fold((f64::MAX, 0.0f64), |(least, most), d| (least.min(d), most.max(d)));
        (path, most / least)
    }

    #[test]
    fn steps_are_uniform_and_inside_srgb() {
        let equal = 1.0 + 1e-9;
        for ((path, ratio), most) in [
            (walk(oklab), 1.15),
            (walk(circle), equal),
            (walk(|t| two_lines(0.5 * t)), equal),
            (walk(|t| two_lines(0.5 + 0.5 * t)), equal),
        ] {
            assert!(ratio < most, "{ratio}");
            assert!(path.iter().flat_map(|&lab| linear_rgb(lab)).all(|c| (0.0..=1.0).contains(&c)));
        }
    }

    #[test]
    fn cycles_close_and_signs_are_symmetric() {
        assert_eq!((cyclic(-0.5), cyclic(0.25)), (cyclic(0.5), cyclic(-0.75)));
        assert!(circle(0.0)[0] - circle(0.5)[0] > 0.15);
        assert_eq!(two_lines(0.2)[0], two_lines(0.8)[0]);
        let RGBColor(r, _, b) = diverging(1.0);
        let RGBColor(r_low, _, b_low) = diverging(0.0);
        assert!(r > b && b_low > r_low, "red is positive, blue negative");
    }

    #[test]
    fn white_and_black_are_where_oklab_has_them() {
        // The matrices' rows sum to 1 to within the digits of their definition.
        assert!(linear_rgb([1.0, 0.0, 0.0]).iter().all(|c| (c - 1.0).abs() < 1e-7));
        assert_eq!(linear_rgb([1.0, 0.0, 0.0]).map(encode), [255; 3]);
        assert_eq!(linear_rgb([0.0; 3]).map(encode), [0; 3]);
    }

    #[test]
    fn values_outside_take_the_end_colours() {
        assert_eq!(colour(-1.0), colour(0.0));
        assert_eq!(colour(7.0), colour(1.0));
        assert_ne!(colour(0.0), colour(1.0));
    }
}
