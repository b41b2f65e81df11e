//! What a run was: the figures of `summary.json`.

use super::latency::Contract;
use holography::design::KFilter;
use holography::product::Dropped;
use serde_json::{Value, json};
use signal::ingest::Counters;
use std::path::PathBuf;

/// A run from start to end.
#[derive(Debug, Clone)]
pub struct Report {
    /// Seconds.
    pub running_s: f64,
    /// Of the ingest.
    pub ingest: Counters,
    /// Bytes that came.
    pub bytes: u64,
    /// Lost rows that were filled.
    pub filled_rows: u64,
    /// Gaps that were too long to fill.
    pub long_gaps: u64,
    /// Datagrams that the system dropped.
    pub system_drops: u64,
    /// Holograms made.
    pub holograms: u64,
    /// Of these, with holes in their window.
    pub flagged: u64,
    /// What full rings dropped.
    pub dropped: Vec<Dropped>,
    /// Times that a card failed.
    pub device_failures: u64,
    /// What computed at the end.
    pub device: String,
    /// Latencies.
    pub latency: Contract,
    /// Microphones left out at the end.
    pub masked: Vec<usize>,
    /// Recordings that were closed.
    pub recordings: Vec<PathBuf>,
    /// Files written.
    pub files: u64,
    /// Everything that was said.
    pub messages: Vec<String>,
    /// At the end, Hz.
    pub frequencies_hz: Vec<f64>,
    /// K-filters at the end, where they are chosen.
    pub filters: Vec<KFilter>,
}

impl Report {
    /// What a ring dropped.
    pub fn dropped(&self, ring: &str) -> u64 {
        self.dropped.iter().find(|dropped| dropped.ring == ring).map_or(0, |dropped| dropped.count)
    }

    /// For `summary.json`.
    pub fn to_json(&self) -> Value {
        let filters: Vec<Value> = self
            .filters
            .iter()
            .map(|KFilter { cutoff, slope }| json!({"cutoff_rad_per_m": cutoff, "slope": slope}))
            .collect();
        let dropped: serde_json::Map<String, Value> =
            self.dropped.iter().map(|d| (d.ring.clone(), json!(d.count))).collect();
        json!({
            "running_s": self.running_s,
            "ingest": self.ingest,
            "gbit_per_s": 8e-9 * self.bytes as f64 / self.running_s,
            "filled_rows": self.filled_rows,
            "long_gaps": self.long_gaps,
            "system_drops": self.system_drops,
            "holograms": self.holograms,
            "holograms_per_s": self.holograms as f64 / self.running_s,
            "flagged_holograms": self.flagged,
            "dropped": dropped,
            "device": self.device,
            "device_failures": self.device_failures,
            "latency": self.latency,
            "masked_microphones": self.masked,
            "recordings": self.recordings,
            "files": self.files,
            "messages": self.messages,
            "frequencies_hz": self.frequencies_hz,
            "filters": filters,
        })
    }

    /// The lines that a person reads at the end.
    pub fn lines(&self) -> Vec<String> {
        let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
            self.ingest;
        let mut lines = vec![
            format!(
                "{:.1} s, {samples} time samples in {frames} frames, {:.3} Gbit/s",
                self.running_s,
                8e-9 * self.bytes as f64 / self.running_s
            ),
            format!(
                "frames: {lost_frames} lost ({lost_samples} samples), {bad_frames} bad, {late_frames} late, {restarts} restarts; \
                 the system dropped {}",
                self.system_drops
            ),
        ];
        if self.holograms > 0 {
            let total = self.latency.total;
            lines.push(format!(
                "{} holograms, {:.0} a second, {} flagged; from last bit to result p50 {:.2} ms, p99 {:.2} ms, \
                 p99.9 {:.2} ms, max {:.2} ms, from its arrival p99.9 {:.2} ms{}",
                self.holograms,
                self.holograms as f64 / self.running_s,
                self.flagged,
                1e3 * total.p50_s,
                1e3 * total.p99_s,
                1e3 * total.p999_s,
                1e3 * total.max_s,
                1e3 * self.latency.response.p999_s,
                self.latency.deadline_s.map_or_else(String::new, |deadline| format!(
                    "; {} later than {:.2} ms",
                    self.latency.misses,
                    1e3 * deadline
                )),
            ));
        }
        let dropped: Vec<String> =
            self.dropped.iter().filter(|d| d.count > 0).map(|d| format!("{} {}", d.count, d.ring)).collect();
        if !dropped.is_empty() {
            lines.push(format!("dropped: {}", dropped.join(", ")));
        }
        lines.extend(self.recordings.iter().map(|path| format!("recorded {}", path.display())));
        lines.extend(self.messages.iter().map(|text| format!("note: {text}")));
        lines
    }
}
