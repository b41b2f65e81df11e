//! Microphones at irregular places.

use super::bench::*;
use std::fs;

/// Positions of some microphones and a grid for the holograms; others are dead.
fn positions(dead: &[usize]) -> String {
    let mut toml = format!("rows = 16\ncols = 16\npitch_m = 0.02\ndead = {dead:?}\n");
    for index in 0..array().layout.channels() {
        let [x, y, _] = array().position(index);
        toml += &format!("[[microphone]]\nx_m = {x:?}\ny_m = {y:?}\n");
    }
    toml
}

#[test]
fn a_regular_array_by_waves_is_the_regular_array() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    fs::write(folder.path().join("a.toml"), positions(&[])).unwrap();
    let plain = pnah(folder.path(), "o", &["--bins", "6,12"]);
    let waves =
        pnah(folder.path(), "w", &["--bins", "6,12", "--array", "irregular", "--positions", "a.toml"]);
    assert_eq!(waves.shape, plain.shape);
    // Half of the microphones' differences, 1.26 %, is no sum of waves from the standoff, and is taken away.
    assert!(difference(&plain.measured, &waves.measured) < 0.0126);
    for (tone, fields) in plain.source.chunks(MICROPHONES).zip(waves.source.chunks(MICROPHONES)).enumerate() {
        let [before, after] = [fields.0, fields.1].map(|source| distance(&truth(tone, 0.0), source));
        assert!(after < 1.1 * before, "tone {tone}: {after}, regular {before}");
    }
    let settings = &waves.summary["settings"];
    assert_eq!((&settings["array"], &settings["positions"]), (&"irregular".into(), &"a.toml".into()));
    let misfit = waves.summary["figures"]["holograms"][0]["misfit"].as_f64().unwrap();
    assert!(misfit > 0.0 && misfit < 0.0126, "{misfit}");
    assert!(plain.summary["figures"]["holograms"][0]["misfit"].is_null());
}

/// A third of the microphones is taken away at random: what is left lies on no grid that holography could use.
#[test]
fn microphones_at_random_places_still_see_the_source() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let mut random = numerics::random::SplitMix64::new(7);
    let dead: Vec<usize> = (0..MICROPHONES).filter(|_| random.integer().is_multiple_of(3)).collect();
    assert!((60..110).contains(&dead.len()), "{}", dead.len());
    fs::write(folder.path().join("r.toml"), positions(&dead)).unwrap();
    let whole = pnah(folder.path(), "o", &["--bins", "6,12"]);
    let sparse =
        pnah(folder.path(), "o", &["--bins", "6,12", "--array", "irregular", "--positions", "r.toml"]);
    assert_eq!(sparse.summary["figures"]["left_out"], serde_json::json!(dead));
    let near = pnah(folder.path(), "o", &["--bins", "6,12", "--array", "r.toml"]);
    for tone in 0..2 {
        let error = |fields: &Fields| {
            distance(&truth(tone, 0.0), &fields.source[tone * MICROPHONES..][..MICROPHONES])
        };
        let (all, some, near) = (error(&whole), error(&sparse), error(&near));
        // A third of the microphones less is sqrt(3/2) of the noise, and holes between them.
        assert!(some < 1.5 * all, "tone {tone}: {some} from two thirds, {all} from all");
        assert!(some < near, "tone {tone}: {some}, {near} by interpolation");
    }
}

#[test]
fn positions_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let good = positions(&[]);
    write("good.toml", &good);
    write("nan.toml", &good.replacen("x_m = -0.15", "x_m = nan", 1));
    write("same.toml", &good.replacen("x_m = -0.13\n", "x_m = -0.15\n", 1));
    write(
        "far.toml",
        &good.replacen("x_m = -0.15", "x_m = 999.0", 1).replace("pitch_m = 0.02", "pitch_m = 1e-6"),
    );
    write("few.toml", &positions(&(0..241).collect::<Vec<_>>()));
    let before = names(folder.path());
    let irregular = ["--array", "irregular"];
    for (arguments, advice) in [
        (&irregular[..], "--positions FILE"),
        (&["--positions", "good.toml"], "--array"),
        (&["--array", "good.toml", "--positions", "good.toml"], "only --array irregular"),
        (&["--array", "irregular", "--positions", "gone.xml"], "gone.xml"),
        (&["--array", "irregular", "--positions", "nan.toml"], "x of microphone 0 is NaN"),
        (&["--array", "irregular", "--positions", "same.toml"], "one of the positions is wrong"),
        (&["--array", "irregular", "--positions", "far.toml"], "coarser grid"),
        (&["--array", "irregular", "--positions", "few.toml"], "live microphones"),
    ] {
        let message = refuse(folder.path(), &[&COMMON[..], &["--bins", "6"], arguments].concat());
        assert!(message.contains(advice), "{arguments:?}: {message}");
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
}
