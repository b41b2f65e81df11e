//! A port, on the card.

use super::layout::Layout;
use super::mesh::{Fields, Mesh, THREADS};
use crate::abi;
use crate::calls;
use crate::error::{Error, at_most, below, same, size32};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;

/// The sheet of a port.
#[derive(Debug)]
pub struct Port {
    kernel: Kernel,
    gaps: Buffer<abi::DgtdGap>,
    /// The first node of every element at the sheet, and the end.
    starts: Buffer<u32>,
    /// Of all fields that it may be added to.
    length: usize,
}

impl Port {
    /// Adds what the sheet does to the stage that was just done; `port` has b and dt of the stage and the field at its time.
    pub fn add<T: Float>(
        &self,
        stream: &mut Stream,
        mesh: &Mesh<T>,
        fields: &mut Fields<T>,
        port: &abi::DgtdPort,
    ) -> Result<(), Error> {
        same("fields", fields.now.len(), self.length)?;
        let Fields { now, next: before, residual, .. } = fields;
        let (lift, gaps, starts) = (&mesh.lift, &self.gaps, &self.starts);
        self.kernel.launch(stream, calls::dgtd_port(&*before, now, residual, lift, gaps, starts, port))
    }
}

/// Sums of E* on the sheet, frequency by frequency.
#[derive(Debug)]
pub struct Terminals {
    kernel: Kernel,
    gaps: Buffer<abi::DgtdGap>,
    wavenumbers: Buffer<f64>,
    /// `[frequency][node][axis]`
    sums: Buffer<Complex<f64>>,
    /// Of all fields that they may be taken from.
    length: usize,
}

impl Terminals {
    /// Adds a step; `port` has its length, the time at which it ends and the field then.
    pub fn add<T: Float>(
        &mut self,
        stream: &mut Stream,
        fields: &Fields<T>,
        port: &abi::DgtdPort,
    ) -> Result<(), Error> {
        same("fields", fields.now.len(), self.length)?;
        let (count, frequencies) =
            (size32("nodes", self.gaps.len())?, size32("frequencies", self.wavenumbers.len())?);
        let Self { kernel, gaps, wavenumbers, sums, .. } = self;
        let call = calls::dgtd_terminals(&fields.now, &*gaps, &*wavenumbers, sums, count, frequencies, port);
        kernel.launch(stream, call)
    }

    /// What has been summed up.
    pub fn sums(&self, stream: &mut Stream) -> Result<Vec<Complex<f64>>, Error> {
        stream.values(&self.sums)
    }
}

impl<T: Float> Mesh<T> {
    /// A port of these nodes, those of an element side by side.
    pub fn port(&self, stream: &mut Stream, gaps: &[abi::DgtdGap]) -> Result<Port, Error> {
        let Layout { nodes, lanes, .. } = self.layout;
        let places = self.blocks * lanes;
        self.check(gaps)?;
        let elements = gaps.chunk_by(|one, other| one.place == other.place).map(<[_]>::len);
        let mut end = 0;
        let mut starts = vec![0];
        for count in elements {
            at_most("nodes of a port", count, self.layout.traces())?;
            end += count;
            starts.push(size32("nodes", end)?);
        }
        let geometry = Geometry::new([(starts.len() - 1).max(1), 1, 1], nodes.next_multiple_of(32), 0)?;
        // A port without nodes has one element without any.
        if starts.len() == 1 {
            starts.push(0);
        }
        Ok(Port {
            kernel: self.module.prepare(&calls::DGTD_PORT, geometry)?,
            gaps: Buffer::from_slice(stream, "nodes of a port", gaps)?,
            starts: Buffer::from_slice(stream, "elements of a port", &starts)?,
            length: places * self.layout.values(),
        })
    }

    /// Sums at these nodes that go on from those given.
    pub fn terminals(
        &self,
        stream: &mut Stream,
        gaps: &[abi::DgtdGap],
        wavenumbers: &[f64],
        sums: &[Complex<f64>],
    ) -> Result<Terminals, Error> {
        self.check(gaps)?;
        same("sums of a port", sums.len(), 3 * gaps.len() * wavenumbers.len())?;
        let blocks = (gaps.len() * wavenumbers.len()).div_ceil(THREADS).max(1);
        let geometry = Geometry::new([blocks, 1, 1], THREADS, 0)?;
        Ok(Terminals {
            kernel: self.module.prepare(&calls::DGTD_TERMINALS, geometry)?,
            gaps: Buffer::from_slice(stream, "nodes of a port", gaps)?,
            wavenumbers: Buffer::from_slice(stream, "wavenumbers", wavenumbers)?,
            sums: Buffer::from_slice(stream, "sums of a port", sums)?,
            length: self.blocks * self.layout.lanes * self.layout.values(),
        })
    }

    /// Nodes, columns and elements are those of this mesh.
    fn check(&self, gaps: &[abi::DgtdGap]) -> Result<(), Error> {
        let places = self.blocks * self.layout.lanes;
        for gap in gaps {
            below("node of a port", gap.own.max(gap.other) as usize, places * self.layout.nodes)?;
            below("column of a port", gap.column as usize, self.layout.traces())?;
            below("element of a port", gap.place as usize, places)?;
        }
        Ok(())
    }
}
