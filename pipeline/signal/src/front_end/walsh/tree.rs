//! The integer fast Walsh transform of a block of channels, of which only the wanted coefficients are computed.
//!
//! ```text
//! x of length 2 L, functions g < 2 L in dyadic order:    g < L:  sums x[2i] + x[2i+1],  function g of length L
//!                                                        g >= L: differences,           function g - L of length L
//! ```
//!
//! This is a tree: a node whose functions nobody wants is not computed, and at 16 samples a leaf gives all its
//! 16 coefficients in registers. Where all four grandchildren are wanted, they are computed at once. The steps
//! are listed once, depth first, so that the working memory stays near. With all functions wanted it is the
//! fast transform, `L log2 L` additions.

use crate::front_end::lanes::{LANES, Line};
use dsp_core::walsh::order::bit_reverse;
use numerics::real::Real;
use std::ops::{Add, Sub};

/// Samples of a leaf.
pub const LEAF: usize = 16;

/// `i16`, where all sums fit, or `i32`.
pub trait Integer: Copy + Default + Send + Add<Output = Self> + Sub<Output = Self> + 'static {
    /// The negative of a count.
    fn negative(count: u16) -> Self;
    /// The same number.
    fn real<T: Real>(self) -> T;
}

impl Integer for i16 {
    #[inline(always)]
    fn negative(count: u16) -> Self {
        -(count as i16)
    }

    #[inline(always)]
    fn real<T: Real>(self) -> T {
        T::from_i16(self).unwrap_or_default()
    }
}

impl Integer for i32 {
    #[inline(always)]
    fn negative(count: u16) -> Self {
        -Self::from(count)
    }

    #[inline(always)]
    fn real<T: Real>(self) -> T {
        T::from_i32(self).unwrap_or_default()
    }
}

/// Where a node's samples are: the input, or a place in the working memory.
#[derive(Clone, Copy)]
enum Place {
    Input,
    Memory(usize),
}

enum Step {
    /// Two levels at once: the four grandchildren of `quarter` samples each to `to`.
    Quarter { from: Place, to: usize, quarter: usize },
    /// `half` sums to `to` and as many differences behind them, each if wanted.
    Split { from: Place, to: usize, half: usize, sums: bool, differences: bool },
    /// The next [`LEAF`] coefficients.
    Leaf { from: Place },
}

/// The steps for a set of wanted functions.
pub struct Tree {
    steps: Vec<Step>,
    /// First dyadic index of every leaf; rises from leaf to leaf within the order of the steps.
    leaves: Vec<usize>,
    /// Samples of the input.
    pub length: usize,
}

impl Tree {
    /// The shortest transform, at least [`LEAF`], that has all functions of the ascending dyadic indices `wanted`.
    pub fn new(wanted: &[usize]) -> Self {
        let length = wanted.last().map_or(LEAF, |last| (last + 1).next_power_of_two().max(LEAF));
        let mut tree = Self { steps: Vec::new(), leaves: Vec::new(), length };
        tree.grow(Place::Input, length, wanted, 0, 0);
        tree
    }

    /// Lines of working memory: children of L samples behind those of 2 L.
    pub fn memory(&self) -> usize {
        2 * self.length
    }

    /// Lines of coefficients.
    pub fn coefficients(&self) -> usize {
        LEAF * self.leaves.len()
    }

    /// Where the coefficient of dyadic index `function` comes out.
    pub fn slot(&self, function: usize) -> Option<usize> {
        let within = bit_reverse(function, LEAF.trailing_zeros());
        let leaf = self.leaves.binary_search(&(function & !(LEAF - 1))).ok()?;
        Some(LEAF * leaf + within)
    }

    /// The node of the `length` functions from dyadic index `first` on, with its children's place `to`.
    fn grow(&mut self, from: Place, length: usize, wanted: &[usize], first: usize, to: usize) {
        if wanted.is_empty() {
            return;
        }
        if length == LEAF {
            self.steps.push(Step::Leaf { from });
            self.leaves.push(first);
            return;
        }
        let half = length / 2;
        let quarters: Vec<&[usize]> =
            wanted.chunk_by(|a, b| 4 * (a - first) / length == 4 * (b - first) / length).collect();
        if length > 2 * LEAF && quarters.len() == 4 {
            let quarter = length / 4;
            self.steps.push(Step::Quarter { from, to, quarter });
            for (i, wanted) in quarters.into_iter().enumerate() {
                self.grow(Place::Memory(to + i * quarter), quarter, wanted, first + i * quarter, to + length);
            }
            return;
        }
        let (low, high) = wanted.split_at(wanted.partition_point(|&g| g < first + half));
        let (sums, differences) = (!low.is_empty(), !high.is_empty());
        self.steps.push(Step::Split { from, to, half, sums, differences });
        self.grow(Place::Memory(to), half, low, first, to + length);
        self.grow(Place::Memory(to + half), half, high, first + half, to + length);
    }

