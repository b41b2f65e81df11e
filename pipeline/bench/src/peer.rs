//! Another program beside ours, in a process of its own, asked line by line.
//!
//! The program is started with the number of threads as its argument. A request is a line on its standard input, and
//! bytes after it for some; an answer is a line on its standard output. `version` answers its version; `xtask/peers` has
//! the other requests at the top of each program.

use crate::context::{Context, Result};
use numerics::failure::Failed;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Peer {
    name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) version: String,
}

impl Peer {
    /// Starts the peer of the options, if there is one, and says so.
    pub(crate) fn of(context: &Context<'_>, name: &'static str) -> Result<Option<Self>> {
        let Some(program) = context.peer else { return Ok(None) };
        // Whatever is wrong until it has said its version, it was the option's choice.
        let refused = |error: &dyn Display| {
            let program = program.display();
            Failed::input(format_args!("--peer {program}: {error}; is it the program that measures {name}?"))
        };
        let mut child = Command::new(program)
            .arg(rayon::current_num_threads().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| refused(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, answers) = pipes.ok_or_else(|| Failed::run(format_args!("no pipes to {name}")))?;
        let mut peer =
            Self { name, child, requests, answers: BufReader::new(answers), version: String::new() };
        peer.version = peer.ask("version", &[]).map_err(|error| refused(&error))?;
        context.say(format!("beside {name} {}", peer.version));
        Ok(Some(peer))
    }

    /// Sends a request with such bytes after it; the answer.
    pub(crate) fn ask(&mut self, request: &str, bytes: &[u8]) -> Result<String> {
        let name = self.name;
        let ended = |_| Failed::run(format_args!("the process of {name} has ended"));
        writeln!(self.requests, "{request}").map_err(ended)?;
        self.requests.write_all(bytes)?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.is_empty() {
            return Err(Failed::run(format_args!("the process of {name} gave no answer")));
        }
        Ok(line.trim().to_owned())
    }

    /// The same for an answer of `N` numbers.
    pub(crate) fn numbers<const N: usize>(&mut self, request: &str, bytes: &[u8]) -> Result<[f64; N]> {
        let answer = self.ask(request, bytes)?;
        let wrong = |_| Failed::run(format_args!("not {N} numbers: {answer:.100}"));
        numbers(&answer)?.try_into().map_err(wrong)
    }
}

/// Numbers between blanks.
pub(crate) fn numbers(answer: &str) -> Result<Vec<f64>> {
    let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
    numbers.map_err(|_| Failed::run(format_args!("not numbers: {answer:.100}")))
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
