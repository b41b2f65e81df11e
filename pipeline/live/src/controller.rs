//! Values for a controller: one UDP datagram a hologram, little-endian.
//!
//! | byte | type | is |
//! |---|---|---|
//! | 0 | 4 bytes | `NFCT` |
//! | 4 | u16 | version, 1 |
//! | 6 | u16 | bytes before the values, 80; a reader starts there |
//! | 8 | u64 | sequence: counts all holograms; a gap is what was left out or lost on the way |
//! | 16 | u16, u16 | frequencies n, values of each m |
//! | 20 | u16 | flags: 1 window has holes, 2 microphones left out, 4 computed by the CPU for a failed device, 8 the stream began anew (the sensor restarted, or a gap was too long to fill), 16 k-filter not chosen yet |
//! | 22 | u16 | values: 0 pixels, 1 modes |
//! | 24 | 7 f64 | first sample, last sample, ring in, device in, device out, this datagram's time, 0: seconds of one clock |
//! | 80 | | n m complex values (f32 real, f32 imaginary): pressure on the source plane, Pa, peak |
//!
//! **Modes.** q = sum phi p/sum phi^2 over the points of the source plane, with the modes of a rectangle that is the aperture and one
//! half pitch on every side, simply supported: phi = sin(m pi (x + a/2)/a) sin(n pi (y + b/2)/b).
//!
//! A datagram that the system does not take at once is dropped and counted: a controller wants the newest value, not all of them.

use super::latency::Done;
use holography::product::Stamps;
use num_complex::Complex;
use std::f64::consts::PI;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Complex32 = Complex<f32>;

/// Bytes before the values.
pub const HEADER: usize = 80;
/// Most values of a datagram: those that fit the largest.
pub const MOST_VALUES: usize = (65_507 - HEADER) / 8;

/// Which values.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Points of the source plane, `[row, column]`.
    Pixels(Vec<[usize; 2]>),
    /// Modes of the plate that is the aperture, `[m along x, n along y]`.
    Modes(Vec<[u32; 2]>),
}

impl Values {
    /// How many of each frequency.
    pub fn count(&self) -> usize {
        match self {
            Self::Pixels(list) => list.len(),
            Self::Modes(list) => list.len(),
        }
    }

    /// Points and weights of every value, for fields of `rows` by `cols` points.
    fn weights(&self, rows: usize, cols: usize) -> Vec<Vec<(usize, f32)>> {
        match self {
            Self::Pixels(list) => list.iter().map(|[row, col]| vec![(row * cols + col, 1.0)]).collect(),
            Self::Modes(list) => list.iter().map(|mode| modal_weights(*mode, rows, cols)).collect(),
        }
    }
}

fn modal_weights([m, n]: [u32; 2], rows: usize, cols: usize) -> Vec<(usize, f32)> {
    let wave = |order: u32, i: usize, length: usize| {
        (f64::from(order) * PI * (i as f64 + 0.5) / length as f64).sin()
    };
    let shape: Vec<f64> =
        (0..rows * cols).map(|i| wave(m, i % cols, cols) * wave(n, i / cols, rows)).collect();
    let power: f64 = shape.iter().map(|phi| phi * phi).sum();
    shape.into_iter().map(|phi| (phi / power) as f32).enumerate().collect()
}

/// The sending end.
pub struct Controller {
    socket: UdpSocket,
    to: SocketAddr,
    kind: u16,
    weights: Vec<Vec<(usize, f32)>>,
    points: usize,
    datagram: Vec<u8>,
    /// Datagrams that were not sent.
    pub dropped: Arc<AtomicU64>,
}

