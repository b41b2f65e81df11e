//! Which facets the echo comes from: what tubes that leave from each of them radiate. Together with the edges that is the field.

use super::{BATCH, Lit, Plan, Watch};
use crate::po::Matrix;
use crate::sum::{Share, add_all, finished};
use crate::{Direction, Error, wavenumber};
use rayon::prelude::*;
use std::collections::HashMap;

/// What one facet has to do with the echo.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contribution {
    /// Field of the tubes that leave from it, m; phase at the origin of coordinates.
    pub field: Matrix,
    /// Most bounces of those tubes; 0 where none leaves.
    pub bounces: usize,
}

/// Where an echo comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// One for each of the plan's facets.
    pub facets: Vec<Contribution>,
    /// Field of all edges, m.
    pub edges: Matrix,
}

impl Contributions {
    /// The whole field, m.
    pub fn total(&self) -> Matrix {
        let mut sum = [self.edges];
        self.facets.iter().for_each(|facet| add_all(&mut sum, &[facet.field]));
        sum[0]
    }
}

impl Plan {
    /// What each facet adds to the echo of a wave from `incidence` that is seen from `observation`, at `frequency` Hz. Tubes are those of the
    /// plan's highest frequency; `frequency` should not be above it.
    pub fn contributions(
        &self,
        incidence: Direction,
        observation: Direction,
        frequency: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Contributions, Error> {
        if !(frequency > 0.0 && frequency.is_finite()) {
            return Err(Error::Frequency { frequency });
        }
        let lit = Lit::new(self, incidence, &[observation])?;
        let shares = shares(&lit, &[frequency], watch)?;
        let ahead = (lit.launch.sight + observation.unit()).dot(self.facets.centre);
        let field = |sums: &[Matrix]| {
            sums.first().map_or(Matrix::default(), |sum| finished(sum, wavenumber(frequency), ahead))
        };
        let mut facets = vec![Contribution::default(); self.facets.len()];
        for (facet, Share { sums, bounces }) in shares {
            facets[facet as usize] = Contribution { field: field(&sums), bounces };
        }
        Ok(Contributions { facets, edges: field(&lit.edges(&[frequency])) })
    }
}

/// Shares of all facets from which tubes leave.
fn shares(lit: &Lit<'_>, frequencies: &[f64], watch: &mut Watch<'_>) -> Result<HashMap<u32, Share>, Error> {
    let mut shares: HashMap<u32, Share> = HashMap::new();
    let (tiles, batch) = (lit.tiles(), *BATCH.end());
    let all = tiles.div_ceil(batch);
    for done in 0..all {
        if watch(done, all).is_break() {
            return Err(Error::Stopped { done, total: all });
        }
        let numbers = done * batch..tiles.min((done + 1) * batch);
        let part = |tile: usize| {
            let (mut sums, ..) = lit.tile(tile as u64, lit.sums_at(frequencies).with_shares());
            sums.take_shares()
        };
        let parts: Vec<_> = numbers.into_par_iter().map(part).collect();
        // A facet has one share of a tile, and tiles are in order: sums repeat.
        for (facet, share) in parts.into_iter().flatten() {
            let sum = shares.entry(facet).or_insert_with(|| Share::nothing(share.sums.len()));
            add_all(&mut sum.sums, &share.sums);
            sum.bounces = sum.bounces.max(share.bounces);
        }
    }
    Ok(shares)
}
