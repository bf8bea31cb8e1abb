//! What git says about the directory that is evaluated.
#![expect(clippy::disallowed_methods, reason = "edge: asks git")]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::input::TrackedFiles;
use crate::model::Sha;

/// Why git did not answer. "There is none" is not an error, but `Ok(None)`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// git did not start.
    #[error("git cannot be started: {0}\n  = install git, or put it on the PATH")]
    NotStarted(std::io::Error),
    /// There is no place for what git writes.
    #[error("no temporary directory: {0}")]
    Scratch(std::io::Error),
    /// git failed; `message` is what it wrote to standard error.
    #[error("`git {command}` failed: {message}{}", remedy(.message).map(|text| format!("\n  = {text}")).unwrap_or_default())]
    Failed { command: String, message: String },
    /// git answered with something else than it was asked for.
    #[error("`git {command}` answered {answer:?}, which was not expected")]
    Unexpected { command: String, answer: String },
    /// git answers for another repository than the one that this directory is in.
    #[error("{directory} is in the repository {here}, but git answers for {answered}\n  = {}", .cause.remedy())]
    OtherRepository { directory: String, here: String, answered: String, cause: Misdirection },
}

/// Why git looks at another repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misdirection {
    /// `GIT_DIR` names it.
    Variable,
    /// The nearest `.git` is not one that git can use, so it went on upwards.
    Unusable,
    /// `GIT_WORK_TREE` or `core.worktree` names another work tree.
    WorkTree,
}

impl Misdirection {
    const fn remedy(self) -> &'static str {
        match self {
            Self::Variable => "unset GIT_DIR, or set it to the repository of this directory",
            Self::WorkTree => "unset `GIT_WORK_TREE` and `core.worktree`, or run in that work tree",
            Self::Unusable => "repair the nearest `.git`, or remove it",
        }
    }
}

/// What to do about a failure of git that it does not say itself.
fn remedy(message: &str) -> Option<&'static str> {
    let has = |text: &str| message.contains(text);
    if has("dubious ownership") {
        Some("in a container job, add a step before this one that runs the `git config` line above")
    } else if has("not a git repository") {
        Some("if GIT_DIR is set, unset it; otherwise repair the nearest `.git`, or remove it")
    } else if has("repo version") || has("repository extension") || has("unknown repository") {
        Some("this repository needs a newer git")
    } else if has("bad config") || has("bad numeric config") || has("bad boolean config") {
        Some("correct that line of the configuration of git")
    } else if has("broken ref") || has("appears to be broken") {
        Some("delete the broken ref in `.git` and fetch it again")
    } else if ["missing", "bad object", "unable to read", "not a valid object", "could not get object", "loose object"]
        .iter()
        .any(|text| has(text))
    {
        Some("`git fsck` lists what is missing or damaged; fetch it again, or clone again")
    } else {
        None
    }
}

/// A directory in a git repository.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    directory: PathBuf,
    /// Whether git finds the repository by itself, without `GIT_DIR`.
    discovers: bool,
}

impl Git {
    /// The repository that a directory belongs to; `None` if there is no `.git` in it or above it and no `GIT_DIR`. It is
    /// an error if git cannot read that repository, or would answer for another one.
    pub(crate) fn open(directory: &Path) -> Result<Option<Self>, GitError> {
        let is_named = std::env::var_os("GIT_DIR").is_some_and(|value| !value.is_empty());
        let marker = nearest_marker(directory);
        if !is_named && marker.is_none() {
            return Ok(None);
        }
        // A relative `GIT_DIR` starts at the directory of this process.
        let asked = if is_named { Path::new(".") } else { directory };
        let git = Self { directory: asked.to_owned(), discovers: false };
        let answered = PathBuf::from(git.answer(&["rev-parse", "--absolute-git-dir"])?);
        let directory = directory.to_owned();
        // Without a `.git` to compare with, `GIT_DIR` is how the user says which repository it is.
        let Some(here) = marker.map(|marker| repository_of(&marker)) else {
            return Ok(Some(Self { directory, discovers: false }));
        };
        if canonical(&answered) == canonical(&here) {
            // A hook gets a `GIT_DIR`, and with it git takes the directory for the root of the work tree.
            let git = Self { directory, discovers: std::env::var_os("GIT_WORK_TREE").is_none() };
            return git.check_work_tree().map(|()| Some(git));
        }
        Err(GitError::OtherRepository {
            directory: canonical(&directory).display().to_string(),
            here: here.display().to_string(),
            answered: answered.display().to_string(),
            cause: if is_named { Misdirection::Variable } else { Misdirection::Unusable },
        })
    }

