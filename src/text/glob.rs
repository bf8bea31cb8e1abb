//! Patterns of paths, which anybody may have written.

use globset::{Glob, GlobBuilder};

/// Nobody needs more alternatives within alternatives, and reading them takes more and more stack.
const DEEPEST: usize = 8;
/// Nobody writes longer ones by hand.
const LONGEST: usize = 4096;

/// A pattern in which `*` and `?` do not match a `/`, or why it is none.
pub fn glob(pattern: &str) -> Result<Glob, String> {
    if pattern.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let mut depth = 0_usize;
    for character in pattern.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("it has more than {DEEPEST} braces within each other"));
        }
    }
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_and_deep_or_long_ones_are_refused() {
        assert!(glob("src/**/*.{rs,toml}").unwrap().compile_matcher().is_match("src/a/b.rs"));
        for depth in [9, 1_000, 100_000] {
            let nested = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
            assert!(glob(&nested).is_err(), "{depth}");
        }
        assert!(glob(&"{a,".repeat(2_000)).is_err());
        assert!(glob(&"a".repeat(5_000)).is_err());
        assert_eq!(glob("{a").unwrap_err(), "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
    }
}
