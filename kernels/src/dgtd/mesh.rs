//! Fields on a mesh, stage by stage, and their running sums.

use super::layout::{AXES_BITS, GEOMETRY, Layout, PROGRAM, TABLE_BITS, TABLES, memories};
use crate::abi;
use crate::calls;
use crate::error::{Error, at_least, below, same, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;

/// Threads of a block of the spectrum and of poles.
pub(super) const THREADS: usize = 128;

/// Matrices, geometry and neighbours as the card has them.
#[derive(Debug, Clone)]
pub struct Tables<T> {
    /// D_r, D_s and D_t.
    pub derivatives: Vec<T>,
    /// LIFT.
    pub lift: Vec<T>,
    /// Of elements and faces, see [`GEOMETRY`].
    pub geometry: Vec<T>,
    /// Elements behind the faces, times 2^[`TABLE_BITS`], and their tables of traces.
    pub neighbours: Vec<u32>,
    /// Of a face that sees the plane wave the number of its first delay plus one, negative where the wave is taken away; 0 of others.
    pub wet: Vec<i32>,
    /// When the wave passes a node, m.
    pub delays: Vec<f64>,
    /// Nodes of the faces.
    pub face_nodes: Vec<u8>,
    /// Nodes of a neighbour's face as ours meet them, table by table.
    pub seen: Vec<u8>,
    /// Of the blocks in matched layers, which are the last, by axis, 1/m.
    pub sigma: Vec<T>,
    /// Of the same blocks: memories before theirs, times 2^[`AXES_BITS`], and their axes as bits.
    pub starts: Vec<u32>,
}

/// Kernels and tables.
#[derive(Debug)]
pub struct Mesh<T> {
    pub(super) layout: Layout,
    pub(super) blocks: usize,
    first_matched: usize,
    /// Memories of all blocks.
    remembered: usize,
    stage: Kernel,
    pub(super) module: Module,
    derivatives: Buffer<T>,
    pub(super) lift: Buffer<T>,
    geometry: Buffer<T>,
    neighbours: Buffer<u32>,
    wet: Buffer<i32>,
    delays: Buffer<f64>,
    face_nodes: Buffer<u8>,
    seen: Buffer<u8>,
    sigma: Buffer<T>,
    starts: Buffer<u32>,
}

/// Fields on their way.
#[derive(Debug)]
pub struct Fields<T> {
    /// Fields.
    pub now: Buffer<T>,
    pub(super) next: Buffer<T>,
    /// Of the Runge-Kutta scheme.
    pub residual: Buffer<T>,
    /// Of matched layers.
    pub memory: Buffer<T>,
}

impl<T: Float> Mesh<T> {
    /// Compiles kernels and sends tables.
    pub fn new(stream: &mut Stream, layout: Layout, tables: &Tables<T>) -> Result<Self, Error> {
        let Layout { lanes, tiles, nodes, .. } = layout;
        let blocks = tables.neighbours.len() / (4 * lanes);
        let first_matched = blocks.saturating_sub(tables.sigma.len() / (3 * lanes));
        check(&layout, tables, blocks, first_matched)?;
        let remembered = check_starts(&tables.starts, blocks - first_matched)?;
        let module = Module::load(stream.device(), &PROGRAM, &layout.defines())?;
        let geometry = Geometry::new([blocks, 1, 1], lanes * tiles, layout.shared())?;
        same("derivatives", tables.derivatives.len(), tiles * nodes * layout.pitch())?;
        Ok(Self {
            layout,
            blocks,
            first_matched,
            remembered,
            stage: module.prepare(&calls::DGTD_STAGE, geometry)?,
            derivatives: Buffer::from_slice(stream, "derivatives", &tables.derivatives)?,
            lift: Buffer::from_slice(stream, "lift", &tables.lift)?,
            geometry: Buffer::from_slice(stream, "geometry of elements", &tables.geometry)?,
            neighbours: Buffer::from_slice(stream, "neighbours", &tables.neighbours)?,
            wet: Buffer::from_slice(stream, "faces in the wave", &tables.wet)?,
            delays: Buffer::from_slice(stream, "delays of the wave", &tables.delays)?,
            face_nodes: Buffer::from_slice(stream, "nodes of faces", &tables.face_nodes)?,
            seen: Buffer::from_slice(stream, "traces", &tables.seen)?,
            sigma: Buffer::from_slice(stream, "matched layers", &tables.sigma)?,
            starts: Buffer::from_slice(stream, "axes of layers", &tables.starts)?,
            module,
        })
    }

    /// Blocks of elements.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Fields, all zero.
    pub fn fields(&self, stream: &mut Stream) -> Result<Fields<T>, Error> {
        let count = self.blocks * self.layout.lanes * self.layout.values();
        let remembered = self.remembered * self.layout.remembered();
        Ok(Fields {
            now: Buffer::zeros(stream, "fields", count)?,
            next: Buffer::zeros(stream, "fields of the next stage", count)?,
            residual: Buffer::zeros(stream, "residuals", count)?,
            memory: Buffer::zeros(stream, "memories of matched layers", remembered)?,
        })
    }

    /// Bytes that a stage reads and writes at least: fields and residuals, what the layers remember, geometry and neighbours once.
    pub fn traffic(&self, fields: &Fields<T>) -> usize {
        let tables = self.geometry.bytes() + self.neighbours.bytes() + self.wet.bytes() + self.sigma.bytes();
        tables + 2 * (fields.now.bytes() + fields.residual.bytes() + fields.memory.bytes())
    }

    /// A stage: residual and fields follow from the fields.
    pub fn run(&self, stream: &mut Stream, fields: &mut Fields<T>, numbers: &abi::Dgtd) -> Result<(), Error> {
        same("fields", fields.now.len(), self.blocks * self.layout.lanes * self.layout.values())?;
        same("memories", fields.memory.len(), self.remembered * self.layout.remembered())?;
        let Fields { now, next, residual, memory } = fields;
        let numbers = abi::Dgtd { first_matched: self.first_matched as u64, ..*numbers };
        let call = calls::dgtd_stage(
            &*now,
            &mut *next,
            residual,
            &self.derivatives,
            &self.lift,
            &self.geometry,
            &self.neighbours,
            &self.wet,
            &self.delays,
            &self.face_nodes,
            &self.seen,
            &self.sigma,
            &self.starts,
            memory,
            &numbers,
        );
        self.stage.launch(stream, call)?;
        std::mem::swap(now, next);
        Ok(())
    }

    /// Running sums of fields at nodes of elements, frequency by frequency.
    pub fn spectrum(
        &self,
        stream: &mut Stream,
        nodes: &[u32],
        wavenumbers: &[f64],
    ) -> Result<Spectrum, Error> {
        let most = self.blocks * self.layout.lanes * self.layout.nodes;
        nodes.iter().try_for_each(|node| below("node of a surface", *node as usize, most))?;
        let geometry = Geometry::new([nodes.len().div_ceil(THREADS).max(1), 1, 1], THREADS, 0)?;
        Ok(Spectrum {
            kernel: self.module.prepare(&calls::DGTD_SPECTRUM, geometry)?,
            nodes: Buffer::from_slice(stream, "nodes of a surface", nodes)?,
            wavenumbers: Buffer::from_slice(stream, "wavenumbers", wavenumbers)?,
            phasors: Buffer::zeros(stream, "phasors", 6 * nodes.len() * wavenumbers.len())?,
        })
    }
}

/// Tables have the lengths that the kernels index.
fn check<T>(layout: &Layout, tables: &Tables<T>, blocks: usize, first_matched: usize) -> Result<(), Error> {
    let Layout { lanes, tiles, rows, face_nodes, .. } = *layout;
    same("neighbours", tables.neighbours.len(), blocks * 4 * lanes)?;
    same("lift", tables.lift.len(), tiles * layout.traces() * rows)?;
    same("geometry of elements", tables.geometry.len(), blocks * GEOMETRY * lanes)?;
    same("faces in the wave", tables.wet.len(), blocks * 4 * lanes)?;
    same("nodes of faces", tables.face_nodes.len(), layout.traces())?;
    same("traces", tables.seen.len(), TABLES * face_nodes)?;
    same("matched layers", tables.sigma.len(), (blocks - first_matched) * 3 * lanes)?;
    let elements = (blocks * lanes) as u32;
    let wrong = |neighbour: &&u32| {
        **neighbour >> TABLE_BITS >= elements || **neighbour & ((1 << TABLE_BITS) - 1) >= TABLES as u32
    };
    if let Some(neighbour) = tables.neighbours.iter().find(wrong) {
        let (given, needed) = ((neighbour >> TABLE_BITS) as usize, elements as usize);
        return Err(Error::Length { what: "element of a neighbour", given, needed });
    }
    let most = tables.wet.iter().map(|wet| wet.unsigned_abs() as usize).max().unwrap_or(0);
    if most > 0 {
        at_least("delays of the wave", tables.delays.len(), most - 1 + face_nodes)?;
    }
    let mut nodes = tables.face_nodes.iter().chain(&tables.seen);
    nodes.try_for_each(|node| below("node of a face", usize::from(*node), layout.nodes))
}

/// Every block of layers begins where the one before it ends; gives the memories of all.
fn check_starts(starts: &[u32], blocks: usize) -> Result<usize, Error> {
    same("axes of layers", starts.len(), blocks)?;
    starts.iter().try_fold(0, |before, start| {
        same("memories before a block of layers", (start >> AXES_BITS) as usize, before)?;
        Ok(before + memories(start & ((1 << AXES_BITS) - 1)) as usize)
    })
}

/// Sums of fields at nodes over time.
#[derive(Debug)]
pub struct Spectrum {
    kernel: Kernel,
    nodes: Buffer<u32>,
    wavenumbers: Buffer<f64>,
    /// `[frequency][component][node]`
    phasors: Buffer<Complex<f64>>,
}

impl Spectrum {
    /// Adds fields at a time, m, that stand for `dt`, m.
    pub fn add<T: Float>(
        &mut self,
        stream: &mut Stream,
        fields: &Fields<T>,
        time: f64,
        dt: f64,
    ) -> Result<(), Error> {
        let (count, frequencies) =
            (size32("nodes", self.nodes.len())?, size32("frequencies", self.wavenumbers.len())?);
        let Self { kernel, nodes, wavenumbers, phasors } = self;
        let call =
            calls::dgtd_spectrum(&fields.now, &*nodes, &*wavenumbers, phasors, count, frequencies, time, dt);
        kernel.launch(stream, call)
    }

    /// What has been summed up.
    pub fn phasors(&self, stream: &mut Stream) -> Result<Vec<Complex<f64>>, Error> {
        stream.values(&self.phasors)
    }

    /// Begins with these sums.
    pub fn set(&mut self, stream: &mut Stream, phasors: &[Complex<f64>]) -> Result<(), Error> {
        stream.upload(phasors, &mut self.phasors)
    }
}
