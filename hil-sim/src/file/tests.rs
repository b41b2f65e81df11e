//! The language against the structures, its errors, and what hostile files do.

use super::*;
use crate::faults::{Chosen, Trouble};
use crate::moving::Path as Track;
use crate::noise::Origin;
use crate::source::Source;

fn bench(text: &str) -> Bench {
    parse(text, Path::new("x.toml"), Path::new(".")).unwrap()
}

/// Line and message of the error.
fn error(text: &str) -> (usize, String) {
    match parse(text, Path::new("x.toml"), Path::new(".")).unwrap_err() {
        Error::SceneFile { line, message, .. } => (line, message),
        other => panic!("{other}"),
    }
}

#[test]
fn empty_file_is_silence_before_the_camera() {
    assert_eq!(bench(""), Bench::new(Scene::default(), Array::CAMERA, Settings::default()));
}

const EVERYTHING: &str = r#"
bit_rate_hz = 1_000_000
seed = 7
include = "monopole"
[array]
rows = 8
cols = 16
pitch_m = 0.03
standoff_m = 0.05
[microphones]
phase_spread_deg = 1.0
snr_db = 50
overload_pa = 10
[[line]]
frequency_hz = 800
[[line.source]]
kind = "monopole"
position_m = [0, 0, -0.1]
amplitude_pa_m = [0.1, 0.2]
[[line.source]]
kind = "dipole"
position_m = [0, 0, -0.1]
direction = [1, 0, 0]
amplitude_pa_m2 = 0.001
[[line]]
frequency_hz = 300
source = [
  { kind = "plate", centre_m = [0, 0, -0.01], sides_m = [0.3, 0.2], mode = [2, 1], velocity_m_s = 0.01 },
  { kind = "piston", centre_m = [0, 0, -0.01], radius_m = 0.05, velocity_m_s = 0.001 },
]
[[moving]]
path = "circle"
frequency_hz = 900
amplitude_pa_m = 0.01
centre_m = [0, 0, -0.05]
radius_m = 0.1
turns_per_s = -3
start_deg = 90
[[moving]]
path = "straight"
frequency_hz = 900
amplitude_pa_m = 0.01
start_m = [-1, 0, -0.05]
velocity_m_s = [2, 0]
[[noise]]
kind = "point"
band_hz = [100, 4000]
position_m = [0, 0, -0.2]
rms_pa_m = 0.02
[[noise]]
kind = "flow"
band_hz = [0, 1000]
rms_pa = 0.1
[[fault]]
kind = "noisy"
microphones = [3, 4]
rms_pa = 0.5
from_s = 1
to_s = 2
[[fault]]
kind = "idle"
fraction = 0.1
[clock]
drift_ppm = 20
jitter_s = 1e-9
restart = [{ at_s = 5, silence_s = 0.1 }]
[link]
loss = 0.01
reorder_depth = 5
"#;

#[test]
fn every_table_is_understood() {
    let b = bench(EVERYTHING);
    assert_eq!((b.settings.bit_rate_hz, b.settings.seed, b.array.layout.cols()), (1e6, 7, 16));
    assert_eq!((b.array.pitch, b.array.standoff, b.overload_pa), (0.03, 0.05, Some(10.0)));
    assert_eq!(b.settings.imperfections.snr_db, Some(50.0));
    assert!((b.settings.imperfections.phase_spread - 0.017_453).abs() < 1e-6);
    assert_eq!(b.scene.lines.iter().map(|l| l.sources.len()).collect::<Vec<_>>(), [1, 2, 2]);
    let Source::Monopole { amplitude, .. } = &b.scene.lines[1].sources[0] else { panic!() };
    assert_eq!((amplitude.re, amplitude.im), (0.1, 0.2));
    let Track::Circle { turns_per_s, start_turns, .. } = b.moving[0].path else { panic!() };
    assert_eq!((turns_per_s, start_turns), (-3.0, 0.25));
    assert_eq!(b.noises[1].origin, Origin::Flow { rms_pa: 0.1 });
    assert_eq!(b.faults[0].trouble, Trouble::Noisy { rms_pa: 0.5 });
    assert_eq!((b.faults[1].chosen.clone(), b.faults[1].to_s), (Chosen::Fraction(0.1), f64::INFINITY));
    assert_eq!((b.clock.restarts[0].silence_s, b.link.loss, b.link.reorder_depth), (0.1, 0.01, 5));
    assert!(crate::Simulator::of(&b).is_ok());
}

