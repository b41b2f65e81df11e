//! Sums over tubes, for all receivers and frequencies.

use super::facets::Facets;
use super::field::{C, Matrix, Receiver, add, add_all, finished, wavenumber};
use super::material::Material;
use super::path::{Bounce, Exit};
use super::po::{self, Footprint};
use super::reference::transport;
use super::response::Contribution;
use numerics::vec3::Vec3;
use std::collections::HashMap;

/// What tubes radiate, added up.
pub struct Sums<'a> {
    /// rad/m
    wavenumbers: Vec<f64>,
    receivers: &'a [Receiver],
    /// Incident fields of both polarisations.
    incident: [Vec3; 2],
    /// None where all is a perfect conductor: then fields are real, and the same at all frequencies.
    materials: Option<(&'a Facets, &'a [Material])>,
    /// [receiver][frequency]
    pub sums: Vec<Matrix>,
    /// What tubes that leave from each facet radiate to the first receiver at the first frequency, if asked for.
    shares: Option<HashMap<u32, Contribution>>,
}

impl<'a> Sums<'a> {
    pub fn new(
        frequencies: &[f64],
        receivers: &'a [Receiver],
        incident: [Vec3; 2],
        materials: Option<(&'a Facets, &'a [Material])>,
    ) -> Self {
        let wavenumbers: Vec<f64> = frequencies.iter().map(|frequency| wavenumber(*frequency)).collect();
        let sums = vec![Matrix::default(); receivers.len() * wavenumbers.len()];
        Self { wavenumbers, receivers, incident, materials, sums, shares: None }
    }

    /// The same, with the share of each last facet apart.
    pub fn with_shares(self) -> Self {
        Self { shares: Some(HashMap::new()), ..self }
    }

    /// What was set apart, by facet; the sums of all stay.
    pub fn take_shares(&mut self) -> HashMap<u32, Contribution> {
        self.shares.take().unwrap_or_default()
    }

    /// Adds a tube of sides of `size` whole ones by the parallelogram that it covers.
    pub fn footprint(&mut self, exit: &Exit, bounces: &[Bounce], size: f64) {
        self.tube(exit, bounces, |receiver| {
            let footprint = Footprint::new(exit, receiver.sight, size);
            move |k| footprint.integral(k)
        });
    }

    /// Adds a part of a tube by what it covers: corners in whole tubes from its ray, counterclockwise.
    pub fn part(&mut self, exit: &Exit, bounces: &[Bounce], corners: &[[f64; 2]]) {
        let flat: Vec<Vec3> = corners.iter().map(|[a, b]| Vec3::new(*a, *b, 0.0)).collect();
        self.tube(exit, bounces, |receiver| {
            let Footprint { area, path, u, v } = Footprint::new(exit, receiver.sight, 1.0);
            let flat = &flat;
            move |k| {
                let slope = Vec3::new(2.0 * k * u, 2.0 * k * v, 0.0);
                po::polygon(flat, Vec3::new(0.0, 0.0, 1.0), slope) * C::from_polar(area, -k * path)
            }
        });
    }

    /// Adds a tube by the polygon of its corners' exits, m from the centre of the facets.
    pub fn polygon(&mut self, exit: &Exit, bounces: &[Bounce], corners: &[Vec3]) {
        let pairs = corners.iter().zip(corners.iter().cycle().skip(1));
        let area = pairs.fold(Vec3::ZERO, |sum, (a, b)| sum + a.cross(*b));
        let normal = if area.dot(exit.normal) < 0.0 { -exit.normal } else { exit.normal };
        let path = exit.path - exit.direction.dot(exit.place);
        self.tube(exit, bounces, |receiver| {
            let slope = receiver.sight - exit.direction;
            move |k| po::polygon(corners, normal, slope * k) * C::from_polar(1.0, -k * path)
        });
    }

    fn tube<I: Fn(f64) -> C>(&mut self, exit: &Exit, bounces: &[Bounce], integral: impl Fn(&Receiver) -> I) {
        let Some(mut shares) = self.shares.take() else { return self.radiate(exit, bounces, integral) };
        let nothing = vec![Matrix::default(); self.sums.len()];
        let before = std::mem::replace(&mut self.sums, nothing);
        self.radiate(exit, bounces, integral);
        let tube = std::mem::replace(&mut self.sums, before);
        self.add_fields(&tube);
        shares.entry(exit.facet).or_default().add(&Contribution { field: tube[0], bounces: exit.bounces });
        self.shares = Some(shares);
    }

    fn radiate<I: Fn(f64) -> C>(
        &mut self,
        exit: &Exit,
        bounces: &[Bounce],
        integral: impl Fn(&Receiver) -> I,
    ) {
        let frequencies = self.wavenumbers.len();
        let Some((facets, materials)) = self.materials else {
            let fields = self.incident.map(|field| po::conducted(field, bounces));
            for (receiver, sums) in self.receivers.iter().zip(self.sums.chunks_mut(frequencies)) {
                let pattern = po::real_pattern(exit, &fields, receiver);
                let integral = integral(receiver);
                for (sum, k) in sums.iter_mut().zip(&self.wavenumbers) {
                    let wave = integral(*k);
                    for (to, from) in sum.iter_mut().flatten().zip(pattern.iter().flatten()) {
                        *to += wave * from;
                    }
                }
            }
            return;
        };
        for (frequency, k) in self.wavenumbers.iter().enumerate() {
            let fields = self.incident.map(|field| transport(field, bounces, facets, materials, *k));
            for (index, receiver) in self.receivers.iter().enumerate() {
                let pattern = po::complex_pattern(exit, &fields, receiver);
                add(&mut self.sums[index * frequencies + frequency], &pattern, integral(receiver)(*k));
            }
        }
    }

    /// Adds fields that were computed elsewhere, in the same order.
    pub fn add_fields(&mut self, fields: &[Matrix]) {
        add_all(&mut self.sums, fields);
    }

    /// Scattering matrices with the origin of coordinates as reference of phase.
    pub fn finish(self, centre: Vec3, sight: Vec3) -> Vec<Matrix> {
        let frequencies = self.wavenumbers.len();
        let finished = |(index, sum): (usize, &Matrix)| {
            let (receiver, k) = (&self.receivers[index / frequencies], self.wavenumbers[index % frequencies]);
            finished(sum, k, (sight + receiver.sight).dot(centre))
        };
        self.sums.iter().enumerate().map(finished).collect()
    }
}
