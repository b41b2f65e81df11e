//! The numbers of the stage.

/// Numbers of the stage.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Bytes of a row.
    pub row_bytes: usize,
    /// Rows from one hologram to the next, a multiple of 32.
    pub hop: u64,
    /// Rows of history and window.
    pub needed: u64,
    /// Rows of the window.
    pub window: u64,
    /// Rows a second.
    pub pace_hz: f64,
    /// Spans that may wait before holograms are left out.
    pub most_waiting: usize,
    /// Distance of the map's points, m.
    pub pitch_m: f32,
    /// Every so many holograms one is a file; 0 for none.
    pub every: u64,
}
