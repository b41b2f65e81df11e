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
    /// First of its tiles, behind those of other launches.
    pub first_tile: u32,
    /// Tiles in a row of tiles.
    pub tiles: u32,
    /// First of its cells, at the left of the first row of tiles.
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
    first_tile = 160,
    tiles = 164,
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

/// A face of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrFace {
    /// Unit vector from the edge into it.
    pub x: [f64; 3],
    /// Unit vector out of it.
    pub y: [f64; 3],
    /// m along x; below 0: it bends away.
    pub reach: f64,
}

layout!(SbrFace, 56, x = 0, y = 24, reach = 48);

/// A piece of an edge; lengths in metres, places from the centre of the facets.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrEdge {
    /// Between its ends.
    pub middle: [f64; 3],
    /// From end to end.
    pub edge: [f64; 3],
    /// Where rays begin: a little outside of the middle.
    pub start: [f64; 3],
    /// Both faces.
    pub faces: [SbrFace; 2],
    /// Exterior angle over pi.
    pub n: f64,
}

layout!(SbrEdge, 192, middle = 0, edge = 24, start = 48, faces = 72, n = 184);

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
    /// Capacity of the lists of tiles.
    pub listed: u32,
    /// Cells whose first rays are kept as tiles have traced them.
    pub kept: u32,
    /// Numbers of nodes that there are tables for.
    pub bands: u32,
    /// Nearer hits of a ray that left a facet are rounding, m.
    pub least: f64,
    /// Agreement of two rays in place, m^2.
    pub place: f64,
    /// Agreement of two rays in direction, squared.
    pub direction: f64,
    /// Tubes whose places are as linear as this are one, m^2.
    pub linear: f64,
    /// Where bins of paths begin, m.
    pub start: f64,
    /// Of a bin, m.
    pub width: f64,
    /// Receivers of all launches.
    pub observers: u32,
    /// Of each of them.
    pub bins: u32,
}

layout!(
    Sbr,
    104,
    launches = 0,
    facets = 4,
    bounces = 8,
    receivers = 12,
    frequencies = 16,
    capacity = 20,
    parts = 24,
    levels = 28,
    seeds = 32,
    listed = 36,
    kept = 40,
    bands = 44,
    least = 48,
    place = 56,
    direction = 64,
    linear = 72,
    start = 80,
    width = 88,
    observers = 96,
    bins = 100
);

/// A ray of a cell that parts: where it began, and the facets that it met.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrRay {
    /// Tubes from the grid's corner.
    pub x: f64,
    /// The other way.
    pub y: f64,
    /// The first ones.
    pub facets: [u32; 8],
    /// How many; [`u32::MAX`]: there is no ray.
    pub met: u32,
    /// Whether it would have been reflected again.
    pub cut: u32,
}

layout!(SbrRay, 56, x = 0, y = 8, facets = 16, met = 48, cut = 52);

/// What is known of a cell that parts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrCell {
    /// Launch, row and column.
    pub cell: u64,
    /// Which ray found each of its pieces, a byte each.
    pub rays: u64,
    /// How many.
    pub pieces: u32,
    /// Bits: a ray met nothing; there are too many pieces.
    pub state: u32,
    /// Of pieces, in tubes, in the end without what stands before them.
    pub areas: [f64; 8],
    /// Numbers of the parts of pieces that were listed last.
    pub last: [u32; 8],
}

layout!(SbrCell, 120, cell = 0, rays = 8, pieces = 16, state = 20, areas = 24, last = 88);

/// What a way covers of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrPolygon {
    /// Counterclockwise, in tubes from its ray.
    pub corners: [[f64; 2]; 8],
    /// Of them.
    pub count: u32,
    /// Nothing.
    pub reserved: [u32; 3],
}

layout!(SbrPolygon, 144, corners = 0, count = 128, reserved = 132);

/// A part of a tube that radiates: what a polygon of the grid covers of the last facet of a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct SbrPart {
    /// Its ray.
    pub ray: SbrRay,
    /// Counterclockwise, in tubes from its ray; clockwise where it counts less than nothing.
    pub corners: [[f64; 2]; 8],
    /// Of corners; 0: all of a cell whose size is the first number of corners.
    pub count: u32,
    /// Number of its launch.
    pub launch: u32,
    /// Whether it counts as a tube.
    pub counts: u32,
    /// Number of the part that was listed before it for the same ray.
    pub before: u32,
}

layout!(SbrPart, 200, ray = 0, corners = 56, count = 184, launch = 188, counts = 192, before = 196);
