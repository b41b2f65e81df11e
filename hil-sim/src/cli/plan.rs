//! What the arguments mean: a checked plan.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dsp_core::console::Mode;
use dsp_core::pdm::TileLayout;
use hil_sim::Bench;
use hil_sim::board::{Name, Places};
use hil_sim::capture::Capture;
use hil_sim::clock::Clock;
use hil_sim::file;
use hil_sim::frames::{ETHERNET_DATAGRAM, LARGEST_DATAGRAM, samples_in};
use hil_sim::link::Rates;
use hil_sim::recording::Recording;
use hil_sim::rows::Rows;

use super::args::{Arguments, LinkArguments};
use super::exit::usage;

/// Largest datagram of a jumbo frame.
const JUMBO_DATAGRAM: usize = 8960;

/// Bit rate of a capture, which does not say it: the camera's.
const CAPTURE_RATE_HZ: f64 = 1.5e6;

const LONGEST_S: f64 = 1e9;

/// Where the rows come from.
pub enum Source {
    /// A simulated bench; looped, with the seconds of the block.
    Bench(Box<Bench>, Option<f64>),
    /// A recording; endless or not.
    Recording(PathBuf, bool),
    /// A capture.
    Capture(PathBuf),
}

pub struct Board {
    pub name: Name,
    pub mode: Mode,
    pub places: Places,
}

/// A checked command line.
pub struct Plan {
    pub source: Source,
    /// Name for the report and for the recording's files.
    pub name: String,
    pub to: Option<SocketAddr>,
    /// Times real time; none for as fast as can be.
    pub speed: Option<f64>,
    /// Longest time of a batch, in seconds.
    pub batch_s: f64,
    /// Times the rate while behind.
    pub catch_up: f64,
    pub seconds: Option<f64>,
    pub record: Option<PathBuf>,
    pub seed: u64,
    pub link: Rates,
    pub clock: Clock,
    pub bit_rate_hz: f64,
    /// Time samples a frame; none where frames come as they were captured.
    pub frame_rows: Option<usize>,
    /// Firmware between rows and frames.
    pub board: Option<Board>,
    pub threads: Option<usize>,
    pub json: bool,
    pub quiet: bool,
}

impl Arguments {
    /// Checks the arguments and reads the files that they name.
    pub fn resolve(self) -> anyhow::Result<Plan> {
        let faults = self.faults.as_deref().map(file::load_faults).transpose()?;
        let speed = resolve_speed(self.speed.as_deref(), self.to.is_some())?;
        if let Some(seconds) = self.seconds.filter(|s| !(*s > 0.0 && *s <= LONGEST_S)) {
            return Err(usage(format!("--seconds {seconds}: must be above 0 and at most {LONGEST_S}")));
        }
        if !(1.0..=1e6).contains(&self.batch_us) {
            return Err(usage(format!("--batch-us {}: must be 1 to 1e6", self.batch_us)));
        }
        if !(1.0..=1e6).contains(&self.catch_up) {
            return Err(usage(format!("--catch-up {}: must be 1 to 1e6", self.catch_up)));
        }
        let mut plan = match &self.replay {
            Some(path) => self.replay_plan(path)?,
            None => self.scene_plan()?,
        };
        if let Some(faults) = faults {
            plan.take_faults(faults)?;
        }
        plan.board = self.board_plan(&plan.source)?;
        plan.link = self.link.over(plan.link)?;
        plan.link.check()?;
        plan.speed = speed;
        if let Source::Bench(bench, _) = &plan.source {
            bench.check()?;
        }
        Ok(plan)
    }

