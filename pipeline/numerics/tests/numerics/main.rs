//! The arithmetic that the solvers share, module by module.

mod jacobi;
mod parallel;
mod quadrature;
mod random;
mod real;
mod special;
mod vec3;
