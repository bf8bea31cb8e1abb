//! A place in a document, for code that checks a value after it was read.

use std::cell::RefCell;

use super::{Document, InputErrors, Pointer};

/// A place in a document, together with the list that mistakes about it go to.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    document: &'a Document,
    at: Pointer,
    errors: &'a RefCell<InputErrors>,
}

impl<'a> Place<'a> {
    pub fn root(document: &'a Document, errors: &'a RefCell<InputErrors>) -> Self {
        Self { document, at: Pointer::root(), errors }
    }

    /// One step further, to a key or an index.
    #[must_use]
    pub fn join(&self, step: impl ToString) -> Self {
        Self { at: self.at.join(step), ..self.clone() }
    }

    /// Where it is in the document.
    pub fn pointer(&self) -> Pointer {
        self.at.clone()
    }

    /// The value here; null if there is none.
    pub fn value(&self) -> serde_json::Value {
        let mut value = &self.document.value;
        for step in self.at.steps() {
            let inner = match value.as_array() {
                Some(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
                None => value.get(step),
            };
            let Some(inner) = inner else { return serde_json::Value::Null };
            value = inner;
        }
        value.clone()
    }

    /// Reports a mistake about the value here; about what encloses it if there is none.
    pub fn error(&self, message: impl Into<String>) {
        self.errors.borrow_mut().push(self.document.error(&self.at, message));
    }

    /// Reports a mistake about the value here, with what to do about it.
    pub fn error_with_help(&self, message: impl Into<String>, help: impl Into<String>) {
        self.errors.borrow_mut().push(self.document.error(&self.at, message).with_help(help));
    }

    /// Reports a mistake about the key here rather than its value.
    pub fn key_error(&self, message: impl Into<String>) {
        self.errors.borrow_mut().push(self.document.error_at_key(&self.at, message));
    }

    /// Reports a mistake about the key here, with what to do about it.
    pub fn key_error_with_help(&self, message: impl Into<String>, help: impl Into<String>) {
        self.errors.borrow_mut().push(self.document.error_at_key(&self.at, message).with_help(help));
    }
}
