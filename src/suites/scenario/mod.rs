//! Suites of kind `scenario`: an edit of a fixture, goals that must hold, and assertions about what changed.

pub mod adapters;
mod assertion;
mod config;
mod detail;
pub mod directive;
mod evaluate;
mod format;
mod install;
mod kind;
pub mod matching;
pub mod observation;
mod page;
mod runner;
mod starter;
pub mod unified;
mod workcopy;

pub use config::ScenarioConfig;
pub use detail::{AssertionDetail, GoalDetail, ScenarioDetail};
pub use evaluate::{detail, evaluate};
use format::load_suite;
pub use format::{Goal, ScenarioFile, ScenarioQuestion, Scope};
pub use kind::{ScenarioEvidence, ScenarioKind};
pub use runner::ScenarioRunner;
