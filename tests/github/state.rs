//! What this GitHub holds, and how a test fills it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::shapes;

pub(crate) type Tree = BTreeMap<String, Arc<Vec<u8>>>;
/// A path and its new content; without one the file goes away.
pub(crate) type Change = (String, Option<Vec<u8>>);

pub(crate) struct State {
    pub(crate) base: String,
    pub(crate) tokens: BTreeMap<String, Token>,
    pub(crate) repositories: BTreeMap<String, Repository>,
    /// Every request but those for `/_state`.
    pub(crate) log: Vec<Value>,
    /// When the rate limit starts again, in seconds since 1970.
    pub(crate) reset: u64,
}

/// Whom a token speaks for and what it may do; what is not named is forbidden.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) login: String,
    pub(crate) permissions: BTreeMap<String, String>,
}

pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) parents: Vec<String>,
    pub(crate) files: Tree,
    pub(crate) message: String,
    pub(crate) author: String,
    pub(crate) date: String,
    /// Higher than every ancestor's.
    pub(crate) order: usize,
}

#[derive(Clone)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) state: String,
    pub(crate) author: String,
    /// `None` when the fork is gone.
    pub(crate) head_repo: Option<String>,
    pub(crate) head_branch: String,
    pub(crate) head_sha: String,
    pub(crate) base_branch: String,
    pub(crate) base_sha: String,
    /// What GitHub made of head and base, where it could.
    pub(crate) merge: Option<String>,
    pub(crate) created: String,
    pub(crate) updated: String,
}

impl Pull {
    pub(crate) fn head_owner(&self) -> &str {
        self.head_repo.as_ref().map_or(self.author.as_str(), |name| owner(name))
    }
}

pub(crate) struct Repository {
    pub(crate) base: String,
    /// `owner/name`.
    pub(crate) name: String,
    pub(crate) default_branch: String,
    pub(crate) commits: BTreeMap<String, Commit>,
    pub(crate) branches: BTreeMap<String, String>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) protected: BTreeSet<String>,
    pub(crate) issues: BTreeSet<u64>,
    pub(crate) pulls: BTreeMap<u64, Pull>,
    /// These four in the shape of the API's answers.
    pub(crate) comments: Vec<Value>,
    pub(crate) checks: Vec<Value>,
    pub(crate) releases: Vec<Value>,
    pub(crate) annotations: BTreeMap<u64, Vec<Value>>,
    /// The bytes of each uploaded asset.
    pub(crate) assets: BTreeMap<u64, Vec<u8>>,
    /// Every reference update that asked for force, whether it needed it or not.
    pub(crate) forced: Vec<Value>,
    clock: i64,
    last_id: u64,
}

impl State {
    /// The repository of this name, made if it is new.
    pub(crate) fn repository(&mut self, name: &str) -> &mut Repository {
        let base = self.base.clone();
        self.repositories.entry(name.to_owned()).or_insert_with(|| Repository::new(base, name))
    }

    pub(crate) fn dump(&self) -> Value {
        let repositories: serde_json::Map<_, _> =
            self.repositories.iter().map(|(name, repository)| (name.clone(), repository.dump())).collect();
        json!({"repositories": repositories, "requests": self.log})
    }
}

impl Repository {
    fn new(base: String, name: &str) -> Self {
        Self {
            base,
            name: name.to_owned(),
            default_branch: "main".to_owned(),
            commits: BTreeMap::new(),
            branches: BTreeMap::new(),
            tags: BTreeMap::new(),
            protected: BTreeSet::new(),
            issues: BTreeSet::new(),
            pulls: BTreeMap::new(),
            comments: Vec::new(),
            checks: Vec::new(),
            releases: Vec::new(),
            annotations: BTreeMap::new(),
            assets: BTreeMap::new(),
            forced: Vec::new(),
            clock: 1_767_603_600,
            last_id: 1000,
        }
    }

    pub(crate) fn url(&self, rest: &str) -> String {
        format!("{}/repos/{}{rest}", self.base, self.name)
    }

    pub(crate) fn html(&self, rest: &str) -> String {
        format!("https://github.com/{}{rest}", self.name)
    }

    /// A clock of its own: each look is a second later than the last, from 2026-01-05T09:00:00Z.
    pub(crate) fn now(&mut self) -> String {
        self.clock += 1;
        stamp(self.clock)
    }