    /// Transforms `input`; `memory` and `coefficients` have the lengths that the plan says.
    #[inline(always)]
    pub fn run<I: Integer>(&self, input: &[Line<I>], memory: &mut [Line<I>], coefficients: &mut [Line<I>]) {
        let mut leaves = coefficients.as_chunks_mut::<LEAF>().0.iter_mut();
        for step in &self.steps {
            match *step {
                Step::Quarter { from, to, quarter } => {
                    let (older, children) = memory.split_at_mut(to);
                    split_in_four(samples(from, input, older).as_chunks().0, children, quarter);
                }
                Step::Split { from, to, half, sums, differences } => {
                    let (older, children) = memory.split_at_mut(to);
                    let pairs = samples(from, input, older).as_chunks::<2>().0;
                    let (low, high) = children.split_at_mut(half);
                    match (sums, differences) {
                        (true, true) => split(pairs, low, high),
                        (true, false) => combine::<I, true>(pairs, low),
                        _ => combine::<I, false>(pairs, high),
                    }
                }
                Step::Leaf { from } => {
                    if let (Some(x), Some(leaf)) = (samples(from, input, memory).first_chunk(), leaves.next())
                    {
                        transform_leaf(x, leaf);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn samples<'a, I>(from: Place, input: &'a [Line<I>], memory: &'a [Line<I>]) -> &'a [Line<I>] {
    match from {
        Place::Input => input,
        Place::Memory(at) => &memory[at..],
    }
}

/// Sums of sums, differences of sums, sums of differences, differences of differences.
#[inline(always)]
fn split_in_four<I: Integer>(fours: &[[Line<I>; 4]], children: &mut [Line<I>], quarter: usize) {
    let (low, high) = children.split_at_mut(2 * quarter);
    let ((ss, ds), (sd, dd)) = (low.split_at_mut(quarter), high.split_at_mut(quarter));
    for ([a, b, c, d], ((ss, ds), (sd, dd))) in
        fours.iter().zip(ss.iter_mut().zip(ds).zip(sd.iter_mut().zip(dd)))
    {
        for lane in 0..LANES {
            let (a, b, c, d) = (a.0[lane], b.0[lane], c.0[lane], d.0[lane]);
            let (left, right) = (a + b, c + d);
            (ss.0[lane], ds.0[lane]) = (left + right, left - right);
            let (left, right) = (a - b, c - d);
            (sd.0[lane], dd.0[lane]) = (left + right, left - right);
        }
    }
}

#[inline(always)]
fn split<I: Integer>(pairs: &[[Line<I>; 2]], sums: &mut [Line<I>], differences: &mut [Line<I>]) {
    for ([a, b], (sum, difference)) in pairs.iter().zip(sums.iter_mut().zip(differences)) {
        for lane in 0..LANES {
            sum.0[lane] = a.0[lane] + b.0[lane];
            difference.0[lane] = a.0[lane] - b.0[lane];
        }
    }
}

/// `a + b` of all pairs, or `a - b`.
#[inline(always)]
fn combine<I: Integer, const SUM: bool>(pairs: &[[Line<I>; 2]], results: &mut [Line<I>]) {
    for ([a, b], result) in pairs.iter().zip(results) {
        // By way of a copy: the vectoriser does not see that the result lies elsewhere.
        let mut line = *a;
        for lane in 0..LANES {
            line.0[lane] = if SUM { a.0[lane] + b.0[lane] } else { a.0[lane] - b.0[lane] };
        }
        *result = line;
    }
}

/// Four rounds of butterflies, Hadamard order.
#[inline(always)]
fn transform_leaf<I: Integer>(input: &[Line<I>; LEAF], output: &mut [Line<I>; LEAF]) {
    let mut x = *input;
    butterflies::<I, 2>(&mut x);
    butterflies::<I, 4>(&mut x);
    butterflies::<I, 8>(&mut x);
    butterflies::<I, 16>(&mut x);
    *output = x;
}

#[inline(always)]
fn butterflies<I: Integer, const B: usize>(x: &mut [Line<I>; LEAF]) {
    for block in x.as_chunks_mut::<B>().0 {
        let (low, high) = block.split_at_mut(B / 2);
        for (low, high) in low.iter_mut().zip(high) {
            let (a, b) = (*low, *high);
            for lane in 0..LANES {
                low.0[lane] = a.0[lane] + b.0[lane];
                high.0[lane] = a.0[lane] - b.0[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsp_core::walsh::{Order, convert, transform::fwht};

    fn input<I: Integer>(length: usize) -> (Vec<Line<I>>, Vec<i32>) {
        let count = |i: usize, lane: usize| ((i * 7919 + lane * 104_729) % 33) as u16;
        let lines = (0..length).map(|i| Line(std::array::from_fn(|lane| I::negative(count(i, lane)))));
        (lines.collect(), (0..length).map(|i| -i32::from(count(i, 5))).collect())
    }

    fn agrees<I: Integer>(wanted: &[usize]) {
        let tree = Tree::new(wanted);
        let (lines, mut expected) = input::<I>(tree.length);
        fwht(&mut expected).unwrap();
        // Poisoned: what is not computed must not be read.
        let poison = Line([I::negative(999); LANES]);
        let mut memory = vec![poison; tree.memory()];
        let mut coefficients = vec![poison; tree.coefficients()];
        tree.run(&lines, &mut memory, &mut coefficients);
        let m = tree.length.trailing_zeros();
        for &g in wanted {
            let slot = tree.slot(g).expect("a wanted function has a slot");
            let hadamard = convert(g, m, Order::Dyadic, Order::Hadamard);
            let value: f64 = coefficients[slot].0[5].real();
            assert_eq!(value, f64::from(expected[hadamard]), "{g}");
        }
    }

    #[test]
    fn wanted_coefficients_are_those_of_the_fast_transform() {
        let sets: [&[usize]; 5] =
            [&[0], &[15], &[3, 17, 1000], &[512], &[0, 1, 2, 40, 41, 255, 256, 300, 511, 512, 1023]];
        for wanted in sets {
            agrees::<i16>(wanted);
            agrees::<i32>(wanted);
        }
        let all: Vec<usize> = (0..1024).collect();
        agrees::<i16>(&all);
    }

    #[test]
    fn unwanted_branches_are_left_out() {
        assert_eq!(Tree::new(&[0, 15]).coefficients(), 16);
        assert_eq!(Tree::new(&[0, 1000]).coefficients(), 32);
        assert_eq!(Tree::new(&[0, 1000]).slot(500), None);
    }
}
