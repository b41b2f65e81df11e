//! Edges on a card: all of their pieces in the light of all directions, beside the batches of tubes.

use super::worker::Work;
use crate::wedge::{Piece, fresnel};
use kernels::abi::{SbrEdge, SbrFace, SbrLaunch};
use kernels::sbr::{Scene, Wedges};
use kernels::{Error, Stream};

/// Pieces of edges on a card.
pub struct Lighted(Wedges);

impl Lighted {
    /// Nothing where there are none.
    pub fn new(stream: &mut Stream, pieces: &[Piece]) -> Result<Option<Self>, Error> {
        if pieces.is_empty() {
            return Ok(None);
        }
        let pieces: Vec<SbrEdge> = pieces.iter().map(edge).collect();
        Ok(Some(Self(Wedges::new(stream, &pieces, &fresnel::series())?)))
    }

    /// Begins with all directions; what pieces radiate is in the sums when the stream has come to an end.
    pub fn begin(&mut self, stream: &mut Stream, scene: &Scene, work: &Work<'_>) -> Result<(), Error> {
        let launches: Vec<SbrLaunch> = work.lit.iter().map(|lit| lit.part(0, 0, 0, 0)).collect();
        self.0.run(stream, scene, &launches, work.receivers, &work.numbers)
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