    /// Paths are counted from the root of the work tree, so git must take the same directory for it as we do.
    fn check_work_tree(&self) -> Result<(), GitError> {
        let Some(here) = nearest_marker(&self.directory).and_then(|marker| Some(marker.parent()?.to_owned())) else {
            return Ok(());
        };
        // A bare repository has no work tree.
        if self.answer(&["rev-parse", "--is-bare-repository"])? == "true" {
            return Ok(());
        }
        let answered = PathBuf::from(self.answer(&["rev-parse", "--show-toplevel"])?);
        if canonical(&answered) == canonical(&here) {
            return Ok(());
        }
        Err(GitError::OtherRepository {
            directory: canonical(&self.directory).display().to_string(),
            here: here.display().to_string(),
            answered: answered.display().to_string(),
            cause: Misdirection::WorkTree,
        })
    }

    /// What git answers, without the final newline.
    pub(crate) fn answer(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.output(arguments)?;
        if output.status.success() { Ok(text(&output)) } else { Err(failed(arguments, &output)) }
    }

    /// What git answers; `None` if it exits with 1, which is how it says no.
    pub(crate) fn answer_if_any(&self, arguments: &[&str]) -> Result<Option<String>, GitError> {
        let output = self.output(arguments)?;
        match output.status.code() {
            Some(0) => Ok(Some(text(&output))),
            Some(1) => Ok(None),
            Some(_) | None => Err(failed(arguments, &output)),
        }
    }

    /// The commit that is checked out; `None` before the first one.
    pub(crate) fn head(&self) -> Result<Option<Sha>, GitError> {
        if let Some(commit) = self.commit("HEAD")? {
            return Ok(Some(commit));
        }
        // A branch that cannot be read gives no commit either, and only `log` tells the two apart.
        let arguments = ["log", "--max-count=1", "--format=%H"];
        let output = self.output(&arguments)?;
        let is_unborn = String::from_utf8_lossy(&output.stderr).contains("does not have any commits yet");
        if is_unborn { Ok(None) } else { Err(failed(&arguments, &output)) }
    }

