//! Where from a facet other facets are: rays that leave it towards nothing, which are many of the reflected ones, need not be cast.
//!
//! By the rule of [`super::before`] a ray that leaves a facet meets only what is before its plane. All of that is in a box; the differences between points of that box and of the facet are in a box, too, and a ray can meet something only if the line from 0 along its direction meets the
//! latter. That box is made with the tree, for the front and for the back of each facet, and lines meet it in single precision.
//!
//! Let R be the radius of the target and e = 2^-24. Boxes of facets are padded by 25 e R, see [`super::bvh`]. Rays begin beside a point of their facet by less than 0.4 e R along any axis, see [`super::before`]; numbers of the box are less than 4 R and rounded by 4 e R. So the point of a hit at the
//! distance t, at most 2 R, is inside by more than 20 e R along each axis. Where the line enters and leaves the box along an axis is wrong by four roundings of it: less than 8 e R where that is up to t, and where it is more, it remains so.

use super::before::FLAT;
use super::block::Block;
use super::facets::{Facets, NO_FACET};
use super::ray::Ray;
use super::walk::Slabs;
use super::wide::{Box3, IS_BLOCK, WIDTH, WideNode, around};
use rayon::prelude::*;

#[cfg(test)]
mod tests;

/// Holds nothing.
const NOTHING: Box3 = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
const EVERYTHING: Box3 = ([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);

/// Of one facet: differences, m, from points of its own to those before its front, and before its back.
#[derive(Debug, Clone, Copy)]
pub struct Outlook([Box3; 2]);

impl Outlook {
    /// Whether a ray that leaves the facet meets nothing.
    #[inline(always)]
    pub fn is_free(&self, facets: &Facets, ray: &Ray) -> bool {
        let slope = facets.normals[ray.leaves as usize].dot(ray.direction);
        slope.abs() >= FLAT && !Slabs::towards(ray.direction).meets(&self.0[usize::from(slope < 0.0)])
    }
}

/// A tree of facets.
pub struct Tree<'a> {
    /// All of them.
    pub facets: &'a Facets,
    /// Their padded boxes.
    pub boxes: &'a [Box3],
    /// Nodes, the root first.
    pub wide: &'a [WideNode],
    /// Leaves.
    pub blocks: &'a [Block],
}

impl Tree<'_> {
    /// Of all facets.
    pub fn outlooks(&self) -> Vec<Outlook> {
        (0..self.facets.len() as u32).into_par_iter().map(|facet| self.outlook(facet)).collect()
    }

    fn outlook(&self, facet: u32) -> Outlook {
        if self.facets.slender[facet as usize] {
            return Outlook([EVERYTHING; 2]);
        }
        let (low, high) = self.facets.bounds(facet as usize);
        let (low, high) = (low.to_array(), high.to_array());
        Outlook([false, true].map(|back| {
            let (from, to) = self.before(facet, back);
            let less = |a: f32, b: f64| (f64::from(a) - b) as f32;
            ([0, 1, 2].map(|k| less(from[k], high[k])), [0, 1, 2].map(|k| less(to[k], low[k])))
        }))
    }

    /// A box of all that is before the front of a facet, or before its back.
    fn before(&self, facet: u32, back: bool) -> Box3 {
        let normal = self.facets.normals[facet as usize].to_array().map(|x| if back { -x } else { x });
        let on = self.facets.corners[facet as usize][0];
        let (mut all, mut waiting) = (NOTHING, vec![0]);
        while let Some(number) = waiting.pop() {
            let node = &self.wide[number as usize];
            for i in (0..WIDTH).filter(|i| !node.low[0][*i].is_nan()) {
                let bounds = ([0, 1, 2].map(|k| node.low[k][i]), [0, 1, 2].map(|k| node.high[k][i]));
                // Heights of the lowest and of the highest corner of the box.
                let (mut bottom, mut top) = (0.0, 0.0);
                for k in 0..3 {
                    let [a, b] = [bounds.0[k], bounds.1[k]].map(|x| normal[k] * (f64::from(x) - on[k]));
                    (bottom, top) = (bottom + a.min(b), top + a.max(b));
                }
                if top <= 0.0 || is_within(&bounds, &all) {
                    continue;
                }
                if bottom > 0.0 {
                    all = around(all, bounds);
                } else if node.child[i] & IS_BLOCK == 0 {
                    waiting.push(node.child[i]);
                } else {
                    let members = self.blocks[(node.child[i] & !IS_BLOCK) as usize].facets;
                    for other in members.into_iter().filter(|other| *other != NO_FACET) {
                        let bounds = self.boxes[other as usize];
                        if !is_within(&bounds, &all) && self.facets.is_before(other, facet, back) {
                            all = around(all, bounds);
                        }
                    }
                }
            }
        }
        all
    }
}

fn is_within(inner: &Box3, outer: &Box3) -> bool {
    (0..3).all(|k| inner.0[k] >= outer.0[k] && inner.1[k] <= outer.1[k])
}
