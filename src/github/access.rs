//! Where GitHub is, and what opens it.

use std::fmt;

use super::GithubError;
use crate::ci::ApiVariables;

/// A token. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Reads a token; blanks around it are not part of it.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// A text without it.
    pub fn redacted(&self, text: &str) -> String {
        text.replace(&self.0, "[redacted]")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[redacted]")
    }
}

/// Where GitHub is, and what opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The address of the REST API.
    pub api: String,
    /// The address of the GraphQL API.
    pub graphql: String,
    pub token: Option<Token>,
}

impl Access {
    /// Checks what the environment has.
    pub fn new(variables: &ApiVariables) -> Result<Self, GithubError> {
        let text = |value: &Option<String>| value.clone().filter(|value| !value.trim().is_empty());
        let address = |value: &Option<String>| text(value).map(|value| value.trim().trim_end_matches('/').to_owned());
        let api = address(&variables.api).unwrap_or_else(|| "https://api.github.com".to_owned());
        let graphql = address(&variables.graphql).unwrap_or_else(|| format!("{api}/graphql"));
        let token = text(&variables.token);
        let token = match token.as_deref().map(Token::parse) {
            Some(None) => {
                return Err(GithubError::Unauthorized("GITHUB_TOKEN has characters that no token has".to_owned()));
            }
            Some(Some(token)) => Some(token),
            None => None,
        };
        for address in [&api, &graphql] {
            if !is_safe(address) {
                let why = format!("{address} is not https; a token is not sent there");
                return Err(GithubError::Unreachable(why));
            }
        }
        Ok(Self { api, graphql, token })
    }
}

/// A token travels encrypted, or not beyond this machine.
pub(super) fn is_safe(address: &str) -> bool {
    // Whatever stands before an `@` is not the host.
    if address.contains(['@', '\\']) {
        return false;
    }
    let Some(rest) = address.strip_prefix("http://") else { return address.starts_with("https://") };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_token(token: &str) -> Result<Access, GithubError> {
        Access::new(&ApiVariables { token: Some(token.into()), ..ApiVariables::default() })
    }

    fn with_api(address: &str) -> Result<Access, GithubError> {
        Access::new(&ApiVariables { api: Some(address.into()), ..ApiVariables::default() })
    }

    #[test]
    fn a_token_is_never_printed_and_blanks_around_it_are_not_part_of_it() {
        let access = with_token(" s3cret\n").unwrap();
        assert_eq!(access.api, "https://api.github.com");
        assert_eq!(access.token.as_ref().map(Token::reveal), Some("s3cret"));
        assert!(!format!("{access:?}").contains("s3cret"));
        assert_eq!(access.token.unwrap().redacted("a s3cret b"), "a [redacted] b");
    }

    #[test]
    fn a_token_is_sent_only_encrypted_or_to_this_machine() {
        for wrong in [
            "http://example.org",
            "http://127.0.0.1.example.org",
            "http://localhost@evil.example",
            "http://localhost:80@127.0.0.2",
            "ftp://x",
        ] {
            assert!(matches!(with_api(wrong), Err(GithubError::Unreachable(_))), "{wrong}");
        }
        for fine in ["http://127.0.0.1:80/api/v3/", "https://ghe.example.org/api/v3", "http://[::1]:8080"] {
            assert!(with_api(fine).is_ok(), "{fine}");
        }
        assert!(matches!(with_token("a\nb"), Err(GithubError::Unauthorized(_))));
    }
}
