//! Elements dealt out to parts, each of which is computed by a process of its own.
//!
//! Elements are the vertices of a graph and faces between two of them its edges. METIS cuts few edges and makes parts of about the same weight; where it is not compiled in (feature `mpi`) parts are pieces of the curve through
//! space, which have some more faces between them. An element in matched layers weighs more than another one. The elements at a [`port`](super::port) stay in one part, which sums up its voltage.

use super::Error;
use super::design::{Cell, Design, Outside};
use super::mesh::Neighbour;
use super::order::along_a_curve;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Work of an element outside matched layers and of one inside: at orders 1 to 5, in single and double precision, the second took 1.2 to 2.1 times as long on a busy machine, 1.5 in the median.
const WEIGHTS: [i32; 2] = [10, 15];

/// The part of every element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// How many there are.
    pub parts: usize,
    /// The part of every element.
    pub owners: Vec<u32>,
}

/// What one part shares with another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// Elements and their faces whose fields go to the other part, ascending.
    pub sent: Vec<(u32, u8)>,
    /// Those of the other part whose fields come, ascending: what the other part has as `sent`.
    pub received: Vec<(u32, u8)>,
}

/// One part in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Elements.
    pub elements: usize,
    /// Sum of their weights.
    pub weight: u64,
    /// Faces behind which is another part.
    pub faces: usize,
    /// Other parts behind them.
    pub neighbours: usize,
}

/// All parts in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// Part by part.
    pub shares: Vec<Share>,
}

impl Partition {
    /// By METIS, where it is there, else by the curve.
    pub fn new(design: &Design, parts: usize) -> Result<Self, Error> {
        let elements = design.cells.len();
        if parts == 0 || parts > elements {
            return Err(wrong(parts, elements));
        }
        #[cfg(feature = "mpi")]
        let mut found = Self { parts, owners: by_metis(design, parts)? };
        #[cfg(not(feature = "mpi"))]
        let mut found = Self::along_the_curve(design, parts);
        found.keep_port(design);
        Ok(found)
    }

    /// Pieces of the curve through space, each with about the same weight.
    pub fn along_the_curve(design: &Design, parts: usize) -> Self {
        let total: u64 = (0..design.cells.len()).map(|element| weight(design, element) as u64).sum();
        let (mut owners, mut before) = (vec![0; design.cells.len()], 0);
        for element in along_a_curve(design) {
            owners[element as usize] = (before * parts as u64 / total) as u32;
            before += weight(design, element as usize) as u64;
        }
        Self { parts, owners }
    }

    /// The elements at a port go to the part that has most of them.
    fn keep_port(&mut self, design: &Design) {
        let at_port: Vec<usize> = port_elements(design).collect();
        let of = |part: &u32| at_port.iter().filter(|element| self.owners[**element] == *part).count();
        if let Some(part) = (0..self.parts as u32).max_by_key(of) {
            at_port.into_iter().for_each(|element| self.owners[element] = part);
        }
    }

    /// The part of an element.
    pub fn owner(&self, element: usize) -> usize {
        self.owners[element] as usize
    }

    /// The part of a port; none without one.
    pub fn port_owner(&self, design: &Design) -> Option<usize> {
        port_elements(design).next().map(|element| self.owner(element))
    }

    /// Whether a cell has a neighbour that is not in this part.
    pub fn is_beside(&self, cell: &Cell, part: usize) -> bool {
        neighbours(cell).any(|neighbour| self.owner(neighbour.element as usize) != part)
    }

    /// What a part shares with others, by their numbers.
    pub fn links(&self, design: &Design, part: usize) -> BTreeMap<usize, Link> {
        let mut found: BTreeMap<usize, Link> = BTreeMap::new();
        for (element, Neighbour { element: other, face, .. }) in pairs(design) {
            let (to, from) = (self.owner(element), self.owner(other as usize));
            if to != from && from == part {
                found.entry(to).or_default().sent.push((other, face));
            } else if to != from && to == part {
                found.entry(from).or_default().received.push((other, face));
            }
        }
        for link in found.values_mut() {
            link.sent.sort_unstable();
            link.received.sort_unstable();
        }
        found
    }

    /// One list from those of all parts: for element after element the next `width` entries of the part that has it.
    pub fn merged<V: Copy>(
        &self,
        elements: impl Iterator<Item = usize>,
        lists: &[Vec<V>],
        width: usize,
    ) -> Vec<V> {
        let mut left: Vec<_> = lists.iter().map(|list| list.chunks_exact(width)).collect();
        elements.filter_map(|element| left[self.owner(element)].next()).flatten().copied().collect()
    }

