//! CUDA graphs: kernels in a row, launched by one call, with arguments that can be changed between launches.
//!
//! Nodes run one after the other in the order in which they were added. A graph keeps the memory of its arguments alive.

use crate::allocation::Memory;
use crate::device::{Device, check};
use crate::error::Error;
use crate::kernel::{Argument, Kernel, Packed};
use crate::memory::{Buffer, Pinned};
use crate::plain::Plain;
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
    /// None for a copy.
    kernel: Option<Kernel>,
    /// Kept alive.
    _memories: Vec<Arc<Memory>>,
}

/// A graph ready to run.
#[derive(Debug)]
pub struct Graph {
    builder: Builder,
    executable: sys::CUgraphExec,
}

/// A node whose arguments can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(usize);

// SAFETY: graphs are handles that one owner uses at a time (`&mut`), from any thread.
unsafe impl Send for Builder {}
// SAFETY: as above.
unsafe impl Send for Graph {}

impl Builder {
    /// An empty graph.
    pub fn new(device: &Device) -> Result<Self, Error> {
        device.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes a handle, which is destroyed once, in `Drop`.
        check("cuGraphCreate", unsafe { sys::cuGraphCreate(&raw mut raw, 0) }.result())?;
        Ok(Self { device: device.clone(), raw, nodes: Vec::new() })
    }

