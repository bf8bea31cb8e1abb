//! Text that people wrote, read so that every mistake can be pointed at.
//!
//! A [`Document`] is JSON or TOML with the position of every value. A [`Checker`] holds it against the schema of
//! a Rust type and turns each deviation into a [`InputError`]; all errors of all files are reported at once.

mod checker;
mod document;
mod duration;
mod error;
mod file_set;
mod files;
mod found;
mod nearest;
mod place;
mod tracked;
mod tree;

pub use checker::{Checker, FileSchema, schema_of, written_schema_of};
pub use document::{Document, Pointer, Position};
pub use duration::parse_duration;
pub use error::{InputError, InputErrors};
pub use file_set::FileSet;
pub use files::{delete, expand_globs, files_in, find_directory, is_file, read_bytes, read_text, write_atomically};
pub use found::{FindError, Found, Ignored};
pub use nearest::{is_slip, nearest, several_nearest};
pub use place::Place;
pub use tracked::{TrackedFiles, unix_lines, with_unix_lines, words};
pub use tree::{TreeError, TreeKind, TreeScan, scan, tree_hash, tree_hashes};
