//! Cases of `nearfield reflectarray`, and the tables that they name.

use super::texts;
use pipeline::reflectarray::layout::PhaseTable;
use pipeline::reflectarray::{Scattering, ScatteringTable, case};
use tests::fuzz::{Dialect, Mutator, fuzz};

/// Every number of a case at once.
const CASE: &str = r#"
title = "All"
[array]
columns = 30
rows = 20
frequencies_hz = [12e9, 11.7e9]
pitch_wavelengths = 0.6
spacing_wavelengths = [0.5, 0.7]
[feed]
position_m = [0.1, -0.2, 0.8]
aim_m = [0.0, 0.01, 0.0]
exponent = 9.5
[element]
pattern_exponent = 1.0
scattering = "scattering.csv"
[satellite]
longitude_deg = 10.0
aim_deg = [10.0, 45.0]
pointing_error_deg = 0.1
[[coverage]]
name = "A"
polygon_deg = [[5, 40], [15, 40], [15, 50], [5, 50]]
min_dbi = 30.0
max_dbi = 34.0
weight = 2.0
[[isolation]]
name = "B"
polygon_uv = [[0.1, 0.0], [0.14, 0.0], [0.14, 0.1]]
max_dbi = 5.0
weight = 0.5
[side_lobes]
max_dbi = 10.0
gap_deg = 2.0
reach_deg = 20.0
[sampling]
step = 0.004
[synthesis]
method = "functional"
power = "radiated"
mean = 0.3
starts = 4
[[synthesis.stage]]
name = "global"
zernike_order = 3
nodes = 3
sharpness = 2.0
iterations = 20
penalty = 100.0
keep = 2
[synthesis.stage.global]
samples = 40
levels = 5
searches = 16
range_rad = 6.0
shift_wavelengths = 0.4
seed = 7
[layout]
table = "sizes.csv"
outside = "nearest"
view = "front"
offset_deg = 90.0
gap_m = 2e-4
"#;

/// A table of S-parameters and one of sizes, as text.
fn reflectarray_tables() -> [String; 2] {
    let mut scattering = String::from("phase_rad,incidence_rad,co_re,co_im,cross_re,cross_im\n");
    for angle in [0.0, 0.4, 0.9] {
        for i in 0..9 {
            let phase = -3.0 + 0.75 * f64::from(i);
            let (re, im) = (0.95 * phase.cos(), 0.95 * phase.sin());
            scattering += &format!("{phase},{angle},{re:.4},{im:.4},{:.3},0\n", 0.1 * angle);
        }
    }
    let sizes = "phase_rad,width_m,height_m\n2.9,2e-3,3e-3\n1.5,3e-3,4e-3\n0.2,5e-3,6e-3\n-2.9,6.5e-3,7e-3\n";
    [scattering, sizes.into()]
}

/// What a run relies on.
fn assert_case(case: &case::Case) {
    assert!((1..=250_000).contains(&(case.columns * case.rows)) && (1..=32).contains(&case.models.len()));
    assert!(case.pitch > 0.0 && case.pitch.is_finite() && (1e-6..=0.5).contains(&case.step));
    assert!(case.models.iter().all(|model| model.check().is_ok()));
    let zones = &case.specification.zones;
    assert!(!zones.is_empty() && zones.iter().all(|zone| zone.area.outline().len() >= 3));
    let seen = |[u, v]: &[f64; 2]| u * u + v * v < 1.0;
    assert!(zones.iter().flat_map(|zone| zone.area.outline()).all(seen), "an outline out of sight");
    if let Some(spacing) = case.spacing {
        assert!(spacing.min < spacing.max && (spacing.min..=spacing.max).contains(&case.pitch));
    }
    assert!((1..=1000).contains(&case.starts) && (0.0..=1.0).contains(&case.mean) && !case.stages.is_empty());
    assert!(case.stages.iter().map(|stage| stage.iterations).sum::<usize>() <= 1_000_000);
    for global in case.stages.iter().filter_map(|stage| stage.global) {
        assert!((1..=100_000).contains(&global.samples) && (1..=10_000).contains(&global.levels));
        assert!(global.range > 0.0 && global.range.is_finite() && global.shift.is_finite());
    }
}

#[test]
fn cases() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["scattering.csv", "sizes.csv"].iter().zip(reflectarray_tables()) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut seeds = texts("pipeline/reflectarray/cases");
    seeds.extend([CASE.as_bytes().to_vec(), CASE.as_bytes().to_vec(), CASE.as_bytes().to_vec()]);
    fuzz("reflectarray case", Mutator::new(Dialect::Text, seeds), |bytes| {
        let case = case::case(&String::from_utf8_lossy(bytes), folder.path());
        case.is_ok_and(|case| {
            assert_case(&case);
            true
        })
    });
}

#[test]
fn scattering_tables() {
    let [text, _] = reflectarray_tables();
    fuzz("scattering table", Mutator::new(Dialect::Text, vec![text.into_bytes()]), |bytes| {
        let Ok(table) = ScatteringTable::parse(&String::from_utf8_lossy(bytes)) else { return false };
        let scattering = Scattering::Table(table);
        scattering.check().unwrap();
        for (phase, angle) in [(-9.0, 0.0), (0.1, 0.7), (3.2, 1.5)] {
            let slopes = scattering.slopes(phase, angle);
            assert!(slopes.as_flattened().iter().all(|s| s.is_finite()), "{slopes:?}");
            // Cubics may swing over what they pass through, not by much more than a gap of a quarter turn lets them.
            assert!(slopes.iter().all(|[s, ..]| s.norm() < 4.0), "{slopes:?}");
        }
        true
    });
}

#[test]
fn tables_of_sizes() {
    let [_, text] = reflectarray_tables();
    fuzz("table of sizes", Mutator::new(Dialect::Text, vec![text.into_bytes()]), |bytes| {
        let Ok(table) = PhaseTable::parse(&String::from_utf8_lossy(bytes)) else { return false };
        for phase in [-20.0, -3.0, 0.0, 1.5, 7.0] {
            let (sides, error) = table.sides(phase);
            assert!(sides.iter().all(|side| side.is_finite() && *side > 0.0), "{sides:?}");
            assert!(error.abs() <= std::f64::consts::PI, "{error}");
        }
        true
    });
}
