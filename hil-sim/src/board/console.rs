//! The bench's end of a board's console: a thread that listens, and the log decoded with the texts of the ELF file.

use std::io::{Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver as Channel, Sender};
use std::thread;
use std::time::Duration;

use defmt_decoder::{DecodeError, Table};
use dsp_core::console::{self, ConsoleError, Message, Receiver};

/// What a board said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message with its sequence number.
    Message(u8, Message<'static>),
    /// A line of the log.
    Log(String),
    /// Bytes that are no message.
    Damaged(ConsoleError),
}

impl Heard {
    /// The message, if it is one.
    pub fn message(&self) -> Option<Message<'static>> {
        match self {
            Self::Message(_, message) => Some(*message),
            _ => None,
        }
    }
}

/// The console of a running board.
#[derive(Debug)]
pub struct Console {
    input: ChildStdin,
    heard: Channel<Heard>,
}

impl Console {
    /// Listens to a program's output; `elf` has the texts of the log.
    pub fn new(input: ChildStdin, output: ChildStdout, elf: Vec<u8>) -> Self {
        let (sender, heard) = mpsc::channel();
        // It ends when the program does, or when nobody hears it any more.
        thread::spawn(move || listen(output, &elf, &sender));
        Self { input, heard }
    }

    /// Sends a command.
    pub fn say(&mut self, sequence: u8, message: &Message<'_>) -> std::io::Result<()> {
        let mut bytes = [0; console::MAX_LEN];
        let len = console::encode(sequence, message, &mut bytes).map_err(std::io::Error::other)?;
        self.raw(&bytes[..len])
    }

    /// Sends bytes, whatever they are.
    pub fn raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.input.write_all(bytes)?;
        self.input.flush()
    }

    /// What was said next, if it comes within `patience`.
    pub fn hear(&self, patience: Duration) -> Option<Heard> {
        self.heard.recv_timeout(patience).ok()
    }
}

/// Hands on what is said until the output ends or nobody listens.
fn listen(mut output: impl Read, elf: &[u8], heard: &Sender<Heard>) {
    let table = Table::parse(elf).ok().flatten();
    let mut log = table.as_ref().map(Table::new_stream_decoder);
    let (mut receiver, mut bytes) = (Receiver::new(), [0; 4096]);
    while let Ok(count) = output.read(&mut bytes) {
        if count == 0 {
            return;
        }
        for byte in &bytes[..count] {
            let said = match receiver.push(*byte) {
                None => continue,
                Some(Err(error)) => vec![Heard::Damaged(error)],
                Some(Ok((sequence, message))) => match (message.owned(), &mut log) {
                    (Ok(message), _) => vec![Heard::Message(sequence, message)],
                    (Err(bytes), Some(log)) => {
                        log.received(bytes);
                        lines(&mut **log)
                    }
                    (Err(bytes), None) => vec![Heard::Log(format!("{bytes:02x?}, and no texts for it"))],
                },
            };
            if said.into_iter().any(|said| heard.send(said).is_err()) {
                return;
            }
        }
    }
}

/// The lines that are complete.
fn lines(log: &mut dyn defmt_decoder::StreamDecoder) -> Vec<Heard> {
    let mut lines = Vec::new();
    loop {
        match log.decode() {
            Ok(frame) => lines.push(Heard::Log(frame.display(false).to_string())),
            Err(DecodeError::UnexpectedEof) => return lines,
            Err(DecodeError::Malformed) => {
                lines.push(Heard::Log("a log that cannot be decoded".into()));
                return lines;
            }
        }
    }
}
