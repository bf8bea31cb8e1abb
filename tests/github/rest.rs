//! The REST paths: who may call them, and those of issues, checks and pull requests.

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::state::{Pull, Repository, State, Token, owner};
use super::{git, graphql, releases, shapes};

pub(crate) type Answer = Result<Response, Response>;

/// One authorised request to one repository.
pub(crate) struct Call<'a> {
    pub(crate) request: &'a Request,
    pub(crate) body: Value,
    pub(crate) token: Token,
    pub(crate) repository: &'a mut Repository,
}

/// Whether the token that came is one we know.
pub(crate) fn token(state: &State, request: &Request) -> Option<Token> {
    let (scheme, token) = request.header("authorization").split_once(' ')?;
    let known = scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token");
    state.tokens.get(token.trim()).filter(|_| known).cloned()
}

pub(crate) fn answer(state: &mut State, request: &Request) -> Response {
    route(state, request).unwrap_or_else(|error| error)
}

fn route(state: &mut State, request: &Request) -> Answer {
    let token = token(state, request).ok_or_else(|| Response::error(401, "Bad credentials"))?;
    let path: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    match (request.method.as_str(), path.as_slice()) {
        ("GET", ["user"]) => Err(Response::error(403, "Resource not accessible by integration")),
        ("GET", ["rate_limit"]) => {
            let used = state.log.len();
            let rate =
                json!({"limit": LIMIT, "remaining": LIMIT.saturating_sub(used), "reset": state.reset, "used": used});
            Ok(Response::json(
                200,
                &json!({"rate": rate, "resources": {"core": rate, "search": rate, "graphql": rate}}),
            ))
        }
        ("POST", ["graphql"]) => Ok(graphql::answer(state, &token, &request.json()?)),
        (_, ["repos", owner, name, rest @ ..]) => {
            let repository = state.repositories.get_mut(&format!("{owner}/{name}")).ok_or_else(missing)?;
            repository_path(Call { request, body: request.json_unless_upload(rest)?, token, repository }, rest)
        }
        _ => Err(missing()),
    }
}

/// How many requests an hour allows. They are counted but never refused.
pub(crate) const LIMIT: usize = 1000;

impl Request {
    fn json_unless_upload(&self, rest: &[&str]) -> Result<Value, Response> {
        if matches!(rest, ["releases", _, "assets"]) { Ok(Value::Null) } else { self.json() }
    }
}

fn repository_path(mut call: Call<'_>, path: &[&str]) -> Answer {
    let method = call.request.method.clone();
    match (method.as_str(), path) {
        ("GET", []) => {
            let mut value =
                shapes::repository(&call.repository.base, &call.repository.name, &call.repository.default_branch);
            let push = call.token.permissions.get("contents").is_some_and(|level| level == "write");
            value["permissions"] =
                json!({"admin": false, "maintain": false, "push": push, "triage": push, "pull": true});
            Ok(Response::json(200, &value))
        }
        ("GET" | "POST", ["issues", number, "comments"]) => comments(&mut call, number),
        ("PATCH" | "DELETE" | "GET", ["issues", "comments", id]) => one_comment(&mut call, id),
        ("POST", ["check-runs"]) => new_check(&mut call),
        (_, ["check-runs", id, rest @ ..]) => one_check(&mut call, id, rest),
        ("GET", ["commits", name @ .., "check-runs"]) if !name.is_empty() => checks_of(&call, &name.join("/")),
        ("GET", ["commits", name @ .., "pulls"]) if !name.is_empty() => pulls_of(&call, &name.join("/")),
        ("GET", ["pulls"]) => pulls(&call),
        ("POST", ["pulls"]) => new_pull(&mut call),
        ("GET" | "PATCH", ["pulls", number]) => one_pull(&mut call, number),
        (_, ["releases", rest @ ..]) => releases::answer(&mut call, rest),
        (_, path) => git::answer(&mut call, path),
    }
}

pub(crate) fn missing() -> Response {
    Response::error(404, "Not Found")
}

