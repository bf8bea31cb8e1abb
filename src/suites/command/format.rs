//! Datasets of commands: disk → cases.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::input::{Checker, Document, Found, InputError, InputErrors, Pointer, with_unix_lines};
use crate::model::{CaseId, CaseKey, Fingerprint, Location, SharedKey, Slice};
use crate::suites::command::{CommandDetail, Method};
use crate::suites::{Case, Loaded, LoadedCase, Question, read, tag_slices};

use super::config::{CommandAnswerForm, CommandConfig, RefusalRule};
use super::danger::danger;
use super::equivalence::{Equivalence, ProgramTable, Tables, is_no_command};
use super::posix;

/// A dataset of prompts and the commands they should become.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "evalratchet command dataset")]
pub struct CommandDataset {
    /// A short name of the dataset.
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub name: String,
    /// The version of the dataset.
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub version: String,
    /// What the dataset covers.
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub description: String,
    /// When it was written.
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub created_at: Option<String>,
    /// Totals, which are checked, and anything else.
    pub metadata: Option<DatasetMetadata>,
    /// The cases of the dataset.
    #[schemars(length(min = 1))]
    pub test_cases: Vec<TestCase>,
}

/// What a dataset says of itself. The totals must be right.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DatasetMetadata {
    /// How many cases there are.
    pub total: Option<usize>,
    /// Category → how many cases.
    pub by_category: Option<BTreeMap<String, usize>>,
    /// Risk level → how many cases.
    pub by_risk_level: Option<BTreeMap<String, usize>>,
    /// Anything else, not looked at.
    #[serde(flatten)]
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub other: Map<String, Value>,
}

/// One prompt and the command it should become.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    /// Unique in the suite.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What the system under test is asked.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// What it should do; it should answer with a command if this is absent.
    #[serde(default)]
    pub expect: Expect,
    /// The command it should answer; absent where it should refuse.
    #[schemars(regex(pattern = r"\S"))]
    pub expected_command: Option<String>,
    /// Other commands that are right as well.
    #[serde(default)]
    pub accepted_commands: Vec<String>,
    /// Regular expressions; an answer whose whole normal form matches one of them is right as well.
    #[serde(default)]
    pub accepted_patterns: Vec<String>,
    /// Regular expressions; no accepted pattern counts for an answer whose whole normal form matches one of them.
    #[serde(default)]
    pub rejected_patterns: Vec<String>,
    /// What it is about.
    #[schemars(length(min = 1))]
    pub category: String,
    /// What running the command could do.
    pub risk_level: RiskLevel,
    /// Whether the command is POSIX sh with POSIX utilities and options only.
    pub posix_compliant: bool,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Anything else, not looked at.
    #[serde(default)]
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub metadata: Map<String, Value>,
}

/// What the target should do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// The target must answer with a command.
    #[default]
    Command,
    /// The target must refuse to answer with a command.
    Refusal,
}

/// What running a command could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// The command only reads.
    Safe,
    /// Creates or copies.
    Low,
    /// Overwrites, moves or sends.
    Medium,
    /// Deletes, or changes much at once.
    High,
    /// Can destroy a system.
    Critical,
}

