use super::*;
use crate::layout::Outside;
use crate::model::Pattern;
use files::case::Unread;

/// The least that a case needs.
const LEAST: &str = r#"
[array]
columns = 20
rows = 10
frequency_hz = 10e9
pitch_wavelengths = 0.5
[feed]
height_m = 0.5
exponent = 8
[[coverage]]
name = "Spot"
polygon_uv = [[-0.1, -0.1], [0.1, -0.1], [0.0, 0.1]]
"#;

fn resolve(text: &str) -> Result<Case, Error> {
    case(text, Path::new(""))
}

/// The message about the least case with a piece of it replaced.
fn refused(from: &str, to: &str) -> String {
    assert!(LEAST.contains(from), "{from}");
    resolve(&LEAST.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn built_in_cases_are_the_paper_s() {
    for (name, text) in BUILT_IN {
        let case = resolve(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let side: usize = name.split('-').next_back().unwrap().parse().unwrap();
        assert_eq!((case.columns, case.rows, case.elements().len()), (side, side, side * side), "{name}");
        let wavelength = case.models[0].wavelength();
        assert!((wavelength - 21.0381e-3).abs() < 1e-7, "{wavelength}");
        assert_eq!(case.models[0].feed.exponent, 12.0);
        let mask = case.specification.mask(case.step).unwrap();
        println!("{name}: step {}, {} samples, bound {} dBi", case.step, mask.len(), mask.bound_dbi());
        assert!(case.layout.is_some());
        assert_eq!(load(Path::new(name)).unwrap().0.resolve(Path::new("")).unwrap(), case);
    }
    let europe = resolve(BUILT_IN[0].1).unwrap();
    assert_eq!(europe.spacing, None);
    assert!((europe.pitch / europe.models[0].wavelength() - 0.5).abs() < 1e-12);
    assert_eq!(europe.models[0].feed.position, [0.0, -0.423, 0.833]);
    let conus = resolve(BUILT_IN[1].1).unwrap();
    let spacing = conus.spacing.unwrap();
    assert!(
        (spacing.max / spacing.min - 1.4).abs() < 1e-12 && (spacing.min..=spacing.max).contains(&conus.pitch)
    );
    let names: Vec<&str> = conus.specification.zones.iter().map(|zone| zone.name.as_str()).collect();
    assert_eq!(names, ["ConUS", "Canada"]);
}

#[test]
fn the_least_case_has_defaults() {
    let case = resolve(LEAST).unwrap();
    assert_eq!((case.title.as_str(), case.models.len(), case.layout), ("Reflectarray", 1, None));
    assert_eq!(case.models[0].pattern, Pattern::Isotropic);
    assert_eq!(case.specification.zones[0].lower_dbi, Some(0.0));
    assert!((case.step - 1.0 / (20.0 * 0.5 * 12.0)).abs() < 1e-12);
}

#[test]
fn everything_can_be_said() {
    let text = r#"
title = "All"
[array]
columns = 30
rows = 30
frequencies_hz = [12e9, 11.7e9]
pitch_wavelengths = 0.6
spacing_wavelengths = [0.5, 0.7]
[feed]
position_m = [0.1, -0.2, 0.8]
aim_m = [0.0, 0.01, 0.0]
exponent = 9.5
[element]
pattern_exponent = 1.0
[satellite]
longitude_deg = 10.0
pointing_error_deg = 0.1
[[coverage]]
name = "A"
polygon_deg = [[5, 40], [15, 40], [15, 50], [5, 50]]
min_dbi = 30.0
max_dbi = 34.0
weight = 2.0
[[isolation]]
name = "B"
polygon_deg = [[30, 40], [40, 40], [40, 50]]
max_dbi = 5.0
[side_lobes]
max_dbi = 10.0
gap_deg = 2.0
reach_deg = 20.0
[sampling]
step = 0.004
[layout]
outside = "nearest"
view = "front"
offset_deg = 90.0
gap_m = 2e-4
[layout.model]
height_m = 1e-3
permittivity = 2.5
"#;
    let case = resolve(text).unwrap();
    assert_eq!((case.models.len(), case.models[1].frequency), (2, 11.7e9));
    assert_eq!(case.models[0].pattern, Pattern::Cosine { exponent: 1.0 });
    assert_eq!(case.models[0].feed.aim, [0.0, 0.01, 0.0]);
    let zones = &case.specification.zones;
    assert_eq!((zones[0].lower_dbi, zones[0].upper_dbi, zones[0].weight), (Some(30.0), Some(34.0), 2.0));
    assert_eq!((zones[1].lower_dbi, zones[1].upper_dbi), (None, Some(5.0)));
    assert!((zones[0].area.margin() - 0.1f64.to_radians().sin()).abs() < 1e-15);
    let mask = case.specification.mask(case.step).unwrap();
    assert_eq!(mask.regions.len(), 3);
    // The aim is the middle of the coverage, which the mask is about.
    let [u, v] = zones[0].area.bounds();
    assert!((u[0] + u[1]).abs() < 0.01 && (v[0] + v[1]).abs() < 0.01, "{u:?} {v:?}");
    let layout = case.layout.unwrap();
    assert!(layout.mirrored && layout.settings.outside == Outside::Nearest && layout.settings.gap == 2e-4);
}

#[test]
fn the_document_s_examples_are_cases() {
    let text = include_str!("../../../../docs/reflectarray.md");
    let blocks: Vec<&str> =
        text.split("```toml").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let case = resolve(block).unwrap_or_else(|error| panic!("{error}: {block}"));
        case.task().unwrap().check().unwrap();
    }
}

#[test]
fn wrong_values_are_refused_by_name() {
    for (from, to, named) in [
        ("columns = 20", "columns = 0", "[array] columns, rows: 0 x 10"),
        ("columns = 20", "columns = 9223372036854775807", "250000 elements"),
        ("columns = 20", "columns = -1", "columns"),
        ("frequency_hz = 10e9", "frequency_hz = nan", "[array] frequency_hz: NaN"),
        ("frequency_hz = 10e9", "", "[array]: both or neither of frequency_hz"),
        ("frequency_hz = 10e9", "frequencies_hz = []", "[array] frequencies_hz: 0 frequencies"),
        ("pitch_wavelengths = 0.5", "", "[array]: no pitch"),
        ("pitch_wavelengths = 0.5", "pitch_wavelengths = -1.0", "[array] pitch_wavelengths: -1"),
        (
            "pitch_wavelengths = 0.5",
            "spacing_wavelengths = [0.7, 0.5]",
            "[array] spacing_wavelengths: [0.7, 0.5]",
        ),
        (
            "pitch_wavelengths = 0.5",
            "pitch_wavelengths = 0.5\nspacing_wavelengths = [0.6, 0.7]",
            "within spacing_wavelengths",
        ),
        ("height_m = 0.5", "height_m = inf", "[feed] height_m: inf"),
        ("height_m = 0.5", "height_m = -0.5", "feed at"),
        ("height_m = 0.5", "offset_m = 0.5", "[feed]: not one way"),
        ("exponent = 8", "exponent = -8", "[feed] exponent: -8"),
        ("exponent = 8", "exponent = 8\ncolour = 1", "colour"),
        ("name = \"Spot\"", "", "name"),
        ("name = \"Spot\"", "name = \"Spot\"\nmin_dbi = 500", "[[coverage]] Spot, min_dbi: 500"),
        ("name = \"Spot\"", "name = \"Spot\"\nmin_dbi = 30\nmax_dbi = 20", "above min_dbi, 30"),
        ("name = \"Spot\"", "name = \"Spot\"\nweight = 0", "Spot, weight: 0"),
        ("polygon_uv", "polygon_deg", "without [satellite]"),
        ("[0.0, 0.1]]", "[0.0, 1.1]]", "Spot: vertex 2 is u 0 v 1.1"),
        (", [0.0, 0.1]]", "]", "Spot: 2 vertices"),
        ("[[coverage]]", "[sampling]\nstep = 0.0\n[[coverage]]", "[sampling] step: 0"),
        ("[[coverage]]", "[layout]\n[[coverage]]", "[layout]: both or neither of table"),
        (
            "[[coverage]]",
            "[layout]\ntable = \"none.csv\"\n[[coverage]]",
            "[layout] table: none.csv: cannot be read",
        ),
        (
            "[[coverage]]",
            "[element]\nscattering = \"none.csv\"\n[[coverage]]",
            "[element] scattering: none.csv: cannot be read",
        ),
        (
            "[[coverage]]",
            "[element]\nscattering = [\"a.csv\", \"b.csv\"]\n[[coverage]]",
            "[element] scattering: 2 files",
        ),
        ("[[coverage]]", "[synthesis]\nmethod = \"best\"\n[[coverage]]", "unknown variant `best`"),
        (
            "[[coverage]]",
            "[synthesis]\nmethod = \"functional\"\n[[coverage]]",
            "unless every coverage has min_dbi (Spot has none)",
        ),
        (
            "[[coverage]]",
            "[synthesis]\nmethod = \"projections\"\n[[coverage]]",
            "unless every coverage has min_dbi (Spot has none)",
        ),
        ("[[coverage]]", "[synthesis]\nmean = 1.5\n[[coverage]]", "[synthesis] mean: 1.5"),
        ("[[coverage]]", "[synthesis]\nstarts = 0\n[[coverage]]", "[synthesis] starts: 0"),
        (
            "[[coverage]]",
            "[[synthesis.stage]]\nname = \"a\"\nsharpness = 1.0\niterations = 0\n[[coverage]]",
            "[[synthesis.stage]] a, iterations: 0",
        ),
        ("[[coverage]]", "[side_lobes]\nmax_dbi = 1\ngap_deg = -1\n[[coverage]]", "[side_lobes] gap_deg: -1"),
    ] {
        let message = refused(from, to);
        assert!(message.contains(named), "{to}: {message}");
    }
}

/// Methods and their stages; what a global search is without, and what projections cannot have.
#[test]
fn methods_have_their_stages_and_refuse_what_they_cannot_have() {
    use crate::synthesis::Method;
    let with = |level: &str, array: &str, synthesis: &str| {
        let text = LEAST.replace("name = \"Spot\"", &format!("name = \"Spot\"\n{level}"));
        resolve(&format!("{}\n[synthesis]\n{synthesis}", text.replace("pitch_wavelengths = 0.5", array)))
    };
    let (level, fixed, moving) =
        ("min_dbi = 15", "pitch_wavelengths = 0.5", "spacing_wavelengths = [0.5, 0.7]");
    for (word, method) in [
        ("max-min", Method::MaxMin),
        ("functional", Method::Functional),
        ("projections", Method::Projections),
    ] {
        let case = with(level, fixed, &format!("method = \"{word}\"")).unwrap();
        assert_eq!(case.method, method);
        assert!(!case.stages.is_empty() && case.stages.iter().all(|stage| stage.method == method));
        assert!(case.stages.iter().all(|stage| stage.global.is_none()));
    }
    assert!(
        with(level, moving, "method = \"functional\"").unwrap().stages.iter().any(|stage| stage.nodes > 0)
    );
    let stage = "[[synthesis.stage]]\nname = \"a\"\niterations = 9\n";
    let refused = |array: &str, synthesis: &str| with(level, array, synthesis).unwrap_err().to_string();
    assert!(refused(moving, "method = \"projections\"").contains("projections change phases only"));
    let more = fixed.replace("pitch", "frequencies_hz = [10e9, 11e9]\npitch");
    let several = LEAST.replace("frequency_hz = 10e9", "").replace(fixed, &more);
    let several = several.replace("name = \"Spot\"", "name = \"Spot\"\nmin_dbi = 15");
    let several =
        resolve(&format!("{several}\n[synthesis]\nmethod = \"projections\"")).unwrap_err().to_string();
    assert!(several.contains("serve one frequency"), "{several}");
    assert!(
        refused(fixed, &format!("method = \"projections\"\n{stage}zernike_order = 3")).contains("left out")
    );
    assert!(refused(fixed, stage).contains("a, sharpness: missing"));
    assert!(with(level, fixed, &format!("method = \"functional\"\n{stage}")).is_ok());
    let sharp = format!("{stage}sharpness = 2.0\n");
    let global = "[synthesis.stage.global]\n";
    assert!(refused(fixed, &format!("{sharp}{global}")).contains("without zernike_order"));
    let case = with(level, moving, &format!("{sharp}zernike_order = 3\nnodes = 3\n{global}")).unwrap();
    let search = case.stages[0].global.unwrap();
    assert_eq!((search.samples, search.levels, search.searches, search.seed), (270, 12, 64, 1));
    // 20 x 10 cells of 0.6 wavelengths, radius 6.7; a coverage of half diagonal 0.141.
    assert!((search.range - 0.5 * std::f64::consts::TAU * 0.3 * 500f64.sqrt() * 0.02f64.sqrt()).abs() < 1e-9);
    for (field, named) in [
        ("zernike_order = 20", "at most 100 unknowns"),
        ("zernike_order = 3\nnodes = 1000", "at most 100 unknowns"),
    ] {
        assert!(refused(moving, &format!("{sharp}{field}\n{global}")).contains(named), "{field}");
    }
    for (field, named) in [
        ("samples = 0", "a, global.samples: 0"),
        ("levels = 0", "a, global.levels: 0"),
        ("searches = 0", "a, global.searches: 0"),
        ("range_rad = nan", "a, global.range_rad: NaN"),
        ("shift_wavelengths = -1.0", "a, global.shift_wavelengths: -1"),
        ("colour = 1", "colour"),
    ] {
        let message = refused(fixed, &format!("{sharp}zernike_order = 3\n{global}{field}"));
        assert!(message.contains(named), "{field}: {message}");
    }
}

/// Gains are for elements that stay, one frequency, and methods with an objective.
#[test]
fn gains_are_judged_where_they_mean_something() {
    use crate::synthesis::Power;
    let with = |array: &str, more: &str| {
        let text = LEAST.replace("pitch_wavelengths = 0.5", array);
        resolve(&format!("{text}min_dbi = 10\n[synthesis]\npower = \"incident\"\n{more}"))
    };
    let case = with("pitch_wavelengths = 0.5", "").unwrap();
    assert_eq!(case.power, Power::Incident);
    assert!(case.stages.iter().all(|stage| stage.power == Power::Incident));
    for (array, more, named) in [
        ("spacing_wavelengths = [0.5, 0.7]", "", "unless elements stay"),
        ("pitch_wavelengths = 0.5", "method = \"projections\"", "\"radiated\" for projections"),
    ] {
        let message = with(array, more).unwrap_err().to_string();
        assert!(message.contains(named), "{message}");
    }
    let message = refused("[[coverage]]", "[synthesis]\npower = \"much\"\n[[coverage]]");
    assert!(message.contains("power = \"much\"") && message.contains("unknown variant"), "{message}");
}

/// Levels that exclude each other where regions overlap are named with a place; regions that touch are not meant.
#[test]
fn contradictory_levels_are_refused() {
    let with = |outline: &str, levels: [f64; 2]| {
        let [least, most] = levels;
        let quiet = format!("[[isolation]]\nname = \"Quiet\"\nmax_dbi = {most}\npolygon_uv = {outline}\n");
        let text = LEAST.replace("name = \"Spot\"", &format!("name = \"Spot\"\nmin_dbi = {least}"));
        resolve(&format!("{text}{quiet}")).unwrap().task().map(drop)
    };
    let over = "[[-0.02, -0.05], [0.3, -0.05], [0.3, 0.05]]";
    let message = with(over, [10.0, 5.0]).unwrap_err().to_string();
    assert!(message.contains("Spot asks for at least 10 dBi at u"), "{message}");
    assert!(message.contains("where Quiet allows 5 dBi at most"), "{message}");
    with(over, [5.0, 10.0]).unwrap();
    with("[[-0.1, -0.1], [0.1, -0.1], [0.0, -0.3]]", [10.0, 5.0]).unwrap();
}

#[test]
fn scattering_tables_come_with_the_case() {
    use crate::Scattering;
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("phase_rad,incidence_rad,co_re,co_im,cross_re,cross_im\n");
    for i in 0..12 {
        let phase = f64::from(i) * 0.5;
        table += &format!("{phase},0,{},{},0,0\n", 0.9 * phase.cos(), 0.9 * phase.sin());
    }
    std::fs::write(folder.path().join("s.csv"), &table).unwrap();
    let text = LEAST.replace("[[coverage]]", "[element]\nscattering = \"s.csv\"\n[[coverage]]");
    let case = case(&text, folder.path()).unwrap();
    assert!(matches!(&case.models[0].scattering, Scattering::Table(table) if table.phases.len() == 12));
    std::fs::write(folder.path().join("s.csv"), table.replace("0.5,0,", "0.5,0,nan")).unwrap();
    let message = super::case(&text, folder.path()).unwrap_err().to_string();
    assert!(message.starts_with("[element] scattering: ") && message.contains("s.csv: line 3"), "{message}");
}

#[test]
fn places_that_cannot_be_seen_are_refused_by_vertex() {
    let seen = |aim: &str, polygon: &str| {
        let satellite = format!("[satellite]\nlongitude_deg = 5\n{aim}\n[[coverage]]");
        let uv = "polygon_uv = [[-0.1, -0.1], [0.1, -0.1], [0.0, 0.1]]";
        let text = LEAST.replace("[[coverage]]", &satellite).replace(uv, polygon);
        resolve(&text).unwrap_err().to_string()
    };
    let message = seen("aim_deg = [10, 50]", "polygon_deg = [[170, 50], [20, 40], [20, 50]]");
    assert!(message.contains("[[coverage]] Spot: vertex 0 (longitude 170 latitude 50)"), "{message}");
    let message = seen("aim_deg = [190, 0]", "polygon_deg = [[10, 50], [20, 40], [20, 50]]");
    assert!(message.contains("does not see its aim, longitude 190 latitude 0"), "{message}");
    let message = seen("", "polygon_deg = [[10, 50], [20, 95], [20, 50]]");
    assert!(message.contains("latitude 95 of vertex 1"), "{message}");
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = load(&folder.path().join("a.toml")).unwrap_err().to_string();
    assert!(missing.contains("europe-71"), "{missing}");
    let path = folder.path().join("b.toml");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("UTF-8"));
    std::fs::write(&path, vec![b'#'; MAX_BYTES as usize + 1]).unwrap();
    let large = load(&path);
    assert!(matches!(
        large,
        Err(Error::Case(files::case::Error::File { reason: Unread::TooLarge(MAX_BYTES), .. }))
    ));
    std::fs::write(&path, "[array").unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("b.toml"));
    std::fs::write(&path, LEAST).unwrap();
    assert_eq!(load(&path).unwrap().1, folder.path());
}
