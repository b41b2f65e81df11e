//! A capture of the UDP stream (PCAP or PCAPNG, as tcpdump and Wireshark write them), replayed datagram by
//! datagram as it is: headers, counters, gaps and damage included.
//!
//! The stream is taken to be all UDP datagrams to the port of the first one that holds a sound frame of bits.
//! Everything else in the capture is skipped and counted. Where the sending host handed several frames of one
//! size to the network card at once (segmentation offload), the capture shows them as one long datagram; it is
//! taken apart again by the lengths in the frames' headers. IP fragments are not put together: they count as
//! skipped.
//!
//! Blocks of a capture may be up to [`MAX_BLOCK`] long, more than any IP packet.

use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};

use dsp_core::frame::{Frame, HEADER_LEN, Kind, MAGIC};
use etherparse::{EtherType, SlicedPacket, TransportSlice};
use pcap_parser::data::{PacketData, get_packetdata};
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use crate::Error;
use crate::frames::Frames;
use crate::limited::open_limited;
use crate::link::{Content, Stamp};

/// Longest block that is read.
pub const MAX_BLOCK: usize = 1 << 20;

/// Bytes of an empty block of PCAPNG: its kind and twice its length.
const SHORTEST: u32 = 12;

/// Most interfaces of a PCAPNG section that are remembered.
const MAX_INTERFACES: usize = 1024;

/// A capture that is replayed.
pub struct Capture {
    path: PathBuf,
    reader: Box<dyn PcapReaderIterator + Send>,
    /// Link types of the interfaces; an old capture has one.
    interfaces: Vec<Linktype>,
    /// Whether a PCAPNG section, once there is one, has its numbers the wrong way round.
    big_endian: Option<bool>,
    /// Port and channels of the stream, once a frame was found.
    stream: Option<(u16, u16)>,
    /// Datagrams of a packet that holds several.
    waiting: VecDeque<Vec<u8>>,
    elapsed: u64,
    skipped: u64,
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").field("path", &self.path).field("stream", &self.stream).finish()
    }
}

impl Capture {
    /// Opens a capture.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::of(open_limited(path, u64::MAX)?, path)
    }

    /// A capture from any reader; `path` is for the messages.
    pub fn of(reader: impl Read + Send + 'static, path: &Path) -> Result<Self, Error> {
        let reader = create_reader(MAX_BLOCK, reader).map_err(|e| bad(path, explain(&e)))?;
        Ok(Self {
            path: path.into(),
            reader,
            interfaces: Vec::new(),
            big_endian: None,
            stream: None,
            waiting: VecDeque::new(),
            elapsed: 0,
            skipped: 0,
        })
    }

    /// Packets that are not of the stream.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads on until a datagram of the stream waits, or the capture ends.
    fn advance(&mut self) -> Result<bool, Error> {
        let Self { path, reader, interfaces, big_endian, stream, waiting, skipped, .. } = self;
        while waiting.is_empty() {
            if big_endian.is_some_and(|big_endian| is_short(reader.data(), big_endian)) {
                return Err(bad(path, "a block is damaged"));
            }
            let had = (reader.data().len(), reader.reader_exhausted());
            match reader.next() {
                Ok((used, block)) => {
                    if let PcapBlockOwned::NG(Block::SectionHeader(section)) = &block {
                        *big_endian = Some(section.big_endian());
                    }
                    if let Some(packet) = packet(&block, interfaces) {
                        match payload(packet, stream) {
                            Some(payload) => split(payload, waiting),
                            None => *skipped += 1,
                        }
                    }
                    reader.consume(used);
                }
                Err(PcapError::Eof) => return Ok(false),
                Err(PcapError::Incomplete(_)) => {
                    reader.refill().map_err(|e| bad(path, explain(&e)))?;
                    if (reader.data().len(), reader.reader_exhausted()) == had {
                        return Err(bad(path, "it ends within a packet, or a packet is longer than 1 MiB"));
                    }
                }
                Err(error) => return Err(bad(path, explain(&error))),
            }
        }
        Ok(true)
    }
}

impl Frames for Capture {
    fn next(&mut self, datagram: &mut Vec<u8>) -> Result<Option<Content>, Error> {
        if !self.advance()? {
            return match self.stream {
                Some(_) => Ok(None),
                None => Err(bad(&self.path, "it holds no UDP datagram with a frame of bits")),
            };
        }
        datagram.clear();
        datagram.extend(self.waiting.pop_front().unwrap_or_default());
        let channels = self.stream.map(|(_, channels)| channels);
        let content = match sound(datagram).filter(|frame| Some(frame.header.channels) == channels) {
            Some(frame) => {
                self.elapsed += frame.rows() as u64;
                let (sequence, first_sample) = (frame.header.sequence, frame.header.first_sample);
                Content::Frame(Stamp { sequence, first_sample, samples: frame.rows() as u64 })
            }
            None => Content::Junk,
        };
        Ok(Some(content))
    }

