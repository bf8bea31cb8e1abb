//! Scenario files: disk → cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::ScenarioConfig;
use super::adapters::{Adapter, GoalCommand, below_placeholder};
use super::assertion::{self, Assertion};
use super::directive::{self, Task};
use crate::input::{Checker, Document, InputErrors, Pointer, TrackedFiles, nearest, tree_hash, tree_hashes};
use crate::model::{CaseId, CaseKey, Fingerprint, Location, SharedKey, Slice, normal};
use crate::suites::{Case, Loaded, LoadedCase, Question, SuiteSettings, read, tag_slices};

/// A scenario: an edit of a fixture, goals that must hold, and assertions about what changed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "evalratchet scenario")]
pub struct ScenarioFile {
    /// Unique in the suite.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How goals become commands.
    pub adapter_id: String,
    /// What must succeed in the working copy, in this order.
    pub goals: Vec<GoalEntry>,
    /// The files that the scenario works on.
    pub fixture: Fixture,
    /// The edit that is made before goals run.
    pub agent_task: Option<AgentTask>,
    /// Goal, or `*` for all goals → what differs from the adapter.
    #[serde(default)]
    pub overrides: BTreeMap<String, Override>,
    /// What must hold afterwards.
    #[serde(default)]
    pub pattern_assertions: Vec<AssertionFile>,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Ignored: a fixture is always copied, so it is always clean.
    #[expect(dead_code, reason = "part of the format of another harness; means nothing here")]
    pub requires_clean_fixture: Option<Value>,
    /// Ignored: scenarios never share a working copy.
    #[expect(dead_code, reason = "part of the format of another harness; means nothing here")]
    pub supports_parallel: Option<Value>,
    /// Ignored: the configuration has the defaults.
    #[expect(dead_code, reason = "part of the format of another harness; means nothing here")]
    pub use_evaluation_defaults: Option<Value>,
}

/// Fields of a scenario that mean nothing here.
const IGNORED: [&str; 3] = ["requiresCleanFixture", "supportsParallel", "useEvaluationDefaults"];

/// A goal: its name, or its name with what differs from the adapter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GoalEntry {
    /// The name of a goal of the adapter.
    Name(String),
    /// The name of a goal with what differs from the adapter.
    Object(GoalObject),
}

/// A goal with what differs from the adapter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalObject {
    /// The name of the goal.
    pub goal: String,
    /// Another program.
    pub command: Option<String>,
    /// Other arguments.
    pub args: Option<Vec<String>>,
    /// Further variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Another directory, relative to the working copy.
    pub cwd: Option<String>,
    /// Another limit.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

impl GoalEntry {
    fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Object(object) => &object.goal,
        }
    }

    /// What it says itself over the adapter.
    fn own(&self) -> Option<Override> {
        match self {
            Self::Name(_) => None,
            Self::Object(GoalObject { goal: _, command, args, env, cwd, timeout_ms }) => Some(Override {
                command: command.clone(),
                args: args.clone(),
                env: env.clone(),
                cwd: cwd.clone(),
                timeout_ms: *timeout_ms,
            }),
        }
    }
}

/// What is edited: always a fresh copy of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fixture {
    /// A directory, relative to the configuration.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Only `true` is accepted: a fixture is never edited in place.
    pub copy_to_temp: Option<bool>,
}

/// The edit that is made before goals run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentTask {
    /// `WRITE|path|contents`, a list of directives, or text for the suite's agent.
    pub instruction: Instruction,
}

/// What an agent task says.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Instruction {
    /// `WRITE|path|contents`, or text for the suite's agent.
    Text(String),
    /// Several directives.
    Items(Vec<InstructionItem>),
}

/// One directive in a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum InstructionItem {
    /// `WRITE|path|contents`.
    Text(String),
    /// One of the others.
    Object(DirectiveObject),
}

/// Exactly one of these.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DirectiveObject {
    /// The file has these contents afterwards.
    pub write: Option<Contents>,
    /// These contents come after what is there.
    pub append: Option<Contents>,
    /// The file is gone afterwards.
    pub delete: Option<ScenarioTarget>,
    /// One passage is another one afterwards.
    pub replace: Option<Replacement>,
}

/// A file and contents.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Contents {
    /// The path of the file, relative to the fixture.
    pub path: String,
    /// The text to write.
    pub contents: String,
}

/// A file of the fixture.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScenarioTarget {
    /// The path of the file, relative to the fixture.
    pub path: String,
}

/// A passage and what takes its place.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    /// The path of the file, relative to the fixture.
    pub path: String,
    /// What must be there, once.
    pub old: String,
    /// What is there instead.
    pub new: String,
}

