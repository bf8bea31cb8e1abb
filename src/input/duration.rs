//! Durations as people write them.

use std::time::Duration;

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration; write it like 500ms, 30s or 2m")]
pub struct NotADuration(String);

/// Reads a positive duration such as `30s`, `2m` or `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, NotADuration> {
    let wrong = || NotADuration(text.to_owned());
    let signed: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from(signed).map_err(|_| wrong())?;
    if duration.is_zero() { Err(wrong()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(parse_duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "30", "-5s", "0s", "soon"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
