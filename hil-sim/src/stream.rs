//! Datagrams on their way: paced by an absolute schedule, sent in batches over UDP.
//!
//! # Schedule
//! The batch that ends with time sample n leaves at start + n / (rate * speed), never before: a sensor cannot
//! send a sample that it has not taken. Each time is computed from n, so nothing drifts. What leaves later
//! than its time is counted ([`Punctuality`]); nothing is skipped. A bench that is behind catches up at
//! [`CATCH_UP`] times the rate and no faster: a burst would overrun the receiver, which no sensor does. Where the bench must not
//! show in a receiver's latencies it catches up more slowly ([`Pace::catching_up_at`]).
//!
//! # Batches
//! Up to [`BATCH_BYTES`] of datagrams of one size, or [`BATCH_S`] seconds of them, go to the kernel in one call
//! where it can take them apart (segmentation offload on Linux and Windows); elsewhere one by one. A
//! datagram of another size ends the batch. The datagrams on the wire are the same. A sensor sends each frame when it is full; a bench that
//! measures latency takes shorter batches ([`Pace::in_batches_of`]) and looks at the clock instead of sleeping, which takes a core.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use quinn_udp::{Transmit, UdpSockRef, UdpSocketState};
use serde::Serialize;

use crate::Link;
use crate::frames::{Frames, LARGEST_DATAGRAM};

/// Most bytes of a batch: what one call may send.
pub const BATCH_BYTES: usize = LARGEST_DATAGRAM;

/// Longest time that a batch gathers, in seconds.
pub const BATCH_S: f64 = 0.001;

/// What a sleep may take too long, in seconds: shorter waits look at the clock.
const SLEEP_S: f64 = 0.0002;

/// A batch counts as behind when it leaves so much after its time: the sleep's own inaccuracy, and a tenth of it where the bench
/// looks at the clock.
pub const BEHIND_S: [f64; 2] = [0.001, 0.0001];

/// How much faster than its rate a bench sends that is behind.
pub const CATCH_UP: f64 = 2.0;

/// The UDP end of the bench.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
    state: UdpSocketState,
    to: SocketAddr,
    batch: Vec<u8>,
    /// Size of the datagrams in the batch, their number, and whether a shorter one has ended it.
    size: usize,
    count: usize,
    ended: bool,
    /// Times that the kernel's buffer was full.
    stalls: u64,
}

/// A socket on any free port that can send to `to`.
pub fn any_port(to: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
        SocketAddr::V6(_) => ([0u16; 8], 0).into(),
    };
    UdpSocket::bind(any)
}

impl Sender {
    /// A socket on any free port that sends to `to`.
    pub fn new(to: SocketAddr) -> io::Result<Self> {
        let socket = any_port(to)?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        // As much as the system allows; without it the ordinary size serves.
        let _ = state.set_send_buffer_size(UdpSockRef::from(&socket), 4 << 20);
        Ok(Self { socket, state, to, batch: Vec::new(), size: 0, count: 0, ended: false, stalls: 0 })
    }

    /// Times that sending had to wait for the kernel.
    pub fn stalls(&self) -> u64 {
        self.stalls
    }

    /// Appends a datagram to the batch; sends the batch first where it does not fit.
    pub fn push(&mut self, datagram: &[u8]) -> io::Result<()> {
        let full = self.batch.len() + datagram.len() > BATCH_BYTES
            || self.count >= self.state.max_gso_segments()
            || datagram.len() > self.size
            || self.ended;
        if full {
            self.flush()?;
        }
        if self.count == 0 {
            self.size = datagram.len();
        }
        self.ended = datagram.len() < self.size;
        self.batch.extend_from_slice(datagram);
        self.count += 1;
        Ok(())
    }

    /// Sends what is in the batch.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.count > 0 {
            self.send()?;
        }
        self.batch.clear();
        self.count = 0;
        self.ended = false;
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        let transmit = Transmit {
            destination: self.to,
            ecn: None,
            contents: &self.batch,
            segment_size: (self.count > 1).then_some(self.size),
            src_ip: None,
        };
        loop {
            match self.state.try_send(UdpSockRef::from(&self.socket), &transmit) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.stalls += 1;
                    std::thread::sleep(Duration::from_micros(50));
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // Nobody listens there yet, which a sensor would not notice.
                Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => return Ok(()),
                result => return result,
            }
        }
    }
}

