//! `nearfield reflectarray` as a user meets it.

use crate::common::{Nearfield, json};
use pipeline::files::npz;
use pipeline::reflectarray::files::read_elements;
use serde_json::Value;
use std::fs;

const REFLECTARRAY: Nearfield = Nearfield("reflectarray");

/// A small array with two regions; `array` and `more` are added.
fn case(array: &str, more: &str) -> String {
    format!(
        r#"
title = "Small"
[array]
columns = 14
rows = 12
frequency_hz = 10e9
{array}
[feed]
height_m = 0.2
offset_m = 0.05
exponent = 6
[[coverage]]
name = "left"
polygon_uv = [[-0.15, -0.1], [0.0, -0.1], [0.0, 0.1], [-0.15, 0.1]]
[[coverage]]
name = "right"
polygon_uv = [[0.02, -0.08], [0.12, -0.08], [0.12, 0.08]]
min_dbi = -3.0
[synthesis]
starts = 4
{more}
"#
    )
}

const FIXED: &str = "pitch_wavelengths = 0.5";
const MOVING: &str = "spacing_wavelengths = [0.5, 0.7]";
const LAYOUT: &str = "[layout]\noutside = \"nearest\"\n[layout.model]\nheight_m = 1e-3\npermittivity = 2.2\n";
const STAGES: &str = r#"
[[synthesis.stage]]
name = "few"
zernike_order = 3
sharpness = 4.0
iterations = 20
[[synthesis.stage]]
name = "all"
sharpness = 20.0
nodes = 3
iterations = 40
"#;

#[test]
fn a_design_has_all_its_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case(MOVING, &format!("{STAGES}{LAYOUT}"))).unwrap();
    let said = REFLECTARRAY.succeed(folder.path(), &["case.toml", "--out", "out"]);
    assert!(said.contains("all coverages") && said.contains("left") && said.contains("D_min"), "{said}");
    let out = folder.path().join("out");
    let mut names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "convergence.png",
        "coverage.png",
        "cuts.png",
        "directivity.ffe",
        "directivity.npz",
        "directivity.png",
        "elements.csv",
        "layout.dxf",
        "masks.png",
        "phases.png",
        "positions.png",
        "summary.json",
    ];
    assert_eq!(names, expected);
    let elements = read_elements(&out.join("elements.csv")).unwrap();
    assert_eq!(elements.len(), 14 * 12);
    let (map, shape) = npz::read_real(out.join("directivity.npz"), "directivity_dbi").unwrap();
    let [u, v] = ["u", "v"].map(|name| npz::read_real(out.join("directivity.npz"), name).unwrap().0);
    assert_eq!(shape, [v.len(), u.len()]);
    let summary = json(&out.join("summary.json"));
    let figures = &summary["figures"];
    let (mean, least) = (figures["d_mean_db"].as_f64().unwrap(), figures["d_min_db"].as_f64().unwrap());
    assert!(least < mean && mean < figures["bound_dbi"].as_f64().unwrap(), "{figures}");
    let highest = map.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(highest > mean, "{highest} {mean}");
    let each = figures["coverages"].as_array().unwrap();
    let smallest = each.iter().map(|one| one["d_min_db"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert_eq!((each.len(), smallest), (2, least));
    assert_eq!(figures["layout"]["patches"], 168);
    // Neighbours in a row and in a column keep their distance.
    let wavelength = 299_792_458.0 / 10e9;
    let apart = |a: usize, b: usize| {
        (elements.x[a] - elements.x[b]).hypot(elements.y[a] - elements.y[b]) / wavelength
    };
    for at in 0..168 {
        let right = (at % 14 < 13).then(|| apart(at, at + 1));
        let below = (at + 14 < 168).then(|| apart(at, at + 14));
        assert!(
            right.into_iter().chain(below).all(|d| (0.5 - 1e-9..=0.7 + 1e-9).contains(&d)),
            "element {at}"
        );
    }
}

#[test]
fn regions_are_drawn_without_a_synthesis_and_built_in_cases_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    REFLECTARRAY.succeed(folder.path(), &["conus-44", "--masks", "--out", "out"]);
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
    let text = REFLECTARRAY.succeed(folder.path(), &["conus-44", "--print"]);
    fs::write(folder.path().join("mine.toml"), &text).unwrap();
    REFLECTARRAY.succeed(folder.path(), &["mine.toml", "--masks", "--out", "mine"]);
    let [a, b] = ["out", "mine"].map(|out| fs::read(folder.path().join(out).join("masks.png")).unwrap());
    assert!(a == b, "the printed case is the built-in one");
    let unknown = REFLECTARRAY.run(folder.path(), &["mine.toml", "--print"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn json_has_the_result_in_one_object() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case(FIXED, STAGES)).unwrap();
    let said = REFLECTARRAY
        .succeed(folder.path(), &["case.toml", "--json", "--out", "out", "--mean", "1", "--starts", "2"]);
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!(*last, json(&folder.path().join("out/summary.json")));
    assert_eq!(
        (last["settings"]["mean"].as_f64(), last["settings"]["starts"].as_u64()),
        (Some(1.0), Some(2))
    );
    assert_eq!(last["figures"]["layout"], Value::Null);
    assert!(lines[..lines.len() - 1].iter().all(|line| line["objective"].is_number()));
}

#[test]
fn the_same_case_gives_the_same_elements() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), case(MOVING, STAGES)).unwrap();
    let [a, b] = ["a", "b"].map(|out| {
        REFLECTARRAY.succeed(folder.path(), &["case.toml", "--out", out]);
        fs::read(folder.path().join(out).join("elements.csv")).unwrap()
    });
    assert!(a == b);
}

