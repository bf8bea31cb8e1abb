//! Suites of kind `command`: natural language in, one shell command out.

mod answers;
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
pub use danger::danger;
pub use detail::{CommandDetail, CommandSuiteDetail, Difference, Method, RefusalCounts};
use evaluate::marked;
pub use evaluate::{evaluate, sentence};
use format::load;
pub use format::load_tables;
pub use format::{CommandDataset, CommandQuestion, RiskLevel};
pub use kind::CommandKind;
pub use posix::extensions as posix_extensions;
