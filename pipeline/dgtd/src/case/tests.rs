use super::*;
use crate::{Boundary, Pole};
use files::case::{self, Unread};
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;

fn resolved(text: &str) -> Result<Case, Error> {
    files::case::parse::<Tables>(text)?.resolve(Path::new(""))
}

/// The built-in cavity with a piece of its text exchanged.
fn cavity(old: &str, new: &str) -> Result<Case, Error> {
    let (_, text) = BUILT_IN.iter().find(|(name, _)| *name == "cavity").unwrap();
    assert!(text.contains(old), "{old}");
    resolved(&text.replace(old, new))
}

#[test]
fn built_in_cases_can_be_run_and_have_a_formula() {
    for (name, _) in BUILT_IN {
        let (tables, folder) = load(Path::new(name)).unwrap();
        let case = tables.resolve(&folder).unwrap();
        crate::design::Design::new(case.mesh.clone(), &case.settings).unwrap();
        assert_eq!(case.formula(Vec3::ZERO, 0.0).is_some(), case.far_field.is_none(), "{name}");
    }
}

#[test]
fn fields_of_the_file_are_where_they_belong() {
    let case = cavity("outer = \"pec\"", "outer = \"pmc\"\ngroups = { x_min = \"abc\" }").unwrap();
    assert_eq!(case.settings.outer, Some(Boundary::Pmc));
    assert_eq!(case.settings.boundaries, [("x_min".into(), Boundary::Absorbing)]);
    assert_eq!((case.settings.order, case.mesh.len(), case.samples), (4, 384, 1000));
    assert!((case.duration - 20e-9 * SPEED_OF_LIGHT).abs() < 1e-12);
    let glass =
        "[[material]]\ngroups = [\"volume\"]\npermittivity = 4.0\nconductivity_s_per_m = 0.1\n[boundary]";
    let case = cavity("[boundary]", glass).unwrap();
    assert_eq!(case.settings.materials[0].1.permittivity, 4.0);
    assert_eq!(case.settings.materials[0].1.conductivity, 0.1);
}

#[test]
fn poles_are_resolved_or_refused_by_name() {
    let water = |old: &str, new: &str| {
        let text = "[[material]]
groups = [\"volume\"]
permittivity = 5.0
debye = [{ delta_eps = 75.0, tau_s = 8e-12 }, { delta_eps = 1.0, tau_s = 1e-12 }]
drude = [{ plasma_rad_per_s = 2e9, collision_per_s = 0.0 }]
lorentz = [{ delta_eps = 0.5, resonance_rad_per_s = 3e9, damping_per_s = 1e8 }]
[boundary]";
        assert!(text.contains(old), "{old}");
        cavity("[boundary]", &text.replace(old, new))
    };
    let case = water("groups", "groups").unwrap();
    let expected = vec![
        Pole::Debye { delta: 75.0, relaxation: 8e-12 },
        Pole::Debye { delta: 1.0, relaxation: 1e-12 },
        Pole::Drude { plasma: 2e9, collision: 0.0 },
        Pole::Lorentz { delta: 0.5, resonance: 3e9, damping: 1e8 },
    ];
    assert_eq!(case.settings.poles, [("volume".to_owned(), expected)]);
    assert_eq!(case.settings.materials[0].1.permittivity, 5.0);
    // The formula of a mode is that of an empty cavity: it is what the run begins with, and no more.
    assert!(case.formula(Vec3::ZERO, 0.0).is_some() && case.formula(Vec3::ZERO, 1.0).is_none());
    for (old, new, part) in [
        ("delta_eps = 75.0", "delta_eps = -75.0", "delta_eps is -75"),
        ("tau_s = 8e-12", "tau_s = 0.0", "tau_s is 0"),
        ("tau_s = 8e-12", "tau_ps = 8.0", "tau_ps"),
        (", tau_s = 8e-12", "", "tau_s"),
        ("plasma_rad_per_s = 2e9", "plasma_rad_per_s = nan", "plasma_rad_per_s is NaN"),
        ("collision_per_s = 0.0", "collision_per_s = -1.0", "collision_per_s is -1"),
        ("resonance_rad_per_s = 3e9", "resonance_rad_per_s = inf", "resonance_rad_per_s is inf"),
        ("damping_per_s = 1e8", "damping_per_s = -1e8", "damping_per_s is -100000000"),
        ("drude = [", "drude = 3 #", "drude"),
    ] {
        let error = water(old, new).unwrap_err().to_string();
        assert!(error.contains(part), "{new}: {error}");
    }
}

#[test]
fn wrong_values_are_refused_by_name() {
    for (old, new, field) in [
        ("duration_s = 20e-9", "duration_s = -1.0", "duration_s"),
        ("duration_s = 20e-9", "duration_s = nan", "duration_s"),
        ("order = 4", "order = 4\ncourant = 20.0", "courant"),
        ("order = 4", "order = 4\nsamples = 0", "samples"),
        ("order = 4", "order = 4\nupwinding = 3.0", "upwinding"),
        ("order = 4", "order = 4\ncolour = 3", "colour"),
        ("cells = [4, 4, 4]", "cells = [4, 0, 4]", "cells"),
        ("cells = [4, 4, 4]", "cells = [9000000, 9000000, 9000000]", "cells"),
        ("cells = [4, 4, 4]", "scale = 2.0", "[mesh]"),
        ("high_m = [2.0, 2.0, 2.0]", "high_m = [2.0, 2.0, inf]", "high_m"),
        ("low_m = [0.0, 0.0, 0.0]", "low_m = [0.1, 0.0, 0.0]", "low_m"),
        ("outer = \"pec\"", "outer = \"wood\"", "wood"),
        ("outer = \"pec\"", "outer = \"incident\"", "plane wave"),
        ("mode = [1, 1, 1]", "mode = [1, 0, 0]", "mode"),
    ] {
        let error = cavity(old, new).unwrap_err().to_string();
        assert!(error.contains(field), "{new}: {error}");
    }
}

#[test]
fn files_that_are_not_there_or_no_cases_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let missing = load(&path);
    assert!(matches!(missing, Err(Error::Case(case::Error::File { reason: Unread::System(_), .. }))));
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let damaged = load(&path);
    assert!(matches!(damaged, Err(Error::Case(case::Error::File { reason: Unread::NotText, .. }))));
    std::fs::write(&path, BUILT_IN[1].1).unwrap();
    let (tables, found) = load(&path).unwrap();
    assert_eq!(found, folder.path());
    assert!(tables.resolve(&found).is_ok());
}

