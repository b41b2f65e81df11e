//! What is evaluated, whatever evaluates it: arrays, directions, starts and the names of the rows.

use crate::context::Result;
use reflectarray::case;
use reflectarray::cpu::{Directions, Plan};
use reflectarray::objective::{Objective, SoftMinimum};
use reflectarray::positions::Map;
use reflectarray::problem::{Moving, Phases, Positions, Problem};
use reflectarray::score::samples;
use reflectarray::spacing::Shape;
use reflectarray::{Elements, Error, Mask, Model, Region, Spacing, Task};
use std::path::Path;

/// Rows of every case.
pub const SINGLE: &str = "objective and gradient, one at a time";
/// As many starts in lock step.
pub const BATCH: usize = 16;
/// What the synthesis asks of fields.
pub const TOLERANCE: f64 = 1e-7;

/// Side of the large array, in elements, and of its square of directions.
const LARGE: usize = 100;
const SQUARE: usize = 200;
/// Nodes of the map of positions, metres over wavelength of its unit, and room for elements on their way: the synthesis' own.
const NODES: usize = 9;
const UNIT: f64 = 0.4;
const FARTHER: f64 = 1.15;

/// The name of the row of a batch.
pub fn batch() -> String {
    format!("objective and gradient, {BATCH} starts in lock step")
}

/// An array and directions.
pub struct Case {
    /// In the names of rows.
    pub name: String,
    /// Feed, frequency and elements.
    pub model: Model,
    /// Columns and rows.
    pub shape: Shape,
    /// Of the regular grid, m.
    pub pitch: f64,
    /// Limits of elements that move.
    pub spacing: Option<Spacing>,
    /// Directions.
    pub mask: Mask,
}

/// All of them: Europe's 71 x 71, 1e4 elements with 200 x 200 directions, and America's 44 x 44, which moves.
pub fn cases() -> Result<[Case; 3]> {
    let europe = built_in("europe-71")?;
    let large = large(&europe.bands[0].0);
    Ok([Case::of(europe, "Europe"), large, Case::of(built_in("conus-44")?, "ConUS and Canada, moving,")])
}

/// A built-in case as a task.
pub fn built_in(name: &str) -> Result<Task> {
    let (tables, folder) = case::load(Path::new(name))?;
    Ok(tables.resolve(&folder)?.task()?)
}

/// The feed of Europe, half a wavelength between elements, and a square of directions about the axis at the usual step: a twelfth of the
/// wavelength over the side.
fn large(model: &Model) -> Case {
    let pitch = 0.5 * model.wavelength();
    let step = model.wavelength() / (LARGE as f64 * pitch) / 12.0;
    let along = |i: usize| (i as f64 - 0.5 * (SQUARE - 1) as f64) * step;
    let (u, v) = (0..SQUARE * SQUARE).map(|i| (along(i % SQUARE), along(i / SQUARE))).unzip();
    let region = Region {
        name: "square".into(),
        u,
        v,
        interior: SQUARE * SQUARE,
        lower_dbi: Some(0.0),
        weight: 1.0,
        upper_dbi: None,
    };
    let solid_angle = (SQUARE as f64 * step).powi(2);
    Case {
        name: format!("{LARGE} x {LARGE}, {SQUARE} x {SQUARE} directions within {:.3}", along(SQUARE - 1)),
        model: model.clone(),
        shape: Shape { columns: LARGE, rows: LARGE },
        pitch,
        spacing: None,
        mask: Mask { regions: vec![region], solid_angle },
    }
}

impl Case {
    fn of(task: Task, name: &str) -> Self {
        let Task { mut bands, shape, pitch, spacing, mask, .. } = task;
        let Shape { columns, rows } = shape;
        let name = format!("{name} {columns} x {rows}, {} directions", mask.len());
        Self { name, model: bands.swap_remove(0).0, shape, pitch, spacing, mask }
    }

    /// The regular grid, with the phases of a start on top of what brings elements in phase.
    pub fn elements(&self, start: usize) -> Elements {
        let mut elements = Elements::grid(self.shape.columns, self.shape.rows, self.pitch);
        let beta = self.model.wavenumber();
        let places = elements.x.iter().zip(&elements.y).zip(self.phi(start));
        elements.phase = places.map(|((x, y), phi)| phi + self.model.feed.light(beta, *x, *y).path).collect();
        elements
    }

    /// The phase of the aperture of a start, rad: a parabola that widens the beam to some width, another one for every start.
    pub fn phi(&self, start: usize) -> Vec<f64> {
        let Elements { x, y, .. } = Elements::grid(self.shape.columns, self.shape.rows, self.pitch);
        let half = 0.5 * self.pitch * self.shape.columns.max(self.shape.rows) as f64;
        let bend = 0.5 * self.model.wavenumber() * (0.04 + 0.005 * start as f64) / half;
        x.iter().zip(&y).map(|(x, y)| bend * (x * x + y * y)).collect()
    }

    /// What is minimised.
    pub fn objective(&self) -> SoftMinimum {
        SoftMinimum::new(&self.mask, 0.1, 20.0)
    }

    /// Farthest x and y of elements that move, m.
    pub fn reach(&self) -> [f64; 2] {
        let pitch = self.spacing.map_or(self.pitch, |spacing| spacing.max);
        [self.shape.columns, self.shape.rows].map(|lines| FARTHER * 0.5 * pitch * (lines - 1) as f64)
    }

    fn map(&self) -> Map {
        Map::new(self.shape, NODES)
    }

    /// All unknowns of a start: phases, and of elements that move the nodes of their map.
    pub fn unknowns(&self, start: usize) -> Vec<f64> {
        let mut unknowns = self.phi(start);
        if self.spacing.is_some() {
            let width = |lines: usize| self.pitch * (lines - 1) as f64;
            let unit = UNIT * self.model.wavelength();
            let nodes = [(self.shape.columns, 0), (self.shape.rows, 1)]
                .map(|(lines, axis)| self.map().even(width(lines), axis));
            unknowns.extend(nodes.iter().flatten().map(|metres| metres / unit));
        }
        unknowns
    }

    /// The CPU's plan.
    pub fn plan(&self) -> Result<Plan, Error> {
        let (u, v) = samples(&self.mask);
        let directions = Directions { u: &u, v: &v };
        if self.spacing.is_some() {
            return Plan::moving(&self.model, directions, self.shape.len(), self.reach(), TOLERANCE);
        }
        let Elements { x, y, .. } = self.elements(0);
        Plan::fixed(&self.model, directions, &x, &y, TOLERANCE)
    }

    /// The CPU's functions of all unknowns, for so many starts.
    pub fn problem<'a>(&'a self, objective: &'a dyn Objective, starts: usize) -> Result<Problem<'a>, Error> {
        let plan = self.plan()?;
        let positions = match self.spacing {
            Some(spacing) => Positions::Moving(Moving {
                map: self.map(),
                shape: self.shape,
                spacing,
                penalty: 1e2,
                unit: UNIT * self.model.wavelength(),
                reach: self.reach(),
            }),
            None => {
                let Elements { x, y, .. } = self.elements(0);
                Positions::Fixed(vec![vec![plan.places(&x, &y)?]])
            }
        };
        Ok(Problem::new(vec![(plan, 1.0)], Phases::Each, positions, objective, &self.mask, starts))
    }
}
