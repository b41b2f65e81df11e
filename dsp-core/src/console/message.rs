//! What board and host say to each other.

use super::body::{Body, ConsoleError};

/// What firmware makes of the bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Mode {
    /// The bits themselves, as rows: [`crate::frame::Kind::Bits`].
    #[default]
    Bits = 0,
    /// The default chain, 24-bit samples at 1/32 of the bit rate: [`crate::decimator`].
    Decimate = 1,
    /// A CIC of order 4 by 32 as a byte table: [`crate::lut`].
    Cic = 2,
    /// Averages of 32 bits: [`crate::average`].
    Average = 3,
    /// The lowest Walsh coefficients of 1024 bits: [`crate::walsh`].
    Walsh = 4,
}

impl Mode {
    /// All modes, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Bits, Self::Decimate, Self::Cic, Self::Average, Self::Walsh];

    /// The mode of a code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| *mode as u8 == code)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Answer {
    /// It was carried out.
    Done = 0,
    /// It cannot be carried out while the capture runs.
    Running = 1,
    /// Its value is out of range.
    Refused = 2,
}

/// Why a board started: a number that survives the reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ResetCode(pub u32);

impl ResetCode {
    /// Power came on, or a host started the board.
    pub const POWER: Self = Self(0);
    /// The watchdog was not kicked in time.
    pub const WATCHDOG: Self = Self(1);
    /// A panic.
    pub const PANIC: Self = Self(2);
    /// A trap that firmware does not handle.
    pub const TRAP: Self = Self(3);
}

