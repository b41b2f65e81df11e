//! A target in the light of one direction, and its tiles.

use crate::cast::Steps;
use crate::design::Target;
use crate::field::{Matrix, Receiver};
use crate::launch::Launch;
use crate::path::Counts;
use crate::response::Watch;
use crate::sum::Sums;
use crate::tile::Tile;
use crate::tube::Tracer;
use crate::vertices::Seeds;
use crate::{Direction, Error, wedge};
use numerics::parallel;

/// Tubes along a side of a tile.
const TILE: u64 = 32;

pub struct Lit<'a> {
    target: &'a Target,
    pub launch: Launch,
    seeds: Seeds,
    transmitter: Receiver,
    receivers: Vec<Receiver>,
}

impl<'a> Lit<'a> {
    pub fn new(target: &'a Target, incidence: Direction, observations: &[Direction]) -> Result<Self, Error> {
        let launch = Launch::new(&target.facets, incidence, &target.settings)?;
        if observations.is_empty() {
            return Err(Error::NoObservation);
        }
        observations.iter().try_for_each(|direction| direction.validate())?;
        let seeds = Seeds::new(&launch, &target.turning);
        let receivers = observations.iter().map(|direction| direction.radar()).collect();
        Ok(Self { target, launch, seeds, transmitter: incidence.radar(), receivers })
    }

    /// Sums of nothing yet, for all receivers at these frequencies.
    pub fn sums(&'a self, frequencies: &[f64]) -> Sums<'a> {
        let Target { facets, materials, .. } = self.target;
        let materials = (!self.target.is_conductor()).then_some((facets, materials.as_slice()));
        Sums::new(frequencies, &self.receivers, self.transmitter.polarisations, materials)
    }

    /// Number of matrices of a sum at all frequencies.
    pub fn results(&self) -> usize {
        self.receivers.len() * self.target.settings.frequencies.len()
    }

    /// The fields of edges, for all receivers at these frequencies; nothing where no edge diffracts.
    pub fn edges(&self, frequencies: &[f64]) -> Vec<Matrix> {
        let pieces = self.target.pieces();
        if pieces.is_empty() {
            return Vec::new();
        }
        let scene = (&self.target.facets, self.target.bvh());
        wedge::fields(pieces, scene, frequencies, &self.transmitter, &self.receivers)
    }

    /// Works on all tiles, a batch in parallel after the other, and takes what comes of them in the order of
    /// tiles.
    pub fn tiles<T: Send>(
        &self,
        batch: usize,
        watch: &mut Watch<'_>,
        work: impl Fn(u64) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), Error> {
        let tiles = (self.launch.columns.div_ceil(TILE) * self.launch.rows.div_ceil(TILE)) as usize;
        let total = tiles.div_ceil(batch);
        for done in 0..total {
            if watch(done, total).is_break() {
                return Err(Error::Stopped { done, total });
            }
            let count = batch.min(tiles - done * batch);
            let parts = parallel::map(count, &|tile| work((done * batch + tile) as u64));
            parts.into_iter().for_each(&mut take);
        }
        Ok(())
    }

    /// Adds all tubes of one tile to sums.
    pub fn tile(&'a self, number: u64, sums: Sums<'a>) -> (Sums<'a>, Counts, [Steps; 2]) {
        let across = self.launch.columns.div_ceil(TILE);
        let start = [number % across * TILE, number / across * TILE];
        let size = [(self.launch.columns - start[0]).min(TILE), (self.launch.rows - start[1]).min(TILE)];
        let Target { facets, settings, .. } = self.target;
        let tracer = Tracer::new(facets, self.target.tree(), &self.launch, settings.bounces);
        let mut tile = Tile { launch: &self.launch, rule: settings.rule, seeds: &self.seeds, tracer, sums };
        tile.run(start.map(|x| x as f64), size.map(|x| x as usize));
        (tile.sums, tile.tracer.counts, tile.tracer.steps)
    }
}
