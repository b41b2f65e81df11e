//! `abi/reflectarray.h`.

use crate::plain::Plain;

/// What the kernels of `reflectarray.cu` are told.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Reflectarray {
    /// Of the lattice.
    pub columns: u32,
    /// Of the lattice.
    pub rows: u32,
    /// Points of the power's transforms along x.
    pub wide: u32,
    /// And along y.
    pub tall: u32,
    /// Moments along x.
    pub terms_x: u32,
    /// And along y.
    pub terms_y: u32,
    /// Different v of the directions.
    pub lines: u32,
    /// Directions.
    pub directions: u32,
    /// Pieces of lines, and so the parts of sums over directions.
    pub field_parts: u32,
    /// Blocks of `weigh`, and so the parts of its sum.
    pub power_parts: u32,
    /// Coefficients; 0: every phase is an unknown.
    pub zernike: u32,
    /// Whether value and gradient are added to those of another band.
    pub added: u32,
    /// Designs.
    pub designs: u32,
    /// Nothing.
    pub reserved: u32,
    /// Of this band.
    pub weight: f64,
    /// mu.
    pub mean: f64,
    /// p.
    pub sharpness: f64,
    /// Directions with a least directivity.
    pub covered: f64,
}

layout!(
    Reflectarray,
    88,
    columns = 0,
    rows = 4,
    wide = 8,
    tall = 12,
    terms_x = 16,
    terms_y = 20,
    lines = 24,
    directions = 28,
    field_parts = 32,
    power_parts = 36,
    zernike = 40,
    added = 44,
    designs = 48,
    reserved = 52,
    weight = 56,
    mean = 64,
    sharpness = 72,
    covered = 80
);

/// When a search stops.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct LbfgsSettings {
    /// A start that gains less than this, some iterations in a row, has converged.
    pub gain: f64,
    /// So has one whose gradient has no larger component.
    pub gradient: f64,
    /// Length of the first step.
    pub first_step: f64,
    /// Of every start.
    pub unknowns: u32,
    /// Most of them.
    pub iterations: u32,
    /// Iterations without gain.
    pub patience: u32,
    /// Blocks of `compare`, and so the parts of its sums.
    pub parts: u32,
}

layout!(
    LbfgsSettings,
    40,
    gain = 0,
    gradient = 8,
    first_step = 16,
    unknowns = 24,
    iterations = 28,
    patience = 32,
    parts = 36
);

/// A start on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct LbfgsSearch {
    /// Best so far.
    pub value: f64,
    /// Of the gradient there.
    pub squared: f64,
    /// Of the trial along the direction.
    pub step: f64,
    /// Bracket of the step.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// 0 fresh, 1 moves, 2 converged, 3 ended.
    pub state: u32,
    /// Steps taken.
    pub iterations: u32,
    /// Iterations without gain, in a row.
    pub idle: u32,
    /// Along this direction.
    pub trials: u32,
    /// Remembered.
    pub pairs: u32,
    /// Where the next pair goes.
    pub next: u32,
    /// Whether the trial has become the point.
    pub taken: u32,
    /// Whether its step has become a pair.
    pub stored: u32,
    /// Whether there is a new direction.
    pub turned: u32,
    /// Nothing.
    pub reserved: u32,
}

layout!(
    LbfgsSearch,
    80,
    value = 0,
    squared = 8,
    step = 16,
    low = 24,
    high = 32,
    state = 40,
    iterations = 44,
    idle = 48,
    trials = 52,
    pairs = 56,
    next = 60,
    taken = 64,
    stored = 68,
    turned = 72,
    reserved = 76
);