#[test]
fn errors_name_the_line_and_the_remedy() {
    let source = "[[line]]\nfrequency_hz = 500\n[[line.source]]\nkind = \"monopole\"\nposition_m = ";
    let cases = [
        ("seed = -1", 1, "expected u64"),
        ("sed = 1", 1, "unknown field `sed`, expected one of"),
        ("a = [1,\n2\n3]", 3, ""),
        ("[array]\nrows = 7", 1, "not a multiple of the tile side"),
        ("\n\n[array]\npitch_m = 0", 3, "above 0 m"),
        ("[microphones]\nsnr_db = 1000", 1, "0 .. 200 dB"),
        ("[[line]]\nfrequency_hz = 500\n[[line]]\nfrequency_hz = nan", 3, "bit rate / 32"),
        (&format!("{source}[0, 0, 1]\namplitude_pa_m = 1"), 3, "z < 0"),
        (&format!("{source}[0, 0]\namplitude_pa_m = 1"), 3, "length 3"),
        (&format!("{source}[0, 0, -1]\namplitude_pa_m = \"a\""), 3, "a number or [re, im]"),
        (&format!("{source}[0, 0, -1]\namplitude = 1"), 3, "unknown field `amplitude`"),
        (&format!("{source}[0, 0, -1]\namplitude_pa_m = inf"), 3, "finite"),
        ("include = \"opera\"", 1, "there are demo"),
        ("\n[[noise]]\nkind = \"flow\"\nband_hz = [5, 1]\nrms_pa = 1", 2, "in order"),
        ("\n[[fault]]\nkind = \"idle\"", 2, "either microphones or fraction"),
        ("[[fault]]\nkind = \"idle\"\nfraction = 0.1\ngain_db = 3", 1, "belongs to"),
        ("[[fault]]\nkind = \"noisy\"\nfraction = 0.1", 1, "rms_pa"),
        ("[[fault]]\nkind = \"zero\"\nmicrophones = [1024]", 1, "counted from 0"),
        ("[link]\nloss = 1.5", 1, "0 .. 1"),
        ("[link]\nlos = 0.5", 2, "unknown field `los`"),
        ("[[field]]\nfile = \"no.npy\"\nfrequency_hz = 100", 1, "no.npy"),
        ("bit_rate_hz = 0", 1, "bit rate"),
    ];
    for (text, line, message) in cases {
        let (found, said) = error(text);
        assert!(found == line && said.contains(message), "{text}\n-> line {found}: {said}");
    }
}

#[test]
fn large_scenes_are_refused_quickly() {
    let many = "[[line]]\nfrequency_hz=1\n".repeat(MAX_LINES + 1);
    assert!(error(&many).1.contains("number of lines"));
    let one = "{kind=\"monopole\",position_m=[0,0,-1],amplitude_pa_m=1},";
    let many = format!("[[line]]\nfrequency_hz=1\nsource=[{}]", one.repeat(MAX_SOURCES + 1));
    assert!(error(&many).1.contains("number of sources"));
    let plate = "[[line]]\nfrequency_hz=100\n[[line.source]]\nkind=\"plate\"\ncentre_m=[0,0,-1]\n\
                 sides_m=[10,10]\nmode=[1,1]\nvelocity_m_s=1e-6\n";
    assert!(error(plate).1.contains("exponentials at set-up"));
    let array = "[array]\nrows = 4096\ncols = 4096\ntile_side = 8\n";
    assert!(error(array).1.contains("at most 65535"));
    for deep in ["a=".to_owned() + &"[".repeat(100_000), "a".to_owned() + &".a".repeat(100_000) + "=1"] {
        error(&deep);
    }
}

#[test]
fn scenes_of_the_crate_load_and_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let bench = load(path.to_str().unwrap()).unwrap_or_else(|e| panic!("{e}"));
            let mut simulator =
                crate::Simulator::of(&bench).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut rows = vec![0; 100 * simulator.row_bytes()];
            simulator.fill(&mut rows);
            count += 1;
        }
    }
    assert!(count >= 5, "{count} scenes");
}

#[test]
fn names_files_and_slips() {
    assert_eq!(load("demo").unwrap().scene, Scene::demo());
    assert!(matches!(load("dmeo"), Err(Error::UnknownScene { .. })));
    assert!(load("no/such.toml").unwrap_err().to_string().contains("such.toml"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.toml");
    std::fs::write(&path, " ".repeat(MAX_BYTES as usize + 1)).unwrap();
    assert!(load(path.to_str().unwrap()).unwrap_err().to_string().contains("at most 1048576"));
    let path = dir.path().join("faults.toml");
    std::fs::write(&path, "[link]\nloss = 0.5\n[[fault]]\nkind = \"one\"\nfraction = 1").unwrap();
    let faults = load_faults(&path).unwrap();
    assert_eq!((faults.link.unwrap().loss, faults.microphones.len(), faults.clock), (0.5, 1, None));
    std::fs::write(&path, "[[line]]").unwrap();
    assert!(load_faults(&path).unwrap_err().to_string().contains("unknown field `line`"));
}
