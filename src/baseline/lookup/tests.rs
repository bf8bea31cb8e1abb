use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::model::Mode;
use crate::settings::baseline_section;

/// A history in memory. Commits are letters, and a commit's file is a map from path to text.
#[derive(Default)]
struct MemoryHistory {
    parents: BTreeMap<Sha, Vec<Sha>>,
    files: BTreeMap<(Sha, String), String>,
    branches: BTreeMap<String, Sha>,
    /// The call that fails.
    broken: &'static str,
}

#[derive(Debug, thiserror::Error)]
#[error("fatal: {0} is broken")]
struct Broken(&'static str);

const FILE: &str = ".evalratchet/baseline.json";

fn sha(letter: char) -> Sha {
    Sha::parse(&letter.to_string().repeat(40)).unwrap()
}

fn baseline_of(produced: Option<char>) -> String {
    let produced = super::super::Produced {
        commit: produced.map(sha),
        time: "2026-01-02T03:04:05Z".into(),
        tool: "0".into(),
        mode: Mode::Auto,
    };
    let schema = crate::baseline::file::BASELINE_SCHEMA.to_owned();
    Baseline { schema, produced, blessings: Vec::new(), took_in: Vec::new(), suites: BTreeMap::new() }.render().unwrap()
}

impl MemoryHistory {
    /// Adds a commit that has its first parent's files.
    fn commit(mut self, letter: char, parents: &str) -> Self {
        let parents: Vec<Sha> = parents.chars().map(sha).collect();
        let inherited: Vec<_> = self.files.iter().filter(|((commit, _), _)| Some(commit) == parents.first()).collect();
        let inherited: Vec<_> =
            inherited.into_iter().map(|((_, path), text)| ((sha(letter), path.clone()), text.clone())).collect();
        self.files.extend(inherited);
        self.parents.insert(sha(letter), parents);
        self
    }

    fn file(mut self, letter: char, path: &str, text: &str) -> Self {
        self.files.insert((sha(letter), path.to_owned()), text.to_owned());
        self
    }

    fn without(mut self, letter: char, path: &str) -> Self {
        self.files.remove(&(sha(letter), path.to_owned()));
        self
    }

    fn branch(mut self, name: &str, letter: char) -> Self {
        self.branches.insert(name.to_owned(), sha(letter));
        self
    }

    fn broken(mut self, call: &'static str) -> Self {
        self.broken = call;
        self
    }

    fn check(&self, call: &'static str) -> Result<(), Broken> {
        if self.broken == call { Err(Broken(call)) } else { Ok(()) }
    }

    /// A commit and all its ancestors, newest first.
    fn ancestors(&self, of: &Sha) -> Vec<Sha> {
        let mut all = vec![of.clone()];
        let mut at = 0;
        while let Some(commit) = all.get(at).cloned() {
            for parent in self.parents.get(&commit).into_iter().flatten() {
                if !all.contains(parent) {
                    all.push(parent.clone());
                }
            }
            at += 1;
        }
        all
    }
}

impl CommitHistory for MemoryHistory {
    type Error = Broken;

    async fn tip(&self, branch: &str) -> Result<Option<Sha>, Broken> {
        self.check("tip")?;
        Ok(self.branches.get(branch).cloned())
    }

    async fn parents(&self, commit: &Sha) -> Result<Vec<Sha>, Broken> {
        self.check("parents")?;
        Ok(self.parents.get(commit).cloned().unwrap_or_default())
    }

    async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, Broken> {
        self.check("merge_base")?;
        let of_other = self.ancestors(other);
        Ok(self.ancestors(one).into_iter().find(|commit| of_other.contains(commit)))
    }

    async fn is_ancestor(&self, ancestor: &Sha, of: &Sha) -> Result<bool, Broken> {
        self.check("is_ancestor")?;
        Ok(self.ancestors(of).contains(ancestor))
    }

    async fn file_at(&self, path: &str, commit: &Sha) -> Result<Option<String>, Broken> {
        self.check("file_at")?;
        Ok(self.files.get(&(commit.clone(), path.to_owned())).cloned())
    }

    async fn versions(&self, path: &str, tip: &Sha) -> Result<Vec<Sha>, Broken> {
        self.check("versions")?;
        let text = |commit: &Sha| self.files.get(&(commit.clone(), path.to_owned()));
        let changed = |commit: &Sha| {
            let first = self.parents.get(commit).and_then(|parents| parents.first());
            text(commit) != first.and_then(text)
        };
        Ok(self.ancestors(tip).into_iter().filter(changed).collect())
    }
}

/// The value of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a history in memory never waits"),
    }
}

fn query(head: char) -> BaselineQuery {
    BaselineQuery {
        head: sha(head),
        pull_request: None,
        onto: None,
        named: None,
        own: BaselineLocation::default(),
        default_branch: None,
        config: "evalratchet.toml".into(),
        prefix: String::new(),
        section_of: baseline_section,
        trend: 8,
    }
}

