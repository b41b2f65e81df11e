//! Windows of a recording on every card found against the CPU's front ends in double precision.

mod live;
mod walsh;

use crate::devices;
use dsp_core::decimator::{RATE, SETTLING};
use dsp_core::pdm::TileLayout;
use kernels::front_end::Rings;
use kernels::{Buffer, Device, Stream};
use num_complex::Complex;
use pipeline::signal::decimate::{ArrayDecimator, FULL_SCALE};
use pipeline::signal::filter_design::{Design, Specification};
use pipeline::signal::front_end::{FrontEnd, FrontEndError, Method, Settings, Taper, cuda};

/// Relative L2 error over all channels of a bin. A sum of N random terms is about sqrt(N) of them, and each of its N additions
/// rounds by at most u = 2^-24 of a partial sum: N u with N = 1024.
const TOLERANCE: f64 = 6.2e-5;

const METHODS: [(Method, Taper); 8] = [
    (Method::Nominal, Taper::Hann),
    (Method::Dot, Taper::None),
    (Method::Average, Taper::None),
    (Method::Average, Taper::Hann),
    (Method::Walsh { coefficients: Some(20) }, Taper::Hann),
    (Method::Walsh { coefficients: None }, Taper::None),
    (Method::Bits, Taper::None),
    (Method::Bits, Taper::Hann),
];

fn noise(bytes: usize) -> Vec<u8> {
    let step = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    std::iter::successors(Some(7), step).map(|state| (state >> 56) as u8).skip(1).take(bytes).collect()
}

fn settings((method, taper): (Method, Taper), layout: TileLayout, samples: usize) -> Settings {
    let bins = vec![samples / 4, 1, samples / 3];
    Settings { method, taper, bins, samples, layout, bit_rate_hz: 1.5e6 }
}

/// One window on the CPU, `[bin][grid index]`.
fn on_cpu(settings: &Settings, rows: &[u8]) -> Vec<Complex<f64>> {
    let mut out = vec![Complex::default(); settings.bins.len() * settings.layout.channels() as usize];
    FrontEnd::<f64>::new(settings).unwrap().holograms(rows, &mut out).unwrap();
    out
}

/// Every bin of every window within the tolerance.
fn check(settings: &Settings, ours: &[Complex<f32>], expected: &[Complex<f64>]) {
    assert_eq!(ours.len(), expected.len());
    let channels = settings.layout.channels() as usize;
    for (i, (ours, expected)) in ours.chunks(channels).zip(expected.chunks(channels)).enumerate() {
        let wide = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
        let apart: f64 = ours.iter().zip(expected).map(|(a, b)| (wide(a) - b).norm_sqr()).sum();
        let error = (apart / expected.iter().map(|z| z.norm_sqr()).sum::<f64>()).sqrt();
        let Settings { method, taper, samples, .. } = settings;
        assert!(error < TOLERANCE, "{method} {taper}, {samples} samples, window and bin {i}: {error:e}");
    }
}

/// Windows with their own histories, twice: right, and the same bits.
fn windows_agree(device: &Device, settings: &Settings, windows: usize) {
    let mut stream = device.stream().unwrap();
    let rows = windows * (settings.history_rows() + settings.window_rows());
    let rows = noise(rows * settings.layout.row_bytes());
    let each = rows.len() / windows;
    let expected: Vec<_> = rows.chunks(each).flat_map(|rows| on_cpu(settings, rows)).collect();
    let mut front_end = cuda::FrontEnd::new(&mut stream, settings, None, windows).unwrap();
    let [first, second] = [0, 1].map(|_| {
        let mut out = vec![Complex::new(f32::NAN, f32::NAN); expected.len()];
        front_end.holograms(&mut stream, &rows, &mut out).unwrap();
        out
    });
    check(settings, &first, &expected);
    assert_eq!(first, second);
}

/// One of each kernel, for tools that take a thousand times as long.
#[test]
fn tiny_windows_agree() {
    for device in devices("tiny_windows_agree") {
        for method in METHODS {
            windows_agree(&device, &settings(method, TileLayout::new(4, 6, 2).unwrap(), 64), 1);
        }
    }
}

#[test]
fn small_windows_agree() {
    for device in devices("small_windows_agree") {
        // 24 channels fill no whole word of a row.
        for (layout, samples) in
            [(TileLayout::new(8, 8, 8).unwrap(), 64), (TileLayout::new(4, 6, 2).unwrap(), 128)]
        {
            for method in METHODS {
                windows_agree(&device, &settings(method, layout, samples), 3);
            }
        }
        // No power of two: dot products instead of the FFT.
        let layout = TileLayout::new(8, 8, 8).unwrap();
        windows_agree(&device, &settings((Method::Nominal, Taper::Hann), layout, 100), 2);
    }
}

