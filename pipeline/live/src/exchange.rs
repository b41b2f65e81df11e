//! Buffers that go to another thread and come back: nothing is allocated once they are made.

use rtrb::{Consumer, Producer, RingBuffer};

/// The end that fills buffers.
pub struct Filler<T> {
    to: Producer<T>,
    back: Consumer<T>,
}

/// The end that uses them.
pub struct User<T> {
    from: Consumer<T>,
    back: Producer<T>,
}

/// An exchange of these buffers.
pub fn exchange<T>(buffers: Vec<T>) -> (Filler<T>, User<T>) {
    let length = buffers.len().max(1);
    let (to, from) = RingBuffer::new(length);
    let (mut back, empty) = RingBuffer::new(length);
    for buffer in buffers {
        // As many places as buffers.
        let _ = back.push(buffer);
    }
    (Filler { to, back: empty }, User { from, back })
}

impl<T> Filler<T> {
    /// An empty buffer, if one is back.
    pub fn take(&mut self) -> Option<T> {
        self.back.pop().ok()
    }

    /// Hands a buffer over; there is a place for each.
    pub fn send(&mut self, buffer: T) {
        let _ = self.to.push(buffer);
    }
}

impl<T> User<T> {
    /// The next full buffer.
    pub fn next(&mut self) -> Option<T> {
        self.from.pop().ok()
    }

    /// Gives it back.
    pub fn recycle(&mut self, buffer: T) {
        let _ = self.back.push(buffer);
    }
}
