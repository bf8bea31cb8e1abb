//! "Did you mean …?"

/// The candidate that is most like `wrong`, if one is like it at all.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(wrong);
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&folded, &fold(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// The candidates that are most like `wrong`, the nearest first, at most so many.
pub fn several_nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let folded = fold(wrong);
    let mut all: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (strsim::normalized_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    all.into_iter().take(most).map(|(_, candidate)| candidate).collect()
}

/// Whether two names are the same but for a slip of the pen.
pub fn is_slip(name: &str, meant: &str) -> bool {
    strsim::jaro_winkler(&fold(name), &fold(meant)) >= 0.95
}

/// `maxErrors`, `max_errors` and `max-errors` are the same slip.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_finds_the_nearest_name_and_nonsense_finds_none() {
        let names = ["prompt", "expected_command", "accepted_commands", "risk_level"];
        assert_eq!(nearest("promt", names), Some("prompt"));
        assert_eq!(nearest("expectedCommand", names), Some("expected_command"));
        assert_eq!(nearest("risk-level", names), Some("risk_level"));
        assert_eq!(nearest("zzz", names), None);
    }
}
