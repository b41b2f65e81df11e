//! Reflected rays that hit nothing, which are many, are found without a traversal.
//!
//! By the half-space rule ([`super::half_space`]) a ray hits only what is in front of the plane that it
//! leaves. All of that is in one box, and the displacements from points of the facet to points of that box
//! are in a box, too. The ray can hit something only if the line from 0 along its direction hits the latter.
//! These boxes are made with the tree, for the front and for the back of each facet, and tested in single
//! precision (lemma 9).

use super::block::Block;
use super::node::{Box3, IS_BLOCK, WIDTH, WideNode, union};
use super::ray::{GRAZING_SINE, Ray};
use super::slabs::Slabs;
use crate::facets::{Facets, NO_FACET};
use numerics::parallel;
use numerics::vec3::Vec3;

#[cfg(test)]
mod tests;

const NOTHING: Box3 = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
const EVERYTHING: Box3 = ([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);

/// Boxes of the displacements, m, from points of one facet to all that is in front of it, and to all that is
/// behind it.
#[derive(Debug, Clone, Copy)]
pub struct Displacements([Box3; 2]);

impl Displacements {
    /// Whether a ray that leaves the facet hits nothing.
    #[inline(always)]
    pub fn escapes(&self, facets: &Facets, ray: &Ray) -> bool {
        let slope = facets.normals[ray.leaves as usize].dot(ray.direction);
        slope.abs() >= GRAZING_SINE
            && !Slabs::new(&Vec3::ZERO, &ray.direction).hits_from_zero(&self.0[usize::from(slope < 0.0)])
    }
}

/// The parts of a hierarchy of which the displacements are made.
pub struct Parts<'a> {
    pub facets: &'a Facets,
    /// Padded boxes of the facets.
    pub boxes: &'a [Box3],
    pub nodes: &'a [WideNode],
    pub blocks: &'a [Block],
}

impl Parts<'_> {
    pub fn displacements(&self) -> Vec<Displacements> {
        parallel::map(self.facets.len(), &|facet| self.displacements_of(facet as u32))
    }

    fn displacements_of(&self, facet: u32) -> Displacements {
        if self.facets.is_sliver[facet as usize] {
            return Displacements([EVERYTHING; 2]);
        }
        let (low, high) = self.facets.bounds(facet as usize);
        let (low, high) = (low.to_array(), high.to_array());
        Displacements([false, true].map(|back| {
            let (from, to) = self.in_front(facet, back);
            let less = |a: f32, b: f64| (f64::from(a) - b) as f32;
            ([0, 1, 2].map(|k| less(from[k], high[k])), [0, 1, 2].map(|k| less(to[k], low[k])))
        }))
    }

    /// The box of all that is in front of a facet, or behind it.
    fn in_front(&self, facet: u32, back: bool) -> Box3 {
        let normal = self.facets.normals[facet as usize].to_array().map(|x| if back { -x } else { x });
        let on = self.facets.corners[facet as usize][0];
        let (mut all, mut stack) = (NOTHING, vec![0]);
        while let Some(number) = stack.pop() {
            let node: &WideNode = &self.nodes[number as usize];
            for i in (0..WIDTH).filter(|i| node.has(*i)) {
                let bounds = node.bounds(i);
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
                    all = union(all, bounds);
                } else if node.child[i] & IS_BLOCK == 0 {
                    stack.push(node.child[i]);
                } else {
                    let members = self.blocks[(node.child[i] & !IS_BLOCK) as usize].facets;
                    for other in members.into_iter().filter(|other| *other != NO_FACET) {
                        let bounds = self.boxes[other as usize];
                        if !is_within(&bounds, &all) && self.facets.is_in_front(other, facet, back) {
                            all = union(all, bounds);
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
