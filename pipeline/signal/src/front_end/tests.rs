//! Every fast path against the direct sums of [`mod@reference`], and all methods against one tone.

use super::*;
use dsp_core::decimator::SETTLING;
use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use numerics::real::Real;
use std::f64::consts::TAU;

/// Reproducible noise (xorshift64).
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn layout(rows: u16, cols: u16) -> TileLayout {
    TileLayout::new(rows, cols, 8).unwrap()
}

const POISON: Complex<f64> = Complex::new(f64::NAN, f64::NAN);

/// Two runs into poisoned memory, which must agree.
fn holograms<T: Real>(settings: &Settings, rows: &[u8]) -> Vec<Complex<f64>> {
    let mut front_end = FrontEnd::<T>::new(settings).unwrap();
    let poison = Complex::new(T::of(f64::NAN), T::of(f64::NAN));
    let channels = settings.layout.channels() as usize;
    let mut run = || {
        let mut out = vec![poison; settings.bins.len() * channels];
        front_end.holograms(rows, &mut out).unwrap();
        out
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    first.into_iter().map(|p| Complex::new(p.re.to_f64(), p.im.to_f64())).collect()
}

/// The definition, at some of the channels: a channel and its amplitudes.
fn expected(settings: &Settings, rows: &[u8], channel: usize) -> Vec<Complex<f64>> {
    let x = reference::signal(rows, &settings.layout, channel);
    let x = match settings.method {
        Method::Nominal | Method::Dot => reference::decimate(&x),
        Method::Average => reference::average(&x),
        Method::Walsh { .. } | Method::Bits => x,
    };
    let amplitude = |&k: &usize| match settings.method {
        Method::Walsh { coefficients: Some(count) } => reference::walsh(&x, k, settings.taper, count),
        _ => reference::amplitude(&x[x.len() % settings.samples..], k, settings.taper),
    };
    settings.bins.iter().zip(settings.corrections()).map(|(k, c)| amplitude(k) * c).collect()
}

fn check(settings: &Settings) {
    let Settings { layout, ref bins, .. } = *settings;
    let rows = noise((settings.history_rows() + settings.window_rows()) * layout.row_bytes());
    let (exact, fast) = (holograms::<f64>(settings, &rows), holograms::<f32>(settings, &rows));
    let channels = layout.channels() as usize;
    for channel in [0, 1, 13, channels / 2 + 5, channels - 1] {
        for (b, expected) in expected(settings, &rows, channel).into_iter().enumerate() {
            let at = b * channels + channel;
            let context = format!("{settings:?} bin {} channel {channel}", bins[b]);
            // The magnitudes of all terms add up to 2 at most. The direct sum rounds 2^15 times: 2 sqrt(2^15) 2^-53
            // = 4e-14 if roundings are random, 7e-12 if all are the worst.
            assert!((exact[at] - expected).norm() < 1e-12, "{context}: {} {expected}", exact[at]);
            // The longest chain is that of all Walsh coefficients, 1024 in each of 32 passes: 2 sqrt(1056) 2^-24.
            assert!((fast[at] - expected).norm() < 4e-6, "{context}: {} {expected}", fast[at]);
        }
    }
}

fn in_pools(work: impl Fn() + Sync) {
    for threads in [1, 2, 3] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&work);
    }
}

#[test]
fn every_method_is_its_definition_on_the_camera() {
    let methods =
        [Method::Nominal, Method::Dot, Method::Average, Method::Bits, Method::Walsh { coefficients: None }];
    for method in methods {
        for taper in [Taper::None, Taper::Hann] {
            let settings = Settings { taper, ..Settings::camera(method, vec![22, 1, 393, 137, 22, 4, 45]) };
            check(&settings);
        }
    }
}

#[test]
fn other_arrays_lengths_and_pools() {
    let methods = [
        Method::Nominal,
        Method::Dot,
        Method::Average,
        Method::Bits,
        Method::Walsh { coefficients: None },
        Method::Walsh { coefficients: Some(7) },
        Method::Walsh { coefficients: Some(100) },
    ];
    in_pools(|| {
        for (layout, samples) in [(layout(8, 8), 32), (layout(16, 24), 16), (layout(8, 8), 64)] {
            for method in methods {
                for taper in [Taper::None, Taper::Hann] {
                    let base = Settings::camera(method, vec![samples / 3, 1, 4, 3, 2]);
                    check(&Settings { taper, layout, samples, ..base });
                }
            }
        }
    });
}

