//! What the server and its pages share, and the newest message of every kind.

use super::controls::Wishes;
use super::guard::Guard;
use super::metrics::Metrics;
use super::protocol::{Telling, encode_map};
use super::publisher::Mailboxes;
use super::settings::Settings;
use axum::extract::ws::Message;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{Semaphore, watch};

/// What all connections share.
pub struct Hub {
    pub settings: Settings,
    pub metrics: Metrics,
    pub wishes: Wishes,
    pub shown: Shown,
    pub stop: watch::Receiver<bool>,
    pub guard: Guard,
    /// One permit a page.
    pub pages: Arc<Semaphore>,
    pub boxes: Arc<Mailboxes>,
}

/// The newest message of every kind.
#[derive(Default)]
pub struct Shown {
    status: watch::Sender<Option<Message>>,
    health: watch::Sender<Option<Message>>,
    spectrum: watch::Sender<Option<Message>>,
    map: watch::Sender<Option<Message>>,
    /// How many there were.
    maps: AtomicU64,
}

impl Shown {
    /// Kinds of messages.
    pub const KINDS: usize = 4;

    /// The number of the map that is there now, from 1; 0 for none.
    pub fn maps(&self) -> u64 {
        self.maps.load(Ordering::Relaxed)
    }

    /// What is there now counts as new.
    pub fn subscribe(&self) -> Subscription {
        let receivers = [&self.status, &self.health, &self.spectrum, &self.map].map(|sender| {
            let mut receiver = sender.subscribe();
            receiver.mark_changed();
            receiver
        });
        Subscription { receivers, seen: self.maps().saturating_sub(1) }
    }

    /// Empties the mailboxes.
    pub fn collect(&self, boxes: &Mailboxes) {
        let text = |telling: Telling| Some(Message::text(telling.to_text()));
        if let Some(status) = boxes.status.swap(None) {
            self.status.send_replace(text(Telling::Status(&status)));
        }
        if let Some(health) = boxes.health.swap(None) {
            self.health.send_replace(text(Telling::health(&health)));
        }
        if let Some(spectrum) = boxes.spectrum.swap(None) {
            self.spectrum.send_replace(text(Telling::Spectrum(&spectrum)));
        }
        if let Some(map) = boxes.map.swap(None) {
            self.maps.fetch_add(1, Ordering::Relaxed);
            self.map.send_replace(Some(Message::Binary(encode_map(&map).into())));
        }
    }
}

/// The newest values, as one client has seen them.
pub struct Subscription {
    receivers: [watch::Receiver<Option<Message>>; Shown::KINDS],
    /// The number of the last map that it got; those before it that it did not get are counted.
    pub seen: u64,
}

impl Subscription {
    /// Waits for the next value that this client has not seen. Maps come last, so that they cannot crowd out the rest.
    pub async fn next(&mut self) -> Message {
        loop {
            let [status, health, spectrum, map] = &mut self.receivers;
            let changed = tokio::select! {
                biased;
                Ok(()) = status.changed() => status,
                Ok(()) = health.changed() => health,
                Ok(()) = spectrum.changed() => spectrum,
                Ok(()) = map.changed() => map,
                // The hub outlives its clients.
                else => std::future::pending().await,
            };
            if let Some(message) = changed.borrow_and_update().clone() {
                return message;
            }
        }
    }
}

/// Waits for the order to stop.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the server is gone, which is an order too.
    let _ = stop.wait_for(|stop| *stop).await;
}
