//! Which part of a prompt's label the user chose. By default promptfoo calls a prompt by the text of its template, with the
//! path of its file in front; a label that the user set comes before both, or stands alone.

use std::sync::LazyLock;

use regex::Regex;

#[expect(clippy::unwrap_used, reason = "a constant; every test of this file would fail")]
static HOLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s)\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}").unwrap());

/// A label longer than this is no name that anybody chose.
const LONGEST: usize = 100;

/// The label that the user set, if there is one. `rendered` is the prompt as it was sent.
pub(super) fn label_of(label: &str, rendered: &str) -> Option<String> {
    let label = label.trim();
    let starts = std::iter::once(0).chain(label.match_indices(": ").map(|(at, sign)| at + sign.len()));
    let before =
        starts.into_iter().find(|start| is_template_of(&label[*start..], rendered)).map(|start| &label[..start]);
    let own = match before {
        // The path of a file is no name of the user's: a name comes before it.
        Some(before) => before.trim_end().trim_end_matches(':').rsplit_once(": ").map_or("", |(own, _)| own),
        // The template became another text than its parts tell, but a name before the path of a file is a name.
        None if label.contains('\n') || HOLE.is_match(label) || label.chars().count() > LONGEST => {
            let mut parts = label.split(": ");
            let (name, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_path = path.contains('.') && !path.contains(char::is_whitespace) && parts.next().is_some();
            if is_path { name } else { "" }
        }
        None => label,
    };
    Some(own.trim().to_owned()).filter(|own| !own.is_empty())
}

/// Whether a template may have become this text: its fixed parts stand in it, in order.
fn is_template_of(template: &str, rendered: &str) -> bool {
    let (template, rendered) = (template.trim(), rendered.trim());
    let fixed: Vec<&str> = HOLE.split(template).collect();
    let [first, between @ .., last] = fixed.as_slice() else { return template == rendered && !template.is_empty() };
    if fixed.iter().all(|part| part.trim().is_empty()) {
        return true;
    }
    let Some(mut rest) = rendered.strip_prefix(first.trim_start()) else { return false };
    for part in between {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last.trim_end())
}

#[cfg(test)]
mod tests {
    use super::label_of;

    #[test]
    fn only_what_the_user_chose_is_a_label() {
        for (label, rendered, expected) in [
            ("Name the country of {{city}}.", "Name the country of Lima.", None),
            ("Say hello", "Say hello", None),
            ("p.txt: Country of {{city}}?", "Country of Lima?", None),
            ("terse: p.txt: Country of {{city}}?", "Country of Lima?", Some("terse")),
            ("p.txt: Say\nthe country: of {{city}}", "Say\nthe country: of Lima", None),
            ("v2", "Country of Lima?", Some("v2")),
            ("terse: p.txt: [{\"content\": \"{{city}}\"}]", "[ {\"content\": \"Lima\"} ]", Some("terse")),
            ("p.txt: [{\"content\": \"{{city}}\"}]", "[ {\"content\": \"Lima\"} ]", None),
            ("team: v2", "Country of Lima?", Some("team: v2")),
            ("prompt.js:make", "Country of Lima?", Some("prompt.js:make")),
            ("{{q}}", "anything", None),
            ("p.txt: {{q}}", "anything", None),
            ("Answer {% if a %}this{% endif %} now", "Answer that now, please", None),
            ("", "x", None),
        ] {
            assert_eq!(label_of(label, rendered).as_deref(), expected, "{label}");
        }
    }
}
