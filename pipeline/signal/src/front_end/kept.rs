//! The newest rows of a stream as one slice, for methods that need the bits of the whole window.
//!
//! Rows are appended to a buffer of twice the window; when it is full, the window moves to its start. A byte is copied
//! twice at most.

/// The newest bytes of a stream.
pub struct Kept {
    bytes: Vec<u8>,
    window: usize,
    end: usize,
}

impl Kept {
    /// The newest `window` bytes; takes memory with the first push.
    pub fn new(window: usize) -> Self {
        Self { bytes: Vec::new(), window, end: window }
    }

    /// Appends `rows`.
    pub fn push(&mut self, rows: &[u8]) {
        self.reserve();
        // Only the newest count.
        let rows = &rows[rows.len().saturating_sub(self.window)..];
        if self.end + rows.len() > self.bytes.len() {
            let keep = self.window - rows.len();
            self.bytes.copy_within(self.end - keep..self.end, 0);
            self.end = keep;
        }
        self.bytes[self.end..self.end + rows.len()].copy_from_slice(rows);
        self.end += rows.len();
    }

    /// The window, oldest first.
    pub fn window(&mut self) -> &[u8] {
        self.reserve();
        &self.bytes[self.end - self.window..self.end]
    }

    /// Any bits before the first push.
    fn reserve(&mut self) {
        self.bytes.resize(2 * self.window, 0x55);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_end_of_the_stream() {
        let mut kept = Kept::new(12);
        let mut stream = vec![0x55; 12];
        assert_eq!(kept.window(), &stream);
        for (i, length) in [4, 4, 8, 12, 4, 20, 8, 8, 8].into_iter().enumerate() {
            let rows: Vec<u8> = (0..length).map(|j| (17 * i + j) as u8).collect();
            kept.push(&rows);
            stream.extend(&rows);
            assert_eq!(kept.window(), &stream[stream.len() - 12..], "push {i}");
        }
    }
}
