//! What all devices agree on, in `f64`: geometry, media and boundaries of every element.
//!
//! ```text
//! grad u = (grad r) D_r u + (grad s) D_s u + (grad t) D_t u        grad r = 2 grad L_1, and so on
//! scale  = area/(2 J_face) (2/3)/volume = 2 |grad L_f|             what LIFT is multiplied with on face f
//! normal = -grad L_f/|grad L_f|
//! ```

use super::dipole::Source;
use super::dispersion::{Dispersion, Pole};
use super::element::Element;
use super::mesh::{Mesh, Neighbour, conformity, gradients};
use super::pml::Absorber;
use super::{Boundary, Error, Material, PlaneWave, Port, Settings, State};
use numerics::vec3::Vec3;

/// What a face looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outside {
    /// Another element.
    Element(Neighbour),
    /// A wall, or open space.
    Boundary(Boundary),
}

/// A face of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Unit vector outwards.
    pub normal: Vec3,
    /// Area over volume times 2/3, 1/m.
    pub scale: f64,
    /// What is there.
    pub outside: Outside,
    /// Material there.
    pub beyond: Material,
    /// How often the plane wave is added to the fields there: 1 on the total-field side of a Huygens surface and where it comes in, -1 on the side of the scattered field.
    pub incident: f64,
    /// G of a port's sheet times the impedance of vacuum; 0 elsewhere.
    pub sheet: f64,
}

/// What jumps at a face are multiplied with in the rates of its element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flux {
    /// Factors of n x `[H]` and of the tangential `[E]` in the rate of E, with scale and medium.
    pub electric: [f64; 2],
    /// Factors of n x `[E]` and of the tangential `[H]` in the rate of H.
    pub magnetic: [f64; 2],
    /// What E and H behind the face are multiplied with: -1 makes an image in a wall, 0 leaves nothing.
    pub image: [f64; 2],
}

/// An element in space.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Gradients of r, s and t, 1/m.
    pub axes: [Vec3; 3],
    /// m^3
    pub volume: f64,
    /// What it is filled with.
    pub material: Material,
    /// Its faces.
    pub sides: [Side; 4],
}

/// A problem, resolved.
#[derive(Debug, Clone)]
pub struct Design {
    /// Nodes and matrices.
    pub element: Element,
    /// Elements and neighbours.
    pub mesh: Mesh,
    /// Elements in space, in the order of the mesh.
    pub cells: Vec<Cell>,
    /// alpha.
    pub upwinding: f64,
    /// What comes in.
    pub wave: Option<PlaneWave>,
    /// Short currents.
    pub sources: Vec<Source>,
    /// A generator on a sheet.
    pub port: Option<Port>,
    /// Matched layers.
    pub absorber: Option<Absorber>,
    /// Dispersive media.
    pub dispersion: Option<Dispersion>,
}

impl Design {
    /// Resolves the names of the settings and computes the geometry.
    pub fn new(mesh: Mesh, settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        conformity::check(&mesh)?;
        let element = Element::new(settings.order)?;
        let groups = Resolved::new(&mesh, settings)?;
        let cells: Result<Vec<Cell>, Error> =
            (0..mesh.len()).map(|element| groups.cell(&mesh, element)).collect();
        let (upwinding, wave, port) = (settings.upwinding, settings.wave, settings.port.clone());
        let material = |element: usize| groups.material(&mesh, element);
        let sources: Result<Vec<Source>, Error> =
            settings.dipoles.iter().map(|dipole| Source::new(dipole, &mesh, &element, material)).collect();
        let layers = settings.layers.as_ref();
        let absorber = layers.map(|layers| Absorber::new(layers, &mesh, &settings.background)).transpose()?;
        let dispersion = Dispersion::new((0..mesh.len()).map(|element| groups.poles(&mesh, element)));
        let (cells, sources) = (cells?, sources?);
        let found = Self { element, cells, mesh, upwinding, wave, sources, port, absorber, dispersion };
        found.check_dispersion(&groups)?;
        Ok(found)
    }