/// The counters of a [`Status`], in the order of their words.
macro_rules! status {
    ($($(#[$meta:meta])* $counter:ident,)*) => {
        /// Counters since the capture started; those of damage and of the stack since the board did.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct Status {
            $($(#[$meta])* pub $counter: u32,)*
        }

        impl Status {
            const WORDS: usize = [$(stringify!($counter)),*].len();

            fn to_words(self) -> [u32; Self::WORDS] {
                [$(self.$counter),*]
            }

            fn from_words([$($counter),*]: [u32; Self::WORDS]) -> Self {
                Self { $($counter),* }
            }
        }
    };
}

status! {
    /// Blocks of 32 bit times taken from the capture FIFO.
    blocks,
    /// Blocks that the FIFO had to drop.
    lost,
    /// Frames sent.
    frames,
    /// Times that the uplink had no room for a frame.
    stalls,
    /// Damaged commands.
    corrupted,
    /// Most bytes of the stack that were in use.
    stack_used,
    /// Bytes of the stack.
    stack_size,
    /// Cycles from finding a block to having dealt with it, frames included.
    busy_cycles,
    /// Instructions of the same, 0 where the core does not count them.
    busy_instructions,
    /// Cycles of the signal processing alone.
    engine_cycles,
    /// Instructions of the same.
    engine_instructions,
}

/// One message. Commands come from the host, the rest from the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Message<'a> {
    /// Command: capture from block 0 on.
    Start,
    /// Command: end the capture.
    Stop,
    /// Command: system clocks a bit, at least 2.
    SetRate(u32),
    /// Command: what to make of the bits.
    SetMode(Mode),
    /// Command: whether the front end injects its wiring pattern in place of the lines.
    SelfTest(bool),
    /// Command: send a [`Message::Status`].
    Report,
    /// Command: stop kicking the watchdog, to see it bite.
    TestWatchdog,
    /// Command: panic, to see the reset code.
    TestPanic,
    /// Command: end the simulation; a real board goes on.
    Finish,
    /// The outcome of the command with the same sequence number.
    Reply(Answer),
    /// Counters, in reply to [`Message::Report`].
    Status(Status),
    /// Event: the board started.
    Started {
        /// Why.
        reset: ResetCode,
        /// Lines of its front end.
        lines: u32,
    },
    /// Event: the capture FIFO overran.
    Overrun {
        /// Number of the first block that came after the gap.
        block: u32,
        /// Blocks dropped there.
        lost: u32,
    },
    /// Event: the uplink has had no room for the frame of this sequence number for a while; capture waits.
    Stall(u32),
    /// Event: the uplink takes frames again, first the one of this sequence number.
    Resumed(u32),
    /// Event: a command came damaged and was ignored, so many so far.
    Corrupted(u32),
    /// Bytes of the log, at most [`super::MAX_PAYLOAD`]; a defmt stream in raw encoding.
    Log(&'a [u8]),
}

impl<'a> Message<'a> {
    /// Whether it comes from the host.
    pub const fn is_command(&self) -> bool {
        self.kind() < 0x40
    }

    /// The message without borrowing anything; of a log, its bytes.
    pub const fn owned(self) -> Result<Message<'static>, &'a [u8]> {
        Ok(match self {
            Self::Start => Message::Start,
            Self::Stop => Message::Stop,
            Self::SetRate(divider) => Message::SetRate(divider),
            Self::SetMode(mode) => Message::SetMode(mode),
            Self::SelfTest(on) => Message::SelfTest(on),
            Self::Report => Message::Report,
            Self::TestWatchdog => Message::TestWatchdog,
            Self::TestPanic => Message::TestPanic,
            Self::Finish => Message::Finish,
            Self::Reply(answer) => Message::Reply(answer),
            Self::Status(status) => Message::Status(status),
            Self::Started { reset, lines } => Message::Started { reset, lines },
            Self::Overrun { block, lost } => Message::Overrun { block, lost },
            Self::Stall(frame) => Message::Stall(frame),
            Self::Resumed(frame) => Message::Resumed(frame),
            Self::Corrupted(count) => Message::Corrupted(count),
            Self::Log(bytes) => return Err(bytes),
        })
    }

    pub(super) const fn kind(&self) -> u8 {
        match self {
            Self::Start => 0x01,
            Self::Stop => 0x02,
            Self::SetRate(_) => 0x03,
            Self::SetMode(_) => 0x04,
            Self::SelfTest(_) => 0x05,
            Self::Report => 0x06,
            Self::TestWatchdog => 0x07,
            Self::TestPanic => 0x08,
            Self::Finish => 0x09,
            Self::Reply(_) => 0x40,
            Self::Status(_) => 0x41,
            Self::Started { .. } => 0x50,
            Self::Overrun { .. } => 0x51,
            Self::Stall(_) => 0x52,
            Self::Resumed(_) => 0x53,
            Self::Corrupted(_) => 0x54,
            Self::Log(_) => 0x60,
        }
    }

    pub(super) fn write(&self, body: &mut Body) {
        let mut words = |words: &[u32]| words.iter().for_each(|word| body.put(&word.to_le_bytes()));
        match *self {
            Self::SetRate(divider) => words(&[divider]),
            Self::Status(status) => words(&status.to_words()),
            Self::Started { reset, lines } => words(&[reset.0, lines]),
            Self::Overrun { block, lost } => words(&[block, lost]),
            Self::Stall(frame) | Self::Resumed(frame) => words(&[frame]),
            Self::Corrupted(count) => words(&[count]),
            Self::SetMode(mode) => body.put(&[mode as u8]),
            Self::SelfTest(on) => body.put(&[on.into()]),
            Self::Reply(answer) => body.put(&[answer as u8]),
            Self::Log(bytes) => body.put(bytes),
            _ => {}
        }
    }

    pub(super) fn read(kind: u8, payload: &'a [u8]) -> Result<Self, ConsoleError> {
        let plain = |message| payload.is_empty().then_some(message);
        let message = match kind {
            0x01 => plain(Self::Start),
            0x02 => plain(Self::Stop),
            0x03 => words(payload).map(|[divider]| Self::SetRate(divider)),
            0x04 => byte(payload).and_then(Mode::from_code).map(Self::SetMode),
            0x05 => byte(payload).filter(|on| *on < 2).map(|on| Self::SelfTest(on == 1)),
            0x06 => plain(Self::Report),
            0x07 => plain(Self::TestWatchdog),
            0x08 => plain(Self::TestPanic),
            0x09 => plain(Self::Finish),
            0x40 => byte(payload).and_then(Answer::from_code).map(Self::Reply),
            0x41 => words(payload).map(|words| Self::Status(Status::from_words(words))),
            0x50 => words(payload).map(|[reset, lines]| Self::Started { reset: ResetCode(reset), lines }),
            0x51 => words(payload).map(|[block, lost]| Self::Overrun { block, lost }),
            0x52 => words(payload).map(|[frame]| Self::Stall(frame)),
            0x53 => words(payload).map(|[frame]| Self::Resumed(frame)),
            0x54 => words(payload).map(|[count]| Self::Corrupted(count)),
            0x60 => Some(Self::Log(payload)),
            _ => return Err(ConsoleError::UnknownKind(kind)),
        };
        message.ok_or(ConsoleError::BadPayload { kind, have: payload.len() })
    }
}

impl Answer {
    fn from_code(code: u8) -> Option<Self> {
        [Self::Done, Self::Running, Self::Refused].into_iter().find(|answer| *answer as u8 == code)
    }
}

/// A payload of exactly one byte.
fn byte(payload: &[u8]) -> Option<u8> {
    match payload {
        [byte] => Some(*byte),
        _ => None,
    }
}

/// A payload of exactly `N` words.
fn words<const N: usize>(payload: &[u8]) -> Option<[u32; N]> {
    let (chunks, rest) = payload.as_chunks::<4>();
    let chunks: &[[u8; 4]; N] = chunks.try_into().ok().filter(|_| rest.is_empty())?;
    Some(chunks.map(u32::from_le_bytes))
}
