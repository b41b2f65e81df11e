use super::super::contour::{Kind, outline};
use super::super::{Error, Plan};
use super::*;

fn refusal(outlines: &[Outline], settings: &Settings) -> Error {
    Plan::on_cpu(outlines, settings).err().unwrap()
}

#[test]
fn equations_and_methods_must_fit_the_bodies() {
    let settings = Settings::new(1.0);
    let strip = [Outline::strip(1.0).unwrap()];
    for formulation in [Formulation::Mfie, Formulation::Cfie(0.5)] {
        let error = refusal(&strip, &Settings { formulation, ..settings });
        assert!(matches!(error, Error::Open { body: 1, .. }), "{error}");
    }
    let error = refusal(&strip, &Settings { impedance: 50.0.into(), ..settings });
    assert!(matches!(error, Error::Open { what: "a surface impedance", .. }), "{error}");
    let kress = Settings { method: Method::Kress, ..settings };
    assert!(matches!(refusal(&strip, &kress), Error::Open { .. }));
    let square = outline(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], Kind::Polygon).unwrap();
    assert!(
        matches!(refusal(std::slice::from_ref(&square), &kress), Error::Unsupported { what, .. } if what.starts_with("body 1 has corners"))
    );
    let circle = [Outline::circle([0.0; 2], 1.0).unwrap()];
    let odd = Settings { density: Density::Cells(63), ..kress };
    assert!(
        matches!(refusal(&circle, &odd), Error::Value { what, given, .. } if what.contains("body 1") && given == "63")
    );
    assert!(matches!(refusal(&[], &settings), Error::Empty));
    let few = Settings { density: Density::Cells(3), ..settings };
    assert!(
        matches!(refusal(&[square], &few), Error::Value { given, allowed, .. } if given == "3" && allowed.contains("4 sides"))
    );
}

#[test]
fn numbers_must_make_sense() {
    let circle = [Outline::circle([0.0; 2], 1.0).unwrap()];
    let settings = Settings::new(1.0);
    for wavelength in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(refusal(&circle, &Settings::new(wavelength)), Error::Value { what, .. } if what == "wavelength")
        );
    }
    for nodes in [0, 17] {
        let error = refusal(&circle, &Settings { method: Method::Lcn(nodes), ..settings });
        assert!(matches!(error, Error::Value { what, .. } if what == "number of nodes a cell"));
    }
    for part in [0.0, 1.0, f64::NAN] {
        let error = refusal(&circle, &Settings { formulation: Formulation::Cfie(part), ..settings });
        assert!(matches!(error, Error::Value { what, .. } if what .starts_with("part of the electric")));
    }
    let error = refusal(&circle, &Settings { impedance: (-1.0).into(), ..settings });
    assert!(matches!(error, Error::Value { what, .. } if what .starts_with("surface impedance")));
    // 8 nodes on a cell of 6.28 wavelengths.
    let error = refusal(&circle, &Settings { density: Density::Cells(1), ..settings });
    assert!(matches!(error, Error::Coarse { nodes: 8, .. }), "{error}");
    for density in
        [Density::Cells(1_000_000_000), Density::PerWavelength(1e12), Density::PerWavelength(1e300)]
    {
        let error = refusal(&circle, &Settings { density, ..settings });
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
    let plan = Plan::on_cpu(&circle, &settings).unwrap();
    assert!(matches!(plan.solve(&[f64::NAN]), Err(Error::Value { what, .. }) if what == "incidence"));
}
