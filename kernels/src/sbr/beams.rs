//! Facets that reflect into the open, for all directions of incidence.

use super::scene::Scene;
use super::sizes::Target;
use crate::abi::Sbr;
use crate::calls;
use crate::error::{Error, size32};
use crate::memory::Buffer;
use crate::stream::Stream;

/// Which facets reflect rays of each direction of incidence into the open.
#[derive(Debug)]
pub struct Beams {
    sights: Buffer<f64>,
    /// Of every facet for every direction, whether rays that it reflects meet nothing.
    frees: Buffer<u32>,
}

impl Beams {
    /// Of no direction.
    pub fn new(stream: &mut Stream) -> Result<Self, Error> {
        Ok(Self {
            sights: Buffer::zeros(stream, "directions of incidence", 3)?,
            frees: Buffer::zeros(stream, "facets that reflect into the open", 1)?,
        })
    }

    /// Finds those of some directions, unit vectors to the transmitter; they are there when the stream has been waited for.
    pub fn find(
        &mut self,
        stream: &mut Stream,
        scene: &Scene,
        sights: &[[f64; 3]],
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let facets = scene.target.numbers.len();
        let numbers = Sbr {
            launches: size32("directions", sights.len())?,
            facets: size32("facets", facets)?,
            ..*numbers
        };
        // To make or free memory waits for all work of the card.
        if sights.len() * 3 > self.sights.len() {
            self.sights = Buffer::zeros(stream, "directions of incidence", sights.len() * 3)?;
        }
        if sights.len() * facets > self.frees.len() {
            self.frees = Buffer::zeros(stream, "facets that reflect into the open", sights.len() * facets)?;
        }
        stream.upload_front(sights.as_flattened(), &mut self.sights)?;
        let Target { nodes, corners, normals, .. } = &scene.target;
        let call = calls::sbr_free(&self.sights, nodes, corners, normals, &mut self.frees, &numbers);
        scene.lists.free.launch(stream, call)
    }

    /// Facets of all directions that it knows of.
    pub(super) fn known(&self) -> usize {
        self.frees.len()
    }

    pub(super) fn frees(&self) -> &Buffer<u32> {
        &self.frees
    }
}
