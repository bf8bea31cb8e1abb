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
