//! What the user should know, until acknowledged; and all of it for the summary.

use holography::product::{Message, Severity};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Most messages that wait; the oldest goes.
const MOST: usize = 32;
/// Most that the summary lists.
const LONGEST: usize = 1000;

/// Most that wait for whoever runs the instrument.
const NEWS: usize = 256;

/// The messages of one run.
#[derive(Debug)]
pub struct Messages {
    waiting: Vec<Message>,
    all: Vec<String>,
    next: u64,
    news: SyncSender<Message>,
}

impl Messages {
    /// None yet; those that come are also at the other end.
    pub fn new() -> (Self, Receiver<Message>) {
        let (news, read) = sync_channel(NEWS);
        (Self { waiting: Vec::new(), all: Vec::new(), next: 0, news }, read)
    }

    /// Says something.
    pub fn add(&mut self, severity: Severity, text: impl Into<String>) {
        let text = text.into();
        if self.all.len() < LONGEST {
            self.all.push(text.clone());
        }
        if self.waiting.len() == MOST {
            self.waiting.remove(0);
        }
        self.next += 1;
        let message = Message { id: self.next, severity, text };
        // Nobody may read: the page and the summary have it.
        let _ = self.news.try_send(message.clone());
        self.waiting.push(message);
    }

    /// The user has read it.
    pub fn acknowledge(&mut self, id: u64) {
        self.waiting.retain(|message| message.id != id);
    }

    /// Not yet acknowledged.
    pub fn list(&self) -> Vec<Message> {
        self.waiting.clone()
    }

    /// Everything that was said.
    pub fn history(self) -> Vec<String> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wait_until_read_and_are_bounded() {
        let (mut messages, news) = Messages::new();
        for i in 0..40 {
            messages.add(Severity::Note, format!("{i}"));
        }
        assert_eq!(news.try_iter().map(|m| m.id).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
        drop(news);
        assert_eq!((messages.list().len(), messages.list()[0].text.as_str()), (MOST, "8"));
        messages.acknowledge(9);
        assert_eq!(messages.list()[0].text, "9");
        for _ in 0..2 * NEWS {
            messages.add(Severity::Note, "nobody reads");
        }
        assert_eq!(messages.history().len(), 40 + 2 * NEWS);
    }
}
