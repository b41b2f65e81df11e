//! What surfaces are made of: reflection coefficients of conductors, impedances, half-spaces and layers on
//! them.
//!
//! Every material is a surface impedance Z that the tangential fields see, over eta0, and depends on the
//! angle of incidence:
//! ```text
//! kz   = sqrt(eps mu - sin^2 theta)               of a layer, over k0; Im kz <= 0
//! Z_c  = mu/kz (E across the plane of incidence), kz/eps (E in it)
//! Z    = Z_c (Z_b + j Z_c tan(k0 kz d))/(Z_c + j Z_b tan(k0 kz d))        Z_b: what lies below
//! Gamma_perp = (Z cos - 1)/(Z cos + 1),  Gamma_par = (cos - Z)/(cos + Z)
//! ```
//! A perfect conductor has Z = 0: Gamma_perp = -1, Gamma_par = +1, which is E_r = -E + 2 (n.E) n.

use super::Error;
use crate::field::C;

/// Least kz/k0, so that a wave along a layer has an impedance.
const LEAST_SLOWNESS: f64 = 1e-9;

/// One layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// Relative permittivity eps' - j eps''.
    pub permittivity: C,
    /// Relative permeability mu' - j mu''.
    pub permeability: C,
    /// m.
    pub thickness: f64,
}

/// What lies below all layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backing {
    /// Perfect conductor.
    Conductor,
    /// Surface impedance over eta0.
    Impedance(C),
    /// Matter without end.
    HalfSpace {
        /// Relative permittivity.
        permittivity: C,
        /// Relative permeability.
        permeability: C,
    },
}

/// A surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// From the outermost inwards.
    pub layers: Vec<Layer>,
    /// Below them.
    pub backing: Backing,
}

/// Reflection coefficients of the two polarisations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// E across the plane of incidence.
    pub across: C,
    /// E in the plane of incidence; signs as in the paper's eq. 1.
    pub along: C,
}

/// Magnitudes of permittivities and permeabilities: products of a few of them stay numbers.
const SIZES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

impl Material {
    /// A perfect conductor.
    pub const fn conductor() -> Self {
        Self { layers: Vec::new(), backing: Backing::Conductor }
    }

    /// Whether it is a bare perfect conductor.
    pub fn is_conductor(&self) -> bool {
        self.layers.is_empty() && self.backing == Backing::Conductor
    }

    /// Reflection of a wave of wavenumber `k` (rad/m) that meets the surface at an angle of this cosine.
    pub fn reflection(&self, k: f64, cosine: f64) -> Coefficients {
        let cosine = cosine.clamp(0.0, 1.0);
        let [(e_across, h_across), (e_along, h_along)] =
            [true, false].map(|across| self.impedance(k, cosine, across));
        Coefficients {
            across: (e_across * cosine - h_across) / (e_across * cosine + h_across),
            along: (h_along * cosine - e_along) / (h_along * cosine + e_along),
        }
    }

    /// Z over eta0 as a fraction, since it may be infinite.
    fn impedance(&self, k: f64, cosine: f64, across: bool) -> (C, C) {
        let own = |eps: C, mu: C| {
            let root = (eps * mu - (1.0 - cosine * cosine)).sqrt();
            // The wave decays inwards; for a lossless one, it runs inwards.
            let kz = if root.im > 0.0 { -root } else { root };
            let kz = if kz.norm() < LEAST_SLOWNESS { C::new(LEAST_SLOWNESS, 0.0) } else { kz };
            (kz, if across { mu / kz } else { kz / eps })
        };
        let one = C::new(1.0, 0.0);
        let below = match self.backing {
            Backing::Conductor => (C::new(0.0, 0.0), one),
            Backing::Impedance(z) => (z, one),
            Backing::HalfSpace { permittivity, permeability } => (own(permittivity, permeability).1, one),
        };
        self.layers.iter().rev().fold(below, |(e, h), layer| {
            let (kz, z) = own(layer.permittivity, layer.permeability);
            // exp(-2 j k kz d) decays where a tangent would overflow.
            let echo = (e - z * h) / (e + z * h) * (C::new(0.0, -2.0 * k * layer.thickness) * kz).exp();
            (z * (1.0 + echo), 1.0 - echo)
        })
    }

    /// Refuses matter that gives energy or is not a number.
    pub fn validate(&self, material: usize) -> Result<(), Error> {
        let most = *SIZES.end();
        let passive = |value: C| value.im <= 0.0 && SIZES.contains(&value.norm());
        let matter = |what: String, permittivity: C, permeability: C| {
            let wrong = !passive(permittivity) || !passive(permeability);
            wrong.then(|| format!("{what}: imaginary parts must be 0 or negative, magnitudes {SIZES:?}"))
        };
        let layer = |layer: &Layer| {
            let Layer { permittivity, permeability, thickness } = *layer;
            let wrong = !(thickness > 0.0 && thickness <= most);
            let thickness =
                wrong.then(|| format!("thickness {thickness} m: it must be positive, at most {most} m"));
            matter(format!("{layer:?}"), permittivity, permeability).or(thickness)
        };
        let backing = match self.backing {
            Backing::Impedance(z) if !(z.re >= 0.0 && z.norm() <= most) => Some(format!(
                "impedance {z} of free space: its real part must be 0 or positive, at most {most}"
            )),
            Backing::HalfSpace { permittivity, permeability } => {
                matter(format!("half-space of {permittivity}, {permeability}"), permittivity, permeability)
            }
            _ => None,
        };
        let reason = self.layers.iter().find_map(layer).or(backing);
        reason.map_or(Ok(()), |reason| Err(Error::BadMaterial { material, reason }))
    }
}

