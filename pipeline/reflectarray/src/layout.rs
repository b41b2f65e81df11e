//! From phases to copper: a rectangular patch for every element, by a table of sizes, and the drawing of them.
//!
//! A [`PhaseTable`] gives the sides of the patch that reflects with a phase. Only differences of phases matter to a design, so a constant may
//! be added to all of them first. A phase beyond the table's range is refused with the element's number, or takes the nearest end of
//! the table where [`Outside::Nearest`] allows it; [`Layout::worst_error`] then says what that costs. Patches may not come nearer to each other than a gap: elements half a
//! wavelength apart may have patches that meet at their corners. That is refused, too, or the larger one takes the nearest phase whose patch leaves the gap.

mod table;

use table::within;
pub use table::{PatchModel, PhaseTable};

use super::model::Elements;
use super::{Error, Result};
use serde::Deserialize;
use std::collections::HashMap;

/// What to do with a phase that the table does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// A rectangle with its sides along x and y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Centre, m.
    pub centre: [f64; 2],
    /// Sides along x and y, m.
    pub sides: [f64; 2],
}

/// The patches of a design, in the order of its elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// One for every element.
    pub patches: Vec<Patch>,
    /// Elements whose phase the table does not have.
    pub outside: usize,
    /// Elements whose patch was made smaller to leave the gap.
    pub narrowed: usize,
    /// Largest error of a phase that followed from it, rad.
    pub worst_error: f64,
}

/// Makes the patches of a design.
pub fn layout(elements: &Elements, settings: &Settings) -> Result<Layout> {
    let patches = Vec::with_capacity(elements.len());
    let mut made = Layout { patches, outside: 0, narrowed: 0, worst_error: 0.0 };
    for (element, ((&x, &y), &phase)) in elements.x.iter().zip(&elements.y).zip(&elements.phase).enumerate() {
        if !(x.is_finite() && y.is_finite() && phase.is_finite()) {
            let given = format!("element {element}: x {x} m, y {y} m, phase {phase} rad");
            return Err(Error::invalid(given, "all must be finite"));
        }
        let (sides, error) = settings.table.sides(phase + settings.offset);
        if error != 0.0 {
            if settings.outside == Outside::Refuse {
                let [from, to] = settings.table.range();
                let [phase, from, to] =
                    [within(phase + settings.offset, from), from, to].map(f64::to_degrees);
                let place = format!("element {element} at ({x:.4}, {y:.4}) m");
                let given = format!("{place} needs the phase {phase:.2} degrees");
                return Err(Error::invalid(given, format!("the table has {from:.2} to {to:.2}")));
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
        Some(&(first, second, apart)) => {
            let [apart, gap] = [apart, settings.gap].map(|metres| 1e3 * metres);
            let given = format!("the patches of elements {first} and {second} are {apart:.4} mm apart");
            Err(Error::invalid(given, format!("at least {gap:.4} mm are asked for")))
        }
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
