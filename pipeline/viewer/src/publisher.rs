//! The pipeline's end of the viewer: the latest value of every kind, replaced without a lock.
//!
//! A publish is one swap of a pointer. It wakes nobody and waits for nobody: the server looks into the mailboxes
//! [`super::FRAMES_PER_SECOND`] times a second. What was not yet taken is overwritten.

use arc_swap::ArcSwapOption;
use holography::product::{Health, Map, Spectrum, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shows values, if anybody looks. Clones show to the same page.
#[derive(Debug, Clone, Default)]
pub struct Publisher {
    boxes: Arc<Mailboxes>,
}

/// The latest value of every kind that was not yet taken.
#[derive(Debug, Default)]
pub(super) struct Mailboxes {
    pub map: ArcSwapOption<Map>,
    pub spectrum: ArcSwapOption<Spectrum>,
    pub health: ArcSwapOption<Vec<Health>>,
    pub status: ArcSwapOption<Status>,
    /// Connected pages.
    pub viewers: AtomicUsize,
}

impl Publisher {
    /// A publisher without a page; [`super::Server::start`] gives it one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a map published now would be seen: a page is connected and the last map was taken. A pipeline that
    /// makes thousands of maps a second asks before it copies one.
    pub fn map_due(&self) -> bool {
        self.viewers() > 0 && self.boxes.map.load().is_none()
    }

    /// Connected pages.
    pub fn viewers(&self) -> usize {
        self.boxes.viewers.load(Ordering::Relaxed)
    }

    /// Shows a map.
    pub fn map(&self, map: Map) {
        self.boxes.map.store(Some(Arc::new(map)));
    }

    /// Shows a spectrum.
    pub fn spectrum(&self, spectrum: Spectrum) {
        self.boxes.spectrum.store(Some(Arc::new(spectrum)));
    }

    /// Shows the state of every microphone, in the order of [`super::Settings::microphones_m`].
    pub fn health(&self, health: Vec<Health>) {
        self.boxes.health.store(Some(Arc::new(health)));
    }

    /// Shows how the instrument does.
    pub fn status(&self, status: Status) {
        self.boxes.status.store(Some(Arc::new(status)));
    }

    pub(super) fn boxes(&self) -> Arc<Mailboxes> {
        Arc::clone(&self.boxes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holography::product::Field;

    #[test]
    fn the_latest_value_wins_and_is_taken_once() {
        let publisher = Publisher::new();
        for sequence in 0..3 {
            let mut map = Map::new(1, 1, [1.0; 2], Field::Amplitude(vec![0.0])).unwrap();
            map.sequence = sequence;
            publisher.clone().map(map);
        }
        let boxes = publisher.boxes();
        assert_eq!(boxes.map.swap(None).map(|map| map.sequence), Some(2));
        assert!(boxes.map.swap(None).is_none());
    }

    #[test]
    fn a_map_is_due_when_a_page_has_taken_the_last() {
        let publisher = Publisher::new();
        assert!(!publisher.map_due(), "nobody looks");
        publisher.boxes.viewers.store(1, Ordering::Relaxed);
        assert!(publisher.map_due());
        publisher.map(Map::new(1, 1, [1.0; 2], Field::Amplitude(vec![0.0])).unwrap());
        assert!(!publisher.map_due());
        publisher.boxes().map.swap(None);
        assert!(publisher.map_due());
    }
}
