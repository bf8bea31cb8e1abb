//! The REST paths of commits, files and references.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::http::Response;
use super::rest::{Answer, Call, missing};
use super::shapes;
use super::state::{Commit, Repository};

pub(crate) const REVIEW: &str = "At least 1 approving review is required by reviewers with write access.";

pub(crate) fn answer(call: &mut Call<'_>, path: &[&str]) -> Answer {
    let known = ["commits", "compare", "contents", "git", "branches", "tarball"];
    if !path.first().is_some_and(|first| known.contains(first)) {
        return Err(missing());
    }
    call.needs_as_asked(&["contents"])?;
    let method = call.request.method.clone();
    match (method.as_str(), path) {
        ("GET", ["commits"]) => commits(call),
        ("GET", ["commits", name @ ..]) => one_commit(call, &name.join("/")),
        ("GET", ["compare", names @ ..]) => compare(call, &names.join("/")),
        ("GET", ["contents", path @ ..]) => contents(call, &path.join("/")),
        ("PUT", ["contents", path @ ..]) => put(call, &path.join("/")),
        ("GET", ["tarball", name]) => tarball(call, name),
        ("GET", ["branches", name @ ..]) => branch(call, &name.join("/")),
        ("GET", ["git", "ref", name @ ..]) => {
            let name = name.join("/");
            let sha = reference(call.repository, &name).ok_or_else(missing)?;
            Ok(Response::json(200, &shapes::reference(call.repository, &format!("refs/{name}"), &sha)))
        }
        ("POST", ["git", "refs"]) => new_reference(call),
        ("PATCH", ["git", "refs", name @ ..]) => move_reference(call, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => delete_reference(call, &name.join("/")),
        _ => Err(missing()),
    }
}

fn list(repository: &Repository, commits: &[&Commit]) -> Vec<Value> {
    commits.iter().map(|commit| shapes::commit(repository, commit)).collect()
}

fn commits(call: &Call<'_>) -> Answer {
    let sha = call.repository.resolve(call.request.query("sha").unwrap_or("HEAD")).ok_or_else(missing)?;
    let found = match call.request.query("path").filter(|path| !path.is_empty()) {
        Some(path) => call.repository.history_of(&sha, path.trim_matches('/')),
        None => call.repository.history(&sha),
    };
    call.page(list(call.repository, &found), Value::Array)
}

fn one_commit(call: &Call<'_>, name: &str) -> Answer {
    let unknown = || Response::error(422, &format!("No commit found for SHA: {name}"));
    let sha = call.repository.resolve(name).ok_or_else(unknown)?;
    let mut value = shapes::commit(call.repository, &call.repository.commits[&sha]);
    (value["stats"], value["files"]) = (json!({"additions": 0, "deletions": 0, "total": 0}), json!([]));
    Ok(Response::json(200, &value))
}

fn compare(call: &Call<'_>, names: &str) -> Answer {
    let repository = &*call.repository;
    let (base, head) = names.split_once("...").ok_or_else(missing)?;
    let local =
        |name: &str| repository.resolve(name.split_once(':').map_or(name, |(_, branch)| branch)).ok_or_else(missing);
    let (base, head) = (local(base)?, local(head)?);
    let unrelated = || Response::error(404, &format!("No common ancestor between {base} and {head}."));
    let merge_base = repository.merge_base(&base, &head).ok_or_else(unrelated)?;
    let only = |one: &str, other: &str| -> Vec<&Commit> {
        let known: std::collections::BTreeSet<&str> =
            repository.history(other).iter().map(|commit| commit.sha.as_str()).collect();
        repository.history(one).into_iter().filter(|commit| !known.contains(commit.sha.as_str())).collect()
    };
    let (mut ahead, behind) = (only(&head, &base), only(&base, &head));
    let status = match (ahead.len(), behind.len()) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    ahead.reverse();
    let paged = call.request.query("page").is_some() || call.request.query("per_page").is_some();
    let (url, html) =
        (repository.url(&format!("/compare/{base}...{head}")), repository.html(&format!("/compare/{base}...{head}")));
    let shape = |sha: &str| shapes::commit(repository, &repository.commits[sha]);
    let whole = |commits: Vec<Value>| {
        json!({
            "url": url, "html_url": html, "permalink_url": html, "diff_url": format!("{html}.diff"), "patch_url": format!("{html}.patch"),
            "base_commit": shape(&base), "merge_base_commit": shape(&merge_base), "status": status, "ahead_by": ahead.len(),
            "behind_by": behind.len(), "total_commits": ahead.len(), "commits": commits, "files": [],
        })
    };
    let commits = list(repository, &ahead);
    if paged {
        return call.page(commits, whole);
    }
    Ok(Response::json(200, &whole(commits.into_iter().take(250).collect())))
}

fn contents(call: &Call<'_>, path: &str) -> Answer {
    let repository = &*call.repository;
    let reference = call.request.query("ref").unwrap_or(&repository.default_branch).to_owned();
    let unknown = || Response::error(404, &format!("No commit found for the ref {reference}"));
    let files = &repository.commits[&repository.resolve(&reference).ok_or_else(unknown)?].files;
    if let Some(bytes) = files.get(path) {
        let raw = call.request.header("accept").contains("raw");
        return Ok(if raw {
            Response::bytes(200, "application/vnd.github.raw+json; charset=utf-8", bytes.to_vec())
        } else {
            Response::json(200, &shapes::file(repository, path, &reference, bytes))
        });
    }
    let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut entries = std::collections::BTreeMap::new();
    for (name, bytes) in files {
        let Some(rest) = name.strip_prefix(&folder) else { continue };
        let entry = match rest.split_once('/') {
            Some((child, _)) => shapes::entry(repository, &format!("{folder}{child}"), &reference, None),
            None => shapes::entry(repository, name, &reference, Some(bytes)),
        };
        entries.insert(entry["path"].to_string(), entry);
    }
    if entries.is_empty() {
        Err(missing())
    } else {
        Ok(Response::json(200, &json!(entries.into_values().collect::<Vec<_>>())))
    }
}

/// All files of a commit in one folder, as GitHub packs them.
fn tarball(call: &Call<'_>, name: &str) -> Answer {
    let sha = call.repository.resolve(name).ok_or_else(missing)?;
    let mut packed = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, bytes) in &call.repository.commits[&sha].files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o755);
        packed.append_data(&mut header, format!("repository-{}/{path}", &sha[..7]), &bytes[..]).unwrap();
    }
    let bytes = packed.into_inner().unwrap().finish().unwrap();
    Ok(Response::bytes(200, "application/x-gzip", bytes))
}