    /// The commit of a ref, a tag or a hash; `None` if nothing here has this name.
    pub(crate) fn commit(&self, name: &str) -> Result<Option<Sha>, GitError> {
        let verify = |name: &str| self.answer_if_any(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]);
        let Some(object) = verify(name)? else {
            self.check_not_broken(name)?;
            return Ok(None);
        };
        let commit = format!("{object}^{{commit}}");
        if let Some(text) = verify(&commit)? {
            return sha(&["rev-parse", &commit], &text).map(Some);
        }
        // A hash that is not here is no error. A ref to an object that is not here is one, and git says so.
        if Sha::parse(name).is_some() {
            return Ok(None);
        }
        self.answer(&["rev-list", "--max-count=1", &object])?;
        Ok(None)
    }

    /// A ref whose file cannot be read is not a missing one. git only warns of it, and only here.
    fn check_not_broken(&self, name: &str) -> Result<(), GitError> {
        let name = match name.strip_prefix("refs/") {
            Some(_) => name.to_owned(),
            None => format!("refs/*/{name}"),
        };
        let arguments = ["for-each-ref", "--format=%(refname)", &name];
        let output = self.output(&arguments)?;
        let is_broken = String::from_utf8_lossy(&output.stderr).contains("broken ref");
        if !output.status.success() || is_broken {
            return Err(failed(&arguments, &output));
        }
        match self.answer_if_any(&["symbolic-ref", "--quiet", &name]) {
            Ok(Some(leads_to)) if name != "HEAD" && name.starts_with("refs/heads/") => Err(GitError::Failed {
                command: format!("rev-parse {name}"),
                message: format!("{name} is a symbolic ref to {leads_to}, which is not there"),
            }),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Whether a commit is here.
    pub(crate) fn has_commit(&self, commit: &Sha) -> Result<bool, GitError> {
        let commit = format!("{commit}^{{commit}}");
        Ok(self.answer_if_any(&["rev-parse", "--verify", "--quiet", &commit])?.is_some())
    }

    /// The parents that a commit names, whether they are here or not; `None` if the commit is not here.
    pub(crate) fn recorded_parents(&self, commit: &Sha) -> Result<Option<Vec<Sha>>, GitError> {
        if !self.has_commit(commit)? {
            return Ok(None);
        }
        let arguments = ["cat-file", "commit", commit.as_str()];
        let text = self.answer(&arguments)?;
        let parents = text.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("parent "));
        parents.map(|parent| sha(&arguments, parent)).collect::<Result<_, _>>().map(Some)
    }

    /// The directory within the repository, with a final `/`; empty at its root.
    pub(crate) fn prefix(&self) -> Result<String, GitError> {
        self.answer(&["rev-parse", "--show-prefix"])
    }

    /// Whether a part of the history is missing.
    pub(crate) fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.answer(&["rev-parse", "--is-shallow-repository"])? == "true")
    }

    /// Every file that git tracks, those of submodules included.
    pub(crate) fn tracked_files(&self) -> Result<TrackedFiles, GitError> {
        if self.answer(&["rev-parse", "--is-bare-repository"])? == "true" {
            return Ok(TrackedFiles::default());
        }
        let top = PathBuf::from(self.answer(&["rev-parse", "--show-toplevel"])?);
        let files = self.answer(&["ls-files", "-z", "--recurse-submodules", "--full-name", "--", ":/"])?;
        Ok(TrackedFiles::new(&top, files.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()))
    }

    /// Writes the files of a commit into a directory, those of submodules included as far as they are here.
    pub(crate) fn write_tree(&self, commit: &Sha, into: &Path) -> Result<(), GitError> {
        let top = PathBuf::from(self.answer(&["rev-parse", "--show-toplevel"])?);
        let git = Self { directory: top.clone(), discovers: self.discovers };
        let scratch = tempfile::tempdir().map_err(GitError::Scratch)?;
        let index = scratch.path().join("index");
        let prefix = format!("--prefix={}/", into.display());
        for arguments in [&["read-tree", commit.as_str()][..], &["checkout-index", "--all", "--force", &prefix]] {
            let output = git.prepared(arguments).env("GIT_INDEX_FILE", &index).output();
            let output = output.map_err(GitError::NotStarted)?;
            if !output.status.success() {
                return Err(failed(arguments, &output));
            }
        }
        for entry in git.answer(&["ls-tree", "-r", "-z", commit.as_str()])?.split('\0') {
            let Some((mode, path)) = entry.strip_prefix("160000 commit ").and_then(|rest| rest.split_once('\t')) else {
                continue;
            };
            let folder = top.join(path);
            // A submodule that is not here is missing there, too, and what needs it cannot be read.
            if folder.join(".git").exists()
                && let Some(submodule) = Self::open(&folder)?
                && let Some(commit) = Sha::parse(mode)
                && submodule.has_commit(&commit)?
            {
                submodule.write_tree(&commit, &into.join(path))?;
            }
        }
        Ok(())
    }

    /// The files that the index has, and how git looks at them.
    pub(crate) fn index(&self) -> Result<Vec<IndexEntry>, GitError> {
        let listed = self.answer(&["ls-files", "-v", "--stage", "--full-name", "-z", "--", ":/"])?;
        Ok(listed.split('\0').filter_map(IndexEntry::parse).collect())
    }

    /// The repository of a submodule, if it is checked out.
    pub(crate) fn submodule(&self, entry: &IndexEntry) -> Result<Option<Self>, GitError> {
        let directory = self.top()?.join(&entry.name);
        let is_checked_out = entry.is_submodule() && directory.join(".git").symlink_metadata().is_ok();
        Ok(is_checked_out.then_some(Self { directory, discovers: true }))
    }

    /// The root of the work tree.
    pub(crate) fn top(&self) -> Result<PathBuf, GitError> {
        self.answer(&["rev-parse", "--show-toplevel"]).map(PathBuf::from)
    }

    /// Whether files differ from the commit, here or in a submodule, apart from one file. Neither `.gitmodules`, the user's
    /// configuration nor a mark in the index decides what counts.
    pub(crate) fn is_edited(&self, untracked: Untracked, but: Option<&str>) -> Result<bool, GitError> {
        let flags = match untracked {
            Untracked::Counts => ["--untracked-files=normal", "--ignore-submodules=none"],
            Untracked::DoesNotCount => ["--untracked-files=no", "--ignore-submodules=untracked"],
        };
        let exclude = but.map(|but| format!(":(exclude,literal){but}"));
        let mut arguments = vec!["status", "--porcelain", flags[0], flags[1], "--", ":/"];
        arguments.extend(exclude.as_deref());
        if !self.answer(&arguments)?.trim().is_empty() {
            return Ok(true);
        }
        let index = self.index()?;
        let but = but.map(|but| self.prefix().map(|prefix| format!("{prefix}{but}"))).transpose()?;
        if self.edited_unseen(&index)?.iter().any(|name| Some(name) != but.as_ref()) {
            return Ok(true);
        }
        for entry in index.iter().filter(|entry| entry.is_submodule()) {
            if let Some(git) = self.submodule(entry)?
                && git.is_edited(untracked, None)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Files that differ from the index, but are marked there (`--assume-unchanged`, `--skip-worktree`), so that git does not
    /// look at them.
    pub(crate) fn edited_unseen(&self, index: &[IndexEntry]) -> Result<Vec<String>, GitError> {
        let marked: Vec<&IndexEntry> = index.iter().filter(|entry| entry.mark != Mark::None).collect();
        let mut edited = Vec::new();
        if marked.is_empty() {
            return Ok(edited);
        }
        let top = self.top()?;
        for entry in marked {
            let path = top.join(&entry.name);
            let is_same = match path.symlink_metadata() {
                // A sparse checkout leaves files out.
                Err(_) => entry.mark == Mark::SkipWorktree,
                Ok(found) if found.is_symlink() => {
                    let target = path.read_link().map(|target| target.to_string_lossy().into_owned()).ok();
                    entry.mode == SYMLINK && target == Some(self.answer(&["cat-file", "blob", &entry.object])?)
                }
                Ok(found) if found.is_file() => {
                    let path = path.to_string_lossy();
                    self.answer(&["hash-object", "--", &path])? == entry.object
                }
                Ok(_) => entry.is_submodule(),
            };
            if !is_same {
                edited.push(entry.name.clone());
            }
        }
        Ok(edited)
    }

    fn output(&self, arguments: &[&str]) -> Result<Output, GitError> {
        self.prepared(arguments).output().map_err(GitError::NotStarted)
    }

    fn prepared(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        // What a monitor says about files, and what the index says, is not looked at.
        git.args(["-c", "core.fsmonitor=false", "-c", "core.ignoreStat=false"]);
        if self.discovers {
            git.env_remove("GIT_DIR");
        }
        // What git says decides what to advise, so it must not be translated.
        git.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        // These change what the paths of our questions mean.
        for kind in ["LITERAL", "GLOB", "NOGLOB", "ICASE"] {
            git.env_remove(format!("GIT_{kind}_PATHSPECS"));
        }
        // Neither replaced objects nor grafts are the history that others see.
        git.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_GRAFT_FILE", "/dev/null");
        git.args(arguments).current_dir(&self.directory).stdin(Stdio::null());
        git
    }
}

/// The mode of a symbolic link in the index.
pub(crate) const SYMLINK: &str = "120000";
/// The mode of a submodule in the index.
pub(crate) const SUBMODULE: &str = "160000";

/// A file in the index.
#[derive(Debug, Clone)]
pub(crate) struct IndexEntry {
    pub mode: String,
    pub object: String,
    /// From the root of the work tree.
    pub name: String,
    mark: Mark,
}

/// Why git does not look at a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    AssumeUnchanged,
    SkipWorktree,
}

