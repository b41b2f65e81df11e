//! A synthetic instrument: one source in front of the array that a test moves, and commands that act.

use super::support::{Bench, LIMITS, settings};
use num_complex::Complex;
use pipeline::signal::front_end::Method;
use pipeline::signal::ingest::Counters;
use pipeline::viewer::{
    Command, Dropped, Field, Flags, Health, Latency, Map, Message, Point, Publisher, Recording, Severity,
    Spectrum, Stamps, Status,
};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const PITCH: f32 = 0.02;

/// What a test moves and looks at.
#[derive(Debug, Clone)]
pub struct State {
    /// x and y of the source, m.
    pub source: [f32; 2],
    pub frequencies: Vec<f64>,
    pub method: Method,
    pub filter: String,
    pub point: Option<Point>,
    pub recording: bool,
    pub messages: Vec<Message>,
    /// No more maps.
    pub frozen: bool,
    ended: bool,
}

/// The thread that publishes and obeys.
pub struct Instrument {
    pub state: Arc<Mutex<State>>,
    pub address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Instrument {
    pub fn start() -> Self {
        let bench = Bench::new(settings());
        let text = "microphones 70, 71, 300 and 801 are left out".into();
        let state = Arc::new(Mutex::new(State {
            source: [-0.2, -0.1],
            frequencies: vec![440.0],
            method: Method::Dot,
            filter: "auto".into(),
            point: None,
            recording: false,
            messages: vec![Message { id: 3, severity: Severity::Warning, text }],
            frozen: false,
            ended: false,
        }));
        let (shared, address) = (Arc::clone(&state), bench.address());
        let thread = std::thread::spawn(move || run(&bench, &shared));
        Self { state, address, thread: Some(thread) }
    }

    /// What the state is now.
    pub fn now(&self) -> State {
        self.state.lock().unwrap().clone()
    }

    pub fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }
}

impl Drop for Instrument {
    fn drop(&mut self) {
        // A test that failed while it held the lock has its own story to tell.
        if let Ok(mut state) = self.state.lock() {
            state.ended = true;
        }
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn run(bench: &Bench, state: &Mutex<State>) {
    let letters = (0..1024).map(|i| match i {
        70 | 71 => Health::Dead,
        300 => Health::Stuck,
        555 => Health::Noisy,
        640 => Health::Saturated,
        801 => Health::Masked,
        _ => Health::Ok,
    });
    bench.publisher.health(letters.collect());
    for step in 0u64.. {
        let mut now = state.lock().unwrap();
        while let Some(command) = bench.controls.next() {
            obey(&mut now, command);
        }
        if now.ended {
            return;
        }
        let now = now.clone();
        if !now.frozen {
            bench.publisher.map(field(&now, step));
        }
        if step % 3 == 0 {
            show_rest(&bench.publisher, &now, step);
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn obey(state: &mut State, command: Command) {
    match command {
        Command::Frequencies(hz) => state.frequencies = hz,
        Command::Bins(k) => state.frequencies = k.iter().map(|k| *k as f64 * 45.776).collect(),
        Command::Method(method) => state.method = method,
        Command::Filter(rule) => state.filter = rule.to_string(),
        Command::Point(point) => state.point = Some(point),
        Command::Record(on) => state.recording = on,
        Command::Acknowledge(id) => state.messages.retain(|message| message.id != id),
    }
}

/// A monopole 5 cm behind the plane, and a weaker one that stays.
fn field(state: &State, sequence: u64) -> Map {
    let along = |i: usize, n: usize| (i as f32 - (n as f32 - 1.0) / 2.0) * PITCH;
    let wavenumber = (std::f64::consts::TAU * state.frequencies[0] / 343.0) as f32;
    let monopole = |at: [f32; 2], strength: f32, x: f32, y: f32| {
        let r = ((x - at[0]).powi(2) + (y - at[1]).powi(2) + 0.05f32.powi(2)).sqrt();
        Complex::from_polar(strength / r, -wavenumber * r)
    };
    let (rows, cols) = (LIMITS.rows, LIMITS.cols);
    let value = |i: usize| {
        let (x, y) = (along(i % cols, cols), along(i / cols, rows));
        monopole(state.source, 0.02, x, y) + monopole([0.25, 0.28], 0.004, x, y)
    };
    let field = Field::Pressure((0..rows * cols).map(value).collect());
    let mut map = Map::new(rows, cols, [PITCH; 2], field).unwrap();
    map.sequence = sequence;
    map.frequency_hz = state.frequencies[0];
    map.method = state.method;
    let [first_sample, ring_in, sink] = [0.0, 0.022, 0.0228].map(|s| sequence as f64 * 0.03 + s);
    map.stamps = Stamps { first_sample, ring_in, device_in: ring_in, device_out: sink, sink };
    map.flags = Flags { masked: true, holes: sequence % 300 > 270, ..Flags::default() };
    map
}

fn show_rest(publisher: &Publisher, state: &State, step: u64) {
    publisher.status(status(state, step));
    if let Some(point) = state.point {
        let tone = state.frequencies[0];
        let level = |i: usize| {
            let away = (i as f64 * 45.776 - tone) / 45.776;
            (0.2 * (-away * away).exp()
                + 2e-4 / (1.0 + i as f64 / 30.0) * (1.0 + (i as f64 * 7.3).sin() * 0.6)) as f32
        };
        let pressure_pa = (0..174).map(level).collect();
        publisher.spectrum(Spectrum { point, first_hz: 0.0, step_hz: 45.776, pressure_pa });
    }
}

fn status(state: &State, step: u64) -> Status {
    let counts = [0, 4, 310, 2900, 5200, 1800, 420, 96, 31, 7, 1];
    let bins =
        counts.iter().enumerate().map(|(i, n)| (2e-4 * 1.4f64.powi(i as i32), n * (1 + step))).collect();
    let recording = match state.recording {
        true => Recording::On { name: "night".into(), bytes: 192_000_000 },
        false => Recording::Off,
    };
    Status {
        running_s: step as f64 * 0.03,
        bits_per_s: 1.536e9,
        holograms_per_s: 1171.0,
        ingest: Counters {
            frames: 200_000 + step,
            samples: 3_000_000,
            lost_frames: 12,
            lost_samples: 96,
            ..Counters::default()
        },
        dropped: vec![Dropped { ring: "recorder".into(), count: 0 }],
        latency: Latency {
            bins,
            p50_s: 7.7e-4,
            p99_s: 2.1e-3,
            p999_s: 4.1e-3,
            max_s: 5.8e-3,
            deadline_s: Some(4e-3),
            misses: 2,
        },
        recording,
        device: "CPU, 2 threads".into(),
        frequencies_hz: state.frequencies.clone(),
        method: state.method,
        filter: state.filter.clone(),
        messages: state.messages.clone(),
    }
}
