//! Tubes on all CPU cores; the twin of [`cuda`](super::cuda).
//!
//! Tiles of the launch grid are traced in parallel, and their sums added in the order of tiles, so that
//! results are the same bits for any number of threads.

mod lit;

use super::cast::Steps;
use super::design::Target;
use super::field::{Matrix, finished, wavenumber};
use super::path::Counts;
use super::response::{Contribution, Contributions, Response, Watch};
use super::tube::Tree;
use super::{Direction, Error};
use lit::Lit;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Tiles whose sums are kept at once.
const BATCH: std::ops::RangeInclusive<usize> = 16..=256;
/// Matrices that are kept at once unless the smallest batch has more: 64 MiB.
const KEPT: usize = 1 << 20;

/// A target on the CPU.
#[derive(Debug, Clone)]
pub struct Plan {
    target: Arc<Target>,
}

impl Plan {
    /// Builds the trees of a target, unless that was done before.
    pub fn new(target: impl Into<Arc<Target>>) -> Self {
        let target = target.into();
        let _ = target.tree();
        if !target.pieces().is_empty() {
            target.bvh();
        }
        Self { target }
    }

    /// The target.
    pub fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Figures of the tree that rays traverse, by their names.
    pub fn tree(&self) -> Vec<(&'static str, usize)> {
        match self.target.tree() {
            Tree::Bvh(tree) => vec![("nodes", tree.nodes()), ("bytes", tree.bytes())],
            Tree::KdTree(tree) => tree.statistics(&self.target.facets).to_vec(),
        }
    }

    /// What a wave from `incidence` sends back there, at all frequencies.
    pub fn monostatic(&self, incidence: Direction) -> Result<Response, Error> {
        self.execute(incidence, &[incidence], &mut |_, _| ControlFlow::Continue(()))
    }

    /// What a wave from `incidence` sends towards all `observations`, at all frequencies.
    pub fn execute(
        &self,
        incidence: Direction,
        observations: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Response, Error> {
        let lit = Lit::new(&self.target, incidence, observations)?;
        let frequencies = &self.target.settings.frequencies;
        let mut total = lit.sums(frequencies);
        let (mut counts, mut steps) = (Counts::default(), [Steps::default(); 2]);
        let batch = (KEPT / lit.results()).clamp(*BATCH.start(), *BATCH.end());
        let tile = |number| lit.tile(number, lit.sums(frequencies));
        lit.tiles(batch, watch, tile, |(sums, part_counts, part_steps)| {
            total.add_fields(&sums.sums);
            counts = counts.plus(part_counts);
            steps = [steps[0].plus(part_steps[0]), steps[1].plus(part_steps[1])];
        })?;
        total.add_fields(&lit.edges(frequencies));
        Ok(Response { fields: total.finish(self.target.facets.centre, lit.launch.sight), counts, steps })
    }

    /// What each facet adds to the echo of a wave from `incidence` that is seen from `observation`, at
    /// `frequency` Hz. Tubes are those of the highest frequency of the settings; `frequency` should not be
    /// above it.
    pub fn contributions(
        &self,
        incidence: Direction,
        observation: Direction,
        frequency: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Contributions, Error> {
        if !(frequency > 0.0 && frequency.is_finite()) {
            return Err(Error::Frequency(frequency));
        }
        let lit = Lit::new(&self.target, incidence, &[observation])?;
        let mut facets = vec![Contribution::default(); self.target.facets.len()];
        let tile = |number| lit.tile(number, lit.sums(&[frequency]).with_shares()).0.take_shares();
        // A facet has one share of a tile, and tiles are in order: sums repeat.
        lit.tiles(*BATCH.end(), watch, tile, |tile| {
            tile.iter().for_each(|(facet, share)| facets[*facet as usize].add(share));
        })?;
        let ahead = (lit.launch.sight + observation.unit()).dot(self.target.facets.centre);
        let field = |sum: &Matrix| finished(sum, wavenumber(frequency), ahead);
        let lit_facets = facets.iter_mut().filter(|facet| facet.bounces > 0);
        lit_facets.for_each(|facet| facet.field = field(&facet.field));
        let edges = lit.edges(&[frequency]).first().map(field).unwrap_or_default();
        Ok(Contributions { facets, edges })
    }
}
