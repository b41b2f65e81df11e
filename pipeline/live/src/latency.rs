//! A hologram's way through the instrument, and how long it takes.
//!
//! | stamp | when |
//! |---|---|
//! | first sample | the window's first bit was taken |
//! | last sample | the window's last bit was taken |
//! | arrival | the frame with that bit came, by the system's stamp of its datagram where there is one |
//! | ring in | its span came into the ring |
//! | device in, device out | spectrum and holography began and were done |
//! | sink | the result was handed to the controller and the viewer |
//!
//! All are seconds of one clock. The latency of the contract is from last sample to sink; the response, from arrival to sink, is the
//! instrument's own share: a sensor, a bench or a link that is late is not in it. Quantiles are right to 1 %.

use hdrhistogram::Histogram;
use holography::product::{Flags, Latency, Stamps};
use serde::Serialize;

/// Longest latency that is told from longer ones: a minute, in ns.
const LONGEST_NS: u64 = 60_000_000_000;

/// One hologram, as the accounts see it.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// Counts holograms.
    pub sequence: u64,
    /// Its way.
    pub stamps: Stamps,
    /// When its last bit came.
    pub came: Came,
    /// What is wrong with it.
    pub flags: Flags,
}

/// When a window's last bit came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Came {
    /// It was taken, by the sensor's clock, s.
    pub last_sample: f64,
    /// Its frame arrived, s.
    pub arrived: f64,
}

impl Done {
    /// From last bit to sink, s.
    pub fn latency(&self) -> f64 {
        (self.stamps.sink - self.came.last_sample).max(0.0)
    }

    /// From its arrival to sink, s.
    pub fn response(&self) -> f64 {
        (self.stamps.sink - self.came.arrived).max(0.0)
    }
}

/// Quantiles of one part of the way, s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// Half are faster.
    pub p50_s: f64,
    /// 99 % are faster.
    pub p99_s: f64,
    /// 99.9 % are faster.
    pub p999_s: f64,
    /// The slowest.
    pub max_s: f64,
}

/// What `summary.json` says of latencies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Contract {
    /// Last bit to sink.
    pub total: Quantiles,
    /// Last bit to ring: link, system, and the rest of the span.
    pub intake: Quantiles,
    /// Ring to device: waiting and decimation.
    pub ring: Quantiles,
    /// Device: spectrum and holography.
    pub device: Quantiles,
    /// Arrival of the last bit to sink: without what sensor and link were late.
    pub response: Quantiles,
    /// The configured bound, s.
    pub deadline_s: Option<f64>,
    /// Holograms that were later.
    pub misses: u64,
    /// Holograms whose response was longer.
    pub slow: u64,
}

/// Histograms of all parts of the way.
pub struct Account {
    /// Total, intake, ring, device and response, as [`Contract`] has them.
    parts: [Histogram<u64>; 5],
    deadline_s: Option<f64>,
    misses: u64,
    slow: u64,
}

impl Account {
    /// Empty; holograms later than `deadline_s` are counted.
    pub fn new(deadline_s: Option<f64>) -> Self {
        let new = |_| Histogram::new_with_bounds(1, LONGEST_NS, 2).expect("bounds and digits are in range");
        Self { parts: std::array::from_fn(new), deadline_s, misses: 0, slow: 0 }
    }

    /// Counts one hologram.
    pub fn add(&mut self, done: &Done) {
        let Stamps { ring_in, device_in, device_out, .. } = done.stamps;
        let (latency, response) = (done.latency(), done.response());
        let late = |seconds| u64::from(self.deadline_s.is_some_and(|deadline| seconds > deadline));
        (self.misses, self.slow) = (self.misses + late(latency), self.slow + late(response));
        let (intake, ring, device) =
            (ring_in - done.came.last_sample, device_in - ring_in, device_out - device_in);
        for (histogram, seconds) in self.parts.iter_mut().zip([latency, intake, ring, device, response]) {
            // Negative differences are 0, and 0 has no place in a histogram.
            histogram.saturating_record(((seconds * 1e9) as u64).max(1));
        }
    }

    /// For the summary.
    pub fn contract(&self) -> Contract {
        let [total, intake, ring, device, response] = self.parts.each_ref().map(quantiles);
        let Self { deadline_s, misses, slow, .. } = *self;
        Contract { total, intake, ring, device, response, deadline_s, misses, slow }
    }

    /// For the viewer: 1, 2 and 5 of every decade from 10 us to 50 s.
    pub fn shown(&self) -> Latency {
        let [total, ..] = &self.parts;
        let Quantiles { p50_s, p99_s, p999_s, max_s } = quantiles(total);
        let edges = (4..11).flat_map(|decade| [1, 2, 5].map(|digit| digit * 10_u64.pow(decade)));
        let mut below = 0;
        // Differences of sums from 0 on: the histogram's cells at the edges would be in two ranges.
        let bins = edges.map(|edge| {
            let up_to = total.count_between(0, edge);
            let count = up_to - below;
            below = up_to;
            (edge as f64 / 1e9, count)
        });
        let (deadline_s, misses) = (self.deadline_s, self.misses);
        Latency { bins: bins.collect(), p50_s, p99_s, p999_s, max_s, deadline_s, misses }
    }
}

fn quantiles(histogram: &Histogram<u64>) -> Quantiles {
    if histogram.is_empty() {
        return Quantiles::default();
    }
    let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e9;
    Quantiles { p50_s: at(0.5), p99_s: at(0.99), p999_s: at(0.999), max_s: histogram.max() as f64 / 1e9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_misses_are_those_of_the_holograms() {
        let mut account = Account::new(Some(0.09055));
        for i in 1..=1000 {
            let last_sample = f64::from(i);
            let ring_in = last_sample + 1e-5;
            let stamps = Stamps {
                first_sample: last_sample - 0.022,
                ring_in,
                device_in: ring_in + 1e-4,
                device_out: ring_in + 4e-4,
                sink: last_sample + 1e-4 * f64::from(i),
            };
            // Of 1 ms the sensor is late.
            let came = Came { last_sample, arrived: last_sample + 1e-3 };
            account.add(&Done { sequence: 0, stamps, came, flags: Flags::default() });
        }
        let contract = account.contract();
        let close =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        close(contract.total.p50_s, 0.05);
        close(contract.total.p99_s, 0.099);
        close(contract.total.max_s, 0.1);
        close(contract.device.p50_s, 3e-4);
        close(contract.response.p50_s, 0.049);
        assert_eq!((contract.misses, contract.slow), (1000 - 905, 1000 - 915));
        let shown = account.shown();
        assert_eq!(shown.bins.iter().map(|(_, count)| count).sum::<u64>(), 1000);
        assert!(shown.bins.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