fn built_in(name: &str) -> &'static str {
    BUILT_IN.iter().find(|(known, _)| *known == name).unwrap().1
}

#[test]
fn ports_and_regions_are_resolved_or_refused_by_name() {
    let monopole = |old: &str, new: &str| {
        let text = built_in("monopole");
        assert!(text.contains(old), "{old}");
        resolved(&text.replace(old, new))
    };
    let case = monopole("order", "order").unwrap();
    assert_eq!((case.sweep.len(), case.settings.total_field), (51, vec!["near".to_owned()]));
    assert!(monopole("group = \"gap\"", "group = \"gap\"\nresistance_ohm = 75.0").is_ok());
    for (old, new, field) in [
        ("sweep_hz = [100e6, 350e6, 5e6]", "sweep_hz = [100e6, 350e6, 0.0]", "sweep_hz"),
        ("sweep_hz = [100e6, 350e6, 5e6]", "sweep_hz = [100e6, 350e9, 5e6]", "sweep_hz"),
        ("length_m = 0.1", "length_m = 0.0", "length"),
        ("direction = [0.0, 0.0, 1.0]", "direction = [0.0, 0.0, 0.0]", "direction"),
        ("high_m = [0.1, 0.0, 0.4]", "high_m = [0.01, 0.0, 0.4]", "strip"),
        ("until_energy = 1e-6", "until_energy = 2.0", "until_energy"),
        ("inside = [\"near\"]", "", "inside"),
    ] {
        let error = monopole(old, new).unwrap_err().to_string();
        assert!(error.contains(field), "{new}: {error}");
    }
}

#[test]
fn helices_are_resolved_or_refused_by_name() {
    let helix = |old: &str, new: &str| {
        let text = built_in("helix");
        assert!(text.contains(old), "{old}");
        resolved(&text.replace(old, new))
    };
    let case = helix("order", "order").unwrap();
    assert_eq!((case.settings.total_field, case.sweep.len()), (vec!["near".to_owned()], 51));
    for (old, new, field) in [
        ("cells = 2", "cells = 3", "cells along a side even"),
        ("turns = 3", "turns = 0", "Helix"),
        ("side_m = 8.4e-3", "side_m = -1.0", "sizes must be positive"),
        ("step_m = 4.2e-3", "step_m = 2e-3", "half a pitch"),
        ("turns = 3", "turns = 3\nwires = 2", "wires"),
        ("[mesh.helix]", "[mesh]\ncells = [2, 2, 2]\n[mesh.helix]", "nothing else"),
        ("group = \"port\"", "group = \"gap\"", "gap"),
    ] {
        let refused = |case: Case| crate::design::Design::new(case.mesh, &case.settings).err();
        let error = match helix(old, new) {
            Err(error) => error.to_string(),
            Ok(case) => refused(case).map(|error| error.to_string()).unwrap_or_default(),
        };
        assert!(error.contains(field), "{new}: {error}");
    }
}

#[test]
fn far_fields_are_resolved_or_refused_by_name() {
    let sphere = |old: &str, new: &str| {
        let text = built_in("sphere");
        assert!(text.contains(old), "{old}");
        resolved(&text.replace(old, new))
    };
    let far_field = sphere("order", "order").unwrap().far_field.unwrap();
    assert_eq!(far_field.theta.len(), 181);
    assert_eq!((far_field.theta[180], &far_field.phi[..]), (180.0, &[0.0, 90.0][..]));
    assert_eq!(far_field.images, [(0, Boundary::Pec), (1, Boundary::Pmc)]);
    for (old, new, field) in [
        ("theta_deg = [0.0, 180.0, 1.0]", "theta_deg = [0.0, 180.0, 0.0]", "theta_deg"),
        ("theta_deg = [0.0, 180.0, 1.0]", "theta_deg = [0.0, nan, 1.0]", "theta_deg"),
        ("theta_deg = [0.0, 180.0, 1.0]", "theta_deg = [0.0, 180.0, 1e-300]", "theta_deg"),
        ("images = { x = \"pec\"", "images = { w = \"pec\"", "images"),
        ("images = { x = \"pec\"", "images = { x = \"abc\"", "images"),
        ("frequencies_hz = [", "frequencies_hz = [50e9, ", "frequencies_hz"),
        ("frequencies_hz = [", "frequencies_hz = [nan, ", "frequencies_hz"),
        ("total_field = [\"total\"]", "", "total_field"),
        ("quarter = true", "quarter = true\nradius_mm = 3", "radius_mm"),
        ("cells = 4", "cells = 5", "cells"),
        ("high_m = [", "reflection = 2.0\nhigh_m = [", "reflection"),
    ] {
        let error = sphere(old, new).unwrap_err().to_string();
        assert!(error.contains(field), "{new}: {error}");
    }
}
