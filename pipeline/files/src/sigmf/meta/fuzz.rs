//! A million broken and odd metadata texts: never a panic, and whatever is accepted is sound.

use super::tests::CAMERA;
use super::*;
use numerics::failure::Failure as _;

const CASES: u32 = 1_000_000;

/// SplitMix64: the same cases in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number from 0 to `limit` with all 53 bits in use.
    fn number(&mut self, limit: f64) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const TOKENS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "8",
    "16",
    "64",
    "96",
    "128",
    "512",
    "4096",
    "65535",
    "65536",
    "1e6",
    "1.5e6",
    "48000.7",
    "1e308",
    "1e999",
    "-0.0",
    "5e-324",
    "0.0123456789",
    "18446744073709551615",
    "18446744073709551616",
    "null",
    "true",
    "\"\"",
    "\"ru8\"",
    "\"tiles-1bit-le\"",
    "\"1.0.0\"",
    "\"1.2.\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[32, 32]",
    "[8, 8]",
    "[64, 16]",
    "[12, 16]",
    "[1, 8]",
    "[32, 32, 32]",
    "[[[[[[]]]]]]",
    "\"nearfield\"",
    "{\"name\": \"x\", \"optional\": false}",
];

/// The camera's metadata with up to four wounds: bytes, spans, or whole values.
fn mutated(random: &mut Random) -> Vec<u8> {
    let mut text = CAMERA.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len().max(1)).min(text.len());
        let end = (at + random.below(24)).min(text.len());
        match random.below(6) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 => text.truncate(at),
            2 => drop(text.drain(at..end)),
            3 => drop(text.splice(at..at, text[at..end].to_vec())),
            4 => drop(text.splice(at..end, random.pick(TOKENS).bytes())),
            _ => replace_value(&mut text, random),
        }
    }
    text
}

/// Puts another value after one of the colons.
fn replace_value(text: &mut Vec<u8>, random: &mut Random) {
    let starts: Vec<_> =
        text.windows(2).enumerate().filter(|(_, w)| w == b": ").map(|(i, _)| i + 2).collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[random.below(starts.len())];
    let end = text[start..].iter().position(|b| b",\n}".contains(b)).map_or(text.len(), |n| start + n);
    text.splice(start..end, random.pick(TOKENS).bytes());
}

/// JSON from the grammar: the known fields in part, with mostly plausible values.
fn generated(random: &mut Random) -> Vec<u8> {
    let side = 8 << random.below(3);
    let (rows, cols) = (side * (1 + random.below(6)), side * (1 + random.below(6)));
    let fields = [
        ("core:datatype", "\"ru8\"".to_owned()),
        ("core:version", format!("\"1.{}.0\"", random.below(4))),
        ("core:num_channels", (rows * cols / 8).to_string()),
        ("core:sample_rate", format!("{:e}", random.number(9e8))),
        ("nearfield:packing", "\"tiles-1bit-le\"".to_owned()),
        ("nearfield:grid", format!("[{rows}, {cols}]")),
        ("nearfield:tile_side", side.to_string()),
        ("nearfield:pitch_m", format!("{:e}", random.number(9.0))),
        ("nearfield:first_valid", random.next().to_string()),
        ("core:description", random.pick(TOKENS).to_owned()),
    ];
    let mut text = String::from("{\"captures\": [], \"global\": {\"x\": 0");
    for (name, value) in &fields {
        match random.below(40) {
            0 => {}
            1 => text += &format!(", \"{name}\": {}", random.pick(TOKENS)),
            _ => text += &format!(", \"{name}\": {value}"),
        }
    }
    (text + "}}").into_bytes()
}

/// Writing and reading again changes nothing, nor with fresh numbers: those of a text that was read
/// have been through the reader, and one that rounds badly would only repeat itself on them.
fn assert_round_trip(mut meta: Meta, random: &mut Random) {
    for _ in 0..2 {
        assert_eq!(Meta::parse(meta.to_json().as_bytes(), Path::new("again")).unwrap(), meta);
        (meta.sample_rate_hz, meta.pitch_m) = (1.0 + random.number(9e8), 1e-6 + random.number(9.0));
    }
}

/// What the rest of the program relies on, stated apart from [`Meta::check`].
fn assert_sound(meta: &Meta) {
    let (rows, cols, side) = (usize::from(meta.rows), usize::from(meta.cols), usize::from(meta.tile_side));
    assert!(side > 0 && rows > 0 && cols > 0 && rows <= 4096 && cols <= 4096 && rows * cols <= 65536);
    assert_eq!(meta.row_bytes() * 8, (rows / side) * (cols / side) * side * side);
    assert!(meta.sample_rate_hz >= 1.0 && meta.sample_rate_hz <= 1e9);
    assert!(meta.pitch_m > 0.0 && meta.pitch_m <= 100.0);
    assert!(meta.version.starts_with("1."));
}

#[test]
fn a_million_texts() {
    let path = Path::new("fuzz.sigmf-meta");
    let mut random = Random(1);
    let (mut accepted, mut odd) = (0, 0);
    for case in 0..CASES {
        let text = if case % 2 == 0 { mutated(&mut random) } else { generated(&mut random) };
        match Meta::parse(&text, path) {
            Ok(meta) => {
                accepted += 1;
                odd += u32::from(meta.rows != 32);
                assert_sound(&meta);
                assert_round_trip(meta, &mut random);
            }
            Err(error) => {
                assert!(error.is_input() && error.to_string().starts_with("fuzz.sigmf-meta:"), "{error}")
            }
        }
    }
    // Both outcomes must be common, or the test shows nothing.
    assert!(accepted > CASES / 20 && accepted < CASES * 9 / 10, "{accepted} of {CASES} accepted");
    assert!(odd > CASES / 50, "only {odd} accepted texts differ from the camera's grid");
}
