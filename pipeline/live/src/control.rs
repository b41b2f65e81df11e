//! The thread that has time: latencies, status, the page's wishes, filters, the microphones' health, files.
//!
//! It never touches a row. What it decides goes to the stage as an [`Order`] with everything made already, so that the stage only
//! swaps pointers (a filter's operator it evaluates itself); what was replaced comes back and is dropped here.

mod microphones;
mod status;
mod wishes;

use super::Settings;
use super::clock::Clock;
use super::compute::{Block, Counts, Label, Order, Snapshot, Spent};
use super::exchange::User;
use super::health::Monitor;
use super::intake::Tally;
use super::latency::{Account, Done};
use super::messages::Messages;
use super::recorder::Switch;
use super::report::Report;
use super::snapshots::Files;
use super::source::udp::Drops;
use holography::camera::{Camera, CameraError};
use holography::chain;
use holography::product::{Point, Recording, Severity};
use rtrb::{Consumer, Producer};
use signal::array::Array;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use viewer::{Controls, Metrics, Publisher};

/// Between two turns.
const TURN: Duration = Duration::from_millis(10);
/// Between two states for the page, s.
const STATUS_S: f64 = 0.1;
/// Between two choices of filters, s.
const FILTER_S: f64 = 2.0;
/// Between two questions to the neighbours, s.
const NEIGHBOURS_S: f64 = 2.0;
/// Between two questions to the system, s.
const DROPS_S: f64 = 1.0;

/// What the other threads share with this one.
pub struct Links {
    /// Of the stage.
    pub done: Consumer<Done>,
    /// Of the stage.
    pub snapshots: User<Box<Snapshot>>,
    /// Of the stage.
    pub blocks: User<Block>,
    /// To the stage.
    pub orders: Producer<Order>,
    /// Back from it.
    pub spent: Consumer<Spent>,
    /// Of the intake.
    pub tally: Arc<Tally>,
    /// Rows that found no span.
    pub dropped_rows: Arc<AtomicU64>,
    /// Of the stage.
    pub counts: Arc<Counts>,
    /// Why the stage's card stopped.
    pub failure: Arc<arc_swap::ArcSwapOption<String>>,
    /// Of the recorder.
    pub switch: Arc<Switch>,
    /// Of the controller's socket.
    pub controller_dropped: Option<Arc<AtomicU64>>,
    /// The page.
    pub publisher: Publisher,
    /// Its wishes.
    pub controls: Option<Controls>,
    /// For Prometheus.
    pub metrics: Metrics,
    /// The other threads are done.
    pub ended: Arc<AtomicBool>,
}

/// The thread's state.
pub struct Control {
    settings: Settings,
    links: Links,
    clock: Clock,
    account: Account,
    /// Hears all microphones, and judges them if they are watched.
    monitor: Option<Monitor>,
    /// Chooses filters, and knows the present bins.
    camera: Option<Camera<f32>>,
    /// Of the present chain.
    label: Label,
    masked: Vec<usize>,
    /// Broken microphones that cannot be left out.
    refused: Option<Vec<usize>>,
    messages: Messages,
    files: Option<Files>,
    device: String,
    /// A card computes, and only what it was made for.
    on_card: bool,
    point: Option<Point>,
    /// Of the source's socket.
    drops: Option<Drops>,
    due: Due,
    rates: Rates,
    told_failure: bool,
    told_recorder: bool,
}

/// When what is due, s.
#[derive(Default)]
struct Due {
    status: f64,
    filter: f64,
    neighbours: f64,
    drops: f64,
}

/// For rates: time, bytes, holograms at the last look.
#[derive(Default)]
struct Rates {
    at: f64,
    bytes: u64,
    holograms: u64,
    bits_per_s: f64,
    holograms_per_s: f64,
}

impl Control {
    /// The thread for an instrument that computes `label` on `device`.
    pub fn new(
        settings: Settings,
        label: Label,
        device: String,
        on_card: bool,
        links: Links,
        clock: Clock,
        messages: Messages,
    ) -> Result<Self, CameraError> {
        let monitor = match &settings.chain {
            Some(chain) => {
                let design = signal::filter_design::Design::with_taps(
                    signal::filter_design::Specification::DEFAULT,
                    dsp_core::decimator::TAPS.to_vec(),
                );
                let monitor = Monitor::new(&design, &chain.front_end.layout, &chain.array);
                Some(monitor.map_err(signal::front_end::FrontEndError::from)?)
            }
            None => None,
        };
        let camera = camera(&settings)?;
        Ok(Self {
            account: Account::new(settings.deadline_s),
            files: settings.files.as_ref().map(Files::new),
            monitor,
            camera,
            label,
            masked: Vec::new(),
            refused: None,
            messages,
            device,
            on_card,
            point: None,
            drops: None,
            due: Due::default(),
            rates: Rates::default(),
            told_failure: false,
            told_recorder: false,
            settings,
            links,
            clock,
        })
    }

    /// Asks the system from time to time what it dropped at the source's socket.
    pub fn watch(&mut self, drops: Drops) {
        self.drops = Some(drops);
    }

