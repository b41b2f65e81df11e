use super::*;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

/// One of every kind.
fn messages(log: &[u8]) -> Vec<Message<'_>> {
    let status =
        Status { blocks: 1, lost: 2, engine_instructions: u32::MAX, stack_size: 4096, ..Status::default() };
    let mut all = vec![
        Message::Start,
        Message::Stop,
        Message::SetRate(0x0100_0020),
        Message::SelfTest(false),
        Message::SelfTest(true),
        Message::Report,
        Message::TestWatchdog,
        Message::TestPanic,
        Message::Finish,
        Message::Reply(Answer::Done),
        Message::Reply(Answer::Running),
        Message::Reply(Answer::Refused),
        Message::Status(status),
        Message::Started { reset: ResetCode::PANIC, lines: 64 },
        Message::Overrun { block: 77, lost: 3 },
        Message::Stall(5),
        Message::Resumed(5),
        Message::Corrupted(1),
        Message::Log(log),
    ];
    all.extend(Mode::ALL.map(Message::SetMode));
    all
}

fn wire(sequence: u8, message: &Message<'_>) -> Vec<u8> {
    let mut bytes = [0xee; MAX_LEN];
    let len = encode(sequence, message, &mut bytes).unwrap();
    bytes[..len].to_vec()
}

proptest! {
    #[test]
    fn what_is_sent_is_received(log in prop::collection::vec(any::<u8>(), 0..=MAX_PAYLOAD), sequence: u8) {
        let mut receiver = Receiver::new();
        for message in messages(&log) {
            let bytes = wire(sequence, &message);
            let (end, before) = bytes.split_last().unwrap();
            prop_assert!(*end == 0 && before.iter().all(|byte| *byte != 0));
            for byte in before {
                prop_assert!(receiver.push(*byte).is_none());
            }
            prop_assert_eq!(receiver.push(0), Some(Ok((sequence, message))));
            prop_assert_eq!(message.owned(), if message == Message::Log(&log) { Err(&log[..]) } else { Ok(message) });
        }
    }

    #[test]
    fn damage_is_found_and_ends_at_the_next_message(
        log in prop::collection::vec(any::<u8>(), 0..=MAX_PAYLOAD), at: prop::sample::Index, bit in 0u8..8,
    ) {
        let sound = wire(1, &Message::Log(&log));
        let mut hurt = sound.clone();
        let at = at.index(hurt.len());
        hurt[at] ^= 1 << bit;
        let mut receiver = Receiver::new();
        let mut good = 0;
        for byte in hurt.iter().chain(&[0]).chain(&sound) {
            if let Some(outcome) = receiver.push(*byte) {
                good += usize::from(outcome == Ok((1, Message::Log(&log))));
            }
        }
        prop_assert_eq!(good, 1);
    }

    #[test]
    fn any_bytes_leave_the_receiver_sound(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut receiver = Receiver::new();
        for byte in bytes {
            let _ = receiver.push(byte);
        }
        let _ = receiver.push(0);
        let sound = wire(9, &Message::Report);
        let last = sound.iter().fold(None, |_, byte| receiver.push(*byte).map(|outcome| outcome.is_ok()));
        prop_assert_eq!(last, Some(true));
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let outcome = |bytes: &[u8]| {
        let mut receiver = Receiver::new();
        bytes.iter().fold(None, |_, byte| receiver.push(*byte).map(|outcome| outcome.map(|_| ())))
    };
    assert_eq!(outcome(&[0]), None);
    assert_eq!(outcome(&[1, 0]), Some(Err(ConsoleError::Truncated(0))));
    assert_eq!(outcome(&[5, 1, 0]), Some(Err(ConsoleError::Truncated(1))));
    let long = [[2, 7].repeat(40), vec![0]].concat();
    assert_eq!(outcome(&long), Some(Err(ConsoleError::TooLong(70))));
    let body = |kind: u8, payload: &[u8]| {
        let mut body = [&[kind, 0], payload].concat();
        body.extend(crc32c(&[&body]).to_le_bytes());
        let mut bytes = [0; 100];
        let mut stuffer = Stuffer::new(&mut bytes);
        body.iter().for_each(|byte| stuffer.push(*byte));
        let len = stuffer.finish().unwrap();
        bytes[..len].to_vec()
    };
    assert_eq!(outcome(&body(0x01, &[])), Some(Ok(())));
    assert_eq!(outcome(&body(0x01, &[1])), Some(Err(ConsoleError::BadPayload { kind: 1, have: 1 })));
    assert_eq!(outcome(&body(0x04, &[9])), Some(Err(ConsoleError::BadPayload { kind: 4, have: 1 })));
    assert_eq!(outcome(&body(0x77, &[])), Some(Err(ConsoleError::UnknownKind(0x77))));
}

#[test]
fn a_message_that_does_not_fit_is_refused() {
    let log = [1; MAX_PAYLOAD + 1];
    let mut bytes = [0; 2 * MAX_LEN];
    assert_eq!(encode(0, &Message::Log(&log), &mut bytes), Err(ConsoleError::TooLong(70)));
    assert_eq!(encode(0, &Message::Start, &mut bytes[..7]), Err(ConsoleError::NoRoom(7)));
    assert_eq!(encode(0, &Message::Log(&log[1..]), &mut bytes), Ok(MAX_LEN));
}

/// Runs of 254 and more, which messages here never have, against the definition.
#[test]
fn stuffing_long_runs() {
    for length in [0usize, 1, 253, 254, 255, 508, 509, 600] {
        for zero_at in [None, Some(0), Some(length / 2), length.checked_sub(1)] {
            let mut bytes = vec![0x11; length];
            if let Some(slot) = zero_at.and_then(|at| bytes.get_mut(at)) {
                *slot = 0;
            }
            let mut stuffed = vec![0; length + length / 254 + 2];
            let mut stuffer = Stuffer::new(&mut stuffed);
            bytes.iter().for_each(|byte| stuffer.push(*byte));
            let len = stuffer.finish().unwrap();
            let mut unstuffer = Unstuffer::new();
            let back: Vec<u8> = stuffed[..len - 1].iter().filter_map(|byte| unstuffer.push(*byte)).collect();
            assert!(back == bytes && unstuffer.end() == Some(true), "{length} {zero_at:?}");
        }
    }
}
