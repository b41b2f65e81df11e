//! A minimisation on its way: the objective above, figures of merit below, over iterations. Stages have numbers between the panels and names beside them.

use plotters::style::RGBColor;

use super::axis::{Axis, Tick};
use super::canvas::{Canvas, LABEL, Place, TICK, text_width, widest};
use super::error::{ends, fault, same_length};
use super::line;
use super::panel::Panel;
use super::{Error, Result};

const FIGURE: &str = "convergence";

const LEFT: i32 = 240;
const TOP: i32 = 110;
const WIDTH: i32 = 1250;
const HEIGHT: i32 = 420;
const GAP: i32 = 90;
const BOTTOM: i32 = 150;
const LEGEND: i32 = 40;
const COLOURS: [RGBColor; 4] =
    [RGBColor(30, 80, 160), RGBColor(205, 95, 40), RGBColor(40, 140, 90), RGBColor(150, 60, 140)];
/// Type of the stages.
const STAGE_TYPE: i32 = TICK * 3 / 4;
const STAGE: RGBColor = RGBColor(150, 150, 150);

/// A run.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// Rising numbers of the iterations.
    pub iterations: &'a [f64],
    /// What was minimised, one for each iteration; stages may each have their own.
    pub objective: &'a [f64],
    /// Name and unit of the figures of merit.
    pub merit: &'a str,
    /// The figures of merit: name and a value for each iteration.
    pub curves: &'a [(&'a str, &'a [f64])],
    /// First iteration and name of every stage.
    pub stages: &'a [(f64, &'a str)],
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        self.check()?;
        let names = widest(self.curves.iter().map(|(name, _)| *name), TICK)?;
        let stages = widest(self.stages.iter().map(|(_, name)| *name), STAGE_TYPE)?;
        let sheet = LEFT + WIDTH + LEGEND + LABEL + (80 + names).max(60 + stages);
        let mut canvas = Canvas::new(sheet, TOP + 2 * HEIGHT + GAP + BOTTOM);
        let upper = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
        let lower = Panel { y: TOP + HEIGHT + GAP, ..upper };
        let (first, last) = (self.iterations[0], self.iterations[self.iterations.len() - 1]);
        let x = upper.horizontal(first, if last > first { last } else { first + 1.0 }, false);
        let across = x.ticks(130.0, 1.0);
        let merits: Vec<&[f64]> = self.curves.iter().map(|(_, values)| *values).collect();
        for (panel, curves, label) in
            [(&upper, &[self.objective][..], "objective"), (&lower, &merits[..], self.merit)]
        {
            let y = axis(panel, curves)?;
            let up = y.ticks(75.0, 1.0);
            panel.grid(&mut canvas, (&x, &across), (&y, &up));
            for (begin, _) in self.stages.iter().skip(1).filter(|(begin, _)| x.from < *begin && *begin < x.to)
            {
                canvas.fill((x.pixel(*begin) as i32 - 1, panel.y), (3, panel.height), STAGE);
            }
            for (at, values) in curves.iter().enumerate() {
                let point = |(&i, &v): (&f64, &f64)| {
                    let drawn = if v.is_finite() { y.pixel(v) } else { f64::NAN };
                    (x.pixel(i) - f64::from(panel.x), drawn)
                };
                let points: Vec<_> = self.iterations.iter().zip(*values).map(point).collect();
                let columns = line::columns(&points, panel.width);
                line::draw_line(&mut canvas, panel, &columns, COLOURS[at % COLOURS.len()]);
            }
            let title = if panel == &upper { self.title } else { "" };
            panel.frame(&mut canvas, title, TOP / 2, sheet)?;
            panel.left(&mut canvas, &y, &up, (label, LABEL))?;
        }
        let unnamed = across.iter().map(|t| Tick { label: String::new(), ..t.clone() });
        upper.below(&mut canvas, &x, &unnamed.collect::<Vec<_>>(), "")?;
        lower.below(&mut canvas, &x, &across, "iteration")?;
        self.stage_names(&mut canvas, &x)?;
        for (at, (name, _)) in self.curves.iter().enumerate() {
            let (left, y) = (LEFT + WIDTH + LEGEND, lower.y + 30 + 60 * at as i32);
            canvas.fill((left, y - 2), (60, 5), COLOURS[at % COLOURS.len()]);
            canvas.text(name, TICK, (left + 80, y), Place::Right)?;
        }
        Ok(canvas)
    }

    /// Numbers between the panels, where there is room for them, and names beside the upper one.
    fn stage_names(&self, canvas: &mut Canvas, x: &Axis) -> Result<()> {
        let row = (HEIGHT / self.stages.len().max(1) as i32).min(STAGE_TYPE * 5 / 3);
        for (at, (begin, name)) in self.stages.iter().enumerate() {
            let (number, left) = ((at + 1).to_string(), LEFT + WIDTH + LEGEND);
            let end = self.stages.get(at + 1).map_or(x.to, |(next, _)| *next);
            let (from, to) = (x.pixel(begin.max(x.from)), x.pixel(end.min(x.to)));
            if to - from > f64::from(text_width(&number, STAGE_TYPE)?) {
                let middle = (0.5 * (from + to)) as i32;
                canvas.text(&number, STAGE_TYPE, (middle, TOP + HEIGHT + GAP / 2 + 4), Place::Centre)?;
            }
            let y = TOP + row / 2 + row * at as i32;
            canvas.text(&number, STAGE_TYPE, (left + 36, y), Place::Left)?;
            canvas.text(name, STAGE_TYPE, (left + 60, y), Place::Right)?;
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let count = self.iterations.len();
        if count == 0 {
            return Err(Error::Empty(FIGURE));
        }
        let mut lengths = self.curves.iter().map(|(_, values)| values.len()).chain([self.objective.len()]);
        lengths.try_for_each(|found| same_length(FIGURE, found, count))?;
        let rises = |at: &usize| *at == 0 || self.iterations[at - 1] < self.iterations[*at];
        let good = |at: &usize| self.iterations[*at].is_finite() && rises(at);
        match (0..count).find(|at| !good(at)) {
            Some(at) => fault(FIGURE, "iteration", self.iterations[at], at, "they must be finite and rise"),
            None => Ok(()),
        }
    }
}