    /// Sizes of parts and of what is between them.
    pub fn statistics(&self, design: &Design) -> Statistics {
        let mut shares = vec![Share::default(); self.parts];
        for (element, owner) in self.owners.iter().enumerate() {
            let share = &mut shares[*owner as usize];
            share.elements += 1;
            share.weight += weight(design, element) as u64;
        }
        let mut meetings = BTreeSet::new();
        for (element, neighbour) in pairs(design) {
            let (own, other) = (self.owner(element), self.owner(neighbour.element as usize));
            if own != other {
                shares[own].faces += 1;
                meetings.insert((own, other));
            }
        }
        meetings.iter().for_each(|(own, _)| shares[*own].neighbours += 1);
        Statistics { shares }
    }
}

impl Statistics {
    /// Faces between two parts.
    pub fn cut(&self) -> usize {
        self.shares.iter().map(|share| share.faces).sum::<usize>() / 2
    }

    /// The largest weight over the mean.
    pub fn imbalance(&self) -> f64 {
        let weights = self.shares.iter().map(|share| share.weight as f64);
        weights.clone().fold(0.0, f64::max) * self.shares.len() as f64 / weights.sum::<f64>()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, cut) = (self.shares.len(), self.cut());
        write!(
            f,
            "{parts} parts, {cut} faces between them, largest weight over the mean {:.3}",
            self.imbalance()
        )?;
        for (part, Share { elements, weight, faces, neighbours }) in self.shares.iter().enumerate() {
            write!(
                f,
                "\npart {part}: {elements} elements, weight {weight}, {faces} faces to {neighbours} others"
            )?;
        }
        Ok(())
    }
}

fn wrong(parts: usize, elements: usize) -> Error {
    let allowed =
        format!("each of them needs one of the {elements} tetrahedra, of which 2^29 can be dealt out");
    Error::value("number of parts", parts, allowed)
}

fn weight(design: &Design, element: usize) -> i32 {
    let absorber = design.absorber.as_ref();
    let is_matched = absorber.is_some_and(|it| it.elements.binary_search(&(element as u32)).is_ok());
    WEIGHTS[usize::from(is_matched)]
}

/// Elements with a face of a port.
fn port_elements(design: &Design) -> impl Iterator<Item = usize> {
    let cells = design.cells.iter().enumerate();
    cells.filter(|(_, cell)| cell.sides.iter().any(|side| side.sheet > 0.0)).map(|(element, _)| element)
}

fn neighbours(cell: &Cell) -> impl Iterator<Item = Neighbour> {
    cell.sides.iter().filter_map(|side| match side.outside {
        Outside::Element(neighbour) => Some(neighbour),
        Outside::Boundary(_) => None,
    })
}

/// Every element with each of its neighbours.
fn pairs(design: &Design) -> impl Iterator<Item = (usize, Neighbour)> {
    let cells = design.cells.iter().enumerate();
    cells.flat_map(|(element, cell)| neighbours(cell).map(move |neighbour| (element, neighbour)))
}

#[cfg(feature = "mpi")]
fn by_metis(design: &Design, parts: usize) -> Result<Vec<u32>, Error> {
    let elements = design.cells.len();
    // Four faces an element must have 32 bits with a sign here.
    let too_many = wrong(parts, elements);
    let number = |count: usize| metis::Idx::try_from(count).map_err(|_| too_many.clone());
    number(4 * elements)?;
    let (mut starts, mut others) = (vec![0], Vec::new());
    let mut pairs = pairs(design).peekable();
    for element in 0..elements {
        while let Some((_, neighbour)) = pairs.next_if(|(own, _)| *own == element) {
            others.push(number(neighbour.element as usize)?);
        }
        starts.push(number(others.len())?);
    }
    let weights: Vec<metis::Idx> = (0..elements).map(|element| weight(design, element)).collect();
    let mut found = vec![0; elements];
    let failed = |error: &dyn fmt::Display| Error::Metis { parts, elements, reason: error.to_string() };
    if parts > 1 {
        let graph = metis::Graph::new(1, number(parts)?, &starts, &others).map_err(|error| failed(&error))?;
        graph.set_vwgt(&weights).part_kway(&mut found).map_err(|error| failed(&error))?;
    }
    Ok(found.into_iter().map(|part| part as u32).collect())
}
