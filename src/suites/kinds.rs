//! The kinds of suite: what each must offer, and the one list of them.
//!
//! A kind is a folder that implements [`SuiteKind`] for the suite, [`CaseQuestion`] for a case before it is asked and
//! [`CaseReport`] for what results say of it. `kinds!` turns the list at the end of this file into the enums and the
//! dispatch, so no other file needs to match on the kind.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SuiteSettings;
use super::config::KindConfig;
use super::page::CasePage;
use super::starter::{Starter, Survey};
use super::{Asking, Attempted, CaseTable, CaseView, Evaluation, Listed, Loaded, Remark, RequiredTool, SliceTable};
use crate::input::{FileSchema, InputErrors};
use crate::model::{Answer, CaseChange, CaseId, CheckName, MetricSpec, Request};
use crate::targets::OpinionTarget;
use crate::text::{Redact, Redactor};

/// Why the edit of a case cannot be shown, in the words of its kind.
pub type EditError = Box<dyn std::error::Error>;

/// What a kind offers for a whole suite.
pub trait SuiteKind {
    /// A case before it is asked.
    type Question: CaseQuestion<Detail = Self::Detail>;
    /// What results say of a case beyond what every kind has.
    type Detail: CaseReport + Redact;
    /// The keys that only this kind has, checked.
    type Config: KindConfig;
    /// The checks that it makes of an answer.
    type Check: CheckName;

