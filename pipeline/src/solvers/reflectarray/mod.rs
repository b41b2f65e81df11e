//! Phase-only synthesis of reflectarrays: phases and positions of printed elements that, lit by one feed, cover a region
//! with a directivity.
//!
//! # Formulas
//! ```text
//! f_n      = cos^m(theta_n) exp(-j beta r_n)/r_n             what the feed brings to element n       model::Feed
//! a_n      = f_n exp(j psi_n)                                or f_n S(psi_n, incidence)              model::Scattering
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
//!
//! # References
//! Capozzoli, Curcio, Liseno and Toso, Fast, phase-only synthesis of aperiodic reflectarrays using NUFFTs and CUDA, Progress In
//! Electromagnetics Research 156, 83 (2016) (the paper).

pub mod case;
pub mod coverage;
mod error;
pub mod layout;
pub mod lbfgs;
pub mod mask;
pub mod mlsl;
pub mod model;
pub mod progress;
mod vector;

pub use error::Error;
pub use mask::{Mask, Region};
pub use model::{Elements, Feed, Model, Pattern, Scattering, ScatteringTable, Spacing};
pub use progress::{Progress, Score, Watch};
