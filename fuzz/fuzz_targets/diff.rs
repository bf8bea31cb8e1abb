//! Whatever two files are: their diff is made without a panic, and is empty exactly if they are equal.
#![no_main]

use evalratchet::internals::{hunks, normalised};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|files: (&[u8], &[u8])| {
    let (before, after) = files;
    let diff = hunks(before, after);
    assert_eq!(diff.is_empty(), before == after);
    normalised(&String::from_utf8_lossy(&diff));
});
