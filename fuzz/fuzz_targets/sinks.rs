//! Whatever a text is: as Markdown it makes no markup of its own, and as a workflow command it is one line.
#![no_main]

use evalratchet::internals::{data, markdown, property};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for rendered in [markdown::text(text), markdown::code(text), markdown::html_code(text)] {
        assert!(!rendered.contains('\n') && !rendered.contains("<!--") && !rendered.contains('\u{1b}'));
    }
    assert!(!markdown::text(text).contains('<'));
    let fence = markdown::fence(text, "diff");
    let ticks: String = fence.chars().take_while(|c| *c == '`').collect();
    let lines: Vec<&str> = fence.lines().collect();
    assert!(lines.len() >= 2 && lines[lines.len() - 1] == ticks);
    assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains(&ticks)));
    assert!(!data(text).contains(['\r', '\n']) && !property(text).contains(['\r', '\n', ',', ':']));
});
