//! Suites of kind `golden`: structured output of a model, scored by parts against a reviewed answer.

mod accept;
mod case_errors;
mod config;
mod detail;
mod evaluate;
mod format;
mod inert;
mod json_in;
mod kind;
pub mod measures;
mod page;
mod scorer;
mod selector;
mod starter;

pub use accept::accepted;
pub use config::GoldenConfig;
pub use detail::{ComponentDetail, GoldenDetail, GoldenSuiteDetail};
pub use evaluate::{OpinionRequest, detail, evaluate, opinion_requests, read_answer};
pub use format::{CaseFile, GoldenQuestion, load};
pub use json_in::json_in;
pub use kind::GoldenKind;
pub use selector::{Root, Selector};
