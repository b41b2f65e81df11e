//! `nearfield sbr` as a user meets it.

use crate::common::{Nearfield, json};
use pipeline::files::npz;
use std::fs;
use std::path::Path;

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

const SBR: Nearfield = Nearfield("sbr");

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corner.obj"), CORNER).unwrap();
    folder
}

#[test]
fn a_target_without_a_file_is_written_and_lit_again() {
    let folder = folder();
    let arguments = ["--frequency", "3e9", "--phi", "20", "--tubes-per-wavelength", "5"];
    let said = SBR.succeed(folder.path(), &[&["missile", "--out", "a"][..], &arguments].concat());
    assert!(said.contains("missile: 7") && !said.contains("edges"), "{said}");
    SBR.succeed(folder.path(), &[&["a/mesh.obj", "--out", "b"][..], &arguments].concat());
    assert_eq!(rows(&folder.path().join("a/rcs.csv")), rows(&folder.path().join("b/rcs.csv")));
    assert!(!folder.path().join("b/mesh.obj").exists());
    let message = SBR.refuse(folder.path(), &["misile", "--frequency", "3e9"]);
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
    let said = SBR.succeed(folder.path(), &[&arguments[..], &more].concat());
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
    let summary = json(&folder.path().join("a/summary.json"));
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
        SBR.succeed(folder.path(), &[&common[..], more, &["--out", out, "-q"]].concat());
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

/// A block of an `.ffe` file: frequency, numbers of theta and phi, and rows of nine numbers.
type FarField = (f64, usize, usize, Vec<Vec<f64>>);

fn far_fields(path: &Path) -> Vec<FarField> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("##File Type: Far Field\n##File Format: 8\n"));
    let mut blocks: Vec<FarField> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("##")) {
        let value = |name: &str| line.strip_prefix(name).map(|value| value.trim().parse::<f64>().unwrap());
        if let Some(frequency) = value("#Frequency:") {
            blocks.push((frequency, 0, 0, Vec::new()));
        } else if let Some(count) = value("#No. of Theta Samples:") {
            blocks.last_mut().unwrap().1 = count as usize;
        } else if let Some(count) = value("#No. of Phi Samples:") {
            blocks.last_mut().unwrap().2 = count as usize;
        } else if !line.starts_with('#') {
            let row = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            blocks.last_mut().unwrap().3.push(row);
        }
    }
    blocks
}

#[test]
fn far_fields_read_back_as_the_complex_fields() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "20e9:22e9:2e9", "--theta", "50:60:5"];
    SBR.succeed(folder.path(), &[&common[..], &["--phi", "40:50:10", "--out", "a", "-q"]].concat());
    let root = (4.0 * std::f64::consts::PI).sqrt();
    for (file, channels) in [("v.ffe", ["vv", "hv"]), ("h.ffe", ["vh", "hh"])] {
        let blocks = far_fields(&folder.path().join("a").join(file));
        let counts: Vec<_> =
            blocks.iter().map(|(f, theta, phi, rows)| (*f, *theta, *phi, rows.len())).collect();
        assert_eq!(counts, [(20e9, 3, 2, 6), (22e9, 3, 2, 6)]);
        for (part, channel) in channels.iter().enumerate() {
            let (fields, shape) = npz::read_complex(folder.path().join("a/fields.npz"), channel).unwrap();
            assert_eq!(shape, [6, 2]);
            let highest = fields.iter().map(|field| field.norm()).fold(0.0, f64::max);
            for (frequency, (.., rows)) in blocks.iter().enumerate() {
                for (at, row) in rows.iter().enumerate() {
                    // Phi is outermost in the file, theta in the archive.
                    let (phi, theta) = (at / 3, at % 3);
                    assert_eq!(row[..2], [50.0 + 5.0 * theta as f64, 40.0 + 10.0 * phi as f64]);
                    let field = fields[(theta * 2 + phi) * 2 + frequency];
                    let (re, im) = (row[2 + 2 * part] * root, row[3 + 2 * part] * root);
                    assert!((re - field.re).hypot(im - field.im) < 1e-7 * highest, "{file} {row:?} {field}");
                    assert!((row[6 + part] - field.norm_sqr()).abs() < 1e-7 * highest * highest);
                }
            }
        }
    }
}

