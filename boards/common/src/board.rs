//! The loop: commands, blocks, frames, events.
//!
//! A round does each of these once, and never waits for the host. Capture is the only place where bits can be lost: while
//! the uplink has no room the frame waits, blocks are not taken, and the FIFO in front drops whole ones and numbers them on,
//! so that the gap shows in the frames' sample counter. After a gap every line begins anew, idle.

use crate::LINES;
use crate::engine::{BLOCK_BITS, Engine};
use crate::log;
use crate::ports::{Capture, Console, Count, Supervisor, Uplink};
use dsp_core::console::{self, Answer, Message, Mode, Receiver, Status};
use dsp_core::frame::{HEADER_LEN, Header, LAYOUT_UNSPECIFIED};
use dsp_core::pdm::TimeWord;

/// Rounds without room after which the host is told.
pub const PATIENCE: u32 = 200;

/// Clocks a bit after a start: 1.5 MHz where the system has 48 MHz.
pub const DIVIDER: u32 = 32;

/// The fastest bit clock.
const FASTEST: u32 = 2;

/// A board: its ports, the state of its lines, its counters.
pub struct Board<'e, C, U, K, S> {
    capture: C,
    uplink: U,
    console: K,
    supervisor: S,
    engine: &'e mut Engine,
    receiver: Receiver,
    words: [TimeWord; LINES],
    /// Number of the block in `words`, if it has yet to be dealt with.
    held: Option<u32>,
    mode: Mode,
    divider: u32,
    inject: bool,
    running: bool,
    /// Number of the block that is due, counted beyond the FIFO's 32 bits.
    due: u64,
    /// Number of the first block in the frame.
    first: u64,
    frames: u32,
    /// The frame is complete and waits for room.
    waiting: bool,
    waited: u32,
    events: u8,
    status: Status,
}

impl<'e, C: Capture, U: Uplink, K: Console, S: Supervisor> Board<'e, C, U, K, S> {
    /// Takes the ports, and tells the host why the board started.
    pub fn start(capture: C, uplink: U, console: K, supervisor: S, engine: &'e mut Engine) -> Self {
        let mut board = Self {
            capture,
            uplink,
            console,
            supervisor,
            engine,
            receiver: Receiver::new(),
            words: [TimeWord(0); LINES],
            held: None,
            mode: Mode::Bits,
            divider: DIVIDER,
            inject: false,
            running: false,
            due: 0,
            first: 0,
            frames: 0,
            waiting: false,
            waited: 0,
            events: 0,
            status: Status::default(),
        };
        board.capture.stop();
        board.divider = board.capture.set_divider(DIVIDER);
        let reset = board.supervisor.begin();
        // Ends whatever a reset cut short.
        board.console.write(0);
        board.event(&Message::Started { reset, lines: LINES as u32 });
        log::info!("started, reset code {}, {} lines", reset.0, LINES as u32);
        board
    }

    /// One round of the loop.
    pub fn round(&mut self) {
        self.supervisor.kick();
        self.listen();
        if self.waiting {
            self.send();
        } else if self.running {
            self.capture();
        }
        self.tell();
    }

    /// Takes what the host has said.
    fn listen(&mut self) {
        let Some(byte) = self.console.read() else { return };
        let command = match self.receiver.push(byte) {
            None => return,
            Some(Ok((sequence, message))) => message.owned().ok().map(|message| (sequence, message)),
            Some(Err(_)) => None,
        };
        match command {
            Some((sequence, command)) if command.is_command() => self.obey(sequence, command),
            _ => {
                self.status.corrupted = self.status.corrupted.wrapping_add(1);
                self.event(&Message::Corrupted(self.status.corrupted));
            }
        }
    }

    fn obey(&mut self, sequence: u8, command: Message<'static>) {
        if command == Message::Report {
            let status = self.status();
            return self.say(sequence, &Message::Status(status));
        }
        let answer = match command {
            Message::Start => self.begin(),
            Message::Stop => self.end(),
            Message::SetRate(divider) if divider < FASTEST => Answer::Refused,
            Message::SetRate(_) | Message::SetMode(_) | Message::SelfTest(_) if self.running => {
                Answer::Running
            }
            Message::SetRate(divider) => {
                self.divider = self.capture.set_divider(divider);
                Answer::Done
            }
            Message::SetMode(mode) => {
                self.mode = mode;
                Answer::Done
            }
            Message::SelfTest(on) => {
                self.inject = on;
                Answer::Done
            }
            _ => Answer::Done,
        };
        self.say(sequence, &Message::Reply(answer));
        match command {
            Message::TestWatchdog => loop {
                // Not `spin_loop`, whose hint small cores do not know.
                core::hint::black_box(());
            },
            Message::TestPanic => self.supervisor.fail(),
            Message::Finish => self.supervisor.finish(),
            _ => {}
        }
    }

