//! The one comment of ours on a pull request: what should be there × what is there → what to do.
//!
//! All jobs that publish for a commit share it. Each has a row and a part of its own, so none can hide another's verdict.

use serde::{Deserialize, Serialize};

use crate::ci::RunAttempt;
use crate::report::markdown;
use crate::text::truncate_middle;

/// How a hidden marker begins. It is the first line of a comment of ours and of nothing else.
const OPENING: &str = "<!-- evalratchet:comment ";
const CLOSING: &str = " -->";
/// The key of the comment that jobs share unless they name another.
pub const SHARED: &str = "evalratchet";
/// GitHub allows 65,536 characters.
const LONGEST: usize = 65_000;
/// With more rows than these, those of jobs that are fine say no more than that. A matrix has at most 256 jobs.
const MANY_ROWS: usize = 60;
/// How much of a name or a result a row shows.
const CELL: usize = 100;

/// How a job came out, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowVerdict {
    Passed,
    NotJudged,
    NoBaseline,
    Interrupted,
    NoCommonCase,
    NothingMeasured,
    Broken,
    Invalid,
    Failed,
    /// A word of another release, so it may be bad.
    #[serde(other)]
    Unknown,
}

impl RowVerdict {
    /// In words, with the sign that reviewers look for.
    const fn words(self) -> &'static str {
        match self {
            Self::Unknown => "⚠️ unknown",
            Self::Failed => "❌ failed",
            Self::Invalid => "❌ invalid",
            Self::Broken => "⚠️ broken",
            Self::NothingMeasured => "⚠️ nothing measured",
            Self::NoCommonCase => "⚠️ not comparable",
            Self::Interrupted => "⚠️ interrupted",
            Self::NoBaseline => "🆕 no baseline",
            Self::NotJudged => "⚪ not judged",
            Self::Passed => "✅ passed",
        }
    }

    const fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::NoBaseline | Self::NotJudged)
    }
}

/// Who a row is of.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowOwner {
    /// The name of the workflow.
    #[serde(default)]
    pub workflow: String,
    /// The job, with the values of its matrix.
    #[serde(default)]
    pub job: String,
    /// The path of the configuration.
    #[serde(default)]
    pub config: String,
}

/// One job of those that share the comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    #[serde(flatten)]
    pub owner: RowOwner,
    /// The run that it tells of.
    pub run: u64,
    pub attempt: u64,
    pub verdict: RowVerdict,
    /// The verdict line.
    pub line: String,
    /// Whether its part is in the comment, too.
    #[serde(default)]
    shown: bool,
}

impl Row {
    pub fn new(owner: RowOwner, run: RunAttempt, verdict: RowVerdict, line: &str) -> Self {
        let short = |text: &str| truncate_middle(text, CELL).replace('\n', " ");
        let RowOwner { workflow, job, config } = owner;
        let owner = RowOwner { workflow: short(&workflow), job: short(&job), config: short(&config) };
        Self { owner, run: run.id, attempt: run.attempt, verdict, line: short(line), shown: false }
    }

    const fn run(&self) -> RunAttempt {
        RunAttempt { id: self.run, attempt: self.attempt }
    }
}

/// What the hidden first line of a comment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Whose comment it is, if there are several.
    pub key: String,
    /// The newest run that it tells of.
    pub run: RunAttempt,
    /// The commit that it tells of.
    pub head: String,
    /// The jobs that it tells of, the worst first. Release 0.1 wrote none.
    pub rows: Vec<Row>,
    /// What stands around each part, where there are several.
    seam: String,
}

#[derive(Serialize, Deserialize)]
struct MarkerFields {
    key: String,
    run: u64,
    attempt: u64,
    head: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<Row>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    seam: String,
}

impl Marker {
    fn line(&self) -> String {
        let Self { key, run, head, rows, seam } = self.clone();
        let written = MarkerFields { key, run: run.id, attempt: run.attempt, head, rows, seam };
        let text = serde_json::to_string(&written).unwrap_or_default();
        // Nothing in it may end the comment that it stands in.
        let text = text.replace('-', "\\u002d").replace('<', "\\u003c").replace('>', "\\u003e");
        format!("{OPENING}{text}{CLOSING}")
    }

    /// Reads the marker of a comment.
    pub fn of(body: &str) -> Option<Self> {
        let line = body.lines().next()?.trim_end();
        let text = line.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let MarkerFields { key, run, attempt, head, rows, seam } = serde_json::from_str(text).ok()?;
        Some(Self { key, run: RunAttempt { id: run, attempt }, head, rows, seam })
    }
}

/// What a job says: its row, and its part of the comment unless there was no room for it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CommentPart {
    row: Row,
    content: Option<String>,
}

/// A comment of ours, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SharedComment {
    key: String,
    run: RunAttempt,
    head: String,
    /// The worst first.
    parts: Vec<CommentPart>,
    /// The whole body of a comment without rows.
    whole: Option<String>,
}

