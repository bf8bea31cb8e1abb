//! The JSON of GitHub's answers, with every field that the official description requires.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::state::{Commit, Pull, Repository, hash, owner, stamp, tree_sha};

pub(crate) fn user(base: &str, login: &str) -> Value {
    // An address with brackets is no URI to a strict reader.
    let url = format!("{base}/users/{}", login.replace('[', "%5B").replace(']', "%5D"));
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    let id = number_of(login);
    json!({
        "login": login, "id": id, "node_id": format!("U_{id}"), "type": kind, "site_admin": false, "url": url,
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}"), "gravatar_id": "",
        "html_url": format!("https://github.com/{}", login.replace("[bot]", "")),
        "followers_url": format!("{url}/followers"), "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"), "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"), "repos_url": format!("{url}/repos"),
        "organizations_url": format!("{url}/orgs"), "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
    })
}

/// An id that depends on nothing but the name.
fn number_of(name: &str) -> u64 {
    name.bytes().fold(7, |sum, byte| (sum * 31 + u64::from(byte)) % 100_000_007)
}

/// A repository by name: the one at hand, or the fork a pull request comes from.
pub(crate) fn repository(base: &str, name: &str, default_branch: &str) -> Value {
    let (url, html) = (format!("{base}/repos/{name}"), format!("https://github.com/{name}"));
    let id = number_of(name);
    let mut value = json!({
        "id": id, "node_id": format!("R_{id}"), "name": name.rsplit('/').next(), "full_name": name,
        "owner": user(base, owner(name)), "html_url": html, "url": url, "default_branch": default_branch,
        "clone_url": format!("{html}.git"), "git_url": format!("git://github.com/{name}.git"),
        "ssh_url": format!("git@github.com:{name}.git"), "svn_url": html, "size": 1, "visibility": "public",
        "has_issues": true, "has_downloads": true, "topics": [],
    });
    let fields = [
        (json!(null), "description mirror_url homepage language license"),
        (json!(false), "private fork archived disabled is_template has_projects has_wiki has_pages has_discussions"),
        (json!(0), "forks forks_count open_issues open_issues_count stargazers_count watchers watchers_count"),
        (json!(0), "network_count subscribers_count"),
        (json!(stamp(1_767_603_600)), "created_at updated_at pushed_at"),
    ];
    for (usual, names) in fields {
        for name in names.split(' ') {
            value[name] = usual.clone();
        }
    }
    let addresses = "archive/{archive_format}{/ref} assignees{/user} git/blobs{/sha}|blobs branches{/branch} \
        collaborators{/collaborator} comments{/number} commits{/sha} compare/{base}...{head} contents/{+path} \
        contributors deployments downloads events forks git/commits{/sha}|git_commits git/refs{/sha}|git_refs \
        git/tags{/sha}|git_tags hooks issues/comments{/number}|issue_comment issues/events{/number}|issue_events \
        issues{/number} keys{/key_id} labels{/name} languages merges milestones{/number} \
        notifications{?since,all,participating} pulls{/number} releases{/id} stargazers statuses/{sha} subscribers \
        subscription tags teams git/trees{/sha}|trees";
    for address in addresses.split_whitespace() {
        let (path, name) = address.split_once('|').unwrap_or((address, address));
        let name = name.split(['/', '{']).next().unwrap_or_default();
        value[format!("{name}_url")] = json!(format!("{url}/{path}"));
    }
    value
}

