//! What a DGTD plan or run can refuse.

use thiserror::Error as ThisError;

/// What a plan or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// An order without nodes.
    #[error("order {order}: polynomials have order 1 to {most}")]
    Order {
        /// Given.
        order: usize,
        /// Highest.
        most: usize,
    },
    /// Nodes whose Vandermonde matrix has no inverse.
    #[error("order {order}: the nodes determine no polynomial")]
    Singular {
        /// The order.
        order: usize,
    },
    /// The file of a mesh.
    #[error(transparent)]
    File(#[from] mesh::Error),
    /// The card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// What only the processor does.
    #[error("a card does not compute {what}: use the CPU (--device cpu)")]
    NotOnCard {
        /// What was asked for.
        what: &'static str,
    },
    /// Parts that cannot all have elements.
    #[error("{parts} parts of {elements} tetrahedra: one each is needed, and at most 2^29 in all")]
    Parts {
        /// Wanted.
        parts: usize,
        /// Of the mesh.
        elements: usize,
    },
    /// METIS made no partition.
    #[error("METIS made no {parts} parts of {elements} tetrahedra: {reason}")]
    Metis {
        /// Wanted.
        parts: usize,
        /// Of the mesh.
        elements: usize,
        /// What it says.
        reason: String,
    },
    /// No tetrahedron.
    #[error("the mesh has no tetrahedra: was it meshed in three dimensions?")]
    Empty,
    /// More than faces can be numbered.
    #[error("{elements} tetrahedra: at most {most}")]
    TooMany {
        /// Given.
        elements: usize,
        /// Most.
        most: usize,
    },
    /// Groups that are not one each.
    #[error("{groups} groups for {count} {what}: one each is needed")]
    Groups {
        /// Of what.
        what: &'static str,
        /// Given.
        groups: usize,
        /// Needed.
        count: usize,
    },
    /// A group without a name.
    #[error("{what} of group {group}, and there are {groups}")]
    GroupIndex {
        /// Of what.
        what: &'static str,
        /// Index of the group.
        group: u32,
        /// How many there are.
        groups: usize,
    },
    /// A corner that does not exist.
    #[error("tetrahedron {element} has vertex {vertex}, and there are {vertices}")]
    Vertex {
        /// Number of the tetrahedron, from 0.
        element: usize,
        /// Number of the vertex, from 0.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate that is no number.
    #[error("vertex {vertex} at {position:?}: every coordinate must be a finite number")]
    NotFinite {
        /// Number of the vertex, from 0.
        vertex: u32,
        /// Its coordinates, m.
        position: [f64; 3],
    },
    /// Corners in the wrong sense.
    #[error("tetrahedron {element} of vertices {vertices:?} is inverted: its volume is {volume:e} m^3")]
    Inverted {
        /// Number, from 0.
        element: usize,
        /// Its corners.
        vertices: [u32; 4],
        /// m^3
        volume: f64,
    },
    /// Corners in a plane, or in one place.
    #[error(
        "tetrahedron {element} of vertices {vertices:?} is flat: {volume:e} m^3 with an edge of {longest:e} m"
    )]
    Flat {
        /// Number, from 0.
        element: usize,
        /// Its corners.
        vertices: [u32; 4],
        /// m^3
        volume: f64,
        /// Longest edge, m.
        longest: f64,
    },
    /// The same element twice.
    #[error("tetrahedra {elements:?} are the same, of vertices {vertices:?}")]
    Duplicate {
        /// Numbers, from 0.
        elements: [usize; 2],
        /// Their corners.
        vertices: [u32; 4],
    },
    /// Two elements on one side of their face.
    #[error("tetrahedra {elements:?} lie on the same side of their common face {vertices:?}: they overlap")]
    Overlap {
        /// Numbers, from 0.
        elements: [usize; 2],
        /// Vertices of the face.
        vertices: [u32; 3],
    },
    /// A face of three elements or more.
    #[error("face {vertices:?} belongs to tetrahedra {elements:?}: two can share one")]
    Crowded {
        /// Vertices of the face.
        vertices: [u32; 3],
        /// Numbers, from 0.
        elements: Vec<usize>,
    },
    /// A triangle in a group that is no face.
    #[error(
        "triangle {face} of vertices {vertices:?} in group '{group}' is no face of a tetrahedron: the mesh is not conforming there"
    )]
    LooseFace {
        /// Number among the triangles with a group, from 0.
        face: usize,
        /// Its vertices.
        vertices: [u32; 3],
        /// Name of its group.
        group: String,
    },
    /// A face in two groups.
    #[error("face {vertices:?} is in the groups '{}' and '{}'", groups[0], groups[1])]
    TwoGroups {
        /// Its vertices.
        vertices: [u32; 3],
        /// Their names.
        groups: [String; 2],
    },
    /// Two faces at the boundary in one place.
    #[error(
        "faces {:?} and {:?} at the boundary touch at {position:?}: the mesh is not conforming there, or a group of faces is missing", faces[0], faces[1]
    )]
    Touching {
        /// Vertices of both.
        faces: [[u32; 3]; 2],
        /// Centre of the second, m.
        position: [f64; 3],
    },
    /// A name that the mesh does not have.
    #[error("the mesh has no {kind} group '{name}'; it has {known:?}")]
    MissingGroup {
        /// Of surfaces or volumes.
        kind: &'static str,
        /// Wanted.
        name: String,
        /// There are.
        known: Vec<String>,
    },
    /// Fields that grew without end.
    #[error(
        "the fields have no meaning after step {step}, first of all in tetrahedron {element} near {position:?} m: {reason}"
    )]
    Unstable {
        /// Steps done.
        step: u64,
        /// Number of the tetrahedron, from 0.
        element: usize,
        /// m
        position: [f64; 3],
        /// What it may come from.
        reason: String,
    },
    /// A port without a size.
    #[error(
        "{port:?}: length, width and resistance of a port must be positive, its direction no zero, and its signal finite"
    )]
    Port {
        /// Given.
        port: Box<super::Port>,
    },
    /// A port at the boundary.
    #[error(
        "face {vertices:?} of tetrahedron {element} belongs to the port and is a wall or at the boundary: a port lies between elements"
    )]
    PortOutside {
        /// Number of the tetrahedron, from 0.
        element: usize,
        /// Vertices of the face.
        vertices: [u32; 3],
    },
    /// A dipole that is no number.
    #[error("{dipole:?}: every number of a dipole must be finite")]
    Dipole {
        /// Given.
        dipole: super::Dipole,
    },
    /// A region without elements or faces.
    #[error("nothing of the mesh is in '{name}', {region:?}: planes of a sheet must be planes between cells")]
    EmptyRegion {
        /// Name of the group.
        name: String,
        /// Where, m.
        region: super::mesh::named::Region,
    },
    /// A point in no element.
    #[error("point {point:?} m is outside the mesh")]
    Outside {
        /// m
        point: [f64; 3],
    },
    /// An array of the wrong length.
    #[error("{given} {what}, and {needed} are needed")]
    Length {
        /// Of what.
        what: &'static str,
        /// Given.
        given: usize,
        /// Right number.
        needed: usize,
    },
    /// A sphere that fits in no cube.
    #[error(
        "{sphere:?}: the radius must be positive and at most 0.95 of half the side, cells at least 2 and even in a quarter, all counts at least 1, elements fewer than {most}"
    )]
    Sphere {
        /// Given.
        sphere: super::mesh::sphere::Sphere,
        /// Limit of elements.
        most: f64,
    },
    /// An almond that fits in no box.
    #[error(
        "{almond:?}: the box must hold the almond with a twentieth to spare, and lie alike on both sides of the planes of a quarter; cells along y and z must be even, all counts at least 1, elements fewer than {most}"
    )]
    Almond {
        /// Given.
        almond: super::mesh::almond::Almond,
        /// Limit of elements.
        most: f64,
    },
    /// A helix that cannot be built.
    #[error(
        "{helix:?}: sizes must be positive, cells along a side even, all counts at least 1, cells beside the helix as deep as half a pitch, elements fewer than {most}"
    )]
    Helix {
        /// Given.
        helix: super::mesh::helix::Helix,
        /// Limit of elements.
        most: f64,
    },
    /// Layers that absorb nothing.
    #[error(
        "matched layers {layers:?}: the box needs an inside, the reflection must be between 0 and 1, the degree 0 to 8, and the shift a number that is not negative"
    )]
    Layers {
        /// Given.
        layers: super::Layers,
    },
    /// A mesh that ends where the layers begin.
    #[error("no element is in the matched layers: the mesh reaches from {low:?} to {high:?} m only")]
    NoLayers {
        /// Lower corner of the mesh, m.
        low: [f64; 3],
        /// Upper corner, m.
        high: [f64; 3],
    },
    /// A number that no medium has.
    #[error("material of group '{group}': {what} {value}")]
    Material {
        /// Name of the group.
        group: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A pole that no medium has.
    #[error("material of group '{group}', {pole:?}: {what} is {value}, and must be {expected}")]
    Pole {
        /// Name of the group.
        group: String,
        /// Given.
        pole: super::Pole,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// More poles than a medium may have.
    #[error("material of group '{group}': {given} poles, and at most {most} can be computed")]
    Poles {
        /// Name of the group.
        group: String,
        /// Given.
        given: usize,
        /// Limit.
        most: usize,
    },
    /// A dispersive medium where only others may be.
    #[error("tetrahedron {element} of the dispersive group '{group}' is {place}")]
    Dispersive {
        /// Number, from 0.
        element: usize,
        /// Name of its group.
        group: String,
        /// Where it is, and why it must not be.
        place: &'static str,
    },
    /// A blend of fluxes that is none.
    #[error("upwinding {0}: it must be from 0 (central) to 1 (upwind)")]
    Upwinding(f64),
    /// Something lets a wave in that was not given.
    #[error("an incident boundary or a total-field region needs a plane wave, and none was given")]
    NoWave,
    /// A plane wave that is none.
    #[error(
        "plane wave along {direction:?} with E along {polarisation:?} and {pulse:?}: the vectors need lengths and different directions, the pulse finite numbers and a positive width"
    )]
    Wave {
        /// Where it goes.
        direction: [f64; 3],
        /// Of E.
        polarisation: [f64; 3],
        /// Its signal.
        pulse: super::Pulse,
    },
    /// A mode without a field.
    #[error("cavity mode {halves:?} of sides {sides:?} m with amplitude {amplitude:?}: it has no field")]
    Mode {
        /// Half waves along the sides.
        halves: [u32; 3],
        /// m
        sides: [f64; 3],
        /// V/m
        amplitude: [f64; 3],
    },
    /// A face at the boundary that nobody spoke of.
    #[error(
        "face {vertices:?} of tetrahedron {element} is at the boundary and has no condition{}",
        group_note(group)
    )]
    NoBoundary {
        /// Number of the tetrahedron, from 0.
        element: usize,
        /// Its vertices.
        vertices: [u32; 3],
        /// Name of its group.
        group: Option<String>,
    },
}

impl Error {
    /// Whether the input is wrong, and not what became of it.
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Unstable { .. } | Self::Card(_) | Self::Metis { .. })
    }
}

fn group_note(group: &Option<String>) -> String {
    group.as_ref().map_or_else(|| "; it is in no group".into(), |group| format!("; its group is '{group}'"))
}
