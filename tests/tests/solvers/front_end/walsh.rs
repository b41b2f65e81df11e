//! Walsh coefficients on every card found against the CPU's front end in double precision: window lengths, numbers of
//! coefficients, windows of a recording and live hops.

use super::live::FIRST;
use super::noise;
use crate::devices;
use dsp_core::decimator::RATE;
use dsp_core::pdm::TileLayout;
use kernels::abi::State;
use kernels::front_end::{Rings, Windows};
use kernels::{Buffer, Device, Mail};
use num_complex::Complex;
use pipeline::signal::front_end::{FrontEnd, Method, Settings, Taper, cuda};

/// Relative L2 error over all channels of a bin with so many coefficients. The coefficients are exact; each of the products and
/// additions rounds by at most u = 2^-24 of a partial sum, and so do the weights, the gain and what the new words add.
fn tolerance(coefficients: usize) -> f64 {
    (coefficients + 16) as f64 * 0.5f64.powi(24)
}

/// 24 channels, which fill no whole word of a row.
fn settings(samples: usize, coefficients: usize, taper: Taper) -> Settings {
    let layout = TileLayout::new(4, 6, 2).unwrap();
    let method = Method::Walsh { coefficients: Some(coefficients) };
    let bins = vec![samples / 4, 1, samples / 3];
    Settings { method, taper, bins, samples, layout, bit_rate_hz: 1.5e6 }
}

fn check(settings: &Settings, ours: &[Complex<f32>], rows: &[u8], what: &str) {
    let channels = settings.layout.channels() as usize;
    let mut expected = vec![Complex::<f64>::default(); settings.bins.len() * channels];
    FrontEnd::new(settings).unwrap().holograms(rows, &mut expected).unwrap();
    assert_eq!(ours.len(), expected.len());
    let Settings { method, taper, samples, .. } = settings;
    let Method::Walsh { coefficients: Some(coefficients) } = *method else { unreachable!() };
    for (i, (ours, expected)) in ours.chunks(channels).zip(expected.chunks(channels)).enumerate() {
        let wide = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
        let apart: f64 = ours.iter().zip(expected).map(|(a, b)| (wide(a) - b).norm_sqr()).sum();
        let error = (apart / expected.iter().map(|z| z.norm_sqr()).sum::<f64>()).sqrt();
        let text =
            format!("{coefficients} coefficients, {taper}, {samples} words, {what}, bin {i}: {error:.1e}");
        assert!(error < tolerance(coefficients), "{text}");
    }
}

/// Two windows, twice: right, and the same bits.
fn windows_agree(device: &Device, settings: &Settings, rows: &[u8]) {
    let mut stream = device.stream().unwrap();
    let each = rows.len() / 2;
    let mut front_end = cuda::FrontEnd::new(&mut stream, settings, None, 2).unwrap();
    let [first, second] = [0, 1].map(|_| {
        let count = 2 * settings.bins.len() * settings.layout.channels() as usize;
        let mut out = vec![Complex::new(f32::NAN, f32::NAN); count];
        front_end.holograms(&mut stream, rows, &mut out).unwrap();
        out
    });
    for (i, (rows, ours)) in rows.chunks(each).zip(first.chunks(first.len() / 2)).enumerate() {
        check(settings, ours, rows, &format!("window {i}"));
    }
    assert_eq!(first, second);
}

#[test]
fn small_windows_of_all_lengths_agree() {
    for device in devices("small_windows_of_all_lengths_agree") {
        for samples in [64, 128, 256, 512, 1024, 2048, 4096] {
            // One pattern or a few; with 300, more than fit at once where windows are long.
            for (coefficients, taper) in [(10, Taper::Hann), (40, Taper::None), (300, Taper::None)] {
                let settings = settings(samples, coefficients, taper);
                let rows = noise(2 * settings.window_rows() * settings.layout.row_bytes());
                windows_agree(&device, &settings, &rows);
            }
        }
    }
}

