//! The `nearfield` program: bits of a sensor array to fields.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pipeline::main()
}
