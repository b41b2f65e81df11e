//! `nearfield sbr` as a user meets it.

use pipeline::io::npz;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A corner reflector of three triangles with legs of 100 mm.
const CORNER: &str = "v 0 0 0
v 100 0 0
v 0 100 0
v 0 0 100
g corner
f 1 2 3
f 1 3 4
f 1 4 2
";

fn nearfield(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearfield"));
    command.current_dir(folder).arg("sbr").args(arguments).output().unwrap()
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs and expects exit code 2 and no folder; gives what was said.
fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = nearfield(folder, &[&["--out", "refused"], arguments].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked") && !folder.join("refused").exists(), "{message}");
    message
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corner.obj"), CORNER).unwrap();
    folder
}

#[test]
fn a_target_without_a_file_is_written_and_lit_again() {
    let folder = folder();
    let arguments = ["--frequency", "3e9", "--phi", "20", "--tubes-per-wavelength", "5"];
    let said = succeed(folder.path(), &[&["missile", "--out", "a"][..], &arguments].concat());
    assert!(said.contains("missile: 7") && !said.contains("edges"), "{said}");
    succeed(folder.path(), &[&["a/mesh.obj", "--out", "b"][..], &arguments].concat());
    assert_eq!(rows(&folder.path().join("a/rcs.csv")), rows(&folder.path().join("b/rcs.csv")));
    assert!(!folder.path().join("b/mesh.obj").exists());
    let message = refuse(folder.path(), &["misile", "--frequency", "3e9"]);
    assert!(
        message.contains("misile") && message.contains("missile, ship, airplane-a, airplane-b"),
        "{message}"
    );
}

/// Rows of rcs.csv.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = "frequency_hz,theta_deg,phi_deg,sigma_hh_dbsm,sigma_hv_dbsm,sigma_vh_dbsm,sigma_vv_dbsm";
    assert_eq!(lines.next(), Some(header));
    lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect()
}

