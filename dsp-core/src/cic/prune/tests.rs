//! Pruning against Hogenauer's example, against the unpruned filter, and against its own error model.

use super::super::Cic;
use super::*;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

/// The parameters of Hogenauer's design example: N = 4, R = 25, M = 1, 16 bits in and out. The register growth is 19
/// bits, so the output drops 19; his formula, evaluated apart from this code in floating point, gives these bits.
#[test]
fn hogenauers_design_example() {
    const EXAMPLE: Pruning<4, 25, 1> = match Pruning::hogenauer(19) {
        Ok(pruning) => pruning,
        Err(_) => panic!("19 is within the limit"),
    };
    assert_eq!(EXAMPLE.integrators(), [1, 6, 9, 13]);
    assert_eq!(EXAMPLE.combs(), [14, 15, 16, 17]);
    let (integrators, combs, output) = EXAMPLE.register_bits(16);
    assert_eq!(integrators, [34, 29, 26, 22]);
    assert_eq!((combs, output), ([21, 20, 19, 18], 16));
}

#[test]
fn too_many_dropped_bits_are_refused() {
    let error = Pruning::<4, 32, 1>::hogenauer(63).unwrap_err();
    assert_eq!(error, PruningError { discarded: 63, limit: 62 });
    assert!(Pruning::<4, 32, 1>::hogenauer(62).is_ok());
}

/// The largest filters allowed: overflow checks are on in tests, so the sums stay within 128 bits.
#[test]
fn sums_do_not_overflow_at_the_limits() {
    let long = Pruning::<6, 1024, 1>::hogenauer(40).unwrap();
    let high = Pruning::<8, 234, 1>::hogenauer(62).unwrap();
    for errors in [long.errors(), high.errors()] {
        assert!(errors.mean <= errors.rms && errors.rms <= errors.worst);
    }
}

/// The closed form of the taps equals an impulse run through the stages that follow.
fn taps_match_the_structure<const N: usize, const R: usize, const M: usize>() {
    for stage in 1..=N {
        let mut integrators = vec![0i128; N + 1 - stage];
        let mut lines = vec![vec![0i128; R * M]; N];
        for k in 0..N * (R * M - 1) + stage + 5 {
            let mut value = i128::from(k == 0);
            for sum in &mut integrators {
                *sum += value;
                value = *sum;
            }
            for line in &mut lines {
                let oldest = std::mem::replace(&mut line[k % (R * M)], value);
                value -= oldest;
            }
            let expected = if k < N * (R * M - 1) + stage { value } else { 0 };
            assert_eq!(value, expected, "taps end where they should");
            assert_eq!(Pruning::<N, R, M>::tap(stage, k), value, "stage {stage} tap {k}");
        }
    }
}

#[test]
fn stage_responses() {
    taps_match_the_structure::<1, 4, 1>();
    taps_match_the_structure::<3, 5, 2>();
    taps_match_the_structure::<4, 25, 1>();
    taps_match_the_structure::<8, 3, 1>();
}

/// Errors `unpruned - 2^B_out pruned` for the same input.
fn errors<const N: usize, const R: usize, const M: usize>(
    discarded: u32,
    input: impl Iterator<Item = i32>,
) -> (Pruning<N, R, M>, Vec<i64>) {
    let pruning = Pruning::<N, R, M>::hogenauer(discarded).unwrap();
    let mut full = Cic::<i64, N, R, M>::new();
    let mut pruned = PrunedCic::<i64, N, R, M>::new(pruning);
    let errors = input
        .map(|x| (full.push(x), pruned.push(x)))
        .filter_map(|(exact, short)| Some(exact? - (short? << discarded)))
        .collect();
    (pruning, errors)
}

fn stays_within_the_bound<const N: usize, const R: usize, const M: usize>(input: &[i32]) {
    for discarded in [0, 1, 3, 6, 9, 12, 16] {
        let (pruning, errors) = errors::<N, R, M>(discarded, input.iter().copied());
        let worst = pruning.errors().worst;
        for error in errors {
            assert!((error as f64).abs() <= worst, "{discarded}: {error} over {worst}");
        }
    }
}