impl Controller {
    /// Sends `values` of fields of `rows` by `cols` points to `to`.
    pub fn new(to: SocketAddr, values: &Values, rows: usize, cols: usize) -> std::io::Result<Self> {
        let socket = hil_sim::stream::any_port(to)?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            to,
            kind: u16::from(matches!(values, Values::Modes(_))),
            weights: values.weights(rows, cols),
            points: rows * cols,
            datagram: Vec::new(),
            dropped: Arc::default(),
        })
    }

    /// Sends the values of one hologram, fields `[n][y][x]`.
    pub fn send(&mut self, fields: &[Complex32], done: &Done) {
        self.encode(fields, done);
        if self.socket.send_to(&self.datagram, self.to).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn encode(&mut self, fields: &[Complex32], done: &Done) {
        let (n, m) = (fields.len() / self.points.max(1), self.weights.len());
        let Stamps { first_sample, ring_in, device_in, device_out, sink } = done.stamps;
        let out = &mut self.datagram;
        out.clear();
        out.extend_from_slice(b"NFCT");
        out.extend([1, HEADER as u16].iter().flat_map(|x| x.to_le_bytes()));
        out.extend(done.sequence.to_le_bytes());
        out.extend([n as u16, m as u16, done.flags.bits(), self.kind].iter().flat_map(|x| x.to_le_bytes()));
        let times = [first_sample, done.came.last_sample, ring_in, device_in, device_out, sink, 0.0];
        out.extend(times.iter().flat_map(|x| x.to_le_bytes()));
        for field in fields.chunks_exact(self.points.max(1)) {
            for weights in &self.weights {
                let value: Complex32 = weights.iter().map(|&(point, weight)| field[point] * weight).sum();
                out.extend([value.re, value.im].iter().flat_map(|x| x.to_le_bytes()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::latency::Came;
    use super::*;
    use holography::product::Flags;
    use std::time::Duration;

    fn done() -> Done {
        let stamps = Stamps { first_sample: 1.0, ring_in: 3.0, device_in: 4.0, device_out: 5.0, sink: 6.0 };
        let flags = Flags { holes: true, restarted: true, ..Flags::default() };
        Done { sequence: 77, stamps, came: Came { last_sample: 2.0, arrived: 2.0 }, flags }
    }

    #[test]
    fn a_datagram_has_the_documented_layout() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let pixels = Values::Pixels(vec![[0, 1], [1, 2]]);
        let mut controller = Controller::new(receiver.local_addr().unwrap(), &pixels, 2, 3).unwrap();
        let fields: Vec<Complex32> = (0..12).map(|i| Complex::new(i as f32, -0.5)).collect();
        controller.send(&fields, &done());
        let mut buffer = [0; 2000];
        let length = receiver.recv(&mut buffer).unwrap();
        assert_eq!(length, HEADER + 2 * 2 * 8);
        assert_eq!(buffer[..8], *b"NFCT\x01\x00\x50\x00");
        assert_eq!(u64::from_le_bytes(buffer[8..16].try_into().unwrap()), 77);
        assert_eq!(buffer[16..24], [2, 0, 2, 0, 9, 0, 0, 0]);
        let f64s: Vec<f64> = buffer[24..80].as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        assert_eq!(f64s, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0]);
        let values: Vec<f32> =
            buffer[80..length].as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        assert_eq!(values, [1.0, -0.5, 5.0, -0.5, 7.0, -0.5, 11.0, -0.5]);
    }

    #[test]
    fn modes_are_told_apart() {
        let (rows, cols) = (6, 8);
        let modes = Values::Modes(vec![[1, 1], [2, 1], [3, 2]]);
        let weights = modes.weights(rows, cols);
        // The field of the second mode with amplitude 4.
        let power: f64 = weights[1].iter().map(|(_, w)| f64::from(*w).powi(2)).sum();
        let field: Vec<f64> = weights[1].iter().map(|(_, w)| 4.0 * f64::from(*w) / power).collect();
        let amplitude =
            |weights: &[(usize, f32)]| -> f64 { weights.iter().map(|&(i, w)| field[i] * f64::from(w)).sum() };
        // Rounding of 48 weights to f32 and no more.
        let expected = [0.0, 4.0, 0.0];
        for (weights, expected) in weights.iter().zip(expected) {
            assert!((amplitude(weights) - expected).abs() < 48.0 * 4.0 * f64::from(f32::EPSILON));
        }
    }
}
