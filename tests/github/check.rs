//! The small GitHub behaves as the real one does, where it matters to us.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::github::faults::Fault;
use super::github::{Github, TOKEN};

/// Status, head in lower case, body. Nothing when the connection was reset.
struct Got(u16, String, Value);

fn ask_as(github: &Github, token: &str, method: &str, path: &str, body: &Value) -> Option<Got> {
    let address = github.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n");
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
        result => result.unwrap(),
    };
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Some(Got(head[9..12].parse().unwrap(), head.to_lowercase(), serde_json::from_str(body).unwrap_or(Value::Null)))
}

fn ask(github: &Github, method: &str, path: &str, body: &Value) -> Got {
    ask_as(github, TOKEN, method, &format!("/repos/o/r{path}"), body).unwrap()
}

fn get(github: &Github, path: &str) -> Value {
    let Got(status, _, body) = ask(github, "GET", path, &Value::Null);
    assert_eq!(status, 200, "{path}: {body}");
    body
}

fn graphql(github: &Github, query: &str, variables: &Value) -> Value {
    ask_as(github, TOKEN, "POST", "/graphql", &json!({"query": query, "variables": variables})).unwrap().2
}

const MUTATION: &str =
    "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid url } } }";

fn commit_input(head: &str, path: &str) -> Value {
    json!({"input": {
        "branch": {"repositoryNameWithOwner": "o/r", "branchName": "main"}, "expectedHeadOid": head,
        "message": {"headline": "h"}, "fileChanges": {"additions": [{"path": path, "contents": "eA=="}]},
    }})
}

/// A repository with one commit on main and pull request 7.
fn world() -> (Github, String) {
    let github = Github::start();
    let sha = github.repository("o/r", |repository| {
        let sha = repository.commit("main", &[("a", "1")], &[]);
        let head = repository.commit("feature/x", &[("b", "1")], &[&sha]);
        repository.pull(7, Some("o/r"), "feature/x", &head, "main");
        sha
    });
    (github, sha)
}

fn shas(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|commit| commit["sha"].as_str().unwrap()).collect()
}

#[test]
fn comments_come_in_pages_with_links_to_the_next_and_the_last() {
    let (github, _) = world();
    github.repository("o/r", |repository| {
        (0..205).for_each(|n| {
            repository.comment(7, "someone", &n.to_string());
        })
    });
    assert_eq!(get(&github, "/issues/7/comments").as_array().unwrap().len(), 30);
    let Got(_, head, body) = ask(&github, "GET", "/issues/7/comments?per_page=500&page=2", &Value::Null);
    assert_eq!((body.as_array().unwrap().len(), &body[0]["body"]), (100, &json!("100")));
    let url = format!("{}/repos/o/r/issues/7/comments?per_page=500", github.url);
    assert!(head.contains(&format!("<{url}&page=3>; rel=\"next\", <{url}&page=3>; rel=\"last\"")), "{head}");
    let Got(_, head, body) = ask(&github, "GET", "/issues/7/comments?per_page=100&page=3", &Value::Null);
    assert_eq!((body.as_array().unwrap().len(), head.contains("rel=\"next\"")), (5, false));
}

#[test]
fn a_comment_is_written_changed_and_deleted_and_its_length_is_limited() {
    let (github, _) = world();
    let Got(status, _, made) = ask(&github, "POST", "/issues/7/comments", &json!({"body": "ä".repeat(65_536)}));
    assert_eq!((status, &made["user"]["login"]), (201, &json!("github-actions[bot]")));
    let path = format!("/issues/comments/{}", made["id"]);
    let Got(status, _, body) = ask(&github, "PATCH", &path, &json!({"body": "ä".repeat(65_537)}));
    assert_eq!((status, &body["errors"][0]["code"]), (422, &json!("unprocessable")));
    assert_eq!(ask(&github, "PATCH", &path, &json!({"body": "new"})).0, 200);
    assert_eq!(github.repository("o/r", |repository| repository.bodies(7)), ["new"]);
    assert_eq!(ask(&github, "DELETE", &path, &Value::Null).0, 204);
    assert_eq!(ask(&github, "DELETE", &path, &Value::Null).0, 404);
    assert_eq!(ask(&github, "GET", "/issues/8/comments", &Value::Null).0, 404);
}

