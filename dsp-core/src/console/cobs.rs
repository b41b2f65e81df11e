//! Consistent overhead byte stuffing: bytes without a 0 among them, one more for every 254.
//!
//! A run is a code byte n and n - 1 bytes that are not 0; behind it stands a 0 of the original, but not behind the last run
//! and not behind a run of 254 bytes. Own code, since the crates for it leave bounds checks that can panic.

/// A run has at most this code.
const LONGEST: u8 = 0xff;

/// Writes stuffed bytes into a buffer; remembers that it was too short.
pub struct Stuffer<'a> {
    out: &'a mut [u8],
    /// Where the open run's code will stand.
    code_at: usize,
    at: usize,
    code: u8,
}

impl<'a> Stuffer<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, code_at: 0, at: 1, code: 1 }
    }

    pub fn push(&mut self, byte: u8) {
        if byte == 0 {
            return self.close();
        }
        self.put(self.at, byte);
        self.at = self.at.saturating_add(1);
        self.code = self.code.saturating_add(1);
        if self.code == LONGEST {
            self.close();
        }
    }

    /// Ends the message with a 0; its length, or none if the buffer was too short.
    pub fn finish(mut self) -> Option<usize> {
        self.put(self.code_at, self.code);
        self.put(self.at, 0);
        let len = self.at.saturating_add(1);
        (len <= self.out.len()).then_some(len)
    }

    fn close(&mut self) {
        self.put(self.code_at, self.code);
        self.code_at = self.at;
        self.at = self.at.saturating_add(1);
        self.code = 1;
    }

    fn put(&mut self, at: usize, byte: u8) {
        if let Some(slot) = self.out.get_mut(at) {
            *slot = byte;
        }
    }
}

/// Takes stuffed bytes, none of them 0, and gives the original ones.
#[derive(Clone, Debug)]
pub struct Unstuffer {
    /// Bytes of the open run that are still to come.
    left: u8,
    /// Whether the open run stands for a 0 behind it; false before the first run.
    zero_behind: bool,
    begun: bool,
}

impl Unstuffer {
    pub const fn new() -> Self {
        Self { left: 0, zero_behind: false, begun: false }
    }

    pub fn push(&mut self, byte: u8) -> Option<u8> {
        if self.left > 0 {
            self.left -= 1;
            return Some(byte);
        }
        let zero = core::mem::replace(&mut self.zero_behind, byte != LONGEST);
        self.left = byte.saturating_sub(1);
        self.begun = true;
        zero.then_some(0)
    }

    /// The 0 that ends a message has come: whether it was due, or nothing if no byte came before it.
    pub fn end(&mut self) -> Option<bool> {
        let whole = self.begun.then_some(self.left == 0);
        *self = Self::new();
        whole
    }
}
