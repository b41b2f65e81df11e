//! Bit identity of the CIC's input forms with its definition, settling, growth and response.

use super::*;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

/// The equivalent FIR by multiplying out the polynomial `(1 + z^-1 + ...)^N`.
fn boxcar_power(n: usize, length: usize) -> Vec<i64> {
    (0..n).fold(vec![1], |taps: Vec<i64>, _| {
        let mut wider = vec![0; taps.len() + length - 1];
        for (k, tap) in taps.iter().enumerate() {
            for slot in &mut wider[k..k + length] {
                *slot += tap;
            }
        }
        wider
    })
}

/// Every `R`-th sample of the direct convolution with zero history.
fn convolve(taps: &[i64], input: &[i32], r: usize) -> Vec<i64> {
    (r..=input.len())
        .step_by(r)
        .map(|end| {
            let past = input[..end].iter().rev();
            past.zip(taps).map(|(&x, h)| i64::from(x) * h).sum()
        })
        .collect()
}

fn unpack(words: &[TimeWord]) -> Vec<i32> {
    words.iter().flat_map(|&word| signs(word.0, 32)).collect()
}

fn wide<A: Register>(values: &[A]) -> Vec<i64> {
    values.iter().map(|&y| y.into()).collect()
}

/// Feeds `input` in pieces of the given sizes with an output buffer of `room` and collects everything.
fn in_pieces<A: Register, T>(
    input: &[T],
    sizes: &[usize],
    room: usize,
    mut process: impl FnMut(&[T], &mut [A]) -> Progress,
) -> Vec<i64> {
    let (mut at, mut all) = (0, Vec::new());
    for &size in sizes.iter().cycle() {
        let end = input.len().min(at + size);
        let mut output = vec![A::ZERO; room];
        let progress = process(&input[at..end], &mut output);
        all.extend(wide(&output[..progress.produced]));
        at += progress.consumed;
        if at == input.len() {
            return all;
        }
    }
    all
}

/// Per sample = slice = packed = direct convolution, whole and in pieces.
fn forms_agree<A: Register, const N: usize, const R: usize, const M: usize>(
    words: &[TimeWord],
    sizes: &[usize],
) {
    let input = unpack(words);
    let expected = convolve(&boxcar_power(N, R * M), &input, R);
    let fresh = Cic::<A, N, R, M>::new;

    let mut cic = fresh();
    let pushed: Vec<A> = input.iter().filter_map(|&x| cic.push(x)).collect();
    assert_eq!(wide(&pushed), expected);

    let mut cic = fresh();
    assert_eq!(in_pieces(&input, sizes, 3, |x, y| cic.process(x, y)), expected);

    // A word gives up to ceil(32 / R) outputs from any phase; one more makes the room uneven.
    let mut cic = fresh();
    let room = 32usize.div_ceil(R) + 1;
    assert_eq!(in_pieces(words, sizes, room, |x, y| cic.process_bits(x, y)), expected);

    let mut settled = fresh().skip_settling();
    let skipped = in_pieces(words, sizes, room, |x, y| settled.process_bits(x, y));
    assert_eq!(skipped, expected[expected.len().min(Cic::<A, N, R, M>::SETTLING)..]);
}

fn wide_input_agrees<A: Register, const N: usize, const R: usize, const M: usize>(input: &[i32]) {
    let unused = 32 - Cic::<A, N, R, M>::MAX_INPUT_BITS.min(32);
    let input: Vec<i32> = input.iter().map(|x| x >> unused).collect();
    let mut cic = Cic::<A, N, R, M>::for_input_bits(32 - unused).unwrap();
    let mut output = vec![A::ZERO; input.len() / R];
    let progress = cic.process(&input, &mut output);
    assert_eq!((progress.consumed, progress.produced), (input.len(), output.len()));
    assert_eq!(wide(&output), convolve(&boxcar_power(N, R * M), &input, R));
}