/// What differs from the adapter.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// The program to run instead.
    pub command: Option<String>,
    /// The arguments to use instead.
    pub args: Option<Vec<String>>,
    /// Further variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Another directory, relative to the working copy.
    pub cwd: Option<String>,
    /// How long this goal may take instead, in milliseconds.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// What must hold afterwards. Which fields belong to it depends on `type`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssertionFile {
    /// `file-exists`, `file-absent`, `file-contains`, `file-lacks`, `diff-match` or `only-changed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The path of the file that the assertion is about.
    pub path: Option<String>,
    /// Of `only-changed`: which files may have changed.
    pub paths: Option<Vec<String>>,
    /// Where the path leads.
    pub scope: Option<Scope>,
    /// Why, for people.
    pub note: Option<String>,
    /// Of `file-contains` and `file-lacks`: one text or several.
    pub includes: Option<OneOrMany>,
    /// Of `diff-match`: what `git diff` prints, or a part of it.
    pub expected_diff: Option<String>,
    /// Of `diff-match`: how the two are compared.
    #[serde(rename = "match")]
    pub how: Option<Match>,
    /// Of `diff-match`: whether another line ending is a change.
    pub endings: Option<Endings>,
    /// What no known type has.
    #[serde(flatten)]
    #[expect(dead_code, reason = "part of the format; only people and the schema read it")]
    pub other: Map<String, Value>,
}

/// One text or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// A single text.
    One(String),
    /// A list of texts.
    Many(Vec<String>),
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Into the working copy.
    Fixture,
    /// Into the repository.
    Repo,
}

/// How a diff is compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// The diff contains the expected text, or its hunks one after the other.
    Substring,
    /// The diff contains the expected lines, whole and in a row.
    Lines,
    /// The diff is exactly the expected text.
    Exact,
}

/// Whether line endings are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Endings {
    /// CRLF is the same as LF.
    #[default]
    Same,
    /// A file with other line endings is another file.
    Exact,
}

/// What a scenario case asks.
#[derive(Debug, Clone)]
pub struct ScenarioQuestion {
    /// What it is about.
    pub title: String,
    pub adapter: Adapter,
    /// The goals, overrides applied.
    pub goals: Vec<Goal>,
    /// The fixture itself, never touched.
    pub fixture: PathBuf,
    pub root: PathBuf,
    pub task: Option<Task>,
    /// What must hold afterwards.
    pub assertions: Vec<Assertion>,
}

/// A goal and what it runs.
#[derive(Debug, Clone)]
pub struct Goal {
    pub name: String,
    pub command: GoalCommand,
}

/// What loading a scenario needs to know.
#[derive(Debug, Clone, Copy)]
pub struct ScenarioContext<'a> {
    pub root: &'a Path,
    /// Every adapter there is.
    pub adapters: &'a BTreeMap<String, Adapter>,
    /// Whether the suite has an agent.
    pub has_agent: bool,
    /// The files that git tracks.
    pub tracked: &'a TrackedFiles,
}

static CHECKER: LazyLock<Checker<ScenarioFile>> = LazyLock::new(Checker::new);

/// The cases of a suite, file by file.
pub fn load_suite(suite: &SuiteSettings, config: &ScenarioConfig) -> Vec<Result<Loaded, InputErrors>> {
    let has_agent = !suite.target.is_none();
    let context = ScenarioContext { root: &suite.root, adapters: &config.adapters, has_agent, tracked: &suite.tracked };
    let mut all: Vec<_> = suite.files.found().iter().map(|file| load(&file.path, &file.shown, context)).collect();
    note_ignored(&mut all);
    all
}

/// Says once for all scenarios which of their fields are ignored.
fn note_ignored(all: &mut [Result<Loaded, InputErrors>]) {
    let has = |loaded: &Loaded, name: &str| loaded.document.value.get(name).is_some();
    let used: Vec<&str> =
        IGNORED.into_iter().filter(|name| all.iter().flatten().any(|loaded| has(loaded, name))).collect();
    for loaded in all.iter_mut().flatten() {
        let Some(name) = used.iter().copied().find(|name| has(loaded, name)) else { continue };
        let message = format!("ignored in every scenario, since they mean nothing here: {}", used.join(", "));
        let note = loaded.document.error_at_key(&Pointer::root().join(name), message);
        loaded.notes.push(note);
        return;
    }
}

