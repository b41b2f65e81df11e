//! Embree in a process of its own, asked line by line; `embree_peer.cpp` is its program.

use anyhow::{Context, ensure};
use pipeline::sbr::facets::Facets;
use pipeline::sbr::ray::Ray;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Ways to cast: rays at once, or streams; with a `c` they are called coherent.
pub const WAYS: [&str; 8] = ["1", "1c", "8", "8c", "16", "16c", "stream", "streamc"];

/// Least distance of reflected rays in radii: in single precision a ray would hit the facet that it leaves.
const LEAST: f64 = 1e-5;

/// The process.
pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Of Embree.
    pub version: String,
}

impl Peer {
    /// Starts the program.
    pub fn new(program: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (requests, answers) = (requests.context("its input")?, answers.context("its output")?);
        let mut peer = Self { child, requests, answers: BufReader::new(answers), version: String::new() };
        peer.version =
            peer.ask(b"version\n").context("is --peer the program that casts rays with Embree?")?;
        Ok(peer)
    }

    fn ask(&mut self, request: &[u8]) -> anyhow::Result<String> {
        self.requests.write_all(request).context("Embree's process has ended")?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "Embree's process gave no answer");
        Ok(line.trim().to_owned())
    }

    /// Hands over the facets; seconds that its tree took.
    pub fn load(&mut self, facets: &Facets) -> anyhow::Result<f64> {
        let corners = 3 * facets.len();
        let mut bytes = format!("mesh {corners} {}\n", facets.len()).into_bytes();
        facets.corners.iter().flatten().flatten().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        (0..corners as u32).for_each(|corner| bytes.extend(corner.to_le_bytes()));
        let answer = self.ask(&bytes)?;
        answer.parse().with_context(|| format!("not a time: {answer}"))
    }

    /// Hands over rays.
    pub fn rays(&mut self, facets: &Facets, rays: &[Ray]) -> anyhow::Result<()> {
        let mut bytes = format!("rays {}\n", rays.len()).into_bytes();
        for ray in rays {
            let least = if ray.least > 0.0 { LEAST * facets.radius } else { 0.0 };
            let numbers = ray.origin.to_array().into_iter().chain(ray.direction.to_array()).chain([least]);
            numbers.for_each(|x| bytes.extend((x as f32).to_le_bytes()));
        }
        self.ask(&bytes).map(drop)
    }

    /// Casts them so many times; seconds of the best, and hits.
    pub fn cast(&mut self, way: &str, times: usize) -> anyhow::Result<(f64, usize)> {
        let answer = self.ask(format!("cast {way} {times}\n").as_bytes())?;
        let pair = answer.split_once(' ').and_then(|(s, hits)| Some((s.parse().ok()?, hits.parse().ok()?)));
        pair.with_context(|| format!("not a time and hits: {answer}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself already; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
