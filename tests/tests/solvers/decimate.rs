//! Decimation on a card gives the very integers of `dsp_core::decimator`, channel by channel, however the rows are cut.

use crate::devices;
use dsp_core::decimator::{Decimator, FULL_SCALE};
use dsp_core::pdm::{TileLayout, TimeWord};
use kernels::abi::decimate::{Batch, HISTORY};
use kernels::decimate::{Decimate, Places, Sample};
use kernels::{Buffer, Device, Stream};
use pipeline::signal::decimate::cuda::{ArrayDecimator, chain};
use pipeline::signal::decimate::{self, DecimateError, ROWS};
use pipeline::signal::filter_design::{Design, Specification};

/// Noise, in the second half also a stretch of ones and one of zeros long enough to settle at both ends of the scale.
fn random_rows(row_bytes: usize, frames: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let noise = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    });
    let frame = ROWS * row_bytes;
    let mut rows: Vec<u8> = noise.take(frames * frame).collect();
    if frames >= 200 {
        rows[frames / 2 * frame..][..40 * frame].fill(0xff);
        rows[(frames / 2 + 40) * frame..][..40 * frame].fill(0x00);
    }
    rows
}

/// The words of one channel in time.
fn words(rows: &[u8], row_bytes: usize, position: usize) -> Vec<TimeWord> {
    let bit = |row: &[u8]| u32::from(row[position / 8] >> (position % 8) & 1);
    let word = |group: &[u8]| group.chunks_exact(row_bytes).rev().fold(0, |word, row| word << 1 | bit(row));
    rows.chunks_exact(ROWS * row_bytes).map(|group| TimeWord(word(group))).collect()
}

/// `[position][frame]`: every channel by itself through the core's decimator.
fn expected(rows: &[u8], row_bytes: usize) -> Vec<i32> {
    let channel = |position| {
        let words = words(rows, row_bytes, position);
        let mut samples = vec![i32::MIN; words.len()];
        let _ = Decimator::new().process(&words, &mut samples);
        samples
    };
    (0..8 * row_bytes).flat_map(channel).collect()
}

/// What the kernels make of rows in one batch, with room left over in every array.
struct Outputs<T> {
    words: Vec<u32>,
    direct: Vec<T>,
    tuned: Vec<T>,
    frames: Vec<T>,
    batch: Batch,
}

/// Everything starts poisoned; the frames have the channels in reverse order.
fn run<T: Sample + Default>(device: &Device, rows: &[u8], row_bytes: usize) -> Outputs<T> {
    let frames = rows.len() / (ROWS * row_bytes);
    let pitch = (frames + 8) & !3;
    let positions = 8 * row_bytes;
    let batch = Batch {
        positions: positions as u32,
        frames: frames as u32,
        word_pitch: (HISTORY + frames + 3) as u32,
        sample_pitch: pitch as u32,
    };
    let kernels = Decimate::<T>::new(device).unwrap();
    let s: &mut Stream = &mut device.stream().unwrap();
    let sent = Buffer::from_slice(s, "rows", rows).unwrap();
    let mut words = Decimate::<T>::idle_words(s, positions, HISTORY + frames + 3).unwrap();
    let places: Vec<u32> = (0..batch.positions).rev().collect();
    let places = Places::new(s, &places).unwrap();
    let mut direct = Buffer::poisoned(s, "direct", positions * pitch).unwrap();
    let mut tuned = Buffer::poisoned(s, "tuned", positions * pitch).unwrap();
    let mut by_frames = Buffer::poisoned(s, "frames", positions * frames + 5).unwrap();
    kernels.transpose_rows(s, &sent, &batch, &mut words).unwrap();
    kernels.decimate_direct(s, &words, &chain(), &batch, &mut direct).unwrap();
    kernels.decimate(s, &words, &chain(), &batch, &mut tuned).unwrap();
    kernels.to_frames(s, &tuned, &places, &batch, &mut by_frames).unwrap();
    let out_words = download(s, &words);
    Outputs {
        words: out_words,
        direct: download(s, &direct),
        tuned: download(s, &tuned),
        frames: download(s, &by_frames),
        batch,
    }
}

fn download<T: kernels::plain::Plain + Default>(stream: &mut Stream, buffer: &Buffer<T>) -> Vec<T> {
    let mut values = vec![T::default(); buffer.len()];
    stream.download(buffer, &mut values).unwrap();
    values
}

/// Samples are `code` of the core's, and nothing else was written: what stands beyond them is poison still.
fn check<T: Sample + Default + PartialEq + std::fmt::Debug>(
    device: &Device,
    [row_bytes, frames]: [usize; 2],
    code: impl Fn(i32) -> T,
    is_poison: impl Fn(&T) -> bool,
) {
    let rows = random_rows(row_bytes, frames);
    let expected = expected(&rows, row_bytes);
    let Outputs { words: turned, direct, tuned, frames: by_frames, batch } = run(device, &rows, row_bytes);
    let (positions, pitch) = (8 * row_bytes, batch.sample_pitch as usize);
    for position in 0..positions {
        let own = &turned[position * batch.word_pitch as usize..][..batch.word_pitch as usize];
        assert!(
            own[..HISTORY]
                .iter()
                .chain(&own[HISTORY + frames..])
                .all(|&word| TimeWord(word) == TimeWord::IDLE)
        );
        let sent = words(&rows, row_bytes, position);
        assert!(own[HISTORY..][..frames].iter().eq(sent.iter().map(|word| &word.0)), "words of {position}");
        let wanted: Vec<T> = expected[position * frames..][..frames].iter().map(|&y| code(y)).collect();
        for (name, samples) in [("direct", &direct), ("tuned", &tuned)] {
            let (made, beyond) = samples[position * pitch..][..pitch].split_at(frames);
            assert_eq!(made, wanted, "{name}, {row_bytes} bytes a row, position {position}");
            assert!(beyond.iter().all(&is_poison), "{name} wrote beyond position {position}");
        }
        let place = positions - 1 - position;
        assert!(
            wanted.iter().enumerate().all(|(n, y)| by_frames[n * positions + place] == *y),
            "frames of {position}"
        );
    }
    assert!(by_frames[frames * positions..].iter().all(is_poison));
}

