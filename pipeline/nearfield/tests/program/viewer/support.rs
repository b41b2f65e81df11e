//! A server, clients for it, and waiting with an end.

use pipeline::viewer::{Controls, Field, Limits, Map, Metrics, Patience, Publisher, Server, Settings};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

/// How long anything may take that should happen at once; a busy machine is slow.
pub const SOON: Duration = Duration::from_secs(30);

pub const LIMITS: Limits =
    Limits { highest_hz: 8000.0, highest_bin: 174, most_frequencies: 4, rows: 48, cols: 48 };

/// A camera of 32 by 32 microphones, 2 cm apart.
pub fn settings() -> Settings {
    let along = |i: usize| (i as f32 - 15.5) * 0.02;
    let microphones = (0..1024).map(|i| [along(i % 32), along(i / 32)]).collect();
    Settings::new("Bench camera", LIMITS, microphones)
}

/// Settings whose patience ends soon, for tests that wait for its end.
pub fn impatient() -> Settings {
    let short = Duration::from_millis(300);
    let long = Duration::from_secs(600);
    Settings { patience: Patience { head: short, request: long, send: short, silence: long }, ..settings() }
}

/// A server with its other ends.
pub struct Bench {
    pub server: Server,
    pub controls: Controls,
    pub publisher: Publisher,
    pub metrics: Metrics,
}

impl Bench {
    pub fn new(settings: Settings) -> Self {
        let (publisher, metrics) = (Publisher::new(), Metrics::new());
        let (server, controls) = Server::start(settings, &publisher, metrics.clone()).unwrap();
        Self { server, controls, publisher, metrics }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// A page's connection.
    pub fn connect(&self) -> Client {
        let mut client = None;
        // A connection's place is free a moment after its page is gone.
        until("the server takes a plain client", || {
            client = Client::open(self.address(), &[]).ok();
            client.is_some()
        });
        client.expect("it was taken")
    }
}

/// A map of `side` by `side` points with this number.
pub fn map(side: usize, sequence: u64) -> Map {
    let field = Field::Amplitude(vec![sequence as f32; side * side]);
    let mut map = Map::new(side, side, [0.02; 2], field).unwrap();
    map.sequence = sequence;
    map
}

/// Waits until something is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < SOON, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn dial(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.set_write_timeout(Some(SOON)).unwrap();
    stream
}

/// Status and whole text of an answer to a request, whose head is given without its end.
pub fn request(address: SocketAddr, head: &str) -> (u16, String) {
    let mut stream = dial(address);
    write!(stream, "{head}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (status(&answer), answer)
}

/// The number of the first line of an answer; 0 if there is none.
pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// The answer to a plain `GET`.
pub fn get(address: SocketAddr, path: &str, headers: &str) -> (u16, String) {
    request(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}{headers}"))
}

/// A WebSocket client.
pub struct Client {
    pub socket: WebSocket<TcpStream>,
}

impl Client {
    /// Opens a socket with more headers, or gives the status of the refusal.
    pub fn open(address: SocketAddr, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        match tungstenite::client(request, dial(address)) {
            Ok((socket, _)) => Ok(Self { socket }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// The next message with content.
    pub fn next(&mut self) -> Message {
        loop {
            match self.socket.read().unwrap() {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }

    /// The next text of this type.
    pub fn text(&mut self, kind: &str) -> serde_json::Value {
        loop {
            if let Message::Text(text) = self.next() {
                let value: serde_json::Value = serde_json::from_str(&text).unwrap();
                if value["type"] == kind {
                    return value;
                }
            }
        }
    }

    /// The sequence number of the next map.
    pub fn map(&mut self) -> u64 {
        loop {
            if let Message::Binary(bytes) = self.next() {
                return u64::from_le_bytes(bytes[16..24].try_into().unwrap());
            }
        }
    }

    /// Sends a command and gives the error of the reply.
    pub fn ask(&mut self, id: u64, command: &str) -> Option<String> {
        let text = format!(r#"{{"v":1,"id":{id},"command":{command}}}"#);
        self.socket.send(Message::text(text)).unwrap();
        let reply = self.text("reply");
        assert_eq!(reply["id"], id);
        reply["error"].as_str().map(str::to_owned)
    }

    /// The close code with which the server ends this; 0 if it just hangs up.
    pub fn end(&mut self) -> u16 {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(frame))) => return frame.code.into(),
                Ok(Message::Close(None)) => return 0,
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the server does not end this connection")
                }
                Err(_) => return 0,
            }
        }
    }
}
