//! What all holograms of a plan have in common.

use super::Error;
use super::design::{Aperture, FINEST, Grid, Medium};
use super::lpbp::Extent;
use std::fmt;

/// How the hologram is continued beyond the aperture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// Zeros.
    Zero,
    /// Linear prediction of the rows, then of the columns ([`lpbp`](super::lpbp)).
    Lpbp {
        /// p.
        order: usize,
    },
    /// Linear prediction of rows and columns at once ([`plpbp`](super::plpbp)).
    Plpbp {
        /// p.
        order: usize,
    },
}

impl Padding {
    /// Order of the linear prediction unless another is asked for; `docs/measured/pnah.md` compares orders.
    pub const ORDER: usize = 6;

    /// LPBP of the usual order, or the highest that the aperture allows.
    pub fn usual(aperture: &Aperture) -> Self {
        let order = Self::ORDER.min(aperture.rows.min(aperture.cols).saturating_sub(1));
        if order > 0 { Self::Lpbp { order } } else { Self::Zero }
    }

    /// `zero`, `lpbp` or `plpbp`; the last two with `:ORDER` behind them or of this order.
    pub fn named(text: &str, order: usize) -> Option<Self> {
        let (name, order) = match text.split_once(':') {
            Some((name, order)) => (name, order.parse().ok()?),
            None => (text, order),
        };
        match name {
            "zero" if text == name => Some(Self::Zero),
            "lpbp" => Some(Self::Lpbp { order }),
            "plpbp" => Some(Self::Plpbp { order }),
            _ => None,
        }
    }

    /// The order of linear prediction, if there is any.
    pub fn order(&self) -> Option<usize> {
        match *self {
            Self::Zero => None,
            Self::Lpbp { order } | Self::Plpbp { order } => Some(order),
        }
    }
}

impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Lpbp { order } => write!(f, "lpbp:{order}"),
            Self::Plpbp { order } => write!(f, "plpbp:{order}"),
        }
    }
}

/// Where the result lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nearer to the source by the standoff.
    Back,
    /// Farther from the source by the standoff.
    Forward,
}

/// What all holograms of a plan have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Aperture and padded grid.
    pub grid: Grid,
    /// Speed of sound and density.
    pub medium: Medium,
    /// Distance between the measured plane and the result's, m.
    pub standoff: f64,
    /// Towards the source or away from it.
    pub direction: Direction,
    /// Continuation beyond the aperture.
    pub padding: Padding,
    /// u: the output has u rows and columns for each of the aperture's.
    pub refinement: usize,
    /// Whether the plan can also give the normal velocity.
    pub velocity: bool,
}

impl Settings {
    /// Pressure on the source plane at `standoff` metres: air at 343 m/s, LPBP of the usual order, no refinement.
    pub fn new(grid: Grid, standoff: f64) -> Self {
        Self {
            grid,
            medium: Medium::default(),
            standoff,
            direction: Direction::Back,
            padding: Padding::usual(&grid.aperture),
            refinement: 1,
            velocity: false,
        }
    }

    /// Distance towards the source, m: negative when the result lies farther away.
    pub fn distance(&self) -> f64 {
        match self.direction {
            Direction::Back => self.standoff,
            Direction::Forward => -self.standoff,
        }
    }

    /// Refuses what no plan can be made of.
    pub fn check(&self) -> Result<(), Error> {
        let (standoff, factor) = (self.standoff, self.refinement);
        if !(standoff > 0.0 && standoff.is_finite()) {
            return Err(Error::Standoff(standoff));
        }
        let Medium { speed_of_sound, density } = self.medium;
        if ![speed_of_sound, density].iter().all(|&x| x > 0.0 && x.is_finite()) {
            return Err(Error::Medium { speed_of_sound, density });
        }
        if !(1..=FINEST).contains(&factor) {
            return Err(Error::Refinement(factor));
        }
        Grid::new(self.grid.aperture, self.grid.rows, self.grid.cols)?;
        let (row, col) = Extent::of(&self.grid);
        let check = |order| row.check_order(order).and_then(|()| col.check_order(order));
        self.padding.order().map_or(Ok(()), check)
    }
}
