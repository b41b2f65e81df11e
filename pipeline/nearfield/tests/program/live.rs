//! `nearfield live` and `record` as a user meets them: how they end, what they leave, and what they refuse.

use dsp_core::frame::{Frame, HEADER_LEN, Header, Kind};
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const INSTRUMENT: &str = "\
[source]
udp = \"127.0.0.1:0\"
[array]
rows = 8
cols = 8
[hologram]
samples = 128
frequencies_hz = [1100.0]
standoff_m = 0.04
filter = \"50:0.3\"
[viewer]
serve = false
";

/// Frames of 50 rows that fill whole spans of 256: all of their rows go to the disk while the recorder rests, none waits for more.
const WHOLE: u32 = 128;
/// Bytes of their rows.
const WHOLE_BYTES: u64 = 128 * 400;

fn nearfield(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearfield"));
    command.current_dir(folder).args(arguments);
    command
}

/// What `info` says of a recording: the last line, as a busy machine tells its progress before.
fn info_of(folder: &Path, name: &str) -> serde_json::Value {
    let output = nearfield(folder, &["info", name, "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// A program that listens, and where.
struct Listening {
    child: Child,
    to: String,
    lines: BufReader<std::process::ChildStdout>,
}

impl Listening {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        std::fs::write(folder.join("instrument.toml"), INSTRUMENT).unwrap();
        Self::of(&mut nearfield(folder, arguments))
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let to = line.strip_prefix("listening on ").and_then(|rest| rest.split_once(';')).map(|(to, _)| to);
        let to = to.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, to, lines }
    }

    /// Sends `frames` frames of 50 rows of 64 microphones, slowly enough for any machine.
    fn send(&self, frames: u32) {
        self.send_these(0..frames);
    }

    /// The same of the frames with these numbers.
    fn send_these(&self, frames: impl Iterator<Item = u32>) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        for sequence in frames {
            let first_sample = u64::from(sequence) * 50;
            let timestamp_ns = first_sample * 1000 * 2 / 3;
            let (kind, layout, channels, stride) = (Kind::Bits, 0, 64, 1);
            let header = Header { kind, layout, channels, stride, sequence, first_sample, timestamp_ns };
            let payload: Vec<u8> = (0..400).map(|i| (i * 7 + sequence * 13) as u8).collect();
            let mut datagram = vec![0; HEADER_LEN + payload.len()];
            header.encode(&payload, &mut datagram).unwrap();
            socket.send_to(&datagram, &self.to).unwrap();
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end; exit code, standard output and standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.lines, &mut said).unwrap();
        let Output { status, stderr, .. } = self.child.wait_with_output().unwrap();
        (status.code(), said, String::from_utf8(stderr).unwrap())
    }
}

