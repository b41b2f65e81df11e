//! Entries of the matrix on demand, one row or column of a block at a time, as the fills have them.

use super::design::Bodies;
use super::kress::{Body, Steps};
use super::lcn::Lcn;
use super::settings::{Method, Settings};
use super::{Error, pulse};
use num_complex::Complex;
use rayon::prelude::*;
use std::ops::Range;

type C = Complex<f64>;

/// A matrix that is never stored as a whole.
pub trait Source: Sync {
    /// Entries of a row in columns, which begin and end with cells.
    fn row(&self, row: usize, columns: Range<usize>, entries: &mut [C]);
    /// Entries of a column in rows.
    fn column(&self, column: usize, rows: Range<usize>, entries: &mut [C]);
}

/// Rules and tables of a method.
#[derive(Debug, Clone)]
pub enum Rules {
    /// Of pulses there are none.
    Pulse,
    /// Of the locally corrected Nystrom method.
    Lcn(Box<Lcn>),
    /// Of Kress's rule, or Kapur and Rokhlin's, for every body.
    Kress(Vec<Steps>),
}

impl Rules {
    /// Those of the settings. The hypersingular part of Kress's rule is a product of matrices: it has no entries on demand.
    pub fn new(bodies: &Bodies, settings: &Settings) -> Result<Self, Error> {
        match settings.method {
            Method::Pulse => Ok(Self::Pulse),
            Method::Lcn(_) => {
                let lcn = Lcn::new(&bodies.mesh, bodies.equation, settings.near * settings.wavelength);
                Ok(Self::Lcn(Box::new(lcn)))
            }
            Method::Kress | Method::KapurRokhlin(_) if bodies.equation.is_hypersingular() => {
                let what = "the hypersingular kernel (electric equation of te) with kress or kr";
                Err(Error::not_compressed(what))
            }
            Method::Kress | Method::KapurRokhlin(_) => Ok(Self::Kress(
                bodies
                    .mesh
                    .bodies
                    .windows(2)
                    .map(|ends| Steps::new(ends[1] - ends[0], settings.method))
                    .collect(),
            )),
        }
    }
}

/// Entries of bodies.
#[derive(Clone, Copy)]
pub struct Entries<'a> {
    /// Whose.
    pub bodies: &'a Bodies,
    /// How.
    pub rules: &'a Rules,
}

/// Nodes whose entries are one task: some tens of microseconds at least.
const TASK: usize = 1024;

impl Entries<'_> {
    fn kress(&self, steps: &[Steps], row: usize, column: usize) -> C {
        let (equation, mesh) = (&self.bodies.equation, &self.bodies.mesh);
        let [at, from] = [row, column].map(|node| mesh.cells[node].body);
        if at == from {
            let range = mesh.bodies[at]..mesh.bodies[at + 1];
            let first = range.start;
            return Body::new(equation, mesh, range, &steps[at]).entry(row - first, column - first);
        }
        let (node, source) = (&mesh.nodes[row], &mesh.nodes[column]);
        let d = [0, 1].map(|axis| node.point[axis] - source.point[axis]);
        equation.kernel(d, node.normal, source.normal) * source.weight
    }
}

impl Source for Entries<'_> {
    fn row(&self, row: usize, columns: Range<usize>, entries: &mut [C]) {
        let (equation, mesh) = (&self.bodies.equation, &self.bodies.mesh);
        let q = mesh.rule.nodes.len();
        let cells = &mesh.cells[columns.start / q..columns.end / q];
        let task = TASK.div_ceil(q);
        let tasks = entries.par_chunks_mut(task * q).zip(cells.par_chunks(task));
        match self.rules {
            Rules::Lcn(lcn) => tasks.for_each(|(entries, cells)| {
                entries
                    .chunks_mut(q)
                    .zip(cells)
                    .for_each(|(entries, cell)| lcn.entries(mesh, cell, row, entries));
            }),
            Rules::Pulse => tasks.for_each(|(entries, cells)| {
                entries
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(entry, cell)| *entry = pulse::entry(equation, mesh, cell, row));
            }),
            Rules::Kress(steps) => tasks.for_each(|(entries, cells)| {
                entries
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(entry, cell)| *entry = self.kress(steps, row, cell.first));
            }),
        }
    }

    fn column(&self, column: usize, rows: Range<usize>, entries: &mut [C]) {
        let (equation, mesh) = (&self.bodies.equation, &self.bodies.mesh);
        let cell = &mesh.cells[column / mesh.rule.nodes.len()];
        let entry = |row: usize| match self.rules {
            Rules::Lcn(lcn) => lcn.entry(mesh, cell, row, column - cell.first),
            Rules::Pulse => pulse::entry(equation, mesh, cell, row),
            Rules::Kress(steps) => self.kress(steps, row, column),
        };
        entries.par_chunks_mut(TASK).enumerate().for_each(|(task, entries)| {
            let first = rows.start + task * TASK;
            entries.iter_mut().enumerate().for_each(|(i, value)| *value = entry(first + i));
        });
    }
}
