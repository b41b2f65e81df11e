//! Iterations in a row as one graph: three kernels each.

use super::super::error::CameraError as Error;
use kernels::front_end::{FrontEnd, Rings, Windows};
use kernels::graph::{Builder, Graph, NodeId};
use kernels::hologram::{Hologram, Tables};
use kernels::{Buffer, Mail, Mapped, Signal, Stream};
use num_complex::Complex;

type Complex32 = Complex<f32>;

/// The kernels of an iteration.
pub(super) struct Stages {
    pub front_end: FrontEnd,
    pub hologram: Hologram,
}

/// What they read and write.
pub(super) struct Memory {
    pub mail: Mail,
    pub rings: Rings,
    pub bins: Buffer<Complex32>,
    pub tables: Tables,
    pub fields: Mapped<Complex32>,
    pub signal: Signal,
}

/// Iterations in a row.
pub(super) struct Iterations {
    graph: Graph,
    /// Of each iteration: front end, and front end for the next one; holography between them does not depend on the hop.
    nodes: Vec<[NodeId; 2]>,
}

impl Iterations {
    /// So many, of `hop` rows each.
    pub fn new(
        stream: &mut Stream,
        stages: &Stages,
        memory: &mut Memory,
        count: usize,
        hop: usize,
    ) -> Result<Self, Error> {
        let Stages { front_end, hologram } = stages;
        let mut builder = Builder::new(stream.device())?;
        let mut nodes = Vec::new();
        for _ in 0..count {
            let Memory { mail, rings, bins, tables, fields, signal } = memory;
            let live = front_end.add_to(&mut builder, Windows::Live { mail, count: hop }, rings, bins)?;
            hologram.add_to(&mut builder, bins, tables, fields, (&mut rings.state, signal))?;
            let next = front_end.add_to(&mut builder, Windows::Next { count: hop }, rings, bins)?;
            nodes.push([live, next]);
        }
        Ok(Self { graph: builder.build(stream)?, nodes })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Another number of rows from the next launch on.
    pub fn set_hop(&mut self, stages: &Stages, memory: &mut Memory, hop: usize) -> Result<(), Error> {
        let (Stages { front_end, .. }, graph) = (stages, &mut self.graph);
        let Memory { mail, rings, bins, .. } = memory;
        for &[live, next] in &self.nodes {
            front_end.update(graph, live, Windows::Live { mail, count: hop }, rings, bins)?;
            front_end.update(graph, next, Windows::Next { count: hop }, rings, bins)?;
        }
        Ok(())
    }

    /// Queues them all.
    pub fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        Ok(self.graph.launch(stream)?)
    }
}