impl Call<'_> {
    /// Refuses unless the token has one of these permissions at this level.
    pub(crate) fn needs(&self, names: &[&str], level: &str) -> Result<(), Response> {
        let granted = |name: &&str| match self.token.permissions.get(*name).map(String::as_str) {
            Some("write") => true,
            Some("read") => level == "read",
            _ => false,
        };
        if names.iter().any(granted) {
            return Ok(());
        }
        let accepted: Vec<String> = names.iter().map(|name| format!("{name}={level}")).collect();
        let refusal = Response::error(403, "Resource not accessible by integration");
        Err(refusal.with("x-accepted-github-permissions", accepted.join("; ")))
    }

    /// Reading for a GET, writing for everything else.
    pub(crate) fn needs_as_asked(&self, names: &[&str]) -> Result<(), Response> {
        self.needs(names, if self.request.method == "GET" { "read" } else { "write" })
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.body[field].as_str()
    }

    pub(crate) fn required(&self, resource: &str, field: &str) -> Result<String, Response> {
        let text = self.text(field).filter(|text| !text.trim().is_empty());
        text.map(str::to_owned).ok_or_else(|| Response::invalid(resource, field, "missing_field", None))
    }

    /// The page that was asked for, with links to the others. `wrap` makes the body of it.
    pub(crate) fn page(&self, items: Vec<Value>, wrap: impl Fn(Vec<Value>) -> Value) -> Answer {
        let number = |name: &str| self.request.query(name).and_then(|text| text.parse::<usize>().ok());
        let size = number("per_page").unwrap_or(30).clamp(1, 100);
        let page = number("page").unwrap_or(1).max(1);
        let last = items.len().div_ceil(size).max(1);
        let link = |page: usize, relation: &str| {
            let (path, query) = self.request.target.split_once('?').unwrap_or((&self.request.target, ""));
            let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("page="));
            let query: Vec<String> = kept.map(str::to_owned).chain([format!("page={page}")]).collect();
            format!("<{}{path}?{}>; rel=\"{relation}\"", self.repository.base, query.join("&"))
        };
        let mut links = Vec::new();
        if page > 1 {
            links.extend([link(page - 1, "prev"), link(1, "first")]);
        }
        if page < last {
            links.extend([link(page + 1, "next"), link(last, "last")]);
        }
        let items = items.into_iter().skip((page - 1) * size).take(size).collect();
        let answer = Response::json(200, &wrap(items));
        Ok(if links.is_empty() { answer } else { answer.with("link", links.join(", ")) })
    }
}

pub(crate) fn number(text: &str) -> Result<u64, Response> {
    text.parse().map_err(|_| missing())
}

fn comments(call: &mut Call<'_>, issue: &str) -> Answer {
    let issue = number(issue)?;
    let is_pull = call.repository.pulls.contains_key(&issue);
    call.needs_as_asked(if is_pull { &["issues", "pull_requests"] } else { &["issues"] })?;
    if !is_pull && !call.repository.issues.contains(&issue) {
        return Err(missing());
    }
    if call.request.method == "GET" {
        return call.page(call.repository.comments_of(issue), Value::Array);
    }
    let body = comment_body(call)?;
    let id = call.repository.comment(issue, &call.token.login.clone(), &body);
    let comment = call.repository.comments.last().unwrap();
    Ok(Response::json(201, comment).with("location", call.repository.url(&format!("/issues/comments/{id}"))))
}

fn comment_body(call: &Call<'_>) -> Result<String, Response> {
    let body = call.required("IssueComment", "body")?;
    if body.chars().count() > 65_536 {
        let message = "Body is too long (maximum is 65536 characters)";
        return Err(Response::invalid("IssueComment", "data", "unprocessable", Some(message)));
    }
    Ok(body)
}

fn one_comment(call: &mut Call<'_>, id: &str) -> Answer {
    call.needs_as_asked(&["issues", "pull_requests"])?;
    let id = number(id)?;
    let at = call.repository.comments.iter().position(|comment| comment["id"] == id).ok_or_else(missing)?;
    if call.request.method == "DELETE" {
        call.repository.comments.remove(at);
        return Ok(Response::empty(204));
    }
    if call.request.method == "PATCH" {
        let (body, now) = (comment_body(call)?, call.repository.now());
        let comment = &mut call.repository.comments[at];
        (comment["body"], comment["updated_at"]) = (json!(body), json!(now));
    }
    Ok(Response::json(200, &call.repository.comments[at]))
}

fn new_check(call: &mut Call<'_>) -> Answer {
    call.needs(&["checks"], "write")?;
    let name = call.required("CheckRun", "name")?;
    let sha = call.required("CheckRun", "head_sha")?;
    if !call.repository.commits.contains_key(&sha) {
        return Err(Response::error(422, &format!("No commit found for SHA: {sha}")));
    }
    let (id, now) = (call.repository.id(), call.repository.now());
    let mut check = shapes::check(call.repository, id, &name, &sha, &now);
    let annotations = update_check(&call.body, &mut check, &now)?;
    check["output"]["annotations_count"] = json!(annotations.len());
    call.repository.annotations.insert(id, annotations);
    call.repository.checks.push(check.clone());
    Ok(Response::json(201, &check))
}

