//! Work of a stream as a graph: what is queued while it is captured is launched later by one call, as often as one likes.
//!
//! Unlike those of [`graph`](crate::graph), its arguments cannot be changed; but it holds whatever a stream can, transforms of cuFFT too.

use crate::device::check;
use crate::error::Error;
use crate::graph::Executable;
use crate::stream::{Kept, Stream};
use cudarc::driver::{result, sys};

/// Captured work, with the memory that it uses.
#[derive(Debug)]
pub struct Captured {
    executable: Executable,
    _kept: Vec<Kept>,
}

impl Captured {
    /// What `work` queues in the stream; it does not run yet. It must not wait for the stream, nor copy from or to the host.
    pub fn new(
        stream: &mut Stream,
        work: impl FnOnce(&mut Stream) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        stream.device().bind()?;
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
        let executable = Executable::new(stream, graph);
        // SAFETY: the graph is complete and is destroyed once, here.
        let _ = unsafe { result::graph::destroy(graph) };
        Ok(Self { executable: executable?, _kept: kept })
    }

    /// Queues all of it.
    pub fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.executable.launch(stream)
    }
}
