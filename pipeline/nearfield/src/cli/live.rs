//! `nearfield live` and `nearfield record`: the program beside the sensor.

use super::args::{From, Live, Precision, Record};
use super::exit::{Failed, Result, interrupted};
use super::{Context, summary};
use crate::cli::exit::refuse;
use pipeline::holography::product::{Message, Recording, Severity};
use pipeline::live::config::{self, Tables};
use pipeline::live::engine::OnCard;
use pipeline::live::report::Report;
use pipeline::live::{self, Instrument, Settings, card};
use pipeline::numerics::failure::Failure;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Between two looks at the clock and at Ctrl-C.
const TURN: Duration = Duration::from_millis(20);
/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(1);

pub fn run(context: &Context, arguments: &Live) -> Result<()> {
    let start = Instant::now();
    let (mut tables, folder) = tables(&arguments.from)?;
    if context.common.precision == Precision::F64 {
        refuse!("--precision f64: the live instrument computes in f32; nearfield pnah has both");
    }
    if let Some(threads) = context.common.threads {
        tables.hologram.threads = Some(threads.get());
    }
    if let Some(frequencies) = &arguments.frequency {
        (tables.hologram.frequencies_hz, tables.hologram.bins) = (Some(frequencies.clone()), None);
    }
    tables.hologram.standoff_m = arguments.standoff.or(tables.hologram.standoff_m);
    if arguments.no_viewer {
        tables.viewer.serve = Some(false);
    }
    let mut settings = tables.resolve(&folder)?;
    if let Some(name) = &arguments.record {
        let ring_spans = settings.record.as_ref().map_or(4096, |record| record.ring_spans);
        settings.record = Some(live::Record { name: name.clone(), at_start: true, ring_spans });
    }
    summary::make_folder(&arguments.out)?;
    let card = match context.device() {
        Some(device) => card::card(device, &settings).map_err(card_refused)?,
        None => None,
    };
    let ends = settings.source.ends();
    let told = describe(&settings);
    let Worked { report, plan, by_itself, broke } =
        work(context, settings, card, arguments.from.seconds, |_| Ok(()))?;
    report.lines().iter().for_each(|line| context.say(line));
    let mut figures = report.to_json();
    figures["plan"] = plan;
    summary::write(context, &arguments.out, told, figures, start)?;
    broke.map_or(Ok(()), Err)?;
    if ends && !by_itself { Err(stopped()) } else { Ok(()) }
}

/// Ctrl-C came before the source had ended.
fn stopped() -> Failed {
    interrupted(" before the end of the source; recordings are closed")
}

/// Why a card is refused, with the option that asks for it.
pub(super) fn card_refused(error: card::Error) -> Failed {
    let instead = match error {
        card::Error::Microphones => ", or use --device cpu",
        card::Error::Rule(_) => " or --device cpu",
        card::Error::Camera(_) | card::Error::Rehearsal(_) => "",
    };
    Failed::new(error.kind(), format_args!("--device: {error}{instead}"))
}

pub fn record(context: &Context, arguments: &Record) -> Result<()> {
    let (tables, folder) = tables(&arguments.from)?;
    let mut settings = tables.resolve(&folder)?;
    settings.record = Some(live::Record { name: arguments.name.clone(), at_start: true, ring_spans: 4096 });
    (settings.chain, settings.viewer, settings.controller, settings.files) = (None, None, None, None);
    settings.health = false;
    let ends = settings.source.ends();
    let Worked { report, by_itself, broke, .. } =
        work(context, settings, None, arguments.from.seconds, |_| Ok(()))?;
    report.lines().iter().for_each(|line| context.say(line));
    context.emit(&report.to_json());
    broke.map_or(Ok(()), Err)?;
    if let Some(problem) = report.messages.first() {
        return Err(Failed::run(problem.to_string()));
    }
    if report.recordings.is_empty() {
        return Err(Failed::run("nothing came, and nothing was recorded"));
    }
    if ends && !by_itself { Err(stopped()) } else { Ok(()) }
}

/// The file's tables, with the source of the command line over its own.
fn tables(from: &From) -> Result<(Tables, PathBuf)> {
    let (mut tables, folder) = match &from.config {
        Some(path) => config::load(path)?,
        None => (Tables::default(), PathBuf::new()),
    };
    if let Some(address) = from.udp {
        tables.source = Default::default();
        tables.source.udp = Some(address);
    }
    if from.config.is_none() && from.udp.is_none() {
        refuse!("no source: give --config FILE or --udp ADDRESS:PORT; --help has examples");
    }
    Ok((tables, folder))
}

/// What became of an instrument.
pub struct Worked {
    pub report: Report,
    /// What it was started with.
    pub plan: Value,
    /// Whether it ended by itself or by its time.
    pub by_itself: bool,
    /// Why it broke, if it did.
    pub broke: Option<live::Error>,
}

