//! The arithmetic of buffers and latency before anything runs: what cannot work is refused with the numbers.
//!
//! | symbol | meaning |
//! |---|---|
//! | f | rows that come in a second |
//! | S, R, W | rows of a span, spans of the ring, spans that may wait before holograms are left out |
//! | H | rows of a hop |
//! | t_b, t_h | shortest and second longest time for the rows and the hologram of a hop, by a rehearsal: on a shared machine the longest may be an interruption |
//!
//! - The stage must keep pace: t_b <= H/f. If it cannot at its best, it never can; other work on the machine may make it slower.
//! - **Worst latency.** The last bit of a window waits until its span is full, S/f. While the span waits in the ring, others fill behind it: with more
//!   than W of them its hologram is left out, so one that is made waited for less than W + 1 (a card takes rows of left-out hops together,
//!   always before one that is made is looked at). Then its own hop takes t_h:
//!   `(W + 2) S/f + t_h` must not exceed the bound, where one is given. In the mean the ring is empty,
//!   and the latency is S/f + t_h or less. The sum does not cover what stands before the ring: datagrams wait in the socket's
//!   buffer (`[source] buffer_mib`) while the system does not run the intake. The latency that is measured covers both.
//! - W must hold a hop, or every hop would be left out, and the ring four: one is filled, one computed, others wait.
//! - A full ring drops rows. It is long, so that a host that is slow for a while only leaves out holograms.
//! - The recorder holds spans: the pool has its ring's length more, so that it can never take the last one.

use numerics::failure::Failure;
use serde::Serialize;

/// Hops that a ring holds at least.
pub(crate) const HOPS: usize = 4;
/// Spans in the hands of intake, stage and recorder.
pub(crate) const SPARE: usize = 3;

/// The numbers of an instrument.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// f, Hz.
    pub pace_hz: f64,
    /// Bytes of a row.
    pub row_bytes: usize,
    /// S.
    pub span_rows: usize,
    /// R.
    pub ring_spans: usize,
    /// W.
    pub behind_spans: usize,
    /// Spans of the recorder's ring.
    pub recorder_spans: usize,
    /// H.
    pub hop_rows: u64,
    /// The bound on the worst latency, s.
    pub bound_s: Option<f64>,
    /// Whether rows come at their own pace.
    pub live: bool,
}

/// What follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// Bytes of all spans.
    pub pool_bytes: usize,
    /// Time that the ring holds, s.
    pub ring_s: f64,
    /// t_b, s.
    pub best_s: f64,
    /// t_h, s.
    pub stage_s: f64,
    /// Part of a hop that the stage takes at its best.
    pub load: f64,
    /// S/f + t_h, s.
    pub usual_latency_s: f64,
    /// (W + 2) S/f + t_h, s.
    pub worst_latency_s: f64,
    /// Holograms a second.
    pub holograms_per_s: f64,
}

/// Why an instrument cannot work.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// A ring that is too short for its hop.
    #[error(
        "a ring of {ring} spans of {span} rows holds {} rows, but a hop has {hop}, and it must hold four; make [buffers] ring_spans at least {needed}",
        ring * span
    )]
    Ring {
        /// R.
        ring: usize,
        /// S.
        span: usize,
        /// H.
        hop: u64,
        /// Smallest ring that works.
        needed: usize,
    },
    /// The stage is too slow.
    #[error(
        "a hop of {hop} rows takes {:.3} ms (shortest of a rehearsal), but comes every {:.3} ms: the ring would fill up; \
         make [hologram] hop_rows at least {needed}, compute fewer frequencies, or use more threads",
        1e3 * best_s, 1e3 * hop_s
    )]
    Pace {
        /// H.
        hop: u64,
        /// t_b, s.
        best_s: f64,
        /// H/f, s.
        hop_s: f64,
        /// A hop that would do.
        needed: u64,
    },
    /// The worst latency is too long.
    #[error(
        "the worst latency is {:.3} ms: {:.3} ms until a span of {span} rows is full, {:.3} ms while {behind} others may fill, {:.3} ms \
         for the hologram; the bound is {:.3} ms: make [buffers] span_rows or behind_spans smaller, or [latency] bound_ms larger",
        1e3 * worst_s, 1e3 * span_s, 1e3 * wait_s, 1e3 * stage_s, 1e3 * bound_s
    )]
    Bound {
        /// The sum, s.
        worst_s: f64,
        /// S/f, s.
        span_s: f64,
        /// (W + 1) S/f, s.
        wait_s: f64,
        /// t_h, s.
        stage_s: f64,
        /// S.
        span: usize,
        /// W.
        behind: usize,
        /// Configured, s.
        bound_s: f64,
    },
}

