//! Bytes and text of the WebSocket; the module's page documents both ends.

pub use super::controls::VERSION;
use super::controls::{Command, Limits, Refusal, Wish};
use super::settings::Settings;
use holography::product::{Field, Health, Map, Spectrum, Stamps, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signal::front_end::Method;

/// First bytes of a map.
pub const MAGIC: [u8; 4] = *b"NFMP";

/// Bytes before the values of a map.
pub const HEADER: usize = 80;

/// Longest message of a client, bytes.
pub const LONGEST_MESSAGE: usize = 64 << 10;

/// A map as its binary message.
pub fn encode_map(map: &Map) -> Vec<u8> {
    let (rows, cols) = map.shape();
    let (kind, floats) = match map.field() {
        Field::Amplitude(_) => (0, 1),
        Field::Pressure(_) => (1, 2),
    };
    let mut out = Vec::with_capacity(HEADER + 4 * floats * map.field().len());
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend((HEADER as u16).to_le_bytes());
    out.extend(rows.to_le_bytes());
    out.extend(cols.to_le_bytes());
    out.extend([kind, method_number(map.method)]);
    out.extend(map.flags.bits().to_le_bytes());
    out.extend(map.sequence.to_le_bytes());
    let Stamps { first_sample, ring_in, device_in, device_out, sink } = map.stamps;
    for value in [map.frequency_hz, first_sample, ring_in, device_in, device_out, sink] {
        out.extend(value.to_le_bytes());
    }
    out.extend(map.pitch_m.iter().flat_map(|pitch| pitch.to_le_bytes()));
    match map.field() {
        Field::Amplitude(values) => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Field::Pressure(values) => {
            out.extend(values.iter().flat_map(|p| [p.re, p.im]).flat_map(f32::to_le_bytes));
        }
    }
    out
}

/// The place of a method in the list that `hello` sends.
fn method_number(method: Method) -> u8 {
    let name = method.to_string();
    METHODS.iter().position(|known| *known == name).unwrap_or_default() as u8
}

const METHODS: [&str; 5] = ["nominal", "dot", "average", "walsh", "bits"];

/// A text message of the server.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Telling<'a> {
    Hello {
        title: &'a str,
        limits: &'a Limits,
        methods: [&'static str; 5],
        /// x and y of every microphone, m.
        microphones_m: &'a [[f32; 2]],
    },
    Spectrum(&'a Spectrum),
    Health {
        letters: String,
    },
    Status(&'a Status),
    Reply {
        id: Option<u64>,
        error: Option<String>,
    },
}

/// A message with the version of the protocol.
#[derive(Serialize)]
struct Versioned<'a> {
    v: u16,
    #[serde(flatten)]
    telling: &'a Telling<'a>,
}

impl<'a> Telling<'a> {
    pub fn hello(settings: &'a Settings) -> Self {
        let Settings { title, limits, microphones_m, .. } = settings;
        Self::Hello { title, limits, methods: METHODS, microphones_m }
    }

    pub fn health(health: &[Health]) -> Self {
        Self::Health { letters: health.iter().map(|h| h.letter()).collect() }
    }

    /// The answer to request `id`, which is absent where the request had none that could be read.
    pub fn reply(id: Option<u64>, outcome: Result<(), Refusal>) -> Self {
        Self::Reply { id, error: outcome.err().map(|refusal| refusal.to_string()) }
    }

    pub fn to_text(&self) -> String {
        let versioned = Versioned { v: VERSION, telling: self };
        serde_json::to_string(&versioned).expect("strings, numbers and lists of them have a JSON form")
    }
}

/// A text message of the client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    v: u16,
    id: u64,
    command: serde_json::Map<String, Value>,
}

/// What of a message that is not understood may still be known.
#[derive(Deserialize)]
struct Numbered {
    id: u64,
}

/// Reads and checks a client's message: its number, if it can be read, and its command or what is wrong with it.
pub fn decode(text: &str, limits: &Limits) -> (Option<u64>, Result<Command, Refusal>) {
    match serde_json::from_str::<Request>(text) {
        Ok(Request { v: VERSION, id, command }) => {
            (Some(id), Wish::read(command).and_then(|wish| wish.check(limits)))
        }
        Ok(Request { v, id, .. }) => (Some(id), Err(Refusal::Version(v))),
        Err(error) => {
            let id = serde_json::from_str::<Numbered>(text).ok().map(|numbered| numbered.id);
            (id, Err(Refusal::Malformed(error.to_string())))
        }
    }
}

#[cfg(test)]
mod tests;
