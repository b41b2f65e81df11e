//! NumPy in a process of its own, asked line by line.

use anyhow::{Context, bail, ensure};
use num_complex::Complex;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Its program.
const PROGRAM: &str = include_str!("numpy_peer.py");

/// The process.
pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Of NumPy and its BLAS.
    pub version: String,
}

impl Peer {
    /// Starts Python with the packages of `folder` and so many threads.
    pub fn new(folder: &Path, threads: usize) -> anyhow::Result<Self> {
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .env("PYTHONPATH", folder)
            .env("OPENBLAS_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start python3")?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (requests, answers) = (requests.context("its input")?, answers.context("its output")?);
        let mut peer = Self { child, requests, answers: BufReader::new(answers), version: String::new() };
        peer.version = peer.ask("version", &[]).context("does the folder of --peer hold numpy?")?;
        Ok(peer)
    }

    fn ask(&mut self, request: &str, bytes: &[u8]) -> anyhow::Result<String> {
        writeln!(self.requests, "{request}").context("NumPy's process has ended")?;
        self.requests.write_all(bytes)?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "NumPy's process gave no answer");
        Ok(line.trim().to_owned())
    }

    /// Hands over a matrix and right-hand sides, column by column.
    pub fn load(
        &mut self,
        size: usize,
        matrix: &[Complex<f64>],
        right: &[Complex<f64>],
    ) -> anyhow::Result<()> {
        let numbers = matrix.iter().chain(right).flat_map(|value| [value.re, value.im]);
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        self.ask(&format!("matrix {size} {}", right.len() / size), &bytes).map(drop)
    }

    /// LU and solution, and what vouches for it; seconds of both.
    pub fn solve(&mut self) -> anyhow::Result<[f64; 2]> {
        let answer = self.ask("solve", &[])?;
        let mut numbers = answer.split(' ').map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(solved)), Some(Ok(vouched))) => Ok([solved, vouched]),
            _ => bail!("not two times: {answer}"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself already; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
