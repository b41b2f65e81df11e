//! The rows of `nearfield bench dsp`.

use crate::context::{Context, Result};
use crate::meter::{Meter, Unit};
use dsp_core::average::average;
use dsp_core::cic::Cic;
use dsp_core::decimator::{self, Decimator};
use dsp_core::fir::{Delay, Fir, Symmetric};
use dsp_core::pdm::{SampleWord, TileLayout, TimeWord, to_time_words};
use dsp_core::sliding::{Plan, Sliding, SlidingFixed};
use dsp_core::walsh::{coefficient, low_coefficients, transform::fwht};
use numerics::failure::Failed;
use numerics::simd::vectorised;
use signal::decimate::{ArrayDecimator, single::SingleStage};
use signal::filter_design::{Design, Specification};
use std::hint::black_box;

/// Time samples of the array stream: 0.02 s, 4 MiB, well beyond the inner caches.
const ROWS: usize = 32768;
/// Bytes of one time sample of 1024 channels.
const ROW_BYTES: usize = 128;
/// Length of the one-channel work.
const LENGTH: usize = 32768;

pub fn run(context: &Context<'_>) -> Result<()> {
    Meter::run(context, 1, rows).map(drop)
}

fn rows(meter: &mut Meter<'_>) -> Result<()> {
    let rows = noise_bytes(ROWS * ROW_BYTES);
    array_rows(meter, &rows)?;
    let words: Vec<u32> =
        rows.as_chunks::<4>().0[..LENGTH / 32].iter().map(|b| u32::from_le_bytes(*b)).collect();
    channel_rows(meter, &words)?;
    walsh_rows(meter, &words)
}

/// The whole stream of 1024 channels.
fn array_rows(meter: &mut Meter, rows: &[u8]) -> Result<()> {
    let bits = 8 * rows.len();
    let mut copy = vec![0; rows.len()];
    meter.row("memcpy (baseline)", Unit::Bits, bits, || {
        black_box(&mut copy).copy_from_slice(black_box(rows))
    })?;
    let mut time = vec![TimeWord::default(); rows.len() / 4];
    meter.row("transposition", Unit::Bits, bits, || transpose(black_box(rows), &mut time))?;
    let words: Vec<TimeWord> =
        rows.as_chunks::<4>().0.iter().map(|b| TimeWord(u32::from_le_bytes(*b))).collect();
    let mut out = vec![0; rows.len() / 4];
    let mut cic = Cic::<i32, 4, 32, 1>::new();
    meter.row("scalar CIC 4 by 32, no transposition (baseline)", Unit::Bits, bits, || {
        let _ = cic.process_bits(black_box(&words), &mut out);
    })?;
    let Some(mut single) = SingleStage::new(32) else {
        return Err(Failed::run("the single stage refused 32 words"));
    };
    meter.row("table CIC 4 by 32", Unit::Bits, bits, || single.process(black_box(rows), &mut out))?;
    let design = Design::new(Specification::DEFAULT)?;
    let mut chain = ArrayDecimator::new(&design, &TileLayout::CAMERA)?;
    let mut frames = Vec::new();
    meter.row("default chain, CIC 5 by 8 and FIR by 4", Unit::Bits, bits, || {
        frames.clear();
        let _ = chain.process(black_box(rows), &mut frames);
    })
}

/// All 1024 channels to time words.
fn transpose(rows: &[u8], time: &mut [TimeWord]) {
    vectorised(
        #[inline(always)]
        || {
            for (group, time) in rows.chunks_exact(32 * ROW_BYTES).zip(time.as_chunks_mut::<1024>().0) {
                let words = |row: &[u8]| -> [SampleWord; 32] {
                    std::array::from_fn(|w| {
                        SampleWord(u32::from_le_bytes(std::array::from_fn(|b| row[4 * w + b])))
                    })
                };
                let mut matrix = [[SampleWord::default(); 32]; 32];
                for (words_of_row, row) in matrix.iter_mut().zip(group.chunks_exact(ROW_BYTES)) {
                    *words_of_row = words(row);
                }
                for (place, channel) in time.as_chunks_mut::<32>().0.iter_mut().zip(to_time_words(&matrix)) {
                    *place = channel;
                }
            }
        },
    );
}

