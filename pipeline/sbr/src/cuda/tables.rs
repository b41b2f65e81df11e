//! The target in the order and form of the GPU.

use crate::Error;
use crate::cast::binary::BinaryBvh;
use crate::design::Target;
use crate::facets::Facets;
use crate::material::{Backing, Layer, Material};
use kernels::sbr::{Below, Child, Coat, DEPTH, Matter, Tables};
use num_complex::Complex;

/// What facets are made of, in the order and form of the GPU; none where all is a perfect conductor.
pub fn matter(target: &Target, tree: &BinaryBvh) -> Result<Option<Matter>, Error> {
    if target.is_conductor() {
        return Ok(None);
    }
    let pair = |value: Complex<f64>| [value.re, value.im];
    let mut matter = Matter::default();
    for Material { layers, backing } in &target.materials {
        let below = match *backing {
            Backing::Conductor => Below::Impedance([0.0; 2]),
            Backing::Impedance(impedance) => Below::Impedance(pair(impedance)),
            Backing::HalfSpace { permittivity, permeability } => {
                Below::HalfSpace([pair(permittivity), pair(permeability)])
            }
        };
        let coat = |layer: &Layer| Coat {
            permittivity: pair(layer.permittivity),
            permeability: pair(layer.permeability),
            thickness: layer.thickness,
        };
        matter.push(below, &layers.iter().map(coat).collect::<Vec<_>>())?;
    }
    matter.cover(tree.order.iter().map(|facet| target.facets.groups[*facet as usize] as usize))?;
    Ok(Some(matter))
}

/// The tree in the order and form of the GPU.
pub fn tables(facets: &Facets, tree: &BinaryBvh) -> Result<Tables, Error> {
    let depth = tree.depth();
    if depth > DEPTH {
        return Err(Error::NotOnCard("a tree of more than 64 levels"));
    }
    let pick = |facet: &u32| *facet as usize;
    let mut tables = Tables::default();
    tables.corners = tree.order.iter().map(|facet| facets.corners[pick(facet)]).collect();
    tables.normals = tree.order.iter().map(|facet| facets.normals[pick(facet)].to_array()).collect();
    tables.numbers.clone_from(&tree.order);
    for node in &tree.nodes {
        let child = |i: usize| Child {
            low: node.low[i],
            high: node.high[i],
            first: node.first[i],
            count: node.count[i],
        };
        tables.push([child(0), child(1)])?;
    }
    Ok(tables)
}
