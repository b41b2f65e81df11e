//! FINUFFT in a process of its own, asked line by line.

use super::Data;
use anyhow::{Context, ensure};
use num_complex::Complex;
use pipeline::nufft::Type;
use pipeline::numerics::real::Real;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Its program.
const PROGRAM: &str = include_str!("finufft_peer.py");

/// The process.
pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Of FINUFFT.
    pub version: String,
}

impl Peer {
    /// Starts Python with the packages of `folder`.
    pub fn new(folder: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .env("PYTHONPATH", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start python3")?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (requests, answers) = (requests.context("its input")?, answers.context("its output")?);
        let mut peer = Self { child, requests, answers: BufReader::new(answers), version: String::new() };
        peer.version = peer.ask("version").context("does the folder of --peer hold finufft and numpy?")?;
        Ok(peer)
    }

    fn ask(&mut self, request: &str) -> anyhow::Result<String> {
        writeln!(self.requests, "{request}").context("FINUFFT's process has ended")?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<String> {
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "FINUFFT's process gave no answer");
        Ok(line.trim().to_owned())
    }

    fn seconds(&mut self, request: &str) -> anyhow::Result<f64> {
        let answer = self.ask(request)?;
        answer.parse().with_context(|| format!("not a time: {answer}"))
    }

    /// Hands over what is transformed.
    pub fn load<T: Real>(&mut self, data: &Data<T>) -> anyhow::Result<()> {
        let size = if size_of::<T>() == 4 { "single" } else { "double" };
        writeln!(self.requests, "data {size} {} {}", data.points[0].len(), data.modes)?;
        let coordinates = data.points.iter().rev().flatten().copied();
        let complex = data.strengths.iter().chain(&data.f).flat_map(|v| [v.re.to_f64(), v.im.to_f64()]);
        let mut bytes = Vec::new();
        for number in coordinates.chain(complex) {
            if size_of::<T>() == 4 {
                bytes.extend((number as f32).to_le_bytes());
            } else {
                bytes.extend(number.to_le_bytes());
            }
        }
        self.requests.write_all(&bytes)?;
        self.answer().map(drop)
    }

    /// Makes a plan; seconds.
    pub fn plan(&mut self, kind: Type, eps: f64, threads: usize) -> anyhow::Result<f64> {
        let kind = if kind == Type::One { 1 } else { 2 };
        self.seconds(&format!("plan {kind} {eps:e} {threads}"))
    }

    /// Sets the points; seconds.
    pub fn set_points(&mut self) -> anyhow::Result<f64> {
        self.seconds("points")
    }

    /// Transforms; seconds.
    pub fn execute(&mut self) -> anyhow::Result<f64> {
        self.seconds("execute")
    }

    /// Some values of the last result.
    pub fn sample(&mut self, indices: &[usize]) -> anyhow::Result<Vec<Complex<f64>>> {
        let text: Vec<String> = indices.iter().map(usize::to_string).collect();
        let answer = self.ask(&format!("sample {}", text.join(" ")))?;
        let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let numbers = numbers.with_context(|| format!("not numbers: {answer:.100}"))?;
        Ok(numbers.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])).collect())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself already; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
