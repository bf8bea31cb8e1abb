//! Reads the environment of this process, once.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the payload of the event")]

use super::{ApiVariables, CiContext, Variables, github};

/// What is known about the job that this is.
pub(crate) fn context() -> CiContext {
    CiContext::parse(&variables(), |path| std::fs::read_to_string(path))
}

/// Where the host's API is and what opens it. Only verbs that talk to the host ask for it.
pub(crate) fn api() -> ApiVariables {
    github::api(&variables())
}

fn variables() -> Variables {
    let all = std::env::vars_os();
    Variables::of(all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))))
}
