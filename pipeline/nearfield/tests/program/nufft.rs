//! `nearfield nufft` as a user meets it, against direct sums.

use num_complex::Complex;
use pipeline::files::npz::{self, NpzFile};
use pipeline::nufft::reference;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

type C = Complex<f64>;

fn nearfield(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_nearfield");
    Command::new(program).current_dir(folder).arg("nufft").args(arguments).output().unwrap()
}

/// Runs on `in.npz` and expects success; gives the array `name` of the result, and what was said.
fn succeed(folder: &Path, name: &str, arguments: &[&str]) -> (npz::Numbers, String) {
    let output = nearfield(folder, &[&["--input", "in.npz", "--output", "out.npz"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let path = folder.join("out.npz");
    assert_eq!(npz::names(&path).unwrap(), [name]);
    (npz::read_numbers(path, name).unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// Runs and expects exit code 2 and no result; gives what was said.
fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, &[&["--output", "refused.npz"], arguments].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked") && !folder.join("refused.npz").exists(), "{message}");
    message
}

/// Numbers without order in -1..1 (a golden section and its square).
fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|i| ((i as f64 + seed).powi(2) * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0).collect()
}

fn complex(count: usize, seed: f64) -> Vec<C> {
    numbers(count, seed).into_iter().zip(numbers(count, seed + 0.5)).map(|(re, im)| C::new(re, im)).collect()
}

/// Coordinates of `axes` axes within some periods.
fn coordinates(axes: usize, count: usize, scale: f64) -> Vec<Vec<f64>> {
    (0..axes).map(|a| numbers(count, 1.0 + a as f64).iter().map(|x| scale * x).collect()).collect()
}

fn slices(arrays: &[Vec<f64>]) -> Vec<&[f64]> {
    arrays.iter().map(Vec::as_slice).collect()
}

fn error(found: &[C], exact: &[C]) -> f64 {
    assert_eq!(found.len(), exact.len());
    let apart: f64 = found.iter().zip(exact).map(|(a, b)| (a - b).norm_sqr()).sum();
    (apart / exact.iter().map(|b| b.norm_sqr()).sum::<f64>()).sqrt()
}

/// Writes `in.npz`: coordinates, frequencies, and a complex array.
fn write(
    folder: &Path,
    points: &[Vec<f64>],
    frequencies: &[Vec<f64>],
    (name, shape, values): (&str, &[usize], &[C]),
) {
    let mut file = NpzFile::create(folder.join("in.npz")).unwrap();
    for (name, x) in ["x", "y", "z"].iter().zip(points).chain(["s", "t", "u"].iter().zip(frequencies)) {
        file = file.add(name, &[x.len()], x).unwrap();
    }
    file.add(name, shape, values).unwrap().finish().unwrap();
}

const POINTS: usize = 60;
const MODES: [usize; 3] = [9, 8, 5];

#[test]
fn every_type_and_number_of_axes_is_the_direct_sum() {
    let folder = tempfile::tempdir().unwrap();
    for axes in 1..=3 {
        let (points, modes) = (coordinates(axes, POINTS, 7.0), &MODES[..axes]);
        let count: usize = modes.iter().product();
        let text: Vec<String> = modes.iter().map(usize::to_string).collect();
        let text = text.join(",");
        let shape: Vec<usize> = modes.iter().rev().copied().collect();
        let (c, f) = (complex(POINTS, 0.1), complex(count, 0.2));
        let frequencies = coordinates(axes, 33, 12.0);
        for (sign, s) in [("-1", -1.0), ("+1", 1.0)] {
            for (eps, tolerance) in [("1e-4", 1e-4), ("1e-11", 1e-11)] {
                let options = ["--sign", sign, "--eps", eps];
                write(folder.path(), &points, &[], ("c", &[POINTS], &c));
                let (found, _) =
                    succeed(folder.path(), "f", &[&options[..], &["--type", "1", "--modes", &text]].concat());
                assert_eq!((&found.shape, found.single), (&shape, false));
                let exact = reference::type_1(&slices(&points), &c, modes, s);
                assert!(error(&found.values, &exact) < tolerance, "type 1, {axes} axes, {sign}, {eps}");
                write(folder.path(), &points, &[], ("f", &shape, &f));
                let (found, _) = succeed(folder.path(), "c", &[&options[..], &["--type", "2"]].concat());
                assert_eq!(found.shape, [POINTS]);
                let exact = reference::type_2(&slices(&points), &f, modes, s);
                assert!(error(&found.values, &exact) < tolerance, "type 2, {axes} axes, {sign}, {eps}");
                write(folder.path(), &points, &frequencies, ("c", &[POINTS], &c));
                let (found, _) = succeed(folder.path(), "f", &[&options[..], &["--type", "3"]].concat());
                assert_eq!(found.shape, [33]);
                let exact = reference::type_3(&slices(&points), &c, &slices(&frequencies), s);
                assert!(error(&found.values, &exact) < tolerance, "type 3, {axes} axes, {sign}, {eps}");
            }
        }
    }
}

#[test]
fn stacked_right_hand_sides_are_each_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (points, frequencies) = (coordinates(2, POINTS, 3.0), coordinates(2, 20, 5.0));
    let (c, f) = (complex(3 * POINTS, 0.3), complex(3 * 72, 0.4));
    write(folder.path(), &points, &frequencies, ("c", &[3, POINTS], &c));
    let (first, said) = succeed(folder.path(), "f", &["--type", "1", "--modes", "9,8", "--json"]);
    assert_eq!(first.shape, [3, 8, 9]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["shape"], &said["precision"]), (&serde_json::json!([3, 8, 9]), &"f64".into()));
    let (third, _) = succeed(folder.path(), "f", &["--type", "3"]);
    assert_eq!(third.shape, [3, 20]);
    write(folder.path(), &points, &[], ("f", &[3, 8, 9], &f));
    let (second, _) = succeed(folder.path(), "c", &["--type", "2", "--modes", "9,8"]);
    assert_eq!(second.shape, [3, POINTS]);
    for i in 0..3 {
        let (c, f) = (&c[i * POINTS..][..POINTS], &f[i * 72..][..72]);
        let points = slices(&points);
        let exact = reference::type_1(&points, c, &[9, 8], -1.0);
        assert!(error(&first.values[i * 72..][..72], &exact) < 1e-9);
        let exact = reference::type_2(&points, f, &[9, 8], -1.0);
        assert!(error(&second.values[i * POINTS..][..POINTS], &exact) < 1e-9);
        let exact = reference::type_3(&points, c, &slices(&frequencies), -1.0);
        assert!(error(&third.values[i * 20..][..20], &exact) < 1e-9);
    }
}

#[test]
fn single_precision_stays_single_until_it_cannot_hold_the_tolerance() {
    let folder = tempfile::tempdir().unwrap();
    let points = coordinates(1, POINTS, 3.0);
    let values: Vec<Complex<f32>> =
        complex(POINTS, 0.6).iter().map(|c| Complex::new(c.re as f32, c.im as f32)).collect();
    let file = NpzFile::create(folder.path().join("in.npz")).unwrap();
    file.add("x", &[POINTS], &points[0]).unwrap().add("c", &[POINTS], &values).unwrap().finish().unwrap();
    let wide: Vec<C> = values.iter().map(|c| C::new(c.re.into(), c.im.into())).collect();
    let exact = reference::type_1(&slices(&points), &wide, &[64], -1.0);
    let run = |options: &[&str]| {
        let (found, _) = succeed(folder.path(), "f", &[&["--type", "1", "--modes", "64"], options].concat());
        (found.single, error(&found.values, &exact))
    };
    let (single, apart) = run(&[]);
    assert!(single && apart < 1e-6, "{apart:e}");
    let (single, apart) = run(&["--eps", "1e-10"]);
    assert!(!single && apart < 1e-10, "{apart:e}");
    let (single, apart) = run(&["--precision", "f64"]);
    assert!(!single && apart < 1e-6, "{apart:e}");
    // The windows' own errors.
    for (window, limit) in [("es", 1e-6), ("kaiser:3", 1e-5)] {
        let (_, apart) = run(&["--window", window]);
        assert!(apart < limit, "{window}: {apart:e}");
    }
    // Real strengths are complex ones without an imaginary part.
    let file = NpzFile::create(folder.path().join("in.npz")).unwrap();
    let real: Vec<f64> = wide.iter().map(|c| c.re).collect();
    file.add("x", &[POINTS], &points[0]).unwrap().add("c", &[POINTS], &real).unwrap().finish().unwrap();
    let (found, _) = succeed(folder.path(), "f", &["--type", "1", "--modes", "64"]);
    let real: Vec<C> = real.into_iter().map(C::from).collect();
    assert!(error(&found.values, &reference::type_1(&slices(&points), &real, &[64], -1.0)) < 1e-9);
}

#[test]
fn no_points_are_no_sound_and_one_mode_is_a_sum() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[vec![]], &[], ("c", &[0], &[]));
    let (found, _) = succeed(folder.path(), "f", &["--type", "1", "--modes", "4"]);
    assert_eq!(found.values, [C::default(); 4]);
    write(folder.path(), &[vec![]], &[], ("f", &[4], &complex(4, 0.0)));
    let (found, _) = succeed(folder.path(), "c", &["--type", "2"]);
    assert_eq!((found.values, found.shape), (vec![], vec![0]));
    write(folder.path(), &[vec![1.0, -2.0]], &[], ("c", &[2], &[C::new(1.0, 2.0), C::new(3.0, -1.0)]));
    let (found, _) = succeed(folder.path(), "f", &["--type", "1", "--modes", "1"]);
    assert!((found.values[0] - C::new(4.0, 1.0)).norm() < 1e-9);
}