/// Refuses materials that are none, and groups of facets without one.
pub fn validate(materials: &[Material], groups: &[u32]) -> Result<(), Error> {
    materials.iter().enumerate().try_for_each(|(index, material)| material.validate(index))?;
    match groups.iter().find(|group| **group as usize >= materials.len()) {
        Some(group) => Err(Error::Material { group: *group, materials: materials.len() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(re: f64, im: f64) -> C {
        C::new(re, im)
    }

    fn near(a: C, b: C) -> bool {
        (a - b).norm() < 1e-12
    }

    #[test]
    fn a_conductor_reflects_all_at_every_angle() {
        for cosine in [1.0, 0.5, 1e-3] {
            let r = Material::conductor().reflection(100.0, cosine);
            assert!(near(r.across, c(-1.0, 0.0)) && near(r.along, c(1.0, 0.0)), "{r:?}");
        }
    }

    #[test]
    fn a_half_space_obeys_fresnel() {
        let eps = c(4.0, 0.0);
        let backing = Backing::HalfSpace { permittivity: eps, permeability: c(1.0, 0.0) };
        let glass = Material { layers: vec![], backing };
        // n = 2: (1 - n)/(1 + n) at normal incidence, and nothing reflected along at Brewster's angle.
        let r = glass.reflection(1.0, 1.0);
        assert!(near(r.across, c(-1.0 / 3.0, 0.0)) && near(r.along, c(1.0 / 3.0, 0.0)), "{r:?}");
        let brewster = 2f64.atan().cos();
        assert!(glass.reflection(1.0, brewster).along.norm() < 1e-12);
        // Fresnel's formula at 60 degrees.
        let root = (4.0 - 0.75f64).sqrt();
        assert!(near(glass.reflection(1.0, 0.5).across, c((0.5 - root) / (0.5 + root), 0.0)));
        assert!(near(glass.reflection(1.0, 0.5).along, c((2.0 - root) / (2.0 + root), 0.0)));
    }

    #[test]
    fn layers_are_what_they_stand_for() {
        let vacuum = Layer { permittivity: c(1.0, 0.0), permeability: c(1.0, 0.0), thickness: 0.01 };
        let (k, cosine) = (150.0, 0.7);
        // Vacuum over a conductor only delays.
        let spaced = Material { layers: vec![vacuum], backing: Backing::Conductor }.reflection(k, cosine);
        let delay = C::from_polar(1.0, -2.0 * k * 0.01 * cosine);
        assert!(near(spaced.across, -delay) && near(spaced.along, delay));
        // A lossy layer of many skin depths hides what is below.
        let lossy = Layer { permittivity: c(4.0, -3.0), permeability: c(1.5, -0.2), thickness: 10.0 };
        let [a, b] = [Backing::Conductor, Backing::Impedance(c(0.3, 0.1))]
            .map(|backing| Material { layers: vec![lossy], backing }.reflection(k, cosine));
        let half = Backing::HalfSpace { permittivity: lossy.permittivity, permeability: lossy.permeability };
        let deep = Material { layers: vec![], backing: half }.reflection(k, cosine);
        assert!(near(a.across, deep.across) && near(b.along, deep.along));
        // A quarter wave of n = 2 on n = 4 reflects nothing at normal incidence.
        let quarter =
            Layer { permittivity: c(4.0, 0.0), thickness: std::f64::consts::FRAC_PI_2 / (2.0 * k), ..vacuum };
        let backing = Backing::HalfSpace { permittivity: c(16.0, 0.0), permeability: c(1.0, 0.0) };
        assert!(Material { layers: vec![quarter], backing }.reflection(k, 1.0).across.norm() < 1e-12);
    }

    #[test]
    fn matter_that_gives_energy_is_refused() {
        let backing = Backing::HalfSpace { permittivity: c(2.0, 0.1), permeability: c(1.0, 0.0) };
        assert!(Material { layers: vec![], backing }.validate(0).is_err());
        assert!(Material { layers: vec![], backing: Backing::Impedance(c(-0.1, 0.0)) }.validate(0).is_err());
        let layer = Layer { permittivity: c(2.0, 0.0), permeability: c(1.0, 0.0), thickness: f64::NAN };
        assert!(Material { layers: vec![layer], backing: Backing::Conductor }.validate(0).is_err());
        assert!(Material::conductor().validate(0).is_ok());
    }
}
