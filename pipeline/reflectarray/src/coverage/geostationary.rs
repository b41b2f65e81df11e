//! The Earth as a geostationary satellite's antenna sees it.
//!
//! The Earth is a sphere of its equatorial radius, as coverage masks usually have it: latitudes are taken as geocentric, which moves a place by at most
//! 0.03 degrees of the satellite's sky. The antenna looks along z at its aim; x points east and y north, at right angles to z, so that the plane of
//! u and v is the map with north up as the satellite sees it.

use numerics::vec3::Vec3;
use std::fmt;

/// Radius of the Earth, m.
pub const EARTH: f64 = 6_378_137.0;
/// Radius of the orbit, m.
pub const ORBIT: f64 = 42_164_000.0;

/// A place on the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Degrees east.
    pub longitude_deg: f64,
    /// Degrees north.
    pub latitude_deg: f64,
}

impl Place {
    /// From the Earth's centre: x through the Gulf of Guinea, z through the north pole, m.
    fn position(self) -> Vec3 {
        let (longitude, latitude) = (self.longitude_deg.to_radians(), self.latitude_deg.to_radians());
        let out = EARTH * latitude.cos();
        Vec3::new(out * longitude.cos(), out * longitude.sin(), EARTH * latitude.sin())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "longitude {} latitude {}", self.longitude_deg, self.latitude_deg)
    }
}

/// An antenna in orbit and where it looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    satellite: Vec3,
    /// East and north.
    axes: [Vec3; 2],
}

impl View {
    /// From a satellite over `longitude_deg`, looking at `aim`; none if the satellite does not see it.
    pub fn new(longitude_deg: f64, aim: Place) -> Option<Self> {
        let longitude = longitude_deg.to_radians();
        let satellite = Vec3::new(ORBIT * longitude.cos(), ORBIT * longitude.sin(), 0.0);
        let z = sight(satellite, aim)?;
        let x = z.cross(Vec3::new(0.0, 0.0, 1.0)).unit();
        Some(Self { satellite, axes: [x, x.cross(z)] })
    }

    /// u and v of a place; none if it lies beyond the horizon.
    pub fn direction(&self, place: Place) -> Option<[f64; 2]> {
        let way = sight(self.satellite, place)?;
        Some(self.axes.map(|axis| way.dot(axis)))
    }
}

/// Unit vector from the satellite to a place; none if the Earth is in between.
fn sight(satellite: Vec3, place: Place) -> Option<Vec3> {
    let ground = place.position();
    let way = ground - satellite;
    // The satellite stands above the place's horizon; what is no number stands nowhere.
    (way.dot(ground) < 0.0).then(|| way.unit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(longitude_deg: f64, latitude_deg: f64) -> Place {
        Place { longitude_deg, latitude_deg }
    }

    #[test]
    fn the_aim_is_the_centre_and_east_is_right_of_it() {
        let view = View::new(5.0, place(10.0, 47.0)).unwrap();
        let [u, v] = view.direction(place(10.0, 47.0)).unwrap();
        assert!(u.abs() < 1e-15 && v.abs() < 1e-15, "{u} {v}");
        assert!(view.direction(place(12.0, 47.0)).unwrap()[0] > 0.0);
        assert!(view.direction(place(10.0, 49.0)).unwrap()[1] > 0.0);
    }

    #[test]
    fn the_edge_of_the_disc_is_8_7_degrees_wide() {
        let view = View::new(-91.0, place(-91.0, 0.0)).unwrap();
        // The horizon is acos(R/r) from the point below, seen at asin(R/r) from its direction.
        let edge = (EARTH / ORBIT).acos().to_degrees();
        let seen = view.direction(place(-91.0, edge - 1e-6)).unwrap();
        assert!((seen[1] - EARTH / ORBIT).abs() < 1e-9 && seen[0].abs() < 1e-12, "{seen:?}");
        assert_eq!(view.direction(place(-91.0, edge + 1e-6)), None);
        assert_eq!(view.direction(place(89.0, 0.0)), None);
        assert_eq!(View::new(-91.0, place(89.0, 0.0)), None);
    }

    #[test]
    fn whole_turns_do_not_count_and_nonsense_is_nowhere() {
        let [a, b] = [-91.0, 269.0].map(|longitude| {
            View::new(longitude, place(-91.0, 40.0)).unwrap().direction(place(-75.0, 45.0)).unwrap()
        });
        assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12);
        assert_eq!(View::new(f64::NAN, place(0.0, 0.0)), None);
        assert_eq!(View::new(0.0, place(f64::INFINITY, 0.0)), None);
    }
}
