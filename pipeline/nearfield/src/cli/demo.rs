//! `nearfield demo`: the main job with no hardware.
//!
//! First a scene is simulated down to the bits of 1024 microphones; the bits travel as wire frames through the real ingest
//! path; the default chain decimates them; the level of every microphone, one microphone's spectrum and its sound are
//! written, and the last window's holograms are taken back to the source plane, beside the truth. Then, unless `--once`, the scene
//! goes on: a bench, a process of its own, sends it over UDP on loopback as fast as this machine has room for, the live instrument takes
//! it, and a page shows it.

mod bench;
mod holograms;
mod live;

use super::args::Demo;
use super::exit::usage;
use super::progress::Progress;
use super::{Context, Failed, Result, summary};
use crate::cli::exit::refuse;
use dsp_core::decimator::SETTLING;
use hil_sim::recording::metadata;
use hil_sim::{Array, FrameSource, Scene, Settings, Simulator};
use pipeline::files::sigmf::RecordingWriter;
use pipeline::files::sink::create_sink;
use pipeline::signal::decimate::{ArrayDecimator, full_scale_parts};
use pipeline::signal::filter_design::{Design, Specification};
use pipeline::signal::ingest::{Counters, Ingest};
use pipeline::signal::level::Levels;
use pipeline::signal::spectrum::{Spectrum, welch};
use pipeline::{files, plot};
use serde_json::json;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

/// Time samples a frame: one block of the simulator.
const FRAME_SAMPLES: usize = 1024;
/// Frames that may wait between simulator and decimator.
const QUEUE: usize = 16;
/// Longest demo, seconds: bounds what `--record` may write.
const LONGEST_S: f64 = 600.0;
/// Longest piece of the spectrum: 5.7 Hz a bin.
const SPECTRUM_LENGTH: usize = 8192;

pub fn run(context: &Context, arguments: &Demo) -> Result<()> {
    let start = Instant::now();
    let array = Array::CAMERA;
    let scene = Scene::named(&arguments.scene)?;
    check(arguments, &array)?;
    if arguments.as_bench {
        return bench::run(context, arguments);
    }
    summary::make_folder(&arguments.out)?;
    let settings = Settings { seed: arguments.seed, ..Settings::default() };
    let simulator = Simulator::new(&scene, &array, &settings)?;
    let frames = ((arguments.duration * settings.bit_rate_hz / FRAME_SAMPLES as f64).ceil() as u64).max(1);
    let source = FrameSource::new(simulator, FRAME_SAMPLES)?;
    let design = Design::new(Specification { bit_rate_hz: settings.bit_rate_hz, ..Specification::DEFAULT })?;
    let mut bench = Bench {
        decimator: ArrayDecimator::new(&design, &array.layout)?,
        ingest: Ingest::new(u16::try_from(array.layout.channels()).map_err(Failed::run)?),
        recorder: arguments.record.then(|| recorder(&arguments.out, &array, &settings)).transpose()?,
        levels: Levels::new(array.layout.channels() as usize),
        microphone: arguments.microphone as usize,
        sound: Vec::new(),
        to_skip: SETTLING,
        tail: holograms::Tail::new(array.layout.row_bytes()),
    };
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(QUEUE);
        scope.spawn(move || send_frames(source, frames, &send));
        bench.run(context, &receive, frames)
    })?;
    let results = Results {
        folder: &arguments.out,
        array: &array,
        bit_rate_hz: settings.bit_rate_hz,
        rate_hz: design.specification.output_rate_hz(),
    };
    results.write(context, arguments, bench, start)?;
    if arguments.once {
        return Ok(());
    }
    live::serve(context, arguments, &scene, &array)
}

fn check(arguments: &Demo, array: &Array) -> Result<()> {
    let duration = arguments.duration;
    if !(duration > 0.0 && duration <= LONGEST_S) {
        refuse!("--duration {duration}: must be above 0 and at most {LONGEST_S} seconds");
    }
    if let Some(speed) = arguments.speed.filter(|speed| !(1e-3..=1e3).contains(speed)) {
        refuse!("--speed {speed}: must be 0.001 to 1000");
    }
    let channels = array.layout.channels();
    if arguments.microphone >= channels {
        let last = channels - 1;
        refuse!("--microphone {}: the array has microphones 0 to {last}", arguments.microphone);
    }
    Ok(())
}

fn recorder(folder: &Path, array: &Array, settings: &Settings) -> Result<RecordingWriter, files::Error> {
    let meta = metadata(array, settings.bit_rate_hz, "simulated by nearfield demo");
    RecordingWriter::create(folder.join("demo"), meta)
}

/// The sending end: stops early when the receiver is gone.
fn send_frames(mut source: FrameSource, count: u64, send: &std::sync::mpsc::SyncSender<Vec<u8>>) {
    for _ in 0..count {
        let mut datagram = vec![0; source.frame_len()];
        source.next_frame(&mut datagram);
        if send.send(datagram).is_err() {
            return;
        }
    }
}

/// The receiving end and what it has gathered.
struct Bench {
    decimator: ArrayDecimator,
    ingest: Ingest,
    recorder: Option<RecordingWriter>,
    levels: Levels,
    microphone: usize,
    sound: Vec<f32>,
    /// Frames of samples that still depend on the time before the first bit.
    to_skip: usize,
    tail: holograms::Tail,
}