pub fn load(path: &Path, shown: &str, context: ScenarioContext<'_>) -> Result<Loaded, InputErrors> {
    let document = Document::json(shown, read(path, shown)?)?;
    let file = CHECKER.read(&document)?;
    let mut errors = InputErrors::new();
    let mut warnings = InputErrors::new();
    let notes = InputErrors::new();
    let at = Pointer::root();

    if file.fixture.copy_to_temp == Some(false) {
        let place = at.join("fixture").join("copyToTemp");
        errors.push(document.error(&place, "a fixture is always copied").with_help("leave it out"));
    }
    let fixture = context.root.join(&file.fixture.path);
    let hash = match directive::check_directory(&file.fixture.path)
        .map_err(|why| why.to_string())
        .and_then(|()| tree_hash(&fixture).map_err(|error| error.to_string()))
    {
        Ok(hash) => hash,
        Err(why) => {
            errors.push(document.error(&at.join("fixture").join("path"), why));
            Value::Null
        }
    };
    let task = read_task(&document, &file, context, &mut errors);
    let (adapter, goals) = read_goals(&document, &file, context, &mut errors);
    let mut assertions = Vec::new();
    for (index, assertion) in file.pattern_assertions.iter().enumerate() {
        let place = at.join("patternAssertions").join(index);
        assertions.extend(assertion::validate(&document, &place, assertion, &mut errors, &mut warnings));
    }
    if goals.is_empty() && file.goals.is_empty() && file.pattern_assertions.is_empty() {
        errors.push(document.error(&at, "declares neither goals nor assertions, so it measures nothing"));
    }
    errors.into_result()?;
    let Some(adapter) = adapter else {
        return Ok(Loaded { cases: Vec::new(), warnings, notes: InputErrors::new(), document });
    };

    let fingerprint = Fingerprint::of(&json!({
        "kind": "scenario",
        "definition": without_names(&document.value),
        "fixture": hash,
        "goals": goals.iter().map(|goal| {
            let GoalCommand { command, args, env, cwd, timeout: _ } = &goal.command;
            json!([goal.name, command, args, env, cwd])
        }).collect::<Vec<_>>(),
    }));
    let files = tree_hashes(&fixture).unwrap_or_default();
    let words = goals.iter().flat_map(|goal| goal.command.args.iter().chain([&goal.command.command]));
    let words: Vec<String> = words.map(|word| word.replace("{repo}/", "")).collect();
    let programs = context.tracked.named(context.root, words.iter().map(String::as_str));
    let (asked, key) = parts(&document.value, &goals, task.as_ref(), &files, &programs);
    let mut slices = vec![Slice::new("adapter", &file.adapter_id)];
    slices.extend(tag_slices(&file.tags));
    let question = ScenarioQuestion {
        title: file.title,
        adapter,
        goals,
        fixture,
        root: context.root.to_owned(),
        task,
        assertions,
    };
    let case = LoadedCase {
        at_id: at.join("id"),
        case: Case {
            id: CaseId::new(file.id),
            tags: file.tags,
            slices,
            location: Location { file: document.file.clone(), line: document.line(&at) },
            fingerprint,
            asked,
            key,
            question: Question::Scenario(Box::new(question)),
        },
    };
    Ok(Loaded { cases: vec![case], warnings, notes, document })
}

/// What is asked, and how what comes of it is judged. Files that a directive writes belong to the question, all others to the
/// key; an agent starts from all of them, so that they belong to both.
fn parts(
    definition: &Value,
    goals: &[Goal],
    task: Option<&Task>,
    files: &BTreeMap<String, String>,
    programs: &BTreeMap<String, String>,
) -> (Fingerprint, CaseKey) {
    let written: Vec<&str> = match task {
        Some(Task::Directives(directives)) => directives.iter().map(directive::Directive::path).collect(),
        Some(Task::FreeText(_)) | None => Vec::new(),
    };
    let has_agent = matches!(task, Some(Task::FreeText(_)));
    let is_written = |path: &str| written.iter().any(|one| normal(one) == path);
    let started_from: BTreeMap<&String, &String> =
        files.iter().filter(|(path, _)| has_agent || is_written(path)).collect();
    let judged_by: BTreeMap<&String, &String> = files.iter().filter(|(path, _)| !is_written(path)).collect();
    let commands: Vec<Value> = goals
        .iter()
        .map(|goal| {
            let GoalCommand { command, args, env, cwd, timeout: _ } = &goal.command;
            json!([goal.name, command, args, env, cwd])
        })
        .collect();
    let assertions: Vec<Value> = definition["patternAssertions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| {
            let mut one = one.clone();
            one.as_object_mut().map(|map| map.remove("note"));
            one
        })
        .collect();
    let asked =
        Fingerprint::normalised(&json!({"kind": "scenario", "task": definition["agentTask"], "files": started_from}));
    let key = json!({
        "adapter": definition["adapterId"], "goals": commands, "programs": programs, "assertions": assertions, "files": judged_by,
    });
    (asked, CaseKey::new(key, SharedKey::nothing()))
}

/// The definition without what names it or only limits its time.
fn without_names(value: &Value) -> Value {
    let mut definition = value.clone();
    if let Some(map) = definition.as_object_mut() {
        for key in ["id", "title", "tags", "overrides"].into_iter().chain(IGNORED) {
            map.remove(key);
        }
        // What a goal says itself is in its command; how long it may take is no part of the question.
        for goal in map.get_mut("goals").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(name) = goal.get("goal").cloned() {
                *goal = name;
            }
        }
    }
    definition
}