fn check_codes(device: &Device, shape: [usize; 2]) {
    check::<i32>(device, shape, |code| code, |&value| value == -1);
}

/// One of each kernel, for tools that take a thousand times as long.
#[test]
fn tiny_batches_are_the_cores_integers() {
    for device in devices("tiny_batches_are_the_cores_integers") {
        check_codes(&device, [3, 33]);
    }
}

/// Runs of the tuned kernel have 256 frames, tiles of the transpositions 16 words, 32 frames and 256 channels:
/// sizes below, at and above.
#[test]
fn small_batches_are_the_cores_integers() {
    for device in devices("small_batches_are_the_cores_integers") {
        for shape in [[1, 1], [1, 40], [3, 33], [8, 257], [13, 70], [33, 16]] {
            check_codes(&device, shape);
        }
    }
}

#[test]
fn small_batches_as_f32_are_the_codes_scaled() {
    for device in devices("small_batches_as_f32_are_the_codes_scaled") {
        let exact = |code: i32| code as f32 / FULL_SCALE as f32;
        check::<f32>(&device, [8, 210], exact, |value| value.is_nan());
    }
}

#[test]
fn a_thousand_channels_are_the_cores_integers() {
    for device in devices("a_thousand_channels_are_the_cores_integers") {
        check_codes(&device, [128, 1500]);
    }
}

fn default_design() -> Design {
    Design::with_taps(Specification::DEFAULT, dsp_core::decimator::TAPS.to_vec())
}

/// Frames of `rows` given in pieces, each as many rows as the next of `pieces`, over and over; what a call leaves is given
/// again.
fn in_pieces(device: &Device, layout: &TileLayout, rows: &[u8], pieces: &[usize]) -> Vec<i32> {
    let mut decimator = ArrayDecimator::new(device, &default_design(), layout).unwrap();
    let (mut frames, mut at) = (Vec::new(), 0);
    for rows_in_piece in pieces.iter().cycle() {
        let end = (at + rows_in_piece * layout.row_bytes()).min(rows.len());
        let before = frames.len();
        let progress = decimator.process(&rows[at..end], &mut frames).unwrap();
        assert_eq!(frames.len() - before, progress.produced * decimator.channels());
        assert_eq!(progress.consumed, progress.produced * decimator.rate());
        at += progress.consumed * layout.row_bytes();
        if end == rows.len() {
            return frames;
        }
    }
    unreachable!("pieces are not empty")
}

fn pieces_do_not_matter(device: &Device, layout: &TileLayout, count: usize, cuts: &[&[usize]]) {
    let rows = random_rows(layout.row_bytes(), count);
    let mut expected = Vec::new();
    let _ = decimate::ArrayDecimator::new(&default_design(), layout).unwrap().process(&rows, &mut expected);
    for pieces in cuts {
        // Twice: no state outlives a decimator, and no sum depends on the order of the blocks.
        for _ in 0..2 {
            assert!(in_pieces(device, layout, &rows, pieces) == expected, "pieces of {pieces:?} rows");
        }
    }
}

/// Pieces shorter than the history, with rows left over, and longer than a block of the decimator.
#[test]
fn small_pieces_of_a_stream_are_one_stream() {
    let tile = TileLayout::new(8, 8, 8).unwrap();
    let odd = TileLayout::new(6, 12, 2).unwrap();
    for device in devices("small_pieces_of_a_stream_are_one_stream") {
        pieces_do_not_matter(&device, &tile, 300, &[&[9600], &[32, 95, 800, 64, 1000]]);
        pieces_do_not_matter(&device, &odd, 60, &[&[1920], &[33, 700]]);
    }
}

#[test]
fn pieces_of_the_cameras_stream_are_one_stream() {
    for device in devices("pieces_of_the_cameras_stream_are_one_stream") {
        pieces_do_not_matter(&device, &TileLayout::CAMERA, 2500, &[&[80_000], &[16_384, 40_001, 77]]);
    }
}

#[test]
fn small_wrong_arguments_are_named() {
    for device in devices("small_wrong_arguments_are_named") {
        let mut s = device.stream().unwrap();
        let kernels = Decimate::<i32>::new(&device).unwrap();
        let batch = Batch { positions: 8, frames: 4, word_pitch: 28, sample_pitch: 4 };
        let words = Decimate::<i32>::idle_words(&mut s, 8, 28).unwrap();
        let mut short = Buffer::<i32>::zeros(&mut s, "samples", 31).unwrap();
        let error = kernels.decimate(&mut s, &words, &chain(), &batch, &mut short).unwrap_err().to_string();
        assert_eq!(error, "module decimate, kernel decimate, argument samples: 31 values given, 32 needed");
        let error = Places::new(&mut s, &[0, 1, 3]).unwrap_err().to_string();
        assert!(error.contains("place 3 in a frame of 3 samples"), "{error}");
        let mut other = default_design();
        other.taps[0] += 1;
        let refused = ArrayDecimator::new(&device, &other, &TileLayout::CAMERA);
        assert_eq!(refused.err(), Some(DecimateError::NotDefault));
    }
}
