//! A board of RTL: the Verilated system's program, with its ports on pipes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::{Faults, Name};

/// Cycles after which the program gives up: hours of Verilator.
const MAX_CYCLES: &str = "100000000000";

/// Blocks that wait for the simulator.
const AHEAD: usize = 256;

/// The simulator's ports.
#[derive(Debug)]
pub struct Soc {
    /// Rows for the lines; none after their end.
    lines: Option<SyncSender<Vec<u8>>>,
    frames: Receiver<Vec<u8>>,
    folder: TempDir,
}

impl Soc {
    /// Starts the program with its console on pipes.
    pub fn start(name: Name, program: &Path, image: &Path, faults: &Faults) -> io::Result<(Self, Child)> {
        let folder = tempfile::Builder::new().prefix("nearfield-board-").tempdir()?;
        let [capture, uplink] = ["capture", "uplink"].map(|name| folder.path().join(name));
        for pipe in [&capture, &uplink] {
            mknodat(CWD, pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
        }
        let mut command = Command::new(program);
        command.arg("--image").arg(image).arg("--capture").arg(&capture).arg("--uplink").arg(&uplink);
        command.args(["--console-in", "/dev/stdin", "--console-out", "/dev/stdout"]);
        command.args(["--max-cycles", MAX_CYCLES, "--report"]).arg(report_path(folder.path()));
        if let Some((from, to)) = faults.stall_cycles {
            command.args(["--fault", &format!("uplink-stall:{from}:{to}")]);
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("{}, for {}: {error}", program.display(), name.as_str()))
        })?;
        let (lines, rows) = mpsc::sync_channel(AHEAD);
        let (sender, frames) = mpsc::channel();
        // Both end with their pipes, that is with the program.
        thread::spawn(move || write_lines(&capture, &rows));
        thread::spawn(move || read_frames(&uplink, |frame| sender.send(frame).is_ok()));
        Ok((Self { lines: Some(lines), frames, folder }, child))
    }

    /// Gives rows to the lines; false if they must wait.
    pub fn offer(&mut self, rows: &[u8]) -> bool {
        self.lines.as_ref().is_some_and(|lines| lines.try_send(rows.to_vec()).is_ok())
    }

    /// No more rows come: the bit clock stops behind the last one.
    pub fn end_lines(&mut self) {
        self.lines = None;
    }

    /// The next frame of the uplink, if there is one.
    pub fn frame(&mut self) -> Option<Vec<u8>> {
        self.frames.try_recv().ok()
    }

    /// What the program reported when it ended.
    pub fn report(&self) -> io::Result<String> {
        std::fs::read_to_string(report_path(self.folder.path()))
    }
}

fn report_path(folder: &Path) -> PathBuf {
    folder.join("report.json")
}

fn write_lines(pipe: &Path, rows: &Receiver<Vec<u8>>) {
    let Ok(mut pipe) = File::options().write(true).open(pipe) else { return };
    while let Ok(rows) = rows.recv() {
        if pipe.write_all(&rows).is_err() {
            return;
        }
    }
}

/// Frames come as their length and their bytes.
fn read_frames(pipe: &Path, mut hand_on: impl FnMut(Vec<u8>) -> bool) {
    let Ok(mut pipe) = File::open(pipe) else { return };
    let mut length = [0; 4];
    while pipe.read_exact(&mut length).is_ok() {
        // A length beyond a datagram is damage; the frames' own check says so.
        let mut frame = vec![0; u32::from_le_bytes(length).min(1 << 20) as usize];
        if pipe.read_exact(&mut frame).is_err() || !hand_on(frame) {
            return;
        }
    }
}