impl SharedComment {
    fn of(body: &str) -> Option<Self> {
        let body = plain(body);
        let Marker { key, run, head, rows, seam } = Marker::of(&body)?;
        if rows.is_empty() {
            return Some(Self { key, run, head, parts: Vec::new(), whole: Some(body) });
        }
        let (_, rest) = body.split_once("\n\n").unwrap_or((&body, ""));
        let (rest, seam) = (format!("{rest}\n"), format!("\n{}\n", seam_line(&seam)));
        // Every second piece is a part; the others stand between parts.
        let pieces = if rows.len() == 1 { vec![rest.as_str()] } else { rest.split(&seam).skip(1).step_by(2).collect() };
        let mut contents = pieces.into_iter().map(|one| one.trim_matches('\n').to_owned());
        let part = |row: Row| CommentPart { content: if row.shown { contents.next() } else { None }, row };
        Some(Self { key, run, head, parts: rows.into_iter().map(part).collect(), whole: None })
    }

    /// Takes in what another comment of ours says of the same commit.
    fn add(&mut self, other: Self) {
        if self.whole.is_some() || other.whole.is_some() || self.head != other.head {
            return;
        }
        for part in other.parts {
            match self.parts.iter_mut().find(|one| one.row.owner == part.row.owner) {
                Some(known) if known.row.run() < part.row.run() => *known = part,
                Some(_) => {}
                None => self.parts.push(part),
            }
        }
    }

    /// All of its text, with as many parts as fit: those of jobs that came out best go first.
    fn body(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let mut parts = self.parts.clone();
        parts.sort_by(|a, b| b.row.verdict.cmp(&a.row.verdict).then_with(|| a.row.owner.cmp(&b.row.owner)));
        if parts.len() > MANY_ROWS {
            parts.iter_mut().filter(|part| part.row.verdict.is_good()).for_each(|part| part.row.line.clear());
        }
        loop {
            let text = self.text(&parts);
            let longest = parts.iter_mut().skip(1).rfind(|part| part.content.is_some());
            match longest {
                Some(part) if text.len() > LONGEST => part.content = None,
                Some(_) | None => return text,
            }
        }
    }

    fn text(&self, parts: &[CommentPart]) -> String {
        let rows = parts.iter().map(|part| Row { shown: part.content.is_some(), ..part.row.clone() }).collect();
        let contents = || parts.iter().filter_map(|part| part.content.as_deref());
        // A seam that nobody wrote into a part: whatever it holds cannot pass for another part.
        let seam =
            (0_u32..).map(|n| n.to_string()).find(|seam| contents().all(|text| !text.contains(&seam_line(seam))));
        let seam = seam.filter(|_| parts.len() > 1).unwrap_or_default();
        let marker = Marker { key: self.key.clone(), run: self.run, head: self.head.clone(), rows, seam: seam.clone() };
        if let [part] = parts {
            return format!("{}\n\n{}", marker.line(), part.content.as_deref().unwrap_or_default());
        }
        let seam = seam_line(&seam);
        let mut text = format!("{}\n\n{}", marker.line(), table(parts));
        for (index, part) in parts.iter().enumerate() {
            let Some(content) = &part.content else { continue };
            let title = format!("{} · {}", part.row.verdict.words(), markdown::html_code(&name(&part.row, parts)));
            let (before, after) = match index {
                0 => (format!("### {title}\n"), String::new()),
                _ => (format!("<details><summary>{title}</summary>\n"), "\n</details>\n".to_owned()),
            };
            text.push_str(&format!("\n{before}\n{seam}\n\n{content}\n\n{seam}\n{after}"));
        }
        text.trim_end().to_owned()
    }
}

fn seam_line(seam: &str) -> String {
    format!("<!-- evalratchet:part {seam} -->")
}

/// A row for each job, the worst first.
fn table(parts: &[CommentPart]) -> String {
    let bad = parts.iter().filter(|part| !part.row.verdict.is_good()).count();
    let all = parts.len();
    let title = match bad {
        0 => format!("evalratchet: all {all} jobs are fine"),
        bad => format!("evalratchet: {bad} of {all} jobs not fine"),
    };
    let mut text = format!("### {title}\n\n| job | | |\n|---|---|---|\n");
    for part in parts {
        let cell = |text: &str| markdown::text(text).replace('|', "\\|");
        let words = part.row.verdict.words().replace(' ', "\u{a0}");
        text.push_str(&format!("| {} | {words} | {} |\n", cell(&name(&part.row, parts)), cell(&part.row.line)));
    }
    text
}

/// A job's name, with what tells it from the others.
fn name(row: &Row, parts: &[CommentPart]) -> String {
    let differ = |of: fn(&RowOwner) -> &String| parts.iter().any(|one| of(&one.row.owner) != of(&row.owner));
    let RowOwner { workflow, job, config } = &row.owner;
    let mut words = Vec::new();
    if differ(|one| &one.workflow) && !workflow.is_empty() {
        words.push(workflow.as_str());
    }
    if !job.is_empty() {
        words.push(job.as_str());
    }
    if differ(|one| &one.config) || words.is_empty() {
        words.push(config.as_str());
    }
    words.join(" · ")
}

/// A comment that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingComment {
    /// The smaller, the older.
    pub id: u64,
    /// The login of who wrote it.
    pub author: String,
    /// Its Markdown.
    pub body: String,
}

