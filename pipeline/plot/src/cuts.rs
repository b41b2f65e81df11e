//! Cuts through a far field: the directivity along one direction cosine at a time, one panel below the other.
//!
//! Parts of the axis that a coverage takes are grey. All panels have the same scale, [`Figure::range_db`] down from the highest value of all, rounded up to whole tens.

use plotters::style::RGBColor;

use super::canvas::{Canvas, LABEL};
use super::error::{all_finite, all_rising, ends, good_range, same_length};
use super::line;
use super::panel::Panel;
use super::{Error, Result};

const FIGURE: &str = "cuts";

const LEFT: i32 = 200;
const TOP: i32 = 110;
const WIDTH: i32 = 1500;
const HEIGHT: i32 = 480;
/// Below a panel: ticks, numbers, label.
const BELOW: i32 = 170;
const RIGHT: i32 = 60;
const CURVE: RGBColor = RGBColor(30, 80, 160);
const COVERED: RGBColor = RGBColor(226, 232, 240);

/// One cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a> {
    /// What the axis below is, and where the cut lies.
    pub label: &'a str,
    /// Direction cosines, rising.
    pub at: &'a [f64],
    /// One for each; what is not finite leaves a gap.
    pub directivity_dbi: &'a [f64],
    /// Parts of the axis inside coverages.
    pub covered: &'a [[f64; 2]],
}

/// Cuts with one scale.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// From above to below.
    pub cuts: &'a [Cut<'a>],
    /// Decibels that the panels span.
    pub range_db: f64,
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        let high = self.check()?;
        let sheet = LEFT + WIDTH + RIGHT;
        let mut canvas = Canvas::new(sheet, TOP + (HEIGHT + BELOW) * self.cuts.len() as i32);
        for (at, cut) in self.cuts.iter().enumerate() {
            let panel =
                Panel { x: LEFT, y: TOP + (HEIGHT + BELOW) * at as i32, width: WIDTH, height: HEIGHT };
            let title = if at == 0 { self.title } else { "" };
            self.cut(&mut canvas, &panel, cut, (title, sheet), high)?;
        }
        Ok(canvas)
    }

    fn cut(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        cut: &Cut<'_>,
        (title, sheet): (&str, i32),
        high: f64,
    ) -> Result<()> {
        let x = panel.horizontal(cut.at[0], cut.at[cut.at.len() - 1], false);
        let y = panel.vertical(high, high - self.range_db);
        for &[from, to] in cut.covered {
            let inside = |value: f64| x.pixel(value).clamp(x.first_pixel, x.last_pixel) as i32;
            canvas.fill((inside(from), panel.y), (inside(to) - inside(from), panel.height), COVERED);
        }
        let (across, up) = (x.ticks(130.0, 1.0), y.ticks(75.0, 1.0));
        panel.grid(canvas, (&x, &across), (&y, &up));
        let point = |(&at, &dbi): (&f64, &f64)| {
            (x.pixel(at) - f64::from(panel.x), if dbi.is_finite() { y.pixel(dbi) } else { f64::NAN })
        };
        let points: Vec<_> = cut.at.iter().zip(cut.directivity_dbi).map(point).collect();
        line::draw_line(canvas, panel, &line::columns(&points, panel.width), CURVE);
        panel.frame(canvas, title, TOP / 2, sheet)?;
        panel.left(canvas, &y, &up, ("directivity (dBi)", LABEL))?;
        panel.below(canvas, &x, &across, cut.label)
    }

    /// The highest value, rounded up.
    fn check(&self) -> Result<f64> {
        if self.cuts.is_empty() || self.cuts.iter().any(|cut| cut.at.len() < 2) {
            return Err(Error::Empty(FIGURE));
        }
        good_range(FIGURE, self.range_db)?;
        for cut in self.cuts {
            same_length(FIGURE, cut.directivity_dbi.len(), cut.at.len())?;
            all_finite(FIGURE, "direction cosine", cut.at)?;
            all_rising(FIGURE, "direction cosine", cut.at, "they must rise")?;
        }
        let [_, highest] = ends(FIGURE, self.cuts.iter().flat_map(|cut| cut.directivity_dbi).copied())?;
        Ok(10.0 * (0.1 * highest).ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_coverages_lie_where_they_should() {
        let at: Vec<f64> = (0..101).map(|i| 0.02 * f64::from(i) - 1.0).collect();
        let values: Vec<f64> = at.iter().map(|u| 28.0 - 40.0 * u.abs()).collect();
        let cut = Cut { label: "u at v = 0", at: &at, directivity_dbi: &values, covered: &[[-0.1, 0.1]] };
        let canvas = Figure { title: "test", cuts: &[cut, cut], range_db: 60.0 }.draw().unwrap();
        // The highest value is 28 of 30 dBi: 2/60 below the upper edge; half way to the edge it is 20 dB lower.
        for panel in 0..2 {
            let top = TOP + panel * (HEIGHT + BELOW);
            let drawn = |x: i32, db: f64| {
                let y = top + (db / 60.0 * f64::from(HEIGHT)) as i32;
                (y - 3..=y + 3).any(|y| canvas.pixel(x, y) == CURVE)
            };
            assert!(drawn(LEFT + WIDTH / 2, 2.0) && drawn(LEFT + WIDTH / 4, 22.0) && !drawn(LEFT + 9, 2.0));
            assert_eq!(canvas.pixel(LEFT + WIDTH / 2 + 20, top + HEIGHT - 20), COVERED);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |at: &[f64], values: &[f64], range_db: f64| {
            let cuts = [Cut { label: "", at, directivity_dbi: values, covered: &[] }];
            Figure { title: "", cuts: &cuts, range_db }.draw().err()
        };
        assert!(draw(&[0.0, 1.0], &[1.0, f64::NAN], 40.0).is_none());
        assert!(matches!(draw(&[0.0], &[1.0], 40.0), Some(Error::Empty { .. })));
        assert!(matches!(draw(&[0.0, 1.0], &[1.0], 40.0), Some(Error::Length { .. })));
        assert!(matches!(draw(&[0.0, 0.0], &[1.0, 1.0], 40.0), Some(Error::Axis { at: 1, .. })));
        assert!(matches!(draw(&[0.0, f64::NAN], &[1.0; 2], 40.0), Some(Error::Axis { at: 1, .. })));
        assert!(matches!(draw(&[0.0, 1.0], &[f64::NAN; 2], 40.0), Some(Error::NothingFinite { .. })));
        assert!(matches!(draw(&[0.0, 1.0], &[1.0; 2], f64::NAN), Some(Error::Axis { name: "range", .. })));
    }
}
