//! `nearfield pnah` and the end of `nearfield demo` as a user meets them: what they write, what they say, and how they
//! refuse.

mod bench;
mod chain;
mod cuda;
mod files;
mod irregular;
mod microphones;
mod refusals;
