//! How GitHub says that a request may be sent again: its limits and its own trouble.

use std::time::Duration;

use crate::http::SendFailure;

/// An answer that is not a success.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal<'a> {
    pub(super) status: u16,
    /// What `retry-after` says.
    pub(super) retry_after: Option<Duration>,
    /// `x-ratelimit-remaining`.
    pub(super) remaining: Option<u64>,
    /// `x-ratelimit-reset`, in seconds since 1970.
    pub(super) reset: Option<i64>,
    /// What the answer says.
    pub(super) message: &'a str,
}

impl Refusal<'_> {
    /// What it means for another attempt; `now` is in seconds since 1970.
    pub(super) fn failure(&self, now: i64) -> SendFailure {
        if self.is_limit() {
            return SendFailure::Limited(self.wait(now));
        }
        SendFailure::of_status(self.status, self.retry_after)
    }

    /// A missing permission has the same status as a limit.
    fn is_limit(&self) -> bool {
        let message = self.message.to_lowercase();
        self.status == 429
            || (self.status == 403
                && (self.retry_after.is_some()
                    || self.remaining == Some(0)
                    || message.contains("secondary rate limit")
                    || message.contains("abuse detection")))
    }

    fn wait(&self, now: i64) -> Option<Duration> {
        let until_reset = || {
            let reset = self.reset.filter(|_| self.remaining == Some(0))?;
            let left = u64::try_from(reset.saturating_sub(now)).unwrap_or(0);
            Some(Duration::from_secs(left.saturating_add(1)))
        };
        self.retry_after.or_else(until_reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1000;

    fn answered(status: u16) -> Refusal<'static> {
        Refusal { status, retry_after: None, remaining: Some(50), reset: None, message: "" }
    }

    #[test]
    fn a_limit_is_waited_for_as_long_as_it_says() {
        let until = Refusal { remaining: Some(0), reset: Some(1100), ..answered(403) };
        assert_eq!(until.failure(NOW), SendFailure::Limited(Some(Duration::from_secs(101))));
        let said = Refusal { retry_after: Some(Duration::from_secs(9)), ..until };
        assert_eq!(said.failure(NOW), SendFailure::Limited(Some(Duration::from_secs(9))));
        assert_eq!(answered(429).failure(NOW), SendFailure::Limited(None));
        let forever = Refusal { remaining: Some(0), reset: Some(i64::MAX), ..answered(403) };
        assert!(matches!(forever.failure(NOW), SendFailure::Limited(Some(_))));
    }

    #[test]
    fn a_secondary_limit_is_known_by_its_message() {
        let secondary = Refusal { message: "You have exceeded a secondary rate limit.", ..answered(403) };
        assert_eq!(secondary.failure(NOW), SendFailure::Limited(None));
    }

    #[test]
    fn a_missing_permission_is_not_asked_for_again() {
        for status in [400, 401, 403, 404, 409, 422] {
            assert_eq!(answered(status).failure(NOW), SendFailure::Final, "{status}");
        }
        assert_eq!(answered(502).failure(NOW), SendFailure::Unavailable(None));
    }
}