fn read_task(
    document: &Document,
    file: &ScenarioFile,
    context: ScenarioContext<'_>,
    errors: &mut InputErrors,
) -> Option<Task> {
    let at = Pointer::root().join("agentTask").join("instruction");
    match directive::read(&file.agent_task.as_ref()?.instruction) {
        Ok(Task::FreeText(_)) if !context.has_agent => {
            let message = "this is text for an agent, but the suite has none";
            let help =
                "write WRITE|path|contents, or add target = { agent = [\"my-agent\", \"{instruction}\"] } to the suite";
            errors.push(document.error(&at, message).with_help(help));
            None
        }
        Ok(task) => Some(task),
        Err(wrong) => {
            for (index, why) in wrong {
                let place = index.map_or_else(|| at.clone(), |index| at.join(index));
                errors.push(document.error(&place, why.to_string()));
            }
            None
        }
    }
}

fn read_goals(
    document: &Document,
    file: &ScenarioFile,
    context: ScenarioContext<'_>,
    errors: &mut InputErrors,
) -> (Option<Adapter>, Vec<Goal>) {
    let at = Pointer::root();
    let Some(adapter) = context.adapters.get(&file.adapter_id) else {
        let known: Vec<&str> = context.adapters.keys().map(String::as_str).collect();
        let mistake = document.error(&at.join("adapterId"), format!("unknown adapter `{}`", file.adapter_id));
        errors.push(match nearest(&file.adapter_id, known.iter().copied()) {
            Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
            None => mistake.with_help(format!("known: {}", known.join(", "))),
        });
        return (None, Vec::new());
    };
    let mut goals: Vec<Goal> = Vec::new();
    for (index, entry) in file.goals.iter().enumerate() {
        let (place, name) = (at.join("goals").join(index), entry.name());
        let nearest_override = entry.own();
        let (all, own) = (file.overrides.get("*"), file.overrides.get(name));
        let base = adapter.goals.get(name).cloned();
        let has_command = |over: Option<&Override>| over.is_some_and(|over| over.command.is_some());
        check_cwd(document, &place, nearest_override.as_ref(), errors);
        if base.is_none() && !has_command(own) && !has_command(nearest_override.as_ref()) {
            let known: Vec<&str> = adapter.goals.keys().map(String::as_str).collect();
            let mistake = document.error(&place, format!("the adapter `{}` has no goal `{name}`", adapter.id));
            errors.push(match nearest(name, known.iter().copied()) {
                Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                None => mistake.with_help(format!("it has: {}", known.join(", "))),
            });
            continue;
        }
        if goals.iter().any(|goal| goal.name == name) {
            errors.push(document.error(&place, format!("the goal `{name}` stands here a second time")));
            continue;
        }
        let mut command = base.unwrap_or_default();
        for over in [all, own, nearest_override.as_ref()].into_iter().flatten() {
            apply(over, &mut command);
        }
        goals.push(Goal { name: name.to_owned(), command });
    }
    let names: Vec<&str> = file.goals.iter().map(GoalEntry::name).collect();
    for name in file.overrides.keys().filter(|name| *name != "*" && !names.contains(&name.as_str())) {
        let place = at.join("overrides").join(name);
        let mistake = document.error_at_key(&place, format!("there is no goal `{name}` to override"));
        errors.push(mistake.with_nearest(nearest(name, names.iter().copied())));
    }
    for (name, over) in &file.overrides {
        check_cwd(document, &at.join("overrides").join(name), Some(over), errors);
    }
    (Some(adapter.clone()), goals)
}

/// A directory must stay inside of the working copy or of the repository.
fn check_cwd(document: &Document, at: &Pointer, over: Option<&Override>, errors: &mut InputErrors) {
    let cwd = over.and_then(|over| over.cwd.as_deref());
    if let Some(why) = cwd.and_then(|cwd| directive::check_directory(below_placeholder(cwd)).err()) {
        errors.push(document.error(&at.join("cwd"), why.to_string()));
    }
}

/// The nearer override wins over the farther one, which wins over the adapter.
fn apply(over: &Override, command: &mut GoalCommand) {
    let Override { command: program, args, env, cwd, timeout_ms } = over;
    if let Some(program) = program {
        program.clone_into(&mut command.command);
        if args.is_none() {
            command.args.clear();
        }
    }
    if let Some(args) = args {
        args.clone_into(&mut command.args);
    }
    command.env.extend(env.iter().map(|(name, value)| (name.clone(), value.clone())));
    if cwd.is_some() {
        command.cwd.clone_from(cwd);
    }
    if let Some(limit) = timeout_ms {
        command.timeout = Some(Duration::from_millis(*limit));
    }
}