/// A query in a job of a pull request to `main` whose newest commit is `of`.
fn pull_request(head: char, of: char, base: Option<char>) -> BaselineQuery {
    let pull_request = Some(PullRequestCommits { head: sha(of), base: base.map(sha) });
    BaselineQuery { pull_request, onto: Some("main".into()), ..query(head) }
}

fn look(history: &MemoryHistory, query: &BaselineQuery) -> BaselineLookup {
    ready(find(history, query)).unwrap()
}

fn source(lookup: &BaselineLookup) -> &str {
    lookup.found.as_ref().map_or_else(|none| panic!("{none:?}"), |found| found.source.as_str())
}

/// `a` is measured, `b` commits its baseline; `c` is measured, `d` commits its baseline; `e` is a topic that left at `b`.
fn history() -> MemoryHistory {
    MemoryHistory::default()
        .commit('a', "")
        .commit('b', "a")
        .file('b', FILE, &baseline_of(Some('a')))
        .commit('c', "b")
        .commit('d', "c")
        .file('d', FILE, &baseline_of(Some('c')))
        .commit('e', "b")
        .branch("main", 'd')
}

#[test]
fn the_newest_version_that_an_ancestor_of_the_base_produced_is_found() {
    let lookup = look(&history(), &query('d'));
    assert_eq!((source(&lookup), lookup.on_main), ("main:.evalratchet/baseline.json@ddddddd", true));
    let found = lookup.found.unwrap();
    let produced: Vec<_> = found.versions.into_iter().map(|version| version.produced.commit).collect();
    assert_eq!(produced, [Some(sha('a')), Some(sha('c'))]);

    let topic = look(&history(), &query('e'));
    assert_eq!((source(&topic), topic.on_main), ("main:.evalratchet/baseline.json@bbbbbbb", false));
    assert_eq!(topic.base, Some(sha('b')));
    assert!(topic.found.unwrap().at_base.is_some());
}

#[test]
fn the_base_of_a_merge_commit_is_its_first_parent() {
    let history = history().commit('f', "de");
    let merge = look(&history, &pull_request('f', 'e', None));
    assert_eq!((merge.base.clone(), source(&merge)), (Some(sha('d')), "main:.evalratchet/baseline.json@ddddddd"));
    // A head with one parent is no merge commit, whatever is said of it.
    let head = look(&history, &pull_request('e', 'e', None));
    assert_eq!(head.base, Some(sha('b')));
}

#[test]
fn a_merge_commit_of_the_pull_request_itself_is_not_the_hosts() {
    // `f` brings main into the topic, as "Update branch" does: its first parent is the topic's own.
    let updated = history().commit('f', "ed");
    for of in ['f', 'e'] {
        assert_eq!(look(&updated, &pull_request('f', of, None)).base, Some(sha('d')), "{of}");
    }
    // A merge of the head onto a commit that main does not have is not the host's either.
    let forged = history().commit('9', "b").file('9', FILE, &baseline_of(None)).commit('f', "9e");
    let lookup = look(&forged, &pull_request('f', 'e', Some('d')));
    assert_eq!((lookup.base.clone(), source(&lookup)), (Some(sha('b')), "main:.evalratchet/baseline.json@bbbbbbb"));
}

#[test]
fn the_event_can_vouch_for_a_base_that_the_clone_cannot_place() {
    // Main was rewound, so that `d` is on no branch any more.
    let rewound = history().commit('f', "de").branch("main", 'b');
    assert_eq!(look(&rewound, &pull_request('f', 'e', Some('d'))).base, Some(sha('d')));
    assert_eq!(look(&rewound, &pull_request('f', 'e', None)).base, Some(sha('b')));
}

#[test]
fn without_main_the_default_branch_is_looked_at() {
    let master = history().branch("master", 'd');
    let master = MemoryHistory { branches: [("master".to_owned(), sha('d'))].into(), ..master };
    let query = BaselineQuery { default_branch: Some("master".into()), ..query('d') };
    assert_eq!(source(&look(&master, &query)), "master:.evalratchet/baseline.json@ddddddd");
    // A branch that the configuration names is not replaced.
    let own = BaselineLocation { names_branch: true, ..BaselineLocation::default() };
    let none = look(&master, &BaselineQuery { own, ..query }).found.unwrap_err();
    assert_eq!(none, NoBaseline::NoBranch { branch: "main".into(), named_by: NamedBy::Config });
}

#[test]
fn a_baseline_that_is_not_mains_is_recognised() {
    let history = history().branch("topic", 'b').branch("same", 'd');
    let instead_of = |name: &str| look(&history, &BaselineQuery { named: Some(name.into()), ..query('d') }).instead_of;
    assert_eq!(instead_of("topic").as_deref(), Some("main"));
    assert_eq!((instead_of("main"), instead_of("same")), (None, None));
}

