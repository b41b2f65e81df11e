//! `nearfield dgtd` as a user meets it.

use crate::common::{Nearfield, json};
use std::fs;
use std::path::Path;

const DGTD: Nearfield = Nearfield("dgtd");

/// Numbers of a file below its first line, which must be this.
fn rows(path: &Path, header: &str) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().next(), Some(header));
    text.lines().skip(1).map(|line| line.split(',').map(|word| word.parse().unwrap()).collect()).collect()
}

const DIRECTIVITY: &str = "frequency_hz,theta_deg,phi_deg,directivity_dbi,right_dbi,left_dbi";
const PROBES: &str = "time_s,probe,ex_v_per_m,ey_v_per_m,ez_v_per_m,hx_a_per_m,hy_a_per_m,hz_a_per_m";

#[test]
fn built_in_cases_follow_their_formulas() {
    let folder = tempfile::tempdir().unwrap();
    // Order 4 with five nodes and more a quarter wave.
    for (name, bound) in [("cavity", 1e-3), ("plane-wave", 1e-2)] {
        DGTD.succeed(folder.path(), &[name, "--out", name, "--precision", "f64"]);
        let out = folder.path().join(name);
        let figures = &json(&out.join("summary.json"))["figures"];
        assert!(figures["relative_error"].as_f64().unwrap() < bound, "{figures}");
        assert_eq!(figures["interrupted"], false);
        let energy = rows(&out.join("energy.csv"), "time_s,energy_j");
        assert!(energy.len() > 100 && energy.iter().flatten().all(|number| number.is_finite()));
        let duration = json(&out.join("summary.json"))["settings"]["duration_s"].as_f64().unwrap();
        assert!((energy[energy.len() - 1][0] / duration - 1.0).abs() < 1e-9);
        if name == "cavity" {
            // Upwind fluxes between conductors only take; rows are rounded to 1e-16.
            assert!(energy.windows(2).all(|pair| pair[1][1] <= pair[0][1] * (1.0 + 1e-12)));
        }
        assert_eq!(rows(&out.join("probes.csv"), PROBES).len(), energy.len());
    }
}

#[test]
fn a_printed_case_is_the_same_case() {
    let folder = tempfile::tempdir().unwrap();
    let text = DGTD.succeed(folder.path(), &["cavity", "--print"]);
    let short = text.replace("20e-9", "2e-9");
    fs::write(folder.path().join("mine.toml"), &short).unwrap();
    DGTD.succeed(folder.path(), &["mine.toml", "--out", "mine"]);
    let probes = rows(&folder.path().join("mine/probes.csv"), PROBES);
    assert!(probes.iter().all(|row| row.len() == 8 && row[1] == 0.0));
}

/// A tetrahedron as gmsh writes it.
const TETRAHEDRON: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 \"air\"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1000 0 0
3 0 1000 0
4 0 0 1000
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
";