/// Whether files that git does not know count as edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untracked {
    Counts,
    DoesNotCount,
}

impl IndexEntry {
    /// Reads a line of `ls-files -v --stage`.
    fn parse(line: &str) -> Option<Self> {
        let (before, name) = line.split_once('\t')?;
        let mut fields = before.split(' ');
        let (tag, mode, object) = (fields.next()?, fields.next()?, fields.next()?);
        let mark = match tag {
            "S" => Mark::SkipWorktree,
            tag if tag.chars().all(char::is_lowercase) => Mark::AssumeUnchanged,
            _ => Mark::None,
        };
        Some(Self { mode: mode.to_owned(), object: object.to_owned(), name: name.to_owned(), mark })
    }

    pub(crate) fn is_submodule(&self) -> bool {
        self.mode == SUBMODULE
    }
}

/// The nearest `.git`, in a directory or above it.
fn nearest_marker(directory: &Path) -> Option<PathBuf> {
    let start = canonical(directory);
    let mut markers = start.ancestors().map(|above| above.join(".git"));
    // One that cannot be looked at is there: git says what is wrong with it.
    let is_absent = |error: std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    markers.find(|marker| !marker.symlink_metadata().is_err_and(is_absent))
}

/// The repository that a `.git` means: itself, or what it names if it is a file.
fn repository_of(marker: &Path) -> PathBuf {
    let text = std::fs::read_to_string(marker).ok();
    let named = text.as_deref().and_then(|text| text.strip_prefix("gitdir:")).map(|named| named.trim().to_owned());
    let parent = marker.parent().unwrap_or(Path::new("/"));
    named.map_or_else(|| marker.to_owned(), |named| parent.join(named))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

fn failed(arguments: &[&str], output: &Output) -> GitError {
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let message = if message.is_empty() { output.status.to_string() } else { message };
    GitError::Failed { command: arguments.join(" "), message }
}

/// The commit that git answered with.
pub(crate) fn sha(arguments: &[&str], answer: &str) -> Result<Sha, GitError> {
    let unexpected = || GitError::Unexpected { command: arguments.join(" "), answer: answer.to_owned() };
    Sha::parse(answer.trim()).ok_or_else(unexpected)
}

/// The commit and the branch that are checked out, where there are any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checkout {
    pub commit: Option<Sha>,
    /// The branch; none on a detached head.
    pub branch: Option<String>,
    /// The directory within the repository, with a final `/`; empty at its root.
    pub prefix: String,
    /// Whether tracked files, but for the baseline's, differ from the commit.
    pub dirty: bool,
}

impl Checkout {
    /// Asks git; empty where there is no repository or no commit yet.
    pub(crate) fn of(directory: &Path, baseline: &str) -> Result<Self, GitError> {
        let Some(git) = Git::open(directory)? else { return Ok(Self::default()) };
        let Some(commit) = git.head()? else { return Ok(Self::default()) };
        let branch = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        // A tree that git cannot look at does not count as clean.
        let dirty = git.is_edited(Untracked::DoesNotCount, Some(baseline)).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            true
        });
        Ok(Self { commit: Some(commit), branch, prefix: git.prefix()?, dirty })
    }
}
