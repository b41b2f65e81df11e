//! A case that is checked.

use super::error::Error;
use crate::coverage::Specification;
use crate::layout;
use crate::model::{Elements, Model, Spacing};
use crate::spacing::Shape;
use crate::synthesis::{Method, Power, Stage, Task};

/// A case that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name.
    pub title: String,
    /// One for every frequency; the first sets the wavelength that lengths are given in.
    pub models: Vec<Model>,
    /// Elements of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Of the regular grid that the elements start from, m.
    pub pitch: f64,
    /// Limits of an aperiodic design; none leaves the elements on the grid.
    pub spacing: Option<Spacing>,
    /// Regions and levels.
    pub specification: Specification,
    /// Distance of the optimiser's samples in u and v; scores are taken at half of it.
    pub step: f64,
    /// How a design is judged on its way.
    pub method: Method,
    /// Directivities or gains.
    pub power: Power,
    /// What the mean counts for beside the least margin, 0 to 1.
    pub mean: f64,
    /// Designs that the synthesis begins with.
    pub starts: usize,
    /// What it does with them.
    pub stages: Vec<Stage>,
    /// The drawing of patches.
    pub layout: Option<LayoutCase>,
}

/// The drawing of patches.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutCase {
    /// How patches are made.
    pub settings: layout::Settings,
    /// Drawn from the front.
    pub mirrored: bool,
}

impl Case {
    /// The regular grid, all phases 0.
    pub fn elements(&self) -> Elements {
        Elements::grid(self.columns, self.rows, self.pitch)
    }

    /// What is to be synthesised, scored on a mask twice as fine as it is optimised on.
    pub fn task(&self) -> Result<Task, Error> {
        Ok(Task {
            bands: self.models.iter().map(|model| (model.clone(), 1.0)).collect(),
            shape: Shape { columns: self.columns, rows: self.rows },
            pitch: self.pitch,
            spacing: self.spacing,
            mask: self.specification.mask(self.step)?,
            fine: self.specification.mask(0.5 * self.step)?,
            mean: self.mean,
            starts: self.starts,
        })
    }
}
