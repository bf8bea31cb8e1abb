//! Suites of kind `command`: natural language in, one shell command out.

mod config;
mod detail;
pub mod equivalence;
mod evaluate;
mod format;
mod kind;
mod page;
mod starter;

pub use config::CommandConfig;
pub use detail::{CommandDetail, CommandSuiteDetail, Difference, Method};
use evaluate::marked;
pub use evaluate::{evaluate, sentence};
pub use format::{CommandDataset, CommandQuestion};
use format::{load, load_tables};
pub use kind::CommandKind;
