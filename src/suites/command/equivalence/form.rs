//! Normal forms: two commands are equivalent if theirs are equal.

/// A normal form is a flat sequence; brackets keep its structure.
pub(super) type Form = Vec<Atom>;

/// A piece of a normal form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A part of this sort begins.
    Open(&'static str),
    /// The last part that began ends.
    Close,
    /// A name or an operator, as it is.
    Name(String),
    /// A word of the shell.
    Word(Word),
}

/// A word of the shell after quote removal, which remembers what was protected by quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word(pub(super) Vec<Piece>);

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// Text that stands for itself.
    Literal(String),
    /// A character that the shell gives a meaning: a wildcard, a bracket, a brace.
    Special(char),
    /// Something that the shell replaces. Unquoted, it can become no word or several.
    Dynamic {
        form: Form,
        /// Whether quotes keep it one word.
        quoted: bool,
    },
}

impl Word {
    /// A word that is just this text.
    pub(super) fn literal(text: &str) -> Self {
        Self(vec![Piece::Literal(text.to_owned())])
    }

    /// The text, if it stands for itself.
    pub(super) fn as_literal(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The text that it surely begins with.
    pub(super) fn leading(&self) -> &str {
        match self.0.first() {
            Some(Piece::Literal(text)) => text,
            Some(Piece::Special(_) | Piece::Dynamic { .. }) | None => "",
        }
    }

    /// Whether it could turn out to be an option, or nothing, or several words.
    pub(super) fn is_unforeseeable(&self) -> bool {
        match self.0.first() {
            Some(Piece::Literal(text)) => text.is_empty() && self.0.len() > 1,
            Some(Piece::Dynamic { form, quoted: true }) => form.first() != Some(&Atom::Open("process")),
            Some(Piece::Special(_) | Piece::Dynamic { .. }) => true,
            None => false,
        }
    }

    /// Whether it is one word, whatever is put into it.
    pub(super) fn is_one_word(&self) -> bool {
        self.0.iter().all(|piece| match piece {
            Piece::Literal(_) => true,
            Piece::Special(_) => false,
            Piece::Dynamic { quoted, .. } => *quoted,
        })
    }

    /// Whether some of its text is surely there.
    pub(super) fn is_surely_not_empty(&self) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Literal(text) => !text.is_empty(),
            Piece::Special(_) | Piece::Dynamic { .. } => false,
        })
    }

    /// What follows after the first `bytes` bytes of its leading text.
    pub(super) fn after(&self, bytes: usize) -> Self {
        let mut pieces = self.0.clone();
        if let Some(Piece::Literal(text)) = pieces.first_mut() {
            text.drain(..bytes.min(text.len()));
            if text.is_empty() && pieces.len() > 1 {
                pieces.remove(0);
            }
        }
        Self(pieces)
    }

    /// For people.
    pub(super) fn shown(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.clone(),
                Piece::Special(character) => character.to_string(),
                Piece::Dynamic { .. } => "$…".to_owned(),
            })
            .collect()
    }

    /// Adds text that stands for itself.
    pub(super) fn push_literal(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Literal(last)) => last.push_str(text),
            Some(Piece::Special(_) | Piece::Dynamic { .. }) | None => self.0.push(Piece::Literal(text.to_owned())),
        }
    }
}
