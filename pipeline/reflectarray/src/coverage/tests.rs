use super::*;

fn places(pairs: &[[f64; 2]]) -> Vec<Place> {
    pairs.iter().map(|&[longitude_deg, latitude_deg]| Place { longitude_deg, latitude_deg }).collect()
}

fn view(longitude: f64) -> View {
    View::new(longitude, Place { longitude_deg: longitude, latitude_deg: 30.0 }).unwrap()
}

fn zone(name: &str, outline: Vec<[f64; 2]>, margin: f64, lower_dbi: Option<f64>) -> Zone {
    Zone { name: name.into(), area: Area::new(outline, margin), lower_dbi, upper_dbi: None, weight: 1.0 }
}

fn square(centre: [f64; 2], half: f64) -> Vec<[f64; 2]> {
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[u, v]| [centre[0] + half * u, centre[1] + half * v])
        .to_vec()
}

#[test]
fn sides_are_cut_in_longitude_and_latitude() {
    let polygon = places(&[[0.0, 20.0], [8.0, 20.0], [8.0, 60.0]]);
    let outline = outline("a", &view(0.0), &polygon).unwrap();
    // 8 pieces, 10 pieces of 4 degrees, and 11 of 40.8 degrees.
    assert_eq!(outline.len(), 8 + 10 + 11);
    let middle = Place { longitude_deg: 4.0, latitude_deg: 20.0 };
    assert_eq!(Some(outline[4]), view(0.0).direction(middle));
}

#[test]
fn the_date_line_is_no_border() {
    let across =
        outline("a", &view(180.0), &places(&[[170.0, 0.0], [-170.0, 0.0], [-170.0, 20.0], [170.0, 20.0]]));
    let plain = outline("a", &view(0.0), &places(&[[-10.0, 0.0], [10.0, 0.0], [10.0, 20.0], [-10.0, 20.0]]));
    for (a, b) in across.unwrap().iter().zip(&plain.unwrap()) {
        assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12, "{a:?} {b:?}");
    }
}

#[test]
fn a_vertex_beyond_the_horizon_is_named() {
    let polygon = places(&[[0.0, 40.0], [8.0, 40.0], [90.0, 60.0]]);
    let error = outline("Europe", &view(0.0), &polygon).unwrap_err();
    let error = error.to_string();
    let named = ["Europe: vertex 1 (", "Europe: vertex 2 ("].iter().any(|vertex| error.starts_with(vertex));
    assert!(named && error.contains("horizon"), "{error}");
    let at = places(&[[90.0, 60.0], [0.0, 40.0], [8.0, 40.0]]);
    let error = outline("Europe", &view(0.0), &at).unwrap_err().to_string();
    assert!(error.contains("vertex 0 (longitude 90 latitude 60)"), "{error}");
    let nan = outline("x", &view(0.0), &places(&[[f64::NAN, 0.0], [1.0, 0.0], [0.0, 1.0]]));
    assert!(nan.unwrap_err().to_string().contains("horizon"));
}

#[test]
fn polygons_that_are_none_are_refused() {
    let two = outline("a", &view(0.0), &places(&[[0.0, 40.0], [8.0, 40.0]]));
    assert!(two.unwrap_err().to_string().starts_with("a: 2 vertices"));
    let bow = outline("a", &view(0.0), &places(&[[0.0, 40.0], [8.0, 50.0], [8.0, 40.0], [0.0, 50.0]]));
    let crossing = "a: the side after vertex 0 meets the side after vertex 2";
    assert!(bow.unwrap_err().to_string().starts_with(crossing));
    let outside = outline_uv("a", &[[0.0, 0.0], [0.9, 0.9], [0.0, 0.1]]);
    assert!(outside.unwrap_err().to_string().starts_with("a: vertex 1 is u 0.9 v 0.9"));
    assert!(outline_uv("a", &[[f64::NAN, 0.0]; 3]).is_err());
}

