//! Whether and when a request is worth sending again.

use std::time::Duration;

/// How often a request is sent again before its service counts as unreachable.
pub const MOST: u32 = 7;
/// GitHub asks to wait at least so long for a limit of which it does not say when it ends.
const UNNAMED_LIMIT: Duration = Duration::from_secs(60);
/// Longer than anybody waits, and short enough to be counted with.
const LONGEST_LIMIT: u64 = 1_000_000;
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// How a request ended that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It was answered.
    Answered {
        /// The status.
        status: u16,
        /// `retry-after`, in seconds.
        retry_after: Option<u64>,
        /// `x-ratelimit-remaining`.
        remaining: Option<u64>,
        /// `x-ratelimit-reset`, in seconds since 1970.
        reset: Option<i64>,
        /// What the answer says.
        message: String,
    },
    /// The connection was lost, or there was none, or it took too long.
    Lost,
}

impl Ended {
    /// Whether a limit of GitHub's refused the request, which then did nothing.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Lost => false,
            Self::Answered { status: 429, .. } => true,
            Self::Answered { status: 403, retry_after, remaining, message, .. } => {
                let message = message.to_lowercase();
                retry_after.is_some()
                    || *remaining == Some(0)
                    || message.contains("secondary rate limit")
                    || message.contains("abuse detection")
            }
            Self::Answered { .. } => false,
        }
    }

    /// Whether the service is in trouble, so that nobody knows what became of the request.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::Lost | Self::Answered { status: 500..=599, .. })
    }
}

/// The circumstances of a request.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// How often it was sent again already.
    pub again: u32,
    /// Whether sending it twice does the same as sending it once.
    pub repeatable: bool,
    /// How much time is left.
    pub left: Duration,
    /// Now, in seconds since 1970.
    pub now: i64,
    /// Between 0 and 1, so that many do not come back together.
    pub jitter: f64,
}

/// How long to wait before it is sent again; `None` if it is not.
pub fn pause(ended: &Ended, request: Request) -> Option<Duration> {
    let Request { again, repeatable, left, now, jitter } = request;
    if again >= MOST {
        return None;
    }
    let wait = if ended.is_limit() {
        let Ended::Answered { retry_after, remaining, reset, .. } = ended else { return None };
        let named = match (retry_after, remaining, reset) {
            (Some(seconds), _, _) => Some(Duration::from_secs((*seconds).min(LONGEST_LIMIT))),
            (None, Some(0), Some(reset)) => {
                let left = u64::try_from(reset.saturating_sub(now)).unwrap_or(0);
                Some(Duration::from_secs(left.saturating_add(1).min(LONGEST_LIMIT)))
            }
            (None, _, _) => None,
        };
        let wait = named.unwrap_or(UNNAMED_LIMIT);
        wait + wait.mul_f64(0.1 * jitter.clamp(0.0, 1.0))
    } else if ended.is_trouble() && repeatable {
        let longest = Duration::from_millis(400 << again.min(6)).min(LONGEST_PAUSE);
        longest.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0))
    } else {
        return None;
    };
    (wait < left).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Request =
        Request { again: 0, repeatable: true, left: Duration::from_secs(600), now: 1000, jitter: 0.0 };

    fn answered(status: u16) -> Ended {
        Ended::Answered { status, retry_after: None, remaining: Some(50), reset: None, message: String::new() }
    }

    #[test]
    fn a_limit_is_waited_for_as_long_as_it_says_and_else_a_minute() {
        let said = Ended::Answered {
            status: 403,
            retry_after: Some(9),
            remaining: Some(0),
            reset: Some(1100),
            message: String::new(),
        };
        assert_eq!(pause(&said, FRESH), Some(Duration::from_secs(9)));
        let until = Ended::Answered {
            status: 403,
            retry_after: None,
            remaining: Some(0),
            reset: Some(1100),
            message: String::new(),
        };
        assert_eq!(pause(&until, FRESH), Some(Duration::from_secs(101)));
        assert_eq!(pause(&answered(429), FRESH), Some(Duration::from_secs(60)));
        let secondary = Ended::Answered {
            status: 403,
            retry_after: None,
            remaining: Some(4000),
            reset: None,
            message: "You have exceeded a secondary rate limit.".to_owned(),
        };
        assert_eq!(pause(&secondary, FRESH), Some(Duration::from_secs(60)));
        // A limit has refused the request, so it may be sent again whatever it does.
        assert!(pause(&secondary, Request { repeatable: false, ..FRESH }).is_some());
    }

    #[test]
    fn a_permission_that_is_missing_is_not_asked_for_again() {
        for status in [400, 401, 403, 404, 409, 422] {
            assert_eq!(pause(&answered(status), FRESH), None, "{status}");
        }
    }

    #[test]
    fn trouble_is_met_with_longer_and_longer_pauses_and_not_for_ever() {
        let of = |again, jitter| pause(&answered(502), Request { again, jitter, ..FRESH });
        assert_eq!(of(0, 1.0), Some(Duration::from_millis(400)));
        assert_eq!(of(0, 0.0), Some(Duration::from_millis(200)));
        assert!(of(3, 0.0) > of(1, 1.0));
        assert_eq!(of(MOST, 0.0), None);
        assert!(pause(&Ended::Lost, FRESH).is_some());
    }

    #[test]
    fn what_may_have_been_done_already_is_not_simply_done_again() {
        let once = Request { repeatable: false, ..FRESH };
        assert_eq!(pause(&answered(500), once), None);
        assert_eq!(pause(&Ended::Lost, once), None);
    }

    #[test]
    fn nothing_is_waited_for_beyond_the_deadline() {
        let forever = Ended::Answered {
            status: 429,
            retry_after: Some(u64::MAX),
            remaining: None,
            reset: None,
            message: String::new(),
        };
        assert_eq!(pause(&forever, FRESH), None);
        let late = Request { left: Duration::from_secs(30), ..FRESH };
        assert_eq!(pause(&answered(429), late), None);
        assert!(pause(&answered(500), late).is_some());
    }
}