/// Waits until a file has so many bytes.
fn wait_for(path: &Path, bytes: u64) {
    let begin = Instant::now();
    while std::fs::metadata(path).map_or(0, |found| found.len()) < bytes {
        assert!(begin.elapsed() < Duration::from_secs(60), "{}", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ctrl_c_and_a_request_to_end_close_everything_and_are_success() {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let listening = Listening::start(
            folder.path(),
            &["live", "--config", "instrument.toml", "--record", "night", "--out", "o"],
        );
        listening.send(3 * WHOLE);
        wait_for(&folder.path().join("night.sigmf-data"), 3 * WHOLE_BYTES);
        listening.signal(signal);
        let (code, said, errors) = listening.end();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains("19200 time samples in 384 frames"), "{said}");
        let summary = std::fs::read_to_string(folder.path().join("o/summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        let figures = &summary["figures"];
        assert_eq!(figures["ingest"]["frames"], 384);
        assert!(figures["holograms"].as_u64().unwrap() > 0);
        assert!(figures["latency"]["total"]["p999_s"].as_f64().unwrap() > 0.0);
        let info = info_of(folder.path(), "night");
        assert_eq!((&info["samples"], &info["unfinished"]), (&19_200.into(), &false.into()));
    }
}

#[test]
fn info_tells_the_holes_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let listening = Listening::start(folder.path(), &["record", "night", "--config", "instrument.toml"]);
    // Two frames of 50 rows are lost.
    listening.send_these((0..20).chain(22..WHOLE));
    wait_for(&folder.path().join("night.sigmf-data"), WHOLE_BYTES);
    listening.signal("-INT");
    let (code, said, errors) = listening.end();
    assert_eq!(code, Some(0), "{said}{errors}");
    let info = info_of(folder.path(), "night");
    assert_eq!((&info["samples"], &info["holes"]), (&6400.into(), &1.into()));
    // Which rows of a span of 256 were lost is not told: all from its first to the last lost one.
    let suspect = info["hole_samples"].as_u64().unwrap();
    assert!((100..100 + 256).contains(&suspect), "{info}");
    let info = nearfield(folder.path(), &["info", "night"]).output().unwrap();
    let text = String::from_utf8(info.stdout).unwrap();
    assert!(text.contains("holes       1, "), "{text}");
    // Who replays it is told as well. The oldest row of hologram k is 256 k: five reach back to the hole, which ends with row 1099.
    let replay = INSTRUMENT.replace("udp = \"127.0.0.1:0\"", "recording = \"night\"\nspeed = \"max\"");
    std::fs::write(folder.path().join("replay.toml"), replay.replace("[viewer]", "hop_rows = 256\n[viewer]"))
        .unwrap();
    let replay =
        nearfield(folder.path(), &["live", "--config", "replay.toml", "--record", "again"]).output().unwrap();
    let warnings = String::from_utf8(replay.stderr).unwrap();
    assert!(replay.status.success() && warnings.contains("the recording has 1 holes"), "{warnings}");
    let summary = std::fs::read_to_string(folder.path().join("nearfield-live/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let figures = &summary["figures"];
    assert_eq!(figures["filled_rows"], suspect, "{figures}");
    assert_eq!(figures["flagged_holograms"], 5, "{figures}");
    assert!(figures["holograms"].as_u64().unwrap() > 5, "{figures}");
    // And a recording of the replay has the hole again.
    let info = info_of(folder.path(), "again");
    assert_eq!(info["holes"], 1);
}

/// A file that cannot grow beyond 16 blocks, of 512 or 1024 bytes as the shell has it: a disk that is full.
#[test]
fn a_recorder_that_cannot_write_says_so_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("instrument.toml"), INSTRUMENT).unwrap();
    let program = env!("CARGO_BIN_EXE_nearfield");
    let script =
        format!("trap '' XFSZ; ulimit -f 16; exec '{program}' record night --config instrument.toml");
    let start =
        |script: &str| Listening::of(Command::new("sh").args(["-c", script]).current_dir(folder.path()));
    let listening = start(&script);
    listening.send(WHOLE);
    let (code, said, errors) = listening.end();
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(errors.contains("the recording stopped: "), "{errors}");
    // An instrument that does more than record goes on, and says it while it runs.
    let live = script.replace("record night", "live --record dusk") + " 2> errors";
    let listening = start(&live);
    listening.send(WHOLE);
    wait_for(&folder.path().join("errors"), 1);
    listening.signal("-INT");
    let (code, said, _) = listening.end();
    assert_eq!(code, Some(0), "{said}");
    let errors = std::fs::read_to_string(folder.path().join("errors")).unwrap();
    assert!(errors.contains("warning: the recording stopped: "), "{errors}");
}

#[test]
fn a_killed_recorder_leaves_a_recording_up_to_its_last_block() {
    let folder = tempfile::tempdir().unwrap();
    let listening = Listening::start(folder.path(), &["record", "night", "--config", "instrument.toml"]);
    // 8 bytes a row, 400 a frame: a block of 1 MiB is 2622 frames.
    listening.send(4000);
    wait_for(&folder.path().join("night.sigmf-data"), 1 << 20);
    listening.signal("-KILL");
    let (code, ..) = listening.end();
    assert_eq!(code, None);
    let info = info_of(folder.path(), "night");
    assert_eq!(info["unfinished"], true);
    assert!(info["samples"].as_u64().unwrap() >= (1 << 20) / 8, "{info}");
    // And its bits are those that were sent.
    let data = std::fs::read(folder.path().join("night.sigmf-data")).unwrap();
    let sent = (0..4000u32).flat_map(|frame| (0..400).map(move |i| (i * 7 + frame * 13) as u8));
    assert!(data.iter().copied().eq(sent.take(data.len())));
}

#[test]
fn a_recording_is_replayed_to_its_end_and_ctrl_c_before_is_an_interruption() {
    let folder = tempfile::tempdir().unwrap();
    let listening = Listening::start(folder.path(), &["record", "night", "--config", "instrument.toml"]);
    listening.send(8 * WHOLE);
    wait_for(&folder.path().join("night.sigmf-data"), 8 * WHOLE_BYTES);
    listening.signal("-INT");
    let (code, said, errors) = listening.end();
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(said.contains("recorded night.sigmf-meta"), "{said}");
    let replay = |speed: &str| {
        INSTRUMENT.replace("udp = \"127.0.0.1:0\"", &format!("recording = \"night\"\nspeed = {speed}"))
    };
    std::fs::write(folder.path().join("fast.toml"), replay("\"max\"")).unwrap();
    let fast = nearfield(folder.path(), &["live", "--config", "fast.toml", "--json"]).output().unwrap();
    assert!(fast.status.success(), "{}", String::from_utf8_lossy(&fast.stderr));
    let text = String::from_utf8(fast.stdout).unwrap();
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(summary["figures"]["ingest"]["samples"], 51_200);
    assert_eq!(summary["figures"]["dropped"]["rows"], 0);
    assert_eq!(summary["settings"]["source"]["recording"]["path"], "night");
    std::fs::write(folder.path().join("slow.toml"), replay("0.001")).unwrap();
    let mut slow = nearfield(folder.path(), &["live", "--config", "slow.toml"]);
    let mut slow = slow.stdout(Stdio::piped()).spawn().unwrap();
    // What it says first is said when it runs. The recording would take half a minute.
    let (mut lines, mut line) = (BufReader::new(slow.stdout.take().unwrap()), String::new());
    lines.read_line(&mut line).unwrap();
    assert!(line.contains("holograms a second"), "{line}");
    Command::new("kill").args(["-INT", &slow.id().to_string()]).status().unwrap();
    std::io::Read::read_to_string(&mut lines, &mut line).unwrap();
    assert_eq!(slow.wait().unwrap().code(), Some(130), "{line}");
}

#[test]
fn what_cannot_be_is_refused_with_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, more: &str| {
        std::fs::write(folder.path().join(name), format!("{INSTRUMENT}{more}")).unwrap();
    };
    write("late.toml", "[latency]\nbound_ms = 0.01\n");
    write("odd.toml", "[nothing]\n");
    write("nowhere.toml", "[record]\nname = \"not/there\"\n");
    write("files.toml", "[files]\nfolder = \"not\"\nevery = 1\n");
    // The demo's scene is of the camera.
    let other = INSTRUMENT.replace("udp = \"127.0.0.1:0\"", "simulator = \"demo\"");
    std::fs::write(folder.path().join("other.toml"), other.replace("cols = 8", "cols = 16")).unwrap();
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, word) in [
        (&["live"][..], "no source"),
        (&["live", "--config", "gone.toml"], "gone.toml"),
        (&["live", "--config", "odd.toml"], "nothing"),
        (&["live", "--config", "late.toml"], "bound"),
        (&["live", "--config", "late.toml", "--frequency", "9000"], "frequencies_hz"),
        (&["live", "--udp", &taken], "cannot listen"),
        (&["live", "--udp", "127.0.0.1:0", "--precision", "f64"], "--precision"),
        (&["live", "--config", "nowhere.toml"], "no folder"),
        (&["live", "--config", "files.toml"], "no folder"),
        (&["live", "--config", "other.toml"], "8 x 16 microphones"),
        (&["record", "x"], "no source"),
        (&["record", "x", "--udp", "127.0.0.1:0", "--seconds", "0"], "--seconds"),
    ] {
        let output = nearfield(folder.path(), arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(word) && !message.contains("panicked"), "{arguments:?}: {message}");
    }
}

