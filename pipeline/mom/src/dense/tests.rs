//! Against definitions, on every instruction set, at sizes around those of registers, blocks and panels.

use super::orthogonal::{Qr, singular};
use super::panel::{exchange, factor};
use super::triangle::{adjoint, lower, upper};
use super::*;
use crate::tests::archs;

/// Entries in a square of side 2, without order.
fn entry(i: usize, j: usize) -> C {
    let part = |at: f64| (at.sin() * 43758.5453).fract();
    C::new(part(i as f64 * 12.9898 + j as f64 * 78.233), part(i as f64 * 39.346 - j as f64 * 11.135 + 1.0))
}

fn norm(column: &[C]) -> f64 {
    column.iter().map(C::norm_sqr).sum::<f64>().sqrt()
}

/// Of entries that 32 bits hold, in both precisions.
fn both(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> C) -> (Matrix<C>, Matrix<Complex<f32>>) {
    let short = |z: C| Complex::new(z.re as f32, z.im as f32);
    let long = |z: Complex<f32>| C::new(z.re.into(), z.im.into());
    let shorts = Matrix::of(rows, columns, |i, j| short(entry(i, j)));
    (Matrix::of(rows, columns, |i, j| long(shorts.columns()[j][i])), shorts)
}

/// Roundings of a sum of `terms` products in one of three orders, and as many of the definition's.
fn allowed(terms: usize, epsilon: f64) -> f64 {
    4.0 * (terms + 4) as f64 * epsilon
}

/// Y - A X with A in all forms; entries above and below the rows are no numbers, and stay so.
#[test]
fn products_are_those_of_the_definition() {
    let sizes = [[1, 1, 1], [3, 0, 2], [7, 5, 3], [16, 4, 4], [33, 19, 1], [35, 20, 6], [70, 41, 9]];
    let forms = [Form::Plain, Form::Transpose, Form::Adjoint, Form::Conjugate];
    for ([rows_of, terms, count], form) in sizes.into_iter().flat_map(|size| forms.map(|form| (size, form))) {
        let turned = matches!(form, Form::Transpose | Form::Adjoint);
        let a = if turned { Matrix::of(terms, rows_of, entry) } else { Matrix::of(rows_of, terms, entry) };
        let (x, y) = (Matrix::of(terms, count, |i, j| entry(j, i + 9)), Matrix::of(rows_of, count, entry));
        let (a, x, y) = (a.columns(), x.columns(), y.columns());
        let x = if terms == 0 { vec![&[][..]; count] } else { x };
        let of_a = |i: usize, k: usize| match form {
            Form::Plain => a[k][i],
            Form::Transpose => a[i][k],
            Form::Adjoint => a[i][k].conj(),
            Form::Conjugate => a[k][i].conj(),
        };
        let nan = C::new(f64::NAN, f64::NAN);
        let inside = |i: usize| (2..rows_of + 2).contains(&i);
        let mut found = Matrix::of(rows_of + 4, count, |i, j| if inside(i) { y[j][i - 2] } else { nan });
        let mut columns = found.columns_mut();
        take_product(&mut split(&mut split(&mut columns, 2).1, rows_of).0, form, &a, &x);
        for (j, column) in found.columns().into_iter().enumerate() {
            assert!(column.iter().enumerate().all(|(i, value)| inside(i) == value.is_finite()));
            for (i, value) in column[2..rows_of + 2].iter().enumerate() {
                let expected = (0..terms).fold(y[j][i], |value, k| value - of_a(i, k) * x[j][k]);
                let moduli = (0..terms).fold(y[j][i].norm(), |m, k| m + of_a(i, k).norm() * x[j][k].norm());
                let error = (value - expected).norm();
                assert!(
                    error <= allowed(terms, f64::EPSILON) * moduli,
                    "{form:?} {rows_of} {terms}: {error:e}"
                );
            }
        }
    }
}

