//! Coverages against independent data: `shared/data/reflectarray/coverage_*.json`, outlines in latitude and longitude with their u and v.

use pipeline::reflectarray::coverage::geostationary::{Place, View};
use pipeline::reflectarray::coverage::{self, Area, Specification, Zone};
use serde::Deserialize;

/// Directions are sums and products of numbers near 1: a few units of 2^-53.
const ROUNDING: f64 = 1e-14;

#[derive(Deserialize)]
struct Data {
    sat_lon: f64,
    centre_lat: f64,
    centre_lon: f64,
    /// Latitude first.
    polys_latlon: Vec<Vec<[f64; 2]>>,
    polys_uv_vertices: Vec<Vec<[f64; 2]>>,
    polys_uv_densified8: Vec<Vec<[f64; 2]>>,
    /// Integral of du dv.
    solid_angle_sr: f64,
}

fn place([latitude_deg, longitude_deg]: [f64; 2]) -> Place {
    Place { longitude_deg, latitude_deg }
}

fn data(test: &str) -> Vec<(&'static str, Data)> {
    let names = ["europe", "europewide", "conus_canada"].into_iter();
    let read = |name| {
        let path = tests::shared(test, &format!("reflectarray/coverage_{name}.json"))?;
        Some((name, serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()))
    };
    names.filter_map(read).collect()
}

fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
}

#[test]
fn directions_of_the_vertices() {
    for (name, data) in data("directions_of_the_vertices") {
        let view = View::new(data.sat_lon, place([data.centre_lat, data.centre_lon])).unwrap();
        for (polygon, expected) in data.polys_latlon.iter().zip(&data.polys_uv_vertices) {
            for (vertex, expected) in polygon.iter().zip(expected) {
                let found = view.direction(place(*vertex)).unwrap();
                assert!(apart(found, *expected) < ROUNDING, "{name}: {vertex:?}: {found:?}, {expected:?}");
            }
        }
    }
}

#[test]
fn outlines_and_solid_angles() {
    for (name, data) in data("outlines_and_solid_angles") {
        let view = View::new(data.sat_lon, place([data.centre_lat, data.centre_lon])).unwrap();
        let mut zones = Vec::new();
        for (polygon, expected) in data.polys_latlon.iter().zip(&data.polys_uv_densified8) {
            let places: Vec<Place> = polygon.iter().copied().map(place).collect();
            let outline = coverage::outline(name, &view, &places).unwrap();
            assert_eq!(outline.len(), expected.len(), "{name}");
            let worst = outline.iter().zip(expected).map(|(a, b)| apart(*a, *b)).fold(0.0, f64::max);
            assert!(worst < ROUNDING, "{name}: {worst}");
            let area = Area::new(outline, 0.0);
            zones.push(Zone { name: name.into(), area, lower_dbi: Some(0.0), upper_dbi: None, weight: 1.0 });
        }
        let mask = Specification { zones, side_lobes: None }.mask(0.002).unwrap();
        // The data leaves out 1/cos(theta), which is at most 0.3 % within 0.08 of the aim. The grids differ by half a cell along the boundary.
        let ratio = mask.solid_angle / data.solid_angle_sr;
        println!("{name}: {} sr, {ratio} of the data's, bound {} dBi", mask.solid_angle, mask.bound_dbi());
        assert!((0.996..1.008).contains(&ratio), "{name}: {ratio}");
    }
}
