use super::*;
use crate::stack::Stack;
use dsp_core::console::ResetCode;
use dsp_core::frame::{Frame, Kind};
use std::boxed::Box;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::vec::Vec;

/// The host's side of all ports.
#[derive(Default)]
struct Bench {
    running: bool,
    inject: bool,
    /// Numbers of the blocks in the FIFO.
    blocks: VecDeque<u32>,
    room: usize,
    frames: Vec<Vec<u8>>,
    to_board: VecDeque<u8>,
    from_board: Vec<u8>,
    kicks: u32,
    finished: bool,
}

#[derive(Clone, Default)]
struct Ports(Rc<RefCell<Bench>>);

impl Capture for Ports {
    fn start(&mut self, inject: bool) {
        let mut bench = self.0.borrow_mut();
        (bench.running, bench.inject) = (true, inject);
    }
    fn stop(&mut self) {
        self.0.borrow_mut().running = false;
    }
    fn set_divider(&mut self, divider: u32) -> u32 {
        divider.max(4)
    }
    fn take(&mut self, words: &mut [TimeWord; LINES]) -> Option<u32> {
        words.fill(TimeWord::IDLE);
        self.0.borrow_mut().blocks.pop_front()
    }
}

impl Uplink for Ports {
    fn room(&self) -> usize {
        self.0.borrow().room
    }
    fn send(&mut self, header: &[u8], payload: &[u8]) {
        self.0.borrow_mut().frames.push([header, payload].concat());
    }
}

impl Console for Ports {
    fn read(&mut self) -> Option<u8> {
        self.0.borrow_mut().to_board.pop_front()
    }
    fn write(&mut self, byte: u8) {
        self.0.borrow_mut().from_board.push(byte);
    }
}

impl Supervisor for Ports {
    const CLOCK_HZ: u32 = 48_000_000;
    fn begin(&mut self) -> ResetCode {
        ResetCode::PANIC
    }
    fn kick(&mut self) {
        self.0.borrow_mut().kicks += 1;
    }
    fn count(&self) -> Count {
        Count { cycles: self.0.borrow().kicks, instructions: 0 }
    }
    fn stack(&self) -> Stack {
        Stack { used: 5, size: 9 }
    }
    fn fail(&mut self) -> ! {
        panic!("asked for")
    }
    fn finish(&mut self) {
        self.0.borrow_mut().finished = true;
    }
}

type TestBoard = Board<'static, Ports, Ports, Ports, Ports>;

fn board() -> (TestBoard, Ports) {
    let ports = Ports::default();
    ports.0.borrow_mut().room = 1 << 20;
    let engine = Box::leak(Box::new(Engine::new()));
    let board = Board::start(ports.clone(), ports.clone(), ports.clone(), ports.clone(), engine);
    (board, ports)
}

/// Sends a command, runs a few rounds, and gives every message that came, as text.
fn say(board: &mut TestBoard, ports: &Ports, command: &Message<'_>) -> Vec<std::string::String> {
    let mut bytes = [0; console::MAX_LEN];
    let len = console::encode(9, command, &mut bytes).unwrap();
    ports.0.borrow_mut().to_board.extend(&bytes[..len]);
    (0..100).for_each(|_| board.round());
    heard(ports)
}

fn heard(ports: &Ports) -> Vec<std::string::String> {
    let mut receiver = Receiver::new();
    let mut texts = Vec::new();
    for byte in std::mem::take(&mut ports.0.borrow_mut().from_board) {
        if let Some(message) = receiver.push(byte) {
            texts.push(std::format!("{:?}", message.unwrap().1));
        }
    }
    texts
}

fn headers(ports: &Ports) -> Vec<(u32, u64, usize)> {
    let bench = ports.0.borrow();
    let frames = bench.frames.iter().map(|frame| Frame::decode_datagram(frame).unwrap());
    frames.map(|frame| (frame.header.sequence, frame.header.first_sample, frame.rows())).collect()
}

