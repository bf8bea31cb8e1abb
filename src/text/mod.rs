//! Text helpers that every module may use: quoting, counting, shortening. Pure.

mod quote;
mod truncate;

pub use quote::{counted, plain, shell_quoted};
pub use truncate::truncate_middle;