impl RiskLevel {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a command case asks.
#[derive(Debug, Clone)]
pub struct CommandQuestion {
    /// What the target is asked.
    pub prompt: String,
    /// What it should answer; nothing if it should refuse.
    pub expected: String,
    /// What is right as well.
    pub accepted: Vec<String>,
    /// Patterns of what is right as well, over the whole normal form.
    pub accepted_patterns: Vec<Regex>,
    /// Patterns of what is not right even if an accepted pattern matches.
    pub rejected_patterns: Vec<Regex>,
    pub expect: Expect,
    /// How dangerous an answer may be.
    pub limit: RiskLevel,
    pub answer: CommandAnswerForm,
    /// How the target refuses.
    pub refusal: Option<RefusalRule>,
    pub category: String,
    pub risk_level: &'static str,
    /// The same, to be compared.
    pub declared: RiskLevel,
    pub posix_compliant: bool,
    /// What is known about programs.
    pub tables: Tables,
}

impl CommandQuestion {
    /// The report's view: the question, with the answer and the verdict on it if there are any.
    pub fn detail_with(&self, generated: Option<&str>, verdict: Option<(&str, &Equivalence)>) -> CommandDetail {
        CommandDetail {
            expects_refusal: self.expect == Expect::Refusal,
            refused: false,
            unwrapped: false,
            danger: None,
            unsafe_because: None,
            not_posix: Vec::new(),
            prompt: self.prompt.clone(),
            expected_command: self.expected.clone(),
            accepted_commands: self.accepted.clone(),
            generated_command: generated.map(str::to_owned),
            compared_with: verdict.map(|(expected, _)| expected.to_owned()),
            method: verdict.map_or(Method::NoMatch, |(_, verdict)| verdict.method()),
            rule: verdict.and_then(|(_, verdict)| verdict.rule()).map(|rule| rule.name().to_owned()),
            first_difference: verdict.and_then(|(_, verdict)| verdict.difference().cloned()),
            category: self.category.clone(),
            risk_level: self.risk_level.to_owned(),
            posix_compliant: self.posix_compliant,
        }
    }
}

impl CommandQuestion {
    /// What the labels of the case say that its own expected command contradicts.
    pub fn contradictions(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.expect == Expect::Refusal {
            return notes;
        }
        let own = danger(&self.expected, &self.tables);
        if own.level > self.declared {
            let because = own.findings.first().map(|finding| format!(": {}", finding.sentence())).unwrap_or_default();
            notes.push(format!(
                "`risk_level` is {}, but the expected command is {}{because}",
                self.risk_level,
                own.level.name()
            ));
        }
        let beyond = posix::extensions(&self.expected, &self.tables).unwrap_or_default();
        if self.posix_compliant && !beyond.is_empty() {
            notes.push(format!("`posix_compliant` is true, but POSIX does not have {}", beyond.join(", ")));
        }
        notes
    }
}

static CHECKER: LazyLock<Checker<CommandDataset>> = LazyLock::new(Checker::new);
static TABLES: LazyLock<Checker<ProgramTable>> = LazyLock::new(Checker::new);

/// Reads program tables of the user's own; each is named after its program.
pub fn load_tables(files: &[Found]) -> Result<Tables, InputErrors> {
    let mut errors = InputErrors::new();
    let mut tables = Vec::new();
    for Found { path, shown } in files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let table = read(path, shown).and_then(|text| Document::toml(shown, text)).and_then(|document| {
            let table = TABLES.read(&document)?;
            Tables::with([(name.clone(), table.clone())])
                .map_err(|why| InputErrors::from(document.error(&Pointer::root(), why.to_string())))?;
            Ok(table)
        });
        match table {
            Ok(table) => tables.push((name, table)),
            Err(wrong) => errors.extend(wrong),
        }
    }
    errors.into_result()?;
    Tables::with(tables).map_err(|why| InputError::in_file("programs", why.to_string()).into())
}

/// The cases of one dataset. The user's program tables belong to the question.
pub fn load(path: &Path, shown: &str, tables: &Tables, config: &CommandConfig) -> Result<Loaded, InputErrors> {
    let own = config.programs.found();
    let document = Document::json(shown, read(path, shown)?)?;
    // Tables of the user's own decide what is right.
    let own: Vec<String> = own.iter().map(|table| read(&table.path, &table.shown)).collect::<Result<_, _>>()?;
    let shared = shared_key(&own)?;
    let dataset = CHECKER.read(&document)?;
    let mut errors = InputErrors::new();
    check_totals(&document, &dataset, &mut errors);
    let at = Pointer::root().join("test_cases");
    for (index, case) in dataset.test_cases.iter().enumerate() {
        let place = at.join(index);
        check_expectation(&document, &place, case, config, &mut errors);
        let expected = case.expected_command.iter();
        let mut commands: Vec<_> =
            expected.map(|command| ("an expected", place.join("expected_command"), command)).collect();
        for (other, accepted) in case.accepted_commands.iter().enumerate() {
            commands.push(("an accepted", place.join("accepted_commands").join(other), accepted));
        }
        for (which, place, command) in commands {
            if command.trim().is_empty() {
                errors.push(document.error(&place, format!("{which} command must not be empty")));
            } else if is_no_command(command, tables) {
                errors.push(document.error(
                    &place,
                    format!("{which} command must not be only a comment, an operator or an empty word"),
                ));
            }
        }
    }
    errors.into_result()?;
    let cases = dataset.test_cases.into_iter().enumerate();
    let cases = cases
        .map(|(index, case)| loaded_case(&document, &at.join(index), case, (tables, &own, &shared), config))
        .collect();
    Ok(Loaded { cases, warnings: InputErrors::new(), notes: InputErrors::new(), document })
}

/// What the user's own tables say, whatever their comments and their order are.
fn shared_key(own: &[String]) -> Result<Arc<SharedKey>, InputErrors> {
    let mut tables = Vec::new();
    for text in own {
        tables.push(with_unix_lines(&Document::toml("programs", text.clone())?.value));
    }
    tables.sort_by_key(ToString::to_string);
    Ok(if tables.is_empty() { SharedKey::nothing() } else { SharedKey::new(json!({"programs": tables})) })
}

/// A case expects a command or a refusal, and its patterns can be read.
fn check_expectation(
    document: &Document,
    place: &Pointer,
    case: &TestCase,
    config: &CommandConfig,
    errors: &mut InputErrors,
) {
    match (case.expect, &case.expected_command) {
        (Expect::Command, None) => errors.push(document.error(place, "`expected_command` is missing".to_owned())),
        (Expect::Refusal, Some(_)) => {
            let message = "a case that expects a refusal has no expected command".to_owned();
            errors.push(document.error(&place.join("expected_command"), message));
        }
        (Expect::Refusal, None) if config.refusal.is_none() => {
            let message =
                "expects a refusal, but the suite does not say what one is: add `refusal` to its target".to_owned();
            errors.push(document.error(&place.join("expect"), message));
        }
        (Expect::Command, Some(_)) | (Expect::Refusal, None) => {}
    }
    let lists = [("accepted_patterns", &case.accepted_patterns), ("rejected_patterns", &case.rejected_patterns)];
    for (key, patterns) in lists {
        for (index, pattern) in patterns.iter().enumerate() {
            if let Err(error) = anchored(pattern) {
                let message = format!("is no regular expression: {error}");
                errors.push(document.error(&place.join(key).join(index), message));
            }
        }
    }
}

