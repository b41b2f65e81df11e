//! A live front end on every card found, hop after hop: bins against the CPU's front end in double precision, and the decimated
//! samples that it leaves in its ring against the CPU's integers.

use super::noise;
use crate::devices;
use dsp_core::decimator::{RATE, SETTLING};
use dsp_core::pdm::TileLayout;
use kernels::abi::State;
use kernels::front_end::{MOST_ROWS, Rings, Windows};
use kernels::{Buffer, Device, Mail, Stream};
use num_complex::Complex;
use pipeline::signal::decimate::{ArrayDecimator, FULL_SCALE};
use pipeline::signal::filter_design::{Design, Specification};
use pipeline::signal::front_end::{FrontEnd, Method, Settings, Taper, cuda};

/// Number of the first iteration: tags have 31 bits of it, which begin again after a few hops.
pub(crate) const FIRST: u32 = u32::MAX - 2;

/// Words of a ring beyond a window: windows then wrap around at all places.
const BEYOND: usize = 5;

const METHODS: [(Method, Taper); 7] = [
    (Method::Nominal, Taper::Hann),
    (Method::Dot, Taper::Hann),
    (Method::Average, Taper::None),
    (Method::Average, Taper::Hann),
    (Method::Walsh { coefficients: Some(20) }, Taper::None),
    (Method::Bits, Taper::None),
    (Method::Bits, Taper::Hann),
];

/// History and newest window of a stream that was idle, which is 0101..., before its first row.
fn window(settings: &Settings, stream: &[u8]) -> Vec<u8> {
    let row_bytes = settings.layout.row_bytes();
    let whole = stream.len() / row_bytes / RATE * RATE * row_bytes;
    let needed = settings.history_rows() + settings.window_rows();
    let idle = |t: usize| if t.is_multiple_of(2) { 0xff } else { 0 };
    let before = (needed + RATE * SETTLING).next_multiple_of(2);
    let mut all: Vec<u8> = (0..before).flat_map(|t| std::iter::repeat_n(idle(t), row_bytes)).collect();
    all.extend_from_slice(&stream[..whole]);
    all.split_off(all.len() - needed * row_bytes)
}

/// A sum of N random terms is about sqrt(N) of them, and each of its N additions rounds by at most u = 2^-24 of a partial sum.
fn tolerance(settings: &Settings) -> f64 {
    settings.samples as f64 * 0.5f64.powi(24)
}

fn check_bins(settings: &Settings, ours: &[Complex<f32>], stream: &[u8], what: &str) {
    let channels = settings.layout.channels() as usize;
    let mut expected = vec![Complex::<f64>::default(); ours.len()];
    FrontEnd::new(settings).unwrap().holograms(&window(settings, stream), &mut expected).unwrap();
    for (i, (ours, expected)) in ours.chunks(channels).zip(expected.chunks(channels)).enumerate() {
        let wide = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
        let apart: f64 = ours.iter().zip(expected).map(|(a, b)| (wide(a) - b).norm_sqr()).sum();
        let error = (apart / expected.iter().map(|z| z.norm_sqr()).sum::<f64>()).sqrt();
        let Settings { method, taper, samples, .. } = settings;
        assert!(
            error < tolerance(settings),
            "{method} {taper}, {samples} samples, {what}, bin {i}: {error:e}"
        );
    }
}

/// Integer for integer, as far back as the ring reaches.
fn check_samples(settings: &Settings, stream: &mut Stream, rings: &Rings, rows: &[u8]) {
    let layout = &settings.layout;
    let channels = layout.channels() as usize;
    let mut frames = Vec::new();
    let design = Design::new(Specification::DEFAULT).unwrap();
    let _ = ArrayDecimator::new(&design, layout).unwrap().process(rows, &mut frames);
    let mut ring = vec![f32::NAN; rings.samples.len()];
    stream.download(&rings.samples, &mut ring).unwrap();
    let total = frames.len() / channels;
    for t in total.saturating_sub(rings.capacity)..total {
        for position in 0..layout.channels() {
            let code = frames[t * channels + layout.index_of(position).unwrap() as usize];
            let ours = ring[position as usize * rings.capacity + t % rings.capacity];
            assert_eq!(ours, code as f32 / FULL_SCALE as f32, "sample {t} of channel {position}");
        }
    }
}

