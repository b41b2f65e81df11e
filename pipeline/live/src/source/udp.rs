//! Datagrams of a socket, many at a time.
//!
//! One call takes up to 16 buffers, each of which holds up to 64 datagrams of one size where the kernel puts them
//! together (generic receive offload on Linux). The bytes are copied twice: by the kernel into a buffer, and from there into a span.
//!
//! What the kernel drops because its buffer is full shows as lost in the counters of the ingest, by sequence; on Linux it is
//! also counted for itself, from the table of sockets in `/proc/net`, so that a host that is too slow is told from a bad link. Reading that table
//! takes a millisecond, in which fifty results of a card would wait: the control thread does it ([`Drops`]).

use super::super::clock::Clock;
use super::super::intake::Intake;
use super::error::Error;
use quinn_udp::{RecvMeta, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// Buffers of a call.
const BUFFERS: usize = 16;
/// Bytes of a buffer: the largest datagram, and as many as the kernel puts together.
const BUFFER_BYTES: usize = 1 << 16;
/// How long it waits at a time: a stop is heard as soon.
const PATIENCE: Duration = Duration::from_millis(50);
/// Longest time that a datagram may have waited for us: a longer one is a clock that was set.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Calls that read what came before the start, at most: 1 GiB.
const STALE_READS: usize = 1024;

/// A socket that listens.
pub struct Receiver {
    socket: UdpSocket,
    state: UdpSocketState,
    /// Where it listens.
    pub address: SocketAddr,
    clock: Clock,
    /// Bytes that the system holds for us; Linux counts its own bookkeeping in.
    pub buffer: usize,
    /// Looks without a pause instead of sleeping.
    spin: bool,
    /// What counts the datagrams that the kernel drops from now on.
    pub drops: Drops,
}

impl Receiver {
    /// Listens on `address`; asks the system for a buffer of `bytes`.
    pub fn bind(address: SocketAddr, bytes: usize, clock: Clock) -> Result<Self, Error> {
        let failed = |reason| Error::Socket { address, reason };
        let socket = UdpSocket::bind(address).map_err(failed)?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket)).map_err(failed)?;
        // As much as the system allows: more with the right to, then up to its limit.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(&socket, bytes);
        let sock_ref = UdpSockRef::from(&socket);
        let granted = state.recv_buffer_size(sock_ref).unwrap_or(0);
        if granted < bytes {
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), bytes);
        }
        let buffer = state.recv_buffer_size(UdpSockRef::from(&socket)).unwrap_or(0);
        let address = socket.local_addr().map_err(failed)?;
        let inode = rustix::fs::fstat(&socket).map_or(0, |found| found.st_ino);
        let drops = Drops { inode, before: 0 };
        Ok(Self { socket, state, address, clock, buffer, spin: false, drops })
    }

    /// The same; one that spins looks for datagrams without a pause.
    pub fn spinning(self, spin: bool) -> Self {
        Self { spin, ..self }
    }

    /// Throws away what has come so far.
    pub fn without_stale(mut self) -> Self {
        let mut memory = vec![0; BUFFERS * BUFFER_BYTES];
        let mut metas = [RecvMeta::default(); BUFFERS];
        // A sensor that sends faster than this reads is not waited for.
        for _ in 0..STALE_READS {
            let mut slices = buffers(&mut memory);
            if self.state.recv(UdpSockRef::from(&self.socket), &mut slices, &mut metas).is_err() {
                break;
            }
        }
        self.drops.before = self.drops.total();
        self
    }

    /// Waits for a datagram, but not long.
    fn wait(&self) {
        if self.spin {
            return std::hint::spin_loop();
        }
        let mut one = [PollFd::new(&self.socket, PollFlags::IN)];
        let patience = Timespec { tv_sec: 0, tv_nsec: PATIENCE.subsec_nanos().into() };
        // An interruption is as good as a datagram: the loop looks again.
        let _ = poll(&mut one, Some(&patience));
    }

    pub(super) fn run(self, intake: &mut Intake) -> Result<(), Error> {
        let mut memory = vec![0; BUFFERS * BUFFER_BYTES];
        let mut metas = [RecvMeta::default(); BUFFERS];
        while !intake.stopped() {
            let mut buffers = buffers(&mut memory);
            let count = match self.state.recv(UdpSockRef::from(&self.socket), &mut buffers, &mut metas) {
                Ok(count) => count,
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    self.wait();
                    0
                }
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionRefused) => 0,
                Err(reason) => return Err(Error::Socket { address: self.address, reason }),
            };
            let (now, since_epoch) = (self.clock.now(), since_epoch());
            for (buffer, meta) in buffers.iter().zip(&metas).take(count) {
                let arrived = now - waited_s(meta.timestamp, since_epoch);
                for datagram in buffer[..meta.len].chunks(meta.stride.max(1)) {
                    intake.datagram(datagram, arrived);
                }
                intake.tally.bytes.fetch_add(meta.len as u64, Ordering::Relaxed);
            }
            if count > 0 {
                intake.publish();
            }
        }
        // The last look, while the socket is open; the others are the control thread's.
        intake.tally.system_drops.fetch_max(self.drops.count(), Ordering::Relaxed);
        Ok(())
    }
}

