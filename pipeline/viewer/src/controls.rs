//! What the page may ask of the pipeline, checked before it is handed over.

use holography::camera::FilterRule;
use holography::product::Point;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signal::front_end::Method;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};

/// Version of the protocol, in every message of either side.
pub const VERSION: u16 = 1;
/// Commands that wait for the pipeline; more are refused.
pub const WAITING: usize = 32;

/// Most frequencies of one command.
pub const MOST_FREQUENCIES: usize = 64;

/// A wish of the page, within [`Limits`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Compute these, Hz; the first one is shown.
    Frequencies(Vec<f64>),
    /// Compute these bins; the first one is shown.
    Bins(Vec<usize>),
    /// Make bins from bits this way.
    Method(Method),
    /// Choose the k-filter this way.
    Filter(FilterRule),
    /// Show the spectrum of this point of the map.
    Point(Point),
    /// Start or stop the recorder.
    Record(bool),
    /// The user has read the message of this number.
    Acknowledge(u64),
}

/// What the instrument can do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    /// Hz.
    pub highest_hz: f64,
    /// Bin.
    pub highest_bin: usize,
    /// At once; at most [`MOST_FREQUENCIES`].
    pub most_frequencies: usize,
    /// Rows of the map.
    pub rows: usize,
    /// Columns of the map.
    pub cols: usize,
}

/// Why a wish was not granted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// No message of this protocol.
    #[error("not understood: {0}")]
    Malformed(String),
    /// The client's version of the protocol, which is another.
    #[error("version {0} of the protocol, this is {VERSION}")]
    Version(u16),
    /// None or too many.
    #[error("{found} frequencies, where 1 to {most} are possible")]
    Count {
        /// How many.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// Out of range.
    #[error("{found} Hz, where more than 0 and up to {highest} Hz are possible")]
    Frequency {
        /// Asked for.
        found: f64,
        /// The limit.
        highest: f64,
    },
    /// Out of range.
    #[error("bin {found}, where 1 to {highest} are possible")]
    Bin {
        /// Asked for.
        found: usize,
        /// The limit.
        highest: usize,
    },
    /// Outside of the map.
    #[error("row {row}, column {col} of a map of {rows} by {cols} points")]
    Point {
        /// Asked for.
        row: usize,
        /// Asked for.
        col: usize,
        /// Of the map.
        rows: usize,
        /// Of the map.
        cols: usize,
    },
    /// Unknown name or bad number.
    #[error("{0}")]
    Value(String),
    /// The pipeline has not yet taken the last ones.
    #[error("busy: {WAITING} commands are waiting; try again")]
    Busy,
    /// The pipeline takes no commands.
    #[error("the instrument is stopping")]
    Stopping,
}

/// A command as it comes, before it is checked.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Wish {
    Frequencies { hz: Vec<f64> },
    Bins { k: Vec<usize> },
    Method { name: String, coefficients: Option<usize> },
    Filter { rule: String },
    Point { row: usize, col: usize },
    Record { on: bool },
    Acknowledge { message: u64 },
}

impl Wish {
    /// From an object with the command's name in `do`, beside its fields.
    ///
    /// Not by serde's tags: they keep numbers in a form of their own, which `serde_json` changes when any crate of the program asks for
    /// its `arbitrary_precision`.
    pub fn read(mut fields: Map<String, Value>) -> Result<Self, Refusal> {
        let Some(Value::String(name)) = fields.remove("do") else {
            return Err(Refusal::Malformed("no name of a command in `do`".into()));
        };
        let named = Map::from_iter([(name, Value::Object(fields))]);
        serde_json::from_value(Value::Object(named)).map_err(|e| Refusal::Malformed(e.to_string()))
    }

    pub fn check(self, limits: &Limits) -> Result<Command, Refusal> {
        match self {
            Self::Frequencies { hz } => frequencies(hz, limits),
            Self::Bins { k } => bins(k, limits),
            Self::Method { name, coefficients } => method(&name, coefficients),
            Self::Filter { rule } => rule.parse().map(Command::Filter).map_err(Refusal::Value),
            Self::Point { row, col } => {
                let Limits { rows, cols, .. } = *limits;
                let inside = row < rows && col < cols;
                let refusal = Refusal::Point { row, col, rows, cols };
                if inside { Ok(Command::Point(Point { row, col })) } else { Err(refusal) }
            }
            Self::Record { on } => Ok(Command::Record(on)),
            Self::Acknowledge { message } => Ok(Command::Acknowledge(message)),
        }
    }
}

fn count(found: usize, limits: &Limits) -> Result<(), Refusal> {
    let most = limits.most_frequencies.min(MOST_FREQUENCIES);
    if (1..=most).contains(&found) { Ok(()) } else { Err(Refusal::Count { found, most }) }
}

fn frequencies(hz: Vec<f64>, limits: &Limits) -> Result<Command, Refusal> {
    count(hz.len(), limits)?;
    let highest = limits.highest_hz;
    match hz.iter().find(|f| !(**f > 0.0 && **f <= highest)) {
        Some(&found) => Err(Refusal::Frequency { found, highest }),
        None => Ok(Command::Frequencies(hz)),
    }
}

