//! Suites of kind `scenario`: an edit of a fixture, goals that must hold, and assertions about what changed.

pub mod adapters;
mod assertion;
pub mod directive;
mod evaluate;
mod format;
pub mod matching;
pub mod observation;
pub mod unified;

pub use assertion::{Assertion, AssertionKind};
pub use evaluate::{detail, evaluate};
pub use format::{Context, Goal, Match, ScenarioFile, ScenarioQuestion, Scope, load};
