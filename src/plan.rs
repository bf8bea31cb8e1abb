//! Which cases run: the user's filters, and the shard.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::input::{InputError, InputErrors, nearest};
use crate::model::{CaseId, ChangedPaths, Mode, Shard, Slice, SuiteId};
use crate::settings::CONFIG_NAME;
use crate::suites::Kind;
use crate::suites::{Case, Question, Suite, SuiteSettings};
use crate::text::flag;

/// What the user asked to run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// `--suite`: these suites only.
    pub suites: Vec<String>,
    /// `--kind`: these kinds only.
    pub kinds: Vec<Kind>,
    /// `--filter`: cases whose `suite/id` contains this; with `=` in front, the case of exactly this id.
    pub filter: Option<String>,
    /// `--tag`: cases with one of these tags only.
    pub tags: Vec<String>,
    /// `--lane`: of cases that are in a slice of this dimension, those of this slice only.
    pub slice: Option<Slice>,
    /// `--shard`: this part only.
    pub shard: Option<Shard>,
}

/// A case and whether it is to be run.
#[derive(Debug, Clone)]
pub struct Planned {
    pub case: Case,
    /// Whether the user's filter chose it.
    pub chosen: bool,
    /// Its place among all cases of the suite, from 0.
    pub position: usize,
    pub main_key: MainKey,
}

/// The key of a case on main, compared with the one here.
#[derive(Debug, Clone)]
pub enum MainKey {
    /// It is the same, or main does not have the case.
    Same,
    /// It is another one, and answers are judged by it as well.
    Judges {
        /// What is asked here, judged as on main.
        question: Arc<Question>,
        /// Both keys as a diff.
        diff: String,
    },
    /// It is another one, and answers cannot be judged by it.
    Edited {
        /// Both keys as a diff, if main's could be read.
        diff: Option<String>,
        why_not: String,
    },
}

/// A suite with the cases of this shard.
#[derive(Debug, Clone)]
pub struct PlannedSuite {
    /// The suite; its cases are in `cases`.
    pub settings: crate::settings::SuiteSettings,
    /// Every declared case of this shard.
    pub cases: Vec<Planned>,
    /// The ids of all declared cases, of other shards as well.
    pub declared: Vec<CaseId>,
    /// A hash of all of them, and of what was chosen.
    pub digest: String,
    /// Whether anything that it depends on changed.
    pub affected: bool,
}

impl PlannedSuite {
    /// Whether one of these files concerns the suite: what its `paths` name, or what it is made of itself.
    pub fn is_affected_by(&self, root: &Path, changed: &ChangedPaths) -> bool {
        match self.case_folders(root) {
            Some(folders) => self.settings.is_affected_by(changed, &folders),
            // Git cannot tell what changed outside of the configuration's directory.
            None => true,
        }
    }

    /// The folders that its cases consist of, relative to the configuration; `None` if one is somewhere else.
    pub fn case_folders(&self, root: &Path) -> Option<Vec<String>> {
        let folders = self.cases.iter().filter_map(|planned| planned.case.question.files());
        folders.map(|path| Some(path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/"))).collect()
    }
}

impl Selection {
    /// Whether anything is left out.
    pub fn is_partial(&self) -> bool {
        self.is_filter() || self.shard.is_some()
    }

    /// Whether a filter leaves something out.
    pub fn is_filter(&self) -> bool {
        let Self { suites, kinds, filter, tags, slice, shard: _ } = self;
        slice.is_some() || !suites.is_empty() || !kinds.is_empty() || filter.is_some() || !tags.is_empty()
    }

    /// Says which ids given with `--suite` do not exist.
    pub fn check(&self, known: &[&str], config: &str) -> Result<(), InputErrors> {
        let mut errors = InputErrors::new();
        for wrong in self.suites.iter().filter(|id| !known.contains(&id.as_str())) {
            let mistake = InputError::in_file(config, format!("there is no suite `{wrong}`"));
            errors.push(match nearest(wrong, known.iter().copied()) {
                Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                None => mistake.with_help(format!("suites: {}", known.join(", "))),
            });
        }
        errors.into_result()
    }

    /// Whether it can choose a case of this suite, whatever its cases are.
    pub fn may_choose(&self, suite: &SuiteSettings) -> bool {
        (self.suites.is_empty() || self.suites.iter().any(|chosen| chosen == suite.id.as_str()))
            && (self.kinds.is_empty() || self.kinds.contains(&suite.kind))
    }

    fn chooses(&self, suite: &Suite, case: &Case) -> bool {
        let id = suite.settings.id.as_str();
        let by_filter = self.filter.as_ref().is_none_or(|filter| match filter.strip_prefix('=') {
            Some(exact) => case.id.as_str() == exact,
            None => format!("{id}/{}", case.id).contains(filter.as_str()),
        });
        self.may_choose(&suite.settings)
            && (self.tags.is_empty() || self.tags.iter().any(|tag| case.tags.contains(tag)))
            && self.slice.as_ref().is_none_or(|slice| {
                let mut same_dimension = case.slices.iter().filter(|one| one.dimension() == slice.dimension());
                same_dimension.all(|one| one == slice)
            })
            && by_filter
    }
}

/// Every case of the shard, each marked whether the user chose it. A suite without any chosen case is left out when
/// the user named suites or kinds; that is the same in every shard.
pub fn plan(suites: Vec<Suite>, selection: &Selection) -> Vec<PlannedSuite> {
    let named = !selection.suites.is_empty() || !selection.kinds.is_empty();
    let mut planned = Vec::new();
    for suite in suites {
        let all: Vec<Planned> = suite
            .cases
            .iter()
            .enumerate()
            .map(|(position, case)| Planned {
                chosen: selection.chooses(&suite, case),
                case: case.clone(),
                position,
                main_key: MainKey::Same,
            })
            .collect();
        if named && !all.iter().any(|planned| planned.chosen) {
            continue;
        }
        let declared = suite.cases.iter().map(|case| case.id.clone()).collect();
        let id = suite.settings.id.as_str();
        let of_shard =
            |one: &Planned| selection.shard.is_none_or(|shard| shard_of(id, &one.case, shard.total) == shard.index);
        let digest = digest(&all);
        let cases = all.into_iter().filter(of_shard).collect();
        planned.push(PlannedSuite { settings: suite.settings, cases, declared, digest, affected: true });
    }
    planned
}

/// A hash of all cases and of what was chosen.
fn digest(all: &[Planned]) -> String {
    let mut hasher = Sha256::new();
    for Planned { case, chosen, .. } in all {
        hasher.update(format!("{}:{}{}{chosen}\n", case.id.as_str().len(), case.id, case.fingerprint.as_str()));
    }
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The shard of a case, from 1: a hash of its suite and id, so that it never moves when others come or go.
fn shard_of(suite: &str, case: &Case, total: u32) -> u32 {
    let digest = Sha256::digest(format!("{suite}\0{}", case.id).as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    u32::try_from(number % u64::from(total.max(1))).map_or(1, |index| index + 1)
}

/// One command line that runs a case alone.
pub fn reproduce(config: &str, mode: Mode, suite: &SuiteId, case: &CaseId) -> String {
    let mut line = String::from("evalratchet run");
    if config != CONFIG_NAME {
        line.push_str(&flag("config", config));
    }
    match mode {
        Mode::Auto | Mode::Record => {}
        Mode::Live => line.push_str(" --mode live"),
        Mode::Replay => line.push_str(" --mode replay"),
    }
    line.push_str(&flag("suite", suite.as_str()));
    line.push_str(&flag("case", case.as_str()));
    line
}
