//! What the user should know, until acknowledged; and all of it for the summary.

use crate::viewer::{Message, Severity};

/// Most messages that wait; the oldest goes.
const MOST: usize = 32;
/// Most that the summary lists.
const LONGEST: usize = 1000;

/// The messages of one run.
#[derive(Debug, Default)]
pub struct Messages {
    waiting: Vec<Message>,
    all: Vec<String>,
    next: u64,
}

impl Messages {
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
        self.waiting.push(Message { id: self.next, severity, text });
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
        let mut messages = Messages::default();
        for i in 0..40 {
            messages.add(Severity::Note, format!("{i}"));
        }
        assert_eq!((messages.list().len(), messages.list()[0].text.as_str()), (MOST, "8"));
        messages.acknowledge(9);
        assert_eq!(messages.list()[0].text, "9");
        assert_eq!(messages.history().len(), 40);
    }
}
