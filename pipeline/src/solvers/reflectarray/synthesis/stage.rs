//! The usual stages.

/// What one stage may change, how far it goes, and how many designs it keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Name in reports.
    pub name: String,
    /// Order of Zernike's polynomials for the phases; every phase by itself where there is none.
    pub zernike: Option<usize>,
    /// Nodes of the map of positions along each axis; elements stay where it is 0 or no spacing is given.
    pub nodes: usize,
    /// p of the soft minimum.
    pub sharpness: f64,
    /// Most iterations.
    pub iterations: usize,
    /// What the penalty of the spacing counts for.
    pub penalty: f64,
    /// Designs that go on.
    pub keep: usize,
}

impl Stage {
    fn phases(name: &str, sharpness: f64, iterations: usize, keep: usize) -> Self {
        Self { name: name.into(), zernike: None, nodes: 0, sharpness, iterations, penalty: 0.0, keep }
    }

    fn positions(
        name: &str,
        nodes: usize,
        sharpness: f64,
        iterations: usize,
        penalty: f64,
        keep: usize,
    ) -> Self {
        Self { nodes, penalty, ..Self::phases(name, sharpness, iterations, keep) }
    }
}

/// For elements that stay.
pub fn periodic() -> Vec<Stage> {
    let zernike =
        |order, keep| Stage { zernike: Some(order), ..Stage::phases("Zernike phases", 2.0, 20, keep) };
    vec![
        zernike(3, usize::MAX),
        Stage::phases("phases, p = 2", 2.0, 60, usize::MAX),
        Stage::phases("phases, p = 6", 6.0, 80, 4),
        Stage::phases("phases, p = 20", 20.0, 150, 2),
        Stage::phases("phases, p = 60", 60.0, 250, 2),
        Stage::phases("phases, p = 200", 200.0, 400, 1),
    ]
}

/// For elements that move within limits.
pub fn aperiodic() -> Vec<Stage> {
    let mut stages = periodic();
    stages.truncate(4);
    stages.extend([
        Stage::positions("positions, 3 nodes", 3, 20.0, 80, 1e1, 2),
        Stage::positions("positions, 5 nodes", 5, 20.0, 120, 1e2, 2),
        Stage::positions("positions, 9 nodes", 9, 60.0, 200, 1e2, 2),
        Stage::positions("refinement", 9, 200.0, 300, 1e3, 1),
    ]);
    stages
}

/// From a finished design to one with another trade of mean for minimum; `nodes` as in [`Stage`].
pub fn trade(nodes: usize) -> Vec<Stage> {
    vec![
        Stage::positions("trade, p = 20", nodes, 20.0, 100, 1e2, 1),
        Stage::positions("trade, p = 60", nodes, 60.0, 200, 1e2, 1),
        Stage::positions("trade, p = 200", nodes, 200.0, 300, 1e3, 1),
    ]
}
