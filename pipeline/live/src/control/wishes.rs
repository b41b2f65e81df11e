//! What the page asks for.

use super::super::compute::{Label, Order};
use super::super::config::bounds;
use super::super::controller::MOST_VALUES;
use super::super::settings::{Settings, first_filters};
use super::{Control, camera, with};
use holography::camera::CameraError;
use holography::chain::Chain;
use holography::product::Severity;
use signal::front_end;
use viewer::Command;

impl Control {
    pub(super) fn obey(&mut self, command: Command) {
        match command {
            Command::Filter(_) | Command::Method(_) | Command::Bins(_) | Command::Frequencies(_)
                if self.on_card =>
            {
                let text = "a card computes what the instrument was started with: stop, change the file, start again";
                self.messages.add(Severity::Warning, text);
            }
            Command::Point(point) => self.point = Some(point),
            Command::Record(on) if self.settings.record.is_some() => self.links.switch.set(on),
            Command::Record(_) => {
                self.messages
                    .add(Severity::Warning, "nothing is recorded: the instrument has no [record] name");
            }
            Command::Acknowledge(id) => self.messages.acknowledge(id),
            Command::Filter(rule) => {
                self.settings.filter = rule;
                self.rebuild(|_| {});
            }
            Command::Method(method) => self.rebuild(|front_end| {
                (front_end.method, front_end.taper) = (method, method.taper());
            }),
            Command::Bins(bins) => self.rebuild(|front_end| front_end.bins = bins),
            Command::Frequencies(hz) => self.rebuild(|front_end| {
                front_end.bins =
                    hz.iter().map(|f| (f / front_end.frequency_hz(1)).round().max(1.0) as usize).collect();
            }),
        }
    }

    /// Makes another chain and hands it over; what cannot be is a message.
    fn rebuild(&mut self, change: impl FnOnce(&mut front_end::Settings)) {
        let Some(old) = &self.settings.chain else { return };
        let mut new = old.clone();
        change(&mut new.front_end);
        // An instrument near its limits with one frequency is beyond them with many.
        if let Err(error) = bounds::chain(&new, self.settings.threads) {
            return self.messages.add(Severity::Warning, error.to_string());
        }
        let values = self.settings.controller.as_ref().map_or(0, |(_, values)| values.count());
        if values.saturating_mul(new.front_end.bins.len()) > MOST_VALUES {
            let (bins, most) = (new.front_end.bins.len(), MOST_VALUES / values);
            let text = format!(
                "{bins} frequencies of {values} values each do not fit a datagram of the controller: at most {most}"
            );
            self.messages.add(Severity::Warning, text);
            return;
        }
        new.filters = first_filters(self.settings.filter, new.front_end.bins.len());
        let masked = new.array.clone().without(&self.masked).map(|array| with(&new, array));
        let made = masked.map_err(CameraError::from).and_then(|settings| {
            let chain = Chain::new(&settings, self.settings.hop_rows)?;
            let camera = camera(&Settings { chain: Some(new.clone()), ..self.settings.clone() })?;
            Ok((chain, camera))
        });
        match made {
            Ok((chain, camera)) => {
                let label = Label {
                    number: self.label.number + 1,
                    frequencies: new.front_end.frequencies_hz(),
                    method: new.front_end.method,
                    shape: self.label.shape,
                };
                let unchosen = self.settings.unchosen(new.front_end.bins.len());
                let order =
                    Order::Chain(Box::new(chain), Box::new(label.clone()), new.rows_needed(), unchosen);
                if self.links.orders.push(order).is_ok() {
                    self.label = label;
                    self.settings.chain = Some(new);
                    self.camera = camera;
                    self.due.filter = 0.0;
                }
            }
            Err(error) => self.messages.add(Severity::Warning, error.to_string()),
        }
    }
}