/// Runs an instrument to its end; `started` is called when it listens.
pub fn work(
    context: &Context,
    settings: Settings,
    card: Option<OnCard>,
    seconds: Option<f64>,
    started: impl FnOnce(&Instrument) -> Result<()>,
) -> Result<Worked> {
    if let Some(seconds) = seconds.filter(|s| !(*s > 0.0 && *s <= 1e9)) {
        refuse!("--seconds {seconds}: must be above 0 and at most 1e9");
    }
    let only_records = settings.chain.is_none();
    let instrument = Instrument::start(settings, card, &context.interrupted)?;
    greet(context, &instrument);
    if let Err(error) = started(&instrument) {
        context.interrupted.store(true, Ordering::Relaxed);
        instrument.join()?;
        return Err(error);
    }
    let plan = json!({
        "arithmetic": instrument.plan,
        "socket_buffer_bytes": instrument.socket_buffer,
        "realtime": instrument.realtime,
    });
    let begin = Instant::now();
    let mut told = begin;
    let over = || {
        let failed = matches!(instrument.recording(), Recording::Failed { .. });
        seconds.is_some_and(|s| begin.elapsed().as_secs_f64() >= s) || only_records && failed
    };
    while !instrument.is_finished() && !over() && context.check_interrupt().is_ok() {
        std::thread::sleep(TURN);
        tell(context, &instrument);
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            context.emit(&json!({
                "progress": "live", "seconds": begin.elapsed().as_secs_f64(),
                "ingest": instrument.counters(), "holograms": instrument.holograms(),
            }));
        }
    }
    let by_itself = context.check_interrupt().is_ok();
    context.interrupted.store(true, Ordering::Relaxed);
    let (report, broke) = end(instrument)?;
    Ok(Worked { report, plan, by_itself, broke })
}

/// Waits for the end of an instrument that was told to; its report, and why it broke.
fn end(instrument: Instrument) -> Result<(Report, Option<live::Error>)> {
    match instrument.join() {
        Ok(report) => Ok((report, None)),
        Err(live::Error::Stopped { reason, report }) => {
            let stopped = live::Error::Stopped { reason, report: report.clone() };
            Ok((*report, Some(stopped)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Passes on what the instrument says as it says it.
fn tell(context: &Context, instrument: &Instrument) {
    for Message { severity, text, .. } in instrument.news() {
        match severity {
            Severity::Note => context.say(text),
            Severity::Warning | Severity::Error => context.warn(text),
        }
    }
}

fn greet(context: &Context, instrument: &Instrument) {
    if let Some(address) = instrument.listening {
        let buffer = instrument.socket_buffer.unwrap_or(0) >> 20;
        context.say(format!("listening on {address}; the system holds {buffer} MiB"));
    }
    if let Some(plan) = &instrument.plan {
        let (rate, load, mib) = (plan.holograms_per_s, 100.0 * plan.load, plan.pool_bytes >> 20);
        let [worst, usual] = [plan.worst_latency_s, plan.usual_latency_s].map(|seconds| 1e3 * seconds);
        context.say(format!(
            "{rate:.0} holograms a second at {load:.0} % of the stage's time; worst latency {worst:.1} ms, usual {usual:.2} ms; \
             {mib} MiB of spans"
        ));
    }
    let holes = &instrument.holes;
    if holes.count > 0 {
        context.warn(format!(
            "the recording has {} holes of {} time samples that are not the sensor's: holograms over them are flagged",
            holes.count, holes.samples
        ));
    }
    for outcome in &instrument.realtime {
        match &outcome.refused {
            None => context.detail(outcome.line()),
            Some(_) => context.warn(outcome.line()),
        }
    }
    if let Some(address) = instrument.page() {
        context.say(format!("page: http://{address}/ (figures for Prometheus at /metrics); Ctrl-C ends"));
    }
}

/// The settings as they were resolved, for the summary.
fn describe(settings: &Settings) -> Value {
    let chain = settings.chain.as_ref();
    json!({
        "title": settings.title,
        "source": settings.source,
        "grid": [settings.layout.rows(), settings.layout.cols()],
        "pitch_m": settings.pitch_m,
        "bit_rate_hz": settings.bit_rate_hz,
        "frequencies_hz": chain.map(|chain| chain.front_end.frequencies_hz()),
        "method": chain.map(|chain| chain.front_end.method.to_string()),
        "samples": chain.map(|chain| chain.front_end.samples),
        "standoff_m": chain.map(|chain| chain.pnah.standoff),
        "filter": settings.filter.to_string(),
        "hop_rows": settings.hop_rows,
        "span_rows": settings.span_rows,
        "ring_spans": settings.ring_spans,
        "behind_spans": settings.behind_spans,
        "threads": settings.threads,
        "deadline_s": settings.deadline_s,
        "bound_s": settings.bound_s,
        "health": settings.health,
    })
}