fn hops_agree(device: &Device, settings: &Settings, hops: &[usize]) {
    let mut stream = device.stream().unwrap();
    let (channels, row_bytes) = (settings.layout.channels() as usize, settings.layout.row_bytes());
    let front_end = cuda::front_end(&mut stream, settings, None, None).unwrap();
    let (capacity, count) = (settings.samples + BEYOND, settings.bins.len() * channels);
    let mut rings = Rings::idle(&mut stream, channels, capacity, MOST_ROWS, settings.bins.len()).unwrap();
    let mut mail = Mail::new(&stream, MOST_ROWS, 0, row_bytes).unwrap();
    let all = noise(hops.iter().sum::<usize>() * row_bytes);
    let mut taken = 0;
    for (i, &hop) in (0..).zip(hops) {
        let iteration = FIRST.wrapping_add(i);
        let new = &all[taken * row_bytes..][..hop * row_bytes];
        mail.send(&mut stream, new, iteration.wrapping_add(1)).unwrap();
        let (rows, begun) = (taken as u64, iteration);
        let state = State { rows, next: rows, iteration, begun, ..State::default() };
        stream.upload(&[state], &mut rings.state).unwrap();
        let mut bins = Buffer::poisoned(&mut stream, "bins", count).unwrap();
        for windows in [Windows::Next { count: hop }, Windows::Live { mail: &mail, count: hop }] {
            front_end.run(&mut stream, windows, &mut rings, &mut bins).unwrap();
        }
        taken += hop;
        let mut ours = vec![Complex::default(); count];
        stream.download(&bins, &mut ours).unwrap();
        check_bins(settings, &ours, &all[..taken * row_bytes], &format!("hop {i} of {hop} rows"));
    }
    if matches!(settings.method, Method::Nominal | Method::Dot) {
        check_samples(settings, &mut stream, &rings, &all);
    }
}

fn settings(
    (method, taper): (Method, Taper),
    layout: TileLayout,
    samples: usize,
    bins: Vec<usize>,
) -> Settings {
    Settings { method, taper, bins, samples, layout, bit_rate_hz: 1.5e6 }
}

#[test]
fn small_hops_of_all_methods_agree() {
    for device in devices("small_hops_of_all_methods_agree") {
        let (square, wide) = (TileLayout::new(8, 8, 8).unwrap(), TileLayout::new(4, 6, 2).unwrap());
        for method in METHODS {
            let hops = [1024, 32, 75, 1, 7, 64, 75, 75, 128, 32, 31, 33, 540];
            hops_agree(&device, &settings(method, square, 64, vec![16, 3, 20]), &hops);
            // 24 channels, which fill no whole word of a row.
            hops_agree(&device, &settings(method, wide, 128, vec![16, 3, 20]), &hops);
            // More bins than a block makes at a time.
            hops_agree(
                &device,
                &settings(method, square, 256, (1..80).collect()),
                &[1024, 32, 300, 75, 1024],
            );
        }
    }
}

#[test]
fn hops_of_the_camera_agree() {
    for device in devices("hops_of_the_camera_agree") {
        for method in METHODS {
            let settings = settings(method, TileLayout::CAMERA, 1024, vec![100, 7]);
            hops_agree(&device, &settings, &[1024, 32, 75]);
        }
    }
}

#[test]
fn small_hops_of_long_windows_agree() {
    for device in devices("small_hops_of_long_windows_agree") {
        for samples in [512, 2048, 4096] {
            let layout = TileLayout::new(4, 6, 2).unwrap();
            let settings = settings(METHODS[0], layout, samples, vec![samples / 3, 5]);
            hops_agree(&device, &settings, &[1024, 75, 32]);
        }
    }
}
