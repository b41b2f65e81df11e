//! Captures that are written here by hand, sound and damaged.

use super::*;
use crate::{Array, FrameSource, Scene, Settings, Simulator};
use etherparse::PacketBuilder;

/// Frames of a simulator.
fn frames(count: usize) -> Vec<Vec<u8>> {
    let scene = Scene::named("monopole").unwrap();
    let simulator = Simulator::new(&scene, &Array::CAMERA, &Settings::default()).unwrap();
    let mut source = FrameSource::new(simulator, 2).unwrap();
    let mut frame = || {
        let mut bytes = Vec::new();
        source.next(&mut bytes).unwrap();
        bytes
    };
    (0..count).map(|_| frame()).collect()
}

/// An Ethernet packet with a UDP datagram.
fn packet(port: u16, payload: &[u8]) -> Vec<u8> {
    let builder =
        PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 9).udp(4000, port);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// A little-endian PCAP file of Ethernet packets.
fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 262_144, 1] {
        bytes.extend(word.to_le_bytes());
    }
    for packet in packets {
        for word in [7, 8, packet.len() as u32, packet.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(packet);
    }
    bytes
}

/// The same as PCAPNG: a section, an interface, enhanced packets.
fn pcapng(packets: &[Vec<u8>]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let padded = body.len().next_multiple_of(4);
        let len = (12 + padded) as u32;
        let mut bytes = [kind.to_le_bytes(), len.to_le_bytes()].concat();
        bytes.extend(body);
        bytes.resize(8 + padded, 0);
        bytes.extend(len.to_le_bytes());
        bytes
    };
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    bytes.extend(block(1, &words(&[1, 262_144])));
    for packet in packets {
        let len = packet.len() as u32;
        bytes.extend(block(6, &[words(&[0, 0, 9, len, len]), packet.clone()].concat()));
    }
    bytes
}

/// Datagrams with what they are.
type Replayed = Vec<(Vec<u8>, Content)>;

/// All datagrams of a capture, and the packets skipped.
fn replay(bytes: Vec<u8>) -> Result<(Replayed, u64), Error> {
    let mut capture = Capture::of(std::io::Cursor::new(bytes), Path::new("x.pcap"))?;
    let mut all = Vec::new();
    let mut datagram = Vec::new();
    while let Some(content) = capture.next(&mut datagram)? {
        all.push((datagram.clone(), content));
    }
    Ok((all, capture.skipped()))
}

#[test]
fn frames_come_back_bit_for_bit() {
    let frames = frames(5);
    let mut packets = vec![packet(53, b"a question of another kind")];
    packets.extend(frames.iter().map(|f| packet(7000, f)));
    packets.push(packet(7001, &frames[0]));
    for bytes in [pcap(&packets), pcapng(&packets)] {
        let (all, skipped) = replay(bytes).unwrap();
        assert_eq!((all.len(), skipped), (5, 2));
        for (i, (datagram, content)) in all.iter().enumerate() {
            assert!(*datagram == frames[i]);
            let first_sample = 2 * i as u64;
            let stamp = Stamp { sequence: i as u32, first_sample, samples: 2 };
            assert_eq!(*content, Content::Frame(stamp));
        }
    }
}

#[test]
fn damage_in_the_capture_is_replayed_as_damage() {
    let mut frames = frames(3);
    frames[1][60] ^= 4;
    let packets: Vec<_> = frames.iter().map(|f| packet(7000, f)).collect();
    let (all, _) = replay(pcap(&packets)).unwrap();
    assert!(all.iter().map(|(d, _)| d).eq(&frames));
    assert_eq!(all[1].1, Content::Junk);
}

#[test]
fn offloaded_datagrams_are_taken_apart() {
    let frames = frames(7);
    let packets = [packet(7000, &frames[..4].concat()), packet(7000, &frames[4..].concat())];
    let (all, _) = replay(pcap(&packets)).unwrap();
    assert!(all.iter().map(|(d, _)| d).eq(&frames));
}

#[test]
fn captures_without_the_stream_or_cut_short_are_refused() {
    let error = |bytes| replay(bytes).unwrap_err().to_string();
    assert!(error(pcap(&[packet(53, b"nothing")])).contains("no UDP datagram"));
    assert!(error(b"GIF89a, certainly not a capture of packets".to_vec()).contains("neither PCAP"));
    let mut cut = pcap(&[packet(7000, &frames(1)[0])]);
    cut.truncate(cut.len() - 3);
    assert!(error(cut).contains("ends within a packet"));
    // A block of process information that is shorter than its own frame.
    let mut short = pcapng(&[]);
    short.extend([0x8000_0001u32, 7, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
    assert!(error(short).contains("damaged"));
    let mut huge = pcap(&[]);
    for word in [0u32, 0, u32::MAX, u32::MAX] {
        huge.extend(word.to_le_bytes());
    }
    huge.resize(3 << 20, 0);
    assert!(error(huge).contains("x.pcap"));
}
