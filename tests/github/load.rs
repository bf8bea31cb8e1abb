//! A state from a JSON file, for scripts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::faults::Fault;
use super::state::{Repository, State, Token};

/// Fills the state and answers the faults. Panics when the file is not as `serve.rs` describes it.
pub(crate) fn load(state: &mut State, file: &Value) -> Vec<Fault> {
    if let Some(tokens) = file["tokens"].as_object() {
        state.tokens.clear();
        for (token, value) in tokens {
            let permissions = value["permissions"].as_object().into_iter().flatten();
            let permissions = permissions.map(|(name, level)| (name.replace('-', "_"), string(level))).collect();
            let login = value["login"].as_str().unwrap_or("github-actions[bot]").to_owned();
            state.tokens.insert(token.clone(), Token { login, permissions });
        }
    }
    for (name, value) in file["repositories"].as_object().into_iter().flatten() {
        repository(state.repository(name), value);
    }
    file["faults"].as_array().into_iter().flatten().map(Fault::from_json).collect()
}

fn repository(repository: &mut Repository, value: &Value) {
    let list = |name: &str| value[name].as_array().into_iter().flatten();
    if let Some(branch) = value["default_branch"].as_str() {
        repository.default_branch = branch.to_owned();
    }
    for commit in list("commits") {
        let branch = commit["branch"].as_str();
        let tip = branch.and_then(|name| repository.branches.get(name)).cloned();
        let parents = match commit["parents"].as_array() {
            Some(names) => names.iter().map(|name| repository.resolve(&string(name)).unwrap()).collect(),
            None => tip.into_iter().collect(),
        };
        let files = commit["files"].as_object().into_iter().flatten();
        let changes = files.map(|(path, content)| (path.clone(), bytes(content))).collect();
        let message = commit["message"].as_str().unwrap_or("A commit");
        let author = commit["author"].as_str().unwrap_or("someone");
        let sha = repository.write(commit["sha"].as_str().map(str::to_owned), parents, changes, message, author);
        if let Some(branch) = branch {
            repository.point(branch, &sha);
        }
    }
    for (name, target) in value["branches"].as_object().into_iter().flatten() {
        let sha = repository.resolve(&string(target)).unwrap();
        repository.point(name, &sha);
    }
    for (name, target) in value["tags"].as_object().into_iter().flatten() {
        repository.tag(name, &string(target));
    }
    for branch in list("protected") {
        repository.protect(&string(branch));
    }
    for number in list("issues") {
        repository.issue(number.as_u64().unwrap());
    }
    for pull in list("pulls") {
        let text = |name: &str| pull[name].as_str().unwrap_or_else(|| panic!("a pull needs {name}"));
        let number = pull["number"].as_u64().unwrap();
        let head = repository.resolve(text("head_sha")).unwrap_or_else(|| text("head_sha").to_owned());
        repository.pull(number, pull["head_repo"].as_str(), text("head_branch"), &head, text("base_branch"));
        if let Some(state) = pull["state"].as_str() {
            repository.pulls.get_mut(&number).unwrap().state = state.to_owned();
        }
    }
    for comment in list("comments") {
        repository.comment(comment["issue"].as_u64().unwrap(), &string(&comment["author"]), &string(&comment["body"]));
    }
    for release in list("releases") {
        repository.release(&string(&release["tag"]), release["body"].as_str().unwrap_or_default());
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} should be a text")).to_owned()
}

/// Text, `{"base64": …}`, or nothing for a file that goes away.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(STANDARD.decode(string(&other["base64"])).unwrap())
        }
    }
}