/// A pattern that must match the whole of a text.
fn anchored(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{pattern})$"))
}

fn loaded_case(
    document: &Document,
    at: &Pointer,
    case: TestCase,
    (tables, own, shared): (&Tables, &[String], &Arc<SharedKey>),
    config: &CommandConfig,
) -> LoadedCase {
    let TestCase {
        id,
        prompt,
        expect,
        expected_command,
        accepted_commands,
        accepted_patterns,
        rejected_patterns,
        category,
        risk_level,
        posix_compliant,
        tags,
        metadata: _,
    } = case;
    let dangers = expected_command.iter().chain(&accepted_commands).map(|command| danger(command, tables).level);
    let limit = dangers.chain([risk_level]).max().unwrap_or(risk_level);
    let declared = risk_level;
    let risk_level = risk_level.name();
    let mut slices = vec![Slice::new("category", &category), Slice::new("risk-level", risk_level)];
    slices.extend(tag_slices(&tags));
    let mut question = json!({
        "kind": "command",
        "prompt": prompt,
        "expected_command": expected_command,
        "accepted_commands": accepted_commands,
        "category": category,
        "risk_level": risk_level,
        "posix_compliant": posix_compliant,
    });
    if !own.is_empty() {
        question["programs"] = json!(own);
    }
    if expect == Expect::Refusal {
        question["expect"] = json!("refusal");
    }
    for (key, patterns) in [("accepted_patterns", &accepted_patterns), ("rejected_patterns", &rejected_patterns)] {
        if !patterns.is_empty() {
            question[key] = json!(patterns);
        }
    }
    let compiled = |patterns: Vec<String>| patterns.iter().filter_map(|pattern| anchored(pattern).ok()).collect();
    let fingerprint = Fingerprint::of(&question);
    let asked = Fingerprint::normalised(&json!({"kind": "command", "prompt": prompt}));
    let mut accepted = accepted_commands.clone();
    accepted.sort();
    // The level decides how dangerous an answer may be.
    let mut key = json!({"expected": expected_command, "accepted": accepted, "risk_level": risk_level});
    if expect == Expect::Refusal {
        key["expect"] = json!("refusal");
    }
    for (name, patterns) in [("accepted_patterns", &accepted_patterns), ("rejected_patterns", &rejected_patterns)] {
        if !patterns.is_empty() {
            key[name] = json!(patterns);
        }
    }
    let key = CaseKey::new(key, Arc::clone(shared));
    let question = CommandQuestion {
        prompt,
        expected: expected_command.unwrap_or_default(),
        accepted: accepted_commands,
        accepted_patterns: compiled(accepted_patterns),
        rejected_patterns: compiled(rejected_patterns),
        expect,
        limit,
        answer: config.answer,
        refusal: config.refusal.clone(),
        category,
        risk_level,
        declared,
        posix_compliant,
        tables: tables.clone(),
    };
    LoadedCase {
        at_id: at.join("id"),
        case: Case {
            id: CaseId::new(id),
            tags,
            slices,
            location: Location { file: document.file.clone(), line: document.line(at) },
            fingerprint,
            asked,
            key,
            question: Question::Command(Box::new(question)),
        },
    }
}

fn check_totals(document: &Document, dataset: &CommandDataset, errors: &mut InputErrors) {
    let Some(metadata) = &dataset.metadata else { return };
    let at = Pointer::root().join("metadata");
    let total = dataset.test_cases.len();
    if let Some(claimed) = metadata.total.filter(|claimed| *claimed != total) {
        errors.push(document.error(&at.join("total"), format!("says {claimed} cases, but there are {total}")));
    }
    let count = |name: fn(&TestCase) -> &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for case in &dataset.test_cases {
            *counts.entry(name(case).to_owned()).or_default() += 1;
        }
        counts
    };
    let maps = [
        (&metadata.by_category, at.join("by_category"), count(|case| &case.category)),
        (&metadata.by_risk_level, at.join("by_risk_level"), count(|case| case.risk_level.name())),
    ];
    for (claimed, at, actual) in maps {
        let Some(claimed) = claimed else { continue };
        for (name, claimed) in claimed {
            let there = actual.get(name).copied().unwrap_or(0);
            if there != *claimed {
                let message = format!("says {claimed} cases of `{name}`, but there are {there}");
                errors.push(document.error(&at.join(name), message));
            }
        }
        for (name, there) in actual.iter().filter(|(name, _)| !claimed.contains_key(*name)) {
            errors.push(document.error(&at, format!("does not count the {there} cases of `{name}`")));
        }
    }
}