/// b - T x is some roundings of |T| |x|, row by row (Higham, theorem 8.5).
#[test]
fn substitution_leaves_roundings() {
    fn check<P: Part>(
        solve: impl Fn(&[&[Complex<P>]], &mut [&mut [Complex<P>]], &mut Products<P>),
        of_solution: impl Fn(Complex<P>) -> C,
        (t, b): (&Matrix<Complex<P>>, &Matrix<Complex<P>>),
        triangle: impl Fn(usize, usize) -> C,
        arch: Arch,
        epsilon: f64,
    ) {
        let mut solved = b.clone();
        let mut columns = solved.columns_mut();
        solve(&t.columns(), &mut columns, &mut Products::new(arch, b.columns().len()));
        for (x, b) in solved.columns().into_iter().zip(b.columns()) {
            let x: Vec<C> = x.iter().map(|x| of_solution(*x)).collect();
            for (i, b) in b.iter().enumerate() {
                let terms = x.iter().enumerate().map(|(k, x)| (triangle(i, k), x));
                let (rest, moduli) = terms.fold((of_solution(*b), 0.0), |(rest, moduli), (t, x)| {
                    (rest - t * x, moduli + t.norm() * x.norm())
                });
                let limit = allowed(x.len(), epsilon) * (moduli + of_solution(*b).norm());
                assert!(rest.norm() <= limit, "{arch:?} {}: {:e} of {limit:e}", x.len(), rest.norm());
            }
        }
    }
    let sizes = [1, 2, 15, 16, 31, 32, 33, 64, 90].into_iter();
    for ((size, count), arch) in sizes
        .flat_map(|size| [1, 3, 4, 9, 17].map(|count| (size, count)))
        .flat_map(|s| archs().into_iter().map(move |a| (s, a)))
    {
        // Small entries beside the diagonal: solutions stay small.
        let small = |i: usize, j: usize| {
            entry(i, j) * if i == j { 1.0 } else { 1.0 / size as f64 } + if i == j { 2.0 } else { 0.0 }
        };
        let ((t, t_short), (b, b_short)) =
            (both(size, size, small), both(size, count, |i, j| entry(j + 5, i)));
        let columns = t.columns();
        let of_lower = |i: usize, k: usize| match i.cmp(&k) {
            std::cmp::Ordering::Greater => columns[k][i],
            std::cmp::Ordering::Equal => C::ONE,
            std::cmp::Ordering::Less => C::ZERO,
        };
        let of_upper = |i: usize, k: usize| if i <= k { columns[k][i] } else { C::ZERO };
        let long = |z: Complex<f32>| C::new(z.re.into(), z.im.into());
        check(lower, |z| z, (&t, &b), of_lower, arch, f64::EPSILON);
        check(upper, |z| z, (&t, &b), of_upper, arch, f64::EPSILON);
        check(lower, long, (&t_short, &b_short), of_lower, arch, f32::EPSILON.into());
        check(upper, long, (&t_short, &b_short), of_upper, arch, f32::EPSILON.into());
        let one_by_one =
            |t: &[&[C]], x: &mut [&mut [C]], _: &mut Products<f64>| x.iter_mut().for_each(|x| adjoint(t, x));
        // (L U)^H, whose entries are sums.
        let of_product =
            |i: usize, k: usize| (0..size).map(|m| of_lower(k, m) * of_upper(m, i)).sum::<C>().conj();
        check(one_by_one, |z| z, (&t, &b), of_product, arch, 4.0 * f64::EPSILON);
    }
}

