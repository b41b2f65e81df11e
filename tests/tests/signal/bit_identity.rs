//! One decimator, several machines: every implementation gives the same integers.

use dsp_core::cic::Cic;
use dsp_core::decimator::{CIC_IMPULSE, CIC_RATE, Decimator, LENGTH_BITS, RATE, SETTLING, SHIFT, TAPS};
use dsp_core::fixed::round_shift;
use dsp_core::lut::{Lut, lanes};
use dsp_core::pdm::{TileLayout, TimeWord};
use pipeline::signal::decimate::{ArrayDecimator, ROWS, single::SingleStage};
use pipeline::signal::filter_design::{Design, Specification};
use proptest::prelude::*;

fn time_words(bits: &[u32]) -> Vec<TimeWord> {
    bits.iter().map(|&w| TimeWord(w)).collect()
}

fn bytes(bits: &[u32]) -> Vec<u8> {
    bits.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// y[n] = sum_j h[j] x[R n + R - 1 - j], zeros before the first bit.
fn convolution(taps: &[i64], rate: usize, bits: &[u32]) -> Vec<i64> {
    let x: Vec<i64> = bits.iter().flat_map(|&w| (0..32).map(move |t| TimeWord(w).value(t).into())).collect();
    (rate - 1..x.len())
        .step_by(rate)
        .map(|newest| taps.iter().zip(x[..=newest].iter().rev()).map(|(h, x)| h * x).sum())
        .collect()
}

macro_rules! cic_is_table_is_convolution {
    ($name:ident, $n:literal, $r:literal, $w:literal, $e:literal) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(30))]
            #[test]
            fn $name(bits in prop::collection::vec(any::<u32>(), 1..40)) {
                const T: usize = $n * ($r - 1) + 1;
                let taps: [i64; T] = Cic::<i64, $n, $r, 1>::taps();
                let table = Box::new(Lut::<i64, $w, { lanes(T, $r, $w) }, $e>::new(&taps).unwrap());
                let outputs = 32 * bits.len() / $r;
                let (mut cic, mut from_table) = (vec![i64::MIN; outputs], vec![i64::MIN; outputs]);
                let _ = Cic::<i64, $n, $r, 1>::new().process_bits(&time_words(&bits), &mut cic);
                let _ = table.process(&mut table.initial(), &bytes(&bits), &mut from_table);
                let expected = convolution(&taps, $r, &bits);
                prop_assert_eq!(&cic, &expected);
                // The table takes whole steps only.
                let whole = 4 * bits.len() / $w * $e;
                prop_assert_eq!(&from_table[..whole], &expected[..whole]);
            }
        }
    };
}

cic_is_table_is_convolution!(order_1_by_8, 1, 8, 1, 1);
cic_is_table_is_convolution!(order_2_by_4, 2, 4, 4, 8);
cic_is_table_is_convolution!(order_3_by_16, 3, 16, 2, 1);
cic_is_table_is_convolution!(order_4_by_32, 4, 32, 4, 1);
cic_is_table_is_convolution!(order_5_by_8, 5, 8, 4, 4);
cic_is_table_is_convolution!(order_6_by_64, 6, 64, 8, 1);
cic_is_table_is_convolution!(order_7_by_8, 7, 8, 1, 1);

