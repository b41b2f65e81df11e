//! The program as a user meets it, command by command. All tests are one program, because each one links the whole house;
//! what they test runs in processes of its own.

mod cli;
mod common;
mod dgtd;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(unix)]
mod live;
mod mom;
mod nufft;
mod pnah;
mod reflectarray;
mod sbr;
mod viewer;
