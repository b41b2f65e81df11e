use super::*;
use numerics::failure::Failure as _;

/// The metadata of the camera's recordings.
pub(super) const CAMERA: &str = r#"{
 "global": {
  "core:datatype": "ru8",
  "core:num_channels": 128,
  "core:sample_rate": 1500000,
  "core:version": "1.2.0",
  "core:description": "synthetic scene",
  "core:extensions": [{"name": "nearfield", "version": "1.0.0", "optional": false}],
  "nearfield:packing": "tiles-1bit-le",
  "nearfield:grid": [32, 32],
  "nearfield:tile_side": 8,
  "nearfield:pitch_m": 0.02,
  "nearfield:first_valid": 4096
 },
 "captures": [{"core:sample_start": 0}],
 "annotations": []
}"#;

fn parse(text: &str) -> Result<Meta, Error> {
    Meta::parse(text.as_bytes(), Path::new("r.sigmf-meta"))
}

#[test]
fn the_cameras_metadata() {
    let meta = parse(CAMERA).unwrap();
    let expected = Meta {
        version: "1.2.0".into(),
        sample_rate_hz: 1.5e6,
        rows: 32,
        cols: 32,
        tile_side: 8,
        pitch_m: 0.02,
        first_valid: 4096,
        description: Some("synthetic scene".into()),
        unfinished: false,
    };
    assert_eq!(meta, expected);
    assert_eq!(meta.row_bytes(), 128);
    assert_eq!(parse(&meta.to_json()).unwrap(), meta);
}

#[test]
fn extra_fields_are_ignored() {
    let extra = CAMERA
        .replace("\"core:version\"", "\"core:author\": \"x\", \"other:field\": [[{}]], \"core:version\"")
        .replace("\"optional\": false}", "\"optional\": false}, {\"name\": \"antenna\", \"optional\": true}")
        .replace("\"core:sample_start\": 0", "\"core:sample_start\": 0, \"core:header_bytes\": 0");
    assert_eq!(parse(&extra).unwrap(), parse(CAMERA).unwrap());
}

/// Each line: text to replace, replacement, field that the error must name.
const WRONG: &[(&str, &str, &str)] = &[
    ("\"ru8\"", "\"cf32_le\"", "core:datatype"),
    ("\"ru8\"", "8", "core:datatype"),
    ("tiles-1bit-le", "rows-1bit", "nearfield:packing"),
    ("128", "127", "core:num_channels"),
    ("128", "128.0", "core:num_channels"),
    ("1500000", "0", "core:sample_rate"),
    ("1500000", "-1500000", "core:sample_rate"),
    ("1500000", "1e10", "core:sample_rate"),
    ("1500000", "\"fast\"", "core:sample_rate"),
    ("1.2.0", "2.0.0", "core:version"),
    ("1.2.0", "1.2", "core:version"),
    ("[32, 32]", "[32]", "nearfield:grid"),
    ("[32, 32]", "[32, -32]", "nearfield:grid"),
    ("[32, 32]", "[0, 32]", "nearfield:grid"),
    ("[32, 32]", "[8192, 8]", "nearfield:grid"),
    ("[32, 32]", "[4096, 4096]", "nearfield:grid"),
    ("[32, 32]", "[18446744073709551615, 32]", "nearfield:grid"),
    ("_side\": 8", "_side\": 0", "nearfield:tile_side"),
    ("_side\": 8", "_side\": 5", "nearfield:tile_side"),
    ("_side\": 8", "_side\": 64", "nearfield:tile_side"),
    ("0.02", "-0.02", "nearfield:pitch_m"),
    ("0.02", "0", "nearfield:pitch_m"),
    ("4096", "-1", "nearfield:first_valid"),
    ("4096", "1e30", "nearfield:first_valid"),
    ("\"nearfield\"", "\"spatial\"", "core:extensions"),
    ("sample_start\": 0", "header_bytes\": 64", "core:header_bytes"),
    ("core:description", "core:dataset", "core:dataset"),
    ("\"core:version\"", "\"core:trailing_bytes\": 4, \"core:version\"", "core:trailing_bytes"),
];

