use super::*;
use proptest::prelude::*;
use std::vec::Vec;

/// The definition with i128 sums; history of zeros.
fn direct(taps: &[i32], rate: usize, shift: u32, x: &[i32]) -> Vec<i32> {
    (rate - 1..x.len())
        .step_by(rate)
        .map(|newest| {
            let sum: i128 = taps
                .iter()
                .enumerate()
                .filter(|(j, _)| *j <= newest)
                .map(|(j, h)| i128::from(*h) * i128::from(x[newest - j]))
                .sum();
            let rounded = if shift == 0 { sum } else { (sum + (1 << (shift - 1))) >> shift };
            rounded.clamp(i32::MIN.into(), i32::MAX.into()) as i32
        })
        .collect()
}

fn run<T: Sample, F: Form, const N: usize>(taps: [T; N], rate: usize, shift: u32, x: &[T]) -> Vec<T> {
    let fir = Fir::<T, F, N>::new(taps, rate, shift).unwrap();
    let mut delay = Delay::new();
    let mut out = std::vec![T::default(); x.len() / rate];
    let progress = fir.process(&mut delay, x, &mut out);
    assert_eq!(progress.produced, out.len());
    out
}

fn symmetric<const N: usize>(half: &[i32]) -> [i32; N] {
    core::array::from_fn(|j| half[j.min(N - 1 - j)])
}

proptest! {
    #[test]
    fn q31_matches_the_definition(
        taps in prop::array::uniform13(-(1 << 27)..1i32 << 27), rate in 1usize..7, shift in 0u32..32,
        x in prop::collection::vec(any::<i32>(), 0..100),
    ) {
        prop_assert_eq!(run::<_, Direct, 13>(taps, rate, shift, &x), direct(&taps, rate, shift, &x));
    }

    #[test]
    fn q15_matches_the_definition(
        taps in prop::array::uniform9(any::<i16>()), x in prop::collection::vec(any::<i16>(), 0..100),
    ) {
        let wide: Vec<i32> = x.iter().map(|&v| v.into()).collect();
        let expected: Vec<i32> = direct(&taps.map(i32::from), 3, 15, &wide)
            .into_iter().map(|y| y.clamp(-32768, 32767)).collect();
        let got: Vec<i32> = run::<_, Direct, 9>(taps, 3, 15, &x).into_iter().map(i32::from).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn symmetric_and_half_band_are_the_same_filter(
        half in prop::collection::vec(-(1 << 25)..1i32 << 25, 8),
        x in prop::collection::vec(any::<i32>(), 0..100),
    ) {
        let even: [i32; 16] = symmetric(&half);
        prop_assert_eq!(run::<_, Symmetric, 16>(even, 4, 20, &x), run::<_, Direct, 16>(even, 4, 20, &x));
        let odd: [i32; 15] = symmetric(&half);
        prop_assert_eq!(run::<_, Symmetric, 15>(odd, 4, 20, &x), run::<_, Direct, 15>(odd, 4, 20, &x));
        let mut sparse = odd;
        for j in (1..15).step_by(2).filter(|&j| j != 7) {
            sparse[j] = 0;
        }
        prop_assert_eq!(run::<_, HalfBand, 15>(sparse, 2, 20, &x), run::<_, Direct, 15>(sparse, 2, 20, &x));
    }

    #[test]
    fn floats_match_to_rounding(
        half in prop::collection::vec(-1f32..1.0, 6), x in prop::collection::vec(-1f32..1.0, 11..60),
    ) {
        let taps: [f32; 11] = core::array::from_fn(|j| half[j.min(10 - j)]);
        let exact = run::<f64, Direct, 11>(taps.map(f64::from), 1, 0, &x.iter().map(|&v| v.into()).collect::<Vec<_>>());
        // T products and T sums, each rounded by at most eps/2 of a running sum of at most T: under 2 T (T + 1) eps/2.
        let bound = 11.0 * 12.0 * f64::from(f32::EPSILON);
        for y in [run::<f32, Direct, 11>(taps, 1, 0, &x), run::<f32, Symmetric, 11>(taps, 1, 0, &x)] {
            for (a, b) in y.iter().zip(&exact) {
                prop_assert!((f64::from(*a) - b).abs() <= bound);
            }
        }
    }

    #[test]
    fn cuts_do_not_matter(x in prop::collection::vec(any::<i32>(), 50), cut in 0usize..50) {
        let taps = [1 << 20, -3 << 20, 7 << 18];
        let fir = Fir::<i32, Direct, 3>::new(taps, 4, 20).unwrap();
        let (mut delay, mut out) = (Delay::new(), [0; 12]);
        let first = fir.process(&mut delay, &x[..cut], &mut out);
        let _ = fir.process(&mut delay, &x[cut..], &mut out[first.produced..]);
        prop_assert_eq!(out.to_vec(), direct(&taps, 4, 20, &x));
    }
}

#[test]
fn a_short_output_stops_the_input_without_loss() {
    let fir = Fir::<i32, Direct, 1>::new([1], 2, 0).unwrap();
    let (mut delay, mut out) = (Delay::new(), [0; 1]);
    let first = fir.process(&mut delay, &[1, 2, 3, 4], &mut out);
    assert_eq!((first, out), (Progress { consumed: 3, produced: 1 }, [2]));
    let second = fir.process(&mut delay, &[4], &mut out);
    assert_eq!((second, out), (Progress { consumed: 1, produced: 1 }, [4]));
}

#[test]
fn wrong_filters_are_refused() {
    assert_eq!(Fir::<i32, Direct, 0>::new([], 1, 0).err(), Some(FirError::Empty));
    assert_eq!(Fir::<i32, Direct, 1>::new([1], 0, 0).err(), Some(FirError::Empty));
    assert_eq!(Fir::<i32, Symmetric, 2>::new([1, 2], 1, 0).err(), Some(FirError::WrongForm));
    assert_eq!(Fir::<i32, HalfBand, 3>::new([1, 2, 3], 1, 0).err(), Some(FirError::WrongForm));
    assert_eq!(Fir::<i32, HalfBand, 5>::new([1, 0, 2, 0, 1], 1, 0).err(), Some(FirError::WrongForm));
    assert_eq!(Fir::<i32, Direct, 3>::new([i32::MIN; 3], 1, 31).err(), Some(FirError::Overflow));
    assert_eq!(Fir::<f32, Direct, 1>::new([f32::NAN], 1, 0).err(), Some(FirError::Overflow));
}
