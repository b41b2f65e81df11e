//! Figures for Prometheus, in its text format at `/metrics`.
//!
//! Every figure is an atomic: the pipeline never waits while somebody reads.

use holography::product::Status;
use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::{Registry, Unit};
use signal::ingest::Counters;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper edges of the latency histogram: 1, 2 and 5 of every decade from 10 us to 1 s.
const EDGES_US: [u64; 16] = [
    10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
];

/// Counters of the ingest.
const INGEST: [(&str, &str); 7] = [
    ("frames", "Frames accepted"),
    ("samples", "Time samples accepted"),
    ("lost_frames", "Frames that never came"),
    ("lost_samples", "Time samples that never came"),
    ("bad_frames", "Frames refused as damaged or foreign"),
    ("late_frames", "Frames refused as late"),
    ("restarts", "Times that the source started again"),
];

/// The figures of one instrument. Clones are of the same.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    /// As [`INGEST`] has them.
    ingest: [Counter; INGEST.len()],
    misses: Counter,
    dropped: Counter,
    bits_per_second: Gauge<f64, AtomicU64>,
    holograms_per_second: Gauge<f64, AtomicU64>,
    latency: Histogram,
    pub(super) viewers: Gauge,
    pub(super) maps_sent: Counter,
    pub(super) maps_missed: Counter,
    pub(super) commands: Counter,
    pub(super) refused: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("nearfield");
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let mut metrics = Self {
            ingest: INGEST.map(|(name, help)| counter(name, help)),
            misses: counter("deadline_misses", "Holograms later than the configured bound"),
            dropped: counter("dropped", "Values that full rings dropped"),
            maps_sent: counter("viewer_maps_sent", "Maps sent to pages"),
            maps_missed: counter("viewer_maps_missed", "Maps that pages were too slow for"),
            commands: counter("viewer_commands", "Commands of pages handed over"),
            refused: counter("viewer_refused", "Connections, requests and commands refused"),
            bits_per_second: Gauge::default(),
            holograms_per_second: Gauge::default(),
            latency: Histogram::default(),
            viewers: Gauge::default(),
            registry: Arc::default(),
        };
        registry.register("bits_per_second", "Bits taken in", metrics.bits_per_second.clone());
        registry.register("holograms_per_second", "Holograms made", metrics.holograms_per_second.clone());
        registry.register("viewers", "Connected pages", metrics.viewers.clone());
        let help = "From last bit to result";
        registry.register_with_unit("latency", help, Unit::Seconds, metrics.latency.clone());
        metrics.registry = Arc::new(registry);
        metrics
    }
}

impl Metrics {
    /// All zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes over what a status says; its histogram does not count, [`Metrics::latency`] is for that.
    pub fn status(&self, status: &Status) {
        let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
            status.ingest;
        let dropped = status.dropped.iter().map(|dropped| dropped.count).sum();
        let ingest = [frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts];
        let others = [(&self.misses, status.latency.misses), (&self.dropped, dropped)];
        for (counter, total) in self.ingest.iter().zip(ingest).chain(others) {
            counter.inner().store(total, Ordering::Relaxed);
        }
        self.bits_per_second.set(status.bits_per_s);
        self.holograms_per_second.set(status.holograms_per_s);
    }

    /// Counts one latency.
    pub fn latency(&self, latency: Duration) {
        self.latency.observe(latency);
    }

    /// The text format, for a page of one's own or a file.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        text::encode(&mut out, &self.registry).expect("a string takes everything");
        out
    }
}

/// Counts between [`EDGES_US`], and beyond. `prometheus-client`'s own holds a lock while it is read.
#[derive(Debug, Clone, Default)]
struct Histogram {
    cells: Arc<Cells>,
}

#[derive(Debug, Default)]
struct Cells {
    counts: [AtomicU64; EDGES_US.len() + 1],
    sum_ns: AtomicU64,
}

impl Histogram {
    fn observe(&self, latency: Duration) {
        let ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        let bin = EDGES_US.partition_point(|edge| 1000 * edge < ns);
        if let Some(count) = self.cells.counts.get(bin) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.cells.sum_ns.fetch_add(ns, Ordering::Relaxed);
    }
}

impl EncodeMetric for Histogram {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        let edges = EDGES_US.iter().map(|us| *us as f64 / 1e6).chain([f64::MAX]);
        let counts = self.cells.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let buckets: Vec<(f64, u64)> = edges.zip(counts).collect();
        let total = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.cells.sum_ns.load(Ordering::Relaxed) as f64 / 1e9;
        encoder.encode_histogram::<NoLabelSet>(sum, total, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

impl TypedMetric for Histogram {
    const TYPE: MetricType = MetricType::Histogram;
}

#[cfg(test)]
mod tests {
    use super::*;
    use holography::product::{Dropped, Latency};

    #[test]
    fn totals_and_latencies_are_in_the_text() {
        let metrics = Metrics::new();
        let dropped = [3, 4].map(|count| Dropped { ring: "viewer".into(), count }).to_vec();
        let status = Status {
            bits_per_s: 1.5e9,
            ingest: Counters { frames: 10, lost_frames: 2, ..Counters::default() },
            latency: Latency { misses: 5, ..Latency::default() },
            dropped,
            ..Status::default()
        };
        metrics.status(&status);
        // Totals are set, not added.
        metrics.clone().status(&status);
        for ns in [1, 10_000, 10_001, 2_000_000_000] {
            metrics.latency(Duration::from_nanos(ns));
        }
        let text = metrics.to_text();
        for line in [
            "nearfield_frames_total 10",
            "nearfield_lost_frames_total 2",
            "nearfield_deadline_misses_total 5",
            "nearfield_dropped_total 7",
            "nearfield_bits_per_second 1500000000.0",
            "# TYPE nearfield_latency_seconds histogram",
            "nearfield_latency_seconds_bucket{le=\"0.00001\"} 2",
            "nearfield_latency_seconds_bucket{le=\"0.00002\"} 3",
            "nearfield_latency_seconds_bucket{le=\"1.0\"} 3",
            "nearfield_latency_seconds_bucket{le=\"+Inf\"} 4",
            "nearfield_latency_seconds_count 4",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