#[test]
fn a_token_may_do_only_what_it_was_granted() {
    let (github, sha) = world();
    assert_eq!(ask_as(&github, "wrong", "GET", "/repos/o/r", &Value::Null).unwrap().0, 401);
    github.permissions(&[("contents", "read"), ("pull-requests", "read")]);
    assert_eq!(ask(&github, "GET", "/issues/7/comments", &Value::Null).0, 200);
    let Got(status, head, body) = ask(&github, "POST", "/issues/7/comments", &json!({"body": "b"}));
    assert_eq!((status, &body["message"]), (403, &json!("Resource not accessible by integration")));
    assert!(head.contains("x-accepted-github-permissions: issues=write; pull_requests=write"), "{head}");
    assert_eq!(ask(&github, "POST", "/check-runs", &json!({"name": "n", "head_sha": sha})).0, 403);
    let refused = graphql(&github, MUTATION, &commit_input(&sha, "x"));
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN");
    let log = github.requests();
    assert_eq!(log[0]["headers"]["authorization"], json!({"scheme": "Bearer", "right": false}));
    assert!(!github.state().to_string().contains(TOKEN));
}

#[test]
fn of_twenty_commits_on_the_same_head_exactly_one_wins() {
    let (github, sha) = world();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let ask = |n: usize| graphql(&github, MUTATION, &commit_input(&sha, &format!("file-{n}")));
        let threads: Vec<_> = (0..20).map(|n| scope.spawn(move || ask(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer["errors"].is_null());
    assert_eq!((won.len(), lost.len()), (1, 19));
    assert!(lost.iter().all(|answer| answer["errors"][0]["type"] == "STALE_DATA"));
    let tip = &won[0]["data"]["createCommitOnBranch"]["commit"]["oid"];
    assert_eq!(&get(&github, "/git/ref/heads/main")["object"]["sha"], tip);
    assert_eq!(get(&github, "/commits?sha=main").as_array().unwrap().len(), 2);
}

#[test]
fn graphql_refuses_what_it_does_not_know_and_changes_nothing() {
    let (github, sha) = world();
    assert_eq!(
        graphql(&github, "query { viewer { login } }", &Value::Null),
        json!({"data": {"viewer": {"login": "github-actions[bot]"}}})
    );
    for query in [
        "{ viewer { email } }",
        "{ nobody { login } }",
        "{ viewer }",
        "mutation { deleteRef(input: {}) { x } }",
        "gibberish",
    ] {
        assert!(graphql(&github, query, &Value::Null)["errors"][0]["message"].is_string(), "{query}");
    }
    let strange = MUTATION.replace("oid", "oid colour");
    assert!(graphql(&github, &strange, &commit_input(&sha, "x"))["errors"].is_array());
    let mut input = commit_input(&sha, "x");
    input["input"]["force"] = json!(true);
    assert!(graphql(&github, MUTATION, &input)["errors"].is_array());
    input = commit_input(&sha, "x");
    input["input"]["branch"]["branchName"] = json!("nowhere");
    assert_eq!(graphql(&github, MUTATION, &input)["errors"][0]["type"], "NOT_FOUND");
    github.repository("o/r", |repository| {
        repository.protect("main");
    });
    let refused = graphql(&github, MUTATION, &commit_input(&sha, "x"));
    assert_eq!(refused["errors"][0]["type"], "BRANCH_PROTECTION_RULE_VIOLATION");
    assert_eq!(get(&github, "/branches/main")["protected"], true);
    assert_eq!(get(&github, "/commits/main")["sha"], sha.as_str());
}

#[test]
fn a_change_can_happen_and_its_answer_be_lost() {
    let (github, _) = world();
    github.fault(Fault::on("POST", "/comments$").acts_and_resets());
    github.fault(Fault::on("POST", "/comments$").nth(2).resets());
    for _ in 0..2 {
        assert!(ask_as(&github, TOKEN, "POST", "/repos/o/r/issues/7/comments", &json!({"body": "b"})).is_none());
    }
    assert_eq!(github.repository("o/r", |repository| repository.bodies(7)), ["b"]);
    assert_eq!(ask(&github, "POST", "/issues/7/comments", &json!({"body": "c"})).0, 201);
    assert_eq!(github.requests_to("POST", "/comments").len(), 3);
}

#[test]
fn faults_strike_in_their_turn_and_hooks_see_the_state() {
    let (github, _) = world();
    github.fault(Fault::on("GET", "/pulls").first(2).fails(502));
    github.fault(Fault::on("GET", "/pulls").nth(3).primary_limit(99));
    github.fault(Fault::on("GET", "/pulls").nth(4).garbage());
    github.fault(Fault::on("POST", "/comments").before(|state| {
        state.repository("o/r").comment(7, "another", "first");
    }));
    let answers: Vec<Got> = (0..5).map(|_| ask(&github, "GET", "/pulls", &Value::Null)).collect();
    assert_eq!(answers.iter().map(|got| got.0).collect::<Vec<_>>(), [502, 502, 403, 200, 200]);
    assert!(answers[2].1.contains("x-ratelimit-remaining: 0") && answers[2].1.contains("x-ratelimit-reset: 99"));
    assert!(answers[3].1.contains("text/html") && answers[4].1.contains("x-ratelimit-remaining: 995"));
    ask(&github, "POST", "/issues/7/comments", &json!({"body": "second"}));
    assert_eq!(github.repository("o/r", |repository| repository.bodies(7)), ["first", "second"]);
    github.fault(Fault::from_json(&json!({"path": "/pulls", "first": 1, "secondary_limit": 3})));
    assert!(ask(&github, "GET", "/pulls", &Value::Null).1.contains("retry-after: 3"));
}

#[test]
fn a_check_run_takes_fifty_annotations_at_a_time_and_adds_them_up() {
    let (github, sha) = world();
    let annotation =
        json!({"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"});
    let output = |count: usize| json!({"title": "t", "summary": "s", "annotations": vec![annotation.clone(); count]});
    let Got(status, _, made) =
        ask(&github, "POST", "/check-runs", &json!({"name": "n", "head_sha": sha, "output": output(50)}));
    assert_eq!(status, 201);
    let path = format!("/check-runs/{}", made["id"]);
    assert_eq!(ask(&github, "PATCH", &path, &json!({"output": output(51)})).0, 422);
    let long = json!({"title": "t", "summary": "s".repeat(65_536)});
    assert_eq!(ask(&github, "PATCH", &path, &json!({"output": long})).0, 422);
    assert_eq!(ask(&github, "PATCH", &path, &json!({"status": "completed"})).0, 422);
    let Got(_, _, done) = ask(&github, "PATCH", &path, &json!({"conclusion": "failure", "output": output(7)}));
    assert_eq!((&done["status"], &done["output"]["annotations_count"]), (&json!("completed"), &json!(57)));
    assert_eq!(get(&github, &format!("{path}/annotations?per_page=100")).as_array().unwrap().len(), 57);
    ask(&github, "POST", "/check-runs", &json!({"name": "n", "head_sha": sha}));
    assert_eq!(get(&github, "/commits/main/check-runs?check_name=n")["total_count"], 1);
    assert_eq!(get(&github, "/commits/main/check-runs?check_name=n&filter=all")["total_count"], 2);
    assert_eq!(get(&github, "/commits/feature%2Fx/check-runs")["total_count"], 0);
}

#[test]
fn commits_by_path_are_those_that_changed_it_newest_first() {
    let (github, first) = world();
    let (second, side, merge) = github.repository("o/r", |repository| {
        let second = repository.commit("main", &[("a", "2")], &[]);
        repository.commit("main", &[("other", "1")], &[]);
        let side = repository.commit("side", &[("c", "1")], &[&first]);
        (second, side, repository.merge("main", "side"))
    });
    assert_eq!(shas(&get(&github, "/commits?sha=main&path=a")), [second.as_str(), first.as_str()]);
    assert_eq!(shas(&get(&github, "/commits?sha=main&path=c")), [side.as_str()]);
    assert_eq!(shas(&get(&github, "/commits?sha=main&per_page=1")), [merge.as_str()]);
    assert_eq!(shas(&get(&github, "/commits?sha=side&path=a")), [first.as_str()]);
    let resolved =
        github.repository("o/r", |repository| repository.commit("main", &[("a", "3")], &["main", "feature/x"]));
    assert_eq!(shas(&get(&github, "/commits?path=a&per_page=1")), [resolved.as_str()]);
    // A merge that kept its own version hides what the other side did to the file.
    github.repository("o/r", |repository| {
        let hidden = repository.commit("hidden", &[("a", "4")], &[&resolved]);
        repository.commit("main", &[], &["main", &hidden]);
    });
    assert_eq!(shas(&get(&github, "/commits?path=a&per_page=1")), [resolved.as_str()]);
    assert_eq!(ask(&github, "GET", "/commits?sha=nowhere", &Value::Null).0, 404);
}

#[test]
fn a_comparison_says_how_two_commits_relate() {
    let (github, first) = world();
    let compare = |names: &str| {
        let body = get(&github, &format!("/compare/{names}"));
        assert_eq!(body["merge_base_commit"]["sha"], first.as_str());
        (body["status"].as_str().unwrap().to_owned(), body["ahead_by"].as_u64(), body["behind_by"].as_u64())
    };
    assert_eq!(compare("main...feature/x"), ("ahead".to_owned(), Some(1), Some(0)));
    assert_eq!(compare("feature%2Fx...main"), ("behind".to_owned(), Some(0), Some(1)));
    assert_eq!(compare(&format!("main...{first}")), ("identical".to_owned(), Some(0), Some(0)));
    github.repository("o/r", |repository| {
        repository.commit("main", &[("a", "2")], &[]);
    });
    assert_eq!(compare("main...o:feature/x"), ("diverged".to_owned(), Some(1), Some(1)));
    assert_eq!(ask(&github, "GET", "/compare/main...nowhere", &Value::Null).0, 404);
}

#[test]
fn references_move_forward_or_by_force_which_is_remembered() {
    let (github, first) = world();
    let head = get(&github, "/commits/feature/x")["sha"].as_str().unwrap().to_owned();
    assert_eq!(ask(&github, "POST", "/git/refs", &json!({"ref": "refs/heads/main", "sha": head})).0, 422);
    assert_eq!(ask(&github, "POST", "/git/refs", &json!({"ref": "refs/heads/new", "sha": head})).0, 201);
    assert_eq!(ask(&github, "PATCH", "/git/refs/heads/new", &json!({"sha": first})).0, 422);
    assert_eq!(ask(&github, "PATCH", "/git/refs/heads/new", &json!({"sha": first, "force": true})).0, 200);
    assert_eq!(ask(&github, "PATCH", "/git/refs/heads/new", &json!({"sha": head})).0, 200);
    assert_eq!(github.repository("o/r", |repository| repository.forced.len()), 1);
    assert_eq!(ask(&github, "DELETE", "/git/refs/heads/feature/x", &Value::Null).0, 204);
    assert_eq!(get(&github, "/pulls/7")["state"], "closed");
}

#[test]
fn files_are_read_and_written_only_over_the_version_that_was_seen() {
    let (github, _) = world();
    let file = get(&github, "/contents/a?ref=main");
    assert_eq!((&file["content"], &file["encoding"]), (&json!("MQ==\n"), &json!("base64")));
    let put =
        |sha: &Value| ask(&github, "PUT", "/contents/a", &json!({"message": "m", "content": "Mg==", "sha": sha})).0;
    assert_eq!((put(&Value::Null), put(&json!("old")), put(&file["sha"]), put(&file["sha"])), (422, 409, 200, 409));
    github.repository("o/r", |repository| {
        repository.commit("main", &[("dir/big", &"x".repeat(1_048_577))], &[]);
    });
    let big = get(&github, "/contents/dir%2Fbig");
    assert_eq!((&big["content"], &big["encoding"], &big["size"]), (&json!(""), &json!("none"), &json!(1_048_577)));
    assert_eq!(ask(&github, "GET", "/contents/nothing", &Value::Null).0, 404);
}

#[test]
fn one_pull_request_per_head_and_base_is_open() {
    let (github, _) = world();
    github.repository("o/r", |repository| {
        repository.pull(8, Some("fork/r"), "feature/x", &"f".repeat(40), "main").issue(9);
    });
    github.repository("o/r", |repository| {
        repository.pull(10, None, "gone", &"e".repeat(40), "main");
    });
    assert_eq!(get(&github, "/pulls?head=fork:feature/x")[0]["number"], 8);
    assert_eq!(get(&github, "/pulls/10")["head"]["repo"], Value::Null);
    let wish = json!({"head": "feature/x", "base": "main", "title": "t"});
    let Got(status, _, body) = ask(&github, "POST", "/pulls", &wish);
    assert_eq!(
        (status, &body["errors"][0]["message"]),
        (422, &json!("A pull request already exists for o:feature/x."))
    );
    assert_eq!(ask(&github, "PATCH", "/pulls/7", &json!({"state": "closed"})).2["state"], "closed");
    let Got(status, _, made) = ask(&github, "POST", "/pulls", &wish);
    assert_eq!((status, &made["number"]), (201, &json!(11)));
    assert_eq!(get(&github, "/pulls?state=all").as_array().unwrap().len(), 4);
}

#[test]
fn a_release_takes_one_asset_of_a_name() {
    let (github, _) = world();
    let id = github.repository("o/r", |repository| repository.release("v1", "notes"));
    let release = get(&github, "/releases/tags/v1");
    assert_eq!(release["upload_url"], format!("{}/repos/o/r/releases/{id}/assets{{?name,label}}", github.url));
    let upload = || ask(&github, "POST", &format!("/releases/{id}/assets?name=a.json"), &json!("not an object"));
    let Got(status, _, asset) = upload();
    assert_eq!((status, &asset["size"]), (201, &json!(15)));
    assert_eq!(upload().2["errors"][0]["code"], "already_exists");
    assert_eq!(ask(&github, "DELETE", &format!("/releases/assets/{}", asset["id"]), &Value::Null).0, 204);
    assert_eq!(upload().0, 201);
    assert_eq!(ask(&github, "PATCH", &format!("/releases/{id}"), &json!({"body": "new"})).2["body"], "new");
    assert_eq!(get(&github, &format!("/releases/{id}/assets")).as_array().unwrap().len(), 1);
}
