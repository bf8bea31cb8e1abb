//! What a target is asked.

use std::path::PathBuf;

use serde_json::{Value, json};

/// What a target is asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub id: String,
    /// Which time it is asked, from 0.
    pub repeat: usize,
    /// The question as a worker or a service is given it.
    pub input: Value,
    /// The question as a command is given it on standard input, if no placeholder names it.
    pub stdin: String,
    /// What placeholders stand for; `prompt` is what a model is asked.
    pub names: Vec<(&'static str, String)>,
    /// The JSON Schema that the answer must fit, where there is one.
    pub schema: Option<Value>,
    /// The whole body of a chat request, where the caller writes it itself.
    pub body: Option<Value>,
    /// The directory that an agent works in.
    pub directory: Option<PathBuf>,
}

impl Request {
    pub fn prompt(id: &str, prompt: &str) -> Self {
        let names = vec![("prompt", prompt.to_owned())];
        Self { stdin: prompt.to_owned(), names, ..Self::value(id, &json!(prompt)) }
    }

    /// A value, and a prompt that asks for the same.
    pub fn value(id: &str, input: &Value) -> Self {
        Self {
            id: id.to_owned(),
            repeat: 0,
            input: input.clone(),
            stdin: input.to_string(),
            names: Vec::new(),
            schema: None,
            body: None,
            directory: None,
        }
    }

    /// The same, asked once more.
    #[must_use]
    pub fn again(self, repeat: usize) -> Self {
        Self { repeat, ..self }
    }

    /// The value of a placeholder.
    pub fn name(&self, name: &str) -> Option<&str> {
        self.names.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}