pub(crate) fn commit(repository: &Repository, commit: &Commit) -> Value {
    let (sha, tree) = (&commit.sha, tree_sha(&commit.files));
    let person = json!({"name": commit.author, "email": "someone@example.org", "date": commit.date});
    let parents: Vec<Value> = commit.parents.iter().map(|sha| {
        json!({"sha": sha, "url": repository.url(&format!("/commits/{sha}")), "html_url": repository.html(&format!("/commit/{sha}"))})
    }).collect();
    json!({
        "sha": sha, "node_id": format!("C_{sha}"), "url": repository.url(&format!("/commits/{sha}")),
        "html_url": repository.html(&format!("/commit/{sha}")),
        "comments_url": repository.url(&format!("/commits/{sha}/comments")),
        "commit": {
            "author": person, "committer": person, "message": commit.message, "comment_count": 0,
            "tree": {"sha": tree, "url": repository.url(&format!("/git/trees/{tree}"))},
            "url": repository.url(&format!("/git/commits/{sha}")),
            "verification": {"verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null},
        },
        "author": user(&repository.base, &commit.author), "committer": user(&repository.base, &commit.author),
        "parents": parents,
    })
}

pub(crate) fn pull(repository: &Repository, pull: &Pull, full: bool) -> Value {
    let (base, number) = (&repository.base, pull.number);
    let url = repository.url(&format!("/pulls/{number}"));
    let issue = repository.url(&format!("/issues/{number}"));
    let html = repository.html(&format!("/pull/{number}"));
    let link = |href: &str| json!({"href": href});
    let own = |name: &str| self::repository(base, name, &repository.default_branch);
    let (comments, commits) = (format!("{issue}/comments"), format!("{url}/commits"));
    let statuses = repository.url(&format!("/statuses/{}", pull.head_sha));
    let reviews = repository.url("/pulls/comments{/number}");
    let owner_here = owner(&repository.name);
    let mut value = json!({
        "id": 9_000_000 + number, "node_id": format!("PR_{number}"), "number": number, "url": url, "html_url": html,
        "diff_url": format!("{html}.diff"), "patch_url": format!("{html}.patch"), "issue_url": issue,
        "comments_url": comments, "commits_url": commits, "review_comments_url": format!("{url}/comments"),
        "review_comment_url": reviews, "statuses_url": statuses, "state": pull.state, "locked": false,
        "title": pull.title, "body": pull.body, "user": user(base, &pull.author), "labels": [], "assignee": null,
        "assignees": [], "requested_reviewers": [], "requested_teams": [], "milestone": null, "draft": false,
        "created_at": pull.created, "updated_at": pull.updated, "merged_at": null, "merge_commit_sha": pull.merge,
        "closed_at": if pull.state == "closed" { json!(pull.updated) } else { Value::Null },
        "head": {
            "label": format!("{}:{}", pull.head_owner(), pull.head_branch), "ref": pull.head_branch, "sha": pull.head_sha,
            "user": user(base, pull.head_owner()), "repo": pull.head_repo.as_deref().map(own),
        },
        "base": {
            "label": format!("{owner_here}:{}", pull.base_branch), "ref": pull.base_branch, "sha": pull.base_sha,
            "user": user(base, owner_here), "repo": own(&repository.name),
        },
        "_links": {
            "self": link(&url), "html": link(&html), "issue": link(&issue), "comments": link(&comments),
            "review_comments": link(&format!("{url}/comments")), "review_comment": link(&reviews),
            "commits": link(&commits), "statuses": link(&statuses),
        },
        "author_association": "CONTRIBUTOR", "auto_merge": null, "active_lock_reason": null,
    });
    if full {
        let counts = json!({
            "merged": false, "mergeable": null, "rebaseable": null, "mergeable_state": "unknown", "merged_by": null,
            "comments": repository.comments_of(number).len(), "review_comments": 0, "maintainer_can_modify": false,
            "commits": 1, "additions": 0, "deletions": 0, "changed_files": 0,
        });
        value.as_object_mut().unwrap().extend(counts.as_object().unwrap().clone());
    }
    value
}

pub(crate) fn comment(repository: &Repository, id: u64, issue: u64, author: &str, body: &str, now: &str) -> Value {
    let url = repository.url(&format!("/issues/comments/{id}"));
    json!({
        "id": id, "node_id": format!("IC_{id}"), "url": url, "issue_url": repository.url(&format!("/issues/{issue}")),
        "html_url": repository.html(&format!("/pull/{issue}#issuecomment-{id}")), "body": body,
        "user": user(&repository.base, author), "created_at": now, "updated_at": now,
        "author_association": "NONE", "performed_via_github_app": null,
    })
}

/// A check run that was only just asked for.
pub(crate) fn check(repository: &Repository, id: u64, name: &str, sha: &str, now: &str) -> Value {
    let url = repository.url(&format!("/check-runs/{id}"));
    let short = |reference: &str, sha: &str, name: &str| {
        json!({
            "ref": reference, "sha": sha,
            "repo": {"id": 1, "url": format!("{}/repos/{name}", repository.base), "name": name.rsplit('/').next()},
        })
    };
    let from_here = repository.pulls.values().filter(|pull| {
        pull.state == "open" && pull.head_sha == sha && pull.head_repo.as_ref() == Some(&repository.name)
    });
    let pulls: Vec<Value> = from_here.map(|pull| json!({
        "id": 9_000_000 + pull.number, "number": pull.number, "url": repository.url(&format!("/pulls/{}", pull.number)),
        "head": short(&pull.head_branch, &pull.head_sha, &repository.name),
        "base": short(&pull.base_branch, &pull.base_sha, &repository.name),
    })).collect();
    let when = stamp(1_532_345_400);
    json!({
        "id": id, "node_id": format!("CR_{id}"), "name": name, "head_sha": sha, "external_id": "", "url": url,
        "html_url": repository.html(&format!("/runs/{id}")), "details_url": repository.html(&format!("/runs/{id}")),
        "status": "queued", "conclusion": null, "started_at": now, "completed_at": null,
        "output": {"title": null, "summary": null, "text": null, "annotations_count": 0, "annotations_url": format!("{url}/annotations")},
        "check_suite": {"id": 1}, "pull_requests": pulls,
        "app": {
            "id": 15368, "slug": "github-actions", "node_id": "A_15368", "owner": user(&repository.base, "github"),
            "name": "GitHub Actions", "description": null, "external_url": "https://help.github.com/en/actions",
            "html_url": "https://github.com/apps/github-actions", "created_at": when, "updated_at": when,
            "permissions": {"checks": "write"}, "events": [],
        },
    })
}

pub(crate) fn release(repository: &Repository, id: u64, tag: &str, body: &str, now: &str) -> Value {
    let url = repository.url(&format!("/releases/{id}"));
    json!({
        "id": id, "node_id": format!("RE_{id}"), "url": url, "html_url": repository.html(&format!("/releases/tag/{tag}")),
        "assets_url": format!("{url}/assets"), "upload_url": format!("{url}/assets{{?name,label}}"),
        "tarball_url": repository.url(&format!("/tarball/{tag}")), "zipball_url": repository.url(&format!("/zipball/{tag}")),
        "tag_name": tag, "target_commitish": repository.default_branch, "name": tag, "body": body, "draft": false,
        "prerelease": false, "created_at": now, "published_at": now, "updated_at": now,
        "author": user(&repository.base, owner(&repository.name)), "assets": [],
    })
}

pub(crate) fn reference(repository: &Repository, name: &str, sha: &str) -> Value {
    json!({
        "ref": name, "node_id": format!("REF_{name}"), "url": repository.url(&format!("/git/{name}")),
        "object": {"type": "commit", "sha": sha, "url": repository.url(&format!("/git/commits/{sha}"))},
    })
}

/// A file, or with `bytes` missing a folder, without its content.
pub(crate) fn entry(repository: &Repository, path: &str, reference: &str, bytes: Option<&[u8]>) -> Value {
    let (kind, sha) = bytes.map_or(("dir", hash(&[path.as_bytes()])), |bytes| ("file", blob_sha(bytes)));
    let escaped = path.replace('%', "%25").replace(' ', "%20").replace('#', "%23").replace('?', "%3F");
    let url = repository.url(&format!("/contents/{escaped}?ref={reference}"));
    let html = repository.html(&format!("/blob/{reference}/{escaped}"));
    let git = repository.url(&format!("/git/blobs/{sha}"));
    let raw = format!("https://raw.githubusercontent.com/{}/{reference}/{escaped}", repository.name);
    json!({
        "type": kind, "name": path.rsplit('/').next(), "path": path, "sha": sha, "size": bytes.map_or(0, <[u8]>::len),
        "url": url, "html_url": html, "git_url": git, "download_url": raw,
        "_links": {"self": url, "html": html, "git": git},
    })
}

/// A file with its content: base64 in lines of sixty, and nothing from one megabyte on.
pub(crate) fn file(repository: &Repository, path: &str, reference: &str, bytes: &[u8]) -> Value {
    let mut value = entry(repository, path, reference, Some(bytes));
    let encoded = STANDARD.encode(bytes);
    let lines = encoded.as_bytes().chunks(60).map(|line| format!("{}\n", String::from_utf8_lossy(line)));
    let small = bytes.len() <= 1_048_576;
    value["content"] = json!(if small { lines.collect() } else { String::new() });
    value["encoding"] = json!(if small { "base64" } else { "none" });
    value
}

pub(crate) fn blob_sha(bytes: &[u8]) -> String {
    hash(&[b"blob", bytes])
}
