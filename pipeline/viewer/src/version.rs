//! The version of the protocol.

/// Version of the protocol, in every message of either side.
pub const VERSION: u16 = 1;
