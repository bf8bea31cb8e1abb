//! What would be sent, written to files instead.
#![expect(clippy::disallowed_methods, reason = "edge: writes files")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::GithubError;
use crate::input::write_atomically;

/// Writes requests into a directory, numbered in the order in which they would be sent.
#[derive(Debug)]
pub struct DryRun {
    directory: PathBuf,
    written: Mutex<u32>,
}

/// Whether a file is one that a dry run writes.
fn is_ours(name: &str) -> bool {
    let is_request = || {
        let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
        let method = ["-POST-", "-PATCH-", "-PUT-", "-DELETE-"].iter().any(|method| rest.starts_with(method));
        name.len() > rest.len() && method && rest.ends_with(".json")
    };
    matches!(name, "outputs.txt" | "summary.md" | "annotations.txt") || is_request()
}

impl DryRun {
    /// Into an empty directory; what an earlier dry run left there is removed.
    pub fn new(directory: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_ours(&name) {
                std::fs::remove_file(path)?;
            }
        }
        Ok(Self { directory: directory.to_owned(), written: Mutex::new(0) })
    }

    /// Writes a request and answers as if nothing were there yet.
    pub(super) fn instead(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        reads: bool,
    ) -> Result<String, GithubError> {
        if reads {
            let is_list = path.contains("per_page=");
            return Ok(match path {
                "/graphql" => r#"{"data": {"viewer": {"login": "github-actions[bot]"}}}"#.to_owned(),
                path if path.contains("/check-runs") => r#"{"total_count": 0, "check_runs": []}"#.to_owned(),
                _ if is_list => "[]".to_owned(),
                _ => return Err(GithubError::NotFound(format!("{method} {path}: there is no token to look with"))),
            });
        }
        let number = {
            let mut written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *written += 1;
            *written
        };
        let place: String = path
            .split('?')
            .next()
            .unwrap_or_default()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let file = self.directory.join(format!("{number:02}-{method}{place}.json"));
        let request = json!({"method": method, "path": path, "body": body});
        let text = serde_json::to_string_pretty(&request).unwrap_or_default();
        write_atomically(&file, format!("{text}\n").as_bytes())
            .map_err(|error| GithubError::Unreachable(format!("{}: {error}", file.display())))?;
        Ok(json!({"id": 0}).to_string())
    }
}
