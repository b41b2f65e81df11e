//! The live instrument in this process. A program of its own: what is asserted depends on time, so that nothing else may
//! run beside it, and its tests take turns ([`tests::live::turn`]).

mod faults;
mod matrix;
mod stream;