#[test]
fn wrong_input_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(folder.path().join("case.toml"), text).unwrap();
    assert!(REFLECTARRAY.refuse(folder.path(), &["nowhere.toml"]).contains("europe-71"));
    write("[array]");
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml"]).contains("case.toml"));
    write(&case("pitch_wavelengths = 0", ""));
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml"]).contains("[array] pitch_wavelengths"));
    write(&case(FIXED, "").replace("min_dbi = -3.0", "min_dbi = 40.0"));
    let message = REFLECTARRAY.refuse(folder.path(), &["case.toml"]);
    assert!(message.contains("dBi"), "{message}");
    write(&case(FIXED, STAGES));
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml", "--mean", "2"]).contains("--mean 2"));
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml", "--starts", "0"]).contains("--starts 0"));
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml", "--resume"]).contains("--resume"));
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml", "--device", "cuda:99"]).contains("cuda:99"));
}

/// Levels for both coverages, a method, and stages in place of the usual ones.
fn levelled(method: &str, stages: &str) -> String {
    let text = case(FIXED, &format!("method = \"{method}\"\n{stages}"));
    text.replace("name = \"left\"", "name = \"left\"\nmin_dbi = 12.0")
        .replace("min_dbi = -3.0", "min_dbi = 10.0")
}

#[test]
fn all_methods_and_a_global_search_run_and_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(folder.path().join("case.toml"), text).unwrap();
    let few = "[[synthesis.stage]]\nname = \"only\"\niterations = 15\n";
    let global = "[[synthesis.stage]]\nname = \"global\"\niterations = 15\nzernike_order = 2\nsharpness = 2.0\n[synthesis.stage.global]\nsamples = 20\nlevels = 3\n";
    for (method, stages) in [("functional", few), ("projections", few), ("max-min", global)] {
        write(&levelled(method, stages));
        REFLECTARRAY.succeed(folder.path(), &["case.toml", "--out", method]);
        let summary = json(&folder.path().join(method).join("summary.json"));
        assert_eq!(summary["settings"]["method"], *method);
        assert!(summary["figures"]["d_min_db"].as_f64().unwrap() > 0.0, "{summary}");
    }
    // The option stands over the file.
    write(&levelled("max-min", few));
    REFLECTARRAY.succeed(folder.path(), &["case.toml", "--method", "functional", "--out", "option"]);
    let [a, b] =
        ["functional", "option"].map(|out| fs::read(folder.path().join(out).join("elements.csv")).unwrap());
    assert!(a == b);
    write(&case(FIXED, few));
    let message = REFLECTARRAY.refuse(folder.path(), &["case.toml", "--method", "projections"]);
    assert!(message.contains("(left has none)"), "{message}");
}

/// A table that says exp(j phase) gives the same design as none, up to the rounding of its digits; gains tell of its losses.
#[test]
fn a_scattering_table_is_read_and_its_losses_show() {
    let folder = tempfile::tempdir().unwrap();
    let table = |amplitude: f64| {
        let mut text = String::from("phase_rad,incidence_rad,co_re,co_im,cross_re,cross_im\n");
        for i in 0..16 {
            let phase = -3.0 + std::f64::consts::TAU * f64::from(i) / 16.0;
            text += &format!("{phase},0,{},{},0,0\n", amplitude * phase.cos(), amplitude * phase.sin());
        }
        text
    };
    let run = |element: &str, out: &str| {
        let text = case(FIXED, STAGES).replace("[feed]", &format!("{element}\n[feed]"));
        fs::write(folder.path().join("case.toml"), text).unwrap();
        REFLECTARRAY.succeed(folder.path(), &["case.toml", "--out", out]);
        json(&folder.path().join(out).join("summary.json"))["figures"]["bands"][0].clone()
    };
    let plain = run("", "plain");
    fs::write(folder.path().join("s.csv"), table(0.5)).unwrap();
    let lossy = run("[element]\nscattering = \"s.csv\"", "lossy");
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    // The optimiser's path may differ in the last digits; its end does not.
    assert!((number(&plain, "d_min_db") - number(&lossy, "d_min_db")).abs() < 0.05, "{plain} {lossy}");
    let lost = (number(&plain, "gain_min_db") - number(&plain, "d_min_db"))
        - (number(&lossy, "gain_min_db") - number(&lossy, "d_min_db"));
    assert!((lost - 20.0 * 2f64.log10()).abs() < 0.1, "{lost}");
    let (visible, captured) = (number(&plain, "visible_part"), number(&plain, "captured_part"));
    assert!(visible > 0.5 && visible < 1.0 && captured > 0.2 && captured < 1.0, "{plain}");
    fs::write(folder.path().join("s.csv"), table(1.5)).unwrap();
    assert!(REFLECTARRAY.refuse(folder.path(), &["case.toml"]).contains("s.csv: line 2"));
}