impl Failure for Refusal {}

impl Figures {
    /// The plan for a stage that takes `best_s` to `stage_s` for a hop, or why there is none.
    pub fn check(&self, best_s: f64, stage_s: f64) -> Result<Plan, Refusal> {
        let Self {
            pace_hz,
            row_bytes,
            span_rows: span,
            ring_spans: ring,
            behind_spans: behind,
            hop_rows: hop,
            ..
        } = *self;
        // A hop's spans may come at once.
        let needed = HOPS * usize::try_from(hop).unwrap_or(usize::MAX / 4).div_ceil(span.max(1));
        if ring < needed {
            return Err(Refusal::Ring { ring, span, hop, needed });
        }
        let (hop_s, span_s) = (hop as f64 / pace_hz, span as f64 / pace_hz);
        if self.live && best_s > hop_s {
            // Rounded up to whole groups, with a tenth to spare.
            let needed = (1.1 * best_s * pace_hz / 32.0).ceil() as u64 * 32;
            return Err(Refusal::Pace { hop, best_s, hop_s, needed });
        }
        let wait_s = (behind as f64 + 1.0) * span_s;
        let worst_s = span_s + wait_s + stage_s;
        if let Some(bound_s) = self.bound_s.filter(|bound| worst_s > *bound) {
            return Err(Refusal::Bound { worst_s, span_s, wait_s, stage_s, span, behind, bound_s });
        }
        Ok(Plan {
            pool_bytes: (ring + self.recorder_spans + SPARE) * span * row_bytes,
            ring_s: (ring * span) as f64 / pace_hz,
            best_s,
            stage_s,
            load: best_s / hop_s,
            usual_latency_s: span_s + stage_s,
            worst_latency_s: worst_s,
            holograms_per_s: pace_hz / hop as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURES: Figures = Figures {
        pace_hz: 1.5e6,
        row_bytes: 128,
        span_rows: 256,
        ring_spans: 100,
        behind_spans: 25,
        recorder_spans: 0,
        hop_rows: 1536,
        bound_s: None,
        live: true,
    };

    #[test]
    fn the_arithmetic_is_that_of_the_page() {
        let plan = FIGURES.check(0.25e-3, 0.5e-3).unwrap();
        let close =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        close(plan.load, 0.25 / 1.024);
        close(plan.usual_latency_s, 256.0 / 1.5e6 + 0.5e-3);
        close(plan.worst_latency_s, 27.0 * 256.0 / 1.5e6 + 0.5e-3);
        assert_eq!(plan.pool_bytes, (100 + SPARE) * 256 * 128);
    }

    #[test]
    fn what_cannot_work_is_refused_with_its_remedy() {
        let slow = FIGURES.check(1.1e-3, 2e-3).unwrap_err();
        assert!(matches!(slow, Refusal::Pace { needed: 1824, .. }), "{slow}");
        assert!(Figures { hop_rows: 1824, ..FIGURES }.check(1.1e-3, 2e-3).is_ok());
        assert!(Figures { live: false, ..FIGURES }.check(1.1e-3, 2e-3).is_ok(), "a file waits");
        let short = Figures { ring_spans: 23, ..FIGURES }.check(1e-5, 1e-4).unwrap_err();
        assert_eq!(short, Refusal::Ring { ring: 23, span: 256, hop: 1536, needed: 24 });
        assert!(Figures { ring_spans: 24, ..FIGURES }.check(1e-5, 1e-4).is_ok());
        let late = Figures { bound_s: Some(5.1e-3), ..FIGURES }.check(0.25e-3, 0.5e-3).unwrap_err();
        assert!(late.to_string().contains("5.108 ms: 0.171 ms until"), "{late}");
        assert!(Figures { bound_s: Some(5.11e-3), ..FIGURES }.check(0.25e-3, 0.5e-3).is_ok());
    }
}
