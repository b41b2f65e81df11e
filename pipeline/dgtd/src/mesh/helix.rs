//! A helix of square turns above a ground plane, made of a tape of conducting faces, without a mesher.
//!
//! ```text
//! l(s)  = 1/4 + s/2 (s < 2), 1/4 + 1 (2 <= s < 4), one more a turn      lower edge of the tape over the pitch; s: sides of the square since the feed
//! z'    = z - pitch/4 (x + y)/side f(z)                                  f: 0 at the feed, 1 from one pitch above it to the top of the tape
//! ```
//! Cells of a box are six tetrahedra each (Kuhn), whose faces between planes of the axes have diagonals that rise with x and y: on the sides along +x and +y the tape follows them and rises half a pitch, on those back it is level. The shear
//! then turns that into a quarter of the pitch on every side; it ends in the cells round the helix, so that ground and matched layers stay where they are. A tetrahedron has one vertical edge, and the
//! shear leaves its volume in proportion to that: elements are right wherever columns of points still ascend.
//!
//! The tape is a quarter of the pitch wide. It begins at the corner (-, -), a quarter of the pitch above the ground, where the port is below half of the first side; seen from above it turns counterclockwise as it rises, which is right-handed.

use super::kuhn;
use crate::Error;
use mesh::Volume;
use numerics::vec3::Vec3;
use serde::Deserialize;

/// Most elements: some 10 GB.
const MOST: f64 = 5e7;

/// Groups of tetrahedra: outside and inside the surface of the far field.
pub const GROUPS: [&str; 2] = ["far", "near"];

/// Groups of faces beside [`kuhn::SIDES`]: the tape, and the port below its beginning.
pub const SURFACES: [&str; 2] = ["helix", "port"];

/// What is built: the helix about the z axis, the ground at z = 0.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helix {
    /// Of the square, m.
    #[serde(rename = "side_m")]
    pub side: f64,
    /// What a turn rises, m.
    #[serde(rename = "pitch_m")]
    pub pitch: f64,
    /// Turns.
    pub turns: usize,
    /// Cells along a side, even; there are twice as many along the pitch.
    pub cells: usize,
    /// Size of cells beside and above the helix, m.
    #[serde(rename = "step_m")]
    pub step: f64,
    /// Cells beside and above it inside the surface of the far field.
    pub margin: usize,
    /// Cells beyond that.
    pub outside: usize,
}

/// A corner of cells: numbers along the axes.
type Place = [usize; 3];

impl Helix {
    /// Elements with the groups of [`GROUPS`] and [`SURFACES`].
    pub fn volume(&self) -> Result<Volume, Error> {
        self.validate()?;
        let axes = self.axes();
        let mut volume = kuhn::graded(&axes);
        volume.names = GROUPS.map(String::from).to_vec();
        let count = axes.each_ref().map(|axis| axis.len() - 1);
        let is_near = |cell: Place| {
            let low = [self.outside, self.outside, 0];
            (0..3).all(|axis| (low[axis]..count[axis] - self.outside).contains(&cell[axis]))
        };
        let cell = |at: usize| [at % count[0], at / count[0] % count[1], at / count[0] / count[1]];
        // Six in a cell.
        volume.groups = (0..volume.tetrahedra.len()).map(|at| u32::from(is_near(cell(at / 6)))).collect();
        let number = |[i, j, k]: Place| (i + (count[0] + 1) * (j + (count[1] + 1) * k)) as u32;
        for (group, name) in SURFACES.iter().enumerate() {
            let faces = if group == 0 { self.tape() } else { self.port() };
            volume.faces.extend(faces.iter().map(|face| face.map(number)));
            volume.face_groups.resize(volume.faces.len(), volume.face_names.len() as u32);
            volume.face_names.push((*name).into());
        }
        volume.vertices.iter_mut().for_each(|vertex| vertex.z += self.shear(*vertex));
        Ok(volume)
    }

