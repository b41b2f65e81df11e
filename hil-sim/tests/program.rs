//! The program as a user runs it: streams over loopback, records, replays, reports, ends.

use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dsp_core::frame::{Frame, Kind};
use hil_sim::link::{Expected, RESTART};
use serde_json::Value;

/// A quiet bench of 64 microphones, light enough for any machine.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/small.toml");

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hil-sim"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

/// The report: the last line of the JSON output.
fn report(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("{output:?}"))).unwrap()
}

/// What a receiver has heard.
#[derive(Default)]
struct Heard {
    counted: Expected,
    due: Option<(u32, u64)>,
    rows: Vec<u8>,
}

impl Heard {
    /// The rule of the pipeline's ingest, on decoded bytes.
    fn hear(&mut self, datagram: &[u8], channels: u16) {
        let frame = Frame::decode_datagram(datagram).ok();
        let Some(frame) = frame.filter(|f| f.header.kind == Kind::Bits && f.header.channels == channels)
        else {
            self.counted.bad_frames += 1;
            return;
        };
        let (sequence, first, rows) = (frame.header.sequence, frame.header.first_sample, frame.rows() as u64);
        if let Some((last, due)) = self.due {
            if first.abs_diff(due) > RESTART {
                self.counted.restarts += 1;
            } else if first < due {
                self.counted.late_frames += 1;
                return;
            } else {
                self.counted.lost_samples += first - due;
                self.counted.lost_frames += u64::from(dsp_core::frame::sequence_gap(last, sequence));
            }
        }
        self.due = Some((sequence, first + rows));
        self.counted.frames += 1;
        self.counted.samples += rows;
        self.rows.extend_from_slice(frame.payload);
    }
}

/// Runs the program with `--to` a receiver of this process; returns the report and what was heard.
fn stream(arguments: &[&str], channels: u16) -> (Value, Heard) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let to = socket.local_addr().unwrap().to_string();
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    let receiver = std::thread::spawn(move || {
        let (mut heard, mut buf) = (Heard::default(), vec![0; 65_536]);
        loop {
            match socket.recv(&mut buf) {
                Ok(len) => heard.hear(&buf[..len], channels),
                // Nothing for a while, and nothing more to come.
                Err(_) if flag.load(Ordering::Acquire) => return heard,
                Err(_) => {}
            }
        }
    });
    let output = run(&[arguments, &["--to", &to, "--json"]].concat());
    ended.store(true, Ordering::Release);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    (report(&output), receiver.join().unwrap())
}

fn expected(report: &Value) -> Value {
    report["expected"].clone()
}

#[test]
fn a_receiver_reports_what_was_injected() {
    // 335 frames in 2 s: half a second of them fits a socket's ordinary buffer, should the receiver be kept waiting.
    let rates = "--loss 0.06 --burst 0.02:4 --duplicate 0.08 --reorder 0.08:4 --corrupt 0.08 --truncate 0.08 \
                 --garbage 0.08 --foreign 0.08";
    let mut arguments = vec!["--scene", SMALL, "--seconds", "0.04", "--speed", "0.02", "--seed", "5"];
    arguments.extend(rates.split_whitespace());
    let (report, heard) = stream(&arguments, 64);
    assert_eq!(expected(&report), serde_json::to_value(heard.counted).unwrap());
    for fault in
        ["lost", "burst_lost", "corrupted", "truncated", "duplicated", "reordered", "garbage", "foreign"]
    {
        assert!(report["injected"][fault].as_u64().unwrap() > 0, "{fault}: {report}");
    }
    let quickly: Vec<&str> = arguments.iter().map(|&a| if a == "0.02" { "max" } else { a }).collect();
    let again = run(&[&quickly[..], &["--json"]].concat());
    assert_eq!(self::report(&again)["injected"], report["injected"], "not reproducible");
}

#[test]
fn recordings_replay_bit_for_bit_with_faults() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let output = run(&["--scene", SMALL, "--seconds", "0.02", "--record", folder, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let data = std::fs::read(dir.path().join("small.sigmf-data")).unwrap();
    assert_eq!(data.len() as u64, 8 * report(&output)["samples"].as_u64().unwrap());
    let summary = std::fs::read(dir.path().join("summary.json")).unwrap();
    assert!(serde_json::from_slice::<Value>(&summary).unwrap()["settings"]["name"] == "small");

    let recording = dir.path().join("small");
    let recording = recording.to_str().unwrap();
    let (report, heard) = stream(&["--replay", recording, "--speed", "0.03"], 64);
    assert!(heard.rows == data, "{} of {} bytes", heard.rows.len(), data.len());
    assert_eq!(report["injected"]["frames"], heard.counted.frames);

    let (report, heard) =
        stream(&["--replay", recording, "--speed", "0.03", "--loss", "0.1", "--corrupt", "0.1"], 64);
    assert_eq!(expected(&report), serde_json::to_value(heard.counted).unwrap());
    assert!(heard.counted.bad_frames > 0 && heard.counted.lost_frames > heard.counted.bad_frames / 2);

    // Twice and a half the recording.
    let (_, heard) = stream(&["--replay", recording, "--loop", "--speed", "0.03", "--seconds", "0.05"], 64);
    assert!(heard.rows.starts_with(&data) && heard.rows[data.len()..].starts_with(&data));
}

#[test]
fn a_simulated_block_is_repeated_with_running_counters() {
    let arguments = ["--scene", SMALL, "--loop", "0.011", "--speed", "0.03", "--seconds", "0.03"];
    let (report, heard) = stream(&arguments, 64);
    // 1 kHz: whole periods of 1500 rows in 16500.
    assert_eq!(report["settings"]["loop_samples"], 16_500);
    assert_eq!(heard.counted.lost_frames + heard.counted.late_frames, 0);
    let block = 16_500 * 8;
    assert!(heard.rows.len() > 2 * block && heard.rows[..block] == heard.rows[block..2 * block]);
}

/// A PCAP file of IPv4 packets without a link layer.
fn pcap(datagrams: &[Vec<u8>]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, 101]);
    for datagram in datagrams {
        let mut packet = Vec::new();
        let builder = etherparse::PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 9).udp(4000, 7000);
        builder.write(&mut packet, datagram).unwrap();
        bytes.extend(words(&[0, 0, packet.len() as u32, packet.len() as u32]));
        bytes.extend(packet);
    }
    bytes
}

