//! Where a kernel's call goes: into a stream at once, or into a graph that is launched later.

use crate::error::Error;
use crate::graph::Builder;
use crate::kernel::{Argument, Kernel};
use crate::stream::Stream;

/// A stream or a graph under construction. Launchers whose arguments never change take one, and so need one method for
/// both.
#[derive(Debug)]
pub enum Queue<'a> {
    /// Runs in its turn.
    Stream(&'a mut Stream),
    /// Becomes the last node.
    Graph(&'a mut Builder),
}

impl Queue<'_> {
    pub(crate) fn kernel(&mut self, kernel: &Kernel, arguments: &[Argument<'_>]) -> Result<(), Error> {
        match self {
            Self::Stream(stream) => kernel.launch(stream, arguments),
            Self::Graph(graph) => graph.kernel(kernel, arguments).map(drop),
        }
    }
}

impl<'a> From<&'a mut Stream> for Queue<'a> {
    fn from(stream: &'a mut Stream) -> Self {
        Self::Stream(stream)
    }
}

impl<'a> From<&'a mut Builder> for Queue<'a> {
    fn from(graph: &'a mut Builder) -> Self {
        Self::Graph(graph)
    }
}