    /// Works until the other threads are done; gives the report.
    pub fn run(mut self) -> Report {
        while !self.links.ended.load(Ordering::Relaxed) {
            self.turn();
            std::thread::sleep(TURN);
        }
        self.turn();
        let status = self.status();
        self.links.metrics.status(&status);
        self.links.publisher.status(status);
        self.report()
    }

    fn turn(&mut self) {
        while let Ok(spent) = self.links.spent.pop() {
            match spent {
                Spent::Chain(chain) => drop(chain),
                Spent::Array(plan) => drop(plan),
                Spent::Refused(error) => self.messages.add(Severity::Warning, error.to_string()),
            }
        }
        while let Ok(done) = self.links.done.pop() {
            self.account.add(&done);
            self.links.metrics.latency(Duration::from_secs_f64(done.latency()));
        }
        while let Some(command) = self.links.controls.as_ref().and_then(Controls::next) {
            self.obey(command);
        }
        while let Some(shot) = self.links.snapshots.next() {
            self.look(&shot);
            self.links.snapshots.recycle(shot);
        }
        while let Some(mut block) = self.links.blocks.next() {
            self.judge(&block.rows);
            block.rows.clear();
            self.links.blocks.recycle(block);
        }
        self.tell();
        let now = self.clock.now();
        if let Some(drops) = self.drops.filter(|_| now >= self.due.drops) {
            self.due.drops = now + DROPS_S;
            // A socket that is closed has none: what was counted stays.
            self.links.tally.system_drops.fetch_max(drops.count(), Ordering::Relaxed);
        }
        if now >= self.due.status {
            self.due.status = now + STATUS_S;
            self.measure_rates(now);
            let status = self.status();
            self.links.metrics.status(&status);
            self.links.publisher.status(status);
        }
    }

    /// Says once what has stopped.
    fn tell(&mut self) {
        if let Some(reason) = self.links.failure.load_full().filter(|_| !self.told_failure) {
            (self.told_failure, self.on_card) = (true, false);
            self.device = cpu_name(self.settings.threads);
            self.messages.add(Severity::Error, format!("the device failed, the CPU computes: {reason}"));
        }
        let state = self.links.switch.state();
        match (&state, self.told_recorder) {
            (Recording::Failed { reason }, false) => {
                self.told_recorder = true;
                self.messages.add(Severity::Error, format!("the recording stopped: {reason}"));
            }
            (Recording::On { .. }, true) => self.told_recorder = false,
            _ => {}
        }
    }

    /// A whole hologram: files, filters, outliers.
    fn look(&mut self, shot: &Snapshot) {
        if shot.for_file {
            self.write(shot);
        }
        if shot.label != self.label.number {
            return;
        }
        let now = self.clock.now();
        if shot.flags.holes || shot.measured.is_empty() {
            return;
        }
        if now >= self.due.filter && self.settings.filter_chooses() {
            self.due.filter = now + FILTER_S;
            self.choose(shot);
        }
        if now >= self.due.neighbours && self.settings.health {
            self.due.neighbours = now + NEIGHBOURS_S;
            self.ask_neighbours(shot);
        }
    }

    /// A hologram that is due as a file. One of a chain that is gone has no label any more, and after an error there are no more: these
    /// are counted as dropped.
    fn write(&mut self, shot: &Snapshot) {
        let Some(files) = &mut self.files else { return };
        let written = match shot.label == self.label.number && files.open {
            true => files.write(shot, &self.label).map(|()| true),
            false => Ok(false),
        };
        let dropped = !matches!(written, Ok(true));
        self.links.counts.files_dropped.fetch_add(u64::from(dropped), Ordering::Relaxed);
        if let Err(error) = written {
            self.messages.add(Severity::Error, format!("no more files: {error}"));
        }
    }

    fn choose(&mut self, shot: &Snapshot) {
        let Some(camera) = &mut self.camera else { return };
        match camera.choose_filters(&shot.measured) {
            Ok(()) => {
                let Some(chain) = &mut self.settings.chain else { return };
                for (index, (old, new)) in chain.filters.iter_mut().zip(camera.filters()).enumerate() {
                    // The stage computes an operator for it. A full ring keeps the old one until the next choice.
                    if old != new && self.links.orders.push(Order::Filter(index, *new)).is_ok() {
                        *old = *new;
                    }
                }
            }
            // Silence has no filter; the old one stays.
            Err(_) => self.due.filter = self.clock.now() + 0.2,
        }
    }
}

/// The camera that chooses filters; none if there is nothing to choose.
fn camera(settings: &Settings) -> Result<Option<Camera<f32>>, CameraError> {
    let Some(chain) = settings.chain.as_ref().filter(|_| settings.filter_chooses()) else { return Ok(None) };
    Ok(Some(Camera::new(None, &chain.front_end, &chain.array, &chain.pnah, settings.filter)?))
}

fn with(chain: &chain::Settings, array: Array) -> chain::Settings {
    chain::Settings { array, ..chain.clone() }
}

/// What computes without a card.
pub(super) fn cpu_name(threads: usize) -> String {
    format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
