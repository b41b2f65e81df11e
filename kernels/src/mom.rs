//! `cuda/mom.cu` and `cuda/mom_near.cu`: matrices of moments in the plane, right-hand sides and far fields.
//!
//! | array | layout |
//! |---|---|
//! | matrix | column by column, as the solver wants it |
//! | right-hand sides | `[incidence][node]` |
//! | radiation | `[node][direction]`, column by column of a matrix with a row for each direction |

use crate::abi::{Mom, MomCell, MomNode};
use crate::calls::{self, sources};
use crate::error::{Error, at_least, at_most, same, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::{Define, Program};
use crate::stream::Stream;
use num_complex::Complex;
use std::marker::PhantomData;

type C = Complex<f64>;

/// Far entries, right-hand sides, far fields.
pub const PROGRAM: Program = Program {
    samples: &[
        &far(8, 0, false, false),
        &far(8, 1, true, true),
        &far(4, 0, true, false),
        &far(4, 2, true, true),
    ],
    ..sources::MOM
};

/// Local corrections.
pub const NEAR: Program = Program {
    samples: &[
        &near(8, Rules { nodes: 8, own: 60, part: 22 }, false, false),
        &near(4, Rules { nodes: 16, own: 92, part: 30 }, true, true),
    ],
    ..sources::MOM_NEAR
};

/// Threads of a block, and columns that a thread walks along.
const THREADS: usize = 128;
const COLUMNS: usize = 16;
/// Threads of a row of local corrections.
const WARP: usize = 32;

/// Nodes of Gauss's rules of the locally corrected Nystrom method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Of a cell, [`MOST_NODES`] at most.
    pub nodes: usize,
    /// On one side of a node on its own cell.
    pub own: usize,
    /// On a part of another cell.
    pub part: usize,
}

/// Most nodes of a cell.
pub const MOST_NODES: usize = 16;

/// How an equation becomes a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Locally corrected Nystrom.
    Lcn(Rules),
    /// Pulses and point matching.
    Pulse,
    /// Kress's rule.
    Kress,
}

impl Method {
    fn number(self) -> i64 {
        match self {
            Self::Lcn(_) => 0,
            Self::Pulse => 1,
            Self::Kress => 2,
        }
    }
}

const fn far(bytes: i64, method: i64, normals: bool, strong: bool) -> [Define; 4] {
    [("BYTES", bytes), ("METHOD", method), ("NORMALS", normals as i64), ("STRONG", strong as i64)]
}

const fn near(bytes: i64, Rules { nodes, own, part }: Rules, normals: bool, strong: bool) -> [Define; 6] {
    [
        ("BYTES", bytes),
        ("NODES", nodes as i64),
        ("NORMALS", normals as i64),
        ("STRONG", strong as i64),
        ("OWN", own as i64),
        ("PART", part as i64),
    ]
}

/// Nodes, cells and rules as the card has them.
#[derive(Debug, Clone)]
pub struct Tables {
    /// All of them.
    pub nodes: Vec<MomNode>,
    /// With LCN.
    pub cells: Vec<MomCell>,
    /// Terms of the series that cells are parts of.
    pub terms: Vec<[f64; 4]>,
    /// Nodes and weights of all [`Rules`], one after another; with LCN.
    pub rules: Vec<[f64; 2]>,
    /// `[i][k]`: w_i (k + 1/2) P_k(x_i); with LCN.
    pub interpolation: Vec<f64>,
    /// Where cells begin and end, m; with pulses.
    pub ends: Vec<[f64; 4]>,
    /// Entries of pulses and Kress's rule.
    pub diagonal: Vec<C>,
    /// The first node of the body of each; with Kress's rule.
    pub firsts: Vec<u32>,
    /// Rules of the logarithm less the logarithm, by the distance of nodes, from the first node of each body on.
    pub differences: Vec<f64>,
}