#[test]
fn it_says_why_it_started_and_obeys() {
    let (mut board, ports) = board();
    assert_eq!(heard(&ports), ["Started { reset: ResetCode(2), lines: 64 }"]);
    assert_eq!(say(&mut board, &ports, &Message::SetRate(1)), ["Reply(Refused)"]);
    assert_eq!(say(&mut board, &ports, &Message::SetMode(Mode::Decimate)), ["Reply(Done)"]);
    assert_eq!(say(&mut board, &ports, &Message::SelfTest(true)), ["Reply(Done)"]);
    assert_eq!(say(&mut board, &ports, &Message::Start), ["Reply(Done)"]);
    assert!(ports.0.borrow().running && ports.0.borrow().inject);
    for command in [Message::Start, Message::SetMode(Mode::Bits), Message::SetRate(9)] {
        assert_eq!(say(&mut board, &ports, &command), ["Reply(Running)"]);
    }
    assert_eq!(say(&mut board, &ports, &Message::Stop), ["Reply(Done)"]);
    assert_eq!(say(&mut board, &ports, &Message::Finish), ["Reply(Done)"]);
    let bench = ports.0.borrow();
    assert!(!bench.running && bench.finished && bench.kicks == 900);
}

#[test]
fn frames_follow_each_other_and_the_rest_goes_out_at_the_stop() {
    let (mut board, ports) = board();
    say(&mut board, &ports, &Message::SetRate(48));
    say(&mut board, &ports, &Message::SetMode(Mode::Decimate));
    say(&mut board, &ports, &Message::Start);
    ports.0.borrow_mut().blocks.extend(0..10);
    (0..20).for_each(|_| board.round());
    say(&mut board, &ports, &Message::Stop);
    assert_eq!(headers(&ports), [(0, 0, 4), (1, 128, 4), (2, 256, 2)]);
    let frame = ports.0.borrow().frames[1].clone();
    let header = Frame::decode_datagram(&frame).unwrap().header;
    assert_eq!((header.kind, header.stride, header.timestamp_ns), (Kind::Samples, 32, 128_000));
}

#[test]
fn an_overrun_is_told_and_shows_in_the_counters() {
    let (mut board, ports) = board();
    heard(&ports);
    say(&mut board, &ports, &Message::Start);
    ports.0.borrow_mut().blocks.extend([0, 1, 7, 8, 9, 10]);
    let told = say(&mut board, &ports, &Message::Report);
    assert_eq!(told[0], "Overrun { block: 7, lost: 5 }");
    assert!(
        told[1].contains("blocks: 6, lost: 5, frames: 2") && told[1].contains("stack_used: 5"),
        "{told:?}"
    );
    assert_eq!(headers(&ports), [(0, 0, 64), (1, 224, 128)]);
}

#[test]
fn a_stalled_uplink_is_told_loses_nothing_and_resumes() {
    let (mut board, ports) = board();
    heard(&ports);
    say(&mut board, &ports, &Message::Start);
    ports.0.borrow_mut().room = 100;
    // The gap comes while the frame before it has no room.
    ports.0.borrow_mut().blocks.extend([0, 1, 2, 5, 6, 7, 8]);
    heard(&ports);
    (0..PATIENCE + 10).for_each(|_| board.round());
    assert_eq!(heard(&ports), ["Stall(0)"]);
    assert_eq!(ports.0.borrow().blocks.len(), 3);
    ports.0.borrow_mut().room = 1 << 20;
    (0..100).for_each(|_| board.round());
    assert_eq!(heard(&ports), ["Resumed(0)", "Overrun { block: 5, lost: 2 }"]);
    assert_eq!(headers(&ports), [(0, 0, 96), (1, 160, 128)]);
}

#[test]
fn damaged_commands_are_counted_and_ignored() {
    let (mut board, ports) = board();
    heard(&ports);
    ports.0.borrow_mut().to_board.extend([3, 1, 4, 0]);
    (0..10).for_each(|_| board.round());
    assert_eq!(heard(&ports), ["Corrupted(1)"]);
    // A message that is no command is as wrong as a damaged one.
    assert_eq!(say(&mut board, &ports, &Message::Reply(Answer::Done)), ["Corrupted(2)"]);
    assert_eq!(say(&mut board, &ports, &Message::Stop), ["Reply(Done)"]);
}

#[test]
#[should_panic(expected = "asked for")]
fn the_panic_that_is_asked_for_comes() {
    let (mut board, ports) = board();
    say(&mut board, &ports, &Message::TestPanic);
}