#[test]
fn specifications_that_cannot_be_met_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text: &str| {
        fs::write(folder.path().join("case.toml"), text).unwrap();
        REFLECTARRAY.refuse(folder.path(), &["case.toml"])
    };
    let good = case(FIXED, STAGES);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        refused(&good.replace(from, to))
    };
    assert!(with("min_dbi = -3.0", "min_dbi = 40.0").contains("infeasible: the least directivities take"));
    assert!(with("columns = 14", "columns = 0").contains("[array] columns, rows: 0 x 12"));
    assert!(with("height_m = 0.2", "height_m = -0.2").contains("it must lie above the aperture"));
    assert!(
        with("offset_m = 0.05", "aim_m = [0, 0, 9]").contains("no light reaches any of the 168 elements")
    );
    assert!(with("exponent = 6", "exponent = 1000\naim_m = [9, 0, 0.2]").contains("no light reaches"));
    assert!(with(FIXED, "spacing_wavelengths = [0.7, 0.5]").contains("rising: least, greatest"));
    let message = with(FIXED, "pitch_wavelengths = 0.9\nspacing_wavelengths = [0.5, 0.7]");
    assert!(message.contains("within spacing_wavelengths, 0.5"), "{message}");
    assert!(with("[0.12, 0.08]]", "[1.12, 0.08]]").contains("right: vertex 2 is u 1.12"));
    let satellite = "[satellite]\nlongitude_deg = 0\naim_deg = [0, 0]\n[feed]";
    let hidden = good.replace("[feed]", satellite);
    let uv = "polygon_uv = [[0.02, -0.08], [0.12, -0.08], [0.12, 0.08]]";
    let message = refused(&hidden.replace(uv, "polygon_deg = [[60, 0], [95, 0], [70, 20]]"));
    assert!(message.contains("right: vertex 0") && message.contains("beyond the horizon"), "{message}");
    let quiet = "[[isolation]]\nname = \"quiet\"\nmax_dbi = -5.0\npolygon_uv = [[-0.1, 0], [0.1, 0], [0, 0.1]]\n[synthesis]";
    let message = with("[synthesis]", quiet);
    assert!(
        message.contains("left asks for at least 0 dBi") && message.contains("quiet allows -5 dBi"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_best_and_resume_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // A stage long enough to be interrupted, and a short one after it.
    let long = STAGES.replace("iterations = 20", "iterations = 100000");
    let text = case(FIXED, &long).replace("columns = 14", "columns = 60").replace("rows = 12", "rows = 60");
    let text = text.replace("zernike_order = 3\n", "").replace("starts = 4", "starts = 16");
    fs::write(folder.path().join("case.toml"), text).unwrap();
    let output = REFLECTARRAY.interrupt(folder.path(), &["case.toml", "--out", "out"], "objective");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("--resume"), "{message}");
    let out = folder.path().join("out");
    let before = json(&out.join("summary.json"));
    assert_eq!(
        (&before["figures"]["interrupted"], &json(&out.join("resume.json"))["stage"]),
        (&Value::Bool(true), &Value::from(0))
    );
    assert_eq!(read_elements(&out.join("elements.csv")).unwrap().len(), 3600);
    // Another case may not go on from it.
    fs::write(folder.path().join("other.toml"), case(FIXED, STAGES)).unwrap();
    let other = REFLECTARRAY.run(folder.path(), &["other.toml", "--resume", "--out", "out"]);
    assert_eq!(other.status.code(), Some(2));
    REFLECTARRAY.succeed(folder.path(), &["case.toml", "--resume", "--out", "out"]);
    let after = json(&out.join("summary.json"));
    assert!(!out.join("resume.json").exists() && after["figures"]["interrupted"] == Value::Bool(false));
    let objective = |summary: &Value| summary["figures"]["d_min_db"].as_f64().unwrap();
    assert!(objective(&after) > objective(&before), "{} {}", objective(&after), objective(&before));
}
