//! The live camera of a card for the instrument.

use super::super::Context;
use super::super::exit::usage;
use num_complex::Complex;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::camera::cuda::{self, Camera};
use pipeline::holography::design::KFilter;
use pipeline::live::engine::{Card, OnCard};
use pipeline::live::{Instrument, Settings};
use pipeline::signal::array::Calibration;

/// Between two choices of filters on a card, s of sound: each takes a millisecond, and what is due meanwhile is left out.
const CHOICE_S: f64 = 10.0;

/// The live camera of the card that was asked for.
pub fn card(context: &Context, settings: &Settings) -> crate::cli::Result<Option<OnCard>> {
    let (Some(device), Some(chain)) = (context.device(), &settings.chain) else { return Ok(None) };
    let ideal = Calibration::ideal(chain.array.channels());
    if chain.array.live().contains(&false) || *chain.array.calibration() != ideal {
        let message =
            "a card takes ideal microphones: leave [array] exclude, calibration and sensitivity_dbfs out";
        return Err(usage(format!("--device: {message}, or use --device cpu")));
    }
    let chooses = match settings.filter {
        FilterRule::Auto => true,
        FilterRule::Fixed(_) => false,
        rule => {
            return Err(usage(format!(
                "--device: a card does not choose filters by {rule}; use auto or --device cpu"
            )));
        }
    };
    let camera = cuda::Settings {
        front_end: chain.front_end.clone(),
        pnah: chain.pnah,
        filter: chain.filters.first().copied().unwrap_or(KFilter::NONE),
        hop: usize::try_from(settings.hop_rows).map_err(crate::cli::Failed::run)?,
    };
    let camera = Camera::new(device, &camera).map_err(|error| usage(format!("--device: {error}")))?;
    let mut card = OnCamera::new(camera, settings, chooses)?;
    let times_s = Instrument::rehearse_card(settings, &mut card).map_err(crate::cli::Failed::run)?;
    Ok(Some(OnCard { name: context.device_name().to_owned(), card: Box::new(card), times_s }))
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
    fn new(mut camera: Camera, settings: &Settings, chooses: bool) -> crate::cli::Result<Self> {
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
            hop_bytes: usize::try_from(settings.hop_rows).map_err(crate::cli::Failed::run)?
                * settings.layout.row_bytes(),
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

    fn try_execute(&mut self, rows: &[u8], clean: bool) -> Result<bool, cuda::Error> {
        if self.chooses && self.choosable && self.since.is_none_or(|hops| hops >= self.choice) {
            self.camera.choose_filters()?;
            (self.since, self.waits) = (Some(0), false);
        }
        self.wait_ahead()?;
        let chosen = self.since.is_some();
        self.since = self.since.map(|hops| hops + 1);
        self.camera.execute(rows)?;
        // The next choice is made of this window.
        self.choosable = clean;
        Ok(chosen)
    }

    fn try_skip(&mut self, rows: &[u8]) -> Result<(), cuda::Error> {
        self.wait_ahead()?;
        self.since = self.since.map(|hops| hops + rows.len() / self.hop_bytes);
        // The next choice is made of a window that is not older than the stream.
        self.choosable = false;
        self.camera.skip(rows)
    }
}

impl Card for OnCamera {
    fn execute(&mut self, rows: &[u8], clean: bool) -> Result<bool, String> {
        self.try_execute(rows, clean).map_err(|error| error.to_string())
    }

    fn fields(&mut self) -> Option<&[Complex<f32>]> {
        self.camera.fields().ok()
    }

    fn skip(&mut self, rows: &[u8]) -> Result<(), String> {
        self.try_skip(rows).map_err(|error| error.to_string())
    }
}