    /// Lets time pass, or sets it back.
    pub(crate) fn wait(&mut self, seconds: i64) -> &mut Self {
        self.clock += seconds;
        self
    }

    pub(crate) fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Writes these files on the branch. Without parents it follows the branch's tip, if there is one.
    pub(crate) fn commit(&mut self, branch: &str, files: &[(&str, &str)], parents: &[&str]) -> String {
        let changes = files.iter().map(|(path, text)| ((*path).to_owned(), Some(text.as_bytes().to_vec()))).collect();
        let mut parents: Vec<String> = parents.iter().map(|name| self.resolve(name).unwrap()).collect();
        if parents.is_empty() {
            parents.extend(self.branches.get(branch).cloned());
        }
        let sha = self.write(None, parents, changes, "A commit", "someone");
        self.point(branch, &sha);
        sha
    }

    /// Merges a commit or branch into the branch; the other's changes win.
    pub(crate) fn merge(&mut self, branch: &str, other: &str) -> String {
        let (ours, theirs) = (self.branches[branch].clone(), self.resolve(other).unwrap());
        let empty = Tree::new();
        let base = self.merge_base(&ours, &theirs).map_or(&empty, |sha| &self.commits[&sha].files);
        let new = &self.commits[&theirs].files;
        let touched: BTreeSet<&String> =
            base.keys().chain(new.keys()).filter(|path| base.get(*path) != new.get(*path)).collect();
        let changes =
            touched.into_iter().map(|path| (path.clone(), new.get(path).map(|bytes| bytes.to_vec()))).collect();
        let sha = self.write(None, vec![ours, theirs], changes, "Merge", "someone");
        self.point(branch, &sha);
        sha
    }

    /// Makes a commit that no branch points to yet: the first parent's files with these changes.
    pub(crate) fn write(
        &mut self,
        sha: Option<String>,
        parents: Vec<String>,
        changes: Vec<Change>,
        message: &str,
        author: &str,
    ) -> String {
        let mut files = parents.first().map_or_else(Tree::new, |parent| self.commits[parent].files.clone());
        for (path, content) in changes {
            match content {
                Some(bytes) => drop(files.insert(path, Arc::new(bytes))),
                None => drop(files.remove(&path)),
            }
        }
        let (date, order) = (self.now(), self.commits.len());
        let sha = sha.unwrap_or_else(|| {
            hash(&[format!("{order} {parents:?} {date} {message} {}", tree_sha(&files)).as_bytes()])
        });
        let (message, author) = (message.to_owned(), author.to_owned());
        self.commits.insert(sha.clone(), Commit { sha: sha.clone(), parents, files, message, author, date, order });
        sha
    }

    /// Moves the branch, by force if need be, and with it the pulls that come from it.
    pub(crate) fn point(&mut self, branch: &str, sha: &str) -> &mut Self {
        self.branches.insert(branch.to_owned(), sha.to_owned());
        let now = self.now();
        for pull in self.pulls.values_mut().filter(|pull| pull.state == "open") {
            if pull.head_branch == branch && pull.head_repo.as_ref() == Some(&self.name) {
                (pull.head_sha, pull.updated) = (sha.to_owned(), now.clone());
            }
        }
        self
    }

    pub(crate) fn tag(&mut self, name: &str, target: &str) -> &mut Self {
        let sha = self.resolve(target).unwrap();
        self.tags.insert(name.to_owned(), sha);
        self
    }

    pub(crate) fn protect(&mut self, branch: &str) -> &mut Self {
        self.protected.insert(branch.to_owned());
        self
    }

    pub(crate) fn issue(&mut self, number: u64) -> &mut Self {
        self.issues.insert(number);
        self
    }

    /// An open pull request. A head that this repository lacks is made, on top of the base branch.
    pub(crate) fn pull(
        &mut self,
        number: u64,
        head_repo: Option<&str>,
        head_branch: &str,
        head_sha: &str,
        base_branch: &str,
    ) -> &mut Self {
        let base_sha = self.branches[base_branch].clone();
        if !self.commits.contains_key(head_sha) {
            self.write(Some(head_sha.to_owned()), vec![base_sha.clone()], Vec::new(), "A commit", "someone");
        }
        if head_repo == Some(self.name.as_str()) {
            self.branches.entry(head_branch.to_owned()).or_insert_with(|| head_sha.to_owned());
        }
        let now = self.now();
        let pull = Pull {
            number,
            title: format!("Pull request {number}"),
            body: None,
            state: "open".to_owned(),
            author: "contributor".to_owned(),
            head_repo: head_repo.map(str::to_owned),
            head_branch: head_branch.to_owned(),
            head_sha: head_sha.to_owned(),
            base_branch: base_branch.to_owned(),
            base_sha,
            merge: None,
            created: now.clone(),
            updated: now,
        };
        self.pulls.insert(number, pull);
        self
    }