proptest! {
    #[test]
    fn error_never_exceeds_the_worst_case(
        input in proptest::collection::vec(-32768i32..32768, 100..600),
        words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 4..30),
    ) {
        let bits: Vec<i32> = words.iter().flat_map(|&word| signs(word.0, 32)).collect();
        for input in [input, bits] {
            stays_within_the_bound::<1, 8, 1>(&input);
            stays_within_the_bound::<2, 2, 1>(&input);
            stays_within_the_bound::<3, 10, 2>(&input);
            stays_within_the_bound::<4, 25, 1>(&input);
            stays_within_the_bound::<4, 32, 1>(&input);
        }
    }

    #[test]
    fn nothing_dropped_is_the_plain_filter(words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1..40)) {
        let pruning = Pruning::<4, 16, 1>::hogenauer(0).unwrap();
        let mut pruned = PrunedCic::<i32, 4, 16, 1>::new(pruning);
        let mut plain = Cic::<i32, 4, 16, 1>::new();
        let (mut a, mut b) = (vec![0; 2 * words.len()], vec![0; 2 * words.len()]);
        let expected = plain.process_bits(&words, &mut a);
        prop_assert_eq!(pruned.process_bits(&words, &mut b), expected);
        prop_assert_eq!(a, b);
        prop_assert_eq!(pruning.errors(), PruningErrors { worst: 0.0, mean: 0.0, rms: 0.0 });
    }

    /// 32-bit registers wrap where 64-bit ones do not; the low-bit truncation must not notice.
    #[test]
    fn forms_widths_and_chunks_agree(
        words in proptest::collection::vec(any::<u32>().prop_map(TimeWord), 1..200),
        cut in 0usize..200,
    ) {
        let pruning = Pruning::<5, 20, 1>::hogenauer(12).unwrap();
        let input: Vec<i32> = words.iter().flat_map(|&word| signs(word.0, 32)).collect();
        let mut wide = PrunedCic::<i64, 5, 20, 1>::new(pruning);
        let expected: Vec<i64> = input.iter().filter_map(|&x| wide.push(x)).collect();

        let mut narrow = PrunedCic::<i32, 5, 20, 1>::new(pruning);
        let mut output = vec![0i32; expected.len()];
        let cut = cut.min(words.len());
        let head = narrow.process_bits(&words[..cut], &mut output);
        let tail = narrow.process(&input[32 * cut..], &mut output[head.produced..]);
        prop_assert_eq!(head.consumed, cut);
        prop_assert_eq!(tail.consumed, input.len() - 32 * cut);
        prop_assert!(output.iter().map(|&y| i64::from(y)).eq(expected));

        narrow.reset();
        prop_assert_eq!(narrow, PrunedCic::new(pruning));
    }
}

/// White uniform input of 16 bits from a xorshift generator.
fn noise() -> impl Iterator<Item = i32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    core::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 48) as i32 - 32768
    })
}

/// Mean and RMS of the error over `n` outputs against the model.
///
/// An output shares stage errors with the `L = N M` outputs on either side. So the variance over n
/// outputs is known to a relative deviation of at most sqrt(2 (2L + 1) / n), and its square root to
/// half that; the mean to sqrt((2L + 1) / n) of the deviation. Five deviations are allowed.
fn follows_the_model<const N: usize, const R: usize, const M: usize>(discarded: u32) {
    let n = 20_000;
    let (pruning, errors) = errors::<N, R, M>(discarded, noise().take(n * R));
    let errors = &errors[2 * N * M..];
    let n = errors.len() as f64;
    let mean = errors.iter().map(|&e| e as f64).sum::<f64>() / n;
    let rms = libm::sqrt(errors.iter().map(|&e| (e * e) as f64).sum::<f64>() / n);
    let model = pruning.errors();
    let shared = (2 * N * M + 1) as f64;
    let deviation = libm::sqrt(model.rms * model.rms - model.mean * model.mean);
    assert!(
        (mean - model.mean).abs() < 5.0 * deviation * libm::sqrt(shared / n),
        "mean {mean}, model {}",
        model.mean
    );
    assert!(
        (rms / model.rms - 1.0).abs() < 5.0 * libm::sqrt(2.0 * shared / n) / 2.0,
        "rms {rms}, model {}",
        model.rms
    );
    // Hogenauer's aim: the stages together add no more than the output's own truncation.
    let output = libm::ldexp(1.0, discarded as i32) / libm::sqrt(12.0);
    assert!(deviation <= core::f64::consts::SQRT_2 * output);
}

#[test]
fn error_of_noise_follows_the_model() {
    follows_the_model::<2, 8, 1>(8);
    follows_the_model::<3, 10, 2>(14);
    follows_the_model::<4, 25, 1>(19);
    follows_the_model::<4, 32, 1>(10);
    follows_the_model::<5, 8, 1>(15);
}