/// Machines without AVX-512, and without AVX2. A single worker runs in the thread that is asked.
#[test]
fn lesser_instruction_sets_are_the_definition_too() {
    let methods = [Method::Dot, Method::Average, Method::Bits, Method::Walsh { coefficients: Some(100) }];
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for set in sets {
        pool.install(|| {
            numerics::simd::choose(Some(set));
            for method in methods {
                let base = Settings::camera(method, vec![10, 1, 4, 3, 2]);
                check(&Settings { taper: Taper::Hann, layout: layout(16, 24), samples: 32, ..base });
            }
        });
    }
}

#[test]
fn windows_that_are_no_power_of_two() {
    for method in [Method::Nominal, Method::Dot, Method::Average, Method::Bits] {
        for samples in [4, 20, 300] {
            let base = Settings::camera(method, vec![1]);
            check(&Settings { layout: layout(8, 8), samples, ..base });
        }
    }
}

/// More than 2^15 bits: sums no longer fit 16 bits. All bits of one channel are equal, the worst case.
#[test]
fn long_windows_and_full_scale() {
    for samples in [1024, 2048] {
        let settings = Settings {
            layout: layout(8, 8),
            samples,
            ..Settings::camera(Method::Walsh { coefficients: None }, vec![1, 5])
        };
        let mut rows = noise(settings.window_rows() * 8);
        for row in rows.chunks_exact_mut(8) {
            (row[0], row[1]) = (0xff, 0x00);
        }
        let walsh = holograms::<f64>(&settings, &rows);
        let bits = holograms::<f64>(&Settings { method: Method::Bits, ..settings.clone() }, &rows);
        for (walsh, bits) in walsh.iter().zip(&bits) {
            // As in `check`.
            assert!((walsh - bits).norm() < 1e-12, "{walsh} {bits}");
        }
        assert!(bits[0].norm() < 1e-12);
    }
}

/// A second-order modulator, `Y = z^-2 X + (1 - z^-1)^2 E`: bits whose low spectrum is that of x two bits before.
fn modulate(x: impl Iterator<Item = f64>) -> Vec<bool> {
    let (mut first, mut second) = (0.0, 0.0);
    x.map(|x| {
        let bit = second >= 0.0;
        let feedback = if bit { 1.0 } else { -1.0 };
        second += first - 2.0 * feedback;
        first += x - feedback;
        bit
    })
    .collect()
}

/// All methods find amplitude and phase of one steady tone.
#[test]
fn all_methods_agree_on_a_tone() {
    let layout = layout(8, 8);
    let (k, amplitude, phase) = (40, 0.3, 0.7);
    let history = 32 * SETTLING;
    let methods = [
        (Method::Nominal, Taper::Hann),
        (Method::Dot, Taper::Hann),
        (Method::Average, Taper::Hann),
        (Method::Walsh { coefficients: None }, Taper::Hann),
        (Method::Bits, Taper::Hann),
    ];
    let tone = |t: usize| amplitude * (TAU * k as f64 * (t as f64 - history as f64) / 32768.0 + phase).cos();
    let bits = modulate((2..history + 32770).map(tone));
    let rows: Vec<u8> = bits.iter().flat_map(|&bit| [if bit { 0xff } else { 0 }; 8]).collect();
    for (method, taper) in methods {
        let settings = Settings { taper, layout, ..Settings::camera(method, vec![k]) };
        let from = (history - settings.history_rows()) * 8;
        let found = holograms::<f64>(&settings, &rows[from..]);
        // The quantiser's error E, of the order of 1, may hold the tone itself, and the loop leaves (2 pi
        // 40/32768)^2 of it, 5.9e-5. Behind the mean, E folds onto the bin from 31 multiples m/32 of the bit
        // rate, where loop and mean pass 4 sin^2(pi m/32) x 40/1024 pi/(32 sin(pi m/32)) = 0.0153 sin(pi m/32),
        // in all 0.06; if E is white with variance 1/3, a Hann bin holds 2 sqrt(1.5/32768/3) = 7.8e-3 of it:
        // 4.7e-4 rms, and thrice that is allowed.
        let tolerance = if method == Method::Average { 1.4e-3 } else { 6e-5 };
        let error = found[63] - Complex::from_polar(amplitude, phase);
        assert!(error.norm() < tolerance, "{method}: {} off by {error}", found[63]);
    }
}

