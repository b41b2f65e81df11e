//! The rest of the demo: the same scene again and again over UDP on loopback, through the live instrument, to the page.

use super::super::args::Demo;
use super::super::live::{Worked, work};
use super::super::{Context, summary};
use hil_sim::frames::{LARGEST_DATAGRAM, samples_in};
use hil_sim::link::Rates;
use hil_sim::stream::{Pace, Sender, transmit};
use hil_sim::{Array, Bench, FrameSource, Link, Scene, Settings};
use pipeline::live;
use pipeline::live::config::Tables;
use pipeline::live::source::frames::bench_rows;
use serde_json::json;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Seconds of the block that is repeated.
const REPEAT_S: f64 = 0.5;

/// Serves the scene until Ctrl-C.
pub fn serve(
    context: &Context,
    arguments: &Demo,
    scene: Scene,
    array: &Array,
    settings: &Settings,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let bench = Bench::new(scene, *array, *settings);
    context.say(format!("simulating {REPEAT_S} s to repeat ..."));
    let rows = bench_rows(&bench, Some(REPEAT_S))?;
    context.check_interrupt()?;
    let to = free_port()?;
    let title = Some(format!("Demo: {}", arguments.scene));
    let mut tables = Tables { title, ..Tables::default() };
    tables.source.udp = Some(to);
    tables.hologram.standoff_m = Some(array.standoff);
    tables.hologram.frequencies_hz = Some(vec![first_tone(&bench)]);
    tables.viewer.address = arguments.page;
    let mut instrument = tables.resolve(Path::new(""))?;
    instrument.pace_hz *= arguments.speed;
    let ended = Arc::new(AtomicBool::new(false));
    let samples = samples_in(&array.layout, LARGEST_DATAGRAM);
    let mut frames = FrameSource::of(rows, samples, settings.bit_rate_hz)?;
    let mut link = Link::new(Rates::default(), arguments.seed)?;
    let mut sender = Sender::new(to)?;
    let (stop, done) = (context.interrupted.clone(), ended.clone());
    let rate = arguments.speed * settings.bit_rate_hz;
    let sending = std::thread::Builder::new().name("bench".into()).spawn(move || {
        let mut pace = Pace::new(Some(rate));
        let stop = || stop.load(Ordering::Relaxed) || done.load(Ordering::Relaxed);
        transmit(&mut frames, &mut link, &mut pace, &mut sender, u64::MAX, &stop).map(|()| pace.kept())
    })?;
    let outcome = work(context, instrument, None, arguments.seconds);
    ended.store(true, Ordering::Relaxed);
    let kept = sending.join().map_err(|_| live::Error::Panicked("bench"))??;
    let Worked { report, plan, broke, .. } = outcome?;
    report.lines().iter().for_each(|line| context.say(line));
    let mut figures = report.to_json();
    (figures["plan"], figures["bench"]) = (plan, json!(kept));
    let folder = arguments.out.join("live");
    summary::make_folder(&folder)?;
    summary::write(
        context,
        &folder,
        json!({ "scene": arguments.scene, "seed": arguments.seed }),
        figures,
        start,
    )?;
    Ok(broke.map_or(Ok(()), Err)?)
}

/// The scene's first tone that a hologram can be made of; 1 kHz in silence.
fn first_tone(bench: &Bench) -> f64 {
    let tones = bench.scene.lines.iter().map(|line| line.frequency_hz);
    tones.filter(|f| (400.0..8000.0).contains(f)).min_by(f64::total_cmp).unwrap_or(1000.0)
}

/// A port of this machine that was free a moment ago.
fn free_port() -> std::io::Result<SocketAddr> {
    UdpSocket::bind("127.0.0.1:0")?.local_addr()
}