#[test]
fn a_wrong_field_is_named_with_its_value() {
    for &(from, to, field) in WRONG {
        let error = parse(&CAMERA.replacen(from, to, 1)).unwrap_err();
        match &error {
            Error::BadField { field: named, .. } => assert_eq!(*named, field, "{from} -> {to}: {error}"),
            other => panic!("{from} -> {to}: {other}"),
        }
        assert!(error.to_string().starts_with("r.sigmf-meta: the field "), "{error}");
        assert!(error.is_input());
    }
}

#[test]
fn a_grid_that_is_not_whole_bytes_is_refused() {
    let text = CAMERA.replace("[32, 32]", "[3, 3]").replace("_side\": 8", "_side\": 1");
    assert!(matches!(parse(&text), Err(Error::BadField { field: "nearfield:grid", .. })));
}

#[test]
fn every_needed_field_is_missed() {
    let needed = [
        "global",
        "core:datatype",
        "core:num_channels",
        "core:sample_rate",
        "core:version",
        "nearfield:packing",
        "nearfield:grid",
        "nearfield:tile_side",
        "nearfield:pitch_m",
        "nearfield:first_valid",
    ];
    for field in needed {
        let error = parse(&CAMERA.replace(&format!("\"{field}\""), "\"x\"")).unwrap_err();
        assert!(
            matches!(error, Error::MissingField { field: named, .. } if named == field),
            "{field}: {error}"
        );
    }
    assert!(matches!(parse("[]"), Err(Error::MissingField { field: "global", .. })));
    assert!(matches!(parse("{\"global\": 3}"), Err(Error::BadField { field: "global", .. })));
}

#[test]
fn broken_json_gives_line_and_column() {
    match parse("{\n \"global\": ?}").unwrap_err() {
        Error::Json { line, column, message, .. } => {
            assert_eq!((line, column, &*message), (2, 12, "expected value"))
        }
        other => panic!("{other}"),
    }
    for text in ["", "{", "nul", &"[".repeat(100_000)] {
        assert!(matches!(parse(text), Err(Error::Json { .. })), "{text:.20}");
    }
    let bad_utf8 = Meta::parse(b"{\"\xff\": 1}", Path::new("r"));
    assert!(matches!(bad_utf8, Err(Error::Json { .. })));
}

#[test]
fn long_values_are_shortened_in_messages() {
    let error = parse(&CAMERA.replace("ru8", &"\u{e9}".repeat(10_000))).unwrap_err();
    assert!(error.to_string().chars().count() < 250, "{error}");
}

#[test]
fn holes_say_which_samples_are_whole() {
    // Another writer's: neither in order nor apart.
    let holes = Holes { listed: vec![(20, 5), (10, 4), (12, 4), (0, 0)], count: 4, samples: 13 };
    let runs: Vec<_> = [0, 9, 10, 13, 15, 16, 19, 20, 24, 25].map(|at| holes.whole_at(at)).into();
    let whole = (true, u64::MAX);
    let hole = [(false, 14), (false, 16)];
    assert_eq!(
        runs,
        [
            (true, 10),
            (true, 10),
            hole[0],
            hole[1],
            hole[1],
            (true, 20),
            (true, 20),
            (false, 25),
            (false, 25),
            whole
        ]
    );
    assert_eq!((holes.within(0..100), holes.within(11..13), holes.within(16..20)), (6 + 5, 2, 0));
    // One more that is not listed: it may be anywhere behind.
    let more = Holes { count: 5, ..holes };
    assert_eq!((more.whole_at(16), more.whole_at(25)), ((true, 20), (false, u64::MAX)));
    assert_eq!(more.within(0..100), 6 + 5 + 75);
    let unlisted = Holes { listed: Vec::new(), count: 1, samples: 3 };
    assert_eq!((unlisted.whole_at(0), Holes::default().whole_at(7)), ((false, u64::MAX), whole));
    let odd = Holes { listed: vec![(5, u64::MAX)], count: 1, samples: u64::MAX };
    assert_eq!(odd.within(0..u64::MAX), u64::MAX - 5);
}
