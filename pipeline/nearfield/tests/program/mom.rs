//! `nearfield mom` as a user meets it.

use num_complex::Complex;
use pipeline::files::npz;
use pipeline::mom::Polarisation;
use pipeline::mom::reference::Cylinder;
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_nearfield");
    Command::new(program).current_dir(folder).arg("mom").args(arguments).output().unwrap()
}

/// Runs and expects success; gives what was said.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs and expects exit code 2 and no folder; gives what was said.
fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["--out", "refused"], arguments].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked") && !folder.join("refused").exists(), "{message}");
    message
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

const SQUARE: &str = "0,0\n1,0\n1,1\n0,1\n";

/// Numbers of a CSV file with this header.
fn rows<const N: usize>(path: &Path, header: &str) -> Vec<[f64; N]> {
    let text = fs::read_to_string(path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    assert_eq!(first, header);
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        <[f64; N]>::try_from(numbers).unwrap()
    };
    rest.lines().map(row).collect()
}

const CURRENTS: &str = "arc_length_m,x_m,y_m,re_jz,im_jz";
const ECHO: &str = "incidence_deg,phi_deg,sigma_m,sigma_db_m";

/// The cylinder of the issue: 504 unknowns, a wave towards 30 degrees, and a scale of metres that is not that of the wavelength.
#[test]
fn a_cylinder_has_its_current_and_its_echo_width() {
    let folder = tempfile::tempdir().unwrap();
    for (name, polarisation, tolerance) in [("tm", Polarisation::Tm, 1e-11), ("te", Polarisation::Te, 1e-9)] {
        let arguments = ["--circle", "0.25", "--wavelength", "0.25", "--cells", "63", "--incidence", "30"];
        succeed(folder.path(), &[&arguments[..], &["--polarisation", name, "--out", name]].concat());
        let out = folder.path().join(name);
        let exact = Cylinder::new(polarisation, 0.25, TAU / 0.25);
        let currents = rows::<5>(&out.join("currents.csv"), CURRENTS);
        assert_eq!(currents.len(), 504);
        let top = exact.current(0.5 * TAU).norm();
        for [arc, x, y, re, im] in currents {
            let angle = arc / 0.25;
            assert!((x - 0.25 * angle.cos()).hypot(y - 0.25 * angle.sin()) < 1e-12);
            let off = (Complex::new(re, im) - exact.current(angle - TAU / 12.0)).norm();
            assert!(off < tolerance * top, "{name} {arc}: {off:e}");
        }
        let echo = rows::<4>(&out.join("echo_width.csv"), ECHO);
        assert_eq!(echo.len(), 360);
        for (at, [incidence, phi, sigma, db]) in echo.into_iter().enumerate() {
            assert_eq!([incidence, phi], [30.0, at as f64]);
            // sigma = 4/k |f|^2, metres.
            let expected = 0.25 * 4.0 / TAU * exact.amplitude((phi - 30.0).to_radians()).norm_sqr();
            assert!((sigma - expected).abs() < 1e-9 * expected.max(0.1), "{name} {phi}: {sigma} {expected}");
            assert!((db - 10.0 * sigma.log10()).abs() < 1e-6);
        }
        let summary = json(&out.join("summary.json"));
        assert_eq!(summary["figures"]["unknowns"], 504);
        assert_eq!(summary["settings"]["polarisation"], name);
        // The optical theorem: a conductor absorbs nothing.
        assert!(summary["figures"]["absorption_width_m"].as_f64().unwrap().abs() < 1e-9);
        for picture in ["currents", "echo_width", "echo_width_polar", "near_field"] {
            assert!(
                fs::read(out.join(format!("{picture}.png"))).unwrap().starts_with(b"\x89PNG"),
                "{picture}"
            );
        }
    }
}

