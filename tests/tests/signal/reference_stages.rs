//! The stages of an independent numpy reference, reproduced from the same bits (`pnah/d1.stages.npz`).

use dsp_core::average::average;
use dsp_core::cic::Cic;
use dsp_core::fir::{Delay, Direct, Fir};
use dsp_core::pdm::{TileLayout, TimeWord};
use dsp_core::walsh::{coefficient, fourier_rows, select};
use pipeline::files::sigmf::Recording;
use tests::{npz, shared};

/// Bits of the analysed window.
const WINDOW: usize = 32768;

/// All channels of d1 in grid order, as time words.
fn bits_of_d1(test: &str) -> Option<Vec<Vec<TimeWord>>> {
    let mut recording = Recording::open(shared(test, "pnah/d1.sigmf-meta")?).unwrap();
    let mut rows = vec![0; recording.samples() as usize * recording.row_bytes()];
    assert_eq!(recording.read_rows(0, &mut rows).unwrap() as u64, recording.samples());
    let layout = TileLayout::CAMERA;
    let mut channels = vec![Vec::new(); 1024];
    for group in rows.chunks_exact(32 * 128) {
        for position in 0..1024u32 {
            let (byte, bit) = (position as usize / 8, position % 8);
            let word = (0..32).fold(0, |w, t| w | u32::from(group[128 * t + byte] >> bit & 1) << t);
            channels[layout.index_of(position).unwrap() as usize].push(TimeWord(word));
        }
    }
    Some(channels)
}

#[test]
fn decimated_to_1e_9() {
    let Some(channels) = bits_of_d1("decimated_to_1e_9") else { return };
    let stages = shared("decimated_to_1e_9", "pnah/d1.stages.npz").unwrap();
    let (expected, shape) = npz::<f64>(&stages, "decimated");
    assert_eq!(shape, [1024, 1024]);
    let text =
        std::fs::read_to_string(shared("decimated_to_1e_9", "pnah/decimator_fir_16x2.txt").unwrap()).unwrap();
    let taps: Vec<f64> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
    let fir = Fir::<f64, Direct, 95>::new(taps.try_into().unwrap(), 2, 0).unwrap();
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for (words, expected) in channels.iter().zip(expected.chunks_exact(1024)) {
        let mut middle = vec![0i32; 2 * words.len()];
        let _ = Cic::<i32, 4, 16, 1>::new().process_bits(words, &mut middle);
        let middle: Vec<f64> = middle.iter().map(|&x| f64::from(x) / 65536.0).collect();
        let mut samples = vec![f64::NAN; words.len()];
        let _ = fir.process(&mut Delay::new(), &middle, &mut samples);
        let last = &samples[samples.len() - 1024..];
        for (a, b) in last.iter().zip(expected) {
            worst = worst.max((a - b).abs());
            largest = largest.max(b.abs());
        }
    }
    assert!(worst <= 1e-9 * largest, "worst {worst:e} of {largest}");
}

#[test]
fn averages_exactly() {
    let Some(channels) = bits_of_d1("averages_exactly") else { return };
    let stages = shared("averages_exactly", "pnah/d1.stages.npz").unwrap();
    let (expected, shape) = npz::<i8>(&stages, "ba");
    assert_eq!(shape, [1024, 1024]);
    for (words, expected) in channels.iter().zip(expected.chunks_exact(1024)) {
        let mut averages = vec![i8::MIN; 1024];
        let _ = average::<32, i8>(&words[words.len() - 1024..], &mut averages);
        assert_eq!(averages, expected);
    }
}

#[test]
fn walsh_coefficients_exactly() {
    let Some(channels) = bits_of_d1("walsh_coefficients_exactly") else { return };
    let stages = shared("walsh_coefficients_exactly", "pnah/d1.stages.npz").unwrap();
    let (indices, _) = npz::<i64>(&stages, "walsh_idx");
    let (expected, shape) = npz::<i32>(&stages, "walsh_int");
    assert_eq!(shape, [40, 1024]);
    for (index, expected) in indices.iter().zip(expected.chunks_exact(1024)) {
        for (words, expected) in channels.iter().zip(expected) {
            let window = &words[words.len() - WINDOW / 32..];
            assert_eq!(coefficient(window, *index as usize).unwrap(), *expected, "index {index}");
        }
    }
}

#[test]
fn walsh_selection_and_weights() {
    let test = "walsh_selection_and_weights";
    let Some(stages) = shared(test, "pnah/d1.stages.npz") else { return };
    let (bin, _) = npz::<i64>(&stages, "bin");
    let (mut row_a, mut row_b) = (vec![f64::NAN; WINDOW], vec![f64::NAN; WINDOW]);
    fourier_rows(bin[0] as usize, &mut row_a, &mut row_b).unwrap();
    let mut chosen = vec![usize::MAX; 40];
    let (mut weight_a, mut weight_b) = (vec![f64::NAN; 40], vec![f64::NAN; 40]);
    select(&row_a, &row_b, &mut chosen, &mut weight_a, &mut weight_b).unwrap();
    let (indices, _) = npz::<i64>(&stages, "walsh_idx");
    assert_eq!(chosen.iter().map(|&i| i as i64).collect::<Vec<_>>(), indices);
    for (name, weights) in [("walsh_wa", weight_a), ("walsh_wb", weight_b)] {
        let (expected, _) = npz::<f64>(&stages, name);
        for (weight, expected) in weights.iter().zip(expected) {
            // 15 levels of additions of N terms up to 2/N: rounding under 15 eps of a weight up to 2.
            assert!((weight - expected).abs() < 1e-13, "{name}");
        }
    }
}
