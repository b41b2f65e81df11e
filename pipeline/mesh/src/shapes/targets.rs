//! Targets by name.

use super::aircraft::Aircraft;
use super::missile::Missile;
use super::ship::Ship;
use crate::Mesh;

/// Names of the targets that [`target`] makes.
pub const TARGETS: [&str; 4] = ["missile", "ship", "airplane-a", "airplane-b"];

/// A target with its default parameters, by its name.
pub fn target(name: &str) -> Option<Mesh> {
    match name {
        "missile" => Some(Missile::default().mesh()),
        "ship" => Some(Ship::default().mesh()),
        "airplane-a" => Some(Aircraft::fighter().mesh()),
        "airplane-b" => Some(Aircraft::business_jet().mesh()),
        _ => None,
    }
}
