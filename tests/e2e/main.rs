//! The product as its users meet it: the binary, real processes, real files.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests live at the edge, and say what is wrong by panicking"
)]

mod answers;
mod bad_input;
mod base_commit;
mod baseline;
mod baseline_push;
mod changed_since;
mod chat;
mod differential;
mod diffs;
mod doctor;
mod equiv;
mod evidence;
mod faults;
mod flow;
mod forks;
mod formats;
mod git_failures;
#[path = "../github/mod.rs"]
mod github;
#[path = "../github/check.rs"]
mod github_check;
mod golden;
mod identity;
mod imported;
mod imports;
mod init;
mod interrupt;
mod job;
mod merging;
mod processes;
mod publishing;
mod redaction;
mod release;
mod remote;
mod reports;
mod repository;
mod retrieval;
mod scenarios;
mod secrecy;
#[path = "../seeds/mod.rs"]
mod seeds;
mod selection;
mod stale_results;
mod support;
mod workers;