/// The system's clock, which its stamps are of.
fn since_epoch() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// How long a datagram waited since the system's stamp, s: 0 without a stamp, or with one that the clock was set since.
fn waited_s(stamp: Option<Duration>, now: Duration) -> f64 {
    let waited = stamp.and_then(|stamp| now.checked_sub(stamp));
    waited.filter(|&waited| waited < LONGEST_WAIT).unwrap_or_default().as_secs_f64()
}

/// Memory for a call.
fn buffers(memory: &mut [u8]) -> [IoSliceMut<'_>; BUFFERS] {
    let mut slices = memory.chunks_exact_mut(BUFFER_BYTES).map(IoSliceMut::new);
    std::array::from_fn(|_| slices.next().unwrap_or_else(|| IoSliceMut::new(&mut [])))
}

/// The kernel's count of the datagrams that it dropped at one socket.
#[derive(Debug, Clone, Copy)]
pub struct Drops {
    /// The socket's.
    inode: u64,
    /// Dropped before anybody listened.
    before: u64,
}

impl Drops {
    /// Datagrams dropped so far; 0 where the kernel does not say, or when the socket is closed. Reads tables as long as the system has
    /// sockets: nothing for a thread in a hurry.
    pub fn count(&self) -> u64 {
        self.total().saturating_sub(self.before)
    }

    fn total(&self) -> u64 {
        let tables = ["/proc/self/net/udp", "/proc/self/net/udp6"];
        let texts = tables.iter().filter_map(|path| std::fs::read_to_string(path).ok());
        texts.map(|text| drops_in(&text, self.inode)).sum()
    }
}

/// The last column of the line whose tenth is `inode`.
fn drops_in(table: &str, inode: u64) -> u64 {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        (words.nth(9)?.parse() == Ok(inode)).then(|| words.last()?.parse::<u64>().ok())?
    };
    table.lines().filter_map(of_line).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_read_by_the_sockets_number() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
            1: 0100007F:1F90 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 7001 2 0000 17\n\
            2: 0100007F:1F90 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 7002 2 0000 5\n";
        assert_eq!((drops_in(table, 7001), drops_in(table, 7002), drops_in(table, 2)), (17, 5, 0));
    }

    #[test]
    fn a_stamp_of_another_clock_says_nothing() {
        let s = Duration::from_secs;
        assert_eq!(waited_s(Some(s(99)), s(100)), 1.0);
        assert_eq!(waited_s(None, s(100)), 0.0);
        assert_eq!(waited_s(Some(s(101)), s(100)), 0.0);
        assert_eq!(waited_s(Some(s(1)), s(100)), 0.0);
    }

    /// More than the smallest buffer holds, and nobody reads.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_kernel_drops_is_counted_from_the_start_on() {
        let receiver = Receiver::bind(([127, 0, 0, 1], 0).into(), 1, Clock::start()).unwrap();
        rustix::net::sockopt::set_socket_recv_buffer_size(&receiver.socket, 1).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = receiver.address;
        let flood = || (0..100).for_each(|_| assert_eq!(sender.send_to(&[0; 1000], to).unwrap(), 1000));
        flood();
        assert!(receiver.drops.count() > 0);
        let receiver = receiver.without_stale();
        assert_eq!(receiver.drops.count(), 0);
        flood();
        assert!(receiver.drops.count() > 0);
    }
}
