use super::*;
use proptest::prelude::*;
use std::vec::Vec;

const CAMERA: Header = Header {
    kind: Kind::Bits,
    layout: LAYOUT_CAMERA,
    channels: 1024,
    stride: 1,
    sequence: 0x0102_0304,
    first_sample: 0x1112_1314_1516_1718,
    timestamp_ns: 0x2122_2324_2526_2728,
};

fn encoded(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut out = std::vec![0; HEADER_LEN + payload.len()];
    let written = header.encode(payload, &mut out);
    assert_eq!(written, Ok(out.len()));
    out
}

/// A small generator of its own, so that the million cases are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

#[test]
fn bytes_are_where_the_table_says() {
    let payload = [0x5A; 128];
    let frame = encoded(&CAMERA, &payload);
    let mut expected = std::vec![b'N', b'F', b'L', b'D', 1, 1, 1, 0, 0, 4, 1, 0];
    expected.extend([4, 3, 2, 1]);
    expected.extend([0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]);
    expected.extend([0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21]);
    expected.extend([128, 0, 0, 0]);
    assert_eq!(frame[..CRC_OFFSET], expected);
    assert_eq!(frame[HEADER_LEN..], payload);
    assert_eq!(CAMERA.encode_header(&payload).unwrap(), frame[..HEADER_LEN]);
}

/// Bitwise CRC-32C: reflected polynomial 0x82F63B78, all ones before and after.
fn crc_by_definition<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    !bytes.fold(!0, |crc, &b| (0..8).fold(crc ^ u32::from(b), |c, _| (c >> 1) ^ (0x82F6_3B78 * (c & 1))))
}

#[test]
fn both_crc_tables_match_the_definition() {
    // Check value of CRC-32C (iSCSI, RFC 3720) for the digits 1 to 9.
    assert_eq!(crc_by_definition(b"123456789".iter()), 0xE306_9283);
    assert_eq!(Crc::<u32, Table<1>>::new(&CRC_32_ISCSI).checksum(b"123456789"), 0xE306_9283);
    let frame = encoded(&CAMERA, &[0xA7; 384]);
    let covered = frame[..CRC_OFFSET].iter().chain(&frame[HEADER_LEN..]);
    let expected = crc_by_definition(covered).to_le_bytes();
    assert_eq!(frame[CRC_OFFSET..HEADER_LEN], expected);
}

