//! Whether and when a request is sent again. The time that is left and the jitter are passed in.

use std::time::Duration;

/// The longest pause between attempts that the service did not ask for.
const LONGEST_BACKOFF: Duration = Duration::from_secs(20);
/// A service may name any number; this is longer than anybody waits, and cannot overflow.
const LONGEST_NAMED: Duration = Duration::from_secs(1_000_000);

/// How an attempt failed, as far as it matters for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendFailure {
    /// A limit refused the request, so it was not carried out. The service may name how long to wait.
    Limited(Option<Duration>),
    /// The service failed (5xx). Whether the request was carried out is unknown.
    Unavailable(Option<Duration>),
    /// There was no connection, or it broke.
    Lost,
    /// There was no answer in time.
    TimedOut { after: Duration },
    /// Sent again, it would be answered the same.
    Final,
}

impl SendFailure {
    /// What a status means for another attempt; `wait` is what `Retry-After` says.
    pub(crate) const fn of_status(status: u16, wait: Option<Duration>) -> Self {
        match status {
            429 => Self::Limited(wait),
            500..=599 => Self::Unavailable(wait),
            _ => Self::Final,
        }
    }

    /// Whether nobody knows what became of the request.
    pub(crate) const fn is_unclear(self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Lost | Self::TimedOut { .. } => true,
            Self::Limited(_) | Self::Final => false,
        }
    }
}

/// A failed attempt, with the caller's own description of it.
#[derive(Debug)]
pub(crate) struct Failed<E> {
    /// What it means for another attempt.
    pub(crate) failure: SendFailure,
    /// Whether the pause before another attempt has passed already.
    pub(crate) waited: bool,
    pub(crate) error: E,
}

impl<E> Failed<E> {
    pub(crate) const fn new(failure: SendFailure, error: E) -> Self {
        Self { failure, waited: false, error }
    }

    /// The same failure, described differently.
    pub(crate) fn map<F>(self, describe: impl FnOnce(E) -> F) -> Failed<F> {
        Failed { failure: self.failure, waited: self.waited, error: describe(self.error) }
    }
}

/// Whether a request may be sent twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeatable {
    /// Twice does the same as once.
    Always,
    /// Every answer costs money, so one that may just be slow is not paid for twice.
    UnlessTimedOut,
    /// It creates something, so it is sent again only if it certainly did nothing.
    IfRefused,
    /// As `IfRefused`, but after the pause its sender looks at what has changed before it sends again.
    Attended,
}

/// How patient a caller is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// How often a request is sent again.
    pub(crate) retries: u32,
    /// How long one attempt may take.
    pub(crate) attempt: Duration,
    /// A longer pause is not worth waiting for.
    pub(crate) longest_pause: Duration,
    /// How long to wait for a limit that names no end; the usual pause if unset.
    pub(crate) unnamed_limit: Option<Duration>,
}

/// The state of a request whose attempt failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SendAttempt {
    /// How often it was sent again already.
    pub(crate) again: u32,
    /// Whether it may be sent twice.
    pub(crate) repeat: Repeatable,
    /// How much time is left until the deadline.
    pub(crate) left: Duration,
    /// Between 0 and 1, so that many clients do not come back together.
    pub(crate) jitter: f64,
}

impl RetryPolicy {
    /// How long to wait before the request is sent again; `None` if it is not.
    pub(crate) fn pause(&self, failure: SendFailure, attempt: SendAttempt) -> Option<Duration> {
        let SendAttempt { again, repeat, left, jitter } = attempt;
        if again >= self.retries || !may_repeat(failure, repeat) {
            return None;
        }
        let jitter = jitter.clamp(0.0, 1.0);
        let named = match failure {
            SendFailure::Limited(wait) => wait.or(self.unnamed_limit),
            SendFailure::Unavailable(wait) => wait,
            SendFailure::Lost | SendFailure::TimedOut { .. } | SendFailure::Final => None,
        };
        let pause = match named {
            Some(wait) => wait.min(LONGEST_NAMED).mul_f64(1.0 + 0.1 * jitter),
            None => backoff(again).mul_f64(0.5 + 0.5 * jitter),
        };
        // A named wait may be exactly as long as anybody waits; its jitter does not count.
        let asked = named.unwrap_or(pause);
        (asked <= self.longest_pause && pause < left).then_some(pause)
    }
}

const fn may_repeat(failure: SendFailure, repeat: Repeatable) -> bool {
    match (failure, repeat) {
        (SendFailure::Final, _) => false,
        (SendFailure::Limited(_), _) => true,
        (SendFailure::Unavailable(_) | SendFailure::Lost, Repeatable::Always | Repeatable::UnlessTimedOut) => true,
        (SendFailure::TimedOut { .. }, Repeatable::Always) => true,
        (SendFailure::TimedOut { .. }, Repeatable::UnlessTimedOut) => false,
        (
            SendFailure::Unavailable(_) | SendFailure::Lost | SendFailure::TimedOut { .. },
            Repeatable::IfRefused | Repeatable::Attended,
        ) => false,
    }
}