proptest! {
    #[test]
    fn one_bit_forms_are_bit_identical(
        words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1..40),
        sizes in proptest::collection::vec(1usize..20, 1..6),
    ) {
        forms_agree::<i32, 1, 1, 1>(&words, &sizes);
        forms_agree::<i32, 1, 7, 2>(&words, &sizes);
        forms_agree::<i32, 2, 3, 1>(&words, &sizes);
        forms_agree::<i32, 3, 10, 2>(&words, &sizes);
        forms_agree::<i32, 4, 16, 1>(&words, &sizes);
        forms_agree::<i32, 4, 32, 1>(&words, &sizes);
        forms_agree::<i32, 5, 8, 1>(&words, &sizes);
        forms_agree::<i64, 4, 32, 1>(&words, &sizes);
        forms_agree::<i64, 6, 64, 1>(&words, &sizes);
        forms_agree::<i64, 3, 50, 3>(&words, &sizes);
    }

    #[test]
    fn the_widest_input_is_exact(input in proptest::collection::vec(any::<i32>(), 0..400)) {
        wide_input_agrees::<i32, 1, 1, 1>(&input);
        wide_input_agrees::<i32, 3, 5, 2>(&input);
        wide_input_agrees::<i32, 4, 32, 1>(&input);
        wide_input_agrees::<i64, 4, 16, 1>(&input);
        wide_input_agrees::<i64, 6, 64, 1>(&input);
    }

    #[test]
    fn a_phase_set_by_single_samples_does_not_disturb_the_packed_form(
        words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1..20),
        head in 1usize..32,
    ) {
        let all = unpack(&words);
        let shifted: Vec<TimeWord> = all[head..]
            .chunks_exact(32)
            .map(|bits| bits.iter().rev().fold(0, |word, &x| word << 1 | u32::from(x > 0)))
            .map(TimeWord)
            .collect();
        let mut cic = Cic::<i32, 3, 32, 1>::new();
        let mut output: Vec<i32> = all[..head].iter().filter_map(|&x| cic.push(x)).collect();
        let mut rest = vec![0; words.len()];
        let progress = cic.process_bits(&shifted, &mut rest);
        output.extend(&rest[..progress.produced]);
        let taken = head + 32 * shifted.len();
        prop_assert_eq!(wide(&output), convolve(&boxcar_power(3, 32), &all[..taken], 32));
    }
}

/// The integrators wrap thousands of times here; the output of a constant is the gain all the same.
#[test]
fn a_constant_gives_the_gain_for_ever() {
    type Filter = Cic<i32, 4, 32, 1>;
    let mut cic = Filter::new().skip_settling();
    let mut output = [0i32; 4096];
    for _ in 0..100 {
        let progress = cic.process_bits(&[TimeWord(u32::MAX); 4096], &mut output);
        let settled = &output[..progress.produced];
        assert!(settled.iter().all(|&y| i64::from(y) == Filter::GAIN));
    }
    let lowest = -(1 << (Filter::MAX_INPUT_BITS - 1));
    let mut cic = Filter::for_input_bits(Filter::MAX_INPUT_BITS).unwrap().skip_settling();
    let outputs = (0..1_000_000).filter_map(|_| cic.push(lowest));
    assert!(outputs.map(i64::from).all(|y| y == i64::from(lowest) * Filter::GAIN));
}

#[test]
fn growth_rule() {
    assert_eq!(Cic::<i32, 4, 32, 1>::MAX_INPUT_BITS, 12);
    assert_eq!(Cic::<i64, 5, 10, 1>::MAX_INPUT_BITS, 64 - 17);
    assert_eq!(Cic::<i32, 1, 1, 1>::MAX_INPUT_BITS, 32);
    let refused = Cic::<i32, 4, 32, 1>::for_input_bits(13);
    let error = GrowthError { input_bits: 13, max_input_bits: 12 };
    assert_eq!(refused, Err(error));
    assert_eq!(std::format!("{error}"), "CIC input of 13 bits; its registers take 12 at most");
}

