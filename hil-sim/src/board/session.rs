//! A running board, from its start to its end.

use std::collections::VecDeque;
use std::process::Child;
use std::time::{Duration, Instant};

use dsp_core::console::{Answer, Message, Status};

use super::console::{Console, Heard};
use super::qemu::Qemu;
use super::soc::Soc;
use super::{BLOCK_ROWS, Faults, Name, Places, ROW_BYTES};
use crate::Error;

/// How long a board may say nothing that was asked for. Emulators on a busy host are slow; only a board that hangs needs this.
const PATIENCE: Duration = Duration::from_secs(120);

/// Pause between two looks at a machine that has nothing to say, so that it gets the processor.
const PAUSE: Duration = Duration::from_micros(200);

/// Equal reports after which nothing more will come: each takes ten rounds of the loop, and every round
/// deals with a block that has come, of which the capture FIFO holds 31. On RTL a report takes 40 to 170
/// thousand cycles.
const SETTLED: u32 = 30;

/// Least time between two such questions on RTL, whose cycles they take from the firmware's work.
const ASKING: Duration = Duration::from_millis(20);

#[derive(Debug)]
enum Machine {
    Qemu(Qemu),
    Soc(Soc),
}

/// A board that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Session {
    name: Name,
    child: Child,
    machine: Machine,
    console: Console,
    sequence: u8,
    /// Events and logs that nobody has asked for yet.
    events: VecDeque<Heard>,
    frames: VecDeque<Vec<u8>>,
    /// Frames that have come since the capture started.
    gathered: u32,
}

