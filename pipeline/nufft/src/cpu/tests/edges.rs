//! Points where they are awkward, grids where they are small, and what is refused.

use super::*;
use crate::Error;
use numerics::real::Real;
use std::f64::consts::{PI, TAU};

/// Error of type 1 and of type 2 at given points.
fn errors_at(modes: &[usize], points: &[&[f64]], settings: &Settings) -> [f64; 2] {
    let mut plan = Plan::<f64>::new(modes, settings).unwrap();
    plan.set_points(points).unwrap();
    let mut random = Random(3);
    let (c, f) = (random.values(points[0].len()), random.values(plan.modes()));
    let (mut ours, mut values) = (poison(f.len()), poison(c.len()));
    let mut scratch = plan.scratch();
    plan.execute(Type::One, &c, &mut ours, &mut scratch).unwrap();
    plan.execute(Type::Two, &f, &mut values, &mut scratch).unwrap();
    let sign = sign_of(settings);
    [
        error(&ours, &reference::type_1(points, &c, modes, sign), &c),
        error(&values, &reference::type_2(points, &f, modes, sign), &f),
    ]
}

#[test]
fn edges_and_clusters() {
    // Ends of the period, beyond it, many at one place, and many within one cell.
    let ends = [PI, -PI, 0.0, -0.0, TAU, -7.5 * PI, 1e-300, -1e-300, PI.next_down()];
    let cluster: Vec<f64> = (0..400).map(|i| -PI + 1e-5 * f64::from(i)).collect();
    for x in [ends.to_vec(), vec![1.0; 400], cluster, vec![0.7]] {
        let y: Vec<f64> = x.iter().rev().copied().collect();
        for (modes, points) in
            [(&[31][..], &[&x[..]][..]), (&[31, 16], &[&x, &y]), (&[8, 7, 1], &[&x, &y, &x])]
        {
            for error in errors_at(modes, points, &Settings::new(1e-9, Sign::Negative)) {
                assert!(error < 1e-9, "{modes:?}, {} points: {error:e}", x.len());
            }
        }
    }
}

#[test]
fn without_points_modes_are_zero() {
    let mut plan = Plan::<f64>::new(&[31, 16], &Settings::new(1e-9, Sign::Negative)).unwrap();
    let (mut f, mut scratch) = (poison(2 * plan.modes()), plan.scratch());
    plan.set_points(&[&[], &[]]).unwrap();
    plan.execute(Type::One, &[], &mut f, &mut scratch).unwrap();
    assert!(f.iter().all(|f| *f == C::default()));
    plan.execute(Type::Two, &f, &mut [], &mut scratch).unwrap();
}

/// One mode is the sum of the strengths.
#[test]
fn one_mode_and_prime_numbers_of_modes() {
    for modes in [&[1][..], &[2], &[101], &[1, 1], &[13, 47], &[1, 1, 1], &[3, 5, 11]] {
        for error in errors::<f64>(modes, 120, &Settings::new(1e-11, Sign::Positive)) {
            assert!(error < 1e-11, "{modes:?}: {error:e}");
        }
    }
}

/// Moving all points by d multiplies mode k by exp(i s k d).
#[test]
fn translation_is_a_phase() {
    let (plan, mut points, mut random) = plan::<f64>(&[40], 90, &Settings::new(1e-10, Sign::Negative));
    let c = random.values(90);
    let (mut scratch, mut before, mut after) = (plan.scratch(), poison(40), poison(40));
    plan.execute(Type::One, &c, &mut before, &mut scratch).unwrap();
    points[0].iter_mut().for_each(|x| *x += 2.345);
    let mut moved = plan.clone();
    moved.set_points(&slices(&points)).unwrap();
    moved.execute(Type::One, &c, &mut after, &mut scratch).unwrap();
    let k = wavenumbers(&[40], 0);
    let expected: Vec<C> = before.iter().zip(k).map(|(f, k)| f * C::from_polar(1.0, -k * 2.345)).collect();
    // Both have the tolerance's error.
    let found = error(&after, &expected, &c);
    assert!(found < 2e-10, "{found:e}");
}

/// On a grid of N points the transform is a DFT.
#[test]
fn on_the_grid_it_is_a_dft() {
    let n = 24;
    let mut plan = Plan::<f64>::new(&[n], &Settings::new(1e-12, Sign::Negative)).unwrap();
    let x: Vec<f64> = (0..n).map(|i| TAU * i as f64 / n as f64).collect();
    let c = Random(8).values(n);
    plan.set_points(&[&x]).unwrap();
    let mut f = poison(n);
    plan.execute(Type::One, &c, &mut f, &mut plan.scratch()).unwrap();
    let mut expected = c.clone();
    f64::transforms(&[n])[0][0].process(&mut expected);
    expected.rotate_right(n / 2);
    assert!(error(&f, &expected, &c) < 1e-12);
}

