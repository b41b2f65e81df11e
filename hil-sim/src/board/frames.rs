//! A board as a source of datagrams: rows of any source through its lines, its frames as they come.

use dsp_core::console::{Message, Mode, Status};
use dsp_core::frame::{Frame, Kind};

use super::{BLOCK_ROWS, Faults, LINES, Name, Places, ROW_BYTES, Session};
use crate::frames::Frames;
use crate::link::{Content, Stamp};
use crate::rows::Rows;
use crate::{Error, link};

/// Blocks that are read at a time.
const AT_ONCE: usize = 64;

/// System clocks a bit in which firmware on RTL deals with all lines: half as many again as `docs/measured/firmware.md` has, or more.
fn divider(name: Name, mode: Mode) -> u32 {
    let of_a_line = match (name, mode) {
        (Name::Picorv32, Mode::Decimate) => 171,
        (Name::Picorv32, _) => 32,
        (_, Mode::Bits) => 9,
        (_, Mode::Decimate) => 51,
        _ => 12,
    };
    of_a_line * LINES as u32
}

/// The frames of a board that hears rows.
pub struct BoardFrames<R> {
    name: Name,
    /// None after the end.
    session: Option<Session>,
    rows: R,
    buffer: Vec<u8>,
    /// Blocks given to the lines.
    blocks: u32,
    settled: bool,
    elapsed: u64,
    status: Status,
}

impl<R: Rows> BoardFrames<R> {
    /// Starts a board in a mode; it hears the first [`LINES`] channels of the rows.
    pub fn start(name: Name, places: &Places, mode: Mode, rows: R) -> Result<Self, Error> {
        let channels = rows.layout().channels();
        if (channels as usize) < LINES {
            return Err(name.error(format!("{channels} channels for its {LINES} lines")));
        }
        let mut session = Session::start(name, places, &Faults::default())?;
        if !name.is_emulated() {
            // Bits wait for QEMU, but not for RTL, which has a clock.
            session.order(Message::SetRate(divider(name, mode)))?;
        }
        session.order(Message::SetMode(mode))?;
        session.order(Message::Start)?;
        let buffer = vec![0; AT_ONCE * BLOCK_ROWS * rows.layout().row_bytes()];
        let status = Status::default();
        Ok(Self { name, session: Some(session), rows, buffer, blocks: 0, settled: false, elapsed: 0, status })
    }

    /// Gives the board more bits, or lets it settle when there are none.
    fn go_on(&mut self) -> Result<(), Error> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let read = self.rows.read(&mut self.buffer)? / BLOCK_ROWS;
        if read == 0 {
            self.settled = true;
            self.status = session.settle(self.blocks)?;
            return Ok(());
        }
        let row_bytes = self.rows.layout().row_bytes();
        let rows = self.buffer.chunks_exact(row_bytes).take(read * BLOCK_ROWS);
        let lines: Vec<u8> = rows.flat_map(|row| &row[..ROW_BYTES]).copied().collect();
        self.blocks = self.blocks.wrapping_add(read as u32);
        session.feed(&lines)
    }

    /// The counters when all bits were dealt with.
    pub fn status(&self) -> Status {
        self.status
    }
}

impl<R: Rows> Frames for BoardFrames<R> {
    fn next(&mut self, datagram: &mut Vec<u8>) -> Result<Option<Content>, Error> {
        loop {
            let Some(session) = &mut self.session else { return Ok(None) };
            if let Some(frame) = session.frame()? {
                *datagram = frame;
                break;
            }
            if self.settled {
                return Ok(None);
            }
            self.go_on()?;
        }
        let Ok(frame) = Frame::decode_datagram(datagram) else { return Ok(Some(link::Content::Junk)) };
        let rows = if frame.header.kind == Kind::Walsh { 1 } else { frame.rows() as u64 };
        let samples = rows * u64::from(frame.header.stride);
        self.elapsed = frame.header.first_sample + samples;
        let (sequence, first_sample) = (frame.header.sequence, frame.header.first_sample);
        Ok(Some(Content::Frame(Stamp { sequence, first_sample, samples })))
    }

    fn elapsed(&self) -> u64 {
        self.elapsed
    }

    fn close(&mut self) -> Result<Option<serde_json::Value>, Error> {
        let Some(mut session) = self.session.take() else { return Ok(None) };
        let status = if self.settled { self.status } else { session.settle(0)? };
        let bits = f64::from(status.blocks) * (LINES * BLOCK_ROWS) as f64;
        let log = session.take_events().into_iter().map(|heard| format!("{heard:?}"));
        let mut report = serde_json::json!({
            "name": self.name.as_str(), "blocks": status.blocks, "lost_blocks": status.lost, "frames": status.frames,
            "stalls": status.stalls, "corrupted_commands": status.corrupted,
            "stack_bytes": status.stack_used, "stack_size": status.stack_size,
            "instructions_per_bit": f64::from(status.busy_instructions) / bits,
            "cycles_per_bit": f64::from(status.busy_cycles) / bits,
            "said": log.collect::<Vec<_>>(),
        });
        if let Some(text) = session.finish()? {
            report["simulation"] = serde_json::from_str(&text).unwrap_or(text.into());
        }
        Ok(Some(report))
    }
}
