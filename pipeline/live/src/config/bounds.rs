//! What an instrument may take of the machine's memory, by arithmetic, before anything of it is allocated.
//!
//! | what | bytes | at most |
//! |---|---|---|
//! | spans | (ring + recorder + in hand) x rows of a span x bytes of a row | [`MOST_POOL`] |
//! | window | 4 x samples x microphones | [`MOST_WINDOW`] |
//! | holography | 8 n (4 G + r c_a u + 2 A u^2 + 2 C + 32 N) + 512 t u s | [`MOST_CHAIN`] |
//!
//! n frequencies, at most [`MOST_FREQUENCIES`]; G points of the padded grid with r rows and a longer side s; A points of the aperture with c_a columns;
//! u refinement; C microphones; N samples of the window; t threads. The terms are those of holography's plan on the CPU (tables, field, spectrum, halves,
//! results), `chain.rs` (bins and holograms) and `front_end` (sines), rounded up.

use super::error::Error;
use dsp_core::pdm::TileLayout;
use holography::chain;
use viewer::MOST_FREQUENCIES;

/// Most bytes of all spans together.
pub const MOST_POOL: usize = 8 << 30;
/// Most bytes of the samples of a window.
pub const MOST_WINDOW: usize = 1 << 30;
/// Most bytes of tables and fields.
pub const MOST_CHAIN: usize = 4 << 30;

/// Refuses spans that would not fit.
pub fn pool(spans: usize, span_rows: usize, layout: &TileLayout) -> Result<(), Error> {
    let spans = spans.saturating_add(crate::plan::SPARE);
    let bytes = product(&[spans, span_rows, layout.row_bytes()]);
    check("[buffers]", format!("{bytes} bytes of spans"), bytes, MOST_POOL)
}

/// Longest window of an array, samples.
pub fn longest_window(layout: &TileLayout) -> usize {
    MOST_WINDOW / 4 / layout.channels() as usize
}

/// Refuses more frequencies than a page could ask for.
pub fn frequencies(count: usize) -> Result<(), Error> {
    check("[hologram]", format!("{count} frequencies"), count, MOST_FREQUENCIES)
}

/// Refuses tables and fields that would not fit.
pub fn chain(chain: &chain::Settings, threads: usize) -> Result<(), Error> {
    let (grid, u) = (&chain.pnah.grid, chain.pnah.refinement);
    let each = [
        product(&[4, grid.rows, grid.cols]),
        product(&[grid.rows, grid.aperture.cols, u]),
        product(&[2, grid.aperture.rows, grid.aperture.cols, u, u]),
        product(&[2, chain.front_end.layout.channels() as usize]),
        chain.front_end.window_rows(),
    ];
    let each = each.into_iter().fold(0, usize::saturating_add);
    let lines = product(&[512, threads, u, grid.rows.max(grid.cols)]);
    let bytes = product(&[8, chain.front_end.bins.len(), each]).saturating_add(lines);
    check("[hologram] grid, refine", format!("{bytes} bytes of tables and fields"), bytes, MOST_CHAIN)
}

fn product(factors: &[usize]) -> usize {
    factors.iter().fold(1, |product, factor| product.saturating_mul(*factor))
}

fn check(field: &'static str, found: String, count: usize, most: usize) -> Result<(), Error> {
    if count <= most { Ok(()) } else { Err(Error::value(field, found, format!("at most {most}"))) }
}
