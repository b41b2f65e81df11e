//! The camera on a card against the CPU's chain in double precision: every front end, hop after hop.

use crate::devices;
use dsp_core::decimator::{RATE, SETTLING};
use dsp_core::pdm::TileLayout;
use kernels::Device;
use num_complex::Complex;
use pipeline::holography::camera::cuda::{Camera, Settings};
use pipeline::holography::cutoff::Chooser;
use pipeline::holography::design::{Aperture, Grid, KFilter};
use pipeline::holography::{self, Padding, cpu};
use pipeline::signal::front_end::{self, FrontEnd, Method, Taper};
use std::time::Duration;

/// Relative error over a hologram, asked for by the issue of the instrument: rounding in f32 of sums of 1024 terms is
/// near 1e-6, the back-propagator of 50 rad/m at 4 cm amplifies it by less than 10.
const TOLERANCE: f64 = 1e-4;

/// Bits with a tone in them, so that bins stand out of the noise.
pub fn rows(count: usize, row_bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let mut rows = vec![0; count * row_bytes];
    for (t, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
        for (i, byte) in row.iter_mut().enumerate() {
            for b in 0..8 {
                let phase = t as f64 * 0.0043 + (8 * i + b) as f64 * 0.01;
                let level = 0.5 + 0.3 * phase.sin();
                *byte |= u8::from(f64::from(next() % 65536) < 65536.0 * level) << b;
            }
        }
    }
    rows
}

pub fn bits(x: &[Complex<f32>]) -> Vec<[u32; 2]> {
    x.iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect()
}

pub struct Case {
    pub layout: TileLayout,
    pub aperture: Aperture,
    pub grid: [usize; 2],
    pub samples: usize,
    pub bins: Vec<usize>,
    pub padding: Padding,
    pub hop: usize,
    pub hops: usize,
}

impl Case {
    pub fn camera(method_bins: Vec<usize>, hop: usize, hops: usize) -> Self {
        Self {
            layout: TileLayout::CAMERA,
            aperture: Aperture::CAMERA,
            grid: [96, 96],
            samples: 1024,
            bins: method_bins,
            padding: Padding::Lpbp { order: 8 },
            hop,
            hops,
        }
    }

    pub fn front_end(&self, method: Method, taper: Taper) -> front_end::Settings {
        let Self { samples, layout, .. } = *self;
        front_end::Settings { method, taper, bins: self.bins.clone(), samples, layout, bit_rate_hz: 1.5e6 }
    }

    pub fn pnah(&self) -> holography::Settings {
        let grid = Grid::new(self.aperture, self.grid[0], self.grid[1]).unwrap();
        holography::Settings {
            padding: self.padding,
            velocity: true,
            ..holography::Settings::new(grid, 0.04)
        }
    }

    /// The newest window of all rows so far through the CPU in f64, `[field][bin][y][x]`.
    fn expected(&self, settings: &front_end::Settings, stream: &[u8]) -> Vec<Complex<f64>> {
        let row_bytes = self.layout.row_bytes();
        let words = stream.len() / row_bytes / RATE;
        // What was before the first row is idle.
        let needed = settings.history_rows() + settings.window_rows();
        let idle = |t: usize| if t.is_multiple_of(2) { 0xff } else { 0 };
        let before = needed.max(RATE * words) + RATE * SETTLING;
        let mut all: Vec<u8> = (0..before).flat_map(|t| std::iter::repeat_n(idle(t), row_bytes)).collect();
        all.extend_from_slice(&stream[..words * RATE * row_bytes]);
        let rows = &all[all.len() - needed * row_bytes..];
        let mut holograms = vec![Complex::default(); self.bins.len() * self.aperture.len()];
        FrontEnd::<f64>::new(settings).unwrap().holograms(rows, &mut holograms).unwrap();
        let frequencies: Vec<f64> = self.bins.iter().map(|&k| settings.frequency_hz(k)).collect();
        let mut plan = cpu::Plan::<f64>::new(&self.pnah(), &frequencies, KFilter::THESIS).unwrap();
        let (mut pressure, mut velocity) = (holograms.clone(), holograms.clone());
        plan.execute(&holograms, &mut pressure, Some(&mut velocity)).unwrap();
        pressure.extend(velocity);
        pressure
    }

