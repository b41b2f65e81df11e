use super::*;
use holography::product::{Flags, Point};
use num_complex::Complex;

const LIMITS: Limits =
    Limits { highest_hz: 8000.0, highest_bin: 174, most_frequencies: 10, rows: 96, cols: 96 };

/// Reads numbers of a message where the documentation has them.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn at<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.0[offset..offset + N].try_into().unwrap()
    }
}

#[test]
fn a_map_comes_back_from_its_bytes() {
    let field = Field::Pressure((0..6).map(|i| Complex::new(i as f32, -0.5)).collect());
    let mut map = Map::new(2, 3, [0.02, 0.03], field).unwrap();
    map.sequence = 1 << 40;
    map.frequency_hz = 440.0;
    map.method = Method::Walsh { coefficients: Some(3) };
    map.stamps = Stamps { first_sample: 1.0, ring_in: 2.0, device_in: 3.0, device_out: 4.0, sink: 5.0 };
    map.flags = Flags { holes: true, fallback: true, ..Flags::default() };
    let bytes = encode_map(&map);
    let read = Reader(&bytes);
    assert_eq!(bytes.len(), HEADER + 6 * 8);
    assert_eq!(read.at(0), *b"NFMP");
    assert_eq!((u16::from_le_bytes(read.at(4)), u16::from_le_bytes(read.at(6))), (VERSION, 80));
    assert_eq!((u16::from_le_bytes(read.at(8)), u16::from_le_bytes(read.at(10))), (2, 3));
    assert_eq!(read.at(12), [1, 3], "complex, the fourth method");
    assert_eq!(METHODS[3], map.method.to_string());
    assert_eq!(u16::from_le_bytes(read.at(14)), 0b101);
    assert_eq!(u64::from_le_bytes(read.at(16)), 1 << 40);
    let doubles: Vec<f64> = (24..72).step_by(8).map(|i| f64::from_le_bytes(read.at(i))).collect();
    assert_eq!(doubles, [440.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let singles: Vec<f32> = (72..bytes.len()).step_by(4).map(|i| f32::from_le_bytes(read.at(i))).collect();
    assert_eq!(singles, [0.02, 0.03, 0.0, -0.5, 1.0, -0.5, 2.0, -0.5, 3.0, -0.5, 4.0, -0.5, 5.0, -0.5]);
}

#[test]
fn amplitudes_take_half_the_bytes() {
    let map = Map::new(1, 2, [1.0; 2], Field::Amplitude(vec![0.25, f32::NAN])).unwrap();
    let bytes = encode_map(&map);
    assert_eq!((bytes.len(), bytes[12]), (HEADER + 8, 0));
    assert_eq!(bytes[HEADER..HEADER + 4], 0.25f32.to_le_bytes());
}

#[test]
fn every_method_has_the_number_of_its_name() {
    for name in METHODS {
        let method: Method = name.parse().unwrap();
        assert_eq!(METHODS[usize::from(method_number(method))], name);
    }
}

#[test]
fn text_has_type_version_and_fields() {
    let json = |telling: Telling| -> serde_json::Value { serde_json::from_str(&telling.to_text()).unwrap() };
    let health = json(Telling::health(&[Health::Ok, Health::Saturated]));
    assert_eq!(health, serde_json::json!({"type": "health", "v": 1, "letters": "oc"}));
    let point = Point { row: 1, col: 2 };
    let spectrum = Spectrum { point, first_hz: 0.0, step_hz: 45.5, pressure_pa: vec![0.5, f32::INFINITY] };
    let expected = serde_json::json!({
        "type": "spectrum", "v": 1, "point": {"row": 1, "col": 2}, "first_hz": 0.0, "step_hz": 45.5,
        "pressure_pa": [0.5, null]
    });
    assert_eq!(json(Telling::Spectrum(&spectrum)), expected);
    let status = json(Telling::Status(&Status::default()));
    assert_eq!((&status["method"], &status["recording"]["state"]), (&"dot".into(), &"off".into()));
    assert_eq!(json(Telling::reply(None, Err(Refusal::Busy)))["id"], serde_json::Value::Null);
}

#[test]
fn a_request_is_numbered_and_of_this_version() {
    let decode = |text: &str| decode(text, &LIMITS);
    let good = r#"{"v":1,"id":7,"command":{"do":"record","on":true}}"#;
    assert_eq!(decode(good), (Some(7), Ok(Command::Record(true))));
    let (id, outcome) = decode(&good.replace("\"v\":1", "\"v\":2"));
    assert_eq!((id, outcome), (Some(7), Err(Refusal::Version(2))));
    let (id, outcome) = decode(&good.replace("record", "explode"));
    assert!(id == Some(7) && matches!(outcome, Err(Refusal::Malformed(_))));
    assert_eq!(decode("[").0, None);
}
