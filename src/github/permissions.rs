//! What a token may do, found out by requests that cannot take effect: what they send is never valid, so GitHub refuses
//! it either for that, or before that for want of a permission.

use serde_json::json;

use super::{Call, Client, GithubError};

/// Whether a token may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    Yes,
    No,
    /// The token is none that GitHub knows.
    NotAccepted,
    /// GitHub did not say.
    Unknown,
}

/// A permission as it stands in a workflow, what it is for, and whether the token has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// Such as `checks: write`.
    pub line: &'static str,
    pub purpose: &'static str,
    /// Whether the token has it.
    pub may: May,
}

/// Tries every permission that evalratchet can make use of.
pub async fn permissions(client: &Client) -> Vec<Permission> {
    let reads = match client.list(&client.path("/commits"), None, 1).await {
        Ok(_) => May::Yes,
        Err(error) => refused(&error),
    };
    let mut all = vec![Permission { line: "contents: read", purpose: "finding the baseline", may: reads }];
    for (line, purpose, path) in [
        ("pull-requests: write", "the comment", "/pulls"),
        ("checks: write", "the check run", "/check-runs"),
        ("contents: write", "`baseline update --push`", "/git/refs"),
    ] {
        // Without its required fields none of these does anything.
        let may = match client.json(Call::post(client.path(path), json!({}))).await {
            Err(GithubError::Rejected { status: 400 | 422, .. }) => May::Yes,
            Err(error) => refused(&error),
            Ok(_) => May::Unknown,
        };
        all.push(Permission { line, purpose, may });
    }
    all
}

fn refused(error: &GithubError) -> May {
    match error {
        GithubError::Refused(_) => May::No,
        GithubError::Unauthorized(_) => May::NotAccepted,
        // A repository that the token may not see is not there for it; but so is one that is misspelt.
        GithubError::NotFound(_)
        | GithubError::Rejected { .. }
        | GithubError::Graphql { .. }
        | GithubError::Unreachable(_)
        | GithubError::Uncertain(_) => May::Unknown,
    }
}