#[test]
fn windows_of_the_camera_agree() {
    for device in devices("windows_of_the_camera_agree") {
        for method in METHODS {
            windows_agree(&device, &settings(method, TileLayout::CAMERA, 1024), 1);
        }
    }
}

/// Words and samples of a stream, `[channel][time]`, from the CPU.
fn arrays(stream: &mut Stream, layout: &TileLayout, rows: &[u8]) -> Rings {
    let (channels, row_bytes) = (layout.channels() as usize, layout.row_bytes());
    let capacity = rows.len() / row_bytes / RATE;
    let mut words = vec![0u32; channels * capacity];
    for (t, row) in rows.chunks(row_bytes).enumerate() {
        for channel in 0..channels {
            let bit = u32::from(row[channel / 8] >> (channel % 8) & 1);
            words[channel * capacity + t / RATE] |= bit << (t % RATE);
        }
    }
    let mut frames = Vec::new();
    let design = Design::new(Specification::DEFAULT).unwrap();
    let _ = ArrayDecimator::new(&design, layout).unwrap().process(rows, &mut frames);
    let mut samples = vec![0.0f32; channels * capacity];
    for (t, frame) in frames.chunks(channels).enumerate() {
        for position in 0..layout.channels() {
            let code = frame[layout.index_of(position).unwrap() as usize];
            samples[position as usize * capacity + t] = code as f32 / FULL_SCALE as f32;
        }
    }
    Rings {
        words: Buffer::from_slice(stream, "words", &words).unwrap(),
        samples: Buffer::from_slice(stream, "samples", &samples).unwrap(),
        capacity,
        ..Rings::idle(stream, channels, 1, 1, 1).unwrap()
    }
}

/// What is on the card already, in windows that overlap.
#[test]
fn small_windows_of_a_stream_agree() {
    let (first, stride, windows) = (SETTLING + 5, 7, 4);
    for device in devices("small_windows_of_a_stream_agree") {
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let mut stream = device.stream().unwrap();
        let words = first + (windows - 1) * stride + 64;
        let rows = noise(words * RATE * layout.row_bytes());
        let mut arrays = arrays(&mut stream, &layout, &rows);
        for method in METHODS {
            let settings = settings(method, layout, 64);
            let window = |i: usize| {
                let start = (first + i * stride) * RATE;
                let rows = &rows[(start - settings.history_rows()) * layout.row_bytes()..];
                let needed = settings.history_rows() + settings.window_rows();
                on_cpu(&settings, &rows[..needed * layout.row_bytes()])
            };
            let expected: Vec<_> = (0..windows).flat_map(window).collect();
            let front_end = cuda::FrontEnd::new(&mut stream, &settings, None, windows).unwrap();
            let mut bins = Buffer::poisoned(&mut stream, "bins", expected.len()).unwrap();
            front_end.execute_device(&mut stream, &mut arrays, first, stride, &mut bins).unwrap();
            let mut ours = vec![Complex::default(); expected.len()];
            stream.download(&bins, &mut ours).unwrap();
            check(&settings, &ours, &expected);
            let beyond = front_end.execute_device(&mut stream, &mut arrays, first + 1, stride, &mut bins);
            assert!(
                matches!(beyond, Err(FrontEndError::Kernels(kernels::Error::Length { .. }))),
                "{beyond:?}"
            );
        }
    }
}

#[test]
fn small_nonsense_is_refused() {
    for device in devices("small_nonsense_is_refused") {
        let mut stream = device.stream().unwrap();
        let layout = TileLayout::new(8, 8, 8).unwrap();
        let good = settings((Method::Walsh { coefficients: None }, Taper::None), layout, 64);
        for samples in [60, 96, 8192] {
            let bad = Settings { samples, ..good.clone() };
            let refused = cuda::FrontEnd::new(&mut stream, &bad, None, 1).unwrap_err();
            assert!(matches!(refused, FrontEndError::Samples { .. }), "{refused}");
        }
        let none = Settings { bins: vec![], ..good.clone() };
        assert_eq!(cuda::FrontEnd::new(&mut stream, &none, None, 1).unwrap_err(), FrontEndError::NoBins);
        let mut front_end = cuda::FrontEnd::new(&mut stream, &good, None, 1).unwrap();
        let refused = front_end.holograms(&mut stream, &[0; 7], &mut []).unwrap_err();
        assert_eq!(refused, FrontEndError::Length { what: "bytes of rows", expected: 16384, found: 7 });
    }
}