    /// Adds a comment and says its id.
    pub(crate) fn comment(&mut self, issue: u64, author: &str, body: &str) -> u64 {
        let (id, now) = (self.id(), self.now());
        let comment = shapes::comment(self, id, issue, author, body, &now);
        self.comments.push(comment);
        id
    }

    /// The bodies of an issue's comments, oldest first.
    pub(crate) fn bodies(&self, issue: u64) -> Vec<String> {
        self.comments_of(issue).iter().map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn comments_of(&self, issue: u64) -> Vec<Value> {
        let url = self.url(&format!("/issues/{issue}"));
        self.comments.iter().filter(|comment| comment["issue_url"] == url.as_str()).cloned().collect()
    }

    /// A published release and its tag (on the default branch, if the tag is new); says its id.
    pub(crate) fn release(&mut self, tag: &str, body: &str) -> u64 {
        if !self.tags.contains_key(tag) {
            let sha = self.branches[&self.default_branch].clone();
            self.tags.insert(tag.to_owned(), sha);
        }
        let (id, now) = (self.id(), self.now());
        let release = shapes::release(self, id, tag, body, &now);
        self.releases.push(release);
        id
    }

    /// The commit that a full or short SHA, a branch, a tag or a full reference names.
    pub(crate) fn resolve(&self, name: &str) -> Option<String> {
        let short = name.strip_prefix("refs/").unwrap_or(name);
        let is_sha = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name = if name == "HEAD" { self.default_branch.as_str() } else { name };
        let named = self.branches.get(name).or_else(|| self.tags.get(name));
        let named = named.or_else(|| self.branches.get(short.strip_prefix("heads/")?));
        let named = named.or_else(|| self.tags.get(short.strip_prefix("tags/")?));
        let by_sha = || self.commits.keys().find(|sha| is_sha && sha.starts_with(name));
        named.or_else(by_sha).cloned()
    }

    /// The number of the next pull request.
    pub(crate) fn next_number(&self) -> u64 {
        self.issues.iter().chain(self.pulls.keys()).max().unwrap_or(&0) + 1
    }

    fn dump(&self) -> Value {
        let mut commits: Vec<&Commit> = self.commits.values().collect();
        commits.sort_by_key(|commit| commit.order);
        let commits: Vec<Value> = commits
            .into_iter()
            .map(|commit| {
                let files: serde_json::Map<_, _> =
                    commit.files.iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect();
                json!({"sha": commit.sha, "parents": commit.parents, "message": commit.message, "author": commit.author,
                "date": commit.date, "files": files})
            })
            .collect();
        let pulls: Vec<Value> = self.pulls.values().map(|pull| shapes::pull(self, pull, true)).collect();
        let annotations: serde_json::Map<_, _> =
            self.annotations.iter().map(|(id, list)| (id.to_string(), json!(list))).collect();
        let assets: serde_json::Map<_, _> =
            self.assets.iter().map(|(id, bytes)| (id.to_string(), text(bytes))).collect();
        json!({
            "default_branch": self.default_branch, "commits": commits, "branches": self.branches, "tags": self.tags,
            "protected": self.protected, "issues": self.issues, "pulls": pulls, "comments": self.comments,
            "check_runs": self.checks, "annotations": annotations, "releases": self.releases, "assets": assets,
            "forced": self.forced,
        })
    }
}

/// Text as it is, and anything else as `{"base64": …}`.
fn text(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| json!({"base64": STANDARD.encode(bytes)}), |text| json!(text))
}

pub(crate) fn owner(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

/// Forty hexadecimal digits.
pub(crate) fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn tree_sha(files: &Tree) -> String {
    hash(&files.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes.as_slice()]).collect::<Vec<_>>())
}

/// Seconds since 1970 as `2026-01-05T09:00:00Z`.
pub(crate) fn stamp(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Counted from 1 March of the year 0, so that a leap day ends its year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}