    fn elapsed(&self) -> u64 {
        self.elapsed
    }
}

/// The frame of bits that a datagram holds.
fn sound(datagram: &[u8]) -> Option<Frame<'_>> {
    let frame = Frame::decode_datagram(datagram).ok()?;
    (frame.header.kind == Kind::Bits && frame.header.stride == 1).then_some(frame)
}

/// Whether a block says that it is shorter than its own frame, which pcap-parser takes from the length of some kinds unseen.
fn is_short(data: &[u8], big_endian: bool) -> bool {
    let Some([_, length]) = data.as_chunks::<4>().0.first_chunk() else { return false };
    let length = if big_endian { u32::from_be_bytes(*length) } else { u32::from_le_bytes(*length) };
    length < SHORTEST
}

/// The packet of a block, with its link type; other blocks only tell of interfaces.
fn packet<'a>(block: &PcapBlockOwned<'a>, interfaces: &mut Vec<Linktype>) -> Option<PacketData<'a>> {
    let (data, interface, len) = match block {
        PcapBlockOwned::LegacyHeader(header) => {
            *interfaces = vec![header.network];
            return None;
        }
        PcapBlockOwned::Legacy(packet) => (packet.data, 0, packet.caplen),
        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
            interfaces.clear();
            return None;
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
            if interfaces.len() < MAX_INTERFACES {
                interfaces.push(interface.linktype);
            }
            return None;
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => (packet.data, packet.if_id, packet.caplen),
        PcapBlockOwned::NG(_) => return None,
    };
    let len = usize::try_from(len).ok()?.min(data.len());
    let linktype = *interfaces.get(usize::try_from(interface).ok()?)?;
    Some(get_packetdata(data, linktype, len).unwrap_or(PacketData::Unsupported(data)))
}

/// The UDP payload of a packet of the stream; the first sound frame tells which stream it is.
fn payload<'a>(packet: PacketData<'a>, stream: &mut Option<(u16, u16)>) -> Option<&'a [u8]> {
    let sliced = match packet {
        PacketData::L2(data) => SlicedPacket::from_ethernet(data).ok()?,
        PacketData::L3(kind, data) => SlicedPacket::from_ether_type(EtherType(kind), data).ok()?,
        PacketData::L4(..) | PacketData::Unsupported(_) => return None,
    };
    let Some(TransportSlice::Udp(udp)) = sliced.transport else { return None };
    let port = udp.destination_port();
    if stream.is_none() {
        let frame = Frame::decode(udp.payload()).ok().map(|(frame, _)| frame.header)?;
        *stream = (frame.kind == Kind::Bits && frame.stride == 1).then_some((port, frame.channels));
    }
    stream.is_some_and(|(of, _)| of == port).then(|| udp.payload())
}

/// Takes frames that follow each other apart; anything else stays whole.
fn split(payload: &[u8], waiting: &mut VecDeque<Vec<u8>>) {
    let mut rest = payload;
    while let Some(len) = frame_len(rest).filter(|&len| rest[len..].starts_with(&MAGIC)) {
        let (frame, tail) = rest.split_at(len);
        waiting.push_back(frame.into());
        rest = tail;
    }
    waiting.push_back(rest.into());
}

/// Length of the frame at the start, as its header says, if it is all there.
fn frame_len(bytes: &[u8]) -> Option<usize> {
    let length: [u8; 4] = bytes.get(32..36)?.try_into().ok()?;
    let len = HEADER_LEN.checked_add(u32::from_le_bytes(length) as usize)?;
    (bytes.starts_with(&MAGIC) && len <= bytes.len()).then_some(len)
}

fn bad(path: &Path, message: &str) -> Error {
    Error::File { path: path.into(), message: message.into() }
}

/// What to do about an error of the reader.
fn explain<I>(error: &PcapError<I>) -> &'static str {
    match error {
        PcapError::HeaderNotRecognized => "neither PCAP nor PCAPNG",
        PcapError::BufferTooSmall => "a packet is longer than 1 MiB",
        PcapError::ReadError => "it cannot be read",
        PcapError::Eof | PcapError::UnexpectedEof | PcapError::Incomplete(_) => "it ends within a packet",
        PcapError::NomError(..) | PcapError::OwnedNomError(..) => "a block is damaged",
    }
}

#[cfg(test)]
mod tests;
