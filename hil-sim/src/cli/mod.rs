//! The command line: arguments, the plan they resolve to, the run, its report, the exit code.

mod args;
mod exit;
mod plan;
mod report;
mod run;

pub use args::Arguments;
pub use exit::exit;
pub use run::run;