    fn begin(&mut self) -> Answer {
        if self.running {
            return Answer::Running;
        }
        self.engine.reset(self.mode);
        (self.due, self.first, self.frames) = (0, 0, 0);
        (self.held, self.waiting, self.waited) = (None, false, 0);
        self.status = Status { corrupted: self.status.corrupted, ..Status::default() };
        self.running = true;
        self.capture.start(self.inject);
        log::info!("capture starts, mode {}", self.mode as u8);
        Answer::Done
    }

    /// Ends the capture; what is in the payload goes out as a short frame.
    fn end(&mut self) -> Answer {
        if self.running {
            self.running = false;
            self.capture.stop();
            self.complete();
        }
        Answer::Done
    }

    /// Takes a block, if there is one.
    fn capture(&mut self) {
        let begin = self.supervisor.count();
        let next = self.held.take().or_else(|| self.capture.take(&mut self.words));
        let Some(number) = next else { return };
        let gap = number.wrapping_sub(self.due as u32);
        if gap != 0 {
            // What came before the gap goes out first.
            self.complete();
            if self.waiting {
                self.held = Some(number);
                return;
            }
            self.overrun(number, gap);
        }
        if self.engine.blocks() == 0 {
            self.first = self.due;
        }
        self.due = self.due.wrapping_add(1);
        self.status.blocks = self.status.blocks.wrapping_add(1);
        let ready = self.supervisor.count();
        let whole = self.engine.push(&self.words);
        let done = self.supervisor.count();
        add(&mut self.status.engine_cycles, &mut self.status.engine_instructions, ready, done);
        if whole {
            self.complete();
        }
        let end = self.supervisor.count();
        add(&mut self.status.busy_cycles, &mut self.status.busy_instructions, begin, end);
    }

    /// The block that came is not the one that was due.
    fn overrun(&mut self, block: u32, lost: u32) {
        self.due = self.due.wrapping_add(lost.into());
        self.status.lost = self.status.lost.wrapping_add(lost);
        self.engine.reset(self.mode);
        self.event(&Message::Overrun { block, lost });
        log::warn!("overrun before block {}: {} lost", block, lost);
    }

    /// The payload is ready, as far as it goes.
    fn complete(&mut self) {
        if self.engine.payload().is_empty() {
            self.engine.clear();
            return;
        }
        self.waiting = true;
        self.send();
    }

    /// Sends the frame that waits, if there is room.
    fn send(&mut self) {
        let payload = self.engine.payload();
        if self.uplink.room() < HEADER_LEN + payload.len() {
            self.waited = self.waited.saturating_add(1);
            if self.waited == PATIENCE {
                self.status.stalls = self.status.stalls.wrapping_add(1);
                self.event(&Message::Stall(self.frames));
            }
            return;
        }
        // A payload of the engine is sound, so there is no error to report.
        if let Ok(header) = self.header().encode_header(payload) {
            self.uplink.send(&header, payload);
        }
        if self.waited >= PATIENCE {
            self.event(&Message::Resumed(self.frames));
        }
        self.frames = self.frames.wrapping_add(1);
        self.status.frames = self.status.frames.wrapping_add(1);
        (self.waiting, self.waited) = (false, 0);
        self.engine.clear();
    }

    fn header(&self) -> Header {
        let shape = self.engine.shape();
        let first_sample = self.first.wrapping_mul(BLOCK_BITS as u64);
        let clocks = first_sample.wrapping_mul(self.divider.into());
        Header {
            kind: shape.kind,
            layout: LAYOUT_UNSPECIFIED,
            channels: LINES as u16,
            stride: shape.stride,
            sequence: self.frames,
            first_sample,
            timestamp_ns: clocks.wrapping_mul(1000) / u64::from((S::CLOCK_HZ / 1_000_000).max(1)),
        }
    }

    /// Sends a piece of the log.
    fn tell(&mut self) {
        let mut bytes = [0; console::MAX_PAYLOAD];
        let count = log::take(&mut bytes);
        if let Some(bytes) = bytes.get(..count).filter(|bytes| !bytes.is_empty()) {
            self.event(&Message::Log(bytes));
        }
    }

    fn status(&self) -> Status {
        let stack = self.supervisor.stack();
        Status { stack_used: stack.used, stack_size: stack.size, ..self.status }
    }

    fn event(&mut self, message: &Message<'_>) {
        self.say(self.events, message);
        self.events = self.events.wrapping_add(1);
    }

    fn say(&mut self, sequence: u8, message: &Message<'_>) {
        let mut bytes = [0; console::MAX_LEN];
        // The buffer is as long as a message can be, so there is no error to report.
        let len = console::encode(sequence, message, &mut bytes).unwrap_or(0);
        bytes.iter().take(len).for_each(|byte| self.console.write(*byte));
    }
}

/// Adds what was counted between two moments.
fn add(cycles: &mut u32, instructions: &mut u32, from: Count, to: Count) {
    *cycles = cycles.wrapping_add(to.cycles.wrapping_sub(from.cycles));
    *instructions = instructions.wrapping_add(to.instructions.wrapping_sub(from.instructions));
}

#[cfg(test)]
mod tests;