#[test]
fn plans_that_make_no_sense_are_refused() {
    let settings = Settings::new(1e-6, Sign::Negative);
    let refused = |modes: &[usize], settings: &Settings| Plan::<f64>::new(modes, settings).err().unwrap();
    assert_eq!(refused(&[], &settings), Error::Axes(0));
    assert_eq!(refused(&[1, 2, 3, 4], &settings), Error::Axes(4));
    assert_eq!(refused(&[4, 0], &settings), Error::Modes(1));
    for tolerance in [0.0, -1.0, f64::NAN, 1e-17] {
        let settings = Settings { tolerance, ..settings.clone() };
        assert!(matches!(refused(&[9], &settings), Error::Tolerance { .. }), "{tolerance}");
    }
    let single = Plan::<f32>::new(&[9], &Settings::new(1e-9, Sign::Negative)).err().unwrap();
    assert!(matches!(single, Error::Rounding { precision: "f32", tolerance: 1e-9, .. }), "{single}");
    Plan::<f32>::new(&[9], &Settings::new(3e-7, Sign::Negative)).unwrap();
    for oversampling in [1.0, 9.0, f64::NAN] {
        let settings = Settings { oversampling, ..settings.clone() };
        assert!(matches!(refused(&[9], &settings), Error::Oversampling(_)));
    }
    assert!(matches!(refused(&[usize::MAX; 3], &settings), Error::Memory { needed: u128::MAX, .. }));
    let huge = refused(&[1 << 20, 1 << 20], &settings);
    assert!(matches!(&huge, Error::Memory { grid, .. } if *grid == [2_097_152, 2_097_152]), "{huge}");
    let endless = refused(&[usize::MAX, 1], &Settings { memory: u128::MAX, ..settings });
    assert!(matches!(&endless, Error::Grid(grid) if grid[0] == usize::MAX), "{endless}");
}

/// What is checked before it is allocated is what is allocated, and at most three grids.
#[test]
fn memory_is_three_grids() {
    for modes in [&[5000][..], &[100, 120], &[1, 3000], &[3000, 1], &[40, 30, 50], &[1, 1, 900]] {
        for oversampling in [1.25, 2.0] {
            let settings = Settings { oversampling, ..Settings::new(1e-4, Sign::Negative) };
            let plan = Plan::<f64>::new(modes, &settings).unwrap();
            let scratch = plan.scratch();
            let given = scratch.grid.len() + 2 * scratch.stages[0].len();
            let bytes = (given * size_of::<C>()) as u128;
            let refused = Plan::<f64>::new(modes, &Settings { memory: bytes - 1, ..settings }).err();
            let told = matches!(refused, Some(Error::Memory { needed, .. }) if needed >= bytes);
            assert!(told, "{modes:?} {oversampling}: {refused:?}, {bytes} bytes");
            assert!(given <= 3 * scratch.grid.len(), "{modes:?} {oversampling}: {given} pairs");
        }
    }
}

#[test]
fn points_and_arrays_that_make_no_sense_are_refused() {
    let settings = Settings::new(1e-6, Sign::Negative);
    let mut plan = Plan::<f64>::new(&[9, 9], &settings).unwrap();
    assert!(matches!(plan.set_points(&[&[0.0]]), Err(Error::Length { given: 1, needed: 2, .. })));
    assert!(matches!(plan.set_points(&[&[0.0], &[]]), Err(Error::Length { .. })));
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300] {
        let bad = plan.set_points(&[&[0.0, 1.0], &[0.0, value]]);
        assert!(matches!(bad, Err(Error::Point { index: 1, axis: 1, .. })), "{bad:?}");
        assert_eq!(plan.points(), 0);
    }
    plan.set_points(&[&[0.0, 1.0], &[0.0, 2.0]]).unwrap();
    let mut scratch = plan.scratch();
    for (from, to) in [(1, 81), (2, 80), (2, 162), (4, 81), (0, 0)] {
        let (input, mut output) = (vec![C::default(); from], vec![C::default(); to]);
        let refused = plan.execute(Type::One, &input, &mut output, &mut scratch);
        assert!(matches!(refused, Err(Error::Length { .. })), "{from} to {to}: {refused:?}");
    }
    let (c, mut f) = ([C::default(); 2], [C::default(); 81]);
    let refused = plan.execute(Sum::derivative(Type::One, 2), &c, &mut f, &mut scratch);
    assert_eq!(refused, Err(Error::Axis { axis: 2, axes: 2 }));
    let mut other = Plan::<f64>::new(&[8, 9], &settings).unwrap().scratch();
    let refused = plan.execute(Type::One, &c, &mut f, &mut other);
    assert!(matches!(refused, Err(Error::Length { .. })), "{refused:?}");
}
