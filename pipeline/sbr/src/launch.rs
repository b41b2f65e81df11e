//! The launch grid: the plane wave as square tubes, and when the corners of a tube agree.

use super::error::MOST_TUBES;
use super::facets::Facets;
use super::{Direction, Error, Settings};
use numerics::vec3::Vec3;

/// Corners agree whose exit lies this near to where the centre's footprint has it, in wavelengths. The phase
/// there is then right to 0.3 rad, and to much less on the average of four corners, since a curved surface
/// departs from its tangent plane the same way on both sides.
const AGREED_PLACE: f64 = 0.05;
/// Corners agree whose direction differs by this little from the centre's. Over half a tube of a tenth of a
/// wavelength that is 0.08 rad of phase.
pub(crate) const AGREED_DIRECTION: f64 = 0.25;

/// The plane wave as a grid of tubes perpendicular to the line of sight.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// From the target to the radar.
    pub sight: Vec3,
    /// Corner of the grid, m from the centre of the facets, outside of the target.
    pub corner: Vec3,
    /// Sides of a tube, m.
    pub u: Vec3,
    /// The other side, m.
    pub v: Vec3,
    /// Tubes along u.
    pub columns: u64,
    /// Tubes along v.
    pub rows: u64,
    /// How far corners may be from where they should, m.
    pub place_tolerance: f64,
}

impl Launch {
    /// The grid for a direction.
    pub fn new(facets: &Facets, direction: Direction, settings: &Settings) -> Result<Self, Error> {
        direction.validate()?;
        let sight = direction.unit();
        let [v, h] = direction.polarisations();
        let (sin, cos) = settings.rotation.sin_cos();
        let axes = [v * cos + h * sin, h * cos - v * sin];
        // A target smaller than a tube still gets a few.
        let cell = settings.cell().min(0.5 * facets.radius);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for corner in facets.corners.iter().flatten() {
            for (axis, direction) in axes.iter().enumerate() {
                let x = direction.dot(Vec3::from(*corner));
                low[axis] = low[axis].min(x);
                high[axis] = high[axis].max(x);
            }
        }
        // A tube more, half on either side, so that the grid's border never lies on the target's.
        let tubes = [0, 1].map(|axis| ((high[axis] - low[axis]) / cell).floor() + 2.0);
        if !tubes.iter().all(|tubes| *tubes <= MOST_TUBES as f64) {
            let [columns, rows] = tubes;
            return Err(Error::TooManyTubes { columns, rows, cell });
        }
        let start = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis] - tubes[axis] * cell));
        Ok(Self {
            sight,
            corner: axes[0] * start[0] + axes[1] * start[1] + sight * (1.25 * facets.radius),
            u: axes[0] * cell,
            v: axes[1] * cell,
            columns: tubes[0] as u64,
            rows: tubes[1] as u64,
            place_tolerance: Self::place_tolerance(settings),
        })
    }

    /// How far corners may be from where they should, m.
    pub fn place_tolerance(settings: &Settings) -> f64 {
        AGREED_PLACE * settings.shortest_wavelength()
    }

    /// The point of the grid at so many tubes from its corner, m from the centre of the facets.
    pub fn point(&self, x: f64, y: f64) -> Vec3 {
        self.corner + self.u * x + self.v * y
    }

    /// Whether a corner that leaves at `place` towards `direction` goes the way that the centre's tube has
    /// it.
    pub fn agree(&self, place_error: Vec3, direction_error: Vec3) -> bool {
        place_error.dot(place_error) <= self.place_tolerance * self.place_tolerance
            && direction_error.dot(direction_error) <= AGREED_DIRECTION * AGREED_DIRECTION
    }
}