/// A ring that has gone round gives the same as a fresh one.
#[test]
fn rings_start_anywhere() {
    let (n, channels) = (64, 40);
    let frames: Vec<i32> =
        noise(4 * 3 * n * channels).as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b) >> 8).collect();
    let bins = [1, 2, 3, 4, 5, 6, 7, 31];
    for pushed in [n, n + 1, 2 * n - 1, 2 * n + 17, 3 * n] {
        let mut samples = Samples::<f64>::new(n, channels);
        for part in frames[..pushed * channels].chunks(7 * channels) {
            samples.push(part);
        }
        let mut found = [vec![POISON; bins.len() * channels], vec![POISON; bins.len() * channels]];
        Dot::new(n, channels, &bins, Taper::Hann).unwrap().execute(&samples, &mut found[0]).unwrap();
        Fft::new(n, channels, &bins, Taper::Hann).unwrap().execute(&samples, &mut found[1]).unwrap();
        for channel in 0..channels {
            let x: Vec<f64> = frames[(pushed - n) * channels..pushed * channels]
                .chunks_exact(channels)
                .map(|frame| f64::from(frame[channel]) / f64::from(1 << 23))
                .collect();
            for (b, &k) in bins.iter().enumerate() {
                let expected = reference::amplitude(&x, k, Taper::Hann);
                for found in &found {
                    // 64 terms of magnitude 2/64, a few roundings each.
                    assert!((found[b * channels + channel] - expected).norm() < 1e-14, "{pushed} {k}");
                }
            }
        }
    }
}

#[test]
fn averages_stream_in_parts() {
    let (layout, samples) = (layout(8, 16), 16);
    let rows = noise(32 * 3 * samples * layout.row_bytes());
    let run = |part: usize| {
        let mut average = Average::<f64>::new(&layout, samples, &[1, 2], Taper::Hann).unwrap();
        rows.chunks(part * 32 * layout.row_bytes()).for_each(|rows| average.push(rows));
        let mut out = vec![POISON; 2 * 128];
        average.execute(&mut out).unwrap();
        out
    };
    let whole = run(3 * samples);
    assert_eq!(run(1), whole);
    assert_eq!(run(5), whole);
}

#[test]
fn bad_settings_are_refused() {
    let refused = |settings: Settings| FrontEnd::<f32>::new(&settings).err().unwrap();
    let camera = |bins: Vec<usize>| Settings::camera(Method::Dot, bins);
    assert_eq!(refused(camera(vec![])), FrontEndError::NoBins);
    assert_eq!(refused(camera(vec![5, 0])), FrontEndError::Bin { bin: 0, highest: 393 });
    assert_eq!(refused(camera(vec![394])), FrontEndError::Bin { bin: 394, highest: 393 });
    let bits = Settings::camera(Method::Bits, vec![512]);
    assert_eq!(refused(bits.clone()), FrontEndError::Bin { bin: 512, highest: 511 });
    let odd = FrontEndError::Samples { samples: 1022, must: "a multiple of 4" };
    assert_eq!(refused(Settings { samples: 1022, ..bits }), odd);
    let walsh = |coefficients| Settings::camera(Method::Walsh { coefficients }, vec![4]);
    for coefficients in [0, 32769] {
        let error = FrontEndError::Coefficients { coefficients, most: 32768 };
        assert_eq!(refused(walsh(Some(coefficients))), error);
    }
    let length = FrontEndError::Samples { samples: 1000, must: "a power of two from 16 up" };
    assert_eq!(refused(Settings { samples: 1000, ..walsh(None) }), length);
    for bit_rate_hz in [0.0, f64::INFINITY] {
        let error = FrontEndError::BitRate(bit_rate_hz);
        assert_eq!(refused(Settings { bit_rate_hz, ..camera(vec![5]) }), error);
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let mut front_end = FrontEnd::<f32>::new(&Settings::camera(Method::Bits, vec![4])).unwrap();
    let rows = vec![0; 32768 * 128];
    let mut out = vec![Complex::default(); 1024];
    let short = FrontEndError::Length { what: "bytes of rows", expected: rows.len(), found: 128 };
    assert_eq!(front_end.holograms(&rows[..128], &mut out), Err(short));
    let few = FrontEndError::Length { what: "results", expected: 1024, found: 1000 };
    assert_eq!(front_end.holograms(&rows, &mut out[..1000]), Err(few));
}

#[test]
fn names_are_those_of_the_command_line() {
    for name in ["nominal", "dot", "average", "walsh", "bits"] {
        assert_eq!(name.parse::<Method>().unwrap().to_string(), name);
    }
    for taper in [Taper::None, Taper::Hann] {
        assert_eq!(taper.to_string().parse(), Ok(taper));
    }
    assert!(matches!("fft".parse::<Method>(), Err(FrontEndError::Name { .. })));
    assert!(matches!("kaiser".parse::<Taper>(), Err(FrontEndError::Name { .. })));
}