fn put(call: &mut Call<'_>, path: &str) -> Answer {
    let message = call.required("Content", "message")?;
    let branch = call.text("branch").unwrap_or(&call.repository.default_branch).to_owned();
    let encoded: String = call.text("content").unwrap_or_default().split_whitespace().collect();
    let bytes = STANDARD.decode(encoded).map_err(|_| Response::error(422, "content is not valid Base64"))?;
    let unknown = || Response::error(404, &format!("Branch {branch} not found"));
    let tip = call.repository.branches.get(&branch).cloned().ok_or_else(unknown)?;
    let old = call.repository.commits[&tip].files.get(path).map(|bytes| shapes::blob_sha(bytes));
    match (&old, call.text("sha")) {
        (Some(_), None) => return Err(Response::error(422, "Invalid request.\n\n\"sha\" wasn't supplied.")),
        (Some(old), Some(given)) if old != given => {
            return Err(Response::error(409, &format!("{path} does not match {given}")));
        }
        (None, Some(given)) => return Err(Response::error(409, &format!("{path} does not match {given}"))),
        (Some(_), Some(_)) | (None, None) => {}
    }
    if call.repository.protected.contains(&branch) {
        let verb = if old.is_some() { "update" } else { "create" };
        return Err(Response::error(409, &format!("Could not {verb} file: {REVIEW}")));
    }
    let author = call.token.login.clone();
    let sha = call.repository.write(None, vec![tip], vec![(path.to_owned(), Some(bytes.clone()))], &message, &author);
    call.repository.point(&branch, &sha);
    let mut commit = shapes::commit(call.repository, &call.repository.commits[&sha])["commit"].clone();
    commit["sha"] = json!(sha);
    commit["html_url"] = json!(call.repository.html(&format!("/commit/{sha}")));
    let content = shapes::entry(call.repository, path, &branch, Some(&bytes));
    Ok(Response::json(if old.is_some() { 200 } else { 201 }, &json!({"content": content, "commit": commit})))
}