impl Session {
    /// Starts a board and waits until its firmware has said why it started.
    pub fn start(name: Name, places: &Places, faults: &Faults) -> Result<Self, Error> {
        if let Some(missing) = places.missing(name) {
            return Err(name.error(missing));
        }
        let elf = places.firmware.join(name.image()).with_extension("elf");
        let texts = std::fs::read(&elf).map_err(|error| name.error(format!("{}: {error}", elf.display())))?;
        let started = if name.is_emulated() {
            Qemu::start(name, &elf, faults.clone()).map(|(qemu, child)| (Machine::Qemu(qemu), child))
        } else {
            let (program, image) = (places.simulators.join(name.program()), elf.with_extension("bin"));
            Soc::start(name, &program, &image, faults).map(|(soc, child)| (Machine::Soc(soc), child))
        };
        let (machine, mut child) =
            started.map_err(|error| name.error(format!("cannot start {}: {error}", name.program())))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| name.error("no pipes to its console"))?;
        let console = Console::new(input, output, texts);
        let (events, frames) = (VecDeque::new(), VecDeque::new());
        let mut session = Self { name, child, machine, console, sequence: 0, events, frames, gathered: 0 };
        let started = |heard: &Heard| matches!(heard, Heard::Message(_, Message::Started { .. }));
        let heard = session.wait_for("its start", started)?;
        session.events.push_front(heard);
        Ok(session)
    }

    /// Sends a command and waits for its outcome.
    pub fn command(&mut self, command: Message<'_>) -> Result<Answer, Error> {
        if command == Message::Start {
            self.gathered = 0;
        }
        let sequence = self.send(&command)?;
        let what = format!("a reply to {command:?}");
        let own = |heard: &Heard| matches!(heard, Heard::Message(s, Message::Reply(_)) if *s == sequence);
        match self.wait_for(&what, own)? {
            Heard::Message(_, Message::Reply(answer)) => Ok(answer),
            _ => Ok(Answer::Refused),
        }
    }

    /// Sends a command that must be carried out.
    pub fn order(&mut self, command: Message<'_>) -> Result<(), Error> {
        match self.command(command)? {
            Answer::Done => Ok(()),
            other => Err(self.name.error(format!("{command:?} was answered with {other:?}"))),
        }
    }

    /// Asks for the counters.
    pub fn status(&mut self) -> Result<Status, Error> {
        let sequence = self.send(&Message::Report)?;
        let own = |heard: &Heard| matches!(heard, Heard::Message(s, Message::Status(_)) if *s == sequence);
        match self.wait_for("its counters", own)? {
            Heard::Message(_, Message::Status(status)) => Ok(status),
            _ => Ok(Status::default()),
        }
    }

    fn send(&mut self, command: &Message<'_>) -> Result<u8, Error> {
        self.sequence = self.sequence.wrapping_add(1);
        self.console.say(self.sequence, command).map_err(|error| self.name.error(error))?;
        Ok(self.sequence)
    }

    /// Sends bytes to the console, whatever they are.
    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.console.raw(bytes).map_err(|error| self.name.error(error))
    }

    /// Waits for something to be said; what is said before it is kept for later.
    pub fn wait_for(&mut self, what: &str, wanted: impl Fn(&Heard) -> bool) -> Result<Heard, Error> {
        let known = self.events.iter().position(&wanted);
        if let Some(heard) = known.and_then(|at| self.events.remove(at)) {
            return Ok(heard);
        }
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            self.gather()?;
            match self.console.hear(PAUSE) {
                Some(heard) if wanted(&heard) => return Ok(heard),
                Some(heard) => self.events.push_back(heard),
                None => self.alive()?,
            }
        }
        Err(self.name.error(format!("waited {} s for {what}", PATIENCE.as_secs())))
    }

    /// Events and logs so far that nobody has waited for.
    pub fn take_events(&mut self) -> Vec<Heard> {
        while let Some(heard) = self.console.hear(Duration::ZERO) {
            self.events.push_back(heard);
        }
        self.events.drain(..).collect()
    }

    /// Gives whole blocks of rows to the lines; waits while there is no room.
    pub fn feed(&mut self, rows: &[u8]) -> Result<(), Error> {
        for block in rows.chunks_exact(BLOCK_ROWS * ROW_BYTES) {
            let mut last = Instant::now();
            while !self.offer(block)? {
                if self.gather()? {
                    last = Instant::now();
                }
                if last.elapsed() > PATIENCE {
                    return Err(self.name.error("takes no more bits"));
                }
                self.alive()?;
                std::thread::sleep(PAUSE);
            }
            self.gather()?;
        }
        Ok(())
    }

    fn offer(&mut self, block: &[u8]) -> Result<bool, Error> {
        match &mut self.machine {
            Machine::Qemu(qemu) => qemu.offer(block).map_err(|error| self.name.error(error)),
            Machine::Soc(soc) => Ok(soc.offer(block)),
        }
    }

    /// Ends the lines' bits, waits until `blocks` have been dealt with, and stops the capture; all its frames have come then.
    ///
    /// Blocks that the FIFO dropped behind the last one that came are never told; a board that reports the same counters
    /// `SETTLED` times has settled without them.
    pub fn settle(&mut self, blocks: u32) -> Result<Status, Error> {
        if let Machine::Soc(soc) = &mut self.machine {
            soc.end_lines();
        }
        let (mut status, mut same) = (self.status()?, 0);
        let (begin, first) = (Instant::now(), status.blocks + status.lost);
        while status.blocks + status.lost < blocks && same < SETTLED {
            if !self.name.is_emulated() {
                let done = status.blocks + status.lost;
                // Half of what the rest will take at this pace: few questions, the last soon after its end.
                let moves = same == 0 && done > first;
                let half = if moves { 0.5 * f64::from(blocks - done) / f64::from(done - first) } else { 0.0 };
                std::thread::sleep(ASKING.max(begin.elapsed().mul_f64(half)));
            }
            let before = std::mem::replace(&mut status, self.status()?);
            same = if (before.blocks, before.lost) == (status.blocks, status.lost) { same + 1 } else { 0 };
        }
        self.order(Message::Stop)?;
        let status = self.status()?;
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE && self.gathered < status.frames {
            self.gather()?;
        }
        Ok(status)
    }

    /// Takes what the uplink has; whether there was anything.
    fn gather(&mut self) -> Result<bool, Error> {
        let before = self.frames.len();
        loop {
            let frame = match &mut self.machine {
                Machine::Qemu(qemu) => qemu.frame().map_err(|error| self.name.error(error))?,
                Machine::Soc(soc) => soc.frame(),
            };
            match frame {
                Some(frame) => {
                    self.gathered += 1;
                    self.frames.push_back(frame);
                }
                None => return Ok(self.frames.len() > before),
            }
        }
    }

    /// The next frame, if one has come.
    pub fn frame(&mut self) -> Result<Option<Vec<u8>>, Error> {
        self.gather()?;
        Ok(self.frames.pop_front())
    }

    /// Closes the uplink, or opens it again; in QEMU only, RTL has a fault for it.
    pub fn open_uplink(&mut self, open: bool) -> Result<(), Error> {
        match &mut self.machine {
            Machine::Qemu(qemu) => qemu.open_uplink(open).map_err(|error| self.name.error(error)),
            Machine::Soc(_) => Err(self.name.error("its uplink stalls by cycles")),
        }
    }

    /// Ends a simulation of RTL; its report, as it stands in the file.
    pub fn finish(mut self) -> Result<Option<String>, Error> {
        self.order(Message::Finish)?;
        let Machine::Soc(soc) = &self.machine else { return Ok(None) };
        self.child.wait().map_err(|error| self.name.error(error))?;
        soc.report().map(Some).map_err(|error| self.name.error(error))
    }

    fn alive(&mut self) -> Result<(), Error> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(self.name.error(format!("{} ended: {status}", self.name.program()))),
            Err(error) => Err(self.name.error(error)),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
