//! What a kind shows of a case on a page: sections of blocks, which the page draws without knowing the kind.

use serde::Serialize;

use crate::model::Status;

/// Everything that only the kind of a case knows to show.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CasePage {
    /// Beside its id in a list.
    pub headline: Option<PageText>,
    /// Below its id on its own page.
    pub lead: Option<PageText>,
    /// Beside its score.
    pub score_note: Option<String>,
    /// What to be aware of, in a few words.
    pub mark: Option<&'static str>,
    pub sections: Vec<PageSection>,
    /// Whether the sections show what differs; if not, the page does.
    pub has_difference: bool,
    /// Whether what the target wrote is shown at once.
    pub opens_output: bool,
}

/// A text, or where it stands in the case: what is long is not kept twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PageText {
    Literal(String),
    /// A JSON pointer from the case on. What is no text there is shown as JSON.
    At {
        at: String,
    },
}

impl PageText {
    /// What stands in the detail of the case.
    pub fn in_detail(pointer: &str) -> Self {
        Self::At { at: format!("/detail{pointer}") }
    }
}

impl From<&str> for PageText {
    fn from(text: &str) -> Self {
        Self::Literal(text.to_owned())
    }
}

impl From<String> for PageText {
    fn from(text: String) -> Self {
        Self::Literal(text)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageSection {
    pub title: &'static str,
    pub note: Option<String>,
    pub blocks: Vec<PageBlock>,
}

impl PageSection {
    pub fn new(title: &'static str, blocks: Vec<PageBlock>) -> Self {
        Self { title, note: None, blocks }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum PageBlock {
    Paragraph {
        text: String,
    },
    Heading {
        text: &'static str,
    },
    /// As it is written; long text is cut until somebody wants all of it.
    Text {
        text: PageText,
    },
    Diff {
        text: PageText,
    },
    /// Two texts side by side, with the words marked that only one of them has.
    Sides {
        left: PageSide,
        right: PageSide,
        marked: bool,
    },
    Table {
        columns: Vec<PageColumn>,
        rows: Vec<PageRow>,
    },
    Items {
        items: Vec<Vec<PageCell>>,
    },
    Fold {
        summary: Vec<PageCell>,
        open: bool,
        blocks: Vec<PageBlock>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageSide {
    pub title: &'static str,
    /// Nothing if there is no such text.
    pub text: Option<PageText>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageColumn {
    pub label: &'static str,
    pub number: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageRow {
    /// Whether it stands out.
    pub is_hit: bool,
    /// For each column what stands in it.
    pub cells: Vec<Vec<PageCell>>,
}

/// A piece of a cell or of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum PageCell {
    Text {
        text: PageText,
    },
    Quiet {
        text: String,
    },
    Strong {
        text: String,
    },
    Code {
        text: PageText,
    },
    /// How something came out, and in which word.
    Badge {
        status: Status,
        word: &'static str,
    },
    /// How much of what could be earned was.
    Bar {
        value: Option<f64>,
        weight: f64,
        was: Option<f64>,
        label: String,
    },
}

impl PageCell {
    pub fn text(text: impl Into<PageText>) -> Self {
        Self::Text { text: text.into() }
    }

    pub fn quiet(text: impl Into<String>) -> Self {
        Self::Quiet { text: text.into() }
    }

    pub fn strong(text: impl Into<String>) -> Self {
        Self::Strong { text: text.into() }
    }

    pub fn code(text: impl Into<PageText>) -> Self {
        Self::Code { text: text.into() }
    }

    pub const fn badge(status: Status, word: &'static str) -> Self {
        Self::Badge { status, word }
    }
}
