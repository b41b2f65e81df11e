//! Shapes of elements, and which of them set the time step.

use super::{Mesh, gradients};
use std::fmt;

/// Elements named in a report.
const NAMED: usize = 5;

/// Inscribed radius of an element, m: 1/sum |grad L_i|.
pub fn inradius(mesh: &Mesh, element: usize) -> f64 {
    let (gradients, _) = gradients(mesh.corners(element));
    gradients.iter().map(|gradient| gradient.length()).sum::<f64>().recip()
}

/// Inscribed over circumscribed radius, times 3: 1 for the regular tetrahedron, 0 for a flat one.
pub fn radius_ratio(mesh: &Mesh, element: usize) -> f64 {
    let corners = mesh.corners(element);
    let (gradients, _) = gradients(corners);
    let [a, b, c] = [1, 2, 3].map(|corner| corners[corner] - corners[0]);
    // The centre of the circumscribed sphere is at sum |edge|^2 grad L/2 from corner 0.
    let squares = [a.dot(a), b.dot(b), c.dot(c)];
    let centre = gradients[1] * squares[0] + gradients[2] * squares[1] + gradients[3] * squares[2];
    3.0 * inradius(mesh, element) / (0.5 * centre.length())
}

/// What a mesh is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Elements.
    pub elements: usize,
    /// m^3
    pub volume: f64,
    /// Least, median and largest radius ratio.
    pub radius_ratio: [f64; 3],
    /// Least, median and largest inscribed radius, m.
    pub inradius: [f64; 3],
    /// Elements that set the time step: number and inscribed radius divided by the speed of light there (that of vacuum is 1), m; least first.
    pub slowest: Vec<(usize, f64)>,
    /// How much longer the time step would be without the hundredth of the elements that ask for the shortest.
    pub gain: f64,
}

/// Looks at every element; `speeds` are those of light in each, that of vacuum being 1.
pub fn quality(mesh: &Mesh, speeds: impl Fn(usize) -> f64) -> Quality {
    let all = 0..mesh.len();
    let spread = |value: &dyn Fn(usize) -> f64| {
        let mut values: Vec<f64> = all.clone().map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        [values[0], values[values.len() / 2], values[values.len() - 1]]
    };
    let mut times: Vec<(usize, f64)> =
        all.clone().map(|element| (element, inradius(mesh, element) / speeds(element))).collect();
    times.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    Quality {
        elements: mesh.len(),
        volume: all.clone().map(|element| gradients(mesh.corners(element)).1).sum(),
        radius_ratio: spread(&|element| radius_ratio(mesh, element)),
        inradius: spread(&|element| inradius(mesh, element)),
        gain: times[times.len() / 100].1 / times[0].1,
        slowest: times.into_iter().take(NAMED).collect(),
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, middle, high] = self.radius_ratio;
        writeln!(f, "{} tetrahedra, {:.6e} m^3", self.elements, self.volume)?;
        writeln!(f, "radius ratio {low:.3} (least), {middle:.3} (median), {high:.3} (best); 1 is regular")?;
        let [low, middle, high] = self.inradius;
        writeln!(f, "inscribed radius {low:.3e} to {high:.3e} m, median {middle:.3e} m")?;
        let named: Vec<String> = self.slowest.iter().map(|(element, _)| element.to_string()).collect();
        write!(f, "the time step is set by elements {}", named.join(", "))?;
        write!(f, "; without one in a hundred it would be {:.2} times as long", self.gain)
    }
}
