//! `nearfield bench live`: the rate that the live instrument sustains on this machine, found by search.
//!
//! A bench on a thread of its own sends the bits of 1024 microphones over UDP on loopback at some rate; the instrument takes them. A trial is a
//! success if the bench kept its schedule to [`LATE_S`] and not one frame, row or hologram was lost, dropped or left out. Rates go up by
//! [`STEP`] until all trials fail: what is printed is the share of successes at every rate, not a best case. Sustained is the highest rate up to which
//! all trials of all rates succeeded, found to the square root of a step: a rate that succeeds beyond one that failed was luck.
//!
//! | stage | does |
//! |---|---|
//! | `ingest` | socket, frames, checksums, spans |
//! | `ingest+decimate` | and the decimator, as a stream |
//! | `all` | and holograms of one frequency every 1472 rows, 1019 a second at the camera's rate |

use crate::context::{Context, Result};
use hil_sim::frames::{ETHERNET_DATAGRAM, samples_in};
use hil_sim::link::{Link, Rates};
use hil_sim::rows::Looped;
use hil_sim::stream::{Pace, Sender, transmit};
use hil_sim::{Array, Bench, FrameSource, Scene, Simulator};
use live::{Instrument, Settings, config};
use numerics::failure::Failed;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Trials at every rate.
const TRIALS: u32 = 5;
/// From one rate to the next.
const STEP: f64 = 1.5;
/// First rate, times the camera's.
const FIRST: f64 = 0.25;
/// Highest rate.
const LAST: f64 = 20.0;
/// Most that the bench may be behind at the end of a trial, s.
const LATE_S: f64 = 0.01;
/// Rows of the block that is repeated: whole periods of the tone.
const BLOCK: u64 = 30_000;
/// Rows a second of the camera.
const CAMERA_HZ: f64 = 1.5e6;

/// How far the instrument goes.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Ingest,
    Decimate,
    All,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Decimate => "ingest+decimate",
            Self::All => "all",
        }
    }
}

pub fn run(context: &Context<'_>) -> Result<()> {
    let seconds = context.seconds;
    let bench = Bench::new(Scene::named("monopole")?, Array::CAMERA, hil_sim::Settings::default());
    let block = Looped::new(&mut Simulator::of(&bench)?, BLOCK)?;
    context
        .say(format!("{TRIALS} trials of {seconds} s a rate; 1024 microphones, frames of 11 rows, loopback"));
    context
        .say("stage                 Gbit/s  times real time  successes  CPU s/Gbit  most frequent failure");
    let stages = [Stage::Ingest, Stage::Decimate, Stage::All];
    stages.into_iter().try_for_each(|stage| Search { context, block: &block, stage }.run())
}

struct Search<'a> {
    context: &'a Context<'a>,
    block: &'a Looped,
    stage: Stage,
}