/// Every method and solver on one small body, by frequency; each gives the same echo width to its own accuracy.
#[test]
fn methods_and_solvers_agree() {
    let folder = tempfile::tempdir().unwrap();
    // A wavelength of 1 m.
    let common = ["--circle", "0.5", "--frequency", "299792458", "--phi", "0:180:45"];
    let solve = |more: &[&str]| {
        succeed(folder.path(), &[&common[..], &["--out", "x"], more].concat());
        rows::<4>(&folder.path().join("x/echo_width.csv"), ECHO)
    };
    let expected = solve(&["--method", "kress", "--cells", "48"]);
    for (more, tolerance) in [
        (&["--method", "pulse", "--cells", "200"][..], 2e-2),
        (&["--method", "lcn:1", "--cells", "200"], 1e-3),
        (&["--method", "lcn:4", "--per-wavelength", "10"], 1e-6),
        (&["--method", "kr:10", "--cells", "200"], 1e-6),
        (&["--solver", "crout"], 1e-9),
        (&["--solver", "refine"], 1e-9),
        (&["--solver", "hodlr"], 1e-9),
        (&["--solver", "hodlr", "--tolerance", "1e-5", "--cells", "400"], 1e-3),
        (&["--formulation", "mfie"], 1e-9),
        (&["--formulation", "cfie:0.3"], 1e-9),
    ] {
        let found = solve(more);
        assert_eq!(found.len(), 5);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a[2] - b[2]).abs() < tolerance * b[2], "{more:?}: {a:?} {b:?}");
        }
    }
}

/// Memory and ranks are said and written, and the rows that vouch for the solution.
#[test]
fn compressed_matrices_say_their_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeed(
        folder.path(),
        &["--circle", "1", "--wavelength", "2", "--cells", "640", "--solver", "hodlr", "--out", "h"],
    );
    for expected in ["GiB are planned for the matrix of 5120 unknowns", "greatest ranks", "over 512 rows"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let summary = json(&folder.path().join("h/summary.json"));
    let figures = &summary["figures"];
    assert_eq!(figures["backward_error_rows"], 512);
    assert!(figures["backward_error"].as_f64().unwrap() < 1e-10, "{figures}");
    assert!(figures["ranks"].as_array().unwrap().len() > 4, "{figures}");
    assert!(figures["compressed_gib"].as_f64().unwrap() > 0.0, "{figures}");
    assert_eq!(summary["settings"]["tolerance"], 1e-10);
}

#[test]
fn contours_strips_and_several_bodies_are_solved() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.csv"), SQUARE).unwrap();
    let base = ["--wavelength", "1", "--phi", "0:359:10", "--out", "o"];
    let solve = |more: &[&str]| succeed(folder.path(), &[more, &base].concat());
    solve(&["--contour", "square.csv", "--incidence", "0:90:45", "--grading", "3"]);
    let echo = rows::<4>(&folder.path().join("o/echo_width.csv"), ECHO);
    assert_eq!(echo.len(), 3 * 36);
    assert_eq!(echo[36][..2], [45.0, 0.0]);
    let (currents, shape) = npz::read_complex(folder.path().join("o/currents.npz"), "current").unwrap();
    let first = rows::<5>(&folder.path().join("o/currents.csv"), CURRENTS);
    assert_eq!(shape, [3, first.len()]);
    assert_eq!(first[5][3..], [currents[5].re, currents[5].im]);
    // A square is as symmetric as the wave at 45 degrees.
    let at = |phi: usize| echo[36 + phi / 10][2];
    assert!((at(80) - at(10)).abs() < 1e-6 * at(80), "{} {}", at(80), at(10));
    solve(&["--strip", "2", "--incidence", "-90", "--cells", "40"]);
    assert_eq!(rows::<5>(&folder.path().join("o/currents.csv"), CURRENTS).len(), 320);
    solve(&["--circle", "0.3", "--circle", "0.3,1,0", "--ellipse", "0.2,0.1,0,1"]);
    solve(&["--circle", "0.3", "--impedance", "100,50"]);
    let summary = json(&folder.path().join("o/summary.json"));
    assert!(summary["figures"]["absorption_width_m"].as_f64().unwrap() > 0.01, "{summary}");
    solve(&["--contour", "square.csv", "--open", "--window=-1,2,-1,2"]);
    solve(&["--contour", "square.csv", "--smooth", "--method", "kress", "--formulation", "cfie"]);
}