    /// Largest relative error over all holograms of some hops, and that two cameras give the same bits.
    fn agrees(&self, device: &Device, method: Method, taper: Taper) {
        let front_end = self.front_end(method, taper);
        let settings = Settings {
            front_end: front_end.clone(),
            pnah: self.pnah(),
            filter: KFilter::THESIS,
            hop: self.hop,
        };
        let stream = rows(self.hop * self.hops, self.layout.row_bytes(), 7);
        let run = || {
            let mut camera = Camera::new(device, &settings).unwrap();
            let mut last = Vec::new();
            for hop in stream.chunks_exact(self.hop * self.layout.row_bytes()) {
                last = camera.execute(hop).unwrap().to_vec();
            }
            last
        };
        let (first, second) = (run(), run());
        assert!(bits(&first) == bits(&second), "{method} {taper}: two runs differ");
        let expected = self.expected(&front_end, &stream);
        self.compare(&first, &expected, &format!("{method} {taper} hop {}", self.hop));
    }

    /// Relative error of every hologram.
    fn compare(&self, got: &[Complex<f32>], expected: &[Complex<f64>], what: &str) {
        let points = self.aperture.len();
        for (i, (got, want)) in got.chunks_exact(points).zip(expected.chunks_exact(points)).enumerate() {
            let norm: f64 = want.iter().map(|z| z.norm_sqr()).sum();
            let wide = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
            let error: f64 = got.iter().zip(want).map(|(g, w)| (wide(g) - w).norm_sqr()).sum();
            let relative = (error / norm).sqrt();
            eprintln!("{what}, field and bin {i}: {relative:.2e}");
            assert!(relative < TOLERANCE, "{what}, number {i}: {relative:.2e}");
        }
    }
}

pub const METHODS: [(Method, Taper); 8] = [
    (Method::Nominal, Taper::Hann),
    (Method::Dot, Taper::Hann),
    (Method::Average, Taper::None),
    (Method::Average, Taper::Hann),
    (Method::Walsh { coefficients: Some(40) }, Taper::None),
    (Method::Walsh { coefficients: None }, Taper::None),
    (Method::Bits, Taper::None),
    (Method::Bits, Taper::Hann),
];

#[test]
fn every_front_end_agrees_with_the_cpu() {
    for device in devices("every_front_end_agrees_with_the_cpu") {
        // 75 rows do not divide into words; 448 hops fill the ring.
        let case = Case::camera(vec![22, 45, 90], 75, 448);
        for (method, taper) in METHODS {
            case.agrees(&device, method, taper);
        }
    }
}

#[test]
fn short_streams_begin_idle() {
    for device in devices("short_streams_begin_idle") {
        let case = Case::camera(vec![5, 60], 32, 40);
        case.agrees(&device, Method::Nominal, Taper::Hann);
        case.agrees(&device, Method::Bits, Taper::None);
    }
}

/// A few hops of every front end, for tools that take a thousand times as long.
#[test]
fn tiny_streams_agree() {
    for device in devices("tiny_streams_agree") {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let aperture = Aperture { rows: 8, cols: 8, pitch: 0.02 };
        let (bins, padding) = (vec![1, 7], Padding::Lpbp { order: 3 });
        let case = Case { layout, aperture, grid: [24, 24], samples: 64, bins, padding, hop: 75, hops: 3 };
        for (method, taper) in METHODS {
            case.agrees(&device, method, taper);
        }
    }
}

#[test]
fn small_arrays_and_windows() {
    for device in devices("small_arrays_and_windows") {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let aperture = Aperture { rows: 8, cols: 8, pitch: 0.02 };
        for (samples, padding, hop) in [
            (64, Padding::Lpbp { order: 3 }, 100),
            (128, Padding::Zero, 33),
            (512, Padding::Lpbp { order: 7 }, 256),
        ] {
            let bins = vec![1, 7];
            let case = Case { layout, aperture, grid: [24, 24], samples, bins, padding, hop, hops: 70 };
            for (method, taper) in METHODS {
                case.agrees(&device, method, taper);
            }
        }
    }
}

#[test]
fn hops_may_change_and_small_ones_make_no_new_word() {
    for device in devices("hops_may_change_and_small_ones_make_no_new_word") {
        let case = Case::camera(vec![22, 60], 128, 1);
        let front_end = case.front_end(Method::Nominal, Taper::Hann);
        let settings =
            Settings { front_end: front_end.clone(), pnah: case.pnah(), filter: KFilter::THESIS, hop: 128 };
        let mut camera = Camera::new(&device, &settings).unwrap();
        let (row_bytes, hops) = (case.layout.row_bytes(), [128, 75, 1, 31, 32, 3, 96, 128, 7]);
        let stream = rows(hops.iter().sum(), row_bytes, 3);
        let mut rest = &stream[..];
        for (i, hop) in hops.into_iter().enumerate() {
            camera.set_hop(hop).unwrap();
            let (new, after) = rest.split_at(hop * row_bytes);
            rest = after;
            let got = camera.execute(new).unwrap().to_vec();
            let taken = stream.len() - rest.len();
            case.compare(
                &got,
                &case.expected(&front_end, &stream[..taken]),
                &format!("hop {i} of {hop} rows"),
            );
        }
        let error = camera.set_hop(129).unwrap_err().to_string();
        assert!(error.contains("rows"), "{error}");
        assert!(camera.set_hop(0).is_err());
    }
}

