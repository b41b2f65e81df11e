//! Parts of a run that several processes share.

use super::super::ranks::Ranks;
use crate::cli::Result;
use pipeline::dgtd::design::Design;
use pipeline::dgtd::partition::Partition;

/// Deals out the elements of a design to all processes; none where there is one.
pub fn deal_out(ranks: &Ranks, design: &Design) -> Result<Option<Partition>> {
    if ranks.size() == 1 {
        return Ok(None);
    }
    // One of them decides: others may be machines that compute otherwise. Numbers of parts are exact in any format.
    let made =
        if ranks.is_first() { Some(Partition::new(design, ranks.size())).transpose() } else { Ok(None) };
    let made = ranks.agree(made.map_err(Into::into))?;
    let mut owners: Vec<f64> = made.map_or_else(
        || vec![0.0; design.cells.len()],
        |partition| partition.owners.iter().copied().map(f64::from).collect(),
    );
    ranks.share(0, &mut owners);
    let owners = owners.into_iter().map(|owner| owner as u32).collect();
    Ok(Some(Partition { parts: ranks.size(), owners }))
}
