//! Traces tubes through the target: geometrical optics without the fields.

use super::ahead::{Ahead, Traced};
use super::cast::{Bvh, Hit, KdTree, Position, Ray, Scratch, Steps};
use super::facets::Facets;
use super::launch::Launch;
use super::path::{Bounce, Counts, Exit, Optics};

/// The tree that rays traverse.
#[derive(Debug, Clone, Copy)]
pub enum Tree<'a> {
    Bvh(&'a Bvh),
    KdTree(&'a KdTree),
}

/// What a thread needs to trace.
pub struct Tracer<'a> {
    optics: Optics<'a>,
    tree: Tree<'a>,
    scratch: Scratch,
    /// Rays of the last two grids that were traced ahead, the newer one first.
    grids: [Ahead; 2],
    /// Rays of some cells that were traced ahead.
    some: Ahead,
    /// Bounces of the ray that was traced last.
    pub bounces: Vec<Bounce>,
    pub counts: Counts,
    /// Steps of first and of reflected pieces of rays in a kd-tree.
    pub steps: [Steps; 2],
}

impl<'a> Tracer<'a> {
    /// For one launch and so many bounces at most.
    pub fn new(facets: &'a Facets, tree: Tree<'a>, launch: &'a Launch, max_bounces: usize) -> Self {
        Self {
            optics: Optics { facets, launch, max_bounces },
            tree,
            scratch: Scratch::default(),
            grids: Default::default(),
            some: Ahead::default(),
            bounces: Vec::with_capacity(max_bounces),
            counts: Counts::default(),
            steps: Default::default(),
        }
    }

    pub fn facets(&self) -> &'a Facets {
        self.optics.facets
    }

    /// Traces the rays of a grid that are wanted, by column and row, if the tree is a hierarchy of boxes.
    /// `start` is in tubes, and rays are one tube apart. They and those of the grid before are kept.
    pub fn ahead(&mut self, start: [f64; 2], size: [usize; 2], wanted: impl Fn(usize, usize) -> bool) {
        let Tree::Bvh(tree) = self.tree else { return };
        self.grids.swap(0, 1);
        let mut traced =
            Traced { optics: self.optics, tree, scratch: &mut self.scratch, counts: &mut self.counts };
        self.grids[0].grid(&mut traced, start, size, wanted);
    }

    /// Traces rays at such places, in tubes, that are near each other, if the tree is a hierarchy of boxes.
    /// They are kept with others of their kind, as long as those are few.
    pub fn some(&mut self, places: &[[f64; 2]]) {
        let Tree::Bvh(tree) = self.tree else { return };
        let mut traced =
            Traced { optics: self.optics, tree, scratch: &mut self.scratch, counts: &mut self.counts };
        self.some.some(&mut traced, places);
    }

    /// Traces the ray at so many tubes from the grid's corner, unless that was done by [`Tracer::ahead`] or
    /// [`Tracer::some`].
    pub fn trace(&mut self, [x, y]: [f64; 2]) -> Option<Exit> {
        for ahead in self.grids.iter().chain([&self.some]) {
            if let Some(exit) = ahead.recall([x, y], &mut self.bounces) {
                return exit;
            }
        }
        self.bounces.clear();
        self.counts.rays += 1;
        let launch = self.optics.launch;
        let mut ray = Ray::new(launch.point(x, y), -launch.sight);
        let mut sides = (launch.u, launch.v);
        let mut path = -launch.sight.dot(ray.origin);
        let mut position = Position::default();
        let mut cut = false;
        loop {
            let hit = self.nearest(&ray, &mut position);
            if !hit.is_some() {
                break;
            }
            if self.bounces.len() == self.optics.max_bounces {
                cut = true;
                break;
            }
            path += hit.distance;
            let (bounce, mirrored, next) = self.optics.reflected(&ray, hit, sides);
            self.bounces.push(bounce);
            (sides, ray) = (mirrored, next);
        }
        self.optics.exit(&ray, (self.bounces.last(), self.bounces.len()), path, sides, cut)
    }

    fn nearest(&mut self, ray: &Ray, position: &mut Position) -> Hit {
        self.counts.segments += 1;
        match self.tree {
            Tree::Bvh(tree) => tree.nearest(self.optics.facets, ray, &mut self.scratch),
            Tree::KdTree(tree) => {
                let steps = &mut self.steps[usize::from(!self.bounces.is_empty())];
                tree.nearest(self.optics.facets, ray, position, steps)
            }
        }
    }
}
