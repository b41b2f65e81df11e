//! The microphones: who is left out, and what one of them hears.

use super::super::compute::{Order, Snapshot};
use super::{Control, with};
use holography::product::{Health, Severity, Spectrum};
use signal::spectrum::welch;

/// Pieces of the spectrum of a point.
const SPECTRUM: usize = 256;

impl Control {
    /// Who disagrees with the microphones around?
    pub(super) fn ask_neighbours(&mut self, shot: &Snapshot) {
        let (Some(chain), Some(monitor)) = (&self.settings.chain, &mut self.monitor) else { return };
        let Ok(array) = chain.array.clone().without(&monitor.broken()) else { return };
        let (standoff, speed) = (chain.pnah.standoff, chain.pnah.medium.speed_of_sound);
        // Too many suspects mean that the model does not fit: nobody is accused then.
        let found =
            array.suspects(&self.label.frequencies, standoff, speed, &shot.channels).unwrap_or_default();
        monitor.set_outliers(found.into_iter().map(|suspect| suspect.channel));
    }

    /// A block of rows: health, and the spectrum of the point.
    pub(super) fn judge(&mut self, rows: &[u8]) {
        let Some(monitor) = &mut self.monitor else { return };
        if !self.settings.health {
            if self.point.is_some() {
                monitor.hear(rows);
                self.show_spectrum();
            }
            return;
        }
        monitor.check(rows);
        self.show_spectrum();
        self.mask();
        if let Some(monitor) = &self.monitor {
            self.links.publisher.health(monitor.states.clone());
        }
    }

    /// Other microphones are left out from now on.
    fn mask(&mut self) {
        let (Some(chain), Some(monitor)) = (&self.settings.chain, &self.monitor) else { return };
        let masked = monitor.masked();
        if masked == *self.refused.as_ref().unwrap_or(&self.masked) {
            return;
        }
        let plan = chain.array.clone().without(&masked).and_then(|array| with(chain, array).array_plan());
        match plan {
            Ok(plan) => {
                let any = !masked.is_empty() || chain.array.live().contains(&false);
                // A full ring: the next block asks again.
                if self.links.orders.push(Order::Array(Box::new(plan), any)).is_ok() {
                    let text = describe_change(&self.masked, &masked, &monitor.states);
                    self.messages.add(Severity::Warning, text);
                    (self.masked, self.refused) = (masked, None);
                }
            }
            Err(error) => {
                if self.links.orders.push(Order::Broken).is_ok() {
                    self.refused = Some(masked);
                    let text = format!("microphones cannot be left out, no hologram is right: {error}");
                    self.messages.add(Severity::Error, text);
                }
            }
        }
    }

    fn show_spectrum(&self) {
        if let Some(spectrum) = self.spectrum() {
            self.links.publisher.spectrum(spectrum);
        }
    }

    /// What the microphone nearest to the page's point heard in the last block.
    pub(super) fn spectrum(&self) -> Option<Spectrum> {
        let (point, monitor, chain) = (self.point?, self.monitor.as_ref()?, self.settings.chain.as_ref()?);
        let (rows, cols) = (chain.front_end.layout.rows(), chain.front_end.layout.cols());
        let refinement = chain.pnah.refinement.max(1);
        let (row, col) = (point.row / refinement, point.col / refinement);
        if row >= usize::from(rows) || col >= usize::from(cols) {
            return None;
        }
        let sound = monitor.sound(row * usize::from(cols) + col);
        let rate = chain.front_end.bit_rate_hz / dsp_core::decimator::RATE as f64;
        let spectrum = welch(&sound, rate, SPECTRUM)?;
        let pascal = 1.0 / chain.array.calibration().full_scale_per_pascal();
        let pressure_pa =
            spectrum.level_dbfs.iter().map(|level| (10f64.powf(level / 20.0) * pascal) as f32).collect();
        let step_hz = spectrum.frequency_hz.get(1).copied().unwrap_or(0.0);
        Some(Spectrum { point, first_hz: 0.0, step_hz, pressure_pa })
    }
}

fn describe_change(old: &[usize], new: &[usize], states: &[Health]) -> String {
    let list = |channels: Vec<usize>, with_state: bool| {
        let one = |channel: &usize| match states.get(*channel) {
            Some(state) if with_state => format!("{channel} ({state:?})").to_lowercase(),
            _ => channel.to_string(),
        };
        let shown: Vec<String> = channels.iter().take(8).map(one).collect();
        let more = channels.len().saturating_sub(8);
        if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let out: Vec<usize> = new.iter().filter(|channel| !old.contains(channel)).copied().collect();
    let back: Vec<usize> = old.iter().filter(|channel| !new.contains(channel)).copied().collect();
    let mut parts = Vec::new();
    if !out.is_empty() {
        parts.push(format!("left out: microphones {}", list(out, true)));
    }
    if !back.is_empty() {
        parts.push(format!("taken back: microphones {}", list(back, false)));
    }
    parts.join("; ")
}
