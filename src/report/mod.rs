//! Pure functions from the result model to text, one file per format.

mod json;
mod quote;
mod terminal;
mod verdict;

pub use json::json;
pub use quote::{counted, plain, shell_quoted};
pub use terminal::{Style, terminal};
pub use verdict::verdict_line;