/// One channel, as a soft-core or a host thread sees it.
fn channel_rows(meter: &mut Meter, bits: &[u32]) -> Result<()> {
    let words: Vec<TimeWord> = bits.iter().map(|&w| TimeWord(w)).collect();
    let mut out = vec![0; words.len()];
    let mut channel = Decimator::new();
    meter.row("one channel, default chain (per bit)", Unit::Samples, LENGTH, || {
        let _ = channel.process(black_box(&words), black_box(&mut out));
    })?;
    let mut averages = vec![0i8; words.len()];
    meter.row("one channel, popcount average (per bit)", Unit::Samples, LENGTH, || {
        let _ = average::<32, i8>(black_box(&words), black_box(&mut averages));
    })?;
    let input: Vec<i32> = bits.iter().flat_map(|w| w.to_le_bytes()).map(|b| i32::from(b) << 7).collect();
    let fir = Fir::<i32, Symmetric, { decimator::TAPS.len() }>::new(
        decimator::TAPS,
        decimator::FIR_RATE,
        decimator::SHIFT,
    )
    .map_err(Failed::run)?;
    let (mut delay, mut filtered) = (Delay::new(), vec![0; input.len()]);
    meter.row("FIR, 93 taps by 4, integers (per input)", Unit::Samples, input.len(), || {
        let _ = fir.process(&mut delay, black_box(&input), black_box(&mut filtered));
    })?;
    let floats: Vec<f32> = input.iter().map(|&x| x as f32).collect();
    let plan = Plan::<f32, 1024, 8>::new([1, 2, 3, 5, 8, 13, 21, 34]);
    let mut sliding = Box::new(Sliding::<1024, 8>::default());
    meter.row("sliding DFT, 8 bins of 1024, f32", Unit::Samples, floats.len(), || {
        vectorised(
            #[inline(always)]
            || sliding.push(&plan, black_box(&floats)),
        );
    })?;
    let plan = Plan::<i32, 1024, 8>::new([1, 2, 3, 5, 8, 13, 21, 34]);
    let mut sliding = Box::new(SlidingFixed::<1024, 8>::default());
    meter.row("sliding DFT, 8 bins of 1024, fixed point", Unit::Samples, input.len(), || {
        vectorised(
            #[inline(always)]
            || sliding.push(&plan, black_box(&input)),
        );
    })
}

/// Walsh transforms of 32768 bits.
fn walsh_rows(meter: &mut Meter, bits: &[u32]) -> Result<()> {
    let words: Vec<TimeWord> = bits.iter().map(|&w| TimeWord(w)).collect();
    let mut data: Vec<i32> = words.iter().flat_map(|w| (0..32).map(|t| w.value(t))).collect();
    meter.row("fast Walsh transform of 32768", Unit::Samples, LENGTH, || {
        // Values would grow by 2^15 a pass; this pass, one of sixteen over the data, keeps them small.
        data.iter_mut().for_each(|x| *x &= 0xff);
        vectorised(
            #[inline(always)]
            || fwht(black_box(&mut data)).unwrap_or_default(),
        );
    })?;
    let mut low = vec![0; 1024];
    meter.row("1024 low Walsh coefficients by blocks (per bit)", Unit::Samples, LENGTH, || {
        vectorised(
            #[inline(always)]
            || low_coefficients(black_box(&words), black_box(&mut low)).unwrap_or_default(),
        );
    })?;
    meter.row("one Walsh coefficient by XOR (per bit)", Unit::Samples, LENGTH, || {
        black_box(coefficient(black_box(&words), 777).unwrap_or_default());
    })
}

/// Reproducible noise (xorshift64).
pub fn noise_bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..count).map(|_| next()).collect()
}
