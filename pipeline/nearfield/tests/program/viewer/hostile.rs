//! Clients that mean harm, or do it.

use super::support::{Bench, Client, SOON, dial, impatient, map, request, settings, status, until};
use pipeline::viewer::{Patience, Settings};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::Message;
use tungstenite::protocol::frame::coding::CloseCode;

/// The head of a request for a socket.
fn upgrade(bench: &Bench) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        bench.address()
    )
}

/// A page beside the hostile one still works.
fn still_serves(bench: &Bench) {
    let mut page = bench.connect();
    page.text("hello");
    bench.publisher.map(map(4, 99));
    while page.map() != 99 {}
}

#[test]
fn long_and_binary_messages_end_the_connection() {
    let bench = Bench::new(settings());
    let mut page = bench.connect();
    let longest = "x".repeat(64 << 10);
    page.socket.send(Message::text(longest.clone())).unwrap();
    assert!(page.text("reply")["error"].as_str().unwrap().contains("not understood"));
    // The server may hang up before all of it is written.
    let _ = page.socket.send(Message::text(longest + "x"));
    assert_eq!(page.end(), 0);
    let mut page = bench.connect();
    page.socket.send(Message::binary(vec![0; 10])).unwrap();
    assert_eq!(page.end(), u16::from(CloseCode::Unsupported));
    still_serves(&bench);
    assert_eq!(bench.controls.next(), None);
}

#[test]
fn a_frame_that_claims_to_be_huge_is_refused_by_its_head() {
    let bench = Bench::new(settings());
    let mut stream = dial(bench.address());
    stream.write_all(upgrade(&bench).as_bytes()).unwrap();
    // Text, masked, 2^63 - 1 bytes to come.
    stream.write_all(&[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]).unwrap();
    let mut rest = Vec::new();
    // Ends, or is reset; it would time out otherwise.
    let outcome = stream.read_to_end(&mut rest);
    assert!(outcome.is_ok_and(|n| n < 1 << 20) || !rest.is_empty());
    until("it is gone", || bench.publisher.viewers() == 0);
    still_serves(&bench);
}

#[test]
fn nonsense_after_the_handshake_ends_the_connection() {
    let bench = Bench::new(settings());
    let unmasked = [0x81, 0x02, b'h', b'i'];
    let reserved = [0xf1, 0x80, 0, 0, 0, 0];
    let unknown = [0x83, 0x80, 0, 0, 0, 0];
    let not_utf8 = [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];
    let orphan = [0x80, 0x81, 0, 0, 0, 0, b'x'];
    for bytes in [&unmasked[..], &reserved, &unknown, &not_utf8, &orphan, b"GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = dial(bench.address());
        stream.write_all(upgrade(&bench).as_bytes()).unwrap();
        until("it is in", || bench.publisher.viewers() == 1);
        stream.write_all(bytes).unwrap();
        until("it is gone", || bench.publisher.viewers() == 0);
    }
    still_serves(&bench);
}

#[test]
fn nonsense_instead_of_a_request_is_answered_or_cut_off() {
    let bench = Bench::new(settings());
    let address = bench.address();
    assert_eq!(request(address, "\u{0}\u{1}\u{2}").0, 400);
    assert_eq!(request(address, "GET / HTTP/1.1").0, 400, "no host");
    let long = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}", "x".repeat(60 << 10));
    assert_eq!(request(address, &long).0, 200, "long, but within the limit");
    let mut stream = dial(address);
    let longer = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}", "x".repeat(1 << 20));
    // The server hangs up in the middle of it.
    let _ = stream.write_all(longer.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(matches!(status(&String::from_utf8_lossy(&answer)), 0 | 431));
    still_serves(&bench);
}

#[test]
fn a_flood_of_messages_ends_the_connection() {
    let bench = Bench::new(settings());
    let mut page = bench.connect();
    for _ in 0..10_000 {
        if page.socket.send(Message::text("{}")).is_err() {
            break;
        }
    }
    page.end();
    until("it is gone", || bench.publisher.viewers() == 0);
    still_serves(&bench);
}

