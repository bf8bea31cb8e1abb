//! Suites of kind `command`: natural language in, one shell command out.

mod config;
mod detail;
pub mod equivalence;
mod evaluate;
mod format;

pub use config::CommandConfig;
pub use detail::{CommandDetail, CommandSuiteDetail, Difference, Method};
pub use evaluate::{evaluate, sentence, suite_detail};
pub use format::{CommandDataset, CommandQuestion, load, load_suite, load_tables};
