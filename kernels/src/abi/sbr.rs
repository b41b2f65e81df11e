//! `abi/sbr.h`.

use crate::plain::Plain;

/// A part of the launch grid of one direction of incidence; lengths in metres, places from the centre of the facets.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrLaunch {
    /// Unit vector from the target to the transmitter.
    pub sight: [f64; 3],
    /// Corner of the whole grid.
    pub corner: [f64; 3],
    /// Side of a tube.
    pub u: [f64; 3],
    /// The other side.
    pub v: [f64; 3],
    /// Incident fields of both polarisations, in units of u and of v.
    pub fields: [[f64; 2]; 2],
    /// Of the square of a tube's side, 1/m^2.
    pub inverse: f64,
    /// Of the sums, m^2.
    pub quantum: f64,
    /// Tubes of the whole grid.
    pub columns: u32,
    /// Along the other side.
    pub rows: u32,
    /// First row of tiles of this part.
    pub first_tile_row: u32,
    /// Rows of tiles of this part.
    pub tile_rows: u32,
    /// First word of its tiles' bits.
    pub first_word: u32,
    /// Words of 32 tiles in a row of tiles.
    pub words: u32,
    /// First of its masks, at the left of the first row of tiles.
    pub first_cell: u32,
    /// Number of its first receiver.
    pub direction: u32,
}

layout!(
    SbrLaunch,
    176,
    sight = 0,
    corner = 24,
    u = 48,
    v = 72,
    fields = 96,
    inverse = 128,
    quantum = 136,
    columns = 144,
    rows = 148,
    first_tile_row = 152,
    tile_rows = 156,
    first_word = 160,
    words = 164,
    first_cell = 168,
    direction = 172
);

/// A receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrReceiver {
    /// Unit vector from the target.
    pub sight: [f64; 3],
    /// v and h.
    pub polarisations: [[f64; 3]; 2],
}

layout!(SbrReceiver, 72, sight = 0, polarisations = 24);

/// A ray in the corner of a border.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrSeed {
    /// Tubes from the grid's corner.
    pub x: f64,
    /// The other way.
    pub y: f64,
    /// From a launch's first cell on.
    pub cell: u32,
    /// Nothing.
    pub reserved: u32,
}

layout!(SbrSeed, 24, x = 0, y = 8, cell = 16, reserved = 20);

/// Numbers of all kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Sbr {
    /// Launches at once.
    pub launches: u32,
    /// Triangles.
    pub facets: u32,
    /// Most of a ray.
    pub bounces: u32,
    /// Of a launch.
    pub receivers: u32,
    /// At once.
    pub frequencies: u32,
    /// Of a list of cells that were quartered.
    pub capacity: u32,
    /// Capacity of the list of parts.
    pub parts: u32,
    /// Times that a cell is quartered at most.
    pub levels: u32,
    /// Rays in the corners of borders.
    pub seeds: u32,
    /// Nothing.
    pub reserved: u32,
    /// Nearer hits of a ray that left a facet are rounding, m.
    pub least: f64,
    /// Agreement of two rays in place, m^2.
    pub place: f64,
    /// Agreement of two rays in direction, squared.
    pub direction: f64,
    /// Tubes whose places are as linear as this are one, m^2.
    pub linear: f64,
}

layout!(
    Sbr,
    72,
    launches = 0,
    facets = 4,
    bounces = 8,
    receivers = 12,
    frequencies = 16,
    capacity = 20,
    parts = 24,
    levels = 28,
    seeds = 32,
    reserved = 36,
    least = 40,
    place = 48,
    direction = 56,
    linear = 64
);

/// A part of a tube that radiates: what a polygon of the grid covers of its last facet.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrPart {
    /// Where its ray leaves, m.
    pub place: [f64; 3],
    /// Of the ray behind its last facet.
    pub direction: [f64; 3],
    /// Of the last facet.
    pub normal: [f64; 3],
    /// Footprint of a whole tube.
    pub u: [f64; 3],
    /// Its other side.
    pub v: [f64; 3],
    /// At the exit, without phase.
    pub fields: [[f64; 3]; 2],
    /// m.
    pub path: f64,
    /// Counterclockwise, in tubes from its ray; clockwise where it counts less than nothing.
    pub corners: [[f64; 2]; 8],
    /// Of corners; 0: all of a cell whose size is the first number of corners.
    pub count: u32,
    /// Number of its launch.
    pub launch: u32,
}

layout!(
    SbrPart,
    312,
    place = 0,
    direction = 24,
    normal = 48,
    u = 72,
    v = 96,
    fields = 120,
    path = 168,
    corners = 176,
    count = 304,
    launch = 308
);