impl Bench {
    fn run(&mut self, context: &Context, receive: &Receiver<Vec<u8>>, total: u64) -> Result<()> {
        let mut progress = Progress::new(context, "listening", total);
        let mut codes = Vec::new();
        for datagram in receive {
            let span = self.ingest.accept(&datagram).map_err(Failed::run)?;
            if span.missing > 0 {
                return Err(Failed::run(format!("{} time samples were lost on the way", span.missing)));
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.write_rows(span.rows)?;
            }
            self.tail.push(span.rows);
            codes.clear();
            let _ = self.decimator.process(span.rows, &mut codes);
            self.look(&codes);
            progress.at(self.ingest.counters().frames)?;
        }
        if let Some(recorder) = self.recorder.take() {
            recorder.finish()?;
        }
        Ok(())
    }

    fn look(&mut self, codes: &[i32]) {
        let channels = self.decimator.channels();
        let skip = self.to_skip.min(codes.len() / channels);
        self.to_skip -= skip;
        let settled = &codes[skip * channels..];
        self.levels.add(settled);
        let of_one: Vec<i32> = settled.iter().skip(self.microphone).step_by(channels).copied().collect();
        self.sound.extend(full_scale_parts(&of_one));
    }
}

/// Where the results go.
struct Results<'a> {
    folder: &'a Path,
    array: &'a Array,
    bit_rate_hz: f64,
    rate_hz: f64,
}

impl Results<'_> {
    fn write(&self, context: &Context, arguments: &Demo, bench: Bench, start: Instant) -> Result<()> {
        let levels = bench.levels.dbfs();
        let layout = &self.array.layout;
        let (rows, cols) = (usize::from(layout.rows()), usize::from(layout.cols()));
        let title = "Level of every microphone";
        plot::level_map(self.folder.join("levels.png"), title, rows, cols, self.array.pitch, &levels)?;
        let spectrum = welch(&bench.sound, self.rate_hz, SPECTRUM_LENGTH)
            .ok_or_else(|| usage(format!("--duration {}: too short for a spectrum", arguments.duration)))?;
        self.draw_spectrum(&spectrum, arguments)?;
        let mut sink =
            create_sink(self.folder.join("microphone.wav"), 1, self.rate_hz, bench.sound.len() as u64)?;
        sink.write(&bench.sound)?;
        sink.finish()?;
        let scene = Scene::named(&arguments.scene)?;
        let (pictures, holograms) =
            holograms::write(self.folder, &scene, self.array, self.bit_rate_hz, &bench.tail)?;
        let loudest = loudest(&levels);
        let counters = bench.ingest.counters();
        self.say(context, &counters, &levels, loudest, start);
        for hologram in &holograms {
            context.say(format!(
                "hologram at {:.0} Hz: {:.1} % from the truth on the source plane",
                hologram["frequency_hz"].as_f64().unwrap_or(f64::NAN),
                100.0 * hologram["relative_l2"].as_f64().unwrap_or(f64::NAN)
            ));
        }
        let files = ["levels.png", "spectrum.png", "microphone.wav"].map(String::from);
        let files: Vec<String> = files.into_iter().chain(pictures).collect();
        context.say(format!("wrote {}, summary.json in {}", files.join(", "), self.folder.display()));
        let settings = json!({
            "scene": arguments.scene, "duration_s": arguments.duration, "seed": arguments.seed,
            "microphone": arguments.microphone, "record": arguments.record, "filter": Specification::DEFAULT,
        });
        let figures = json!({
            "samples": bench.sound.len(), "sample_rate_hz": self.rate_hz, "ingest": counters,
            "loudest_microphone": loudest, "loudest_dbfs": levels[loudest], "holograms": holograms, "files": files,
        });
        summary::write(context, self.folder, settings, figures, start)
    }

    fn draw_spectrum(&self, spectrum: &Spectrum, arguments: &Demo) -> Result<()> {
        let title = format!("Spectrum of microphone {}", arguments.microphone);
        let frequencies: Vec<f64> =
            Scene::named(&arguments.scene)?.lines.iter().map(|l| l.frequency_hz).collect();
        let labels: Vec<String> = frequencies.iter().map(|f| format!("{f:.0} Hz")).collect();
        let marks: Vec<plot::Mark> = frequencies
            .iter()
            .zip(&labels)
            .map(|(&frequency_hz, label)| plot::Mark { frequency_hz, label })
            .collect();
        // Bin 0 has no place on a logarithmic axis.
        let (frequency, level) = (&spectrum.frequency_hz[1..], &spectrum.level_dbfs[1..]);
        Ok(plot::spectrum(
            self.folder.join("spectrum.png"),
            &title,
            frequency,
            level,
            "level (dBFS)",
            plot::FrequencyAxis::Logarithmic,
            &marks,
        )?)
    }

    fn say(&self, context: &Context, counters: &Counters, levels: &[f32], loudest: usize, start: Instant) {
        let seconds =
            counters.samples as f64 * f64::from(self.array.layout.channels()) / start.elapsed().as_secs_f64();
        let cols = usize::from(self.array.layout.cols());
        let (Counters { samples, frames, lost_frames, .. }, microphones) = (counters, levels.len());
        let gbit = 1e-9 * seconds;
        context.say(format!(
            "{samples} time samples of {microphones} microphones, {frames} frames, {lost_frames} lost; \
             {gbit:.2} Gbit/s simulated and decimated"
        ));
        let (row, col) = (loudest / cols, loudest % cols);
        context.say(format!("loudest: row {row}, column {col}, {:.1} dBFS", levels[loudest]));
    }
}

fn loudest(levels: &[f32]) -> usize {
    let best = levels.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |(index, _)| index)
}
