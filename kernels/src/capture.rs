//! Work of a stream as a graph: what is queued while it is captured is launched later by one call, as often as one likes.
//!
//! Unlike those of [`graph`](crate::graph), its arguments cannot be changed; but it holds whatever a stream can, transforms of cuFFT too.

use crate::device::{Device, check};
use crate::error::Error;
use crate::stream::{Kept, Stream};
use cudarc::driver::{result, sys};

/// Captured work, with the memory that it uses.
#[derive(Debug)]
pub struct Captured {
    device: Device,
    executable: sys::CUgraphExec,
    _kept: Vec<Kept>,
}

// SAFETY: a handle that one owner uses at a time (`&mut`), from any thread.
unsafe impl Send for Captured {}

impl Captured {
    /// What `work` queues in the stream; it does not run yet. It must not wait for the stream, nor copy from or to the host.
    pub fn new(
        stream: &mut Stream,
        work: impl FnOnce(&mut Stream) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let device = stream.device().clone();
        device.bind()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive, and the capture is ended below whatever `work` does.
        check("cuStreamBeginCapture", unsafe { result::stream::begin_capture(stream.raw, mode) })?;
        stream.begin_keeping();
        let worked = work(stream);
        let kept = stream.end_keeping();
        // SAFETY: as above.
        let graph = unsafe { result::stream::end_capture(stream.raw) };
        if let (Err(_), Ok(graph)) = (&worked, &graph) {
            // SAFETY: made just now, destroyed once.
            let _ = unsafe { result::graph::destroy(*graph) };
        }
        worked?;
        let graph = check("cuStreamEndCapture", graph)?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph is complete and is destroyed once, here; the executable once, in `Drop`.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        // SAFETY: as above.
        let _ = unsafe { result::graph::destroy(graph) };
        check("cuGraphInstantiate", made.result())?;
        let captured = Self { device, executable, _kept: kept };
        // SAFETY: graph and stream are alive.
        check("cuGraphUpload", unsafe { sys::cuGraphUpload(executable, stream.raw) }.result())?;
        Ok(captured)
    }

    /// Queues all of it.
    pub fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.device.bind()?;
        // SAFETY: the graph is instantiated, its memory alive, and the stream belongs to the same card.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, stream.raw) }.result())
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: instantiated once, destroyed once; the driver waits for launches under way.
            let _ = unsafe { result::graph::exec_destroy(self.executable) };
        }
    }
}