#[test]
fn facets_and_edges_add_up_to_the_echo() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "29e9:30e9:1e9", "--theta", "54.7"];
    let common = [&common[..], &["--phi", "40:50:5", "--edges", "ildc", "-q"]].concat();
    SBR.succeed(folder.path(), &[&common[..], &["--facets=29e9,54.7,50", "--out", "a"]].concat());
    let out = folder.path().join("a");
    // Cross-polarised parts are mostly rounding of the others.
    let hh = npz::read_complex(out.join("facets.npz"), "hh").unwrap().0;
    let terms: f64 = hh.iter().map(|part| part.norm()).sum();
    let edges = ["hh", "hv", "vh", "vv"].map(|channel| {
        let parts = npz::read_complex(out.join("facets.npz"), channel).unwrap().0;
        let edges = npz::read_complex(out.join("facets.npz"), &format!("edges_{channel}")).unwrap().0;
        let fields = npz::read_complex(out.join("fields.npz"), channel).unwrap().0;
        assert_eq!((parts.len(), edges.len()), (3, 1));
        // The third direction at the first of two frequencies.
        let sum = parts.iter().sum::<num_complex::Complex<f64>>() + edges[0];
        assert!((sum - fields[4]).norm() < 1e-12 * terms, "{channel}");
        edges[0].norm()
    });
    assert!(edges[0] > 0.0 && edges[3] > 0.0);
    let vtu = fs::read(out.join("facets.vtu")).unwrap();
    let text = String::from_utf8_lossy(&vtu);
    for name in ["sigma_hh_m2", "phase_vv_rad", "bounces", "group"] {
        assert!(text.contains(&format!("Name=\"{name}\"")), "{name}");
    }
    assert!(out.join("facets_hh.png").exists() && out.join("facets_vv.png").exists());
    // On its own it takes the highest echo, which is that of the middle at the higher frequency.
    SBR.succeed(folder.path(), &[&common[..], &["--facets", "--out", "b"]].concat());
    let at = |name: &str| npz::read_real(folder.path().join("b/facets.npz"), name).unwrap().0[0];
    assert_eq!([at("frequency_hz"), at("theta_deg"), at("phi_deg")], [30e9, 54.7, 45.0]);
    for (wrong, what) in [("28e9,54.7,50", "frequency"), ("29e9,54,50", "theta"), ("29e9,54.7,49", "phi")] {
        let argument = format!("--facets={wrong}");
        assert!(SBR.refuse(folder.path(), &[&common[..], &[argument.as_str()]].concat()).contains(what));
    }
}

#[test]
fn maps_are_drawn_where_two_things_vary() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--theta", "50:60:5", "-q"];
    let run = |more: &[&str], out: &str| {
        SBR.succeed(folder.path(), &[&common[..], more, &["--out", out]].concat());
        ["rcs.png", "rcs_hh.png", "rcs_vv.png"].map(|name| folder.path().join(out).join(name).exists())
    };
    assert_eq!(run(&["--frequency", "20e9", "--phi", "40"], "a"), [true, false, false]);
    assert_eq!(run(&["--frequency", "20e9", "--phi", "50:40:-5"], "b"), [false, true, true]);
    assert_eq!(run(&["--frequency", "20e9:22e9:1e9", "--phi", "40"], "c"), [false, true, true]);
    assert_eq!(run(&["--frequency", "20e9:22e9:1e9", "--phi", "40:50:5"], "d"), [false, true, true]);
}

#[test]
fn materials_are_those_of_groups() {
    let folder = folder();
    let material = "[[material]]\ngroups = [\"corner\"]\nbacking = { impedance_ohm = [188.365, 0.0] }\n";
    fs::write(folder.path().join("m.toml"), material).unwrap();
    let common =
        ["corner.obj", "--scale", "0.001", "--frequency", "20e9", "--theta", "60", "--phi", "40", "-q"];
    SBR.succeed(folder.path(), &[&common[..], &["--out", "a"]].concat());
    SBR.succeed(folder.path(), &[&common[..], &["--out", "b", "--material", "m.toml"]].concat());
    let [a, b] = ["a", "b"].map(|out| rows(&folder.path().join(out).join("rcs.csv"))[0][3]);
    // Three reflections of at most a third in field, at 55 degrees.
    assert!(b < a - 10.0, "{a} {b}");
    fs::write(folder.path().join("m.toml"), material.replace("corner", "wing")).unwrap();
    assert!(
        SBR.refuse(folder.path(), &[&common[..], &["--material", "m.toml"]].concat())
            .contains("no group 'wing'")
    );
}

