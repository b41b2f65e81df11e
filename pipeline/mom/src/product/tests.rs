//! Against the definition, on every instruction set, with dirty memory and edges of all kinds.

use super::*;
use crate::tests::archs;

type C = Complex<f64>;

/// Entries in a square of side 2, without order.
fn entries(count: usize, seed: f64) -> Vec<C> {
    let part = |at: f64| ((at * 12.9898 + seed).sin() * 43758.5453).fract();
    (0..count).map(|i| C::new(part(i as f64), part(i as f64 + 0.5))).collect()
}

fn short<P: Part>(values: &[C], part: impl Fn(f64) -> P) -> Vec<Complex<P>> {
    values.iter().map(|value| Complex { re: part(value.re), im: part(value.im) }).collect()
}

/// Takes a product between `TOP` rows of no numbers on both sides, which no one may touch; memory of the left factor is dirty after the first time.
fn take<P: Part>(
    left: &mut Left<P>,
    [a, b, c]: [&[Complex<P>]; 3],
    [rows, depth, columns]: [usize; 3],
    nan: P,
) -> Vec<Complex<P>> {
    const TOP: usize = 3;
    let nothing = Complex { re: nan, im: nan };
    left.pack(&(0..depth).map(|k| &a[k * rows..][..rows]).collect::<Vec<_>>());
    let mut padded = vec![nothing; (rows + 2 * TOP) * columns];
    for (to, from) in padded.chunks_mut(rows + 2 * TOP).zip(c.chunks(rows.max(1))) {
        to[TOP..TOP + rows].copy_from_slice(from);
    }
    let mut from: Vec<_> =
        padded.chunks_mut(rows + 2 * TOP).map(|column| &mut column[TOP..][..rows]).collect();
    left.take(&mut from, &(0..columns).map(|j| &b[j * depth..][..depth]).collect::<Vec<_>>());
    let mut result = Vec::new();
    for column in padded.chunks(rows + 2 * TOP) {
        let outside = column[..TOP].iter().chain(&column[TOP + rows..]);
        outside.for_each(|value| {
            assert!([value.re, value.im].iter().all(|part| part.partial_cmp(part).is_none()))
        });
        result.extend_from_slice(&column[TOP..TOP + rows]);
    }
    result
}

/// C - A B by the definition, and the sums of moduli that its rounding is measured by.
fn defined([a, b, c]: [&[C]; 3], [rows, depth, columns]: [usize; 3]) -> Vec<(C, f64)> {
    let entry = |at: usize| {
        let (i, j) = (at % rows, at / rows);
        let terms = (0..depth).map(|k| (a[k * rows + i], b[j * depth + k]));
        let start = (c[at], c[at].norm());
        terms.fold(start, |(value, moduli), (a, b)| (value - a * b, moduli + a.norm() * b.norm()))
    };
    (0..rows * columns).map(entry).collect()
}

/// Rounding of the product, as derived above, both parts together, and as much for the definition's: 2 sqrt(1 + 9) (K + 4) u < 4 (K + 4) EPSILON.
fn allowed(depth: usize, epsilon: f64) -> f64 {
    4.0 * (depth + 4) as f64 * epsilon
}

const SIZES: [[usize; 3]; 12] = [
    [0, 5, 3],
    [5, 0, 3],
    [5, 3, 0],
    [1, 1, 1],
    [2, 1, 13],
    [15, 7, 11],
    [16, 8, 12],
    [17, 9, 13],
    [64, 64, 24],
    [65, 65, 25],
    [131, 40, 241],
    [300, 130, 20],
];