#[test]
fn meshes_are_read_and_broken_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = "duration_s = 1e-9\n[mesh]\nfile = \"a.msh\"\nscale = 1e-3\n[boundary]\nouter = \"abc\"\n[[probe]]\npoint_m = [0.1, 0.2, 0.3]\n";
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("case.toml", case);
    write("a.msh", TETRAHEDRON);
    let said = DGTD.succeed(folder.path(), &["case.toml", "--out", "out"]);
    assert!(said.contains("1 tetrahedra"), "{said}");
    for (from, to, part) in [
        ("1 2 3 4\n$End", "2 1 3 4\n$End", "tetrahedron 0 of vertices [1, 0, 2, 3] is inverted"),
        ("4 0 0 1000", "4 1 1 0", "is flat"),
        ("4 0 0 1000", "4 0 0 nan", "vertex 3"),
        ("1 4 2 1 1 1 2 3 4\n$EndElements\n", "", "should be"),
        ("1 4 2 1 1 1 2 3 4", "1 4 2 1 1 1 2 3 9", "node 9 is not among the nodes"),
        ("1 4 2 1 1 1 2 3 4", "1 2 2 1 1 1 2 3", "no tetrahedra"),
    ] {
        write("a.msh", &TETRAHEDRON.replace(from, to));
        let message = DGTD.refuse(folder.path(), &["case.toml"]);
        assert!(message.contains(part), "{part}: {message}");
    }
    write("a.msh", TETRAHEDRON);
    for (from, to, part) in [
        ("outer = \"abc\"", "", "no condition"),
        ("outer = \"abc\"", "outer = \"pec\"\ngroups = { lid = \"pec\" }", "no surface group 'lid'"),
        ("[boundary]", "[[material]]\ngroups = [\"glass\"]\n[boundary]", "no volume group 'glass'"),
        ("0.1, 0.2", "5.0, 0.2", "outside the mesh"),
        ("a.msh", "b.msh", "b.msh"),
    ] {
        write("case.toml", &case.replace(from, to));
        let output = DGTD.run(folder.path(), &["case.toml", "--out", "wrong"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{part}: {message}");
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn ctrl_c_keeps_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let text = DGTD.succeed(folder.path(), &["cavity", "--print"]).replace("20e-9", "20e-6");
    fs::write(folder.path().join("long.toml"), text).unwrap();
    let output = DGTD.interrupt(folder.path(), &["long.toml", "--out", "out"], "steps");
    assert_eq!(output.status.code(), Some(130));
    let out = folder.path().join("out");
    assert!(!rows(&out.join("probes.partial.csv"), PROBES).is_empty() && !out.join("probes.csv").exists());
    assert_eq!(json(&out.join("summary.json"))["figures"]["interrupted"], true);
}

/// The built-in sphere, coarse and short: 100 rows.
fn small_sphere(folder: &Path) {
    let text = DGTD.succeed(folder, &["sphere", "--print"]);
    let small = text.replace("order = 3", "order = 1\nsamples = 100").replace("100e-9", "60e-9");
    assert!(small.contains("samples") && small.contains("60e-9"));
    fs::write(folder.join("small.toml"), small).unwrap();
}

#[test]
fn cross_sections_are_written_and_a_restart_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    small_sphere(folder.path());
    let read = |name: &str, file: &str| fs::read(folder.path().join(name).join(file)).unwrap();
    DGTD.succeed(folder.path(), &["small.toml", "--out", "whole", "--checkpoint", "40"]);
    let rcs = rows(&folder.path().join("whole/rcs.csv"), "frequency_hz,theta_deg,phi_deg,sigma_dbsm");
    assert_eq!(rcs.len(), 2 * 181);
    assert!(rcs.iter().all(|row| row.len() == 4 && row[0] == 47713000.0 && row[3].abs() < 40.0));
    // Forward and backward directions belong to both planes.
    assert!((rcs[0][3] - rcs[181][3]).abs() < 1e-5 && (rcs[180][3] - rcs[361][3]).abs() < 1e-5);
    // The last checkpoint is that of row 80 of 100.
    DGTD.succeed(folder.path(), &["small.toml", "--out", "rest", "--restart", "whole/checkpoint.bin"]);
    for file in ["rcs.csv", "energy.csv", "probes.csv"] {
        assert_eq!(read("whole", file), read("rest", file), "{file}");
    }
    let other = DGTD
        .refuse(folder.path(), &["small.toml", "--precision", "f64", "--restart", "whole/checkpoint.bin"]);
    assert!(other.contains("another case, mesh or precision"), "{other}");
    let none = DGTD.refuse(folder.path(), &["small.toml", "--restart", "small.toml"]);
    assert!(none.contains("no checkpoint"), "{none}");
}

#[test]
fn dispersive_media_lose_energy_go_on_from_a_checkpoint_and_are_refused_in_layers() {
    let folder = tempfile::tempdir().unwrap();
    let text = DGTD.succeed(folder.path(), &["cavity", "--print"]).replace("20e-9", "5e-9\nsamples = 50");
    let media = "[[material]]
groups = [\"volume\"]
permittivity = 2.0
debye = [{ delta_eps = 3.0, tau_s = 1e-9 }]
drude = [{ plasma_rad_per_s = 5e8, collision_per_s = 0.0 }]
lorentz = [{ delta_eps = 1.5, resonance_rad_per_s = 9e8, damping_per_s = 1e8 }]
";
    let write =
        |name: &str, end: &str| fs::write(folder.path().join(name), format!("{text}\n{media}{end}")).unwrap();
    write("water.toml", "");
    DGTD.succeed(
        folder.path(),
        &["water.toml", "--precision", "f64", "--out", "whole", "--checkpoint", "40"],
    );
    let energy = rows(&folder.path().join("whole/energy.csv"), "time_s,energy_j");
    // Fields and poles together only lose; rows are rounded to 1e-16.
    assert!(energy.windows(2).all(|pair| pair[1][1] <= pair[0][1] * (1.0 + 1e-12)));
    assert!(energy[energy.len() - 1][1] < 0.9 * energy[0][1]);
    // Modes have a formula in an empty cavity alone.
    assert!(json(&folder.path().join("whole/summary.json"))["figures"]["relative_error"].is_null());
    let restart = ["water.toml", "--precision", "f64", "--out", "rest", "--restart", "whole/checkpoint.bin"];
    DGTD.succeed(folder.path(), &restart);
    for file in ["energy.csv", "probes.csv"] {
        let [whole, rest] =
            ["whole", "rest"].map(|name| fs::read(folder.path().join(name).join(file)).unwrap());
        assert!(whole == rest, "{file}");
    }
    write("layers.toml", "[upml]\nlow_m = [0.0, 0.0, 0.0]\nhigh_m = [1.0, 2.0, 2.0]\n");
    let message = DGTD.refuse(folder.path(), &["layers.toml"]);
    assert!(message.contains("dispersive group 'volume'") && message.contains("[upml]"), "{message}");
}

#[test]
fn the_summary_has_permittivities_at_the_frequencies_of_the_far_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = DGTD.succeed(folder.path(), &["dielectric-sphere", "--print"]);
    let medium = "permittivity = 2.0\ndebye = [{ delta_eps = 3.0, tau_s = 1e-10 }]";
    for (from, to) in [("order = 4", "order = 1"), ("permittivity = 4.0", medium), ("200e-9", "1e-9")] {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(folder.path().join("wet.toml"), text).unwrap();
    DGTD.succeed(folder.path(), &["wet.toml", "--out", "out"]);
    let found = &json(&folder.path().join("out/summary.json"))["settings"]["permittivities"][0];
    // 3/(1 + jx) = 3 (1 - jx)/(1 + x^2).
    let x = std::f64::consts::TAU * 900e6 * 1e-10;
    let wrong = |name: &str, expected: f64| (found[name].as_f64().unwrap() - expected).abs();
    assert_eq!(found["group"], "sphere");
    assert!(wrong("frequency_hz", 900e6) < 1e-3, "{found}");
    assert!(wrong("real", 2.0 + 3.0 / (1.0 + x * x)) < 1e-12, "{found}");
    assert!(wrong("imaginary", -3.0 * x / (1.0 + x * x)) < 1e-12, "{found}");
}

#[test]
fn a_run_goes_on_after_ctrl_c_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    // Some seconds, and rows that are far shorter than the half second to the first line of progress.
    let text = DGTD.succeed(folder.path(), &["cavity", "--print"]).replace("20e-9", "100e-9");
    fs::write(folder.path().join("long.toml"), text).unwrap();
    DGTD.succeed(folder.path(), &["long.toml", "--out", "whole"]);
    let stopped = DGTD.interrupt(
        folder.path(),
        &["long.toml", "--out", "cut", "--checkpoint", "1000000"],
        "energy_left",
    );
    assert_eq!(stopped.status.code(), Some(130));
    DGTD.succeed(folder.path(), &["long.toml", "--out", "cut", "--restart", "cut/checkpoint.bin"]);
    for file in ["energy.csv", "probes.csv"] {
        let [whole, cut] =
            ["whole", "cut"].map(|name| fs::read(folder.path().join(name).join(file)).unwrap());
        assert!(whole == cut, "{file}");
    }
}

#[test]
fn an_unstable_run_says_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let text = DGTD.succeed(folder.path(), &["cavity", "--print"]);
    fs::write(folder.path().join("wild.toml"), format!("courant = 4.0\n{text}")).unwrap();
    let output = DGTD.run(folder.path(), &["wild.toml", "--out", "out"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["after step", "in tetrahedron", "courant is 4"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_run_ends_when_its_energy_has_faded_and_leaves_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    small_sphere(folder.path());
    let text = fs::read_to_string(folder.path().join("small.toml")).unwrap();
    let faded = format!("until_energy = 1e-1\nsnapshot_rows = 50\n{text}");
    fs::write(folder.path().join("faded.toml"), faded).unwrap();
    DGTD.succeed(folder.path(), &["faded.toml", "--out", "out"]);
    let out = folder.path().join("out");
    let figures = &json(&out.join("summary.json"))["figures"];
    assert!(figures["energy_left"].as_f64().unwrap() <= 1e-1, "{figures}");
    assert!(figures["steps_done"].as_u64() < figures["steps"].as_u64(), "{figures}");
    assert_eq!(figures["interrupted"], false);
    for name in ["fields-000050.vtu", "currents-000050.vtu"] {
        let bytes = fs::read(out.join(name)).unwrap();
        assert!(bytes.starts_with(b"<?xml") && bytes.ends_with(b"</VTKFile>\n"), "{name}");
    }
}

#[test]
fn a_monopole_is_matched_near_its_resonance_and_radiates_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    DGTD.succeed(folder.path(), &["monopole", "--out", "out"]);
    let out = folder.path().join("out");
    let text = fs::read_to_string(out.join("touchstone.s1p")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("# HZ S RI R 50"));
    let s11: Vec<Vec<f64>> =
        lines.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    assert!(s11.len() == 51 && s11.iter().all(|row| row[1].hypot(row[2]) <= 1.0), "{text}");
    let figures = &json(&out.join("summary.json"))["figures"];
    // A quarter wave of 0.4 m is one of 187 MHz, and a strip of this width is longer by its end effect; thin ones have 36.5 ohm at resonance, which is -16 dB.
    let best = &figures["best_match"];
    assert!((150e6..187e6).contains(&best["frequency_hz"].as_f64().unwrap()), "{best}");
    assert!(best["s11_db"].as_f64().unwrap() < -10.0, "{best}");
    // Without losses; at order 2 the edges of the strip are not resolved, and upwind fluxes take some percent there.
    let parts = figures["radiated_over_accepted"].as_array().unwrap();
    assert!(
        parts.len() == 3 && parts.iter().all(|part| (part.as_f64().unwrap() - 1.0).abs() < 0.05),
        "{parts:?}"
    );
    let rows = rows(&out.join("directivity.csv"), DIRECTIVITY);
    // With its image it is a dipole of half a wave: 2.15 dBi across, nothing along it.
    assert!((rows[90][3] - 2.15).abs() < 0.4 && rows[5][3] < -10.0, "{:?} {:?}", rows[90], rows[5]);
}

/// The built-in helix with one turn and one layer, at an order: S11, powers over that accepted (lost in the port, through the surface, far away), right-handed over left-handed power on the axis at 10 GHz, dB.
fn small_helix(folder: &Path, order: usize) -> (Vec<f64>, Vec<[f64; 3]>, f64) {
    let text = DGTD.succeed(folder, &["helix", "--print"]);
    let mut small = text.replace("order = 2", &format!("order = {order}"));
    for (old, new) in
        [("turns = 3", "turns = 1"), ("outside = 3", "outside = 2"), ("12.6e-3, 35e-3]", "12.6e-3, 19.8e-3]")]
    {
        assert!(small.contains(old), "{old}");
        small = small.replace(old, new);
    }
    let name = format!("helix{order}");
    fs::write(folder.join(&name).with_extension("toml"), small).unwrap();
    DGTD.succeed(folder, &[&format!("{name}.toml"), "--out", &name]);
    let out = folder.join(&name);
    let touchstone = fs::read_to_string(out.join("touchstone.s1p")).unwrap();
    let reflection = |line: &str| {
        let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        numbers[1].hypot(numbers[2])
    };
    let figures = &json(&out.join("summary.json"))["figures"];
    let powers = figures["powers"].as_array().unwrap().iter().map(|power| {
        let watts = |name: &str| power[name].as_f64().unwrap();
        assert!(watts("accepted_w") <= watts("available_w"), "{power}");
        ["port_loss_w", "surface_w", "radiated_w"].map(|name| watts(name) / watts("accepted_w"))
    });
    let directions = rows(&out.join("directivity.csv"), DIRECTIVITY);
    let axis = directions.iter().find(|row| row[0] == 1e10 && row[1] == 0.0).unwrap();
    (touchstone.lines().skip(1).map(reflection).collect(), powers.collect(), axis[4] - axis[5])
}

#[test]
fn a_helix_radiates_what_it_takes_and_turns_its_field_the_way_it_is_wound() {
    let folder = tempfile::tempdir().unwrap();
    let missing = |powers: &[[f64; 3]]| -> Vec<f64> {
        powers.iter().map(|[lost, surface, _]| 1.0 - lost - surface).collect()
    };
    let (_, coarse, _) = small_helix(folder.path(), 1);
    let (reflections, powers, right_over_left) = small_helix(folder.path(), 2);
    assert_eq!((reflections.len(), powers.len()), (51, 5));
    assert!(reflections.iter().all(|reflection| *reflection <= 1.0), "{reflections:?}");
    // Conductors and media have no losses. What is missing is what upwind fluxes take at the port and at the edges of the tape, where the field is singular, and goes away with the order.
    for (coarse, fine) in missing(&coarse).iter().zip(missing(&powers)) {
        assert!((0.0..0.08).contains(&fine) && fine < coarse / 3.0, "{coarse}, {fine}");
    }
    for [lost, surface, far] in powers {
        // What layers of one cell give back, some 40 dB down, is in fields near the surface and not in those far away.
        assert!(
            (0.0..0.03).contains(&lost) && (far / surface - 1.0).abs() < 0.02,
            "{lost}, {surface}, {far}"
        );
    }
    assert!(right_over_left > 10.0, "{right_over_left} dB");
}
