//! Text helpers that every module may use: quoting, counting, shortening, redacting. Pure.

mod quote;
mod redact;
mod truncate;

pub use quote::{counted, flag, is_invisible, plain, shell_quoted, visible};
pub use redact::{Redact, Redactor};
pub use truncate::truncate_middle;
