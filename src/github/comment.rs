//! The one comment of ours on a pull request: what should be there × what is there → what to do.

use serde::{Deserialize, Serialize};

use crate::ci::RunAttempt;

/// How a hidden marker begins. It is the first line of a comment of ours and of nothing else.
const OPENING: &str = "<!-- evalratchet:comment ";
const CLOSING: &str = " -->";

/// What the hidden first line of a comment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Whose comment it is, if there are several configurations.
    pub key: String,
    /// The run that it tells of.
    pub run: RunAttempt,
    /// The commit that it tells of.
    pub head: String,
}

#[derive(Serialize, Deserialize)]
struct MarkerFields {
    key: String,
    run: u64,
    attempt: u64,
    head: String,
}

impl Marker {
    fn line(&self) -> String {
        let Self { key, run, head } = self;
        let written = MarkerFields { key: key.clone(), run: run.id, attempt: run.attempt, head: head.clone() };
        let text = serde_json::to_string(&written).unwrap_or_default();
        // Nothing in it may end the comment that it stands in.
        let text = text.replace('-', "\\u002d").replace('<', "\\u003c").replace('>', "\\u003e");
        format!("{OPENING}{text}{CLOSING}")
    }

    /// Reads the marker of a comment.
    pub fn of(body: &str) -> Option<Self> {
        let line = body.lines().next()?.trim_end();
        let text = line.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let MarkerFields { key, run, attempt, head } = serde_json::from_str(text).ok()?;
        Some(Self { key, run: RunAttempt { id: run, attempt }, head })
    }
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

/// The comment that should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredComment {
    /// Its hidden first line.
    pub marker: Marker,
    /// Its Markdown.
    pub content: String,
    /// Whether it is worth a comment where there is none yet.
    pub worth_creating: bool,
}

impl DesiredComment {
    /// All of its text.
    pub fn body(&self) -> String {
        format!("{}\n\n{}", self.marker.line(), self.content.trim_end())
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

/// The steps to exactly one comment of ours, the oldest, that tells of the newest run; nobody else's is touched.
///
/// If we have `written` already, another text of the same run is that of another job of it, and stays.
pub fn reconcile(
    desired: &DesiredComment,
    existing: &[ExistingComment],
    me: &str,
    written: bool,
) -> Vec<CommentAction> {
    let mut ours: Vec<(&ExistingComment, Marker)> = existing
        .iter()
        .filter(|one| same_login(&one.author, me))
        .filter_map(|one| Some((one, Marker::of(&one.body)?)))
        .filter(|(_, marker)| marker.key == desired.marker.key)
        .collect();
    ours.sort_by_key(|(one, _)| one.id);
    let Some((oldest, _)) = ours.first() else {
        let create = desired.worth_creating.then(|| CommentAction::Create { body: desired.body() });
        return create.into_iter().collect();
    };
    let newest = ours.iter().max_by_key(|(one, marker)| (marker.run, std::cmp::Reverse(one.id)));
    let stays = |run: RunAttempt| run > desired.marker.run || (written && run == desired.marker.run);
    let body = match newest {
        Some((newest, marker)) if stays(marker.run) => newest.body.clone(),
        Some(_) | None => desired.body(),
    };
    let mut actions = Vec::new();
    if !same_text(&oldest.body, &body) {
        actions.push(CommentAction::Update { id: oldest.id, body });
    }
    // Those that go, go last, so that what they said is never missing.
    actions.extend(ours.iter().skip(1).map(|(one, _)| CommentAction::Delete { id: one.id }));
    actions
}

/// An app has a suffix that no person can have, and that may be missing from its own word.
fn same_login(author: &str, me: &str) -> bool {
    let bare = author.strip_suffix("[bot]").unwrap_or(author);
    !me.is_empty() && (author.eq_ignore_ascii_case(me) || (author != bare && bare.eq_ignore_ascii_case(me)))
}

/// GitHub may store other line ends than it was sent.
fn same_text(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    plain(a) == plain(b)
}