    fn validate(&self) -> Result<(), Error> {
        let sizes = [self.side, self.pitch, self.step];
        let counts = [self.turns, self.cells, self.margin, self.outside];
        let [across, along] = [self.cells as f64, self.levels() as f64];
        let more = self.margin as f64 + self.outside as f64;
        let elements = 6.0 * (across + 2.0 * more).powi(2) * (along + more);
        // Half of the room above the helix is left where the shear is highest.
        let has_room = self.pitch / 2.0 <= self.step * self.margin as f64;
        if sizes.iter().all(|size| size.is_finite() && *size > 0.0)
            && counts.iter().all(|count| *count > 0)
            && self.cells.is_multiple_of(2)
            && has_room
            && elements < MOST
        {
            return Ok(());
        }
        let allowed = format!(
            "sizes must be positive, cells along a side even, all counts at least 1, cells beside the helix as deep as half a pitch, elements fewer than {MOST}"
        );
        Err(Error::value("the helix", self, allowed))
    }

    /// Cells from the ground to the top of the tape: a quarter of the pitch below it, its turns, its width.
    fn levels(&self) -> usize {
        self.cells.saturating_mul(self.turns.saturating_mul(2).saturating_add(1))
    }

    /// Coordinates of the cells, m.
    fn axes(&self) -> [Vec<f64>; 3] {
        let (cells, half) = (self.cells, self.side / 2.0);
        let beside: Vec<f64> = (1..=self.margin + self.outside).map(|i| self.step * i as f64).collect();
        let within = (0..=cells).map(|i| half * (2.0 * i as f64 / cells as f64 - 1.0));
        let below = beside.iter().rev().map(|step| -half - step);
        let across: Vec<f64> = below.chain(within).chain(beside.iter().map(|step| half + step)).collect();
        let top = self.top();
        let along = (0..=self.levels()).map(|k| self.pitch * k as f64 / (2 * cells) as f64);
        [across.clone(), across, along.chain(beside.iter().map(|step| top + step)).collect()]
    }

    /// Of the tape, before the shear, m.
    fn top(&self) -> f64 {
        self.pitch * (self.turns as f64 + 0.5)
    }

    /// What a point rises, m.
    fn shear(&self, place: Vec3) -> f64 {
        let (half, room) = (self.side / 2.0, self.step * self.margin as f64);
        let rise = -self.pitch / 4.0 * (place.x.clamp(-half, half) + place.y.clamp(-half, half)) / self.side;
        let aside = (place.x.abs().max(place.y.abs()) - half) / room;
        let from_feed = place.z / self.pitch - 0.25;
        let above = (place.z - self.top()) / room;
        rise * from_feed.clamp(0.0, 1.0) * (1.0 - aside.clamp(0.0, 1.0)) * (1.0 - above.clamp(0.0, 1.0))
    }

    /// Faces of the tape.
    fn tape(&self) -> Vec<[Place; 3]> {
        let (cells, width) = (self.cells, self.cells / 2);
        let mut faces = Vec::new();
        for (turn, side) in (0..self.turns).flat_map(|turn| (0..4).map(move |side| (turn, side))) {
            for at in 0..cells {
                let rising = side.min(2) * cells + if side < 2 { at } else { 0 };
                let low = width + 2 * cells * turn + rising;
                let [upper, lower] = self.triangles(side, at);
                let is_rising = usize::from(side < 2);
                faces.extend((low..low + width).map(upper));
                faces.extend((low + is_rising..low + width + is_rising).map(lower));
                // Above the port it reaches down to its terminal.
                if turn == 0 && side == 0 && at < width {
                    faces.extend((width..low).map(upper));
                    faces.extend((width..=low).map(lower));
                }
            }
        }
        faces
    }

    /// Faces of the port.
    fn port(&self) -> Vec<[Place; 3]> {
        let width = self.cells / 2;
        let columns = (0..width).map(|at| self.triangles(0, at));
        columns
            .flat_map(|column| (0..width).flat_map(move |level| [column[0](level), column[1](level)]))
            .collect()
    }

    /// The two triangles of a cell's face in column `at` of a side, level by level: that above the diagonal, which rises with x and y, and that below.
    fn triangles(&self, side: usize, at: usize) -> [impl Fn(usize) -> [Place; 3] + Copy; 2] {
        let first = self.margin + self.outside;
        let last = first + self.cells;
        let column = first + at;
        let corner = move |next: usize, level: usize| match side {
            0 => [column + next, first, level],
            1 => [last, column + next, level],
            2 => [column + next, last, level],
            _ => [first, column + next, level],
        };
        [false, true].map(|is_lower| {
            move |level: usize| {
                let third = if is_lower { corner(1, level) } else { corner(0, level + 1) };
                [corner(0, level), third, corner(1, level + 1)]
            }
        })
    }
}
