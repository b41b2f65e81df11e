//! What edges radiate: the kernel of `cuda/sbr_wedges.cu`.

use super::receivers::Receivers;
use super::scene::Scene;
use super::sizes::Target;
use crate::abi::{Sbr, SbrEdge, SbrLaunch};
use crate::calls::{self, sources};
use crate::error::{Error, at_least, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::stream::Stream;

/// Numbers of the series for Fresnel's integral, as in the source: its length and 32 coefficients.
const SERIES: usize = 33;

/// Pieces of edges on a card.
#[derive(Debug)]
pub struct Wedges {
    kernel: Kernel,
    pieces: Buffer<SbrEdge>,
    count: u32,
    series: Buffer<f64>,
    launches: Buffer<SbrLaunch>,
}

impl Wedges {
    /// Sends these pieces, one at least, and the series for Fresnel's integral.
    pub fn new(stream: &mut Stream, pieces: &[SbrEdge], series: &[f64; SERIES]) -> Result<Self, Error> {
        let device = stream.device().clone();
        let geometry = Geometry::new([8 * device.properties().multiprocessors, 1, 1], 128, 0)?;
        let module = Module::load(&device, &sources::SBR_WEDGES, &[])?;
        let count = size32("pieces of edges", pieces.len())?;
        Ok(Self {
            kernel: module.prepare(&calls::SBR_WEDGES, geometry)?.cached(10)?,
            pieces: Buffer::from_slice(stream, "pieces of edges", pieces)?,
            count,
            series: Buffer::from_slice(stream, "series of Fresnel's integral", series)?,
            launches: Buffer::zeros(stream, "directions of incidence", 1)?,
        })
    }

    /// Adds what all pieces radiate in the light of these directions; of launches only sight, sides, fields, quantum and direction are looked at.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        scene: &Scene,
        launches: &[SbrLaunch],
        receivers: &Receivers,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        for launch in launches {
            let needed = launch.direction as usize + numbers.receivers as usize;
            at_least("receivers", receivers.receivers.len(), needed)?;
        }
        // To make or free memory waits for all work of the card.
        if launches.len() > self.launches.len() {
            self.launches = Buffer::zeros(stream, "directions of incidence", launches.len())?;
        }
        stream.upload_front(launches, &mut self.launches)?;
        let numbers = Sbr { launches: size32("directions", launches.len())?, ..receivers.numbers(numbers)? };
        let Target { nodes, corners, normals, numbers: facets } = &scene.target;
        let Receivers { receivers, waves, sums, .. } = receivers;
        let call = calls::sbr_wedges(
            &self.launches,
            &self.pieces,
            &self.series,
            nodes,
            corners,
            normals,
            facets,
            receivers,
            waves,
            sums.untyped(),
            self.count,
            &numbers,
        );
        self.kernel.launch(stream, call)
    }
}