#[test]
fn captures_replay_datagram_by_datagram() {
    let bench = hil_sim::file::load(SMALL).unwrap();
    let simulator = hil_sim::Simulator::of(&bench).unwrap();
    let mut source = hil_sim::FrameSource::new(simulator, 32).unwrap();
    let mut frame = || {
        let mut bytes = vec![0; source.frame_len()];
        source.next_frame(&mut bytes);
        bytes
    };
    let mut frames: Vec<Vec<u8>> = (0..100).map(|_| frame()).collect();
    // The capture has its own damage: a lost frame, a corrupted one, a repeated one.
    frames.remove(50);
    frames[20][60] ^= 1;
    frames.insert(70, frames[69].clone());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pcap");
    std::fs::write(&path, pcap(&frames)).unwrap();
    let (report, heard) = stream(&["--replay", path.to_str().unwrap(), "--speed", "0.03"], 64);
    assert_eq!(expected(&report), serde_json::to_value(heard.counted).unwrap());
    let counted = heard.counted;
    assert_eq!((counted.frames, counted.lost_frames, counted.bad_frames, counted.late_frames), (98, 2, 1, 1));
    assert_eq!(report["injected"]["junk"], 1);
}

#[test]
fn restarts_are_expected_as_a_receiver_sees_them() {
    let dir = tempfile::tempdir().unwrap();
    let faults = dir.path().join("faults.toml");
    // The first two come after more than 2^17 samples, 87 ms; the third after 50 ms, when a receiver cannot tell it
    // from late frames until the counter has caught up.
    let restarts = "[clock]\nrestart = [{ at_s = 12, silence_s = 0.5 }, { at_s = 13.5 }, { at_s = 13.55 }]";
    std::fs::write(&faults, restarts).unwrap();
    let faults = faults.to_str().unwrap();
    let common = ["--scene", SMALL, "--loop", "0.1", "--seconds", "14", "--faults", faults, "--json"];
    let report = report(&run(&[&common[..], &["--frame-rows", "1000"]].concat()));
    assert_eq!(report["expected"]["restarts"], 2);
    // 12 s, 1 s from 12.5 s on, 50 ms; of the last 0.45 s the first 50 ms are late. Frames of 1000 rows.
    assert_eq!(report["expected"]["frames"], 18_000 + 1500 + 75 + 600);
    assert_eq!(report["expected"]["late_frames"], 75);
    assert_eq!(report["expected"]["lost_frames"], 0);
}

#[test]
fn wrong_input_is_refused_with_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.toml");
    std::fs::write(&bad, "seed = 1\nsped = 2\n").unwrap();
    let bad = bad.to_str().unwrap();
    let cases = [
        (&["--scene", "opera"][..], "there are demo"),
        (&["--scene", bad], "bad.toml, line 2: unknown field `sped`"),
        (&["--replay", "/no/such"], "such.sigmf-meta"),
        (&["--replay", "/no/such.pcap"], "such.pcap"),
        (&["--scene", SMALL, "--loss", "2"], "0 .. 1"),
        (&["--scene", SMALL, "--reorder", "0.1:x"], "PROBABILITY:NUMBER"),
        (&["--scene", SMALL, "--speed", "0"], "--speed 0"),
        (&["--scene", SMALL, "--catch-up", "0.5"], "--catch-up 0.5"),
        (&["--scene", SMALL, "--catch-up", "NaN"], "--catch-up NaN"),
        (&["--scene", SMALL, "--seconds", "nan"], "--seconds NaN"),
        (&["--scene", SMALL, "--frame-rows", "100000"], "a datagram holds"),
        (&["--scene", SMALL, "--loop", "0.0001"], "whole periods"),
        (&["--scene", SMALL, "--replay", "x"], "cannot be used with"),
        (&["--faults", bad], "bad.toml, line 1: unknown field `seed`"),
    ];
    for (arguments, message) in cases {
        let output = run(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(message), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_a_report_and_a_whole_recording() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let child =
        program(&["--scene", SMALL, "--seconds", "1000", "--speed", "1", "--record", folder, "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    let part = |name: &str| name.ends_with(".part");
    while !std::fs::read_dir(dir.path()).unwrap().any(|e| part(&e.unwrap().file_name().to_string_lossy())) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let report = report(&output);
    assert_eq!(report["interrupted"], true);
    let recording = hil_sim::recording::Recording::open(Path::new(folder).join("small").as_path()).unwrap();
    assert!(recording.samples() >= report["samples"].as_u64().unwrap());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3);
}
