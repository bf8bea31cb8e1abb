//! The two GraphQL operations in use. What they select is checked against what exists, then acted on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::git::REVIEW;
use super::http::Response;
use super::state::{Change, State, Token};

/// A field and what is selected below it.
type Selection = Vec<(String, Selected)>;
struct Selected(Selection);

pub(crate) fn answer(state: &mut State, token: &Token, body: &Value) -> Response {
    let Some(query) = body["query"].as_str() else {
        return Response::error(400, "A query attribute must be specified and must be a string.");
    };
    Response::json(200, &operation(state, token, query, &body["variables"]).unwrap_or_else(|error| error))
}

fn operation(state: &mut State, token: &Token, query: &str, variables: &Value) -> Result<Value, Value> {
    let mutates = query.trim_start().starts_with("mutation");
    let selection = parse(query).ok_or_else(|| refusal("Parse error on the query", "parseError"))?;
    let (kind, known) = if mutates {
        let commit = json!({"oid": "", "url": "", "committedDate": ""});
        ("Mutation", json!({"createCommitOnBranch": {"clientMutationId": "", "commit": commit, "ref": {"name": ""}}}))
    } else {
        ("Query", json!({"viewer": {"login": "", "__typename": ""}}))
    };
    chosen(&selection, &known, kind)?;
    let full = if mutates {
        json!({"createCommitOnBranch": commit(state, token, &variables["input"])?})
    } else {
        let kind = if token.login.ends_with("[bot]") { "Bot" } else { "User" };
        json!({"viewer": {"login": token.login, "__typename": kind}})
    };
    Ok(json!({"data": chosen(&selection, &full, kind)?}))
}

/// The names and braces of the first operation; arguments are skipped. Aliases and fragments are not understood.
fn parse(query: &str) -> Option<Selection> {
    let (mut stack, mut depth): (Vec<Selection>, usize) = (Vec::new(), 0);
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if let (true, 0, Some(top)) = (word > 0, depth, stack.last_mut()) {
            top.push((rest[..word].to_owned(), Selected(Vec::new())));
        }
        match (first, depth) {
            ('(', _) => depth += 1,
            (')', _) => depth = depth.checked_sub(1)?,
            ('{', 0) => stack.push(Vec::new()),
            ('}', 0) => {
                let done = stack.pop()?;
                let Some(top) = stack.last_mut() else { return Some(done).filter(|done| !done.is_empty()) };
                top.last_mut()?.1 = Selected(done);
            }
            (':' | '.' | '@', 0) if !stack.is_empty() => return None,
            _ => {}
        }
        rest = &rest[word.max(first.len_utf8())..];
    }
    None
}

/// The selected part of the data; refuses a field that is not there, and an object without a selection.
fn chosen(selection: &Selection, data: &Value, kind: &str) -> Result<Value, Value> {
    let mut found = Map::new();
    for (name, Selected(below)) in selection {
        let value = data
            .get(name)
            .ok_or_else(|| refusal(&format!("Field '{name}' doesn't exist on type '{kind}'"), "undefinedField"))?;
        let value = match (value.is_object(), below.is_empty()) {
            (true, false) => chosen(below, value, name)?,
            (false, true) => value.clone(),
            (true, true) => {
                return Err(refusal(&format!("Field must have selections (field '{name}')"), "selectionMismatch"));
            }
            (false, false) => {
                return Err(refusal(
                    &format!("Selections can't be made on scalars (field '{name}')"),
                    "selectionMismatch",
                ));
            }
        };
        found.insert(name.clone(), value);
    }
    Ok(Value::Object(found))
}

/// An error before anything was tried.
fn refusal(message: &str, code: &str) -> Value {
    json!({"errors": [{"message": message, "extensions": {"code": code}, "locations": [{"line": 1, "column": 1}], "path": ["query"]}]})
}

/// An error of the mutation itself.
fn failure(kind: &str, message: &str) -> Value {
    let place = json!([{"line": 1, "column": 1}]);
    let error = json!({"type": kind, "path": ["createCommitOnBranch"], "locations": place, "message": message});
    json!({"data": {"createCommitOnBranch": null}, "errors": [error]})
}