fn bins(k: Vec<usize>, limits: &Limits) -> Result<Command, Refusal> {
    count(k.len(), limits)?;
    let highest = limits.highest_bin;
    match k.iter().find(|k| !(1..=highest).contains(*k)) {
        Some(&found) => Err(Refusal::Bin { found, highest }),
        None => Ok(Command::Bins(k)),
    }
}

fn method(name: &str, coefficients: Option<usize>) -> Result<Command, Refusal> {
    let method: Method = name.parse().map_err(|e| Refusal::Value(format!("{e}")))?;
    match (method, coefficients) {
        (method, None) => Ok(Command::Method(method)),
        (Method::Walsh { .. }, Some(1..)) => Ok(Command::Method(Method::Walsh { coefficients })),
        (method, Some(n)) => Err(Refusal::Value(format!("{n} coefficients for the method {method}"))),
    }
}

/// The pipeline's end: commands in the order in which they came.
#[derive(Debug)]
pub struct Controls {
    commands: Receiver<Command>,
}

impl Controls {
    /// The next command, if there is one; never waits.
    pub fn next(&self) -> Option<Command> {
        self.commands.try_recv().ok()
    }
}

/// The server's end.
#[derive(Debug, Clone)]
pub(super) struct Wishes {
    commands: SyncSender<Command>,
}

impl Wishes {
    pub fn hand_over(&self, command: Command) -> Result<(), Refusal> {
        self.commands.try_send(command).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::Busy,
            TrySendError::Disconnected(_) => Refusal::Stopping,
        })
    }
}

pub(super) fn channel() -> (Wishes, Controls) {
    let (sender, commands) = mpsc::sync_channel(WAITING);
    (Wishes { commands: sender }, Controls { commands })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { highest_hz: 8000.0, highest_bin: 174, most_frequencies: 2, rows: 3, cols: 4 };

    fn check(json: &str) -> Result<Command, Refusal> {
        Wish::read(serde_json::from_str(json).unwrap())?.check(&LIMITS)
    }

    #[test]
    fn what_is_within_the_limits_is_handed_over() {
        let walsh = Method::Walsh { coefficients: Some(9) };
        for (json, command) in [
            (r#"{"do":"frequencies","hz":[440.5,8000]}"#, Command::Frequencies(vec![440.5, 8000.0])),
            (r#"{"do":"bins","k":[174]}"#, Command::Bins(vec![174])),
            (r#"{"do":"method","name":"bits"}"#, Command::Method(Method::Bits)),
            (r#"{"do":"method","name":"walsh","coefficients":9}"#, Command::Method(walsh)),
            (r#"{"do":"filter","rule":"auto"}"#, Command::Filter(FilterRule::Auto)),
            (r#"{"do":"point","row":2,"col":3}"#, Command::Point(Point { row: 2, col: 3 })),
            (r#"{"do":"record","on":true}"#, Command::Record(true)),
            (r#"{"do":"acknowledge","message":7}"#, Command::Acknowledge(7)),
        ] {
            assert_eq!(check(json), Ok(command), "{json}");
        }
    }

    #[test]
    fn what_is_outside_is_refused_with_its_value() {
        for (json, words) in [
            (r#"{"do":"frequencies","hz":[]}"#, "0 frequencies"),
            (r#"{"do":"frequencies","hz":[1,2,3]}"#, "3 frequencies"),
            (r#"{"do":"frequencies","hz":[0]}"#, "0 Hz"),
            (r#"{"do":"frequencies","hz":[8000.1]}"#, "8000.1 Hz"),
            (r#"{"do":"frequencies","hz":[1e999]}"#, "inf Hz"),
            (r#"{"hz":[1000]}"#, "not understood"),
            (r#"{"do":"bins","k":[0]}"#, "bin 0"),
            (r#"{"do":"bins","k":[175]}"#, "bin 175"),
            (r#"{"do":"method","name":"magic"}"#, "magic"),
            (r#"{"do":"method","name":"dot","coefficients":9}"#, "9 coefficients"),
            (r#"{"do":"method","name":"walsh","coefficients":0}"#, "0 coefficients"),
            (r#"{"do":"filter","rule":"-1:0.3"}"#, "-1"),
            (r#"{"do":"filter","rule":"nan:0.3"}"#, "NaN"),
            (r#"{"do":"point","row":3,"col":0}"#, "row 3"),
            (r#"{"do":"point","row":0,"col":4}"#, "column 4"),
            (r#"{"do":"point","row":0,"col":-1}"#, "not understood"),
            (r#"{"do":"point","row":0,"col":1,"x":1}"#, "not understood"),
            (r#"{"do":"shutdown"}"#, "not understood"),
        ] {
            let refusal = check(json).expect_err(json).to_string();
            assert!(refusal.contains(words), "{json}: {refusal}");
        }
    }

    #[test]
    fn a_full_queue_refuses_and_an_absent_pipeline_says_so() {
        let (wishes, controls) = channel();
        for _ in 0..WAITING {
            wishes.hand_over(Command::Record(true)).unwrap();
        }
        assert_eq!(wishes.hand_over(Command::Record(false)), Err(Refusal::Busy));
        assert_eq!(controls.next(), Some(Command::Record(true)));
        wishes.hand_over(Command::Record(false)).unwrap();
        assert_eq!(std::iter::from_fn(|| controls.next()).last(), Some(Command::Record(false)));
        drop(controls);
        assert_eq!(wishes.hand_over(Command::Record(false)), Err(Refusal::Stopping));
    }
}
