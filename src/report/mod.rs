//! Pure functions from the result model to text, one file per format.

mod comparison;
mod json;
mod quote;
mod terminal;
mod trend;
mod verdict;

pub use comparison::{age, change_counts};
pub use json::json;
pub use quote::{counted, plain, shell_quoted};
pub use terminal::{Style, terminal};
pub use trend::{baseline, sparkline, trend};
pub use verdict::verdict_line;
