//! One page: newest values out, commands in.
//!
//! A client that reads slowly misses maps: what waits for it is the message under way and the newest of every kind. One
//! that takes no message for [`Patience::send`](super::Patience::send), or says nothing for
//! [`Patience::silence`](super::Patience::silence), is let go.

use super::hub::{Hub, Subscription, stopped};
use super::protocol::{self, Telling};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// Messages that a client may send at once.
const BURST: f64 = 60.0;

/// Messages a second that a client may send for ever.
const RATE: f64 = 30.0;

/// Why a client is let go: a close code and words, or nothing to be said any more.
type Farewell = Option<(u16, &'static str)>;

/// Serves one page to its end.
pub(super) async fn serve(mut socket: WebSocket, hub: Arc<Hub>) {
    let mut shown = hub.shown.subscribe();
    let farewell = match talk(&mut socket, &hub, &mut shown).await {
        Ok(never) => match never {},
        Err(farewell) => farewell,
    };
    hub.metrics.maps_missed.inc_by(hub.shown.maps() - shown.seen);
    if let Some((code, reason)) = farewell {
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // The peer may be gone or stuck: this is a courtesy.
        let _ = timeout(Duration::from_millis(200), socket.send(close)).await;
    }
}

/// Talks until there is a reason not to.
async fn talk(
    socket: &mut WebSocket,
    hub: &Hub,
    shown: &mut Subscription,
) -> Result<std::convert::Infallible, Farewell> {
    let (patience, mut stop) = (hub.settings.patience, hub.stop.clone());
    let mut allowance = Allowance::new(Instant::now());
    let mut heard = Instant::now();
    let mut ping = interval(patience.silence / 3);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    send(socket, hub, Message::text(Telling::hello(&hub.settings).to_text())).await?;
    loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => return Err(Some((close_code::AWAY, "the instrument stops"))),
            message = socket.recv() => {
                heard = Instant::now();
                if !allowance.take(heard) {
                    return Err(Some((close_code::POLICY, "too many messages")));
                }
                hear(socket, hub, message).await?;
            }
            () = sleep_until(heard + patience.silence) => return Err(Some((close_code::POLICY, "silent too long"))),
            _ = ping.tick() => send(socket, hub, Message::Ping(Default::default())).await?,
            message = shown.next() => {
                // One thread serves all pages: no other map came since this one was taken.
                let number = matches!(message, Message::Binary(_)).then(|| hub.shown.maps());
                send(socket, hub, message).await?;
                if let Some(number) = number {
                    hub.metrics.maps_sent.inc();
                    hub.metrics.maps_missed.inc_by(number - shown.seen - 1);
                    shown.seen = number;
                }
            }
        }
    }
}

/// Takes one message and answers it.
async fn hear(
    socket: &mut WebSocket,
    hub: &Hub,
    message: Option<Result<Message, axum::Error>>,
) -> Result<(), Farewell> {
    match message {
        Some(Ok(Message::Text(text))) => {
            let (id, command) = protocol::decode(&text, &hub.settings.limits);
            let outcome = command.and_then(|command| hub.wishes.hand_over(command));
            if outcome.is_ok() { &hub.metrics.commands } else { &hub.metrics.refused }.inc();
            send(socket, hub, Message::text(Telling::reply(id, outcome).to_text())).await
        }
        Some(Ok(Message::Binary(_))) => Err(Some((close_code::UNSUPPORTED, "commands are text"))),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
        // Broken frames, too long ones, and the end of the connection.
        Some(Ok(Message::Close(_)) | Err(_)) | None => Err(None),
    }
}

async fn send(socket: &mut WebSocket, hub: &Hub, message: Message) -> Result<(), Farewell> {
    match timeout(hub.settings.patience.send, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(None),
    }
}

/// How many messages a client may still send: [`BURST`], refilled at [`RATE`].
struct Allowance {
    left: f64,
    since: Instant,
}

impl Allowance {
    fn new(now: Instant) -> Self {
        Self { left: BURST, since: now }
    }

    /// Takes one, if there is one.
    fn take(&mut self, now: Instant) -> bool {
        self.left = (self.left + RATE * (now - self.since).as_secs_f64()).min(BURST);
        self.since = now;
        let good = self.left >= 1.0;
        self.left -= if good { 1.0 } else { 0.0 };
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert_eq!((0..100).filter(|_| allowance.take(start)).count(), BURST as usize);
        let later = start + Duration::from_secs(1);
        assert_eq!((0..100).filter(|_| allowance.take(later)).count(), RATE as usize);
        let much_later = start + Duration::from_secs(1000);
        assert_eq!((0..100).filter(|_| allowance.take(much_later)).count(), BURST as usize);
    }
}