/// Tables that do not fit into shared memory.
#[test]
fn small_windows_with_many_coefficients_agree() {
    for device in devices("small_windows_with_many_coefficients_agree") {
        let settings = settings(1024, 3000, Taper::Hann);
        let rows = noise(2 * settings.window_rows() * settings.layout.row_bytes());
        windows_agree(&device, &settings, &rows);
    }
}

/// Square waves of both signs, side by side: the largest coefficient is as large as can be.
#[test]
fn small_windows_of_extreme_counts_agree() {
    for device in devices("small_windows_of_extreme_counts_agree") {
        for samples in [512, 1024, 2048] {
            let settings = Settings { bins: vec![samples / 4], ..settings(samples, 10, Taper::None) };
            // The bin has four words a cycle.
            let row = |t: usize| if (t / (2 * RATE)).is_multiple_of(2) { 0b1100_0110 } else { 0b0011_1001 };
            let row_bytes = settings.layout.row_bytes();
            let rows: Vec<u8> =
                (0..2 * settings.window_rows() * row_bytes).map(|i| row(i / row_bytes)).collect();
            windows_agree(&device, &settings, &rows);
        }
    }
}

/// A ring of words, `[channel][capacity]`, that begins with `rows`.
fn ring(rows: &[u8], channels: usize, capacity: usize) -> Vec<u32> {
    let mut words = vec![0; channels * capacity];
    for (t, row) in rows.chunks(channels / 8).enumerate() {
        for (channel, words) in words.chunks_mut(capacity).enumerate() {
            words[t / RATE] |= u32::from(row[channel / 8] >> (channel % 8) & 1) << (t % RATE);
        }
    }
    words
}

/// Hop after hop behind a window of old words.
fn hops_agree(device: &Device, settings: &Settings, capacity: usize, hop: usize, hops: usize) {
    let (channels, row_bytes) = (settings.layout.channels() as usize, settings.layout.row_bytes());
    let stream_rows = noise((settings.window_rows() + hops * hop) * row_bytes);
    let (old, new) = stream_rows.split_at(settings.window_rows() * row_bytes);
    let mut stream = device.stream().unwrap();
    let mut rings = Rings::idle(&mut stream, channels, capacity, hop, settings.bins.len()).unwrap();
    stream.upload(&ring(old, channels, capacity), &mut rings.words).unwrap();
    let mut mail = Mail::new(&stream, hop, 0, row_bytes).unwrap();
    let front_end = cuda::front_end(&mut stream, settings, None, None).unwrap();
    for (i, new) in (0..).zip(new.chunks(hop * row_bytes)) {
        let iteration = FIRST.wrapping_add(i);
        mail.send(&mut stream, new, iteration.wrapping_add(1)).unwrap();
        let taken = settings.window_rows() + i as usize * hop;
        let (rows, begun) = (taken as u64, iteration);
        let state = State { rows, next: rows, iteration, begun, ..State::default() };
        stream.upload(&[state], &mut rings.state).unwrap();
        let count = settings.bins.len() * channels;
        let mut bins = Buffer::poisoned(&mut stream, "bins", count).unwrap();
        front_end.run(&mut stream, Windows::Next { count: hop }, &mut rings, &mut bins).unwrap();
        let windows = Windows::Live { mail: &mail, count: hop };
        front_end.run(&mut stream, windows, &mut rings, &mut bins).unwrap();
        let mut ours = vec![Complex::default(); count];
        stream.download(&bins, &mut ours).unwrap();
        let end = (taken + hop) / RATE * RATE;
        let window = &stream_rows[(end - settings.window_rows()) * row_bytes..end * row_bytes];
        check(settings, &ours, window, &format!("ring of {capacity}, hop {i} of {hop} rows"));
    }
}

#[test]
fn small_hops_agree() {
    for device in devices("small_hops_agree") {
        for samples in [64, 256, 1024, 2048] {
            // No new word or one, one, two or three, as many as can be.
            for (hop, hops) in [(20, 4), (32, 3), (75, 4), (1024, 3)] {
                hops_agree(&device, &settings(samples, 40, Taper::None), samples, hop, hops);
            }
            hops_agree(&device, &settings(samples, 300, Taper::Hann), samples + 37, 75, 3);
        }
    }
}
