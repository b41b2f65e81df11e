//! Cells of the first list, a level after the other.

use super::cells::{Cells, ROUNDS};
use super::lists::Lists;
use super::sizes::Target;
use super::{Rays, Scene};
use crate::abi::Sbr;
use crate::calls;
use crate::error::{Error, size32};
use crate::stream::Stream;
use std::ops::Range;

impl Rays {
    /// Some cells of the first list, a level after the other. What radiates is listed.
    pub(super) fn cells(
        &mut self,
        stream: &mut Stream,
        cells: Range<u64>,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Scene { cells: kernels, target, .. } = &*self.scene;
        let Target { nodes, corners, normals, numbers: facets } = target;
        let (launches, seeds, firsts) = (&self.launches, &self.seeds, &self.firsts);
        let Lists { tiles, entries, .. } = &self.lists;
        let (parts, counters) = (&mut self.parts, &mut self.counters);
        let Cells { rays, states, polygons, open, looking, pieces, taking, known, kept, lists } =
            &mut self.cells;
        for level in 0..=numbers.levels {
            let begin = if level == 0 { size32("cells", cells.start as usize)? } else { 0 };
            let [cells, children] = &mut lists[level as usize..][..2] else { break };
            let call = calls::sbr_first(
                launches,
                nodes,
                corners,
                normals,
                facets,
                tiles,
                entries,
                firsts,
                seeds,
                &*cells,
                &*kept,
                &mut *rays,
                &mut *states,
                &mut open[0],
                &mut *parts,
                &mut *counters,
                level,
                begin,
                numbers,
            );
            kernels.first.launch(stream, call)?;
            for round in 0..=ROUNDS as u32 {
                if round > 0 {
                    let call = calls::sbr_beyond(
                        launches,
                        nodes,
                        corners,
                        normals,
                        facets,
                        tiles,
                        entries,
                        &mut *rays,
                        &*states,
                        &*looking,
                        &mut *counters,
                        level,
                        round,
                        numbers,
                    );
                    kernels.beyond.launch(stream, call)?;
                }
                let [open, next] = &mut open[round as usize..][..2] else { break };
                let call = calls::sbr_ways(
                    &*rays,
                    &mut *states,
                    &*open,
                    &mut *pieces,
                    &mut *children,
                    &mut *parts,
                    &mut *counters,
                    level,
                    round,
                    numbers,
                );
                kernels.ways.launch(stream, call)?;
                let call = calls::sbr_regions(
                    launches,
                    corners,
                    normals,
                    &*rays,
                    &mut *states,
                    &*pieces,
                    &mut *polygons,
                    &*counters,
                    level,
                    round,
                );
                kernels.regions.launch(stream, call)?;
                let call = calls::sbr_edges(
                    &mut *rays,
                    &*states,
                    &*polygons,
                    &*open,
                    next,
                    &mut *looking,
                    &mut *taking,
                    &mut *known,
                    &mut *children,
                    &mut *parts,
                    &mut *counters,
                    level,
                    round,
                    numbers,
                );
                kernels.edges.launch(stream, call)?;
            }
            let call = calls::sbr_take(
                launches,
                corners,
                normals,
                &*rays,
                &mut *states,
                &*polygons,
                &*taking,
                &mut *parts,
                &mut *counters,
                level,
                numbers,
            );
            kernels.take.launch(stream, call)?;
            let (parts, counters) = (&mut *parts, &mut *counters);
            let call =
                calls::sbr_decide(&*rays, &*states, &*known, children, parts, counters, level, numbers);
            kernels.decide.launch(stream, call)?;
        }
        Ok(())
    }
}
