//! Another program beside ours, in a process of its own, asked line by line.
//!
//! The program is started with the number of threads as its argument. A request is a line on its standard input, and
//! bytes after it for some; an answer is a line on its standard output. `version` answers its version; `xtask/peers` has
//! the other requests at the top of each program.

use crate::context::Context;
use anyhow::{Context as _, ensure};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process.
pub(crate) struct Peer {
    name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) version: String,
}

impl Peer {
    /// Starts the peer of the options, if there is one, and says so.
    pub(crate) fn of(context: &Context<'_>, name: &'static str) -> anyhow::Result<Option<Self>> {
        let Some(program) = context.peer else { return Ok(None) };
        let mut child = Command::new(program)
            .arg(rayon::current_num_threads().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (requests, answers) = (requests.context("its input")?, answers.context("its output")?);
        let mut peer =
            Self { name, child, requests, answers: BufReader::new(answers), version: String::new() };
        let wrong = || format!("is {} the program that measures {name}?", program.display());
        peer.version = peer.ask("version", &[]).with_context(wrong)?;
        context.say(format!("beside {name} {}", peer.version));
        Ok(Some(peer))
    }

    /// Sends a request with such bytes after it; the answer.
    pub(crate) fn ask(&mut self, request: &str, bytes: &[u8]) -> anyhow::Result<String> {
        let name = self.name;
        writeln!(self.requests, "{request}").with_context(|| format!("the process of {name} has ended"))?;
        self.requests.write_all(bytes)?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "the process of {name} gave no answer");
        Ok(line.trim().to_owned())
    }

    /// The same for an answer of `N` numbers.
    pub(crate) fn numbers<const N: usize>(
        &mut self,
        request: &str,
        bytes: &[u8],
    ) -> anyhow::Result<[f64; N]> {
        let answer = self.ask(request, bytes)?;
        let numbers = numbers(&answer)?;
        numbers.try_into().ok().with_context(|| format!("not {N} numbers: {answer:.100}"))
    }
}

/// Numbers between blanks.
pub(crate) fn numbers(answer: &str) -> anyhow::Result<Vec<f64>> {
    let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
    numbers.with_context(|| format!("not numbers: {answer:.100}"))
}

/// Numbers as bytes, in single precision or in double.
pub(crate) fn bytes(numbers: impl Iterator<Item = f64>, is_single: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        if is_single {
            bytes.extend((number as f32).to_le_bytes());
        } else {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself already; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