/// How well the schedule was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Punctuality {
    /// Batches that left.
    pub batches: u64,
    /// Batches that left more than a millisecond after their time; of short batches, more than a tenth of one.
    pub behind: u64,
    /// The most that one left after its time, in seconds.
    pub worst_s: f64,
    /// What the last left after its time, in seconds: what the bench is behind the sensor.
    pub last_s: f64,
}

/// The schedule.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    start: Instant,
    /// Time samples a second; none to send as fast as can be.
    rate_hz: Option<f64>,
    /// Longest time that a batch gathers, in seconds.
    batch_s: f64,
    /// Times the rate while it is behind.
    catch_up: f64,
    /// Time and sample of the last departure.
    last: (f64, u64),
    kept: Punctuality,
}

impl Pace {
    /// A schedule that begins now.
    pub fn new(rate_hz: Option<f64>) -> Self {
        let (start, kept) = (Instant::now(), Punctuality::default());
        Self { start, rate_hz, batch_s: BATCH_S, catch_up: CATCH_UP, last: (0.0, 0), kept }
    }

    /// The same with batches of `batch_s` seconds; below [`BATCH_S`] their times are kept to a few
    /// microseconds.
    pub fn in_batches_of(self, batch_s: f64) -> Self {
        Self { batch_s, ..self }
    }

    /// The same, catching up at `times` the rate; 1 never catches up, as a sensor whose clock stood still.
    pub fn catching_up_at(self, times: f64) -> Self {
        Self { catch_up: times, ..self }
    }

    /// How well it was kept so far.
    pub fn kept(&self) -> Punctuality {
        self.kept
    }

    /// Seconds since the begin.
    pub fn elapsed_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Most samples of a batch.
    pub fn batch_samples(&self) -> u64 {
        self.rate_hz.map_or(u64::MAX, |rate| (rate * self.batch_s).max(1.0) as u64)
    }

    /// When the batch that ends with sample `n` may leave, in seconds since the begin.
    fn earliest_s(&self, n: u64, rate_hz: f64) -> f64 {
        let (last_s, last_n) = self.last;
        (n as f64 / rate_hz).max(last_s + n.saturating_sub(last_n) as f64 / (rate_hz * self.catch_up))
    }

    /// Waits until sample `n` has been taken, in steps short enough that `stop` is heard.
    pub fn wait(&mut self, n: u64, stop: &dyn Fn() -> bool) {
        self.kept.batches += 1;
        let Some(rate) = self.rate_hz else { return };
        let (due, earliest) = (n as f64 / rate, self.earliest_s(n, rate));
        loop {
            let early = earliest - self.elapsed_s();
            if early <= 0.0 || stop() {
                break;
            }
            if self.batch_s >= BATCH_S {
                std::thread::sleep(Duration::from_secs_f64(early.min(0.1)));
            } else if early > 2.0 * SLEEP_S {
                std::thread::sleep(Duration::from_secs_f64((early - SLEEP_S).min(0.1)));
            } else {
                std::hint::spin_loop();
            }
        }
        let now = self.elapsed_s();
        let late = (now - due).max(0.0);
        self.last = (now, n);
        self.kept.behind += u64::from(late > BEHIND_S[usize::from(self.batch_s < BATCH_S)]);
        self.kept.worst_s = self.kept.worst_s.max(late);
        self.kept.last_s = late;
    }
}

/// Datagrams that wait for their time.
#[derive(Debug, Default)]
pub struct Waiting {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Waiting {
    /// Appends a datagram.
    pub fn push(&mut self, datagram: &[u8]) {
        self.bytes.extend_from_slice(datagram);
        self.ends.push(self.bytes.len());
    }

