//! What the stage and the other threads send each other.

use super::super::controller::Controller;
use super::super::exchange::Filler;
use super::super::latency::Done;
use super::super::recorder::Tape;
use holography::camera::CameraError;
use holography::chain::Chain;
use holography::design::KFilter;
use holography::product::{Flags, Stamps};
use num_complex::Complex32;
use rtrb::{Consumer, Producer};
use signal::array;
use std::sync::atomic::AtomicU64;
use viewer::Publisher;

/// Which holograms are made, for their readers.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Changes with every other chain.
    pub number: u64,
    /// Hz.
    pub frequencies: Vec<f64>,
    /// From bits to bins.
    pub method: signal::front_end::Method,
    /// Rows and columns of a field.
    pub shape: (usize, usize),
}

/// What the control thread asks for.
pub enum Order {
    /// Another chain, what it makes, the rows of its first window, and how many filters are still to be chosen.
    Chain(Box<Chain>, Box<Label>, u64, usize),
    /// Microphones are broken that cannot be left out: no hologram is right.
    Broken,
    /// Other weights from channels to grid; whether microphones are left out.
    Array(Box<array::Plan<f32>>, bool),
    /// The k-filter of a hologram.
    Filter(usize, KFilter),
}

/// What an order replaced: dropped by the control thread, which has the time.
pub enum Spent {
    /// A chain.
    Chain(Box<Chain>),
    /// Weights.
    Array(Box<array::Plan<f32>>),
    /// Nothing: the order could not be obeyed, for this reason.
    Refused(CameraError),
}

/// A hologram as a whole, for those who look now and then.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Of the chain.
    pub label: u64,
    /// Of the hologram.
    pub sequence: u64,
    /// What is wrong with it.
    pub flags: Flags,
    /// Whether it is to become a file.
    pub for_file: bool,
    /// Its way so far.
    pub stamps: Stamps,
    /// Bins `[n][channel]`, full scale; empty where a card computes.
    pub channels: Vec<Complex32>,
    /// Holograms `[n][y][x]`, Pa; empty where a card computes.
    pub measured: Vec<Complex32>,
    /// Fields `[n][y][x]`, Pa.
    pub source: Vec<Complex32>,
}

/// Rows without a hole, for the microphones' health.
#[derive(Debug, Default)]
pub struct Block {
    /// As sent.
    pub rows: Vec<u8>,
    /// How many bytes are wanted.
    pub wanted: usize,
}

/// Where results go and orders come from.
pub struct Ends {
    /// Latest map for the page.
    pub publisher: Publisher,
    /// Values for a controller.
    pub controller: Option<Controller>,
    /// One for every hologram.
    pub done: Producer<Done>,
    /// Now and then a whole one.
    pub snapshots: Filler<Box<Snapshot>>,
    /// Now and then rows.
    pub blocks: Filler<Block>,
    /// To the recorder.
    pub tape: Option<Tape>,
    /// From the control thread.
    pub orders: Consumer<Order>,
    /// Back to it.
    pub spent: Producer<Spent>,
}

/// What the stage has counted, for other threads.
#[derive(Debug, Default)]
pub struct Counts {
    /// Holograms made.
    pub holograms: AtomicU64,
    /// Holograms left out because spans were waiting.
    pub skipped: AtomicU64,
    /// Holograms that are not to be trusted: of windows with filled rows or broken microphones, or with filters still to be chosen.
    pub flagged: AtomicU64,
    /// Snapshots that found no buffer when a file was due.
    pub files_dropped: AtomicU64,
    /// Accounts that found no room.
    pub done_dropped: AtomicU64,
    /// Times that a card failed.
    pub failures: AtomicU64,
}