/// The results of a stream whose hops change, launched behind the rows or ahead of them, in which case the card waits.
fn results(device: &Device, settings: &Settings, ahead: bool) -> Vec<Vec<[u32; 2]>> {
    let row_bytes = settings.front_end.layout.row_bytes();
    // In the end more than the card has in its queue, one behind the other.
    let (changing, steady) = ([128, 75, 75, 1, 31, 32, 32, 32, 128, 7], [75; 40]);
    let hops = [&changing[..], &steady].concat();
    let stream = rows(hops.iter().sum(), row_bytes, 11);
    let mut camera = Camera::new(device, settings).unwrap();
    let (mut rest, mut results) = (&stream[..], Vec::new());
    for (i, &hop) in hops.iter().enumerate() {
        let (new, after) = rest.split_at(hop * row_bytes);
        rest = after;
        if i == 0 || hop != hops[i - 1] {
            camera.set_hop(hop).unwrap();
        }
        if i != 6 {
            // That one is launched ahead as its predecessor is executed, the others here.
            camera.wait_ahead(ahead).unwrap();
        }
        if ahead && i < changing.len() {
            std::thread::sleep(Duration::from_millis(1));
        }
        results.push(bits(camera.execute(new).unwrap()));
        // Calls that end a wait, and what they find.
        if i % 4 == 1 && i != 5 && i < changing.len() {
            results.push(bits(&camera.holograms().unwrap()));
            camera.wait_ahead(ahead).unwrap();
            camera.set_filter(1, KFilter { cutoff: 40.0 + i as f64, slope: 0.2 }).unwrap();
        }
    }
    let error = camera.execute(&stream[1..=row_bytes]).unwrap_err().to_string();
    assert!(error.contains("a hop of 75 rows"), "{error}");
    results
}

fn waiting_changes_nothing(device: &Device, case: &Case) {
    for (method, taper) in METHODS {
        let front_end = case.front_end(method, taper);
        let settings = Settings { front_end, pnah: case.pnah(), filter: KFilter::THESIS, hop: case.hop };
        let [behind, ahead] = [false, true].map(|ahead| results(device, &settings, ahead));
        assert_eq!(behind.len(), ahead.len());
        for (i, (a, b)) in behind.iter().zip(&ahead).enumerate() {
            assert!(a == b, "{method} {taper}: result {i} differs");
        }
    }
}

#[test]
fn waiting_ahead_changes_nothing() {
    for device in devices("waiting_ahead_changes_nothing") {
        waiting_changes_nothing(&device, &Case::camera(vec![22, 60], 128, 1));
    }
}

#[test]
fn small_cameras_may_wait_ahead() {
    for device in devices("small_cameras_may_wait_ahead") {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let aperture = Aperture { rows: 8, cols: 8, pitch: 0.02 };
        let (bins, padding) = (vec![1, 7], Padding::Lpbp { order: 3 });
        let case = Case { layout, aperture, grid: [24, 24], samples: 64, bins, padding, hop: 128, hops: 1 };
        waiting_changes_nothing(&device, &case);
    }
}

#[test]
fn filters_chosen_on_the_card_are_those_of_the_host() {
    for device in devices("filters_chosen_on_the_card_are_those_of_the_host") {
        let case = Case::camera(vec![22, 45], 1024, 33);
        let settings = Settings {
            front_end: case.front_end(Method::Nominal, Taper::Hann),
            pnah: case.pnah(),
            filter: KFilter::THESIS,
            hop: 1024,
        };
        let mut camera = Camera::new(&device, &settings).unwrap();
        let stream = rows(case.hop * case.hops, case.layout.row_bytes(), 5);
        for hop in stream.chunks_exact(case.hop * case.layout.row_bytes()) {
            camera.execute(hop).unwrap();
        }
        camera.choose_filters().unwrap();
        let chosen = camera.estimates().unwrap();
        let holograms = camera.holograms().unwrap();
        let chooser = Chooser::new(&case.pnah().grid, case.padding).unwrap();
        for (i, hologram) in holograms.chunks_exact(1024).enumerate() {
            let wide: Vec<Complex<f64>> =
                hologram.iter().map(|z| Complex::new(f64::from(z.re), f64::from(z.im))).collect();
            let k = case.pnah().medium.wavenumber(settings.front_end.frequency_hz(case.bins[i]));
            let expected = chooser.choose(k, 0.04, &wide).unwrap();
            assert_eq!(chosen[i].as_ref().unwrap().filter, expected.filter, "bin {}", case.bins[i]);
        }
    }
}
