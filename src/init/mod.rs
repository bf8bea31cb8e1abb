//! The first configuration of a repository: what was found there → what is proposed → files. `src/cli/init.rs` looks,
//! asks and writes.

mod files;
mod look;
mod samples;
mod workflows;

pub use files::{NewFile, Written, files};
pub use look::{
    Language, Look, Offer, Repository, Results, code_patterns, language_of, may_be_results, note_patterns,
    prompts_among, sdk_in,
};

/// A value between 0 and 1 as a floor that it holds: cut after two digits, never rounded up.
fn floor(value: f64) -> String {
    // 0.29 is a little less than 29 hundredths in binary.
    format!("{:.2}", (value * 100.0 + 1e-9).floor() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::floor;

    #[test]
    fn a_floor_is_never_above_what_was_measured() {
        for (value, expected) in [(1.0, "1.00"), (0.999, "0.99"), (0.29, "0.29"), (2.0 / 3.0, "0.66"), (0.0, "0.00")] {
            assert_eq!(floor(value), expected);
            let read: f64 = floor(value).parse().unwrap();
            assert!(read <= value, "{read} {value}");
        }
    }
}