fn branch(call: &Call<'_>, name: &str) -> Answer {
    let repository = &*call.repository;
    let sha = repository.branches.get(name).ok_or_else(|| Response::error(404, "Branch not found"))?;
    let url = repository.url(&format!("/branches/{name}"));
    let protected = repository.protected.contains(name);
    let checks = json!({"enforcement_level": "off", "contexts": [], "checks": []});
    Ok(Response::json(
        200,
        &json!({
            "name": name, "commit": shapes::commit(repository, &repository.commits[sha]), "protected": protected,
            "protection": {"enabled": protected, "required_status_checks": checks}, "protection_url": format!("{url}/protection"),
            "_links": {"self": url, "html": repository.html(&format!("/tree/{name}"))},
        }),
    ))
}

/// What `heads/…` or `tags/…` points to.
fn reference(repository: &Repository, name: &str) -> Option<String> {
    match name.split_once('/')? {
        ("heads", branch) => repository.branches.get(branch).cloned(),
        ("tags", tag) => repository.tags.get(tag).cloned(),
        _ => None,
    }
}

fn refused(message: &str) -> Answer {
    Err(Response::error(422, message))
}

fn new_reference(call: &mut Call<'_>) -> Answer {
    let (full, sha) = (call.required("Reference", "ref")?, call.required("Reference", "sha")?);
    let Some((kind @ ("heads" | "tags"), name)) = full.strip_prefix("refs/").and_then(|rest| rest.split_once('/'))
    else {
        return refused(&format!("{full} is not a valid ref name."));
    };
    if !call.repository.commits.contains_key(&sha) {
        return refused("Object does not exist");
    }
    if reference(call.repository, &format!("{kind}/{name}")).is_some() {
        return refused("Reference already exists");
    }
    if kind == "heads" {
        call.repository.point(name, &sha);
    } else {
        call.repository.tag(name, &sha);
    }
    Ok(Response::json(201, &shapes::reference(call.repository, &full, &sha)))
}

fn move_reference(call: &mut Call<'_>, name: &str) -> Answer {
    let (sha, force) = (call.required("Reference", "sha")?, call.body["force"] == true);
    let Some(old) = reference(call.repository, name) else { return refused("Reference does not exist") };
    if !call.repository.commits.contains_key(&sha) {
        return refused("Object does not exist");
    }
    let forward = call.repository.is_ancestor(&old, &sha);
    if force {
        call.repository.forced.push(json!({"ref": format!("refs/{name}"), "from": old, "to": sha, "needed": !forward}));
    }
    let (kind, short) = name.split_once('/').unwrap_or_default();
    let protected = kind == "heads" && call.repository.protected.contains(short);
    match (forward, force, protected) {
        (false, true, true) => return refused("Cannot force-push to this branch"),
        (false, false, _) => return refused("Update is not a fast forward"),
        (true, _, true) => return refused(REVIEW),
        (_, _, false) => {}
    }
    if kind == "heads" {
        call.repository.point(short, &sha);
    } else {
        call.repository.tag(short, &sha);
    }
    Ok(Response::json(200, &shapes::reference(call.repository, &format!("refs/{name}"), &sha)))
}

/// Deletes it; the open pull requests that come from it are closed.
fn delete_reference(call: &mut Call<'_>, name: &str) -> Answer {
    if reference(call.repository, name).is_none() {
        return refused("Reference does not exist");
    }
    let (kind, short) = name.split_once('/').unwrap_or_default();
    if kind == "tags" {
        call.repository.tags.remove(short);
        return Ok(Response::empty(204));
    }
    if call.repository.protected.contains(short) {
        return refused("Cannot delete this protected branch");
    }
    call.repository.branches.remove(short);
    let own = call.repository.name.clone();
    for pull in call.repository.pulls.values_mut().filter(|pull| pull.head_branch == short) {
        if pull.head_repo.as_ref() == Some(&own) {
            pull.state = "closed".to_owned();
        }
    }
    Ok(Response::empty(204))
}
