//! A leaf of the hierarchy: up to sixteen facets, with coordinates in single precision relative to the middle
//! of the block.
//!
//! Rounding errors are in proportion to the size of the block and of the packet, and not to the size of the
//! target.

use super::interval::{ROW, Row};
use super::node::PADDING_RADII;
use crate::facets::{Facets, NO_FACET};

/// Facets of a block at most.
pub const BLOCK: usize = ROW;

/// Rounding error of single precision: half of the difference between 1 and the next number.
const ROUNDING: f32 = 0.5 * f32::EPSILON;

/// Bound on the error of depths in single precision, in radii of the target (lemma 4).
pub const DEPTH_ERROR_RADII: f32 = 32.0 * ROUNDING;

/// Bound on the error of places that comes from double precision, in radii of the target (lemma 1).
pub const DOUBLE_ERROR_RADII: f32 = 1.0 / (1u64 << 46) as f32;

/// Bound on the error of places in single precision, over the sum of lengths that they are made of (lemma 1).
pub const PLACE_ERROR: f32 = 10.0 * ROUNDING;

/// Up to sixteen facets in single precision.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// Corners by number and axis, m from the centre. Those of absent facets are NaN and must compare false.
    pub corners: [[Row<f32>; 3]; 3],
    /// Numbers of the facets, or [`NO_FACET`].
    pub facets: Row<u32>,
    /// Middle of all corners, m.
    pub centre: [f64; 3],
    /// Largest distance of a corner from the centre along an axis, m.
    pub reach: f32,
    /// Margin of the edge functions of a single ray, m2.
    pub margin: f32,
}

impl Block {
    pub fn new(facets: &Facets, numbers: &[u32]) -> Self {
        let bounds = numbers.iter().map(|number| facets.bounds(*number as usize));
        let around = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let centre = around.map_or([0.0; 3], |(low, high)| ((low + high) * 0.5).to_array());
        let mut block = Self {
            corners: [[[f32::NAN; BLOCK]; 3]; 3],
            facets: [NO_FACET; BLOCK],
            centre,
            reach: 0.0,
            margin: 0.0,
        };
        for (i, number) in numbers.iter().enumerate() {
            block.facets[i] = *number;
            for (to, from) in block.corners.iter_mut().zip(facets.corners[*number as usize]) {
                for axis in 0..3 {
                    let offset = (from[axis] - centre[axis]) as f32;
                    to[axis][i] = offset;
                    block.reach = block.reach.max(offset.abs());
                }
            }
        }
        block.margin = single_ray_margin(block.reach, facets.radius);
        block
    }
}

/// Margin of the edge functions of a single ray, m2 (lemma 5).
fn single_ray_margin(reach: f32, radius: f64) -> f32 {
    let largest = 4.0 * (f64::from(reach) + PADDING_RADII * radius) as f32;
    let error = PLACE_ERROR * largest + DOUBLE_ERROR_RADII * radius as f32;
    6.0 * error * (largest + error) + f32::MIN_POSITIVE
}
