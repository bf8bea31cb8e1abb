//! A request as it goes out, without anything that differs between machines: what a recording is keyed by.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::Request;
use crate::settings::{Invocation, OpenAiTarget, TargetSettings};

/// The request that a target is sent.
pub fn rendered(target: &TargetSettings, request: &Request) -> Value {
    match target {
        TargetSettings::Command(invocation) => {
            let asks_by_argument = asks_by_argument(invocation);
            json!({"command": argv(invocation, request), "stdin": (!asks_by_argument).then_some(&request.stdin)})
        }
        TargetSettings::Worker(invocation) => {
            json!({"worker": argv(invocation, request), "input": request.input})
        }
        TargetSettings::Http(target) => json!({"http": target.url, "input": request.input}),
        TargetSettings::OpenAi(target) => chat(target, request),
        TargetSettings::Agent(_) | TargetSettings::Index(_) | TargetSettings::Ranked(_) | TargetSettings::Nobody => {
            json!({"input": request.input})
        }
    }
}

/// Whether the question is an argument, so that nothing is said on standard input.
pub(super) fn asks_by_argument(invocation: &Invocation) -> bool {
    let named = |name: &str| name == "prompt" || name == "query";
    invocation.argv.iter().any(|argument| argument.names().any(named))
}

fn argv(invocation: &Invocation, request: &Request) -> Vec<String> {
    let mut values = BTreeMap::from([("id", request.id.as_str())]);
    values.extend(request.names.iter().map(|(name, value)| (*name, value.as_str())));
    invocation.written.iter().map(|argument| argument.fill(&values)).collect()
}

/// The body of a chat request.
fn chat(target: &OpenAiTarget, request: &Request) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &target.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.push(json!({"role": "user", "content": request.name("prompt").unwrap_or(&request.stdin)}));
    let mut body = json!({"model": target.model, "messages": messages});
    if let Some(fields) = body.as_object_mut() {
        fields.extend(target.parameters.clone());
        if let Some(schema) = &request.schema {
            let schema = json!({"name": "answer", "strict": true, "schema": schema});
            fields.insert("response_format".into(), json!({"type": "json_schema", "json_schema": schema}));
        }
    }
    body
}
