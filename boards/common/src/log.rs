//! defmt on the console: what is logged waits in a static buffer until the loop sends it as [`Message::Log`].
//!
//! The host decodes the bytes with the texts in the board's ELF file. A log that does not fit is dropped whole.
//!
//! [`Message::Log`]: dsp_core::console::Message::Log

use core::cell::UnsafeCell;

#[cfg(target_os = "none")]
pub(crate) use defmt::{info, warn};

/// A host's tests log nothing.
#[cfg(not(target_os = "none"))]
macro_rules! nothing {
    ($($argument:expr),*) => {{
        $(let _ = $argument;)*
    }};
}
#[cfg(not(target_os = "none"))]
pub(crate) use {nothing as info, nothing as warn};

/// Bytes that may wait.
const ROOM: usize = 256;

struct Buffer {
    bytes: [u8; ROOM],
    /// Whole logs end here; what is behind is being written.
    whole: usize,
    len: usize,
}

struct Shared(UnsafeCell<Buffer>);

// SAFETY: boards have one hart, and nothing that interrupts the loop logs; every reference below ends before the next begins.
unsafe impl Sync for Shared {}

static BUFFER: Shared = Shared(UnsafeCell::new(Buffer { bytes: [0; ROOM], whole: 0, len: 0 }));

impl Buffer {
    #[cfg(any(test, target_os = "none"))]
    fn write(&mut self, bytes: &[u8]) {
        match self.bytes.get_mut(self.len..).and_then(|rest| rest.get_mut(..bytes.len())) {
            Some(slots) => {
                slots.copy_from_slice(bytes);
                self.len += bytes.len();
            }
            // Beyond the end: the log is dropped when it ends.
            None => self.len = ROOM + 1,
        }
    }

    #[cfg(any(test, target_os = "none"))]
    fn end(&mut self) {
        if self.len > ROOM {
            self.len = self.whole;
        }
        self.whole = self.len;
    }

    /// Moves the first waiting bytes out.
    fn take(&mut self, out: &mut [u8]) -> usize {
        if self.whole == 0 {
            // Most rounds of the loop end here.
            return 0;
        }
        let count = self.whole.min(out.len());
        if let (Some(slots), Some(bytes)) = (out.get_mut(..count), self.bytes.get(..count)) {
            slots.copy_from_slice(bytes);
        }
        // The loop takes between logs, so nothing is behind the whole ones.
        self.bytes.rotate_left(count.min(ROOM));
        self.whole -= count;
        self.len = self.whole;
        count
    }
}

/// Fills `out` with bytes of the log; how many there were.
pub fn take(out: &mut [u8]) -> usize {
    // SAFETY: see `Shared`; the reference ends with this statement.
    unsafe { &mut *BUFFER.0.get() }.take(out)
}

#[cfg(target_os = "none")]
mod logger {
    use super::BUFFER;

    #[defmt::global_logger]
    struct Logger;

    fn write(bytes: &[u8]) {
        // SAFETY: see `Shared`; the reference ends with this statement.
        unsafe { &mut *BUFFER.0.get() }.write(bytes);
    }

    // SAFETY: one hart, and nothing interrupts a log, so nobody else can acquire between `acquire` and `release`.
    unsafe impl defmt::Logger for Logger {
        fn acquire() {}

        unsafe fn flush() {}

        unsafe fn release() {
            // SAFETY: see `Shared`; the reference ends with this statement.
            unsafe { &mut *BUFFER.0.get() }.end();
        }

        unsafe fn write(bytes: &[u8]) {
            write(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_logs_come_out_and_one_that_does_not_fit_does_not() {
        let mut buffer = Buffer { bytes: [0; ROOM], whole: 0, len: 0 };
        buffer.write(b"first");
        buffer.end();
        buffer.write(&[1; ROOM]);
        buffer.write(b"x");
        buffer.end();
        buffer.write(b"second");
        buffer.end();
        let mut out = [0; 8];
        assert_eq!(buffer.take(&mut out), 8);
        assert_eq!(&out, b"firstsec");
        assert_eq!(buffer.take(&mut out), 3);
        assert_eq!(&out[..3], b"ond");
        assert_eq!(buffer.take(&mut out), 0);
    }
}
