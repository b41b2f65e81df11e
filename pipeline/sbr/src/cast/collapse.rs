//! Collapses a hierarchy of two children a node to one of sixteen, whose leaves are blocks.

use super::binary::BinaryBvh;
use super::block::{BLOCK, Block};
use super::node::{BinaryNode, Box3, IS_BLOCK, WIDTH, WideNode, union};
use crate::facets::Facets;

/// A part of the binary hierarchy.
#[derive(Clone, Copy)]
enum Part {
    Node(u32),
    /// The first facet in the order of leaves, and their number.
    Facets(u32, u32),
}

#[derive(Clone, Copy)]
struct Child {
    bounds: Box3,
    part: Part,
}

struct Collapse<'a> {
    binary: &'a BinaryBvh,
    /// Padded boxes of the facets.
    boxes: &'a [Box3],
    /// Facets below each node.
    counts: Vec<u32>,
}

impl Collapse<'_> {
    fn count(&self, part: Part) -> u32 {
        match part {
            Part::Node(number) => self.counts[number as usize],
            Part::Facets(_, count) => count,
        }
    }

    fn halves(&self, part: Part) -> [Child; 2] {
        match part {
            Part::Facets(first, count) => {
                let half = first + count / 2;
                [(first, half), (half, first + count)].map(|(from, to)| Child {
                    bounds: (from..to)
                        .map(|at| self.boxes[self.binary.order[at as usize] as usize])
                        .fold(self.boxes[self.binary.order[from as usize] as usize], union),
                    part: Part::Facets(from, to - from),
                })
            }
            Part::Node(number) => {
                let node = &self.binary.nodes[number as usize];
                [0, 1].map(|i| Child { bounds: (node.low[i], node.high[i]), part: part_of(node, i) })
            }
        }
    }

    /// The children of a wide node: the largest child that does not fit into a block is split, as long as
    /// there is room.
    fn children(&self, part: Part) -> Vec<Child> {
        let mut children = self.halves(part).to_vec();
        while children.len() < WIDTH {
            let open = (0..children.len()).filter(|i| self.count(children[*i].part) > BLOCK as u32);
            let Some(largest) = open.max_by(|a, b| children[*a].surface().total_cmp(&children[*b].surface()))
            else {
                break;
            };
            let part = children.swap_remove(largest).part;
            children.extend(self.halves(part));
        }
        children
    }

    fn facets(&self, part: Part) -> Vec<u32> {
        let (mut facets, mut stack) = (Vec::new(), vec![part]);
        while let Some(part) = stack.pop() {
            match part {
                Part::Facets(first, count) => {
                    facets.extend(&self.binary.order[first as usize..(first + count) as usize]);
                }
                Part::Node(number) => {
                    stack.extend([0, 1].map(|i| part_of(&self.binary.nodes[number as usize], i)));
                }
            }
        }
        facets
    }
}

fn part_of(node: &BinaryNode, child: usize) -> Part {
    match node.count[child] {
        0 => Part::Node(node.first[child]),
        count => Part::Facets(node.first[child], count),
    }
}

impl Child {
    fn surface(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.bounds.1[axis] - self.bounds.0[axis]);
        x * y + y * z + z * x
    }
}

/// Facets below each node; children come after their parents.
fn counts(nodes: &[BinaryNode]) -> Vec<u32> {
    let mut counts = vec![0; nodes.len()];
    for (number, node) in nodes.iter().enumerate().rev() {
        counts[number] = (0..2)
            .map(|i| match part_of(node, i) {
                Part::Node(child) => counts[child as usize],
                Part::Facets(_, count) => count,
            })
            .sum();
    }
    counts
}

/// The wide nodes and their blocks; `boxes` are those of the facets.
pub fn collapsed(facets: &Facets, binary: &BinaryBvh, boxes: &[Box3]) -> (Vec<WideNode>, Vec<Block>) {
    let collapse = Collapse { binary, boxes, counts: counts(&binary.nodes) };
    let mut starts = vec![Part::Node(0)];
    let (mut wide, mut blocks): (Vec<WideNode>, Vec<Block>) = (Vec::new(), Vec::new());
    while wide.len() < starts.len() {
        let mut node = WideNode::EMPTY;
        for (i, child) in collapse.children(starts[wide.len()]).iter().enumerate() {
            for axis in 0..3 {
                node.low[axis][i] = child.bounds.0[axis];
                node.high[axis][i] = child.bounds.1[axis];
            }
            node.child[i] = if collapse.count(child.part) <= BLOCK as u32 {
                blocks.push(Block::new(facets, &collapse.facets(child.part)));
                IS_BLOCK | (blocks.len() as u32 - 1)
            } else {
                starts.push(child.part);
                starts.len() as u32 - 1
            };
        }
        wide.push(node);
    }
    (wide, blocks)
}