/// Axes of the points, name and shape of the array beside them, options, and a part of the message.
type Case<'a> = (&'a [usize], (&'a str, &'a [usize]), &'a [&'a str], &'a str);

/// The shapes, names and options that cannot be.
#[test]
fn wrong_input_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let (x, c) = (coordinates(3, 5, 1.0), complex(60, 0.0));
    let cases: &[Case<'_>] = &[
        (&[], ("c", &[5]), &["--type", "1", "--modes", "4"], "no array x"),
        (&[0], ("c", &[5]), &["--type", "1"], "--modes N1: type 1 needs"),
        (&[0, 1], ("c", &[5]), &["--type", "1", "--modes", "4"], "give --modes N1,N2"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4,4,4,4"], "give --modes N1"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "0"], "axis 0 has no modes"),
        (&[0], ("c", &[5]), &["--type", "2"], "type 2 needs the array f; it holds: x, c"),
        (&[0], ("f", &[5]), &["--type", "1", "--modes", "4"], "type 1 needs the array c"),
        (&[0], ("c", &[6]), &["--type", "1", "--modes", "4"], "must be [5], or [n, 5]"),
        (&[0], ("c", &[5, 2]), &["--type", "1", "--modes", "4"], "must be [5], or [n, 5]"),
        (&[0], ("c", &[0, 5]), &["--type", "1", "--modes", "4"], "must be [5], or [n, 5]"),
        (&[0, 2], ("c", &[5]), &["--type", "1", "--modes", "4"], "has the array z, but not y"),
        (&[0, 1], ("f", &[5]), &["--type", "2"], "must be [N2, N1]"),
        (&[0], ("f", &[5, 2, 2]), &["--type", "2"], "must be [N1]"),
        (&[0], ("f", &[5]), &["--type", "2", "--modes", "6"], "leave --modes out"),
        (&[0], ("c", &[5]), &["--type", "3"], "no array s"),
        (&[0], ("c", &[5]), &["--type", "3", "--modes", "4"], "type 3 has frequencies"),
        (&[0], ("c", &[5]), &["--type", "4"], "1..=3"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--eps", "0"], "above 0 and below 1"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--eps", "nan"], "above 0 and below 1"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--eps", "1e-30"], "give a larger one"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--sign", "2"], "-1 or +1"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--window", "gauss"], "kaiser:K"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--window", "kaiser:99"], "from 1 to 8"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "18446744073709551615"], "are allowed"),
        (&[0, 1], ("c", &[5]), &["--type", "1", "--modes", "1000000,1000000"], "are allowed"),
        (&[0], ("c", &[5]), &["--type", "1", "--modes", "4", "--device", "cuda:99"], "--device cuda:99"),
    ];
    for (axes, (name, shape), arguments, advice) in cases {
        let mut file = NpzFile::create(folder.path().join("in.npz")).unwrap();
        for &axis in *axes {
            file = file.add(["x", "y", "z"][axis], &[5], &x[axis]).unwrap();
        }
        file.add(name, shape, &c[..shape.iter().product()]).unwrap().finish().unwrap();
        let message = refuse(folder.path(), &[&["--input", "in.npz"], *arguments].concat());
        assert!(message.contains(advice), "{arguments:?}: {message}");
    }
}