/// An axis that holds all finite values, with a twentieth to spare.
fn axis(panel: &Panel, curves: &[&[f64]]) -> Result<Axis> {
    let [low, high] = ends(FIGURE, curves.iter().copied().flatten().copied())?;
    let rim = if high > low { 0.05 * (high - low) } else { 0.5 * high.abs().max(1e-3) };
    Ok(panel.vertical(high + rim, low - rim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_drawn_and_gaps_left() {
        let iterations: Vec<f64> = (0..100).map(f64::from).collect();
        let falling: Vec<f64> = iterations.iter().map(|i| -30.0 - i / 50.0).collect();
        let mut rising: Vec<f64> = falling.iter().map(|v| -v).collect();
        rising[7] = f64::NAN;
        let figure = Figure {
            title: "test",
            iterations: &iterations,
            objective: &falling,
            merit: "directivity (dBi)",
            curves: &[("mean", &rising)],
            stages: &[(0.0, "first"), (60.0, "second")],
        };
        let canvas = figure.draw().unwrap();
        // The objective falls from the upper left to the lower right, 1/22 of the height from the frame.
        let rim = HEIGHT / 22;
        let drawn = |x: i32, y: i32| (y - 1..=y + 1).any(|y| canvas.pixel(x, y) == COLOURS[0]);
        assert!(drawn(LEFT + 2, TOP + rim) && drawn(LEFT + WIDTH - 3, TOP + HEIGHT - rim));
        assert!(!drawn(LEFT + 2, TOP + HEIGHT - rim));
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |iterations: &[f64], objective: &[f64]| {
            let figure = Figure {
                title: "",
                iterations,
                objective,
                merit: "",
                curves: &[("a", objective)],
                stages: &[],
            };
            figure.draw().err()
        };
        assert!(matches!(draw(&[], &[]), Some(Error::Empty { .. })));
        assert!(matches!(draw(&[0.0, 1.0], &[1.0]), Some(Error::Length { .. })));
        assert!(matches!(draw(&[0.0, 0.0], &[1.0, 1.0]), Some(Error::Axis { name: "iteration", at: 1, .. })));
        assert!(matches!(draw(&[0.0], &[f64::NAN]), Some(Error::NothingFinite { .. })));
        assert!(draw(&[0.0], &[1.0]).is_none());
    }
}
