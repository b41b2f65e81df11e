//! The thread that has time: latencies, status, the page's wishes, filters, the microphones' health, files.
//!
//! It never touches a row. What it decides goes to the stage as an [`Order`] with everything made already, so that the stage only
//! swaps pointers (a filter's operator it evaluates itself); what was replaced comes back and is dropped here.

mod status;
mod wishes;

use super::Settings;
use super::chain;
use super::clock::Clock;
use super::compute::{Block, Counts, Label, Order, Snapshot, Spent};
use super::exchange::User;
use super::files::Files;
use super::health::Monitor;
use super::intake::Tally;
use super::latency::{Account, Done};
use super::messages::Messages;
use super::recorder::Switch;
use super::report::Report;
use crate::array::Array;
use crate::camera::{Camera, CameraError};
use crate::spectrum::welch;
use crate::viewer::{Controls, Health, Metrics, Point, Publisher, Severity, Spectrum};
use rtrb::{Consumer, Producer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Between two turns.
const TURN: Duration = Duration::from_millis(10);
/// Between two states for the page, s.
const STATUS_S: f64 = 0.1;
/// Between two looks at what the system dropped, s.
const DROPS_S: f64 = 1.0;
/// Between two choices of filters, s.
const FILTER_S: f64 = 2.0;
/// Between two questions to the neighbours, s.
const NEIGHBOURS_S: f64 = 2.0;
/// Pieces of the spectrum of a point.
const SPECTRUM: usize = 256;

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
    ) -> Result<Self, CameraError> {
        let monitor = match &settings.chain {
            Some(chain) => {
                let design = crate::filter_design::Design::with_taps(
                    crate::filter_design::Specification::DEFAULT,
                    dsp_core::decimator::TAPS.to_vec(),
                );
                let marked = chain.array.live().into_iter().map(|live| !live).collect();
                let monitor = Monitor::new(&design, &chain.front_end.layout, marked);
                settings.health.then_some(monitor.map_err(crate::front_end::FrontEndError::from)?)
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
            messages: Messages::default(),
            device,
            on_card,
            point: None,
            due: Due::default(),
            rates: Rates::default(),
            told_failure: false,
            told_recorder: false,
            settings,
            links,
            clock,
        })
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
        if now >= self.due.drops {
            self.due.drops = now + DROPS_S;
            self.links.tally.look();
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
            (crate::viewer::Recording::Failed { reason }, false) => {
                self.told_recorder = true;
                self.messages.add(Severity::Error, format!("the recording stopped: {reason}"));
            }
            (crate::viewer::Recording::On { .. }, true) => self.told_recorder = false,
            _ => {}
        }
    }

    /// A whole hologram: files, filters, outliers.
    fn look(&mut self, shot: &Snapshot) {
        if shot.label != self.label.number {
            return;
        }
        if let Some(files) = self.files.as_mut().filter(|_| shot.for_file)
            && let Err(error) = files.write(shot, &self.label)
        {
            self.files = None;
            self.messages.add(Severity::Error, format!("no more files: {error}"));
        }
        let now = self.clock.now();
        if shot.flags.holes || shot.measured.is_empty() {
            return;
        }
        if now >= self.due.filter && self.settings.filter_chooses() {
            self.due.filter = now + FILTER_S;
            self.choose(shot);
        }
        if now >= self.due.neighbours {
            self.due.neighbours = now + NEIGHBOURS_S;
            self.ask_neighbours(shot);
        }
    }

    fn choose(&mut self, shot: &Snapshot) {
        let Some(camera) = &mut self.camera else { return };
        match camera.choose_filters(&shot.measured) {
            Ok(()) => {
                let filters = camera.filters().to_vec();
                if let Some(chain) = &mut self.settings.chain {
                    chain.filters.clone_from(&filters);
                }
                for (index, filter) in filters.into_iter().enumerate() {
                    // A full ring keeps the old filter until the next choice.
                    let _ = self.links.orders.push(Order::Filter(index, filter));
                }
            }
            // Silence has no filter; the old one stays.
            Err(_) => self.due.filter = self.clock.now() + 0.2,
        }
    }

    fn ask_neighbours(&mut self, shot: &Snapshot) {
        let (Some(chain), Some(monitor)) = (&self.settings.chain, &mut self.monitor) else { return };
        let Ok(array) = chain.array.clone().without(&monitor.broken()) else { return };
        let (standoff, speed) = (chain.pnah.standoff, chain.pnah.medium.speed_of_sound);
        // Too many suspects mean that the model does not fit: nobody is accused then.
        let found =
            array.suspects(&self.label.frequencies, standoff, speed, &shot.channels).unwrap_or_default();
        monitor.set_outliers(found.into_iter().map(|suspect| suspect.channel));
    }

    /// A block of rows: health, and the spectrum of the point.
    fn judge(&mut self, rows: &[u8]) {
        let Some(monitor) = &mut self.monitor else { return };
        monitor.check(rows);
        self.show_spectrum();
        self.mask();
        if let Some(monitor) = &self.monitor {
            self.links.publisher.health(monitor.states().to_vec());
        }
    }

    /// Other microphones are left out from now on.
    fn mask(&mut self) {
        let (Some(chain), Some(monitor)) = (&self.settings.chain, &self.monitor) else { return };
        let masked = monitor.masked();
        if masked == *self.refused.as_ref().unwrap_or(&self.masked) {
            return;
        }
        let plan = chain.array.clone().without(&masked).and_then(|array| with(chain, array).array_plan());
        match plan {
            Ok(plan) => {
                let any = !masked.is_empty() || chain.array.live().contains(&false);
                // A full ring: the next block asks again.
                if self.links.orders.push(Order::Array(Box::new(plan), any)).is_ok() {
                    let text = describe_change(&self.masked, &masked, monitor.states());
                    self.messages.add(Severity::Warning, text);
                    (self.masked, self.refused) = (masked, None);
                }
            }
            Err(error) => {
                if self.links.orders.push(Order::Broken).is_ok() {
                    self.refused = Some(masked);
                    let text = format!("microphones cannot be left out, no hologram is right: {error}");
                    self.messages.add(Severity::Error, text);
                }
            }
        }
    }

    fn show_spectrum(&self) {
        let (Some(point), Some(monitor), Some(chain)) = (self.point, &self.monitor, &self.settings.chain)
        else {
            return;
        };
        let (rows, cols) = (chain.front_end.layout.rows(), chain.front_end.layout.cols());
        let refinement = chain.pnah.refinement.max(1);
        let (row, col) = (point.row / refinement, point.col / refinement);
        if row >= usize::from(rows) || col >= usize::from(cols) {
            return;
        }
        let sound = monitor.sound(row * usize::from(cols) + col);
        let rate = chain.front_end.bit_rate_hz / dsp_core::decimator::RATE as f64;
        let Some(spectrum) = welch(&sound, rate, SPECTRUM) else { return };
        let pascal = 1.0 / chain.array.calibration().full_scale_per_pascal();
        let pressure_pa =
            spectrum.level_dbfs.iter().map(|level| (10f64.powf(level / 20.0) * pascal) as f32).collect();
        let step_hz = spectrum.frequency_hz.get(1).copied().unwrap_or(0.0);
        self.links.publisher.spectrum(Spectrum { point, first_hz: 0.0, step_hz, pressure_pa });
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

fn describe_change(old: &[usize], new: &[usize], states: &[Health]) -> String {
    let list = |channels: Vec<usize>, with_state: bool| {
        let one = |channel: &usize| match states.get(*channel) {
            Some(state) if with_state => format!("{channel} ({state:?})").to_lowercase(),
            _ => channel.to_string(),
        };
        let shown: Vec<String> = channels.iter().take(8).map(one).collect();
        let more = channels.len().saturating_sub(8);
        if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let out: Vec<usize> = new.iter().filter(|channel| !old.contains(channel)).copied().collect();
    let back: Vec<usize> = old.iter().filter(|channel| !new.contains(channel)).copied().collect();
    let mut parts = Vec::new();
    if !out.is_empty() {
        parts.push(format!("left out: microphones {}", list(out, true)));
    }
    if !back.is_empty() {
        parts.push(format!("taken back: microphones {}", list(back, false)));
    }
    parts.join("; ")
}