/// The taps of the whole default chain at the bit rate.
fn chain_taps() -> Vec<i64> {
    upsampled_convolution(&TAPS.map(i64::from), &CIC_IMPULSE, CIC_RATE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// CIC and FIR in one table; from the first output that no longer knows the history.
    #[test]
    fn table_of_the_whole_chain(bits in prop::collection::vec(any::<u32>(), SETTLING + 1..SETTLING + 60)) {
        const LANES: usize = lanes(LENGTH_BITS, RATE, 4);
        let table = Box::new(Lut::<i64, 4, LANES, 1>::new(&chain_taps()).unwrap());
        let mut from_table = vec![0; bits.len()];
        let _ = table.process(&mut table.initial(), &bytes(&bits), &mut from_table);
        let mut samples = vec![0; bits.len()];
        let _ = Decimator::new().process(&time_words(&bits), &mut samples);
        // The table's sum is in full units, the chain's in half units: one bit more to drop.
        let rounded: Vec<i32> = from_table.iter().map(|&y| round_shift(y, SHIFT + 1) as i32).collect();
        prop_assert_eq!(&samples[SETTLING..], &rounded[SETTLING..]);
    }

    /// The array engine against the one-channel chain, for odd arrays, cuts and thread counts.
    #[test]
    fn array_is_many_channels(
        (rows, cols, side) in prop::sample::select(vec![(32u16, 32u16, 8u16), (8, 8, 8), (4, 6, 2), (16, 24, 4), (40, 8, 8)]),
        seed: u64, groups in 1usize..70, cut in 0usize..70, threads in 1usize..3,
    ) {
        let layout = TileLayout::new(rows, cols, side).unwrap();
        let stream = noise(seed, groups * ROWS * layout.row_bytes());
        let design = Design::with_taps(Specification::DEFAULT, TAPS.to_vec());
        let mut engine = ArrayDecimator::new(&design, &layout).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut frames = Vec::new();
        let cut = cut.min(groups) * ROWS * layout.row_bytes();
        pool.install(|| {
            let _ = engine.process(&stream[..cut], &mut frames);
            let _ = engine.process(&stream[cut..], &mut frames);
        });
        let channels = layout.channels() as usize;
        prop_assert_eq!(frames.len(), groups * channels);
        for position in (0..layout.channels()).step_by(7).chain([layout.channels() - 1]) {
            let mut channel = Decimator::new();
            let index = layout.index_of(position).unwrap() as usize;
            for group in 0..groups {
                let word = word_of(&stream, layout.row_bytes(), group, position as usize);
                prop_assert_eq!(frames[group * channels + index], channel.push(word), "channel {}", position);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Random orders, rates and symmetric taps: the array engines are one convolution over the bits, rounded once.
    #[test]
    fn any_chain_is_one_convolution(
        order in 1u32..=6, cic_bits in 2u32..=5, fir_rate in 2u32..=9, tap_bits in 19u32..=24,
        half in prop::collection::vec(-60_000i64..60_000, 1..20), seed: u64, groups in 1usize..40,
    ) {
        let cic_rate = 1u32 << cic_bits;
        prop_assume!(order * cic_bits + tap_bits >= 24);
        let taps: Vec<i64> = half.iter().chain(half.iter().rev().skip(1)).copied().collect();
        let integers = taps.iter().map(|&h| i32::try_from(h).unwrap()).collect();
        let specification = Specification { cic_order: order, cic_rate, fir_rate, tap_bits, ..Specification::DEFAULT };
        let layout = TileLayout::new(2, 4, 2).unwrap();
        let stream = noise(seed, groups * ROWS);
        let mut frames = Vec::new();
        let mut engine = ArrayDecimator::new(&Design::with_taps(specification, integers), &layout).unwrap();
        let _ = engine.process(&stream, &mut frames);

        let chain = upsampled_convolution(&taps, &boxes(order, cic_rate), cic_rate as usize);
        let rate = (cic_rate * fir_rate) as usize;
        let shift = order * cic_bits + tap_bits - 23;
        for position in 0..8 {
            // Idle before the first bit: 1 at even times.
            let x = |t: i64| match t {
                t if t < 0 => 1 - 2 * t.rem_euclid(2),
                t => i64::from(stream[t as usize] >> position & 1) * 2 - 1,
            };
            let index = layout.index_of(position).unwrap() as usize;
            prop_assert_eq!(frames.len() / 8, groups * ROWS / rate);
            for (n, frame) in frames.chunks_exact(8).enumerate() {
                let newest = (rate * n + rate - 1) as i64;
                let sum: i64 = chain.iter().zip(0..).map(|(h, j)| h * x(newest - j)).sum();
                prop_assert_eq!(i64::from(frame[index]), round_shift(sum, shift));
            }
        }
    }
}

/// `order` boxes of `rate` ones, convolved.
fn boxes(order: u32, rate: u32) -> Vec<i64> {
    (0..order).fold(vec![1], |taps, _| upsampled_convolution(&vec![1; rate as usize], &taps, 1))
}

/// `slow`, one tap every `rate` samples, convolved with `fast`.
fn upsampled_convolution(slow: &[i64], fast: &[i64], rate: usize) -> Vec<i64> {
    let mut out = vec![0; rate * (slow.len() - 1) + fast.len()];
    for (i, h) in slow.iter().enumerate() {
        for (j, c) in fast.iter().enumerate() {
            out[rate * i + j] += h * c;
        }
    }
    out
}

/// The two engines on a design that both can run are one filter.
#[test]
fn general_engine_equals_the_fast_one() {
    let stream = noise(7, 100 * ROWS * 8);
    let layout = TileLayout::new(8, 8, 8).unwrap();
    let fast = Design::with_taps(Specification::DEFAULT, TAPS.to_vec());
    // 26 tap bits do not split into 16-bit halves, so the general engine must take them; the outputs are the same.
    let scaled = TAPS.iter().map(|h| h << 6).collect();
    let slow = Design::with_taps(Specification { tap_bits: 26, ..Specification::DEFAULT }, scaled);
    let run = |design: &Design| {
        let mut frames = Vec::new();
        let _ = ArrayDecimator::new(design, &layout).unwrap().process(&stream, &mut frames);
        frames
    };
    assert_eq!(run(&fast), run(&slow));
}

#[test]
fn single_stage_equals_the_cic() {
    let stream = noise(9, 50 * ROWS * 128);
    let mut frames = vec![0; 50 * 1024];
    SingleStage::new(32).unwrap().process(&stream, &mut frames);
    for position in 0..1024 {
        let (word, bit) = (position / 32, position % 32);
        let place = 256 * (word / 8) + 8 * bit + word % 8;
        let words: Vec<TimeWord> = (0..50).map(|group| word_of(&stream, 128, group, position)).collect();
        let mut expected = vec![0; 50];
        let _ = Cic::<i32, 4, 32, 1>::new().process_bits(&words, &mut expected);
        let got: Vec<i32> = frames.chunks_exact(1024).map(|frame| frame[place]).collect();
        assert_eq!(got, expected, "channel {position}");
    }
}

/// 32 time samples of one channel out of the rows of a stream.
fn word_of(stream: &[u8], row_bytes: usize, group: usize, position: usize) -> TimeWord {
    let bit =
        |t: usize| u32::from(stream[(ROWS * group + t) * row_bytes + position / 8] >> (position % 8) & 1);
    TimeWord((0..ROWS).fold(0, |word, t| word | bit(t) << t))
}

fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}