#[test]
fn every_single_bit_flip_is_an_error() {
    let mut random = Random(5);
    let payload: Vec<u8> = (0..256).map(|_| random.next() as u8).collect();
    let mut frame = encoded(&CAMERA, &payload);
    for bit in 0..8 * frame.len() {
        frame[bit / 8] ^= 1 << (bit % 8);
        assert!(Frame::decode(&frame).is_err(), "bit {bit}");
        frame[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(Frame::decode(&frame).is_ok());
}

#[test]
fn every_truncation_says_what_is_missing() {
    let frame = encoded(&CAMERA, &[1; 256]);
    for have in 0..frame.len() {
        let need = if have < HEADER_LEN { HEADER_LEN } else { frame.len() };
        assert_eq!(Frame::decode(&frame[..have]), Err(FrameError::Truncated { need, have }));
    }
}

/// Decodes a camera frame of 128 bytes whose header byte `at` is replaced.
fn error_with(at: usize, byte: u8) -> FrameError {
    let mut frame = encoded(&CAMERA, &[0; 128]);
    frame[at] = byte;
    Frame::decode(&frame).unwrap_err()
}

#[test]
fn malformed_headers_are_named() {
    assert_eq!(error_with(0, b'X'), FrameError::BadMagic(*b"XFLD"));
    assert_eq!(error_with(4, 2), FrameError::UnsupportedVersion(2));
    assert_eq!(error_with(5, 0), FrameError::UnknownKind(0));
    assert_eq!(error_with(9, 0), FrameError::NoChannels);
    assert_eq!(error_with(10, 0), FrameError::NoStride);
    let len = 128 | 1 << 30;
    assert_eq!(error_with(35, 0x40), FrameError::TooLarge { len, max: MAX_PAYLOAD });
    assert_eq!(error_with(32, 132), FrameError::PartialRow { len: 132, row: 128 });
    assert!(matches!(error_with(40, 1), FrameError::BadCrc { .. }));
}

#[test]
fn encoder_refuses_what_the_decoder_would() {
    let mut out = std::vec![0; HEADER_LEN + 128];
    let none = Header { channels: 0, ..CAMERA };
    assert_eq!(none.encode(&[], &mut out), Err(FrameError::NoChannels));
    let still = Header { stride: 0, ..CAMERA };
    assert_eq!(still.encode(&[], &mut out), Err(FrameError::NoStride));
    let ragged = CAMERA.encode(&[0; 100], &mut out);
    assert_eq!(ragged, Err(FrameError::PartialRow { len: 100, row: 128 }));
    let large = std::vec![0; MAX_PAYLOAD + 128];
    let too_large = FrameError::TooLarge { len: large.len(), max: MAX_PAYLOAD };
    assert_eq!(CAMERA.encode_header(&large), Err(too_large));
    let no_room = FrameError::NoRoom { need: 168, have: 167 };
    assert_eq!(CAMERA.encode(&[0; 128], &mut out[..167]), Err(no_room));
    assert!(CAMERA.encode_header(&large[..MAX_PAYLOAD]).is_ok());
}

#[test]
fn a_datagram_holds_one_frame_and_a_stream_several() {
    let mut stream = encoded(&CAMERA, &[1; 128]);
    let second = encoded(&Header { sequence: 9, ..CAMERA }, &[2; 256]);
    stream.extend(&second);
    let trailing = FrameError::TrailingBytes { frame: 168, have: stream.len() };
    assert_eq!(Frame::decode_datagram(&stream), Err(trailing));
    let (first, used) = Frame::decode(&stream).unwrap();
    assert_eq!((first.header, first.rows()), (CAMERA, 1));
    let last = Frame::decode_datagram(&stream[used..]).unwrap();
    assert_eq!((last.header.sequence, last.rows(), last.payload), (9, 2, &[2; 256][..]));
}

#[test]
fn sequence_gaps_wrap() {
    assert_eq!(sequence_gap(7, 8), 0);
    assert_eq!(sequence_gap(7, 10), 2);
    assert_eq!(sequence_gap(u32::MAX, 0), 0);
    assert_eq!(sequence_gap(u32::MAX - 1, 3), 4);
    assert_eq!(sequence_gap(7, 7), u32::MAX);
}

/// Damages a frame: 1 to 8 random bytes, a cut, or a run moved inside it.
fn mutate(frame: &mut Vec<u8>, random: &mut Random) {
    match random.below(4) {
        0 => frame.truncate(random.below(frame.len())),
        1 => {
            let (from, to) = (random.below(frame.len()), random.below(frame.len()));
            let run = 1 + random.below(frame.len() - from.max(to));
            frame.copy_within(from..from + run, to);
        }
        _ => {
            for _ in 0..=random.below(8) {
                let at = random.below(frame.len());
                frame[at] = random.next() as u8;
            }
        }
    }
}

#[test]
fn a_million_damaged_inputs_never_panic_or_pass() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let payload: Vec<u8> = (0..256).map(|_| random.next() as u8).collect();
    let original = encoded(&CAMERA, &payload);
    let mut bytes = Vec::new();
    let mut rejected = 0;
    for case in 0..1_000_000 {
        bytes.clear();
        if case % 2 == 0 {
            let len = random.below(400);
            bytes.extend((0..len).map(|_| random.next() as u8));
            // Every fourth noise gets past the magic, version and kind.
            if case % 8 == 0 && len >= 6 {
                bytes[..6].copy_from_slice(&original[..6]);
            }
            assert!(Frame::decode(&bytes).is_err());
        } else {
            bytes.extend(&original);
            mutate(&mut bytes, &mut random);
            match Frame::decode(&bytes) {
                Ok((_, used)) => assert_eq!(bytes[..used], original),
                Err(_) => rejected += 1,
            }
        }
    }
    assert!(rejected > 450_000, "{rejected}");
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Bits), Just(Kind::Samples), Just(Kind::Walsh)]
}

prop_compose! {
    fn header()(
        kind in kind(), layout: u16, channels in 1u16..=1500, stride in 1u16.., sequence: u32,
        first_sample: u64, timestamp_ns: u64,
    ) -> Header {
        Header { kind, layout, channels, stride, sequence, first_sample, timestamp_ns }
    }
}

proptest! {
    #[test]
    fn round_trip(header in header(), rows in 0usize..12, seed in 1u64..) {
        let mut random = Random(seed);
        let len = rows * header.kind.row_len(header.channels);
        let payload: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
        let bytes = encoded(&header, &payload);
        let (frame, used) = Frame::decode(&bytes).unwrap();
        prop_assert_eq!(used, bytes.len());
        prop_assert_eq!(frame, Frame { header, payload: &payload });
        prop_assert_eq!(frame.rows(), rows);
        let words: Vec<u8> = frame.words().flat_map(u32::to_le_bytes).collect();
        let values: Vec<u8> = frame.values().flat_map(i32::to_le_bytes).collect();
        prop_assert_eq!(&words, &payload);
        prop_assert_eq!(&values, &payload);
    }
}