#[test]
fn of_a_thousand_connections_sixteen_are_pages() {
    let bench = Bench::new(settings());
    let head = upgrade(&bench);
    let dialled = |_| {
        let mut stream = dial(bench.address());
        // One that is turned away at the door may be closed already.
        let _ = stream.write_all(head.as_bytes());
        stream
    };
    let mut streams: Vec<TcpStream> = (0..1000).map(dialled).collect();
    let answers: Vec<u16> = streams
        .iter_mut()
        .map(|stream| {
            let mut line = [0; 12];
            stream.read_exact(&mut line).map_or(0, |()| status(&String::from_utf8_lossy(&line)))
        })
        .collect();
    let count = |code| answers.iter().filter(|answer| **answer == code).count();
    assert_eq!(count(101), 16);
    assert_eq!(count(101) + count(503) + count(0), 1000, "{answers:?}");
    assert_eq!(Client::open(bench.address(), &[]).map(|_| ()), Err(503));
    drop(streams);
    until("they are gone", || bench.publisher.viewers() == 0);
    still_serves(&bench);
}

#[test]
fn connections_that_say_nothing_or_half_a_request_are_closed() {
    let bench = Bench::new(impatient());
    for head in ["", "GET / HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut stream = dial(bench.address());
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // Returns only because the server closes.
        let _ = stream.read_to_end(&mut answer);
        assert!(matches!(status(&String::from_utf8_lossy(&answer)), 0 | 408));
    }
}

#[test]
fn a_page_that_answers_no_ping_is_let_go() {
    let patience = Patience { silence: Duration::from_millis(300), ..Patience::default() };
    let bench = Bench::new(Settings { patience, ..settings() });
    let silent = bench.connect();
    let mut answering = bench.connect();
    until("the silent one is gone", || {
        bench.publisher.map(map(4, 1));
        // Reading answers pings.
        answering.map();
        bench.publisher.viewers() == 1
    });
    drop(silent);
}

#[test]
fn a_page_that_never_reads_slows_nobody_and_is_let_go() {
    const PUBLISHED: u64 = 2000;
    let bench = Bench::new(impatient());
    let stuck = bench.connect();
    until("it is in", || bench.publisher.viewers() == 1);
    // 4 MiB each: more than the system's buffers hold, so that the server has to wait for the client.
    bench.publisher.map(map(1024, 0));
    until("the stuck page has a map under way", || bench.publisher.map_due());
    let mut page = bench.connect();
    for sequence in 1..=PUBLISHED {
        bench.publisher.map(map(8, sequence));
    }
    // All were published while the server waited for the stuck page, and the newest reaches the other.
    while page.map() != PUBLISHED {}
    until("the stuck page is gone", || bench.publisher.viewers() == 1);
    drop(stuck);
    still_serves(&bench);
}

#[test]
fn shutdown_ends_pages_stuck_pages_and_half_requests() {
    let long = Duration::from_secs(600);
    let patience = Patience { head: long, request: long, send: long, silence: long };
    let bench = Bench::new(Settings { patience, ..settings() });
    let address = bench.address();
    let _stuck = bench.connect();
    bench.publisher.map(map(1024, 0));
    let mut half = dial(address);
    half.write_all(b"GET /").unwrap();
    let mut pages: Vec<Client> = (0..4).map(|_| bench.connect()).collect();
    until("all are in", || bench.publisher.viewers() == 5);
    // These four read, so that the server is not in the middle of a message to them.
    assert!(pages.iter_mut().all(|page| page.map() == 0));
    let start = Instant::now();
    bench.server.shutdown();
    assert!(start.elapsed() < SOON, "no patience of ten minutes counts");
    for page in &mut pages {
        assert_eq!(page.end(), u16::from(CloseCode::Away));
    }
    let _ = half.shutdown(Shutdown::Both);
    assert_eq!(bench.publisher.viewers(), 0);
    assert!(TcpStream::connect(address).is_err(), "nobody listens");
    assert!(TcpListener::bind(address).is_ok(), "the port is free");
}
