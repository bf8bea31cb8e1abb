//! The history of a repository as GitHub's API tells it, for the rule that finds the baseline.

use serde_json::Value;

use super::{Call, Client, GithubError, encoded, encoded_path};
use crate::baseline::CommitHistory;
use crate::model::Sha;

/// How many versions of a file are looked through.
const MOST_VERSIONS: usize = 100;

impl CommitHistory for Client {
    type Error = GithubError;

    async fn tip(&self, branch: &str) -> Result<Option<Sha>, GithubError> {
        let path = self.path(&format!("/git/ref/heads/{}", encoded_path(branch)));
        let Some(reference) = found(self.json(Call::get(path)).await)? else {
            // A repository that the token may not see has no branches either, and that is not the same.
            if found(self.json(Call::get(self.path(""))).await)?.is_none() {
                let why = format!("{} is not there, or the token may not see it", self.repository());
                return Err(GithubError::Unreachable(why));
            }
            return Ok(None);
        };
        match reference["object"]["sha"].as_str().and_then(Sha::parse) {
            Some(sha) => Ok(Some(sha)),
            // An answer that says nothing is not the same as none.
            None => Err(GithubError::Unreachable(format!("GitHub does not say where `{branch}` is"))),
        }
    }

    async fn parents(&self, commit: &Sha) -> Result<Vec<Sha>, GithubError> {
        let path = self.path(&format!("/commits/{commit}"));
        let commit = match self.json(Call::get(path)).await {
            // This is how GitHub says that it has no such commit.
            Err(GithubError::Rejected { status: 422, .. }) => None,
            answer => found(answer)?,
        };
        let Some(commit) = commit else { return Ok(Vec::new()) };
        let parents = commit["parents"].as_array().ok_or_else(|| says_nothing("which parents a commit has"))?;
        let sha = |parent: &Value| parent["sha"].as_str().and_then(Sha::parse);
        parents.iter().map(|parent| sha(parent).ok_or_else(|| says_nothing("which parents a commit has"))).collect()
    }

    async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, GithubError> {
        let Some(compared) = compare(self, other, one).await? else { return Ok(None) };
        let base = compared["merge_base_commit"]["sha"].as_str().and_then(Sha::parse);
        base.ok_or_else(|| says_nothing("what two commits have in common")).map(Some)
    }

    async fn is_ancestor(&self, ancestor: &Sha, of: &Sha) -> Result<bool, GithubError> {
        if ancestor == of {
            return Ok(true);
        }
        let Some(compared) = compare(self, ancestor, of).await? else { return Ok(false) };
        let status = compared["status"].as_str().ok_or_else(|| says_nothing("how two commits compare"))?;
        Ok(matches!(status, "ahead" | "identical"))
    }

    async fn file_at(&self, path: &str, commit: &Sha) -> Result<Option<String>, GithubError> {
        let path = self.path(&format!("/contents/{}?ref={}", encoded_path(path), encoded(commit.as_str())));
        found(self.text(Call::get(path).raw()).await)
    }

    async fn versions(&self, path: &str, tip: &Sha) -> Result<Vec<Sha>, GithubError> {
        let path = format!("/commits?sha={tip}&path={}", encoded(path));
        let commits = self.list(&self.path(&path), None, MOST_VERSIONS).await?;
        let commits = commits.iter().take(MOST_VERSIONS);
        let sha = |commit: &Value| commit["sha"].as_str().and_then(Sha::parse);
        commits.map(|commit| sha(commit).ok_or_else(|| says_nothing("which commits changed a file"))).collect()
    }
}

/// A file in a folder of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// From the root of the repository.
    pub path: String,
    /// The hash of its contents.
    pub blob: String,
}

/// The blessings that a commit has in a folder.
pub async fn blessing_files(client: &Client, folder: &str, commit: &Sha) -> Result<Vec<FolderEntry>, GithubError> {
    let path = client.path(&format!("/contents/{}?ref={}", encoded_path(folder), encoded(commit.as_str())));
    let Some(listed) = found(client.json(Call::get(path)).await)? else { return Ok(Vec::new()) };
    let Some(listed) = listed.as_array() else {
        return Err(GithubError::Unreachable(format!("GitHub does not say what is in {folder}")));
    };
    let is_one =
        |entry: &&Value| entry["type"] == "file" && entry["name"].as_str().is_some_and(|name| name.ends_with(".toml"));
    let text = |entry: &Value, key: &str| entry[key].as_str().map(str::to_owned);
    let entry = |entry: &Value| Some(FolderEntry { path: text(entry, "path")?, blob: text(entry, "sha")? });
    let entries: Option<Vec<FolderEntry>> = listed.iter().filter(is_one).map(entry).collect();
    entries.ok_or_else(|| GithubError::Unreachable(format!("GitHub does not say what is in {folder}")))
}

async fn compare(client: &Client, base: &Sha, head: &Sha) -> Result<Option<Value>, GithubError> {
    let path = client.path(&format!("/compare/{base}...{head}?per_page=1"));
    found(client.json(Call::get(path)).await)
}

/// An answer that lacks what was asked for is not the same as "there is none".
fn says_nothing(what: &str) -> GithubError {
    GithubError::Unreachable(format!("GitHub does not say {what}"))
}

/// What is not there is no error.
fn found<T>(answer: Result<T, GithubError>) -> Result<Option<T>, GithubError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(GithubError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
