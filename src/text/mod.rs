//! Text helpers that every module may use: quoting, counting, shortening, redacting. Pure.

mod digest;
mod glob;
mod quote;
mod redact;
mod truncate;

pub use digest::sha256;
pub use glob::glob;
pub use quote::{counted, flag, is_invisible, plain, shell_quoted, visible};
pub use redact::{Redact, Redactor};
pub use truncate::truncate_middle;