    /// Refuses dispersive media where the equations take the permittivity for a number: in matched layers, at
    /// boundaries that let waves out, and at or beyond a Huygens surface.
    fn check_dispersion(&self, groups: &Resolved) -> Result<(), Error> {
        for element in self.dispersion.iter().flat_map(|it| &it.elements).map(|element| *element as usize) {
            let cell = &self.cells[element];
            let is_open = cell.sides.iter().any(|side| {
                matches!(side.outside, Outside::Boundary(Boundary::Absorbing | Boundary::Incident))
            });
            let is_on_surface = cell.sides.iter().any(|side| side.incident != 0.0);
            let absorber = self.absorber.as_ref();
            let place = if absorber.is_some_and(|it| it.sigma_of(element as u32) != Vec3::ZERO) {
                "in matched layers ([upml]), which continue a medium of one permittivity"
            } else if is_open {
                "at a boundary that is absorbing or incident, which has the impedance of one permittivity"
            } else if !groups.is_total(&self.mesh, element) || is_on_surface {
                "at or outside the Huygens surface (total_field, inside), round which the background must be"
            } else {
                continue;
            };
            let volume = self.mesh.volume();
            let group = &volume.names[volume.groups[element] as usize];
            return Err(Error::Mesh(format!(
                "tetrahedron {element} of the dispersive group '{group}' is {place}"
            )));
        }
        Ok(())
    }

    /// Number of values: six at every node.
    pub fn unknowns(&self) -> usize {
        6 * self.states()
    }

    /// Number of nodes of all elements.
    pub fn states(&self) -> usize {
        self.cells.len() * self.element.node_count()
    }

    /// Number of nodes in matched layers.
    pub fn memories(&self) -> usize {
        self.absorber.as_ref().map_or(0, |it| it.elements.len()) * self.element.node_count()
    }

    /// Number of polarisations of dispersive media.
    pub fn polarisations(&self) -> usize {
        let nodes = self.element.node_count();
        self.dispersion.as_ref().map_or(0, |it| it.elements.len() * it.width(nodes))
    }

    /// Multiply-adds of a stage in products of matrices.
    pub fn multiply_adds(&self) -> usize {
        let (nodes, face_nodes) = (self.element.node_count(), self.element.face_node_count());
        6 * self.cells.len() * nodes * (3 * nodes + 4 * face_nodes)
    }

    /// Where a node is, m.
    pub fn place(&self, element: usize, node: usize) -> Vec3 {
        let (corners, l) = (self.mesh.corners(element), self.element.nodes[node]);
        (0..4).fold(Vec3::ZERO, |sum, corner| sum + corners[corner] * l[corner])
    }

    /// The flux at a face of an element.
    pub fn flux(&self, element: usize, face: usize) -> Flux {
        let Cell { material, sides, .. } = &self.cells[element];
        let side = &sides[face];
        let (z, z_own) = (side.beyond.impedance(), material.impedance());
        let (y, y_own) = (z.recip(), z_own.recip());
        let (image, alpha) = match side.outside {
            Outside::Element(_) if side.sheet > 0.0 => ([1.0, 1.0], 1.0),
            Outside::Element(_) => ([1.0, 1.0], self.upwinding),
            Outside::Boundary(Boundary::Pec) => ([-1.0, 1.0], self.upwinding),
            Outside::Boundary(Boundary::Pmc) => ([1.0, -1.0], self.upwinding),
            Outside::Boundary(Boundary::Absorbing | Boundary::Incident) => ([0.0, 0.0], 1.0),
        };
        let electric = side.scale / ((z + z_own) * material.permittivity);
        let magnetic = side.scale / ((y + y_own) * material.permeability);
        Flux { electric: [electric * z, electric * alpha], magnetic: [magnetic * y, magnetic * alpha], image }
    }

    /// Fields at all nodes from a formula.
    pub fn sampled(&self, field: impl Fn(Vec3) -> State) -> Vec<State> {
        let nodes = self.element.node_count();
        (0..self.states()).map(|at| field(self.place(at / nodes, at % nodes))).collect()
    }
}

/// Names as indices.
struct Resolved {
    /// By group of tetrahedra.
    materials: Vec<Material>,
    /// By group of tetrahedra.
    poles: Vec<Vec<Pole>>,
    /// By group of tetrahedra: whether it has the total field; none where there is no Huygens surface.
    total: Vec<bool>,
    /// By group of faces.
    boundaries: Vec<Option<Boundary>>,
    outer: Option<Boundary>,
    /// Group of the port's faces, and G.
    sheet: Option<(u32, f64)>,
}