/// An equation on the card, whose matrices have numbers of type `T`.
#[derive(Debug)]
pub struct Moments<T> {
    method: Method,
    numbers: Mom,
    far: Module,
    fill: Kernel,
    correct: Option<Kernel>,
    nodes: Buffer<MomNode>,
    cells: Buffer<MomCell>,
    terms: Buffer<[f64; 4]>,
    rules: Buffer<[f64; 2]>,
    interpolation: Buffer<f64>,
    ends: Buffer<[f64; 4]>,
    diagonal: Buffer<C>,
    firsts: Buffer<u32>,
    differences: Buffer<f64>,
    values: PhantomData<T>,
}

impl<T: Float> Moments<T> {
    /// Compiles kernels and sends tables.
    pub fn new(stream: &mut Stream, method: Method, numbers: &Mom, tables: &Tables) -> Result<Self, Error> {
        check(method, tables)?;
        let count = size32("nodes", tables.nodes.len())?;
        let numbers = Mom { count, cells: size32("cells", tables.cells.len())?, ..*numbers };
        let there = |part: [f64; 2]| part != [0.0; 2];
        let [_, prime, plain, strong] = numbers.parts.map(there);
        let normals = prime || plain;
        let module =
            Module::load(stream.device(), &PROGRAM, &far(T::BYTES, method.number(), normals, strong))?;
        let size = tables.nodes.len();
        let geometry = Geometry::new([size.div_ceil(THREADS), size.div_ceil(COLUMNS), 1], THREADS, 0)?;
        let fill = module.prepare(&calls::MOM_FILL, geometry)?.cached(0)?;
        let correct = if let Method::Lcn(rules) = method {
            let module = Module::load(stream.device(), &NEAR, &near(T::BYTES, rules, normals, strong))?;
            let geometry = Geometry::new([(size * WARP).div_ceil(THREADS), 1, 1], THREADS, 0)?;
            Some(module.prepare(&calls::MOM_NEAR, geometry)?.cached(0)?)
        } else {
            None
        };
        Ok(Self {
            method,
            numbers,
            far: module,
            fill,
            correct,
            nodes: Buffer::from_slice(stream, "nodes", &tables.nodes)?,
            cells: Buffer::from_slice(stream, "cells", &tables.cells)?,
            terms: Buffer::from_slice(stream, "terms of outlines", &tables.terms)?,
            rules: Buffer::from_slice(stream, "rules", &tables.rules)?,
            interpolation: Buffer::from_slice(stream, "interpolation", &tables.interpolation)?,
            ends: Buffer::from_slice(stream, "ends of cells", &tables.ends)?,
            diagonal: Buffer::from_slice(stream, "diagonal", &tables.diagonal)?,
            firsts: Buffer::from_slice(stream, "bodies of nodes", &tables.firsts)?,
            differences: Buffer::from_slice(stream, "logarithms", &tables.differences)?,
            values: PhantomData,
        })
    }

    /// Nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// How the equation becomes a matrix.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Fills a matrix; of Kress's rule without the hypersingular part on one body.
    pub fn fill(&self, stream: &mut Stream, matrix: &mut Buffer<Complex<T>>) -> Result<(), Error> {
        same("matrix", matrix.len(), self.count() * self.count())?;
        let numbers = &self.numbers;
        let Self { nodes, ends, diagonal, firsts, differences, .. } = self;
        let call = calls::mom_fill(nodes, ends, diagonal, firsts, differences, &mut *matrix, numbers);
        self.fill.launch(stream, call)?;
        let Some(correct) = &self.correct else { return Ok(()) };
        let Self { cells, terms, rules, interpolation, .. } = self;
        correct.launch(stream, calls::mom_near(nodes, cells, terms, rules, interpolation, matrix, numbers))
    }