/// The circle of radius 0.5 m as a drawing in millimetres, the square as lines of a mesh: the same echo widths as by formula and by points.
#[test]
fn drawings_and_meshes_are_contours() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "circle.svg",
        "<svg><g transform=\"translate(500 0)\"><path d=\"M0 0 a500 500 0 1 0 -1000 0 a500 500 0 1 0 1000 0z\"/></g></svg>",
    );
    write(
        "square.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n4\n1 1 2 0 1 1 2\n2 1 2 0 1 3 2\n3 1 2 0 1 3 4\n4 1 2 0 1 4 1\n$EndElements\n",
    );
    write("square.csv", SQUARE);
    write("sheet.svg", "<svg><path d=\"M0 0 C0 1 1 2 2 2\"/></svg>");
    let solve = |more: &[&str]| {
        let common = ["--wavelength", "1", "--phi", "0:350:10", "--out", "d", "--incidence", "20"];
        succeed(folder.path(), &[more, &common].concat());
        rows::<4>(&folder.path().join("d/echo_width.csv"), ECHO)
    };
    for (drawn, known) in [
        (&["--contour", "circle.svg", "--scale", "0.001"][..], &["--circle", "0.5"][..]),
        (&["--contour", "square.msh"], &["--contour", "square.csv"]),
    ] {
        for (a, b) in solve(drawn).iter().zip(solve(known)) {
            assert!((a[2] - b[2]).abs() < 1e-8 * b[2].max(0.1), "{drawn:?}: {a:?} {b:?}");
        }
    }
    solve(&["--contour", "sheet.svg", "--open"]);
    let absorbed =
        json(&folder.path().join("d/summary.json"))["figures"]["absorption_width_m"].as_f64().unwrap();
    assert!(absorbed.abs() < 1e-4, "{absorbed}");
}

