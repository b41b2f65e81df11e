//! CUDA graphs: kernels in a row, launched by one call, with arguments that can be changed between launches.
//!
//! Nodes run one after the other in the order in which they were added. A graph keeps the memory of its arguments alive.

use crate::allocation::Memory;
use crate::call::Call;
use crate::device::{Device, check};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::stream::Stream;
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// A graph under construction.
#[derive(Debug)]
pub struct Builder {
    device: Device,
    raw: sys::CUgraph,
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    raw: sys::CUgraphNode,
    kernel: Kernel,
    /// Kept alive.
    _memories: Vec<Arc<Memory>>,
}

/// A graph ready to run.
#[derive(Debug)]
pub struct Graph {
    executable: Executable,
    builder: Builder,
}

/// What the driver runs.
#[derive(Debug)]
pub(crate) struct Executable {
    device: Device,
    raw: sys::CUgraphExec,
}

/// A node whose arguments can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(usize);

// SAFETY: graphs are handles that one owner uses at a time (`&mut`), from any thread.
unsafe impl Send for Builder {}
// SAFETY: as above.
unsafe impl Send for Executable {}

impl Builder {
    /// An empty graph.
    pub fn new(device: &Device) -> Result<Self, Error> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes a handle, which is destroyed once, in `Drop`.
        check("cuGraphCreate", unsafe { sys::cuGraphCreate(&raw mut raw, 0) }.result())?;
        Ok(Self { device: device.clone(), raw, nodes: Vec::new() })
    }

    /// Adds a kernel behind the nodes so far. It may be set up while the kernel before it runs: it must
    /// wait for that one by itself before it reads or writes anything of this iteration
    /// (`cuda/overlap.cuh`). Cards that cannot overlap run them in turn.
    pub(crate) fn kernel(&mut self, kernel: &Kernel, mut call: Call) -> Result<NodeId, Error> {
        kernel.check_call(&call)?;
        self.device.bind()?;
        let mut pointers = call.pointers();
        let parameters = node_parameters(kernel, &mut pointers);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the driver copies the arguments, which fit the kernel; the node holds kernel and memories.
        let added = unsafe {
            sys::cuGraphAddKernelNode_v2(&raw mut raw, self.raw, std::ptr::null(), 0, &raw const parameters)
        };
        check("adding a node to a graph", added.result())?;
        if let Some(before) = self.nodes.last() {
            let edge = if self.device.properties().clusters() {
                sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
            } else {
                sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_DEFAULT
            };
            // A programmatic edge leaves from port 1, where the first kernel lets the next begin; a plain one from port 0.
            let kind = edge as u8;
            let data = sys::CUgraphEdgeData { from_port: kind, to_port: 0, type_: kind, reserved: [0; 5] };
            let from = &raw const before.raw;
            // SAFETY: both nodes are of this graph; one edge.
            let added =
                unsafe { sys::cuGraphAddDependencies_v2(self.raw, from, &raw const raw, &raw const data, 1) };
            check("adding an edge to a graph", added.result())?;
        }
        self.nodes.push(Node { raw, kernel: kernel.clone(), _memories: call.memories });
        Ok(NodeId(self.nodes.len() - 1))
    }

    /// Makes it ready to run.
    pub fn build(self, stream: &mut Stream) -> Result<Graph, Error> {
        Ok(Graph { executable: Executable::new(stream, self.raw)?, builder: self })
    }
}

impl Graph {
    /// Queues the whole graph.
    pub fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.executable.launch(stream)
    }

    /// Gives a kernel other arguments from the next launch on.
    pub(crate) fn update(&mut self, node: NodeId, mut call: Call) -> Result<(), Error> {
        self.builder.device.bind()?;
        let node = &mut self.builder.nodes[node.0];
        node.kernel.check_call(&call)?;
        let mut pointers = call.pointers();
        let parameters = node_parameters(&node.kernel, &mut pointers);
        // SAFETY: as in `Builder::kernel`; launches under way keep the old arguments, whose memory the driver does not free
        // before they are done.
        let set = unsafe {
            sys::cuGraphExecKernelNodeSetParams_v2(self.executable.raw, node.raw, &raw const parameters)
        };
        check("cuGraphExecKernelNodeSetParams", set.result())?;
        node._memories = call.memories;
        Ok(())
    }
}

impl Executable {
    /// Of a complete graph.
    pub(crate) fn new(stream: &Stream, graph: sys::CUgraph) -> Result<Self, Error> {
        let device = stream.device().clone();
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the graph is alive; the handle is destroyed once, in `Drop`.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut raw, graph, 0) };
        check("cuGraphInstantiate", made.result())?;
        let executable = Self { device, raw };
        // SAFETY: graph and stream are alive.
        check("cuGraphUpload", unsafe { sys::cuGraphUpload(raw, stream.raw) }.result())?;
        Ok(executable)
    }

    /// Queues all of it.
    pub(crate) fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.device.bind()?;
        // SAFETY: the graph is instantiated, its memory alive, and the stream belongs to the same card.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.raw, stream.raw) }.result())
    }
}

fn node_parameters(kernel: &Kernel, pointers: &mut [*mut std::ffi::c_void]) -> sys::CUDA_KERNEL_NODE_PARAMS {
    let geometry = kernel.geometry;
    sys::CUDA_KERNEL_NODE_PARAMS {
        func: kernel.function,
        gridDimX: geometry.grid[0],
        gridDimY: geometry.grid[1],
        gridDimZ: geometry.grid[2],
        blockDimX: geometry.threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: geometry.shared,
        kernelParams: pointers.as_mut_ptr(),
        extra: std::ptr::null_mut(),
        kern: std::ptr::null_mut(),
        ctx: std::ptr::null_mut(),
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: created once, destroyed once.
            let _ = unsafe { result::graph::destroy(self.raw) };
        }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: instantiated once, destroyed once; the driver waits for launches under way.
            let _ = unsafe { result::graph::exec_destroy(self.raw) };
        }
    }
}