    /// Their bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Sends all, in order.
    pub fn send(&self, sender: &mut Sender) -> io::Result<()> {
        let mut start = 0;
        for &end in &self.ends {
            sender.push(&self.bytes[start..end])?;
            start = end;
        }
        sender.flush()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Sends frames through a link on a schedule, until they end, `limit` time samples have passed or `stop` says so: the whole
/// bench for a thread of another program.
pub fn transmit(
    frames: &mut dyn Frames,
    link: &mut Link,
    pace: &mut Pace,
    sender: &mut Sender,
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> io::Result<()> {
    schedule(frames, link, pace, limit, stop, &mut |waiting, _, _, _| waiting.send(sender))
}

/// The same with batches that go to `depart` when their time has come: with the time samples so far, the link, and how well the
/// schedule was kept.
pub fn schedule(
    frames: &mut dyn Frames,
    link: &mut Link,
    pace: &mut Pace,
    limit: u64,
    stop: &dyn Fn() -> bool,
    depart: &mut dyn FnMut(&Waiting, u64, &Link, Punctuality) -> io::Result<()>,
) -> io::Result<()> {
    // A source may begin with any number; the schedule begins now.
    let begin = frames.elapsed();
    let (mut waiting, mut datagram, mut sent) = (Waiting::default(), Vec::new(), begin);
    let mut batch = pace.batch_samples();
    let mut send = |waiting: &mut Waiting, link: &Link, n: u64| {
        pace.wait(n - begin, stop);
        depart(waiting, n, link, pace.kept())?;
        waiting.clear();
        io::Result::Ok(pace.batch_samples())
    };
    while frames.elapsed() - begin < limit && !stop() {
        let Some(content) = frames.next(&mut datagram).map_err(io::Error::other)? else { break };
        link.push(&datagram, content, &mut |d| waiting.push(d));
        let full = waiting.bytes() + datagram.len() > BATCH_BYTES;
        if full || frames.elapsed() - sent >= batch {
            sent = frames.elapsed();
            batch = send(&mut waiting, link, sent)?;
        }
    }
    link.finish(&mut |d| waiting.push(d));
    send(&mut waiting, link, frames.elapsed()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_arrive_as_they_were_pushed() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut sender = Sender::new(receiver.local_addr().unwrap()).unwrap();
        // Runs of one size, shorter and longer ones between, single bytes, the largest.
        let sizes = [100, 100, 100, 37, 100, 100, 250, 250, 1, 1, 1, 1472, 1472, 1472, 40, LARGEST_DATAGRAM];
        let datagrams: Vec<Vec<u8>> = (0u8..).zip(sizes).map(|(i, len)| vec![i; len]).collect();
        for datagram in &datagrams {
            sender.push(datagram).unwrap();
        }
        sender.flush().unwrap();
        let mut buf = vec![0; LARGEST_DATAGRAM + 1];
        for datagram in &datagrams {
            let len = receiver.recv(&mut buf).unwrap();
            assert!(buf[..len] == datagram[..], "{len} bytes for {}", datagram.len());
        }
    }

    #[test]
    fn nothing_leaves_before_its_time_and_delays_are_reported() {
        let mut pace = Pace::new(Some(1e6));
        for n in 1..=100 {
            pace.wait(1000 * n, &|| false);
            assert!(pace.elapsed_s() >= 1e-3 * n as f64);
        }
        let kept = pace.kept();
        assert_eq!(kept.batches, 100);
        assert!(kept.last_s <= kept.worst_s && kept.last_s <= pace.elapsed_s() - 0.1, "{kept:?}");
        let mut late = Pace::new(Some(1e6));
        std::thread::sleep(Duration::from_millis(20));
        late.wait(1, &|| false);
        assert!(late.kept().behind == 1 && late.kept().worst_s >= 0.019, "{:?}", late.kept());
    }

    #[test]
    fn the_schedule_is_absolute_and_a_late_bench_catches_up_at_twice_the_rate() {
        let mut pace = Pace::new(Some(1e6));
        pace.last = (0.0012, 1000);
        assert_eq!(pace.earliest_s(2000, 1e6), 0.002);
        pace.last = (0.1, 1000);
        assert_eq!(pace.earliest_s(2000, 1e6), 0.1 + 0.0005);
        assert_eq!(pace.earliest_s(300_000, 1e6), 0.3);
        assert_eq!(pace.catching_up_at(1.25).earliest_s(2000, 1e6), 0.1 + 0.0008);
    }

    #[test]
    fn a_late_bench_does_not_burst() {
        let mut pace = Pace::new(Some(1e6));
        std::thread::sleep(Duration::from_millis(100));
        pace.wait(1000, &|| false);
        let begin = pace.elapsed_s();
        for n in 2..=50 {
            pace.wait(1000 * n, &|| false);
        }
        // 49 batches of a millisecond, at twice the rate.
        assert!(pace.elapsed_s() - begin >= 0.0245);
    }

    #[test]
    fn a_wait_can_be_ended() {
        let mut pace = Pace::new(Some(1.0));
        pace.wait(1000, &|| true);
        assert!(pace.elapsed_s() < 10.0);
    }
}
