use numerics::random::SplitMix64;

use super::*;
use crate::array::testing::{TOKENS, wounded};

/// The order and the odd spaces of files that are in use.
const XML: &str = r#"<?xml version="1.1" encoding="utf-8"?><MicArray name="six">
  <!-- two rows of three, from the right -->
  <pos Name="Point 1"	x="	0.02"	y="-0.01"	z="0" />
  <pos Name="Point 2" x="0" y="-0.01 " z="0.0"/>
  <pos Name="Point 3" x="-0.02" y="-1e-2" z="0.0"></pos>
  <pos Name="Point 4" x="0.02" y="0.01" z="0"/>
  <pos Name="Point 5" x="0.0" y="0.01" z="0"/>
  <pos x="-0.02" y="0.01" z="0"/>
</MicArray>"#;

const LISTED: &str = "name = 'four'\nmissing = [3]\ndead = [0]\n\
    [[microphone]]\nx_m = 0\ny_m = 0.0\n[[microphone]]\nx_m = 0.02\ny_m = 0.0\nz_m = 1e-5\n\
    [[microphone]]\nx_m = 0.0\ny_m = 0.02\n[[microphone]]\nx_m = 0.02\ny_m = 0.02\n";

const REGULAR: &str = "rows = 4\ncols = 6\npitch_m = 0.02\nmissing = [0, 23]\ndead = [7]\n";

#[test]
fn xml_keeps_the_order_of_the_file() {
    let geometry = Geometry::parse_xml(XML).unwrap();
    assert_eq!(geometry.positions()[0], [0.02, -0.01]);
    assert_eq!(geometry.positions()[5], [-0.02, 0.01]);
    let grid = geometry.grid();
    assert_eq!((grid.rows, grid.cols), (2, 3));
    assert!((grid.pitch_m - 0.02).abs() < 1e-15);
}

#[test]
fn toml_lists_and_grids() {
    let listed = Geometry::parse_toml(LISTED).unwrap();
    assert_eq!(listed.live(), [false, true, true, false]);
    assert_eq!(listed.condition(3), Some(Condition::Missing));
    assert_eq!(listed.condition(4), None);
    let regular = Geometry::parse_toml(REGULAR).unwrap();
    assert_eq!(regular.positions()[1], [-0.03, -0.03]);
    assert_eq!(regular.live().iter().filter(|live| !**live).count(), 3);
    let both = Geometry::parse_toml(&format!("rows = 3\ncols = 5\npitch_m = 0.01\n{LISTED}")).unwrap();
    assert_eq!((both.positions().len(), both.grid().len()), (4, 15));
}

#[test]
fn faults_are_named() {
    let faults: [(&str, String, &str); 17] = [
        ("xml", XML.replace("\"0\" y", "\"nan\" y"), "x of microphone 1 is NaN"),
        ("xml", XML.replace("-1e-2", "1e999"), "y of microphone 2 is inf"),
        ("xml", XML.replace("\"-0.01 \"", "\"a\""), "line 4: attribute y of microphone 1 is \"a\""),
        ("xml", XML.replace("y=\"-0.01 \"", ""), "line 4: attribute y of microphone 1 is missing"),
        ("xml", XML.replace("</pos>", ""), "line 9, column 1: not valid XML"),
        ("xml", XML.replace("<MicArray", "<!DOCTYPE a><MicArray"), "not valid XML"),
        ("xml", "<MicArray/>".into(), "the number of microphones is 0"),
        (
            "xml",
            XML.replace("x=\"-0.02\" y=\"0.01\"", "x=\"0\" y=\"0.01\""),
            "microphones 4 and 5 are 0e0 m apart",
        ),
        ("xml", XML.replace("z=\"0.0\"/>", "z=\"0.0013\"/>"), "microphone 1 is 1.0833"),
        ("toml", REGULAR.replace("0.02", "nan"), "pitch_m is NaN"),
        ("toml", REGULAR.replace("0.02", "0"), "pitch_m is 0"),
        ("toml", REGULAR.replace('6', "600000"), "the grid is 4 x 600000"),
        ("toml", REGULAR.replace("dead", "ded"), "line 5, column 1"),
        ("toml", REGULAR.replace("[7]", "[24]"), "a channel of dead is 24; it must be 0 to 23"),
        ("toml", REGULAR.replace("[7]", "[0]"), "a channel of dead is 0 again"),
        ("toml", REGULAR.replace("rows = 4\n", ""), "one of rows, cols and pitch_m is missing"),
        ("toml", LISTED.replace("0.02", "inf"), "x of microphone 1 is inf"),
    ];
    for (format, text, expected) in faults {
        let parse = if format == "xml" { Geometry::parse_xml } else { Geometry::parse_toml };
        let message = parse(&text).expect_err(&text).to_string();
        assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    }
}

#[test]
fn files_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Geometry::from_file(&path)
    };
    let with_mark = [b"\xef\xbb\xbf", XML.as_bytes()].concat();
    assert_eq!(write("a.XML", &with_mark).unwrap(), Geometry::parse_xml(XML).unwrap());
    assert_eq!(write("a.toml", REGULAR.as_bytes()).unwrap(), Geometry::parse_toml(REGULAR).unwrap());
    let message = |result: Result<Geometry, Error>| result.unwrap_err().to_string();
    assert!(message(write("a.txt", b"")).contains("must end in .xml or .toml"));
    assert!(message(write("b.toml", b"rows = \xff")).contains("b.toml: byte 7 is not UTF-8"));
    assert!(message(write("c.toml", &vec![b'#'; (16 << 20) + 1])).contains("the limit is 16777216"));
    assert!(message(Geometry::from_file(&folder.path().join("none.xml"))).contains("cannot be read"));
}

/// What the rest of the program relies on.
fn assert_sound(geometry: &Geometry) {
    let positions = geometry.positions();
    assert!((1..=MAX_MICROPHONES).contains(&positions.len()));
    assert_eq!(geometry.live().len(), positions.len());
    assert!(positions.iter().flatten().all(|v| v.is_finite()));
    for (n, p) in positions.iter().enumerate().take(50) {
        assert!(positions[..n].iter().all(|q| q != p));
    }
    let grid = geometry.grid();
    assert!((1..=MAX_MICROPHONES).contains(&grid.len()) && grid.pitch_m > 0.0 && grid.pitch_m.is_finite());
    assert!(grid.centre_m.iter().all(|c| c.is_finite()));
}

/// 2e5 wounded texts a format: never a panic, what is accepted is sound, and both outcomes are common.
fn fuzz(texts: &[&str], parse: fn(&str) -> Result<Geometry, Error>) {
    const CASES: usize = 200_000;
    let mut random = SplitMix64::new(7);
    let mut accepted = 0;
    for case in 0..CASES {
        let text = wounded(texts[case % texts.len()], TOKENS, &mut random);
        match parse(&text) {
            Ok(geometry) => {
                accepted += 1;
                assert_sound(&geometry);
            }
            Err(error) => assert!((10..2000).contains(&error.to_string().len()), "{error}"),
        }
    }
    assert!(accepted > CASES / 50 && accepted < CASES * 9 / 10, "{accepted} of {CASES} accepted");
}

#[test]
fn wounded_xml() {
    fuzz(&[XML], Geometry::parse_xml);
}

#[test]
fn wounded_toml() {
    fuzz(&[LISTED, REGULAR], Geometry::parse_toml);
}