    fn scene_plan(&self) -> anyhow::Result<Plan> {
        let name = self.scene.as_deref().unwrap_or("demo");
        let mut bench = file::load(name)?;
        if let Some(seed) = self.seed {
            bench.settings.seed = seed;
        }
        let looped = self.looped;
        if let Some(seconds) = looped.filter(|s| !(*s > 0.0 && *s <= 60.0)) {
            return Err(usage(format!("--loop {seconds}: must be above 0 and at most 60 seconds")));
        }
        let (link, clock, bit_rate_hz) = (bench.link, bench.clock.clone(), bench.settings.bit_rate_hz);
        let frame_rows = Some(resolve_rows(&self.frame_rows, &bench.array.layout)?);
        let seconds = self.seconds.or(if self.to.is_some() { None } else { Some(1.0) });
        let seed = bench.settings.seed;
        let name = stem(Path::new(name));
        let source = Source::Bench(Box::new(bench), looped);
        Ok(Plan { source, name, seconds, seed, link, clock, bit_rate_hz, frame_rows, ..self.rest() })
    }

    fn replay_plan(&self, path: &Path) -> anyhow::Result<Plan> {
        if self.record.is_some() {
            return Err(usage("--record with --replay: the recording is there already"));
        }
        let name = stem(path);
        let is_capture = path.extension().is_some_and(|e| e == "pcap" || e == "pcapng" || e == "cap");
        if is_capture {
            if self.looped.is_some() {
                return Err(usage("--loop with a capture: its counters would go back; replay a recording"));
            }
            // Opened now, so that a wrong file is a wrong input and not a failure.
            Capture::open(path)?;
            return Ok(Plan { source: Source::Capture(path.into()), name, ..self.rest() });
        }
        let recording = Recording::open(path)?;
        let bit_rate_hz = recording.meta().sample_rate_hz;
        let frame_rows = Some(resolve_rows(&self.frame_rows, &recording.layout())?);
        let source = Source::Recording(path.into(), self.looped.is_some());
        let endless = self.looped.is_some() && self.to.is_none() && self.seconds.is_none();
        let seconds = if endless { Some(1.0) } else { self.seconds };
        Ok(Plan { source, name, bit_rate_hz, frame_rows, seconds, ..self.rest() })
    }

    fn board_plan(&self, source: &Source) -> anyhow::Result<Option<Board>> {
        let Some(text) = &self.board else { return Ok(None) };
        if matches!(source, Source::Capture(_)) {
            return Err(usage("--board with a capture: it has frames already; replay a recording"));
        }
        let known = || Name::ALL.map(Name::as_str).join(", ");
        let name =
            Name::parse(text).ok_or_else(|| usage(format!("--board {text}: there are {}", known())))?;
        let modes = ["bits", "decimate", "cic", "average", "walsh"];
        let mode = modes.into_iter().zip(Mode::ALL).find(|(known, _)| *known == self.mode);
        let unknown = || usage(format!("--mode {}: there are {}", self.mode, modes.join(", ")));
        let (_, mode) = mode.ok_or_else(unknown)?;
        Ok(Some(Board { name, mode, places: Places::in_target(&self.board_files) }))
    }

    /// What does not depend on the source, and a perfect link and clock.
    fn rest(&self) -> Plan {
        Plan {
            source: Source::Capture(PathBuf::new()),
            name: String::new(),
            to: self.to,
            speed: None,
            batch_s: 1e-6 * self.batch_us,
            catch_up: self.catch_up,
            seconds: self.seconds,
            record: self.record.clone(),
            seed: self.seed.unwrap_or(1),
            link: Rates::default(),
            clock: Clock::default(),
            bit_rate_hz: CAPTURE_RATE_HZ,
            frame_rows: None,
            board: None,
            threads: self.threads,
            json: self.json,
            quiet: self.quiet,
        }
    }
}

