//! Suites of kind `command`: natural language in, one shell command out.

mod calls;
mod config;
mod danger;
mod detail;
pub mod equivalence;
mod evaluate;
mod format;
mod kind;
mod page;
mod posix;
mod starter;

pub use config::CommandConfig;
pub use danger::{Danger, Finding, danger};
pub use detail::{CommandDetail, CommandSuiteDetail, Difference, Method};
use evaluate::marked;
pub use evaluate::{evaluate, sentence};
pub use format::{CommandDataset, CommandQuestion, RiskLevel};
use format::{load, load_tables};
pub use kind::CommandKind;
