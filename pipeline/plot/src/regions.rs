//! What is asked of a far field: regions over directions, with the samples that they are judged at.
//!
//! u to the right and v up, in true proportion. Coverages are blue to green, regions to be kept quiet are red to yellow; a region's samples are dots of its own colour, those on the
//! boundary black. The legend has names and levels.

use plotters::style::{BLACK, RGBColor};

use super::canvas::Canvas;
use super::error::{all_finite, ends, same_length};
use super::plane::{Plane, legend, legend_width};
use super::{Error, Result};

const FIGURE: &str = "regions";

const COVERED: [RGBColor; 4] =
    [RGBColor(30, 80, 160), RGBColor(40, 140, 90), RGBColor(90, 70, 170), RGBColor(20, 140, 160)];
const QUIET: [RGBColor; 4] =
    [RGBColor(205, 95, 40), RGBColor(180, 40, 60), RGBColor(180, 140, 20), RGBColor(150, 60, 140)];

/// A region.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    /// Name and levels.
    pub name: &'a str,
    /// Closed outline, where there is one.
    pub outline: Option<&'a [[f64; 2]]>,
    /// u of the samples.
    pub u: &'a [f64],
    /// v of the samples.
    pub v: &'a [f64],
    /// Samples that are not on the boundary.
    pub interior: usize,
    /// To be covered, not kept quiet.
    pub covered: bool,
}

/// All regions of a mask.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// The regions; later ones are drawn over earlier ones.
    pub regions: &'a [Region<'a>],
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        let plane = self.plane()?;
        let colours = self.colours();
        let mut rows: Vec<(RGBColor, &str)> =
            self.regions.iter().zip(&colours).map(|(region, colour)| (*colour, region.name)).collect();
        rows.push((BLACK, "on a boundary"));
        let names: Vec<&str> = rows.iter().map(|(_, name)| *name).collect();
        let sheet = plane.right() + legend_width(&names)?;
        let mut canvas = Canvas::new(sheet, plane.sheet_height());
        for (region, &colour) in self.regions.iter().zip(&colours) {
            if let Some(outline) = region.outline {
                plane.ring(&mut canvas, outline, 2.0, colour);
            }
            let radius = self.radius(&plane, region);
            for (at, (&u, &v)) in region.u.iter().zip(region.v).enumerate() {
                let inside = at < region.interior;
                let (radius, colour) = if inside { (radius, colour) } else { (0.7 * radius, BLACK) };
                plane.disc(&mut canvas, [u, v], radius, colour);
            }
        }
        plane.axes(&mut canvas, self.title, sheet, ["u", "v"], 1.0)?;
        legend(&mut canvas, &plane, &rows)?;
        Ok(canvas)
    }

    /// Dots that leave room between each other.
    fn radius(&self, plane: &Plane, region: &Region<'_>) -> f64 {
        let inside = region.u.iter().zip(region.v).take(region.interior);
        let steps = inside.clone().zip(inside.skip(1)).map(|((a, b), (c, d))| (a - c).hypot(b - d));
        let step = steps.filter(|step| *step > 0.0).fold(f64::INFINITY, f64::min);
        (0.25 * plane.length(step)).clamp(1.0, 6.0)
    }

    fn colours(&self) -> Vec<RGBColor> {
        let (mut covered, mut quiet) = (COVERED.iter().cycle(), QUIET.iter().cycle());
        let next = |region: &Region<'_>| if region.covered { covered.next() } else { quiet.next() };
        self.regions.iter().map(next).map(|colour| *colour.unwrap_or(&BLACK)).collect()
    }

    fn plane(&self) -> Result<Plane> {
        for region in self.regions {
            same_length(FIGURE, region.v.len(), region.u.len())?;
            all_finite(FIGURE, "u", region.u)?;
            all_finite(FIGURE, "v", region.v)?;
        }
        if self.regions.iter().all(|region| region.u.is_empty()) {
            return Err(Error::Empty(FIGURE));
        }
        let sides = |of: fn(&Region<'_>) -> Vec<f64>| -> Result<[f64; 2]> {
            let [low, high] = ends(FIGURE, self.regions.iter().flat_map(of))?;
            let rim = 0.05 * (high - low).max(1e-6);
            Ok([low - rim, high + rim])
        };
        Plane::new(FIGURE, sides(|region| region.u.to_vec())?, sides(|region| region.v.to_vec())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_colours_of_their_kind() {
        let (u, v) = ([0.0, 0.1, 0.0, 0.1], [0.0, 0.0, 0.1, 0.1]);
        let region = |covered| Region { name: "a", outline: None, u: &u, v: &v, interior: 3, covered };
        for (covered, colour) in [(true, COVERED[0]), (false, QUIET[0])] {
            let regions = [region(covered)];
            let canvas = Figure { title: "test", regions: &regions }.draw().unwrap();
            let plane = Figure { title: "test", regions: &regions }.plane().unwrap();
            let pixel = |at: usize| {
                let (x, y) = plane.pixel([u[at], v[at]]);
                canvas.pixel(x as i32, y as i32)
            };
            assert_eq!((pixel(0), pixel(3)), (colour, BLACK));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |u: &[f64], v: &[f64]| {
            let regions = [Region { name: "a", outline: None, u, v, interior: u.len(), covered: true }];
            Figure { title: "", regions: &regions }.draw().err()
        };
        assert!(matches!(draw(&[], &[]), Some(Error::Empty { .. })));
        assert!(matches!(draw(&[0.0], &[]), Some(Error::Length { .. })));
        assert!(matches!(draw(&[f64::NAN], &[0.0]), Some(Error::Axis { name: "u", .. })));
        assert!(draw(&[0.0], &[0.0]).is_none(), "a single direction");
    }
}