fn one_check(call: &mut Call<'_>, id: &str, rest: &[&str]) -> Answer {
    call.needs_as_asked(&["checks"])?;
    let id = number(id)?;
    let at = call.repository.checks.iter().position(|check| check["id"] == id).ok_or_else(missing)?;
    match (call.request.method.as_str(), rest) {
        ("GET", []) => Ok(Response::json(200, &call.repository.checks[at])),
        ("GET", ["annotations"]) => call.page(call.repository.annotations[&id].clone(), Value::Array),
        ("PATCH", []) => {
            let now = call.repository.now();
            let mut check = call.repository.checks[at].clone();
            let annotations = update_check(&call.body, &mut check, &now)?;
            let all = call.repository.annotations.get_mut(&id).unwrap();
            all.extend(annotations);
            check["output"]["annotations_count"] = json!(all.len());
            call.repository.checks[at] = check.clone();
            Ok(Response::json(200, &check))
        }
        _ => Err(missing()),
    }
}

/// Takes over what the body says and answers the annotations it adds; refuses as GitHub does.
fn update_check(body: &Value, check: &mut Value, now: &str) -> Result<Vec<Value>, Response> {
    let refuse = |what: &str| Err(Response::error(422, &format!("Invalid request.\n\n{what}")));
    for field in ["name", "details_url", "external_id", "started_at", "completed_at", "status", "conclusion"] {
        if let Some(text) = body[field].as_str() {
            check[field] = json!(text);
        }
    }
    if let Some(conclusion) = body["conclusion"].as_str() {
        let known = ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"];
        if !known.contains(&conclusion) {
            return refuse(&format!("{conclusion} is not a member of {known:?}."));
        }
        check["status"] = json!("completed");
        if body["completed_at"].is_null() {
            check["completed_at"] = json!(now);
        }
    }
    let status = check["status"].as_str().unwrap_or_default();
    if !["queued", "in_progress", "completed", "waiting", "requested", "pending"].contains(&status) {
        return refuse(&format!("{status} is not a member of [\"queued\", \"in_progress\", \"completed\"]."));
    }
    if status == "completed" && check["conclusion"].is_null() {
        return refuse("\"conclusion\" wasn't supplied.");
    }
    if status != "completed" {
        (check["conclusion"], check["completed_at"]) = (Value::Null, Value::Null);
    }
    let output = &body["output"];
    if output.is_null() {
        return Ok(Vec::new());
    }
    if output["summary"].as_str().is_none()
        || (check["output"]["title"].is_null() && output["title"].as_str().is_none())
    {
        return refuse("\"title\" and \"summary\" weren't supplied.");
    }
    for field in ["title", "summary", "text"] {
        let Some(text) = output[field].as_str() else { continue };
        if field != "title" && text.len() > 65_535 {
            return refuse(&format!("Only 65535 characters are allowed; {} were supplied.", text.len()));
        }
        check["output"][field] = json!(text);
    }
    let annotations = output["annotations"].as_array().cloned().unwrap_or_default();
    if annotations.len() > 50 {
        return refuse(&format!("No more than 50 items are allowed; {} were supplied.", annotations.len()));
    }
    annotations.iter().map(|annotation| self::annotation(check, annotation)).collect()
}

fn annotation(check: &Value, given: &Value) -> Result<Value, Response> {
    let invalid = |field: &str| Response::invalid("CheckAnnotation", field, "invalid", None);
    let text = |field: &str, longest: usize| {
        given[field].as_str().filter(|text| text.len() <= longest).ok_or_else(|| invalid(field))
    };
    let line = |field: &str| given[field].as_u64().filter(|line| *line > 0).ok_or_else(|| invalid(field));
    let (path, message, level) = (text("path", 4096)?, text("message", 65_536)?, text("annotation_level", 10)?);
    let (start, end) = (line("start_line")?, line("end_line")?);
    let columns = !given["start_column"].is_null() || !given["end_column"].is_null();
    if !["notice", "warning", "failure"].contains(&level) {
        return Err(invalid("annotation_level"));
    }
    if end < start || (columns && start != end) {
        return Err(invalid(if columns { "start_column" } else { "end_line" }));
    }
    if !given["title"].is_null() {
        text("title", 255)?;
    }
    Ok(json!({
        "path": path, "blob_href": format!("https://github.com/blob/{}/{path}", check["head_sha"].as_str().unwrap_or_default()),
        "start_line": start, "end_line": end, "start_column": given["start_column"], "end_column": given["end_column"],
        "annotation_level": level, "title": given["title"], "message": message, "raw_details": given["raw_details"],
    }))
}

