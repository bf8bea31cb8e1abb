//! Suites of kind `retrieval`: a question in, a ranking out, measured by where the expected ids stand.

pub mod builtin;
mod config;
mod detail;
mod evaluate;
pub mod expected;
mod format;
mod kind;
pub mod metrics;
mod page;
mod samples;
mod starter;
pub mod trec;

pub use config::{PassAt, RetrievalConfig};
pub use detail::{CaseOrigin, RetrievalDetail, RetrievalSuiteDetail};
pub use evaluate::{Held, detail, evaluate};
pub use format::{CaseList, RetrievalQuestion, load};
pub use kind::RetrievalKind;