/// P A - L U is some roundings of |L| |U|, entry by entry (Higham, theorem 9.3); factors of L are no greater
/// than sqrt(2), since the pivots are the greatest by sums of parts.
#[test]
fn panels_are_factored_to_rounding() {
    for (arch, width) in
        archs().into_iter().flat_map(|arch| [1, 3, 4, 5, 8, 13, 40, 64].map(|width| (arch, width)))
    {
        for size in [width, width + 1, 3 * width + 5] {
            let a = Matrix::of(size, width, |i, j| if i == j { C::ZERO } else { entry(i, j) });
            let (mut factors, mut moved) = (a.clone(), a);
            let swaps = factor(&mut factors.columns_mut(), &mut Products::new(arch, width));
            assert!(
                swaps.len() == width && swaps.iter().enumerate().all(|(i, swap)| (i..size).contains(swap))
            );
            exchange(&mut moved.columns_mut(), &swaps);
            let (factors, moved) = (factors.columns(), moved.columns());
            let l = |i: usize, k: usize| if i == k { C::ONE } else { factors[k][i] };
            for (j, i) in (0..width).flat_map(|j| (0..size).map(move |i| (j, i))) {
                assert!(i <= j || factors[j][i].norm() <= 2f64.sqrt() * (1.0 + 4.0 * f64::EPSILON));
                let terms = (0..=i.min(j)).map(|k| (l(i, k), factors[j][k]));
                let (rest, moduli) = terms
                    .fold((moved[j][i], moved[j][i].norm()), |(rest, moduli), (l, u)| {
                        (rest - l * u, moduli + l.norm() * u.norm())
                    });
                let limit = allowed(width, f64::EPSILON) * moduli;
                assert!(rest.norm() <= limit, "{arch:?} {size} {width}: {:e} of {limit:e}", rest.norm());
            }
        }
    }
}

/// Q R is the matrix, and Q keeps lengths, with columns of zeros and with those that others span.
#[test]
fn reflections_make_orthogonal_factors() {
    for (size, count) in [(1, 1), (5, 5), (40, 7), (100, 30)] {
        let of = |i: usize, j: usize| match j {
            2 => C::ZERO,
            3 => entry(i, 0) * 2.0,
            _ => entry(i, j),
        };
        let a = Matrix::of(size, count, of);
        let qr = Qr::new(a.clone());
        let product = qr.times(&Matrix::of(count, count, |i, j| qr.r(i, j)));
        for (j, (found, expected)) in product.columns().into_iter().zip(a.columns()).enumerate() {
            let rest: Vec<C> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
            let limit = allowed(size, f64::EPSILON) * count as f64 * norm(expected);
            assert!(norm(&rest) <= limit, "{size} {count}: {:e}", norm(&rest));
            let r: Vec<C> = (0..count).map(|i| qr.r(i, j)).collect();
            assert!((norm(&r) - norm(expected)).abs() <= limit);
        }
    }
}

/// A V is what is found, V keeps lengths, columns are orthogonal, and lengths are those of a matrix made of
/// them, over twelve decades.
#[test]
fn singular_values_are_found_over_many_decades() {
    for size in [1, 2, 7, 25] {
        let turned = |seed: usize| Qr::new(Matrix::of(size, size, |i, j| entry(i, j + seed)));
        let values: Vec<f64> = (0..size).map(|i| 10f64.powf(-12.0 * i as f64 / size as f64)).collect();
        let diagonal = |i: usize, j: usize| if i == j { values[i].into() } else { C::ZERO };
        let half = turned(1).times(&Matrix::of(size, size, diagonal));
        let a = turned(7).times(&Matrix::transpose(&half.columns(), size));
        let [left, right] = singular(size, |i, j| a.columns()[j][i]);
        let limit = allowed(size, f64::EPSILON) * size as f64;
        let (left, right) = (left.columns(), right.columns());
        for j in 0..size {
            assert!(
                (norm(left[j]) - values[j]).abs() <= limit,
                "{size} {j}: {:e} of {:e}",
                norm(left[j]),
                values[j]
            );
            assert!((norm(right[j]) - 1.0).abs() <= limit);
            for i in 0..size {
                let product: C = (0..size).map(|k| a.columns()[k][i] * right[j][k]).sum();
                assert!((product - left[j][i]).norm() <= limit);
                let mixed = Inner::of(left[i], left[j]).conjugate().norm();
                assert!(i == j || mixed <= 2.0 * limit * norm(left[i]) * norm(left[j]), "{size}: {mixed:e}");
            }
        }
    }
}