/// Twice as long each time.
fn backoff(again: u32) -> Duration {
    Duration::from_millis(400 << again.min(6)).min(LONGEST_BACKOFF)
}

/// What `Retry-After` says: seconds, or a date.
pub(crate) fn retry_after(text: &str, now: jiff::Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Duration::try_from(date.duration_since(now)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        retries: 7,
        attempt: Duration::from_secs(30),
        longest_pause: Duration::from_secs(1_000_000),
        unnamed_limit: Some(Duration::from_secs(60)),
    };
    const FRESH: SendAttempt =
        SendAttempt { again: 0, repeat: Repeatable::Always, left: Duration::from_secs(600), jitter: 0.0 };
    const TIMED_OUT: SendFailure = SendFailure::TimedOut { after: Duration::from_secs(30) };

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_limit_is_waited_for_as_long_as_it_says() {
        assert_eq!(POLICY.pause(SendFailure::Limited(Some(seconds(9))), FRESH), Some(seconds(9)));
        assert_eq!(POLICY.pause(SendFailure::Unavailable(Some(seconds(3))), FRESH), Some(seconds(3)));
        let late = SendAttempt { jitter: 1.0, ..FRESH };
        assert_eq!(POLICY.pause(SendFailure::Limited(Some(seconds(10))), late), Some(seconds(11)));
    }

    #[test]
    fn a_limit_without_an_end_is_waited_for_as_the_policy_says() {
        assert_eq!(POLICY.pause(SendFailure::Limited(None), FRESH), Some(seconds(60)));
        let usual = RetryPolicy { unnamed_limit: None, ..POLICY };
        assert_eq!(usual.pause(SendFailure::Limited(None), FRESH), Some(Duration::from_millis(200)));
    }

    #[test]
    fn a_final_answer_is_never_asked_for_again() {
        for status in [200, 301, 400, 401, 403, 404, 409, 422] {
            assert_eq!(POLICY.pause(SendFailure::of_status(status, Some(seconds(1))), FRESH), None, "{status}");
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let of =
            |again, jitter| POLICY.pause(SendFailure::of_status(502, None), SendAttempt { again, jitter, ..FRESH });
        assert_eq!(of(0, 1.0), Some(Duration::from_millis(400)));
        assert_eq!(of(0, 0.0), Some(Duration::from_millis(200)));
        assert!(of(3, 0.0) > of(1, 1.0));
        assert_eq!(of(POLICY.retries, 0.0), None);
        assert!(POLICY.pause(SendFailure::Lost, FRESH).is_some());
    }

    #[test]
    fn what_may_have_been_carried_out_is_not_sent_again() {
        for repeat in [Repeatable::IfRefused, Repeatable::Attended] {
            let once = SendAttempt { repeat, ..FRESH };
            for failure in [SendFailure::Unavailable(None), SendFailure::Lost, TIMED_OUT] {
                assert_eq!(POLICY.pause(failure, once), None, "{failure:?}");
            }
            // A limit has refused the request, so it may be sent again whatever it does.
            assert!(POLICY.pause(SendFailure::Limited(None), once).is_some());
        }
    }

    #[test]
    fn a_slow_answer_is_not_paid_for_twice() {
        let costly = SendAttempt { repeat: Repeatable::UnlessTimedOut, ..FRESH };
        assert_eq!(POLICY.pause(TIMED_OUT, costly), None);
        assert!(POLICY.pause(SendFailure::Lost, costly).is_some());
        assert!(POLICY.pause(TIMED_OUT, FRESH).is_some());
    }

    #[test]
    fn nothing_is_waited_for_beyond_the_deadline() {
        assert_eq!(POLICY.pause(SendFailure::Limited(Some(Duration::MAX)), FRESH), None);
        let late = SendAttempt { left: seconds(30), ..FRESH };
        assert_eq!(POLICY.pause(SendFailure::Limited(None), late), None);
        assert!(POLICY.pause(SendFailure::Unavailable(None), late).is_some());
    }

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now = jiff::Timestamp::from_second(784_111_770).unwrap();
        assert_eq!(retry_after(" 7 ", now), Some(seconds(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(seconds(7)));
        for wrong in ["", "soon", "-1", "NaN", "Sun, 06 Nov 1994 08:49:20 GMT"] {
            assert_eq!(retry_after(wrong, now), None, "{wrong}");
        }
    }

    fn failures() -> impl Strategy<Value = SendFailure> {
        let wait = proptest::option::of(any::<u64>().prop_map(Duration::from_secs));
        prop_oneof![
            wait.clone().prop_map(SendFailure::Limited),
            wait.prop_map(SendFailure::Unavailable),
            Just(SendFailure::Lost),
            Just(TIMED_OUT),
            Just(SendFailure::Final),
        ]
    }

    proptest! {
        #[test]
        fn every_pause_ends_before_the_deadline(
            failure in failures(),
            again in any::<u32>(),
            left in any::<u64>(),
            jitter in any::<f64>(),
        ) {
            let left = Duration::from_secs(left);
            if let Some(pause) = POLICY.pause(failure, SendAttempt { again, left, jitter, ..FRESH }) {
                prop_assert!(pause < left && again < POLICY.retries);
            }
        }
    }
}