impl Search<'_> {
    fn run(&self) -> Result<()> {
        let (mut times, mut sure, mut failed) = (FIRST, None, false);
        while times <= LAST {
            let successes = self.rate(times)?;
            if !failed && successes == TRIALS {
                sure = Some(times);
            } else if !failed {
                failed = true;
                let between = times / STEP.sqrt();
                if sure.is_some() && self.rate(between)? == TRIALS {
                    sure = Some(between);
                }
            }
            if successes == 0 {
                break;
            }
            times *= STEP;
        }
        let stage = self.stage.name();
        let found = match sure {
            Some(times) => format!("sustained {:.2} Gbit/s, {times:.2} times real time", gbit_per_s(times)),
            None => format!("not even {:.2} Gbit/s", gbit_per_s(FIRST)),
        };
        self.context.say(format!("{stage}: {found}"));
        self.context.emit(&json!({"stage": stage, "sustained_gbit_per_s": sure.map(gbit_per_s)}));
        Ok(())
    }

    /// Successes at a rate.
    fn rate(&self, times: f64) -> Result<u32> {
        let (mut successes, mut failures, mut cpu_s) = (0, Vec::new(), f64::INFINITY);
        for _ in 0..TRIALS {
            self.context.check_interrupt()?;
            let (failure, cpu) = self.trial(times)?;
            cpu_s = cpu_s.min(cpu);
            match failure {
                None => successes += 1,
                Some(reason) => failures.push(reason),
            }
        }
        failures.sort_unstable();
        let count = |reason: &str| failures.iter().filter(|other| **other == reason).count();
        let common = failures.iter().max_by_key(|reason| count(reason)).copied().unwrap_or("");
        let (stage, gbit_per_s) = (self.stage.name(), gbit_per_s(times));
        let per_gbit = cpu_s / (gbit_per_s * self.context.seconds);
        self.context.say(format!(
            "{stage:<18} {gbit_per_s:>9.3} {times:>16.2} {successes:>6} of {TRIALS} {per_gbit:>11.3}  {common}"
        ));
        self.context.emit(&json!({
            "stage": stage, "gbit_per_s": gbit_per_s, "times_real_time": times, "trials": TRIALS,
            "successes": successes, "cpu_s_per_gbit": per_gbit, "failures": failures,
        }));
        Ok(successes)
    }

    /// One trial: why it failed, and the processor time of everything in this process.
    fn trial(&self, times: f64) -> Result<(Option<&'static str>, f64)> {
        let settings = self.settings(times)?;
        let stop = Arc::new(AtomicBool::new(false));
        let instrument = match Instrument::start(settings, None, &stop) {
            Ok(instrument) => instrument,
            Err(live::Error::Refused(_)) => {
                return Ok((Some("refused: the stage is too slow"), f64::INFINITY));
            }
            Err(error) => return Err(error.into()),
        };
        let to = instrument.listening.ok_or_else(|| Failed::run("no socket"))?;
        let rate = times * CAMERA_HZ;
        let samples = samples_in(&Array::CAMERA.layout, ETHERNET_DATAGRAM);
        let mut frames = FrameSource::of(self.block.clone(), samples, rate)?;
        let (mut link, mut sender) = (Link::new(Rates::default(), 1)?, Sender::new(to)?);
        let mut pace = Pace::new(Some(rate));
        let before = cpu_time_s();
        let limit = (self.context.seconds * rate) as u64;
        transmit(&mut frames, &mut link, &mut pace, &mut sender, limit, &|| false)?;
        let cpu_s = cpu_time_s() - before;
        // What is under way arrives, or never does.
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        let report = instrument.join()?;
        let failure = if pace.kept().last_s > LATE_S {
            Some("the bench could not send so fast")
        } else if report.ingest.frames != link.expected().frames {
            Some("frames were lost")
        } else if report.dropped("rows") > 0 {
            Some("rows were dropped")
        } else if report.dropped("holograms") > 0 {
            Some("holograms were left out")
        } else {
            None
        };
        Ok((failure, cpu_s))
    }

    fn settings(&self, times: f64) -> Result<Settings> {
        // A rehearsal of the decimator alone would be of no hologram: hops as long as can be.
        let hop_rows = if self.stage == Stage::Decimate { 1 << 15 } else { 1472 };
        let text = format!(
            "[source]\nudp = \"127.0.0.1:0\"\n[array]\nbit_rate_hz = {}\n[hologram]\nbins = [11]\nfilter = \"50:0.3\"\n\
             hop_rows = {hop_rows}\n[health]\nwatch = false\n[viewer]\nserve = false\n",
            times * CAMERA_HZ
        );
        let mut settings = config::settings(&text, Path::new(""))?;
        if self.stage == Stage::Ingest {
            settings.chain = None;
        }
        Ok(settings)
    }
}

/// What comes at so many times the camera's rate.
fn gbit_per_s(times: f64) -> f64 {
    times * CAMERA_HZ * 1024e-9
}

/// Processor time of this process, s.
fn cpu_time_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
