//! What computes: the chain on the CPU, or a card with that chain behind it.
//!
//! A card takes the rows of a hop and gives the fields of the newest window. If it fails, the chain takes its place from the
//! next row on: the stream goes on, the window fills again (the card had it), and every later hologram says who
//! made it.

use super::chain::Chain;
use crate::camera::CameraError;
use num_complex::Complex;

type Complex32 = Complex<f32>;

/// Rows of a hop in, fields `[n][y][x]` out; whether their filters are chosen, or why there are none. Told is whether the
/// window is whole and without holes: only such a one may choose filters.
pub type Card = Box<dyn FnMut(&[u8], bool, &mut [Complex32]) -> Result<bool, String> + Send>;

/// A card for an instrument.
pub struct OnCard {
    /// What people call it.
    pub name: String,
    /// What computes.
    pub card: Card,
    /// Shortest and second longest time of a hop, s ([`super::Instrument::rehearse_card`]).
    pub times_s: [f64; 2],
}

/// The CPU, or a card.
pub struct Engine {
    chain: Box<Chain>,
    card: Option<Card>,
    /// Rows of a hop, for the card.
    hop: Vec<u8>,
    fields: Vec<Complex32>,
    failure: Option<String>,
}

/// What became of a hop.
pub enum Made<'a> {
    /// A hologram.
    Fields {
        /// `[n][y][x]`, Pa.
        fields: &'a [Complex32],
        /// Whether a card's filters are chosen; none where the chain computes.
        chosen: Option<bool>,
    },
    /// The card failed; the chain goes on with an empty window.
    Lost,
}

impl Engine {
    /// The chain, and a card before it that takes `hop_bytes` at a time.
    pub fn new(chain: Box<Chain>, card: Option<Card>, hop_bytes: usize) -> Self {
        let fields = vec![Complex::default(); if card.is_some() { chain.source().len() } else { 0 }];
        let hop = Vec::with_capacity(if card.is_some() { hop_bytes } else { 0 });
        Self { chain, card, hop, fields, failure: None }
    }

    /// Takes the next rows of the hop.
    pub fn push(&mut self, rows: &[u8]) {
        if self.card.is_some() { self.hop.extend_from_slice(rows) } else { self.chain.push(rows) }
    }

    /// Another epoch: rows of an unfinished hop are of no use.
    pub fn restart(&mut self) {
        self.hop.clear();
    }

    /// The hop is complete. A hologram that is not `wanted` is not made on the CPU; a card has to make it to take its rows.
    /// `clean`: the window is whole and without holes.
    pub fn hop(&mut self, wanted: bool, clean: bool) -> Result<Option<Made<'_>>, CameraError> {
        let Some(card) = &mut self.card else {
            return Ok(match wanted {
                true => Some(Made::Fields { fields: self.chain.holograms()?, chosen: None }),
                false => None,
            });
        };
        let outcome = card(&self.hop, clean, &mut self.fields);
        match outcome {
            Ok(chosen) => {
                self.hop.clear();
                Ok(wanted.then_some(Made::Fields { fields: &self.fields, chosen: Some(chosen) }))
            }
            Err(reason) => {
                self.chain.push(&self.hop);
                self.hop = Vec::new();
                (self.card, self.failure) = (None, Some(reason));
                Ok(Some(Made::Lost))
            }
        }
    }

    /// The last fields.
    pub fn fields(&self) -> &[Complex32] {
        if self.card.is_some() { &self.fields } else { self.chain.source() }
    }

    /// Why the card does not compute any more.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
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