#[test]
fn a_change_cannot_take_back_that_a_baseline_is_required() {
    let history = history().file('b', "evalratchet.toml", "[baseline]\nrequired = true\n");
    let lookup = look(&history, &BaselineQuery { onto: Some("main".into()), ..query('e') });
    assert!(lookup.required);
    // What the base has and cannot be parsed does not leave the choice to the change.
    let own = BaselineLocation { branch: "topic".into(), names_branch: true, ..BaselineLocation::default() };
    let history = history.file('b', "evalratchet.toml", "[baseline");
    let lookup = look(&history, &BaselineQuery { onto: Some("main".into()), own, ..query('e') });
    assert_eq!(source(&lookup), "main:.evalratchet/baseline.json@bbbbbbb");
}

#[test]
fn the_trend_has_no_more_versions_than_wanted() {
    let lookup = look(&history(), &BaselineQuery { trend: 1, ..query('d') });
    assert_eq!(lookup.found.unwrap().versions.len(), 1);
}

#[test]
fn the_configuration_of_the_base_says_where_the_baseline_is() {
    let elsewhere = "[baseline]\nref = \"data\"\npath = \"kept.json\"\n";
    let history = MemoryHistory::default()
        .commit('a', "")
        .file('a', "evals/evalratchet.toml", elsewhere)
        .file('a', "evals/kept.json", &baseline_of(Some('a')))
        .commit('b', "a")
        .branch("main", 'a')
        .branch("data", 'a');
    let mut query = query('b');
    (query.onto, query.config, query.prefix) = (Some("main".into()), "evals/evalratchet.toml".into(), "evals/".into());
    let lookup = look(&history, &query);
    assert_eq!(source(&lookup), "data:evals/kept.json@aaaaaaa");
    let remark = "this change has another [baseline]; that of `main` counts: `evals/kept.json` on `data`";
    assert_eq!(lookup.remark.as_deref(), Some(remark));
    // The branch that the user names on the command line counts more, but the change does not choose the file.
    query.named = Some("main".into());
    let lookup = look(&history, &query);
    assert_eq!(source(&lookup), "main:evals/kept.json@aaaaaaa");
    let remark = "this change has another [baseline]; that of `main` counts: `evals/kept.json`";
    assert_eq!(lookup.remark.as_deref(), Some(remark));
}

#[test]
fn every_reason_for_a_missing_baseline_has_its_own_message() {
    let none = |history: &MemoryHistory, query: &BaselineQuery| look(history, query).found.unwrap_err();
    let (branch, base) = ("main".to_owned(), sha('a'));
    let empty = MemoryHistory::default().commit('a', "").branch("main", 'a');
    assert_eq!(none(&empty, &query('a')), NoBaseline::NoVersion { branch: branch.clone(), base: base.clone() });
    let other = BaselineQuery { named: Some("mian".into()), ..query('a') };
    assert_eq!(none(&empty, &other), NoBaseline::NoBranch { branch: "mian".into(), named_by: NamedBy::User });
    let foreign = history().commit('9', "");
    assert_eq!(none(&foreign, &query('9')), NoBaseline::NoCommonAncestor { branch: branch.clone() });
    let deleted = history().commit('f', "d").without('f', FILE).branch("main", 'f');
    let expected = NoBaseline::Deleted { branch: branch.clone(), path: FILE.into(), commit: sha('f') };
    assert_eq!(none(&deleted, &query('f')), expected);
    for newest in [None, Some('7')] {
        let history =
            MemoryHistory::default().commit('a', "").file('a', FILE, &baseline_of(newest)).branch("main", 'a');
        let newest = newest.map(sha);
        let expected = NoBaseline::NotAnAncestor { branch: branch.clone(), base: base.clone(), newest };
        assert_eq!(none(&history, &query('a')), expected);
    }
}

#[test]
fn a_version_that_is_not_valid_is_an_error_and_only_missing_from_the_trend() {
    let newest = history().commit('f', "d").file('f', FILE, "{").branch("main", 'f');
    assert!(matches!(ready(find(&newest, &query('f'))), Err(LookupError::Invalid(_))));
    let older = history().file('b', FILE, "{").file('c', FILE, "{");
    assert_eq!(look(&older, &query('d')).found.unwrap().versions.len(), 1);
}

#[test]
fn a_failed_lookup_is_an_error_and_not_a_missing_baseline() {
    let query = pull_request('e', 'd', None);
    for call in ["tip", "parents", "merge_base", "is_ancestor", "file_at", "versions"] {
        match ready(find(&history().broken(call), &query)) {
            Err(LookupError::History(Broken(broken))) => assert_eq!(broken, call),
            other => panic!("{call}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_baseline_says_what_to_do_about_it() {
    let none = NoBaseline::NoVersion { branch: "main".into(), base: sha('a') };
    let clone = |shallow, has_file| HistoryPlace::Clone { shallow, has_file, had_file: false, has_origin: false };
    for (place, advice) in [
        (clone(false, false), "evalratchet baseline update --from evalratchet-out"),
        (clone(false, true), "kept.json is here, but not on `main`; commit it there"),
        (clone(true, true), "fetch-depth: 0"),
        (HistoryPlace::GitHub, "evalratchet baseline update --from evalratchet-out"),
    ] {
        let message = none.message("kept.json", place);
        assert!(message.starts_with("no baseline on `main` for aaaaaaa") && message.contains(advice), "{message}");
    }
}
