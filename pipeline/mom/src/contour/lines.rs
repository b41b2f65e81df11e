//! Outlines from the lines of a gmsh file, 2.2 or 4.1, text or binary, in the plane z = 0.
//!
//! Lines are joined where they share a node, in the order in which they stand. Two lines meet at a node, or one at the end of a thin sheet. Lines of higher
//! order count by their ends.

use super::check::{Kind, check_finite, outline};
use crate::curve::{Outline, Point};
use crate::error::Error;
use mesh::gmsh;

/// All outlines of the bytes of a file whose unit is `scale` metres. Chains that do not close are refused unless sheets are asked for.
pub fn parse(bytes: &[u8], kind: Kind, scale: f64) -> Result<Vec<Outline>, Error> {
    let gmsh::Lines { vertices, lines } = gmsh::parse_lines(bytes)?;
    let mut ends = lines.iter().flatten().map(|node| *node as usize);
    if let Some(node) = ends.find(|node| vertices[*node].z != 0.0) {
        return Err(Error::OutOfPlane { node, z: vertices[node].z });
    }
    let points: Vec<Point> = vertices.iter().map(|vertex| [vertex.x * scale, vertex.y * scale]).collect();
    check_finite(&points)?;
    let of = |(nodes, closed): (Vec<u32>, bool)| {
        let chain: Vec<Point> = nodes.iter().map(|node| points[*node as usize]).collect();
        match (closed, kind) {
            (true, Kind::Open) => outline(chain, Kind::Polygon),
            (true, _) | (false, Kind::Open) => outline(chain, kind),
            (false, _) => Err(Error::OpenChain { ends: [chain[0], chain[chain.len() - 1]] }),
        }
    };
    let outlines: Vec<Outline> =
        chains(&lines, &points)?.into_iter().map(of).collect::<Result<_, Error>>()?;
    if outlines.is_empty() { Err(Error::Empty) } else { Ok(outlines) }
}

/// Nodes of chains, and whether they close: sheets from one of their ends, closed ones from their first line.
fn chains(lines: &[[u32; 2]], points: &[Point]) -> Result<Vec<(Vec<u32>, bool)>, Error> {
    // The lines of every node, two at most.
    let mut meeting: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (line, [a, b]) in lines.iter().enumerate() {
        meeting[*a as usize].push(line);
        meeting[*b as usize].push(line);
    }
    if let Some((at, all)) = meeting.iter().enumerate().find(|(_, lines)| lines.len() > 2) {
        return Err(Error::Branching { lines: all.len(), at: points[at] });
    }
    let mut seen = vec![false; lines.len()];
    let is_end = |node: u32| meeting[node as usize].len() == 1;
    let mut chains = Vec::new();
    let ends = lines.iter().enumerate().flat_map(|(line, nodes)| nodes.map(|node| (line, node)));
    let first_ends = ends.filter(|(_, node)| is_end(*node));
    let starts: Vec<(usize, u32)> =
        first_ends.chain(lines.iter().enumerate().map(|(line, nodes)| (line, nodes[0]))).collect();
    for (mut line, start) in starts {
        let (mut nodes, mut node) = (vec![start], start);
        if seen[line] {
            continue;
        }
        let closed = loop {
            seen[line] = true;
            let [a, b] = lines[line];
            node = if a == node { b } else { a };
            if node == start {
                break true;
            }
            nodes.push(node);
            match meeting[node as usize].iter().find(|next| !seen[**next]) {
                Some(next) => line = *next,
                None => break false,
            }
        };
        chains.push((nodes, closed));
    }
    Ok(chains)
}
