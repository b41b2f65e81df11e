//! What a run was: the figures of `summary.json`.

use super::latency::Contract;
use holography::design::KFilter;
use holography::product::Dropped;
use serde::Serialize;
use serde_json::{Value, json};
use signal::ingest::Counters;
use std::path::PathBuf;

/// A run from start to end.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Seconds.
    pub running_s: f64,
    /// Of the ingest.
    pub ingest: Counters,
    /// Bytes that came.
    #[serde(skip)]
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
    #[serde(rename = "flagged_holograms")]
    pub flagged: u64,
    /// What full rings dropped.
    #[serde(skip)]
    pub dropped: Vec<Dropped>,
    /// Times that a card failed.
    pub device_failures: u64,
    /// What computed at the end.
    pub device: String,
    /// Latencies.
    pub latency: Contract,
    /// Microphones left out at the end.
    #[serde(rename = "masked_microphones")]
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
    #[serde(skip)]
    pub filters: Vec<KFilter>,
}

impl Report {
    /// What a ring dropped.
    pub fn dropped(&self, ring: &str) -> u64 {
        self.dropped.iter().find(|dropped| dropped.ring == ring).map_or(0, |dropped| dropped.count)
    }

    fn gbit_per_s(&self) -> f64 {
        8e-9 * self.bytes as f64 / self.running_s
    }

    fn holograms_per_s(&self) -> f64 {
        self.holograms as f64 / self.running_s
    }

    /// For `summary.json`.
    pub fn to_json(&self) -> Value {
        let filter =
            |KFilter { cutoff, slope }: &KFilter| json!({"cutoff_rad_per_m": cutoff, "slope": slope});
        let mut all = json!(self);
        all["gbit_per_s"] = self.gbit_per_s().into();
        all["holograms_per_s"] = self.holograms_per_s().into();
        all["dropped"] = self.dropped.iter().map(|d| (d.ring.clone(), json!(d.count))).collect();
        all["filters"] = self.filters.iter().map(filter).collect();
        all
    }

    /// The lines that a person reads at the end.
    pub fn lines(&self) -> Vec<String> {
        let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
            self.ingest;
        let Self { running_s, system_drops, holograms, flagged, latency, .. } = self;
        let mut lines = vec![
            format!(
                "{running_s:.1} s, {samples} time samples in {frames} frames, {:.3} Gbit/s",
                self.gbit_per_s()
            ),
            format!(
                "frames: {lost_frames} lost ({lost_samples} samples), {bad_frames} bad, {late_frames} late, {restarts} restarts; \
                 the system dropped {system_drops}"
            ),
        ];
        if *holograms > 0 {
            let (total, response) = (latency.total, latency.response);
            let [p50, p99, p999, max, arrived] =
                [total.p50_s, total.p99_s, total.p999_s, total.max_s, response.p999_s].map(|s| 1e3 * s);
            let late = |deadline: f64| format!("; {} later than {:.2} ms", latency.misses, 1e3 * deadline);
            let (rate, late) = (self.holograms_per_s(), latency.deadline_s.map_or_else(String::new, late));
            lines.push(format!(
                "{holograms} holograms, {rate:.0} a second, {flagged} flagged; from last bit to result p50 {p50:.2} ms, \
                 p99 {p99:.2} ms, p99.9 {p999:.2} ms, max {max:.2} ms, from its arrival p99.9 {arrived:.2} ms{late}"
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