impl Resolved {
    fn new(mesh: &Mesh, settings: &Settings) -> Result<Self, Error> {
        let volume = mesh.volume();
        let mut found = Self {
            materials: vec![settings.background; volume.names.len()],
            poles: vec![Vec::new(); volume.names.len()],
            total: vec![settings.total_field.is_empty(); volume.names.len()],
            boundaries: vec![None; volume.face_names.len()],
            outer: settings.outer,
            sheet: None,
        };
        if let Some(port) = &settings.port {
            found.sheet = Some((mesh.face_group(&port.group)?, port.conductance()));
        }
        for (name, material) in &settings.materials {
            found.materials[mesh.group(name)? as usize] = *material;
        }
        for (name, poles) in &settings.poles {
            found.poles[mesh.group(name)? as usize].clone_from(poles);
        }
        for name in &settings.total_field {
            found.total[mesh.group(name)? as usize] = true;
        }
        for (name, boundary) in &settings.boundaries {
            found.boundaries[mesh.face_group(name)? as usize] = Some(*boundary);
        }
        Ok(found)
    }

    fn material(&self, mesh: &Mesh, element: usize) -> Material {
        self.materials[mesh.volume().groups[element] as usize]
    }

    fn poles(&self, mesh: &Mesh, element: usize) -> &[Pole] {
        &self.poles[mesh.volume().groups[element] as usize]
    }

    fn is_total(&self, mesh: &Mesh, element: usize) -> bool {
        self.total[mesh.volume().groups[element] as usize]
    }

    fn cell(&self, mesh: &Mesh, element: usize) -> Result<Cell, Error> {
        let (gradients, volume) = gradients(mesh.corners(element));
        let side = |face: usize| self.side(mesh, element, face, gradients[face]);
        Ok(Cell {
            axes: [gradients[1], gradients[2], gradients[3]].map(|gradient| gradient * 2.0),
            volume,
            material: self.material(mesh, element),
            sides: [side(0)?, side(1)?, side(2)?, side(3)?],
        })
    }

    fn side(&self, mesh: &Mesh, element: usize, face: usize, gradient: Vec3) -> Result<Side, Error> {
        let (group, vertices) = (mesh.face_groups(element)[face], mesh.face(element, face));
        let wall = group.and_then(|group| self.boundaries[group as usize]);
        let (normal, scale) = (-gradient.unit(), 2.0 * gradient.length());
        let outside = match (wall, mesh.neighbours(element)[face], self.outer) {
            (Some(boundary), ..) | (None, None, Some(boundary)) => Outside::Boundary(boundary),
            (None, Some(neighbour), _) => Outside::Element(neighbour),
            (None, None, None) => {
                let names = &mesh.volume().face_names;
                let note = group.map(|group| format!("its group is '{}'", names[group as usize]));
                let note = note.unwrap_or_else(|| "it is in no group".into());
                return Err(Error::Mesh(format!(
                    "face {vertices:?} of tetrahedron {element} is at the boundary and has no condition; \
                     {note}"
                )));
            }
        };
        let (beyond, incident) = match outside {
            Outside::Element(neighbour) => {
                let other = neighbour.element as usize;
                let total = [element, other].map(|element| f64::from(u8::from(self.is_total(mesh, element))));
                (self.material(mesh, other), total[0] - total[1])
            }
            Outside::Boundary(boundary) => {
                let comes_in = boundary == Boundary::Incident;
                (self.material(mesh, element), f64::from(u8::from(comes_in)))
            }
        };
        let sheet = self.sheet.filter(|(port, _)| group == Some(*port)).map_or(0.0, |(_, g)| g);
        if sheet > 0.0 && !matches!(outside, Outside::Element(_)) {
            return Err(Error::Mesh(format!(
                "face {vertices:?} of tetrahedron {element} belongs to the port and is a wall or at the \
                 boundary: a port lies between elements"
            )));
        }
        Ok(Side { normal, scale, outside, beyond, incident, sheet })
    }
}