fn checks_of(call: &Call<'_>, name: &str) -> Answer {
    call.needs(&["checks"], "read")?;
    let unknown = || Response::error(422, &format!("No commit found for SHA: {name}"));
    let sha = call.repository.resolve(name).ok_or_else(unknown)?;
    let wanted = |check: &&Value| {
        check["head_sha"] == sha.as_str()
            && call.request.query("check_name").is_none_or(|name| check["name"] == name)
            && call.request.query("status").is_none_or(|status| check["status"] == status)
    };
    let mut found: Vec<Value> = call.repository.checks.iter().rev().filter(wanted).cloned().collect();
    if call.request.query("filter") != Some("all") {
        let mut names = std::collections::BTreeSet::new();
        found.retain(|check| names.insert(check["name"].to_string()));
    }
    let count = found.len();
    call.page(found, |runs| json!({"total_count": count, "check_runs": runs}))
}

fn pulls_of(call: &Call<'_>, name: &str) -> Answer {
    call.needs(&["pull_requests"], "read")?;
    let sha = call.repository.resolve(name).ok_or_else(missing)?;
    // As on GitHub, a fork's commit is not found this way.
    let here = |pull: &&Pull| pull.head_sha == sha && pull.head_repo.as_ref() == Some(&call.repository.name);
    let found = call.repository.pulls.values().filter(here).map(|pull| shapes::pull(call.repository, pull, false));
    call.page(found.collect(), Value::Array)
}

fn pulls(call: &Call<'_>) -> Answer {
    call.needs(&["pull_requests"], "read")?;
    let state = call.request.query("state").unwrap_or("open");
    let head = call.request.query("head").filter(|head| head.contains(':'));
    let base = call.request.query("base");
    let wanted = |pull: &&Pull| {
        (state == "all" || pull.state == state)
            && head.is_none_or(|head| head == format!("{}:{}", pull.head_owner(), pull.head_branch))
            && base.is_none_or(|base| base == pull.base_branch)
    };
    let found =
        call.repository.pulls.values().rev().filter(wanted).map(|pull| shapes::pull(call.repository, pull, false));
    call.page(found.collect(), Value::Array)
}

fn new_pull(call: &mut Call<'_>) -> Answer {
    call.needs(&["pull_requests"], "write")?;
    let (head, base) = (call.required("PullRequest", "head")?, call.required("PullRequest", "base")?);
    let title = call.required("PullRequest", "title")?;
    let own = owner(&call.repository.name).to_owned();
    let (from, branch) = head.split_once(':').unwrap_or((&own, &head));
    let invalid = |field| Response::invalid("PullRequest", field, "invalid", None);
    let known = call.repository.branches.get(branch).filter(|_| from == own).cloned();
    let sha = known.ok_or_else(|| invalid("head"))?;
    let base_sha = call.repository.branches.get(&base).cloned().ok_or_else(|| invalid("base"))?;
    let refuse = |message: &str| Err(Response::invalid("PullRequest", "head", "custom", Some(message)));
    let mut open = call.repository.pulls.values().filter(|pull| pull.state == "open" && pull.head_owner() == from);
    if open.any(|pull| pull.head_branch == branch && pull.base_branch == base) {
        return refuse(&format!("A pull request already exists for {from}:{branch}."));
    }
    if call.repository.is_ancestor(&sha, &base_sha) {
        return refuse(&format!("No commits between {base} and {branch}"));
    }
    let (number, name) = (call.repository.next_number(), call.repository.name.clone());
    call.repository.pull(number, Some(&name), branch, &sha, &base);
    let body = call.text("body").map(str::to_owned);
    let pull = call.repository.pulls.get_mut(&number).unwrap();
    (pull.title, pull.body, pull.author) = (title, body, call.token.login.clone());
    let pull = &call.repository.pulls[&number];
    Ok(Response::json(201, &shapes::pull(call.repository, pull, true)))
}

fn one_pull(call: &mut Call<'_>, text: &str) -> Answer {
    call.needs_as_asked(&["pull_requests"])?;
    let number = number(text)?;
    let now = call.repository.now();
    let pull = call.repository.pulls.get_mut(&number).ok_or_else(missing)?;
    if call.request.method == "PATCH" {
        let field = |name: &str| call.body[name].as_str().map(str::to_owned);
        if field("state").is_some_and(|state| state != "open" && state != "closed") {
            return Err(Response::invalid("PullRequest", "state", "invalid", None));
        }
        pull.title = field("title").unwrap_or_else(|| pull.title.clone());
        pull.body = field("body").or_else(|| pull.body.clone());
        pull.state = field("state").unwrap_or_else(|| pull.state.clone());
        pull.base_branch = field("base").unwrap_or_else(|| pull.base_branch.clone());
        pull.updated = now;
    }
    let pull = &call.repository.pulls[&number];
    Ok(Response::json(200, &shapes::pull(call.repository, pull, true)))
}
