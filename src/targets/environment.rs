//! What a target may see of the environment: nothing that could be a secret or tells it that this is CI.

use std::ffi::{OsStr, OsString};

use crate::text::Redactor;

/// Variables that every target sees. Secrets have any name, so what is not listed is held back.
const HARMLESS: [&str; 41] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "COLORTERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "PWD",
    "TMPDIR",
    "TMP",
    "TEMP",
    "DISPLAY",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_AUTO_INSTALL",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "NODE_PATH",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
];

/// Names of these families that every target sees: the ones that are defined, since anybody may invent more.
const HARMLESS_FAMILIES: [(&str, &[&str]); 2] = [
    (
        "LC_",
        &[
            "ALL",
            "ADDRESS",
            "COLLATE",
            "CTYPE",
            "IDENTIFICATION",
            "MEASUREMENT",
            "MESSAGES",
            "MONETARY",
            "NAME",
            "NUMERIC",
            "PAPER",
            "TELEPHONE",
            "TIME",
        ],
    ),
    ("XDG_", &["CACHE_HOME", "CONFIG_DIRS", "CONFIG_HOME", "DATA_DIRS", "DATA_HOME", "RUNTIME_DIR", "STATE_HOME"]),
];

/// The part of the environment that a target sees, and the names of the rest.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub visible: Vec<(OsString, OsString)>,
    held_back: Vec<String>,
}

/// Takes the values of these variables out of text: they are confided to targets, and to nobody else.
pub fn redactor<'a>(whole: &[(OsString, OsString)], confided: impl IntoIterator<Item = &'a str>) -> Redactor {
    let confided: Vec<&str> = confided.into_iter().collect();
    let is_confided = |name: &OsStr| !is_harmless(name) && confided.iter().any(|one| OsStr::new(one) == name);
    Redactor::new(whole.iter().filter(|(name, _)| is_confided(name)).filter_map(|(_, value)| value.to_str()))
}

impl Environment {
    /// Splits the whole environment; `allowed` are the names that the suite lists.
    pub fn reduced(whole: &[(OsString, OsString)], allowed: &[String]) -> Self {
        let mut reduced = Self::default();
        for (name, value) in whole {
            if is_harmless(name) || allowed.iter().any(|allowed| OsStr::new(allowed) == name) {
                reduced.visible.push((name.clone(), value.clone()));
            } else if let Some(name) = name.to_str() {
                reduced.held_back.push(name.to_owned());
            }
        }
        reduced.held_back.sort();
        reduced
    }

    /// What to say when a target failed: the variables it may have wanted. Those it speaks of itself come first;
    /// if it names none, those that look like credentials.
    pub fn hint(&self, output: &str) -> Option<String> {
        let mentioned = |name: &&String| {
            name.len() > 3
                && output.match_indices(name.as_str()).any(|(at, found)| {
                    let whole = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
                    whole(output[..at].chars().next_back()) && whole(output[at + found.len()..].chars().next())
                })
        };
        let mut names: Vec<&String> = self.held_back.iter().filter(mentioned).collect();
        if names.is_empty() {
            names = self.held_back.iter().filter(|name| looks_like_credential(name)).collect();
        }
        if names.is_empty() {
            return None;
        }
        let more = names.len().saturating_sub(5);
        let mut listed: Vec<&str> = names.iter().take(5).map(|name| name.as_str()).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        listed.dedup();
        Some(format!(
            "held back from the target: {}{more} (list what it needs in the suite's `env`)",
            listed.join(", ")
        ))
    }
}

fn is_harmless(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    HARMLESS.iter().any(|harmless| harmless.eq_ignore_ascii_case(name))
        || HARMLESS_FAMILIES
            .iter()
            .any(|(family, names)| name.strip_prefix(family).is_some_and(|rest| names.contains(&rest)))
}

fn looks_like_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["_KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(allowed: &[&str]) -> Environment {
        let whole: Vec<(OsString, OsString)> =
            ["PATH", "LC_ALL", "GITHUB_TOKEN", "CI", "OPENAI_API_KEY", "MY_BACKEND", "GITHUB_ACTIONS"]
                .iter()
                .map(|name| (name.into(), "x".into()))
                .collect();
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        Environment::reduced(&whole, &allowed)
    }

    fn names(environment: &Environment) -> Vec<&str> {
        environment.visible.iter().filter_map(|(name, _)| name.to_str()).collect()
    }

    #[test]
    fn no_token_key_or_ci_variable_is_seen_unless_the_suite_lists_it() {
        assert_eq!(names(&reduced(&[])), ["PATH", "LC_ALL"]);
        assert_eq!(names(&reduced(&["OPENAI_API_KEY"])), ["PATH", "LC_ALL", "OPENAI_API_KEY"]);
    }

    #[test]
    fn a_failure_names_withheld_variables_it_mentions_or_likely_credentials() {
        let environment = reduced(&[]);
        let hint = environment.hint("error: set MY_BACKEND first").unwrap();
        assert!(hint.contains("MY_BACKEND") && !hint.contains("GITHUB_TOKEN"), "{hint}");
        let hint = environment.hint("went wrong").unwrap();
        assert!(hint.contains("GITHUB_TOKEN, OPENAI_API_KEY") && !hint.contains("MY_BACKEND"), "{hint}");
    }
}