    /// Adds a kernel behind the nodes so far.
    pub(crate) fn kernel(&mut self, kernel: &Kernel, arguments: &[Argument<'_>]) -> Result<NodeId, Error> {
        self.add_kernel(kernel, arguments, sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
    }

    /// Adds a kernel that may be set up while the kernel before it runs: it must wait for that one by itself before it reads
    /// or writes anything of this iteration (`cuda/overlap.cuh`). Cards that cannot overlap run them in turn.
    pub(crate) fn overlapping_kernel(
        &mut self,
        kernel: &Kernel,
        arguments: &[Argument<'_>],
    ) -> Result<NodeId, Error> {
        let can =
            self.device.properties().clusters() && self.nodes.last().is_some_and(|n| n.kernel.is_some());
        let edge = if can {
            sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
        } else {
            sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_DEFAULT
        };
        self.add_kernel(kernel, arguments, edge)
    }

    fn add_kernel(
        &mut self,
        kernel: &Kernel,
        arguments: &[Argument<'_>],
        edge: sys::CUgraphDependencyType,
    ) -> Result<NodeId, Error> {
        let mut packed = kernel.pack(arguments)?;
        let mut pointers = packed.pointers();
        let parameters = node_parameters(kernel, &mut pointers);
        self.add(Some(kernel.clone()), packed.memories, |node, graph, before| {
            // SAFETY: the driver copies the arguments, which fit the kernel; the node holds kernel and memories.
            let added = unsafe {
                sys::cuGraphAddKernelNode_v2(node, graph, std::ptr::null(), 0, &raw const parameters)
            };
            let ([from], sys::CUresult::CUDA_SUCCESS) = (before, added) else { return added };
            // A programmatic edge leaves from port 1, where the first kernel lets the next begin; a plain one from port 0.
            let kind = edge as u8;
            let data = sys::CUgraphEdgeData { from_port: kind, to_port: 0, type_: kind, reserved: [0; 5] };
            // SAFETY: both nodes are of this graph; one edge.
            unsafe { sys::cuGraphAddDependencies_v2(graph, from, node, &raw const data, 1) }
        })
    }

    /// Adds a copy of a whole pinned buffer to the card behind the nodes so far.
    pub fn upload<T: Plain>(&mut self, from: &Pinned<T>, to: &mut Buffer<T>) -> Result<NodeId, Error> {
        if from.len() != to.len() {
            return Err(Error::Length { what: "copy in a graph", given: from.len(), needed: to.len() });
        }
        let from_host = from.memory().address() as *const std::ffi::c_void;
        let copy = copy_parameters(from_host, to.memory.address(), size_of::<T>() * from.len());
        let mut context = std::ptr::null_mut();
        self.device.bind()?;
        // SAFETY: writes the handle of the context that was just made current.
        check("cuCtxGetCurrent", unsafe { sys::cuCtxGetCurrent(&raw mut context) }.result())?;
        let memories = vec![Arc::clone(from.memory()), Arc::clone(&to.memory)];
        self.add(None, memories, |node, graph, before| {
            // SAFETY: both buffers have so many bytes, and the node keeps them alive.
            unsafe {
                sys::cuGraphAddMemcpyNode(
                    node,
                    graph,
                    before.as_ptr(),
                    before.len(),
                    &raw const copy,
                    context,
                )
            }
        })
    }

    fn add(
        &mut self,
        kernel: Option<Kernel>,
        memories: Vec<Arc<Memory>>,
        add: impl FnOnce(*mut sys::CUgraphNode, sys::CUgraph, &[sys::CUgraphNode]) -> sys::CUresult,
    ) -> Result<NodeId, Error> {
        self.device.bind()?;
        let before: Vec<_> = self.nodes.last().map(|node| node.raw).into_iter().collect();
        let mut raw = std::ptr::null_mut();
        check("adding a node to a graph", add(&raw mut raw, self.raw, &before).result())?;
        self.nodes.push(Node { raw, kernel, _memories: memories });
        Ok(NodeId(self.nodes.len() - 1))
    }

    /// Makes it ready to run.
    pub fn build(self, stream: &mut Stream) -> Result<Graph, Error> {
        self.device.bind()?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph is complete; the handle is destroyed once, in `Drop`.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, self.raw, 0) };
        check("cuGraphInstantiate", made.result())?;
        let graph = Graph { builder: self, executable };
        // SAFETY: graph and stream are alive.
        check("cuGraphUpload", unsafe { sys::cuGraphUpload(executable, stream.raw) }.result())?;
        Ok(graph)
    }
}

impl Graph {
    /// Queues the whole graph.
    pub fn launch(&mut self, stream: &mut Stream) -> Result<(), Error> {
        self.builder.device.bind()?;
        // SAFETY: the graph is instantiated, its memory alive, and the stream belongs to the same card.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, stream.raw) }.result())
    }

    /// Gives a kernel other arguments from the next launch on.
    pub(crate) fn update(&mut self, node: NodeId, arguments: &[Argument<'_>]) -> Result<(), Error> {
        self.builder.device.bind()?;
        let node = &mut self.builder.nodes[node.0];
        let Some(kernel) = &node.kernel else {
            return Err(Error::Length { what: "arguments of a copy", given: arguments.len(), needed: 0 });
        };
        let mut packed: Packed = kernel.pack(arguments)?;
        let mut pointers = packed.pointers();
        let parameters = node_parameters(kernel, &mut pointers);
        // SAFETY: as in `Builder::kernel`; launches under way keep the old arguments, whose memory the driver does not free
        // before they are done.
        let set = unsafe {
            sys::cuGraphExecKernelNodeSetParams_v2(self.executable, node.raw, &raw const parameters)
        };
        check("cuGraphExecKernelNodeSetParams", set.result())?;
        node._memories = packed.memories;
        Ok(())
    }
}

/// One line of `bytes` bytes from host to device memory; zero and null are "not used".
fn copy_parameters(from: *const std::ffi::c_void, to: sys::CUdeviceptr, bytes: usize) -> sys::CUDA_MEMCPY3D {
    use std::ptr::null_mut;
    sys::CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: from,
        srcDevice: 0,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstHost: null_mut(),
        dstDevice: to,
        dstArray: null_mut(),
        reserved1: null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
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

impl Drop for Graph {
    fn drop(&mut self) {
        if self.builder.device.bind().is_ok() {
            // SAFETY: instantiated once, destroyed once; the driver waits for launches under way.
            let _ = unsafe { result::graph::exec_destroy(self.executable) };
        }
    }
}
