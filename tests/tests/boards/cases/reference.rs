//! What must come out: `dsp-core`, channel by channel, in the order of time.

use dsp_core::cic::Cic;
use dsp_core::console::Mode;
use dsp_core::decimator::Decimator;
use dsp_core::frame::{Frame, Kind};
use dsp_core::pdm::TimeWord;
use dsp_core::walsh::coefficient;
use hil_sim::board::{BLOCK_ROWS, LINES, ROW_BYTES};

/// Blocks of a Walsh window, and coefficients of it.
const WINDOW: usize = 32;
const COEFFICIENTS: usize = 4;

/// A row of a frame.
#[derive(Debug, PartialEq, Eq)]
pub struct Value {
    /// Its bit time.
    pub time: u64,
    /// Its Walsh index, else 0.
    pub index: usize,
    /// One value a channel; of bits, one word for 32 channels.
    pub values: Vec<i32>,
}

/// The rows of frames, whose sequence numbers must follow each other.
pub fn observed(frames: &[Vec<u8>], label: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for (number, bytes) in frames.iter().enumerate() {
        let frame = Frame::decode_datagram(bytes).unwrap_or_else(|e| panic!("{label}, frame {number}: {e}"));
        let header = frame.header;
        assert_eq!((header.sequence as usize, header.channels as usize), (number, LINES), "{label}");
        let values: Vec<i32> = frame.values().collect();
        let row = header.kind.row_len(header.channels) / 4;
        for (index, values) in values.chunks(row).enumerate() {
            let walsh = header.kind == Kind::Walsh;
            let time = header.first_sample + if walsh { 0 } else { index as u64 * u64::from(header.stride) };
            rows.push(Value { time, index: if walsh { index } else { 0 }, values: values.to_vec() });
        }
    }
    rows
}

/// The rows that firmware must make of 64 lines' rows, where the FIFO drops blocks: the first, and how many, of every gap.
pub fn expected(mode: Mode, rows: &[u8], gaps: &[[u32; 2]]) -> Vec<Value> {
    let block_bytes = BLOCK_ROWS * ROW_BYTES;
    let (mut values, mut begin) = (Vec::new(), 0);
    for &[at, count] in gaps {
        values.extend(part(mode, &rows[begin * block_bytes..at as usize * block_bytes], begin));
        begin = (at + count) as usize;
    }
    values.extend(part(mode, &rows[begin * block_bytes..], begin));
    values
}

/// A stretch without gaps, whose lines begin idle.
fn part(mode: Mode, rows: &[u8], first_block: usize) -> Vec<Value> {
    let first = (first_block * BLOCK_ROWS) as u64;
    if mode == Mode::Bits {
        let words = |row: &[u8]| row.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
        let rows = rows.chunks_exact(ROW_BYTES).zip(first..);
        return rows.map(|(row, time)| Value { time, index: 0, values: words(row) }).collect();
    }
    let lines: Vec<Vec<TimeWord>> = (0..LINES).map(|line| time_words(rows, line)).collect();
    if mode == Mode::Walsh {
        return walsh(&lines, first);
    }
    let columns: Vec<Vec<i32>> = lines.iter().map(|words| samples(mode, words)).collect();
    let row = |n: usize| columns.iter().map(|column| column[n]).collect();
    (0..rows.len() / (BLOCK_ROWS * ROW_BYTES))
        .map(|n| Value { time: first + 32 * n as u64, index: 0, values: row(n) })
        .collect()
}

fn samples(mode: Mode, words: &[TimeWord]) -> Vec<i32> {
    let mut samples = vec![i32::MIN; words.len()];
    let _ = match mode {
        Mode::Cic => Cic::<i32, 4, 32, 1>::new().process_bits(words, &mut samples),
        Mode::Average => Cic::<i32, 1, 32, 1>::new().process_bits(words, &mut samples),
        _ => Decimator::new().process(words, &mut samples),
    };
    samples
}

fn walsh(lines: &[Vec<TimeWord>], first: u64) -> Vec<Value> {
    let mut rows = Vec::new();
    for window in 0..lines[0].len() / WINDOW {
        for index in 0..COEFFICIENTS {
            let bits =
                |words: &Vec<TimeWord>| coefficient(&words[WINDOW * window..][..WINDOW], index).unwrap();
            let time = first + (32 * WINDOW * window) as u64;
            rows.push(Value { time, index, values: lines.iter().map(bits).collect() });
        }
    }
    rows
}

/// A line's bits in time, taken one by one.
fn time_words(rows: &[u8], line: usize) -> Vec<TimeWord> {
    let bit = |row: &[u8]| u32::from(row[line / 8] >> (line % 8) & 1);
    let word = |block: &[u8]| block.chunks_exact(ROW_BYTES).enumerate().map(|(t, row)| bit(row) << t).sum();
    rows.chunks_exact(BLOCK_ROWS * ROW_BYTES).map(|block| TimeWord(word(block))).collect()
}