    /// Right-hand sides constant + normal n.direction, times the wave, for unit vectors.
    pub fn incident(
        &self,
        stream: &mut Stream,
        directions: &[[f64; 2]],
        [constant, normal]: [f64; 2],
    ) -> Result<Buffer<C>, Error> {
        let mut right = Buffer::unwritten(stream, "right-hand sides", self.count() * directions.len())?;
        let there = Buffer::from_slice(stream, "directions", directions)?;
        let Mom { k, count, .. } = self.numbers;
        let geometry = Geometry::new([self.count().div_ceil(THREADS), directions.len(), 1], THREADS, 0)?;
        let kernel = self.far.prepare(&calls::MOM_INCIDENT, geometry)?.cached(0)?;
        let call = calls::mom_incident(&self.nodes, &there, &mut right, constant, normal, k, count);
        kernel.launch(stream, call)?;
        Ok(right)
    }

    /// The matrix that makes far-field amplitudes towards unit vectors of unknowns: constant + normal n.direction, times weight and wave.
    pub fn radiation(
        &self,
        stream: &mut Stream,
        directions: &[[f64; 2]],
        [constant, normal]: [C; 2],
    ) -> Result<Buffer<C>, Error> {
        let mut matrix = Buffer::unwritten(stream, "radiation", self.count() * directions.len())?;
        let there = Buffer::from_slice(stream, "directions", directions)?;
        let count = size32("directions", directions.len())?;
        let geometry = Geometry::new([self.count(), directions.len().div_ceil(THREADS), 1], THREADS, 0)?;
        let kernel = self.far.prepare(&calls::MOM_RADIATION, geometry)?.cached(0)?;
        let [constant, normal] = [constant, normal].map(|factor| [factor.re, factor.im]);
        let k = self.numbers.k;
        let call = calls::mom_radiation(&self.nodes, &there, &mut matrix, constant, normal, k, count);
        kernel.launch(stream, call)?;
        Ok(matrix)
    }
}

/// H_0 and H_1 of the second kind at arguments, `[argument][order]`, as the fill has them.
pub fn hankel<T: Float>(
    stream: &mut Stream,
    numbers: &Mom,
    arguments: &[f64],
) -> Result<Buffer<Complex<T>>, Error> {
    let module = Module::load(stream.device(), &PROGRAM, &far(T::BYTES, 0, true, true))?;
    let there = Buffer::from_slice(stream, "arguments", arguments)?;
    let mut values = Buffer::poisoned(stream, "values", 2 * arguments.len())?;
    let geometry = Geometry::new([arguments.len().div_ceil(THREADS), 1, 1], THREADS, 0)?;
    let kernel = module.prepare(&calls::MOM_HANKEL, geometry)?;
    let count = size32("arguments", arguments.len())?;
    kernel.launch(stream, calls::mom_hankel(&there, &mut values, count, numbers))?;
    Ok(values)
}

/// Tables have the lengths that the kernels index.
fn check(method: Method, tables: &Tables) -> Result<(), Error> {
    let count = tables.nodes.len();
    same("diagonal", tables.diagonal.len(), count)?;
    match method {
        Method::Pulse => same("ends of cells", tables.ends.len(), count),
        Method::Kress => {
            same("bodies of nodes", tables.firsts.len(), count)?;
            same("logarithms", tables.differences.len(), count)?;
            // The distance of two nodes of a body counts from its first node.
            let mut firsts = tables.firsts.iter().enumerate();
            firsts.try_for_each(|(node, first)| at_most("first node of a body", *first as usize, node))
        }
        Method::Lcn(Rules { nodes, own, part }) => {
            at_most("nodes of a cell", nodes, MOST_NODES)?;
            same("rules", tables.rules.len(), nodes + own + part)?;
            same("interpolation", tables.interpolation.len(), nodes * nodes)?;
            same("nodes", count, nodes * tables.cells.len())?;
            for (at, cell) in tables.cells.iter().enumerate() {
                same("first node of a cell", cell.first as usize, at * nodes)?;
                let last = cell.first_term as usize + cell.terms as usize;
                at_least("terms of outlines", tables.terms.len(), last)?;
            }
            Ok(())
        }
    }
}
