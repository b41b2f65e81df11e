//! How the instrument does, while it runs and at its end.

use super::super::report::Report;
use super::Control;
use holography::product::{Dropped, Status};
use signal::front_end::Method;
use std::sync::atomic::{AtomicU64, Ordering};

impl Control {
    pub(super) fn measure_rates(&mut self, now: f64) {
        let bytes = self.links.tally.bytes.load(Ordering::Relaxed);
        let holograms = self.links.counts.holograms.load(Ordering::Relaxed);
        let span = now - self.rates.at;
        if span >= 0.5 {
            let rates = &mut self.rates;
            rates.bits_per_s = 8.0 * (bytes - rates.bytes) as f64 / span;
            rates.holograms_per_s = (holograms - rates.holograms) as f64 / span;
            (rates.at, rates.bytes, rates.holograms) = (now, bytes, holograms);
        }
    }

    fn dropped(&self) -> Vec<Dropped> {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let controller = self.links.controller_dropped.as_ref().map_or(0, |count| load(count));
        [
            ("rows", load(&self.links.dropped_rows)),
            ("holograms", load(&self.links.counts.skipped)),
            ("recorder", load(&self.links.switch.dropped)),
            ("files", load(&self.links.counts.files_dropped)),
            ("controller", controller),
            ("latencies", load(&self.links.counts.done_dropped)),
            ("system", load(&self.links.tally.system_drops)),
        ]
        .map(|(ring, count)| Dropped { ring: ring.into(), count })
        .to_vec()
    }

    pub(super) fn status(&self) -> Status {
        let method = self.settings.chain.as_ref().map_or(Method::Dot, |chain| chain.front_end.method);
        Status {
            running_s: self.clock.now(),
            bits_per_s: self.rates.bits_per_s,
            holograms_per_s: self.rates.holograms_per_s,
            ingest: self.links.tally.counters(),
            dropped: self.dropped(),
            latency: self.account.shown(),
            recording: self.links.switch.state(),
            device: self.device.clone(),
            frequencies_hz: self.label.frequencies.clone(),
            method,
            filter: self.settings.filter.to_string(),
            messages: self.messages.list(),
        }
    }

    pub(super) fn report(self) -> Report {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.links.counts;
        Report {
            running_s: self.clock.now(),
            ingest: self.links.tally.counters(),
            bytes: load(&self.links.tally.bytes),
            filled_rows: load(&self.links.tally.filled),
            long_gaps: load(&self.links.tally.long_gaps),
            system_drops: load(&self.links.tally.system_drops),
            holograms: load(&counts.holograms),
            flagged: load(&counts.flagged),
            dropped: self.dropped(),
            device_failures: load(&counts.failures),
            device: self.device,
            latency: self.account.contract(),
            masked: self.masked,
            recordings: self.links.switch.finished(),
            files: self.files.map_or(0, |files| files.written),
            messages: self.messages.history(),
            frequencies_hz: self.label.frequencies,
            filters: self.camera.map_or_else(Vec::new, |camera| camera.filters().to_vec()),
        }
    }
}