/// The text at this place of the input, or what GitHub says about its absence.
fn text<'a>(input: &'a Value, path: &[&str]) -> Result<&'a str, Value> {
    let found = path.iter().fold(input, |value, name| &value[*name]);
    let message = "Variable $input of type CreateCommitOnBranchInput! was provided invalid value for";
    found.as_str().ok_or_else(|| {
        refusal(&format!("{message} {} (Expected value to not be null)", path.join(".")), "invalidVariable")
    })
}

fn only(value: &Value, known: &[&str]) -> Result<(), Value> {
    let unknown = value.as_object().and_then(|map| map.keys().find(|key| !known.contains(&key.as_str())));
    unknown
        .map_or(Ok(()), |key| Err(refusal(&format!("Variable $input has the unknown field {key}"), "invalidVariable")))
}

fn changes(input: &Value) -> Result<Vec<Change>, Value> {
    let files = &input["fileChanges"];
    only(files, &["additions", "deletions"])?;
    let mut changes = Vec::new();
    for removed in files["deletions"].as_array().into_iter().flatten() {
        only(removed, &["path"])?;
        changes.push((text(removed, &["path"])?.to_owned(), None));
    }
    for added in files["additions"].as_array().into_iter().flatten() {
        only(added, &["path", "contents"])?;
        let bytes = STANDARD.decode(text(added, &["contents"])?);
        let bytes = bytes.map_err(|_| refusal("Variable $input: contents is not Base64", "invalidVariable"))?;
        changes.push((text(added, &["path"])?.to_owned(), Some(bytes)));
    }
    Ok(changes)
}

fn commit(state: &mut State, token: &Token, input: &Value) -> Result<Value, Value> {
    only(input, &["branch", "clientMutationId", "expectedHeadOid", "fileChanges", "message"])?;
    only(&input["branch"], &["repositoryNameWithOwner", "branchName"])?;
    only(&input["message"], &["headline", "body"])?;
    let name = text(input, &["branch", "repositoryNameWithOwner"])?;
    let branch = text(input, &["branch", "branchName"])?;
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    let expected = text(input, &["expectedHeadOid"])?;
    let headline = text(input, &["message", "headline"])?;
    let changes = changes(input)?;
    let unknown = || failure("NOT_FOUND", &format!("Could not resolve to a Repository with the name '{name}'."));
    let repository = state.repositories.get_mut(name).ok_or_else(unknown)?;
    if token.permissions.get("contents").is_none_or(|level| level != "write") {
        return Err(failure("FORBIDDEN", "Resource not accessible by integration"));
    }
    let unknown = || failure("NOT_FOUND", &format!("Could not resolve to a Ref with the name '{branch}'."));
    let tip = repository.branches.get(branch).cloned().ok_or_else(unknown)?;
    if tip != expected {
        let message = format!("Expected branch to point to \"{expected}\" but it did not.  Pull and try again.");
        return Err(failure("STALE_DATA", &message));
    }
    if repository.protected.contains(branch) {
        let message = format!("protected branch '{branch}' check failed:\n  {REVIEW}");
        return Err(failure("BRANCH_PROTECTION_RULE_VIOLATION", &message));
    }
    let gone = |(path, content): &Change| content.is_none() && !repository.commits[&tip].files.contains_key(path);
    if changes.iter().any(gone) {
        let message = format!("A path was requested for deletion which does not exist as of commit oid `{tip}`");
        return Err(failure("NOT_FOUND", &message));
    }
    let message = match input["message"]["body"].as_str().filter(|body| !body.is_empty()) {
        Some(body) => format!("{headline}\n\n{body}"),
        None => headline.to_owned(),
    };
    let sha = repository.write(None, vec![tip], changes, &message, &token.login);
    repository.point(branch, &sha);
    Ok(json!({
        "clientMutationId": input["clientMutationId"], "ref": {"name": branch},
        "commit": {"oid": sha, "url": repository.html(&format!("/commit/{sha}")), "committedDate": repository.commits[&sha].date},
    }))
}
