//! Where the ticks of an axis go and what they say.
//!
//! Linear axes have steps of 1, 2 or 5 times a power of ten, the smallest that keeps the ticks apart.
//! Logarithmic axes have ticks at 1 to 9 times every power of ten; 1, 2 and 5 are labelled where there is
//! room, else 1 alone.

/// A mark on an axis; an empty label is a minor tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: String,
}

/// From values to pixels. `from` and `to` are what lies at the first and the last pixel, in either order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub from: f64,
    pub to: f64,
    pub first_pixel: f64,
    pub last_pixel: f64,
    pub logarithmic: bool,
}

impl Axis {
    /// The pixel, as a real number, of a value.
    pub fn pixel(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.logarithmic { v.ln() } else { v };
        let t = (scale(value) - scale(self.from)) / (scale(self.to) - scale(self.from));
        self.first_pixel + t * (self.last_pixel - self.first_pixel)
    }

    /// Ticks that lie inside, labelled ones at least `spacing` pixels apart, in units of `unit`.
    pub fn ticks(&self, spacing: f64, unit: f64) -> Vec<Tick> {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let length = (self.last_pixel - self.first_pixel).abs();
        if self.logarithmic {
            logarithmic(low, high, length, spacing)
        } else {
            linear(low, high, length, spacing, unit)
        }
    }

    /// Ticks at the whole multiples of `step`, a whole number, that lie inside.
    pub fn ticks_every(&self, step: f64) -> Vec<Tick> {
        multiples(self.from.min(self.to), self.from.max(self.to), step, 0, 1.0)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`, and its power of ten.
pub fn nice_step(least: f64) -> (f64, i32) {
    let power = least.log10().floor() as i32;
    let decade = 10f64.powi(power);
    // A step that is nice already must not be lost to rounding.
    match [1.0, 2.0, 5.0].into_iter().find(|m| m * decade >= least * (1.0 - 1e-9)) {
        Some(multiple) => (multiple * decade, power),
        None => (10.0 * decade, power + 1),
    }
}

fn linear(low: f64, high: f64, length: f64, spacing: f64, unit: f64) -> Vec<Tick> {
    let (low, high) = (low / unit, high / unit);
    let (step, power) = nice_step((high - low) * spacing / length);
    multiples(low, high, step, (-power).max(0) as usize, unit)
}

/// A tick at every multiple of `step`; `low`, `high` and `step` are in units of `unit`.
fn multiples(low: f64, high: f64, step: f64, digits: usize, unit: f64) -> Vec<Tick> {
    // A tick on the edge may lie outside by rounding only.
    let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
    let tick = |i: i64| {
        let value = i as f64 * step;
        // U+2212: a hyphen is too short for a sign.
        Tick { value: value * unit, label: format!("{value:.digits$}").replace('-', "\u{2212}") }
    };
    (first..=last).map(tick).collect()
}

fn logarithmic(low: f64, high: f64, length: f64, spacing: f64) -> Vec<Tick> {
    let decade = length / (high / low).log10();
    // 1 to 2 and 5 to 10 are the closest neighbours: 0.301 of a decade.
    let labelled: &[i32] = if 0.301 * decade >= spacing { &[1, 2, 5] } else { &[1] };
    let powers = (low.log10() - 1e-9).floor() as i32..=(high.log10() + 1e-9).floor() as i32;
    let values = powers.flat_map(|power| (1..=9).map(move |m| (m, f64::from(m) * 10f64.powi(power))));
    let inside = values.filter(|(_, value)| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(value));
    let label = |m: i32, value: f64| if labelled.contains(&m) { short(value) } else { String::new() };
    inside.map(|(m, value)| Tick { value, label: label(m, value) }).collect()
}

/// A number from a thousandth to a thousand, in thousands with a k, or below with a power of ten.
fn short(value: f64) -> String {
    // Rounding to nine digits drops what 10^n leaves behind.
    let tidy = |v: f64| format!("{}", (v * 1e9).round() / 1e9);
    match value {
        999.5.. => format!("{}k", tidy(value / 1000.0)),
        ..9.995e-4 => format!("{value:.0e}").replace('-', "\u{2212}"),
        _ => tidy(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(from: f64, to: f64, length: f64, logarithmic: bool) -> Axis {
        Axis { from, to, first_pixel: 0.0, last_pixel: length, logarithmic }
    }

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_include_the_ends() {
        let ticks = axis(-0.32, 0.32, 1000.0, false).ticks(120.0, 1.0);
        assert_eq!(labels(&ticks), ["\u{2212}0.3", "\u{2212}0.2", "\u{2212}0.1", "0.0", "0.1", "0.2", "0.3"]);
        let ticks = axis(-120.0, -20.0, 500.0, false).ticks(60.0, 1.0);
        assert_eq!(labels(&ticks)[0], "\u{2212}120");
        assert_eq!(labels(&ticks).last(), Some(&"\u{2212}20"));
        // Kilohertz on an axis in hertz.
        let ticks = axis(0.0, 23_437.5, 1300.0, false).ticks(150.0, 1000.0);
        assert_eq!(labels(&ticks), ["0", "5", "10", "15", "20"]);
        assert_eq!(ticks[1].value, 5000.0);
    }

    #[test]
    fn ticks_at_given_steps_include_the_ends() {
        let ticks = axis(180.0, -180.0, 300.0, false).ticks_every(90.0);
        assert_eq!(labels(&ticks), ["\u{2212}180", "\u{2212}90", "0", "90", "180"]);
    }

    #[test]
    fn steps_are_the_smallest_that_fit() {
        for (least, step) in [(0.1, 0.1), (0.11, 0.2), (3.0, 5.0), (5.1, 10.0), (1e-4, 1e-4)] {
            assert!((nice_step(least).0 / step - 1.0).abs() < 1e-12, "{least}");
        }
    }

    #[test]
    fn logarithmic_ticks_and_labels() {
        let ticks = axis(20.0, 20_000.0, 1500.0, true).ticks(100.0, 1.0);
        assert_eq!(labels(&ticks), ["20", "50", "100", "200", "500", "1k", "2k", "5k", "10k", "20k"]);
        assert_eq!(ticks.len(), 8 + 9 + 9 + 2);
        let ticks = axis(20.0, 20_000.0, 600.0, true).ticks(100.0, 1.0);
        assert_eq!(labels(&ticks), ["100", "1k", "10k"]);
        let ticks = axis(1e-5, 0.1, 600.0, true).ticks(100.0, 1.0);
        assert_eq!(labels(&ticks), ["1e\u{2212}5", "1e\u{2212}4", "0.001", "0.01", "0.1"]);
    }

    #[test]
    fn pixels_follow_the_scale() {
        assert_eq!(axis(0.0, 10.0, 500.0, false).pixel(2.5), 125.0);
        assert_eq!(axis(10.0, 0.0, 500.0, false).pixel(2.5), 375.0);
        assert!((axis(10.0, 1000.0, 500.0, true).pixel(100.0) - 250.0).abs() < 1e-9);
    }
}
