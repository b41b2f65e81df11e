//! What a DGTD plan or run can refuse.

use numerics::failure::{Failure, Kind};
use std::fmt::Debug;
use thiserror::Error as ThisError;

/// What a plan or a run can refuse.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// A value out of its range.
    #[error("{what} is {given}: {allowed}")]
    Value {
        /// Which one.
        what: String,
        /// Its value.
        given: String,
        /// What would be right.
        allowed: String,
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
    /// Something lets a wave in that was not given.
    #[error("an incident boundary or a total-field region needs a plane wave, and none was given")]
    NoWave,
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
    /// A value out of its range.
    pub(crate) fn value(what: impl Into<String>, given: impl Debug, allowed: impl Into<String>) -> Self {
        Self::Value { what: what.into(), given: format!("{given:?}"), allowed: allowed.into() }
    }

    /// Refuses a list of another length than the needed one.
    pub(crate) fn check_length(what: &'static str, given: usize, needed: usize) -> Result<(), Self> {
        if given == needed { Ok(()) } else { Err(Self::Length { what, given, needed }) }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::File(error) => error.kind(),
            Self::Card(error) => error.kind(),
            Self::Unstable { .. } | Self::Metis { .. } => Kind::Run,
            _ => Kind::Input,
        }
    }
}

fn group_note(group: &Option<String>) -> String {
    group.as_ref().map_or_else(|| "; it is in no group".into(), |group| format!("; its group is '{group}'"))
}
