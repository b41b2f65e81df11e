//! The viewer from outside: who may come in, what they get, what hostile clients can do, and the page in a browser.

mod access;
mod browser;
mod cdp;
mod hostile;
mod instrument;
mod live;
mod support;
mod talk;
