//! A perceptually uniform colour map from dark violet over teal to light yellow.
//!
//! Made in OKLab (Ottosson 2020), a space in which equal distances look about equally different. With t from
//! 0 to 1, lightness rises in proportion to t, so that the map keeps its order in grey print and for the
//! colour blind; the hue turns in proportion to t; the chroma is the parabola through three values that stays
//! inside sRGB everywhere:
//!
//! ```text
//! L = 0.20 + 0.72 t      h = 310 - 210 t degrees      C(0) = 0.10, C(1/2) = 0.09, C(1) = 0.14
//! ```
//!
//! Neighbouring steps differ by the same distance to within 15 % over the whole map (tested).

use plotters::style::RGBColor;

/// The colour of `t`, which is limited to 0 .. 1.
pub fn colour(t: f64) -> RGBColor {
    let [r, g, b] = linear_rgb(oklab(t.clamp(0.0, 1.0))).map(encode);
    RGBColor(r, g, b)
}

/// Lightness, green-red and blue-yellow coordinates.
fn oklab(t: f64) -> [f64; 3] {
    let hue = (310.0 - 210.0 * t).to_radians();
    let chroma = 0.10 * (1.0 - t) * (1.0 - 2.0 * t) + 0.09 * 4.0 * t * (1.0 - t) + 0.14 * t * (2.0 * t - 1.0);
    [0.20 + 0.72 * t, chroma * hue.cos(), chroma * hue.sin()]
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

    #[test]
    fn steps_are_uniform_and_inside_srgb() {
        let path: Vec<[f64; 3]> = (0..=255).map(|i| oklab(f64::from(i) / 255.0)).collect();
        let steps = path.windows(2).map(|w| (0..3).map(|i| (w[1][i] - w[0][i]).powi(2)).sum::<f64>().sqrt());
        let (least, most) = steps.fold((f64::MAX, 0.0f64), |(least, most), d| (least.min(d), most.max(d)));
        assert!(most / least < 1.15, "{}", most / least);
        assert!(path.iter().flat_map(|&lab| linear_rgb(lab)).all(|c| (0.0..=1.0).contains(&c)));
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