#[test]
fn the_demo_goes_all_the_way_to_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["demo", "--duration", "0.02", "--out", "d", "--speed", "0.02", "--seconds", "6", "--json"];
    let output = nearfield(folder.path(), &arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let figures = &summary["figures"];
    // 6 s at a fiftieth of the pace are 180 000 rows; most of them came.
    assert!(figures["ingest"]["samples"].as_u64().unwrap() > 90_000, "{figures}");
    assert!(figures["holograms"].as_u64().unwrap() > 20, "{figures}");
    // The sender does not wait for the receiver, and a busy machine may hold a small buffer only: nearly all came, and what did not is told.
    let count = |name: &str| figures["ingest"][name].as_u64().unwrap();
    assert!(10 * count("lost_frames") < count("frames"), "{figures}");
    assert!(folder.path().join("d/live/summary.json").exists());
    // What the bench says of itself has come back from its process.
    assert!(figures["bench"]["batches"].as_u64().unwrap() > 0, "{figures}");
}

/// The demo's bench, as the demo starts it.
fn bench() -> (Child, BufReader<std::process::ChildStdout>) {
    let mut bench = nearfield(Path::new("."), &["demo", "--as-bench", "--scene", "silence"]);
    let mut bench =
        bench.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut lines, mut line) = (BufReader::new(bench.stdout.take().unwrap()), String::new());
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (bench, lines)
}

#[test]
fn the_demos_bench_sends_until_its_parent_is_gone() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (mut bench, mut lines) = bench();
    let mut orders = bench.stdin.take().unwrap();
    writeln!(orders, "{} 0.01", receiver.local_addr().unwrap()).unwrap();
    let mut datagram = vec![0; 1 << 16];
    let length = receiver.recv(&mut datagram).unwrap();
    let frame = Frame::decode_datagram(&datagram[..length]).unwrap();
    assert_eq!((frame.header.channels, frame.header.first_sample), (1024, 0));
    // The system closes the pipe of a process that ends, be it killed.
    drop(orders);
    let mut kept = String::new();
    std::io::Read::read_to_string(&mut lines, &mut kept).unwrap();
    assert!(bench.wait().unwrap().success());
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert!(kept["batches"].as_u64().unwrap() > 0, "{kept}");
}

#[test]
fn a_bench_without_an_order_ends_and_one_with_a_wrong_order_says_so() {
    let (mut bench_left_alone, _lines) = bench();
    drop(bench_left_alone.stdin.take());
    assert!(bench_left_alone.wait().unwrap().success());
    let (mut told_nonsense, _lines) = bench();
    writeln!(told_nonsense.stdin.as_mut().unwrap(), "nowhere 1").unwrap();
    let output = told_nonsense.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("nowhere"));
}
