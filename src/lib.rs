//! Runs every evaluation of a repository, compares with what `main` has, and says what is good enough.
//!
//! ```text
//! load → plan → execute → score → aggregate → compare → gate → report
//! ```
//!
//! `run.rs` is that flow. All kinds of suite come in at `load`; from `score` on there is one result model,
//! `results::Results`, and everything after it is the same for all kinds.

mod aggregate;
mod baseline;
mod ci;
mod cli;
mod compare;
mod conclude;
mod doctor;
mod execute;
mod gate;
mod github;
mod http;
mod init;
mod input;
mod merge;
mod model;
mod plan;
mod process;
mod recordings;
mod replay;
mod report;
mod repository;
mod results;
mod run;
mod settings;
mod stats;
mod suites;
mod targets;
mod text;

pub use cli::main;

/// What benchmarks, fuzzing and end-to-end tests reach besides the binary. It may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::github::comment::Marker;
    pub use crate::model::Lane;
    pub use crate::report::{data, markdown, property};
    pub use crate::suites::command::equivalence::{EquivalenceRule, Tables, compare};
    pub use crate::suites::scenario::matching::normalised;
    pub use crate::suites::scenario::unified::hunks;
    pub use crate::targets::index::Index;
    pub use crate::text::sha256;
}
