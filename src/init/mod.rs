//! The first configuration of a repository: what was found there → what is proposed → files. `src/cli/init.rs` looks,
//! asks and writes.

mod files;
mod found;
mod survey;
mod workflows;

pub use files::files;
pub use found::{data_among, tools_among};
pub use survey::{Offer, code_patterns, language_of, may_be_results, note_patterns, offers, prompts_among, sdk_in};
