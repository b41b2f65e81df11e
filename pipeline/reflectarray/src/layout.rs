//! From phases to copper: a rectangular patch for every element, by a table of sizes, and the drawing of them.
//!
//! A [`PhaseTable`] gives the sides of the patch that reflects with a phase. Only differences of phases matter to a design, so a constant may
//! be added to all of them first. A phase beyond the table's range is refused with the element's number, or takes the nearest end of
//! the table where [`Outside::Nearest`] allows it; [`Layout::worst_error`] then says what that costs. Patches may not come nearer to each other than a gap: elements half a
//! wavelength apart may have patches that meet at their corners. That is refused, too, or the larger one takes the nearest phase whose patch leaves the gap.

mod dxf;
mod patches;
mod table;

pub use dxf::write_dxf;
pub use patches::{Layout, Patch};
use table::within;
pub use table::{PatchModel, PhaseTable, TableError};

use super::model::Elements;
use std::collections::HashMap;

/// What to do with a phase that the table does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outside {
    /// Refuse the layout.
    #[default]
    Refuse,
    /// Take the nearest phase that it has, and that leaves the gap.
    Nearest,
}

/// How patches are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Sizes by phase.
    pub table: PhaseTable,
    /// Added to every phase, rad.
    pub offset: f64,
    /// Phases beyond the table.
    pub outside: Outside,
    /// Least distance of patches, m.
    pub gap: f64,
}

/// What a layout can be refused for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A phase that no size has.
    #[error(
        "element {element} at ({:.4}, {:.4}) m needs the phase {phase_deg:.2} degrees; the table has {from_deg:.2} to {to_deg:.2}",
        at[0], at[1]
    )]
    Range {
        /// Which, from 0.
        element: usize,
        /// Where, m.
        at: [f64; 2],
        /// What it needs.
        phase_deg: f64,
        /// The table's least phase.
        from_deg: f64,
        /// The table's largest phase.
        to_deg: f64,
    },
    /// Two patches that touch or come too near.
    #[error(
        "the patches of elements {first} and {second} are {:.4} mm apart; at least {:.4} mm are asked for",
        1e3 * apart, 1e3 * gap
    )]
    Overlap {
        /// An element.
        first: usize,
        /// Another.
        second: usize,
        /// Distance of their edges, below zero where they overlap, m.
        apart: f64,
        /// What is asked for, m.
        gap: f64,
    },
    /// An element that is nowhere.
    #[error("element {element}: x {x} m, y {y} m, phase {phase} rad; all must be finite")]
    Element {
        /// Which, from 0.
        element: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
        /// rad.
        phase: f64,
    },
}

/// Makes the patches of a design.
pub fn layout(elements: &Elements, settings: &Settings) -> Result<Layout, Error> {
    let patches = Vec::with_capacity(elements.len());
    let mut made = Layout { patches, outside: 0, narrowed: 0, worst_error: 0.0 };
    for (element, ((&x, &y), &phase)) in elements.x.iter().zip(&elements.y).zip(&elements.phase).enumerate() {
        if !(x.is_finite() && y.is_finite() && phase.is_finite()) {
            return Err(Error::Element { element, x, y, phase });
        }
        let (sides, error) = settings.table.sides(phase + settings.offset);
        if error != 0.0 {
            if settings.outside == Outside::Refuse {
                let [from, to] = settings.table.range();
                let (from_deg, to_deg) = (from.to_degrees(), to.to_degrees());
                let phase_deg = within(phase + settings.offset, from).to_degrees();
                return Err(Error::Range { element, at: [x, y], phase_deg, from_deg, to_deg });
            }
            made.outside += 1;
            made.worst_error = made.worst_error.max(error.abs());
        }
        made.patches.push(Patch { centre: [x, y], sides });
    }
    if settings.outside == Outside::Nearest {
        make_room(&mut made, elements, settings);
    }
    match near_pairs(&made.patches, settings.gap).first() {
        Some(&(first, second, apart)) => Err(Error::Overlap { first, second, apart, gap: settings.gap }),
        None => Ok(made),
    }
}

/// Makes patches smaller that come too near to others, the larger of two first, as far as the table goes.
fn make_room(made: &mut Layout, elements: &Elements, settings: &Settings) {
    let mut errors: HashMap<usize, f64> = HashMap::new();
    loop {
        let mut changed = false;
        for (first, second, _) in near_pairs(&made.patches, settings.gap) {
            let (a, b) = (&made.patches[first], &made.patches[second]);
            // Others may have made room for this pair already.
            if apart(a, b) >= settings.gap - ROUNDING {
                continue;
            }
            let largest = |patch: &Patch| patch.sides[0].max(patch.sides[1]);
            let (at, other) = if largest(a) >= largest(b) { (first, b) } else { (second, a) };
            let between = [0, 1].map(|i| (a.centre[i] - b.centre[i]).abs()).into_iter().fold(0.0, f64::max);
            let half = between - settings.gap;
            let limit = half.max(2.0 * half - largest(other)) * (1.0 - 1e-12);
            if let Some((sides, error)) = settings.table.within(elements.phase[at] + settings.offset, limit) {
                made.patches[at].sides = sides;
                errors.insert(at, error.abs());
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    made.narrowed = errors.len();
    made.worst_error = errors.values().copied().fold(made.worst_error, f64::max);
}

/// Distance of the edges along the axis on which they are farther apart; below zero where they overlap.
fn apart(a: &Patch, b: &Patch) -> f64 {
    let along = |i: usize| (a.centre[i] - b.centre[i]).abs() - 0.5 * (a.sides[i] + b.sides[i]);
    let (x, y) = (along(0), along(1));
    if x > 0.0 && y > 0.0 { x.hypot(y) } else { x.max(y) }
}

/// Equal to the gap but for this is far enough, m.
const ROUNDING: f64 = 1e-12;

/// Pairs of patches that are nearer than `gap`, and their distances. Cells as wide as a patch and its gap: only neighbours are compared.
fn near_pairs(patches: &[Patch], gap: f64) -> Vec<(usize, usize, f64)> {
    let longest = patches.iter().flat_map(|patch| patch.sides).fold(0.0, f64::max);
    let side = (longest + gap).max(f64::MIN_POSITIVE);
    let cell = |patch: &Patch| patch.centre.map(|c| (c / side).floor() as i64);
    let mut cells: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (at, patch) in patches.iter().enumerate() {
        let [i, j] = cell(patch);
        let around =
            (-1..=1).flat_map(|di| (-1..=1).map(move |dj| [i.saturating_add(di), j.saturating_add(dj)]));
        let earlier = around.filter_map(|key| cells.get(&key)).flatten();
        let near = earlier.map(|&other| (other, at, apart(&patches[other], patch)));
        pairs.extend(near.filter(|(_, _, apart)| *apart < gap - ROUNDING));
        cells.entry([i, j]).or_default().push(at);
    }
    pairs
}

#[cfg(test)]
mod tests;
