//! Phase-only synthesis of reflectarrays: phases and positions of printed elements that, lit by one feed,
//! cover a region with a directivity.
//!
//! # Formulas
//! ```text
//! f_n      = cos^m(theta_n) exp(-j beta r_n)/r_n             what the feed brings to element n       model::Feed
//! a_n      = f_n exp(j psi_n)                                or f_n S(psi_n, incidence)              scattering::Scattering
//! F(u, v)  = sum_n a_n exp(j beta (u x_n + v y_n))           array factor
//! E(u, v)  = g(u, v) F(u, v)                                 far field; g = cos^q(theta)             model::Pattern
//! P        = a^H S a,   S_mn = sin(beta R_mn)/(beta R_mn)    power through the hemisphere over 2 pi, for q = 0
//! D(u, v)  = 2 |E|^2/P                                       directivity
//! ```
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x_n, y_n | position of an element in the aperture's plane, from its centre | m |
//! | psi_n | phase that an element adds | rad |
//! | r_n, theta_n | from the feed to the element; angle off the feed's aim | m, rad |
//! | m | exponent of the feed's field pattern | 1 |
//! | u, v | direction cosines along x and y: sin(theta) cos(phi), sin(theta) sin(phi) | 1 |
//! | lambda, beta | wavelength, 2 pi/lambda | m, rad/m |
//! | D | directivity over an isotropic radiator; in files dBi | 1 |
//! | P | power through the hemisphere over 2 pi, for the co-polar and the cross-polar part together | |
//! | G | what is minimised | 1 |
//!
//! # Validity
//! Every element lies in the far zone of the feed and has the same pattern; what neighbours do to it is in
//! its table or nowhere. Directions lie in front of the aperture. Fields are right to a tolerance that the
//! plan is given, gradients are those of the fields as computed, and the power's error is stated in
//! [`design::Spectrum`].
//!
//! # Cost
//! Objective and gradient of N elements on a lattice at D directions: 4 (N k + D k l) multiply-adds for the
//! far field and back, k and l about beta X U + 15 terms along the axes, and four FFTs of 4 N points for the
//! power. Elsewhere 4 (N + D) k l, and two FFTs for (4 X/lambda + 40)^2 modes, positions or not.
//!
//! # References
//! Capozzoli, Curcio, Liseno and Toso, Fast, phase-only synthesis of aperiodic reflectarrays using NUFFTs and
//! CUDA, Progress In Electromagnetics Research 156, 83 (2016) (the paper); Bucci, Franceschetti, Mazzarella
//! and Panariello, IEE Proc. H 137, 349 (1990) (generalised projections); Nocedal and Wright, Numerical
//! Optimization, 2006. Mathematics: `docs/math/reflectarray.md`.
//!
//! # What differs from the paper
//! - Its eqs 19 and A6 lack beta and print v_k x_n for v_k y_n; eq. 4 has w_n^{m_f}.
//! - Directivities, not fields, are optimised: P and its gradient are part of the objective.
//! - The soft minimum with continuation ([`objective`]) stands beside its functional, and needs no level that
//!   is known beforehand.
//! - A coverage takes few Chebyshev moments of the aperture, so that neither the far field nor its adjoint
//!   needs an FFT ([`cpu`]).
//! - Its masks are not published: its tables cannot be repeated, only redone on other masks.
//!
//! # Reading order
//! `model`, `scattering`, `mask`; [`reference`](mod@reference); [`design`], [`cpu`]; [`objective`],
//! [`projections`]; [`lbfgs`]; [`presynthesis`], [`zernike`], [`positions`], [`spacing`]; [`problem`],
//! [`synthesis`], `mlsl`, [`score`], [`budget`]; [`case`].
#![forbid(unsafe_code)]

pub mod budget;
pub mod case;
pub mod coverage;
pub mod cpu;
mod csv;
pub mod cuda;
mod decibels;
pub mod design;
pub mod dxf;
mod error;
pub mod files;
pub mod layout;
pub mod lbfgs;
mod mask;
mod mlsl;
mod model;
pub mod objective;
pub mod positions;
pub mod presynthesis;
pub mod problem;
mod progress;
pub mod projections;
pub mod reference;
mod scattering;
pub mod score;
pub mod spacing;
pub mod synthesis;
#[cfg(test)]
mod testing;
mod vector;
pub mod zernike;

pub use error::Error;
use error::Result;
pub use mask::{Mask, Region};
pub use model::{Elements, Feed, Light, Model, Pattern, Spacing};
pub use progress::{Progress, Score, Watch};
pub use scattering::{Scattering, ScatteringTable};
pub use synthesis::{Design, Plan, Stage, Task};
