//! Text that people wrote, read so that every mistake can be pointed at.
//!
//! A [`Document`] is JSON or TOML with the position of every value. A [`Checker`] holds it against the schema of
//! a Rust type and turns each deviation into a [`Mistake`]; all mistakes of all files are reported at once.

mod checker;
mod document;
mod files;
mod mistake;
mod nearest;
mod tree;

pub use checker::{Checker, schema_of};
pub use document::{Document, Pointer, Position};
pub use files::{Found, Ignored, expand_globs, find_directory, is_file, read_bytes, read_text, write_atomically};
pub use mistake::{Mistake, Mistakes};
pub use nearest::nearest;
pub use tree::{Scan, TreeEntry, TreeKind, scan, tree_hash};
