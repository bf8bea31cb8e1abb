//! HTTP for everybody: one way to build a client, and one policy for sending a request again.

mod client;
mod retry;

pub(crate) use client::{
    BodyError, HttpError, causes, client, connection_failed, jitter, send, shown_address, text_of, wait_of,
};
pub(crate) use retry::{Failed, Repeatable, RetryPolicy, SendFailure};
