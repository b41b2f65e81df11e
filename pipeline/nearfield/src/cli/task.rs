//! What the frame of the program must know of a command before it runs.

/// Devices that a command computes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Devices {
    /// The CPU only.
    Cpu,
    /// The CPU, or a GPU that is asked for.
    CpuOrGpu,
}

/// Processes that mpirun may start for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processes {
    One,
    /// Several, which share the work.
    Several,
}

#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// As it is typed.
    pub name: &'static str,
    /// Where it computes.
    pub devices: Devices,
    /// How many processes share it.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "one process is all there is"))]
    pub processes: Processes,
}
