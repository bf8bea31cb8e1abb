//! The small GitHub as a program: `github [PORT] [--state FILE]`.
//!
//! It prints its address on the first line and serves until its standard input closes. `GET /_state` answers
//! everything it holds and every request that came. The file, every key of which may be missing:
//!
//! ```json
//! {
//!   "tokens": {"t": {"login": "github-actions[bot]", "permissions": {"contents": "write", "checks": "write"}}},
//!   "repositories": {"o/r": {
//!     "default_branch": "main",
//!     "commits": [{"branch": "main", "files": {"a.txt": "text", "b": {"base64": "AA=="}, "gone": null},
//!       "sha": "…", "parents": ["main"], "message": "m", "author": "someone"}],
//!     "branches": {"feature": "main"}, "tags": {"v1": "main"}, "protected": ["main"], "issues": [1],
//!     "pulls": [{"number": 7, "head_repo": "o/r", "head_branch": "feature", "head_sha": "feature", "base_branch": "main"}],
//!     "comments": [{"issue": 7, "author": "someone", "body": "b"}], "releases": [{"tag": "v1", "body": "b"}]
//!   }},
//!   "faults": [{"method": "POST", "path": "/comments$", "nth": 1, "reset": true, "acts": true}]
//! }
//! ```
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for tests: it reads a file and prints its address"
)]

#[path = "mod.rs"]
mod github;

use std::io::Read as _;

fn main() {
    let (mut port, mut file) = (0, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--state" {
            file = Some(arguments.next().expect("--state needs a file"));
        } else {
            port = argument.parse().expect("usage: github [PORT] [--state FILE]");
        }
    }
    let server = github::Github::start_on(port);
    if let Some(file) = file {
        let text = std::fs::read_to_string(file).expect("the state file can be read");
        let value = serde_json::from_str(&text).expect("the state file is JSON");
        for fault in server.edit(|state| github::load::load(state, &value)) {
            server.fault(fault);
        }
    }
    println!("{}", server.url);
    drop(std::io::stdin().read_to_end(&mut Vec::new()));
}