#[test]
fn a_profile_has_the_corner_at_its_apex() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "28e9:34e9:0.2e9", "--theta", "55", "-q"];
    SBR.succeed(folder.path(), &[&common[..], &["--phi", "45", "--image", "profile", "--out", "a"]].concat());
    let archive = folder.path().join("a/image.npz");
    let (range, _) = npz::read_real(&archive, "range_m").unwrap();
    let (hh, shape) = npz::read_complex(&archive, "hh").unwrap();
    assert_eq!(shape, [1, range.len()]);
    let strongest = (0..hh.len()).max_by(|a, b| hh[*a].norm().total_cmp(&hh[*b].norm())).unwrap();
    // Every threefold path is as long as the one through the apex, which lies 50 (1, 1, 1) mm behind the middle of the box.
    assert!((range[strongest] + 0.05 * 3f64.sqrt()).abs() < 0.01, "{}", range[strongest]);
    assert!(folder.path().join("a/profile.png").exists());
    SBR.succeed(
        folder.path(),
        &[&common[..], &["--phi", "44:46:1", "--image", "isar", "--out", "b"]].concat(),
    );
    assert_eq!(npz::read_complex(folder.path().join("b/image.npz"), "vv").unwrap().1, [256, 256]);
    assert!(folder.path().join("b/isar_hh.png").exists() && folder.path().join("b/isar_vv.png").exists());
    assert!(SBR.refuse(folder.path(), &[&common[..], &["--image", "isar"]].concat()).contains("directions"));
    let one = ["corner.obj", "--frequency", "1e9", "--image", "profile"];
    assert!(SBR.refuse(folder.path(), &one).contains("frequencies"));
}

#[test]
fn wrong_input_is_refused_with_a_reason() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("cut.obj"), "v 0 0 0\nv 1 0\n").unwrap();
    fs::write(at.join("empty.stl"), "solid x\nendsolid x\n").unwrap();
    assert!(SBR.refuse(at, &["none.obj", "--frequency", "1e9"]).contains("none.obj"));
    assert!(SBR.refuse(at, &["corner.step", "--frequency", "1e9"]).contains(".stl"));
    assert!(SBR.refuse(at, &["cut.obj", "--frequency", "1e9"]).contains("line 2"));
    assert!(SBR.refuse(at, &["empty.stl", "--frequency", "1e9"]).contains("no triangles"));
    assert!(SBR.refuse(at, &["corner.obj", "--frequency", "-1"]).contains("frequency"));
    assert!(SBR.refuse(at, &["corner.obj", "--frequency", "1e9", "--bounces", "0"]).contains("bounces"));
    assert!(SBR.refuse(at, &["corner.obj", "--frequency", "1e9", "--scale", "0"]).contains("--scale"));
    assert!(SBR.refuse(at, &["corner.obj", "--frequency", "1e9:2e9:0"]).contains("values"));
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
    assert!(SBR.refuse(at, &two).contains("transmitter"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_directions_that_are_finished() {
    let folder = folder();
    let common = ["corner.obj", "--scale", "0.001", "--frequency", "30e9", "--theta", "60", "--out", "a"];
    let long = [&common[..], &["--phi", "0:90:0.001"]].concat();
    let output = SBR.interrupt(folder.path(), &long, "directions");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("of 90001 directions") && message.contains("rcs.partial.csv"), "{message}");
    let out = folder.path().join("a");
    for name in ["rcs.csv", "fields.npz", "v.ffe", "rcs.png"] {
        assert!(!out.join(name).exists(), "{name}");
    }
    let partial = rows(&out.join("rcs.partial.csv"));
    assert!(!partial.is_empty() && partial.len() < 90_001);
    let (hh, shape) = npz::read_complex(out.join("fields.partial.npz"), "hh").unwrap();
    assert_eq!(shape, [partial.len(), 1]);
    assert_eq!(npz::read_real(out.join("fields.partial.npz"), "phi_deg").unwrap().1, [partial.len()]);
    let summary = json(&out.join("summary.json"));
    assert_eq!(
        (&summary["figures"]["interrupted"], &summary["figures"]["directions_finished"]),
        (&true.into(), &hh.len().into())
    );
    // The first rows of the whole, which replaces them.
    SBR.succeed(folder.path(), &[&common[..], &["--phi", "0:0.001:0.001"]].concat());
    assert_eq!(rows(&out.join("rcs.csv"))[0], partial[0]);
    assert!(!out.join("rcs.partial.csv").exists() && !out.join("fields.partial.npz").exists());
}

#[test]
fn several_processes_without_mpi_are_refused() {
    let folder = folder();
    for name in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"] {
        let mut command = SBR.command(folder.path(), &["corner.obj", "--frequency", "1e9", "--out", "a"]);
        let wrong = command.env(name, "several").output().unwrap();
        assert_eq!(wrong.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&wrong.stderr).contains(name));
        if cfg!(not(feature = "mpi")) {
            let refused = command.env(name, "2").output().unwrap();
            assert_eq!(refused.status.code(), Some(2));
            assert!(String::from_utf8_lossy(&refused.stderr).contains("--features mpi"));
        }
        assert!(!folder.path().join("a").exists());
    }
}