#[test]
fn taps_are_the_boxcar_power() {
    const DEFAULT: [i64; 125] = Cic::<i32, 4, 32, 1>::taps();
    assert_eq!(DEFAULT.to_vec(), boxcar_power(4, 32));
    assert_eq!(DEFAULT.iter().sum::<i64>(), Cic::<i32, 4, 32, 1>::GAIN);
    assert_eq!(Cic::<i64, 5, 8, 2>::taps::<76>().to_vec(), boxcar_power(5, 16));
    assert_eq!(Cic::<i32, 3, 1, 1>::taps::<1>(), [1]);
}

/// Exactly the first SETTLING outputs change when the sample just before the start changes.
fn settling_is_exact<const N: usize, const R: usize, const M: usize>() {
    let run = |before: i32| -> Vec<i32> {
        let mut cic = Cic::<i32, N, R, M>::new();
        let history = (1..R).map(|_| 0).chain([before]);
        let silence = (0..R * (N * M + 2)).map(|_| 0);
        history.chain(silence).filter_map(|x| cic.push(x)).skip(1).collect()
    };
    let differ: Vec<bool> = run(0).iter().zip(run(1)).map(|(&a, b)| a != b).collect();
    let settled_from = differ.iter().rposition(|&d| d).map_or(0, |last| last + 1);
    assert_eq!(settled_from, Cic::<i32, N, R, M>::SETTLING);
}

#[test]
fn settling_counts_the_outputs_that_see_the_past() {
    settling_is_exact::<1, 8, 1>();
    settling_is_exact::<4, 32, 1>();
    settling_is_exact::<5, 8, 1>();
    settling_is_exact::<3, 2, 3>();
    settling_is_exact::<5, 3, 1>();
    settling_is_exact::<3, 4, 2>();
}

#[test]
fn reset_returns_to_rest_and_keeps_the_settling_choice() {
    for fresh in [Cic::<i32, 3, 5, 2>::new(), Cic::new().skip_settling()] {
        let mut cic = fresh.clone();
        let mut output = [0; 64];
        let _ = cic.process_bits(&[TimeWord(0x1234_5678); 3], &mut output);
        assert_ne!(cic, fresh);
        cic.reset();
        assert_eq!(cic, fresh);
    }
}

#[test]
fn a_full_output_loses_nothing() {
    let mut cic = Cic::<i32, 2, 8, 1>::new();
    let before = cic.clone();
    let progress = cic.process_bits(&[TimeWord(u32::MAX)], &mut [0; 3]);
    assert_eq!((progress, &cic), (Progress::default(), &before));
    let progress = cic.process(&[1; 8], &mut []);
    assert_eq!((progress, &cic), (Progress::default(), &before));
    let progress = cic.process(&[1; 7], &mut []);
    assert_eq!((progress.consumed, progress.produced), (7, 0));
}

/// `|sum_k h[k] exp(-j 2 pi f k)| / G` from the taps.
fn magnitude_of_taps(taps: &[i64], f: f64) -> f64 {
    let (re, im) = taps.iter().enumerate().fold((0.0, 0.0), |(re, im), (k, &h)| {
        let angle = 2.0 * core::f64::consts::PI * f * k as f64;
        (re + h as f64 * libm::cos(angle), im - h as f64 * libm::sin(angle))
    });
    libm::hypot(re, im) / taps.iter().sum::<i64>() as f64
}

#[test]
fn magnitude_is_that_of_the_taps() {
    let taps = boxcar_power(4, 16);
    for step in 0..=512 {
        let f = f64::from(step) / 512.0;
        // The sum's angles reach 2 pi * 61 < 512 and are rounded to 512 * 2^-53.
        let error = Cic::<i32, 4, 8, 2>::magnitude(f) - magnitude_of_taps(&taps, f);
        assert!(error.abs() < 512.0 * f64::EPSILON, "{f}: {error:e}");
    }
    // METHODS: order 4 by 16 at 1.5 MHz lets 75 kHz (folding onto 18 kHz) through at -52 dB.
    let alias = 20.0 * libm::log10(Cic::<i32, 4, 16, 1>::magnitude(75_750.0 / 1.5e6));
    assert!((-53.0..-51.0).contains(&alias), "{alias}");
}
