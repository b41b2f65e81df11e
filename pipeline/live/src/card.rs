//! The live camera of a card for the instrument.

use super::engine::{Card, CardError, Filters, OnCard};
use super::running::Instrument;
use super::settings::Settings;
use holography::camera::FilterRule;
use holography::camera::cuda::{self, Camera};
use holography::design::KFilter;
use kernels::Device;
use num_complex::Complex32;
use numerics::failure::{Failure, Kind};
use signal::array::Calibration;

/// Between two choices of filters on a card, s of sound: each takes a millisecond, and what is due meanwhile is left out.
const CHOICE_S: f64 = 10.0;

/// Why a card is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Microphones are left out or weighted.
    #[error("a card takes ideal microphones: leave [array] exclude, calibration and sensitivity_dbfs out")]
    Microphones,
    /// Another rule than a card has.
    #[error("a card does not choose filters by {0}; use auto")]
    Rule(FilterRule),
    /// There is no camera for these settings on it.
    #[error(transparent)]
    Camera(Box<cuda::Error>),
    /// It failed in its rehearsal.
    #[error(transparent)]
    Rehearsal(#[from] CardError),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Microphones | Self::Rule(_) => Kind::Input,
            Self::Camera(error) => error.kind(),
            Self::Rehearsal(error) => error.kind(),
        }
    }
}

/// The live camera of `settings` on `device`, rehearsed; none if nothing is computed.
pub fn card(device: &Device, settings: &Settings) -> Result<Option<OnCard>, Error> {
    let Some(chain) = &settings.chain else { return Ok(None) };
    let ideal = Calibration::ideal(chain.array.channels());
    if chain.array.live().contains(&false) || *chain.array.calibration() != ideal {
        return Err(Error::Microphones);
    }
    let chooses = match settings.filter {
        FilterRule::Auto => true,
        FilterRule::Fixed(_) => false,
        rule => return Err(Error::Rule(rule)),
    };
    let camera = cuda::Settings {
        front_end: chain.front_end.clone(),
        pnah: chain.pnah,
        filter: chain.filters.first().copied().unwrap_or(KFilter::NONE),
        hop: settings.hop_rows as usize,
    };
    let camera = Camera::new(device, &camera).map_err(|error| Error::Camera(error.into()))?;
    let mut card = OnCamera::new(camera, settings, chooses)?;
    let times_s = Instrument::rehearse_card(settings, &mut card)?;
    Ok(Some(OnCard { name: device.properties().name.clone(), card: Box::new(card), times_s }))
}

/// A camera that waits ahead of its rows, and chooses its filters now and then.
struct OnCamera {
    camera: Camera,
    chooses: bool,
    /// Hops between two choices.
    choice: usize,
    /// Hops since the last choice; none before the first.
    since: Option<usize>,
    /// Whether the last hologram's window is whole and without holes.
    choosable: bool,
    /// Whether it waits ahead.
    waits: bool,
    hop_bytes: usize,
}

impl OnCamera {
    fn new(mut camera: Camera, settings: &Settings, chooses: bool) -> Result<Self, CardError> {
        if chooses {
            // Once without sound: the first choice loads its kernels, which takes a second.
            camera.choose_filters()?;
            camera.estimates()?;
        }
        Ok(Self {
            camera,
            chooses,
            choice: (CHOICE_S * settings.pace_hz / settings.hop_rows as f64) as usize,
            since: if chooses { None } else { Some(0) },
            choosable: false,
            waits: false,
            hop_bytes: settings.hop_rows as usize * settings.layout.row_bytes(),
        })
    }

    /// Before a call that ends at once: rows are sent while the card waits for them.
    fn wait_ahead(&mut self) -> Result<(), cuda::Error> {
        if !self.waits {
            self.camera.wait_ahead(true)?;
            self.waits = true;
        }
        Ok(())
    }
}

impl Card for OnCamera {
    fn execute(&mut self, rows: &[u8], clean: bool) -> Result<Filters, CardError> {
        if self.chooses && self.choosable && self.since.is_none_or(|hops| hops >= self.choice) {
            self.camera.choose_filters()?;
            (self.since, self.waits) = (Some(0), false);
        }
        self.wait_ahead()?;
        let filters = if self.since.is_some() { Filters::Chosen } else { Filters::Provisional };
        self.since = self.since.map(|hops| hops + 1);
        self.camera.execute(rows)?;
        // The next choice is made of this window.
        self.choosable = clean;
        Ok(filters)
    }

    fn fields(&mut self) -> Option<&[Complex32]> {
        self.camera.fields().ok()
    }

    fn skip(&mut self, rows: &[u8]) -> Result<(), CardError> {
        self.wait_ahead()?;
        self.since = self.since.map(|hops| hops + rows.len() / self.hop_bytes);
        // The next choice is made of a window that is not older than the stream.
        self.choosable = false;
        Ok(self.camera.skip(rows)?)
    }
}