#[test]
fn hostile_archives_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let transform = ["--input", "in.npz", "--type", "1", "--modes", "4"];
    let expect = |advice: &str| {
        let message = refuse(folder.path(), &transform);
        assert!(message.contains(advice), "{message}");
    };
    expect("in.npz");
    fs::write(folder.path().join("in.npz"), b"PK\x03\x04 not really").unwrap();
    expect("in.npz");
    write(folder.path(), &[vec![1.0, f64::NAN]], &[], ("c", &[2], &complex(2, 0.0)));
    expect("point 1, axis 0: NaN");
    write(folder.path(), &[vec![1.0, f64::INFINITY]], &[], ("c", &[2], &complex(2, 0.0)));
    expect("point 1, axis 0: inf");
    write(folder.path(), &[vec![1.0, 2.0]], &[], ("c", &[2], &[C::new(0.0, f64::NAN), C::default()]));
    expect("value 0 of c is not a finite number");
    write(folder.path(), &[vec![1.0, 2.0], vec![1.0]], &[], ("c", &[2], &complex(2, 0.0)));
    expect("y has 1 values, x has 2");
    let file = NpzFile::create(folder.path().join("in.npz")).unwrap();
    let file = file.add("x", &[1, 2], &[1.0, 2.0]).unwrap().add("c", &[2], &complex(2, 0.0)).unwrap();
    file.finish().unwrap();
    expect("x has the shape [1, 2]; it must have one axis");
    // Every byte of a good archive may be damaged: a result or a refusal.
    write(folder.path(), &[vec![1.0, 2.0]], &[], ("c", &[2], &complex(2, 0.0)));
    let good = fs::read(folder.path().join("in.npz")).unwrap();
    for at in (0..good.len()).step_by(37) {
        let mut bad = good.clone();
        bad[at] ^= 0x5a;
        fs::write(folder.path().join("in.npz"), bad).unwrap();
        let output = nearfield(folder.path(), &[&transform[..], &["--output", "o.npz"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 2)), "byte {at}: {output:?}");
    }
    fs::write(folder.path().join("in.npz"), &good).unwrap();
    let output = nearfield(folder.path(), &[&transform[..], &["--output", "gone/o.npz"]].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