#[test]
fn bad_geometry_and_settings_are_refused_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("bow.csv", "0,0\n1,1\n1,0\n0,1\n");
    write("twice.csv", "0,0\n1,0\n1,0\n0,1\n");
    write("words.csv", "0,0\n1,0\nhere,there\n");
    write("square.csv", SQUARE);
    write("bad.svg", "<svg>\n<path d=\"M0 0 L1\"/></svg>");
    write("rect.svg", "<svg><rect width=\"1\" height=\"1\"/></svg>");
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n$Elements\n1\n";
    write("open.msh", &format!("{head}1 1 2 0 1 1 2\n$EndElements\n"));
    write("cut.msh", head);
    let wave = ["--wavelength", "1"];
    for (arguments, expected) in [
        (&["--contour", "bow.csv"][..], "points 1 and 3 meet at (0.5"),
        (&["--contour", "twice.csv"], "points 2 and 3 are the same"),
        (&["--contour", "words.csv"], "line 3: 'here,there'"),
        (&["--contour", "none.csv"], "none.csv"),
        (&["--contour", "bad.svg"], "line 2, command 2 of the path, 'L'"),
        (&["--contour", "rect.svg"], "<rect> is no path"),
        (&["--contour", "open.msh"], "say --open"),
        (&["--contour", "cut.msh"], "the file ends where"),
        (&["--contour", "square.csv", "--scale", "-1"], "scale of the contours is -1"),
        (&["--contour", "square.csv", "--method", "kress"], "body 1 has corners"),
        (&["--strip", "1", "--formulation", "cfie"], "body 1 is open"),
        (&["--strip", "1", "--method", "kress"], "body 1 is open"),
        (&["--strip", "-1"], "width of the strip is -1"),
        (&["--circle", "0"], "radius of the circle is 0"),
        (&["--circle", "1", "--circle", "1,1.5,0"], "bodies 1 and 2 meet"),
        (&["--circle", "1", "--cells", "1"], "unknowns a wavelength"),
        (&["--circle", "1", "--cells", "63", "--method", "kress"], "points on body 1 is 63"),
        (&["--circle", "1", "--method", "lcn:17"], "nodes a cell is 17"),
        (&["--circle", "1", "--method", "lcn:0"], "is no method"),
        (&["--circle", "1", "--method", "fem"], "is no method"),
        (&["--circle", "1", "--method", "kr:4"], "order of kr is 4: there are [2, 6, 10]"),
        (&["--circle", "1", "--method", "kr:"], "is no method"),
        (&["--strip", "1", "--method", "kr:6"], "body 1 is open"),
        (&["--circle", "1", "--formulation", "cfie:2"], "between 0 and 1"),
        (&["--circle", "1", "--cells", "100000000"], "use --solver hodlr"),
        (&["--circle", "1", "--cells", "100000000000", "--solver", "hodlr"], "GiB are free: use fewer cells"),
        (&["--circle", "1", "--solver", "hodlr", "--tolerance", "1e-20"], "tolerance is 1e-20"),
        (&["--circle", "1", "--solver", "hodlr", "--tolerance", "nan"], "tolerance is NaN"),
        (
            &["--circle", "1", "--solver", "hodlr", "--method", "kress", "--polarisation", "te"],
            "hodlr does not do",
        ),
        (
            &["--circle", "1", "--solver", "hodlr", "--method", "kress", "--permittivity", "4"],
            "hodlr does not do",
        ),
        (&["--circle", "1", "--device", "cuda:99"], "--device cuda:99"),
        (&["--circle", "1", "--window", "1,0,0,1"], "--window"),
        (&["--circle", "1,2"], "--circle"),
        (&["--strip", "1", "--impedance", "50"], "a surface impedance"),
        (&["--circle", "1", "--impedance", "-50"], "must not be negative"),
    ] {
        let message = refuse(folder.path(), &[arguments, &wave].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    for arguments in [
        &["--circle", "1"][..],
        &["--wavelength", "1"],
        &["--circle", "1", "--wavelength", "1", "--frequency", "1"],
    ] {
        refuse(folder.path(), arguments);
    }
    refuse(folder.path(), &["--circle", "1", "--wavelength", "-1"]);
    refuse(folder.path(), &["--circle", "1", "--frequency", "0"]);
}

/// At a resonance the program says what is wrong and what to do; with the combined equation it is silent.
#[test]
fn resonances_coarse_cells_and_gaps_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |arguments: &[&str]| {
        let output = run(folder.path(), &[arguments, &["--out", "w", "--phi", "0"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    // ka is a zero of J_0 to ten digits.
    let resonant = ["--circle", "1", "--wavelength", "2.612740573665532"];
    assert!(warnings(&resonant).contains("--formulation cfie"));
    assert_eq!(warnings(&[&resonant[..], &["--formulation", "cfie"]].concat()), "");
    assert!(
        warnings(&["--circle", "1", "--wavelength", "1", "--method", "pulse", "--cells", "20"])
            .contains("coarse")
    );
    let arc: String =
        (0..40).map(|i| f64::from(i) * TAU / 80.0).map(|t| format!("{},{}\n", t.cos(), t.sin())).collect();
    fs::write(folder.path().join("arc.csv"), arc).unwrap();
    assert!(warnings(&["--contour", "arc.csv", "--wavelength", "1"]).contains("--open"));
}

#[test]
fn progress_and_result_are_json_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeed(folder.path(), &["--circle", "0.2", "--wavelength", "1", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(summary["settings"]["method"], "lcn:8");
    assert!(summary["figures"]["backward_error"].as_f64().unwrap() < 1e-14);
    assert!(folder.path().join("nearfield-mom/summary.json").exists());
}