#[test]
fn products_are_those_of_the_definition() {
    for arch in archs() {
        let (mut left, mut left_short) = (Left::<f64>::new(arch), Left::<f32>::new(arch));
        for sizes in SIZES {
            let [rows, depth, columns] = sizes;
            let matrices =
                [entries(rows * depth, 1.0), entries(depth * columns, 2.0), entries(rows * columns, 3.0)];
            // Numbers that 32 bits hold: one definition is that of both.
            let matrices = matrices.map(|m| {
                m.iter().map(|z| C::new((z.re as f32).into(), (z.im as f32).into())).collect::<Vec<C>>()
            });
            let matrices = matrices.each_ref().map(|m| &m[..]);
            let shorts = matrices.map(|m| short(m, |x| x as f32));
            let found = take(&mut left, matrices, sizes, f64::NAN);
            let found_short = take(&mut left_short, shorts.each_ref().map(|m| &m[..]), sizes, f32::NAN);
            let expected = defined(matrices, sizes);
            assert_eq!([found.len(), found_short.len()], [expected.len(); 2]);
            let pairs = found.iter().zip(found_short.iter().map(|z| C::new(z.re.into(), z.im.into())));
            for ((found, found_short), (value, moduli)) in pairs.zip(expected) {
                let (error, error_short) = ((found - value).norm(), (found_short - value).norm());
                assert!(error <= allowed(depth, f64::EPSILON) * moduli, "{arch:?} {sizes:?}: {error:e}");
                assert!(
                    error_short <= allowed(depth, f32::EPSILON.into()) * moduli,
                    "{arch:?} {sizes:?}: {error_short:e}"
                );
            }
        }
    }
}

#[test]
fn a_column_has_the_same_bits_alone_and_among_others() {
    let sizes @ [rows, depth, columns] = [70, 33, 29];
    let (a, b, c) = (entries(rows * depth, 1.0), entries(depth * columns, 2.0), entries(rows * columns, 3.0));
    for arch in archs() {
        let mut left = Left::new(arch);
        let all = take(&mut left, [&a, &b, &c], sizes, f64::NAN);
        for j in 0..columns {
            let (b, c) = (&b[j * depth..(j + 1) * depth], &c[j * rows..(j + 1) * rows]);
            let alone = take(&mut left, [&a, b, c], [rows, depth, 1], f64::NAN);
            assert_eq!(alone, all[j * rows..(j + 1) * rows]);
        }
    }
}

/// What is no number or infinite stays in its row of the left and its column of the right factor.
#[test]
fn what_is_no_number_is_seen_and_goes_nowhere_else() {
    let sizes @ [rows, depth, columns] = [21, 9, 14];
    let (a, b, c) = (entries(rows * depth, 1.0), entries(depth * columns, 2.0), entries(rows * columns, 3.0));
    for arch in archs() {
        let mut left = Left::new(arch);
        let before = take(&mut left, [&a, &b, &c], sizes, f64::NAN);
        for bad in [f64::NAN, f64::INFINITY] {
            let (mut a, mut b) = (a.clone(), b.clone());
            (a[4 * rows + 18].im, b[12 * depth + 3].re) = (bad, bad);
            let after = take(&mut left, [&a, &b, &c], sizes, f64::NAN);
            for (at, (before, after)) in before.iter().zip(&after).enumerate() {
                let touched = at % rows == 18 || at / rows == 12;
                assert!(if touched { !after.is_finite() } else { after == before }, "{arch:?} {at}: {after}");
            }
        }
    }
}

/// Real matrices stay real and nothing takes nothing, to the last bit: a row or column of zeros stays one.
#[test]
fn products_of_real_matrices_are_real() {
    let sizes @ [rows, depth, columns] = [40, 31, 17];
    let real = |values: Vec<C>| -> Vec<C> { values.iter().map(|value| value.re.into()).collect() };
    let (a, c) = (real(entries(rows * depth, 1.0)), real(entries(rows * columns, 3.0)));
    let mut b = real(entries(depth * columns, 2.0));
    b[5 * depth..6 * depth].fill(C::ZERO);
    for arch in archs() {
        let found = take(&mut Left::new(arch), [&a, &b, &c], sizes, f64::NAN);
        assert!(found.iter().all(|value| value.im == 0.0));
        assert_eq!(found[5 * rows..6 * rows], c[5 * rows..6 * rows]);
        assert!(found[4 * rows..5 * rows] != c[4 * rows..5 * rows]);
    }
}
