//! The product as its users meet it: the binary, real processes, real files.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests live at the edge, and say what is wrong by panicking"
)]

mod bad_input;
mod baseline;
mod chat;
mod differential;
mod diffs;
mod equiv;
mod flow;
mod golden;
mod imported;
mod init;
mod interrupt;
mod merging;
mod processes;
mod release;
mod reports;
mod repository;
mod retrieval;
mod scenarios;
mod selection;
mod support;
mod workers;