#[test]
fn a_mask_has_the_area_and_the_boundary() {
    let zones = vec![
        zone("left", square([-0.1, 0.0], 0.05), 0.0, Some(0.0)),
        zone("right", square([0.1, 0.0], 0.05), 0.0, Some(-3.0)),
    ];
    let mask = Specification { zones, side_lobes: None }.mask(0.0101).unwrap();
    // 0.1 x 0.1 twice, and 1/cos(theta) is within 1.2 % of 1.
    assert!((mask.solid_angle / 0.02 - 1.0).abs() < 0.03, "{}", mask.solid_angle);
    for region in &mask.regions {
        assert!((80..=120).contains(&region.interior), "{}", region.interior);
        assert_eq!(region.len() - region.interior, 4 * 10);
        assert_eq!(region.u.len(), region.v.len());
    }
    assert!(mask.regions[0].is_coverage() && mask.regions[1].lower_dbi == Some(-3.0));
}

#[test]
fn the_finer_mask_has_every_sample_of_the_coarser() {
    let specification = Specification {
        zones: vec![zone("a", square([0.013, 0.02], 0.05), 0.004, Some(0.0))],
        side_lobes: None,
    };
    let (coarse, fine) = (specification.mask(0.01).unwrap(), specification.mask(0.005).unwrap());
    let inside = |mask: &Mask| -> Vec<[f64; 2]> {
        let region = &mask.regions[0];
        region
            .u
            .iter()
            .copied()
            .zip(region.v.iter().copied())
            .take(region.interior)
            .map(|(u, v)| [u, v])
            .collect()
    };
    let (coarse, fine) = (inside(&coarse), inside(&fine));
    assert!(coarse.iter().all(|p| fine.iter().any(|q| (p[0] - q[0]).abs() + (p[1] - q[1]).abs() < 1e-12)));
    assert!(fine.len() > 3 * coarse.len());
}

#[test]
fn overlapping_coverages_count_once() {
    let one = vec![zone("a", square([0.0, 0.0], 0.05), 0.0, Some(0.0))];
    let two = [one.clone(), vec![zone("b", square([0.0, 0.0], 0.05), 0.0, Some(0.0))]].concat();
    let angle = |zones| Specification { zones, side_lobes: None }.mask(0.01).unwrap().solid_angle;
    assert_eq!(angle(one), angle(two));
}

#[test]
fn side_lobes_keep_their_distance() {
    let zones = vec![
        zone("a", square([0.0, 0.0], 0.05), 0.01, Some(0.0)),
        zone("quiet", square([0.3, 0.0], 0.02), 0.0, None),
    ];
    let lobes = SideLobes { upper_dbi: 3.0, gap: 0.04, reach: 0.5, weight: 2.0 };
    let mask = Specification { zones, side_lobes: Some(lobes) }.mask(0.01).unwrap();
    let region = mask.regions.last().unwrap();
    assert_eq!(
        (region.name.as_str(), region.interior, region.upper_dbi),
        ("side lobes", region.len(), Some(3.0))
    );
    // From the square, which is grown by 0.01.
    let off = |(u, v): (&f64, &f64)| (u.abs() - 0.05).max(0.0).hypot((v.abs() - 0.05).max(0.0));
    let nearest = region.u.iter().zip(&region.v).map(off).fold(1.0, f64::min);
    assert!((0.05 - 1e-12..0.06).contains(&nearest), "{nearest}");
    assert!(region.u.iter().zip(&region.v).all(|(u, v)| u.hypot(*v) <= 0.5));
    assert!(!region.is_coverage() && !mask.regions[1].is_coverage());
}

#[test]
fn masks_that_cannot_be_are_refused() {
    let specification = Specification {
        zones: vec![zone("a", square([0.013, 0.013], 0.004), 0.0, Some(0.0))],
        side_lobes: None,
    };
    assert!(specification.mask(0.1).unwrap_err().to_string().starts_with("a: no multiple"));
    for step in [1e-9, 0.0, f64::NAN, f64::MIN_POSITIVE] {
        let many = specification.mask(step).unwrap_err().to_string();
        assert!(many.contains("2000000 are allowed"), "{step}: {many}");
    }
    assert!(Specification::default().mask(0.01).unwrap().is_empty());
}