#[test]
fn a_corner_has_its_peak_and_all_files() {
    let folder = folder();
    let arguments = ["corner.obj", "--scale", "0.001", "--frequency", "30e9", "--theta", "54.7356103172"];
    let more = ["--phi", "25:65:5", "--out", "a"];
    let said = succeed(folder.path(), &[&arguments[..], &more].concat());
    assert!(said.contains("3 triangles") && said.contains("9 directions"), "{said}");
    let rows = rows(&folder.path().join("a/rcs.csv"));
    assert_eq!(rows.len(), 9);
    // 4 pi a^4/(3 lambda^2) at phi = 45 degrees.
    let wavelength: f64 = 299_792_458.0 / 30e9;
    let peak = 10.0 * (4.0 * std::f64::consts::PI * 1e-4 / (3.0 * wavelength * wavelength)).log10();
    assert_eq!(rows[4][..3], [30e9, 54.7356103172, 45.0]);
    assert!((rows[4][3] - peak).abs() < 0.02 && (rows[4][6] - peak).abs() < 0.02, "{:?} {peak}", rows[4]);
    let (hh, shape) = npz::read_complex(folder.path().join("a/fields.npz"), "hh").unwrap();
    assert_eq!(shape, [9, 1]);
    assert!((10.0 * hh[4].norm_sqr().log10() - rows[4][3]).abs() < 1e-5);
    for name in ["v.ffe", "h.ffe", "rcs.png"] {
        assert!(fs::metadata(folder.path().join("a").join(name)).unwrap().len() > 500, "{name}");
    }
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.path().join("a/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["figures"]["mesh"]["open_edges"], 3);
    assert_eq!(summary["settings"]["bounces"], 5);
    assert!((summary["figures"]["sigma_highest_dbsm"].as_f64().unwrap() - peak).abs() < 0.02);
}

#[test]
fn structures_agree_and_bistatic_cuts_begin_at_backscatter() {
    let folder = folder();
    let common =
        ["corner.obj", "--scale", "0.001", "--frequency", "20e9:22e9:1e9", "--theta", "60", "--phi", "40"];
    let run = |more: &[&str], out: &str| {
        succeed(folder.path(), &[&common[..], more, &["--out", out, "-q"]].concat());
        rows(&folder.path().join(out).join("rcs.csv"))
    };
    let (a, b) = (run(&[], "a"), run(&["--structure", "kdtree"], "b"));
    assert_eq!(a, b);
    assert_eq!(a.iter().map(|row| row[0]).collect::<Vec<_>>(), [20e9, 21e9, 22e9]);
    let c = run(&["--bistatic-theta", "60", "--bistatic-phi", "40:50:5"], "c");
    assert_eq!((c.len(), &c[0], &c[3]), (9, &a[0], &a[1]));
    let edges = run(&["--edges", "ildc"], "d");
    assert!(edges.iter().zip(&a).all(|(e, a)| e[3].is_finite() && e[3] != a[3]));
}

#[test]
fn materials_are_those_of_groups() {
    let folder = folder();
    let material = "[[material]]\ngroups = [\"corner\"]\nbacking = { impedance_ohm = [188.365, 0.0] }\n";
    fs::write(folder.path().join("m.toml"), material).unwrap();
    let common =
        ["corner.obj", "--scale", "0.001", "--frequency", "20e9", "--theta", "60", "--phi", "40", "-q"];
    succeed(folder.path(), &[&common[..], &["--out", "a"]].concat());
    succeed(folder.path(), &[&common[..], &["--out", "b", "--material", "m.toml"]].concat());
    let [a, b] = ["a", "b"].map(|out| rows(&folder.path().join(out).join("rcs.csv"))[0][3]);
    // Three reflections of at most a third in field, at 55 degrees.
    assert!(b < a - 10.0, "{a} {b}");
    fs::write(folder.path().join("m.toml"), material.replace("corner", "wing")).unwrap();
    assert!(
        refuse(folder.path(), &[&common[..], &["--material", "m.toml"]].concat()).contains("no group 'wing'")
    );
}

#[test]
fn a_profile_has_the_corner_at_its_apex() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "28e9:34e9:0.2e9", "--theta", "55", "-q"];
    succeed(folder.path(), &[&common[..], &["--phi", "45", "--image", "profile", "--out", "a"]].concat());
    let archive = folder.path().join("a/image.npz");
    let (range, _) = npz::read_real(&archive, "range_m").unwrap();
    let (hh, shape) = npz::read_complex(&archive, "hh").unwrap();
    assert_eq!(shape, [1, range.len()]);
    let strongest = (0..hh.len()).max_by(|a, b| hh[*a].norm().total_cmp(&hh[*b].norm())).unwrap();
    // Every threefold path is as long as the one through the apex, which lies 50 (1, 1, 1) mm behind the middle of the box.
    assert!((range[strongest] + 0.05 * 3f64.sqrt()).abs() < 0.01, "{}", range[strongest]);
    assert!(folder.path().join("a/profile.png").exists());
    succeed(folder.path(), &[&common[..], &["--phi", "44:46:1", "--image", "isar", "--out", "b"]].concat());
    assert_eq!(npz::read_complex(folder.path().join("b/image.npz"), "vv").unwrap().1, [256, 256]);
    assert!(refuse(folder.path(), &[&common[..], &["--image", "isar"]].concat()).contains("directions"));
    let one = ["corner.obj", "--frequency", "1e9", "--image", "profile"];
    assert!(refuse(folder.path(), &one).contains("frequencies"));
}

#[test]
fn wrong_input_is_refused_with_a_reason() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("cut.obj"), "v 0 0 0\nv 1 0\n").unwrap();
    fs::write(at.join("empty.stl"), "solid x\nendsolid x\n").unwrap();
    assert!(refuse(at, &["none.obj", "--frequency", "1e9"]).contains("none.obj"));
    assert!(refuse(at, &["corner.step", "--frequency", "1e9"]).contains(".stl"));
    assert!(refuse(at, &["cut.obj", "--frequency", "1e9"]).contains("line 2"));
    assert!(refuse(at, &["empty.stl", "--frequency", "1e9"]).contains("no triangles"));
    assert!(refuse(at, &["corner.obj", "--frequency", "-1"]).contains("frequency"));
    assert!(refuse(at, &["corner.obj", "--frequency", "1e9", "--bounces", "0"]).contains("bounces"));
    assert!(refuse(at, &["corner.obj", "--frequency", "1e9", "--scale", "0"]).contains("--scale"));
    assert!(refuse(at, &["corner.obj", "--frequency", "1e9:2e9:0"]).contains("values"));
    let two = [
        "corner.obj",
        "--frequency",
        "1e9",
        "--phi",
        "0:9:1",
        "--bistatic-theta",
        "9",
        "--bistatic-phi",
        "9",
    ];
    assert!(refuse(at, &two).contains("transmitter"));
}