/// What the comment should say of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredComment {
    /// Whose comment it is.
    pub key: String,
    /// The key that release 0.1 gave it. Such a comment is taken over.
    pub former_key: Option<String>,
    /// The commit that it tells of.
    pub head: String,
    pub row: Row,
    /// Its Markdown, if it is alone.
    pub content: String,
    /// Its Markdown, if it shares the comment with others.
    pub brief: String,
    /// Whether it is worth a comment where there is none yet.
    pub worth_creating: bool,
}

impl DesiredComment {
    /// The comment, if nothing is there.
    pub fn body(&self) -> String {
        self.alone().body()
    }

    fn alone(&self) -> SharedComment {
        let part = CommentPart { row: self.row.clone(), content: Some(self.content.trim_end().to_owned()) };
        let (key, head) = (self.key.clone(), self.head.clone());
        SharedComment { key, run: self.row.run(), head, parts: vec![part], whole: None }
    }

    fn is_ours(&self, key: &str) -> bool {
        key == self.key || Some(key) == self.former_key.as_deref()
    }

    /// What is there with this job in it; `None` if what is there stays as it is. If we have `written` already, another text
    /// of the same run is that of another owner, and stays.
    fn onto(&self, there: &SharedComment, written: bool) -> Option<SharedComment> {
        let run = self.row.run();
        if there.head != self.head || there.whole.is_some() {
            let stays = there.run > run || (written && there.run == run);
            return (!stays).then(|| self.alone());
        }
        let of_workflow = |part: &CommentPart| part.row.owner.workflow == self.row.owner.workflow;
        if there.parts.iter().any(|part| of_workflow(part) && part.row.run > run.id) {
            return None;
        }
        let mut document = SharedComment { key: self.key.clone(), run: there.run.max(run), ..there.clone() };
        document.parts.retain(|part| !of_workflow(part) || part.row.run == run.id);
        let known = document.parts.iter().position(|part| part.row.owner == self.row.owner);
        if let Some(at) = known {
            let known = &document.parts[at].row;
            let is_same_attempt = known.run() == run;
            // Jobs that cannot be told apart must not hide each other either.
            if known.run() > run || (is_same_attempt && (written || known.verdict > self.row.verdict)) {
                return None;
            }
            document.parts.remove(at);
        }
        let content = if document.parts.is_empty() { &self.content } else { &self.brief };
        document.parts.push(CommentPart { row: self.row.clone(), content: Some(content.trim_end().to_owned()) });
        Some(document)
    }
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentAction {
    Create {
        body: String,
    },
    Update {
        id: u64,
        body: String,
    },
    /// Remove one that a race made.
    Delete {
        id: u64,
    },
}

/// The steps to exactly one comment of ours, the oldest, that tells of the newest run of every job; nobody else's is touched.
pub fn reconcile(
    desired: &DesiredComment,
    existing: &[ExistingComment],
    me: &str,
    written: bool,
) -> Vec<CommentAction> {
    let mut ours: Vec<(&ExistingComment, SharedComment)> = existing
        .iter()
        .filter(|one| is_by(one, me))
        .filter_map(|one| Some((one, SharedComment::of(&one.body)?)))
        .filter(|(_, document)| desired.is_ours(&document.key))
        .collect();
    ours.sort_by_key(|(one, _)| one.id);
    let Some((oldest, _)) = ours.first() else {
        let create = desired.worth_creating.then(|| CommentAction::Create { body: desired.body() });
        return create.into_iter().collect();
    };
    let newest = ours.iter().max_by_key(|(one, document)| (document.run, std::cmp::Reverse(one.id)));
    let mut there = newest.map_or_else(|| desired.alone(), |(_, document)| document.clone());
    for (_, document) in &ours {
        there.add(document.clone());
    }
    let body = desired.onto(&there, written).unwrap_or(there).body();
    let mut actions = Vec::new();
    if plain(&oldest.body) != plain(&body) {
        actions.push(CommentAction::Update { id: oldest.id, body });
    }
    // Those that go, go last, so that what they said is never missing.
    actions.extend(ours.iter().skip(1).map(|(one, _)| CommentAction::Delete { id: one.id }));
    actions
}

/// Whether one of these comments is the one that `desired` is about.
pub fn is_there(desired: &DesiredComment, existing: &[ExistingComment], me: &str) -> bool {
    let is_ours = |one: &&ExistingComment| Marker::of(&one.body).is_some_and(|marker| desired.is_ours(&marker.key));
    existing.iter().filter(|one| is_by(one, me)).any(|one| is_ours(&one))
}

/// Whether we wrote a comment. A marker in anybody else's is not believed.
fn is_by(comment: &ExistingComment, me: &str) -> bool {
    // The app of workflows has a suffix that no person can have, and that may be missing from its own word.
    let me = if me.eq_ignore_ascii_case("github-actions") { "github-actions[bot]" } else { me };
    !me.is_empty() && comment.author.eq_ignore_ascii_case(me)
}

/// GitHub may store other line ends than it was sent.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}