impl Plan {
    /// Puts the faults of a file in the place of the scene's.
    fn take_faults(&mut self, faults: file::Faults) -> anyhow::Result<()> {
        self.link = faults.link.unwrap_or(self.link);
        match &mut self.source {
            Source::Bench(bench, _) => {
                bench.clock = faults.clock.unwrap_or(std::mem::take(&mut bench.clock));
                bench.faults = faults.microphones;
                self.clock = bench.clock.clone();
            }
            Source::Recording(..) | Source::Capture(_) => {
                let clock = faults.clock.unwrap_or_default();
                if !faults.microphones.is_empty() || clock.jitter_s != 0.0 {
                    let why = "a replay is bit-exact: faults of microphones and jitter need a scene";
                    return Err(usage(format!("--faults with --replay: {why}")));
                }
                // Checked here as a bench's own clock is with the bench.
                let bench = Bench { clock, ..Bench::default() };
                bench.check()?;
                self.clock = bench.clock;
            }
        }
        Ok(())
    }

    /// Time samples a second, before the speed.
    pub fn rate_hz(&self) -> f64 {
        self.clock.rate_hz(self.bit_rate_hz)
    }
}

impl LinkArguments {
    /// These rates over others.
    fn over(&self, base: Rates) -> anyhow::Result<Rates> {
        let (burst_start, burst_length) = pair("--burst", self.burst.as_deref())?;
        let (reorder, depth) = pair::<u32>("--reorder", self.reorder.as_deref())?;
        Ok(Rates {
            loss: self.loss.unwrap_or(base.loss),
            burst_start: burst_start.unwrap_or(base.burst_start),
            burst_length: burst_length.unwrap_or(base.burst_length),
            burst_loss: base.burst_loss,
            duplicate: self.duplicate.unwrap_or(base.duplicate),
            reorder: reorder.unwrap_or(base.reorder),
            reorder_depth: depth.unwrap_or(base.reorder_depth),
            corrupt: self.corrupt.unwrap_or(base.corrupt),
            truncate: self.truncate.unwrap_or(base.truncate),
            garbage: self.garbage.unwrap_or(base.garbage),
            foreign: self.foreign.unwrap_or(base.foreign),
        })
    }
}

/// A probability with a number after a colon.
fn pair<T: std::str::FromStr>(name: &str, text: Option<&str>) -> anyhow::Result<(Option<f64>, Option<T>)> {
    let Some(text) = text else { return Ok((None, None)) };
    let bad = || usage(format!("{name} {text}: expected a probability, or PROBABILITY:NUMBER"));
    let (rate, number) = match text.split_once(':') {
        Some((rate, number)) => (rate, Some(number.parse().map_err(|_| bad())?)),
        None => (text, None),
    };
    Ok((Some(rate.parse().map_err(|_| bad())?), number))
}

fn resolve_speed(text: Option<&str>, sends: bool) -> anyhow::Result<Option<f64>> {
    match text {
        None => Ok(sends.then_some(1.0)),
        Some("max") => Ok(None),
        Some(text) => {
            let speed = text.parse().ok().filter(|s| (1e-6..=1e6).contains(s));
            let message = format!("--speed {text}: expected max or a number from 1e-6 to 1e6");
            Ok(Some(speed.ok_or_else(|| usage(message))?))
        }
    }
}

fn resolve_rows(text: &str, layout: &TileLayout) -> anyhow::Result<usize> {
    let rows = match text {
        "ethernet" => samples_in(layout, ETHERNET_DATAGRAM),
        "jumbo" => samples_in(layout, JUMBO_DATAGRAM),
        "loopback" => samples_in(layout, LARGEST_DATAGRAM),
        number => {
            let message = || format!("--frame-rows {number}: expected a number, ethernet, jumbo or loopback");
            number.parse().with_context(message).map_err(|e| usage(e.to_string()))?
        }
    };
    let most = samples_in(layout, LARGEST_DATAGRAM);
    if rows == 0 || rows > most {
        return Err(usage(format!("--frame-rows {rows}: a datagram holds 1 to {most} rows of this array")));
    }
    Ok(rows)
}

/// A file's name without its folder and its last suffix.
fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "bench".into(), |s| s.to_string_lossy().into_owned())
}
