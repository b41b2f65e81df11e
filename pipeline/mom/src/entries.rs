//! Entries of the matrix on demand, one row or column of a block at a time, as the fills have them.

use super::design::Bodies;
use super::kress::{self, Steps};
use super::lcn::Lcn;
use super::settings::{Method, Settings};
use super::{Error, pulse};
use crate::hankel::C;
use numerics::parallel;
use std::ops::Range;

/// Rules and tables of a method.
#[derive(Debug, Clone)]
pub enum Rules {
    Pulse,
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
            method @ (Method::Kress | Method::KapurRokhlin(_)) => {
                Ok(Self::Kress(Steps::of_bodies(&bodies.mesh, method)))
            }
        }
    }
}

#[derive(Clone, Copy)]
pub struct Entries<'a> {
    pub bodies: &'a Bodies,
    pub rules: &'a Rules,
}

/// Nodes whose entries are one task: some tens of microseconds at least.
const TASK: usize = 1024;

impl Entries<'_> {
    /// Entries of a row in columns, which begin and end with cells.
    pub fn row(&self, row: usize, columns: Range<usize>, entries: &mut [C]) {
        let (equation, mesh) = (&self.bodies.equation, &self.bodies.mesh);
        let q = mesh.rule.nodes.len();
        let (cells, size) = (&mesh.cells[columns.start / q..columns.end / q], TASK.next_multiple_of(q));
        parallel::parts(entries, size, &|task, entries| {
            let cells = cells[task * size / q..].iter().zip(entries.chunks_mut(q));
            match self.rules {
                Rules::Lcn(lcn) => cells.for_each(|(cell, entries)| lcn.entries(mesh, cell, row, entries)),
                Rules::Pulse => {
                    cells.for_each(|(cell, entry)| entry[0] = pulse::entry(equation, mesh, cell, row))
                }
                Rules::Kress(steps) => {
                    cells.for_each(|(cell, entry)| {
                        entry[0] = kress::entry(equation, mesh, steps, row, cell.first)
                    });
                }
            }
        });
    }

    pub fn column(&self, column: usize, rows: Range<usize>, entries: &mut [C]) {
        let (equation, mesh) = (&self.bodies.equation, &self.bodies.mesh);
        let cell = &mesh.cells[column / mesh.rule.nodes.len()];
        let entry = |row: usize| match self.rules {
            Rules::Lcn(lcn) => lcn.entry(mesh, cell, row, column - cell.first),
            Rules::Pulse => pulse::entry(equation, mesh, cell, row),
            Rules::Kress(steps) => kress::entry(equation, mesh, steps, row, column),
        };
        parallel::parts(entries, TASK, &|task, entries| {
            let first = rows.start + task * TASK;
            entries.iter_mut().enumerate().for_each(|(i, value)| *value = entry(first + i));
        });
    }
}