    /// Its metrics, in the order in which reports show them.
    const METRICS: &'static [MetricSpec];
    /// The dimensions of slices that are compared with the baseline even if no policy names a slice of them.
    const COMPARED_SLICES: &'static [&'static str] = &[];
    /// The table of slices that a comment has for its suites.
    const SLICE_TABLE: Option<SliceTable> = None;
    /// Whether a failed case fails the gate where neither a floor nor a baseline says anything.
    const EVERY_CASE_MUST_PASS: bool = false;

    /// The formats of the files that people write for it.
    const SCHEMAS: &'static [FileSchema];
    /// What it evaluates, as a question to whoever runs `init`.
    const ABOUT: &'static str;
    /// Whether `init` proposes a sample where it found nothing at all.
    const HAS_A_SAMPLE: bool = true;

    /// What in a directory suggests a suite of this kind.
    fn found_in(survey: &Survey) -> Option<String>;

    /// The first suite that `init` writes.
    fn starter(survey: &Survey) -> Starter;

    /// The cases of each of the suite's files.
    fn load(suite: &SuiteSettings, config: &Self::Config) -> Vec<Result<Loaded, InputErrors>>;

    /// What results say of the suite beyond its metrics.
    fn summarise(_cases: &[CaseView<'_>], _took: Duration) -> Option<SuiteDetail> {
        None
    }

    /// What the gate should know that no metric shows.
    fn remarks(_cases: &[CaseView<'_>]) -> Vec<Remark> {
        Vec::new()
    }

    /// A table with a row per case, where the kind has one.
    fn table(_cases: &[CaseView<'_>]) -> Option<CaseTable> {
        None
    }
}

/// A case before it is asked.
pub trait CaseQuestion: Clone + fmt::Debug + Send + Sync {
    /// What results say of the case.
    type Detail;
    /// Everything that was seen when it was asked; enough to judge it.
    type Evidence: Evidence;

    /// Asks, and returns what came of it.
    fn ask(&self, asking: &Asking<'_>) -> impl Future<Output = Self::Evidence> + Send;

    /// The evidence of a case that nobody was asked.
    fn not_asked(&self, why: &str) -> Self::Evidence;

    /// Judges given evidence. Asks nobody, so that recordings and proofs can use it, too.
    fn evaluate(&self, evidence: &Self::Evidence) -> Evaluation;

    /// The same question judged by the key of `main`; `None` where judging takes more than the answer.
    fn with_key_of(&self, _main: &Self) -> Option<Self> {
        None
    }

    /// Judges the answer that results report; `None` where judging takes more than the answer, or it is not reported.
    fn judge_reported(&self, _reported: &Self::Detail) -> Option<Evaluation> {
        None
    }

    /// The case as a report shows it when nothing has been asked.
    fn detail(&self) -> Self::Detail;

    /// The request whose answer can be recorded, where that is one.
    fn request(&self, _id: &CaseId) -> Option<Request> {
        None
    }

    /// Who is asked for an opinion on its answer.
    fn opinion_targets(&self, _suite: &SuiteSettings) -> Vec<OpinionTarget> {
        Vec::new()
    }

    /// What these are asked about a given answer, by their names.
    fn opinion_requests(&self, _id: &CaseId, _answer: &Answer) -> Vec<(&str, Request)> {
        Vec::new()
    }

    /// Files of the repository that the case consists of beside the file it is written in.
    fn files(&self) -> Option<&Path> {
        None
    }

    /// What its own edit does to each file, as a diff; nothing where a target makes the edit.
    fn edits(&self) -> Option<Result<Vec<(String, String)>, EditError>> {
        None
    }

    /// Programs that must be installed.
    fn required_tools(&self) -> Vec<RequiredTool<'_>> {
        Vec::new()
    }

    /// How often it was asked, where somebody else did that already.
    fn attempts(&self) -> Option<usize> {
        None
    }

    /// The command that runs it alone, where that is not one of ours.
    fn reproduce(&self) -> Option<&str> {
        None
    }

    /// Where what the case says of itself is not what its own content shows.
    fn contradictions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What was seen when a case was asked.
pub trait Evidence: Send {
    /// The attempt that it makes together with its evaluation.
    fn into_attempt(self, evaluation: Evaluation) -> Attempted;
}

impl Evidence for Answer {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        let Self { ending, captured, duration, hint: _, usage, from_cache } = self;
        let from_cache = usize::from(from_cache);
        Attempted { ending: ending.kind(), duration, captured, usage, from_cache, evaluation, by_main: None }
    }
}

/// What results say of a case, drawn for people.
pub trait CaseReport {
    /// What differs from what is expected: a diff, the marked words, the parts, the ranks.
    fn preview(&self, case: CaseView<'_>, _change: Option<&CaseChange>) -> Option<String> {
        case.diff.map(str::to_owned)
    }

    /// Why the case failed, as labelled texts.
    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)>;

    /// What the page shows of the case beyond what it shows of every case.
    fn page(&self, case: CaseView<'_>, change: Option<&CaseChange>) -> CasePage;

    /// The answer that was judged, as text.
    fn answer(&self) -> Option<String> {
        None
    }

    /// Something worth knowing whether the case failed or not.
    fn note(&self) -> Option<String> {
        None
    }

    /// Why the answer is more dangerous than the case allows, if it is.
    fn unsafe_because(&self) -> Option<&str> {
        None
    }

    /// Whether the diff says more than the preview, so that a long report has both.
    fn adds_diff(&self) -> bool {
        false
    }

    /// Where the working copy is, if it was kept.
    fn working_copy(&self) -> Option<&str> {
        None
    }

    /// What was measured under names that the case brings along.
    fn measured(&self) -> Option<&BTreeMap<String, f64>> {
        None
    }

    /// The parts of the score that are kept in a baseline and compared.
    fn parts(&self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }
}

/// What results say of a suite, drawn for people.
pub trait SuiteReport {
    /// The suite in one line.
    fn line(&self) -> Option<String> {
        None
    }

    /// What else is worth a word on the page.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Things of the whole suite that reports list one by one.
    fn listed(&self) -> Option<Listed<'_>> {
        None
    }
}

async fn attempt<Q: CaseQuestion>(question: &Q, by_main: Option<&Q>, asking: &Asking<'_>) -> Attempted {
    let evidence = question.ask(asking).await;
    let evaluation = question.evaluate(&evidence);
    let by_main = by_main.map(|question| Box::new(question.evaluate(&evidence)));
    Attempted { by_main, ..evidence.into_attempt(evaluation) }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($name:literal): $of:ty $(, $suite_detail:ty)?;)*) => {
        /// What a suite evaluates.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Every kind, in the order in which documentation lists them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name used in files, flags and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// See [`SuiteKind::METRICS`].
            pub const fn metrics(self) -> &'static [MetricSpec] {
                match self {
                    $(Self::$kind => <$of>::METRICS,)*
                }
            }

            /// What is known of one of its metrics.
            pub fn metric(self, name: &str) -> Option<&'static MetricSpec> {
                self.metrics().iter().find(|spec| spec.name == name)
            }

            /// See [`SuiteKind::COMPARED_SLICES`].
            pub const fn compared_slices(self) -> &'static [&'static str] {
                match self {
                    $(Self::$kind => <$of>::COMPARED_SLICES,)*
                }
            }

            /// See [`SuiteKind::SLICE_TABLE`].
            pub const fn slice_table(self) -> Option<SliceTable> {
                match self {
                    $(Self::$kind => <$of>::SLICE_TABLE,)*
                }
            }

            /// See [`SuiteKind::EVERY_CASE_MUST_PASS`].
            pub const fn every_case_must_pass(self) -> bool {
                match self {
                    $(Self::$kind => <$of>::EVERY_CASE_MUST_PASS,)*
                }
            }

            /// The names of its checks.
            pub const fn checks(self) -> &'static [&'static str] {
                match self {
                    $(Self::$kind => <<$of as SuiteKind>::Check as CheckName>::NAMES,)*
                }
            }

            /// See [`SuiteKind::SCHEMAS`].
            pub const fn schemas(self) -> &'static [FileSchema] {
                match self {
                    $(Self::$kind => <$of>::SCHEMAS,)*
                }
            }

            /// See [`SuiteKind::ABOUT`].
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$kind => <$of>::ABOUT,)*
                }
            }

            /// See [`SuiteKind::HAS_A_SAMPLE`].
            pub const fn has_a_sample(self) -> bool {
                match self {
                    $(Self::$kind => <$of>::HAS_A_SAMPLE,)*
                }
            }

            /// See [`SuiteKind::found_in`].
            pub fn found_in(self, survey: &Survey) -> Option<String> {
                match self {
                    $(Self::$kind => <$of>::found_in(survey),)*
                }
            }

            /// See [`SuiteKind::starter`].
            pub fn starter(self, survey: &Survey) -> Starter {
                match self {
                    $(Self::$kind => <$of>::starter(survey),)*
                }
            }

            /// See [`SuiteKind::summarise`].
            pub fn summarise(self, cases: &[CaseView<'_>], took: Duration) -> Option<SuiteDetail> {
                match self {
                    $(Self::$kind => <$of>::summarise(cases, took),)*
                }
            }

            /// See [`SuiteKind::remarks`].
            pub fn remarks(self, cases: &[CaseView<'_>]) -> Vec<Remark> {
                match self {
                    $(Self::$kind => <$of>::remarks(cases),)*
                }
            }

            /// See [`SuiteKind::table`].
            pub fn table(self, cases: &[CaseView<'_>]) -> Option<CaseTable> {
                match self {
                    $(Self::$kind => <$of>::table(cases),)*
                }
            }
        }

        /// A case before it is asked, of any kind.
        #[derive(Debug, Clone)]
        pub enum Question {
            $(#[doc = concat!("Of kind `", $name, "`.")] $kind(Box<<$of as SuiteKind>::Question>),)*
        }

        impl Question {
            /// Asks once and judges what came of it, also by main's key if that is another one.
            pub async fn attempt(&self, by_main: Option<&Self>, asking: &Asking<'_>) -> Attempted {
                match self {
                    $(Self::$kind(question) => {
                        let by_main = match by_main {
                            Some(Self::$kind(main)) => Some(&**main),
                            Some(_) | None => None,
                        };
                        attempt(&**question, by_main, asking).await
                    })*
                }
            }

            /// See [`CaseQuestion::with_key_of`].
            pub fn with_key_of(&self, main: &Self) -> Option<Self> {
                match (self, main) {
                    $((Self::$kind(question), Self::$kind(main)) => {
                        Some(Self::$kind(Box::new(question.with_key_of(main)?)))
                    })*
                    _ => None,
                }
            }

            /// The attempt of a case that nobody was asked.
            pub fn not_asked(&self, why: &str) -> Attempted {
                match self {
                    $(Self::$kind(question) => {
                        let evidence = question.not_asked(why);
                        let evaluation = question.evaluate(&evidence);
                        evidence.into_attempt(evaluation)
                    })*
                }
            }

            /// See [`CaseQuestion::judge_reported`].
            pub fn judge_reported(&self, reported: &CaseDetail) -> Option<Evaluation> {
                match (self, reported) {
                    $((Self::$kind(question), CaseDetail::$kind(reported)) => question.judge_reported(reported),)*
                    _ => None,
                }
            }

            /// See [`CaseQuestion::detail`].
            pub fn detail(&self) -> CaseDetail {
                match self {
                    $(Self::$kind(question) => CaseDetail::$kind(question.detail()),)*
                }
            }

            /// See [`CaseQuestion::request`].
            pub fn request(&self, id: &CaseId) -> Option<Request> {
                match self {
                    $(Self::$kind(question) => question.request(id),)*
                }
            }

            /// See [`CaseQuestion::opinion_targets`].
            pub fn opinion_targets(&self, suite: &SuiteSettings) -> Vec<OpinionTarget> {
                match self {
                    $(Self::$kind(question) => question.opinion_targets(suite),)*
                }
            }

            /// See [`CaseQuestion::opinion_requests`].
            pub fn opinion_requests(&self, id: &CaseId, answer: &Answer) -> Vec<(&str, Request)> {
                match self {
                    $(Self::$kind(question) => question.opinion_requests(id, answer),)*
                }
            }

            /// See [`CaseQuestion::files`].
            pub fn files(&self) -> Option<&Path> {
                match self {
                    $(Self::$kind(question) => question.files(),)*
                }
            }

            /// See [`CaseQuestion::edits`].
            pub fn edits(&self) -> Option<Result<Vec<(String, String)>, EditError>> {
                match self {
                    $(Self::$kind(question) => question.edits(),)*
                }
            }

            /// See [`CaseQuestion::contradictions`].
            pub fn contradictions(&self) -> Vec<String> {
                match self {
                    $(Self::$kind(question) => question.contradictions(),)*
                }
            }

            /// See [`CaseQuestion::required_tools`].
            pub fn required_tools(&self) -> Vec<RequiredTool<'_>> {
                match self {
                    $(Self::$kind(question) => question.required_tools(),)*
                }
            }

            /// See [`CaseQuestion::attempts`].
            pub fn attempts(&self) -> Option<usize> {
                match self {
                    $(Self::$kind(question) => question.attempts(),)*
                }
            }

            /// See [`CaseQuestion::reproduce`].
            pub fn reproduce(&self) -> Option<&str> {
                match self {
                    $(Self::$kind(question) => CaseQuestion::reproduce(&**question),)*
                }
            }
        }

        /// What only one kind of case has.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum CaseDetail {
            $(#[doc = concat!("A case of kind `", $name, "`.")] $kind(<$of as SuiteKind>::Detail),)*
        }

        impl CaseDetail {
            /// What is drawn of it.
            pub fn report(&self) -> &dyn CaseReport {
                match self {
                    $(Self::$kind(detail) => detail,)*
                }
            }
        }

        impl Redact for CaseDetail {
            fn redact(&mut self, redactor: &Redactor) {
                match self {
                    $(Self::$kind(detail) => detail.redact(redactor),)*
                }
            }
        }

        /// What only one kind of suite has.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum SuiteDetail {
            $($(#[doc = concat!("A suite of kind `", $name, "`.")] $kind($suite_detail),)?)*
        }

        impl SuiteDetail {
            /// What is drawn of it.
            pub fn report(&self) -> &dyn SuiteReport {
                match self {
                    $($(Self::$kind(detail) => { let detail: &$suite_detail = detail; detail })?)*
                }
            }
        }
    };
}

/// The one list: name, implementation, and what results say of the whole suite where the kind has that.
macro_rules! with_kinds {
    ($use:ident) => {
        $use! {
            /// An edit of a fixture, goals that must hold, and assertions about what changed.
            Scenario("scenario"): crate::suites::scenario::ScenarioKind;
            /// Natural language in, one shell command out.
            Command("command"): crate::suites::command::CommandKind, crate::suites::command::CommandSuiteDetail;
            /// Structured output of a model, scored by parts against a reviewed answer.
            Golden("golden"): crate::suites::golden::GoldenKind, crate::suites::golden::GoldenSuiteDetail;
            /// A question in, a ranking out.
            Retrieval("retrieval"): crate::suites::retrieval::RetrievalKind, crate::suites::retrieval::RetrievalSuiteDetail;
            /// Results that another tool produced.
            Imported("imported"): crate::suites::imported::ImportedKind;
        }
    };
}
pub(super) use with_kinds;

with_kinds!(kinds);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test reads the docs")]
    fn every_kind_has_a_page_that_names_its_metrics() {
        for kind in Kind::ALL {
            let pages = [format!("{kind}.md"), format!("{kind}s.md"), format!("{kind}-suites.md")];
            let path = pages.iter().map(|page| format!("{}/docs/{page}", env!("CARGO_MANIFEST_DIR")));
            let path = path.into_iter().find(|path| std::path::Path::new(path).is_file());
            let path = path.unwrap_or_else(|| panic!("{kind} has no page in docs/: write one of {pages:?}"));
            let page = std::fs::read_to_string(&path).unwrap();
            let all = format!("{}/docs/configuration.md", env!("CARGO_MANIFEST_DIR"));
            let all = std::fs::read_to_string(all).unwrap();
            for metric in kind.metrics() {
                let name = format!("`{}`", metric.name);
                assert!(page.contains(&name) || all.contains(&name), "{path} does not name {name}");
            }
            assert!(page.contains(&format!("kind = \"{kind}\"")), "{path} has no example of a {kind} suite");
        }
    }

    #[test]
    fn the_slice_table_of_a_kind_shows_its_own_metrics_and_compared_slices() {
        for kind in Kind::ALL {
            let Some(table) = kind.slice_table() else { continue };
            assert!(kind.compared_slices().contains(&table.dimension), "{kind}: {table:?}");
            assert!(table.metrics.iter().all(|(name, _)| kind.metric(name).is_some()), "{kind}: {table:?}");
        }
    }

    /// Reports take the first word of a check for its name; the rest is what it is about.
    #[test]
    fn every_check_of_a_kind_has_one_word_of_its_own() {
        for kind in Kind::ALL {
            let names = kind.checks();
            let one_word = names.iter().all(|name| !name.is_empty() && !name.contains(char::is_whitespace));
            let unique: std::collections::BTreeSet<_> = names.iter().collect();
            assert!(one_word && unique.len() == names.len(), "{kind}: {names:?}");
        }
    }
}
