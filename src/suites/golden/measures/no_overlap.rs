//! `no-overlap`: intervals that do not overlap.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, check_penalty, count};
use crate::suites::golden::Selector;
use crate::suites::golden::selector::kind_of;

/// Intervals that do not overlap: all or nothing, or some points less for each that begins before another has ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct NoOverlap {
    /// The objects that are intervals.
    items: Selector,
    /// The field with the beginning: a number, `HH:MM` or an RFC 3339 time.
    start: String,
    /// The field with the end.
    end: String,
    /// The points that an overlap costs; without it one overlap costs all.
    #[schemars(extend("exclusiveMinimum" = 0))]
    penalty: Option<f64>,
    /// The share if there is no interval at all (default: 0, and a mistake where golden has none).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

impl Definition for NoOverlap {
    const NAME: &'static str = "no-overlap";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        if self.start == self.end {
            return Err(KeyError::new("end", "is the same field as `start`, so no interval could overlap another"));
        }
        self.penalty.map_or(Ok(()), check_penalty).map(|()| Value::Null)
    }
}

impl Measure for NoOverlap {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let mut intervals = Vec::new();
        for item in self.items.select(input.document)? {
            let (start, end) = (self.instant(item, &self.start)?, self.instant(item, &self.end)?);
            if end < start {
                let shown = |key: &str| item.get(key).cloned().unwrap_or_default();
                let message =
                    format!("an interval ends at {} before it begins at {}", shown(&self.end), shown(&self.start));
                return Err(MeasureError::Answer(message));
            }
            intervals.push((start, end));
        }
        if intervals.is_empty() {
            let note = format!("`{}` selects nothing, so nothing can overlap", self.items);
            return self.when_empty.map(|share| Measured::share(share, note.clone())).ok_or(MeasureError::Answer(note));
        }
        intervals.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut overlaps = 0;
        let mut latest = f64::NEG_INFINITY;
        for (start, end) in &intervals {
            if *start < latest {
                overlaps += 1;
            }
            latest = latest.max(*end);
        }
        let note = format!("{overlaps} of {} overlap", intervals.len());
        Ok(match self.penalty {
            Some(penalty) => Measured::less(penalty * count(overlaps), note),
            None => Measured::share(if overlaps == 0 { 1.0 } else { 0.0 }, note),
        })
    }
}

impl NoOverlap {
    /// A moment as a number: minutes of a day, or seconds.
    fn instant(&self, item: &Value, key: &str) -> Result<f64, MeasureError> {
        let missing = || MeasureError::Answer(format!("`{}`: an item has no `{key}`", self.items));
        let value = item.get(key).ok_or_else(missing)?;
        let read = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => clock(text).or_else(|| {
                let stamp: jiff::Timestamp = text.parse().ok()?;
                #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^52")]
                Some(stamp.as_second() as f64)
            }),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        read.ok_or_else(|| MeasureError::Answer(format!("`{}`: `{key}` is {}, not a time", self.items, kind_of(value))))
    }
}

/// `HH:MM` as minutes.
fn clock(text: &str) -> Option<f64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str, below: u32| {
        let fits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|number| fits && *number < below)
    };
    Some(f64::from(number(hours, 25)? * 60 + number(minutes, 60)?))
}
