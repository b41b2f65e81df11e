//! What is computed, and how.

use super::dispersion::MOST_POLES;
use super::{Dipole, Error, Layers, Material, PlaneWave, Pole, Port};
use serde::Deserialize;

/// What is beyond a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Boundary {
    /// Perfect electric conductor: n x E = 0.
    Pec,
    /// Perfect magnetic conductor: n x H = 0.
    Pmc,
    /// Nothing comes in: the first-order condition of Silver and Mueller.
    #[serde(rename = "abc")]
    Absorbing,
    /// What comes in is the plane wave of the settings.
    Incident,
}

/// Settings of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Order of the polynomials, 1 to 8.
    pub order: usize,
    /// alpha of the flux: 1 is upwind, 0 central.
    pub upwinding: f64,
    /// Materials of groups of tetrahedra.
    pub materials: Vec<(String, Material)>,
    /// Poles of groups of tetrahedra whose media are dispersive; of a group that is named twice the last ones.
    pub poles: Vec<(String, Vec<Pole>)>,
    /// Material of groups that are not named.
    pub background: Material,
    /// Boundaries of groups of faces; one inside the mesh is a sheet.
    pub boundaries: Vec<(String, Boundary)>,
    /// Boundary of faces that are not named; none is an error where there are any.
    pub outer: Option<Boundary>,
    /// The plane wave that comes in.
    pub wave: Option<PlaneWave>,
    /// Groups of tetrahedra inside the Huygens surface. Where there is a plane wave they have the total field, and others the scattered field.
    pub total_field: Vec<String>,
    /// Short currents.
    pub dipoles: Vec<Dipole>,
    /// A generator on a sheet.
    pub port: Option<Port>,
    /// Perfectly matched layers beyond a box.
    pub layers: Option<Layers>,
}

impl Settings {
    /// Upwind flux in vacuum between perfect conductors.
    pub fn new(order: usize) -> Self {
        Self {
            order,
            upwinding: 1.0,
            materials: Vec::new(),
            poles: Vec::new(),
            background: Material::VACUUM,
            boundaries: Vec::new(),
            outer: Some(Boundary::Pec),
            wave: None,
            total_field: Vec::new(),
            dipoles: Vec::new(),
            port: None,
            layers: None,
        }
    }

    /// Whether a medium has poles.
    pub fn is_dispersive(&self) -> bool {
        self.poles.iter().any(|(_, poles)| !poles.is_empty())
    }

    /// Refuses what can be seen to be wrong without a mesh.
    pub fn validate(&self) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&self.upwinding) {
            let allowed = "it must be from 0 (central) to 1 (upwind)";
            return Err(Error::value("upwinding", self.upwinding, allowed));
        }
        self.background.validate("background")?;
        self.materials.iter().try_for_each(|(group, material)| material.validate(group))?;
        for (group, poles) in &self.poles {
            if poles.len() > MOST_POLES {
                let what = format!("number of poles of group '{group}'");
                return Err(Error::value(what, poles.len(), format!("at most {MOST_POLES} can be computed")));
            }
            poles.iter().try_for_each(|pole| pole.validate(group))?;
        }
        self.layers.iter().try_for_each(Layers::validate)?;
        self.dipoles.iter().try_for_each(Dipole::validate)?;
        self.port.iter().try_for_each(Port::validate)?;
        let is_driven = self.outer == Some(Boundary::Incident)
            || self.boundaries.iter().any(|(_, boundary)| *boundary == Boundary::Incident)
            || !self.total_field.is_empty() && self.dipoles.is_empty() && self.port.is_none();
        match (is_driven, &self.wave) {
            (true, None) => Err(Error::NoWave),
            _ => Ok(()),
        }
    }
}
