//! Numbers that say that results are there, for a host that does not wait for the whole stream.

use crate::device::check;
use crate::error::Error;
use crate::memory::Mapped;
use crate::stream::{Idle, Stream};
use cudarc::driver::sys;
use std::sync::atomic::Ordering;

/// Numbers in host memory that the parts of a kernel write when their results are there; cheaper than waiting for the
/// stream.
#[derive(Debug)]
pub struct Signal {
    pub(crate) flags: Mapped<u32>,
}

impl Signal {
    /// `count` signals that show 0.
    pub fn new(stream: &Stream, count: usize) -> Result<Self, Error> {
        Ok(Self { flags: Mapped::zeros(stream, "signal", count)? })
    }
}

/// Looks at a signal between two looks at the stream's health: about a millisecond.
const LOOKS: u32 = 1 << 16;

impl Stream {
    /// Spins until all of `signal` shows `value`, which the parts of a kernel write behind their results: of the queue's last one that
    /// reaches host memory, but for those that wait for mail. What is queued behind it may still be under way on the card.
    pub fn wait_for(&mut self, signal: &Signal, value: u32) -> Result<Idle<'_>, Error> {
        for part in 0..signal.flags.len() {
            self.watch(&signal.flags, part, value)?;
        }
        // What a part wrote before its signal is read after it.
        std::sync::atomic::fence(Ordering::Acquire);
        Ok(Idle(self))
    }

    /// Spins until signal `part` shows `value`.
    fn watch(&self, flags: &Mapped<u32>, part: usize, value: u32) -> Result<(), Error> {
        loop {
            for _ in 0..LOOKS {
                if flags.poll(part) == value {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            self.device().bind()?;
            // A kernel that failed never signals.
            // SAFETY: the stream lives as long as `self`.
            match unsafe { sys::cuStreamQuery(self.raw) } {
                sys::CUresult::CUDA_ERROR_NOT_READY => {}
                sys::CUresult::CUDA_SUCCESS if flags.poll(part) == value => {}
                sys::CUresult::CUDA_SUCCESS => {
                    let (what, name) = ("waiting for a signal".into(), "no error".into());
                    let text = format!("but signal {part} shows {} instead of {value}", flags.poll(part));
                    return Err(Error::Driver { what, name, text });
                }
                error => check("waiting for a signal", error.result())?,
            }
        }
    }
}
