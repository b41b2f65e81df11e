//! What computes: the chain on the CPU, or a card with that chain behind it.
//!
//! A card takes the rows of a hop and gives the fields of the newest window. Hops of which nobody wants a hologram are held while more of
//! them are to come, and go to the card together: it takes their rows and makes nothing of them, in a fraction of the time. If
//! it fails, the chain takes its place from the next row on: the stream goes on, the window fills again (the card had it), and every
//! later hologram says who made it.

use holography::camera::{CameraError, cuda};
use holography::chain::Chain;
use num_complex::Complex32;
use numerics::failure::{Failure, Kind};

/// Rows that are held at most, bytes: 2.7 ms of the camera's, and what [`holography::camera::cuda::Camera::skip`] takes at a time.
const HELD: usize = 1 << 19;

/// Why a card does not compute any more.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// The camera on the card.
    #[error(transparent)]
    Camera(#[from] cuda::Error),
    /// What else computes in the place of the chain.
    #[error("{0}")]
    Other(String),
}

impl Failure for CardError {
    fn kind(&self) -> Kind {
        match self {
            Self::Camera(error) => error.kind(),
            Self::Other(_) => Kind::Run,
        }
    }
}

/// The filters that a card's hologram was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filters {
    /// They were given, or chosen from the data.
    Chosen,
    /// They stand in until others are chosen.
    Provisional,
}

/// What computes in the place of the chain.
pub trait Card: Send {
    /// Takes the rows of a hop and makes the fields of the newest window; says with which filters, or why there are none.
    /// `clean`: the window is whole and without holes; only such a one may choose filters.
    fn execute(&mut self, rows: &[u8], clean: bool) -> Result<Filters, CardError>;

    /// The fields that it has just made, `[n][y][x]`, Pa; none if it cannot say.
    fn fields(&mut self) -> Option<&[Complex32]>;

    /// Takes the rows of any number of hops, of which no fields are wanted.
    fn skip(&mut self, rows: &[u8]) -> Result<(), CardError>;
}

/// A card for an instrument.
pub struct OnCard {
    /// What people call it.
    pub name: String,
    /// What computes.
    pub card: Box<dyn Card>,
    /// Shortest and second longest time of a hop, s ([`super::Instrument::rehearse_card`]).
    pub times_s: [f64; 2],
}

/// The CPU, or a card.
pub struct Engine {
    chain: Box<Chain>,
    card: Option<Box<dyn Card>>,
    /// Rows that the card has not: of the hop under way, and before it those of hops that are held.
    rows: Vec<u8>,
    hop_bytes: usize,
    /// Why the card does not compute any more.
    pub failure: Option<CardError>,
}

/// What is wanted of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// A hologram. `clean`: the window is whole and without holes.
    Hologram {
        /// Whether filters may be chosen from it.
        clean: bool,
    },
    /// Nothing.
    Nothing,
    /// Nothing, and the hop after it, which is there already, is not wanted either.
    NorTheNext,
}

/// What became of a hop.
pub enum Made<'a> {
    /// A hologram.
    Fields(Fields<'a>),
    /// The card failed; the chain goes on with an empty window.
    Lost,
}

/// A hologram on its way to the source plane. Where a card computes, only its end is there.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    /// Bins `[n][channel]`, full scale.
    pub channels: &'a [Complex32],
    /// `[n][y][x]`, Pa.
    pub measured: &'a [Complex32],
    /// `[n][y][x]`, Pa.
    pub source: &'a [Complex32],
    /// A card's filters; none where the chain computes.
    pub filters: Option<Filters>,
}

impl Engine {
    /// The chain, and a card before it that takes `hop_bytes` at a time.
    pub fn new(chain: Box<Chain>, card: Option<Box<dyn Card>>, hop_bytes: usize) -> Self {
        let rows = Vec::with_capacity(if card.is_some() { hop_bytes.max(HELD) } else { 0 });
        Self { chain, card, rows, hop_bytes, failure: None }
    }

    /// Takes the next rows of the hop.
    pub fn push(&mut self, rows: &[u8]) {
        if self.card.is_some() { self.rows.extend_from_slice(rows) } else { self.chain.push(rows) }
    }

    /// Another epoch: rows that the card has not are of no use.
    pub fn restart(&mut self) {
        self.rows.clear();
    }

    /// The hop is complete.
    pub fn hop(&mut self, wish: Wish) -> Result<Option<Made<'_>>, CameraError> {
        if self.card.is_none() {
            return match wish {
                Wish::Hologram { .. } => self.of_chain().map(Some),
                Wish::Nothing | Wish::NorTheNext => Ok(None),
            };
        }
        match self.on_card(wish) {
            Ok(None) => Ok(None),
            Ok(filters) => {
                let source = self.card.as_mut().and_then(|card| card.fields());
                let fields = |source| Made::Fields(Fields { channels: &[], measured: &[], source, filters });
                Ok(source.map(fields))
            }
            Err(reason) => {
                self.rows.chunks(self.hop_bytes.max(1)).for_each(|hop| self.chain.push(hop));
                self.rows = Vec::new();
                (self.card, self.failure) = (None, Some(reason));
                Ok(Some(Made::Lost))
            }
        }
    }

    fn of_chain(&mut self) -> Result<Made<'_>, CameraError> {
        self.chain.holograms()?;
        let chain = &self.chain;
        let (channels, measured, source) = (chain.channels(), chain.measured(), chain.source());
        Ok(Made::Fields(Fields { channels, measured, source, filters: None }))
    }

    /// Gives the card its rows, unless they are held; the filters of the hologram, if one was wanted.
    fn on_card(&mut self, wish: Wish) -> Result<Option<Filters>, CardError> {
        let Some(card) = &mut self.card else { return Ok(None) };
        let filters = match wish {
            Wish::Hologram { clean } => {
                let (held, hop) = self.rows.split_at(self.rows.len().saturating_sub(self.hop_bytes));
                if !held.is_empty() {
                    card.skip(held)?;
                }
                Some(card.execute(hop, clean)?)
            }
            Wish::NorTheNext if self.rows.len() + self.hop_bytes <= HELD => return Ok(None),
            Wish::Nothing | Wish::NorTheNext => {
                card.skip(&self.rows)?;
                None
            }
        };
        self.rows.clear();
        Ok(filters)
    }

    /// Whether a card computes.
    pub fn is_card(&self) -> bool {
        self.card.is_some()
    }

    /// The chain.
    pub fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }

    /// Takes another chain, and gives the old one back. Not while a card computes: it is made for other frequencies.
    pub fn set_chain(&mut self, chain: Box<Chain>) -> Box<Chain> {
        std::mem::replace(&mut self.chain, chain)
    }
}
