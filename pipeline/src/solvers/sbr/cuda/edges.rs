//! Edges on a card: all of their pieces in the light of all directions, beside the batches of tubes.

use super::worker::Work;
use crate::solvers::sbr::wedge::{Piece, fresnel};
use kernels::abi::{SbrEdge, SbrFace, SbrLaunch};
use kernels::sbr::{Receivers, Scene, Wedges};
use kernels::{Error, Stream};

/// Pieces of edges, and what they add.
pub struct Lighted {
    wedges: Wedges,
    /// Kept from one call to the next, as those of workers.
    sums: Option<Receivers>,
}

impl Lighted {
    /// Nothing where there are none.
    pub fn new(stream: &mut Stream, pieces: &[Piece]) -> Result<Option<Self>, Error> {
        if pieces.is_empty() {
            return Ok(None);
        }
        let pieces: Vec<SbrEdge> = pieces.iter().map(edge).collect();
        Ok(Some(Self { wedges: Wedges::new(stream, &pieces, &fresnel::series())?, sums: None }))
    }

    /// Begins with all directions; sums are there when the stream has come to them.
    pub fn begin(&mut self, stream: &mut Stream, scene: &Scene, work: &Work<'_>) -> Result<(), Error> {
        let sums = match &mut self.sums {
            Some(sums) => {
                sums.set(stream, work.receivers, work.band)?;
                sums
            }
            None => self.sums.insert(Receivers::new(stream, work.receivers, work.band)?),
        };
        let launches: Vec<SbrLaunch> = work.lit.iter().map(|lit| lit.part(0, 0, 0, 0)).collect();
        self.wedges.run(stream, scene, &launches, sums, &work.numbers)
    }

    /// Quanta of all receivers and frequencies.
    pub fn sums(&self, stream: &mut Stream) -> Result<Vec<i64>, Error> {
        self.sums.as_ref().map_or(Ok(Vec::new()), |sums| sums.sums(stream))
    }
}

fn edge(piece: &Piece) -> SbrEdge {
    let Piece { wedge, reaches, start } = piece;
    let [a, b] = wedge.ends;
    let face = |i: usize| SbrFace {
        x: wedge.faces[i].x.to_array(),
        y: wedge.faces[i].y.to_array(),
        reach: if reaches[i].ends { reaches[i].length } else { -1.0 },
    };
    SbrEdge {
        middle: wedge.middle().to_array(),
        edge: (b - a).to_array(),
        start: start.to_array(),
        faces: [face(0), face(1)],
        n: wedge.n,
    }
}
