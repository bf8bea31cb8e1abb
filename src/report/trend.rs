//! The baseline as a table, and its history as a trend.

use comfy_table::Cell;

use super::terminal::{Style, align, bold, table};
use crate::baseline::{Baseline, Blessing, series};
use crate::model::{Nature, Sha, Status};
use crate::text::{counted, plain};

/// The baseline as a table.
pub fn baseline(baseline: &Baseline, blessings: &[Blessing], style: Style) -> String {
    let produced = &baseline.produced;
    let commit = produced.commit.as_ref().map_or("an unknown commit", Sha::as_str);
    let mut out = format!("produced by {commit} at {} with {}\n\n", plain(&produced.time), plain(&produced.tool));
    let mut rows = table(style);
    rows.set_header(["suite", "cases", "fail", "metric", "value", "n"].map(|text| bold(text, style)));
    for (id, suite) in &baseline.suites {
        let failing = suite.cases.values().filter(|case| case.status == Status::Failed).count();
        let mut first = true;
        for spec in suite.kind.metrics() {
            let Some(metric) = suite.metrics.get(spec.name) else { continue };
            let head = if first {
                [plain(id.as_str()), suite.cases.len().to_string(), failing.to_string()]
            } else {
                Default::default()
            };
            first = false;
            let mut row: Vec<Cell> = head.into_iter().map(Cell::new).collect();
            row.extend([Cell::new(spec.name), Cell::new(spec.nature().format(metric.value)), Cell::new(metric.n)]);
            rows.add_row(row);
        }
    }
    align(&mut rows, 1);
    out.push_str(&format!("{rows}\n"));
    for Blessing { allowed, reason, .. } in blessings {
        let what = [allowed.case.as_ref().map(ToString::to_string), allowed.metric.clone(), allowed.policy.clone()];
        let what: Vec<String> = what.into_iter().flatten().collect();
        out.push_str(&plain(&format!("blessed {} {}: {reason}\n", allowed.suite, what.join(" "))));
    }
    out
}

/// How the metrics of each suite went, oldest first.
pub fn trend(versions: &[(Sha, Baseline)], style: Style) -> String {
    let of_all: Vec<&Baseline> = versions.iter().map(|(_, version)| version).collect();
    let mut rows = table(style);
    rows.set_header(["suite", "metric", "trend", "first", "last"].map(|text| bold(text, style)));
    for (suite, metrics) in series(&of_all) {
        for (metric, values) in metrics {
            let nature = Nature::of(&metric);
            let known: Vec<f64> = values.iter().copied().flatten().collect();
            rows.add_row([
                plain(suite.as_str()),
                metric,
                sparkline(&values),
                nature.format_or_dash(known.first().copied()),
                nature.format_or_dash(known.last().copied()),
            ]);
        }
    }
    align(&mut rows, 3);
    let mut out = format!("{rows}\n{}: ", counted(versions.len(), "version"));
    let ends: Vec<String> = [versions.first(), versions.last()]
        .into_iter()
        .flatten()
        .map(|(commit, version)| format!("{} ({})", commit.short(), plain(&version.produced.time)))
        .collect();
    out.push_str(&format!("{}\n", ends.join(" to ")));
    out
}

/// A line of blocks, the lowest for the least value and the highest for the greatest; the last forty.
pub fn sparkline(values: &[Option<f64>]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values = &values[values.len().saturating_sub(40)..];
    let known = values.iter().copied().flatten();
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
    values
        .iter()
        .map(|value| match value {
            None => ' ',
            // A step of rounding is no movement.
            Some(_) if high - low < 1e-6 => BLOCKS[3],
            Some(value) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 7")]
                let level = ((value - low) / (high - low) * 7.0).round() as usize;
                BLOCKS[level.min(7)]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn a_sparkline_goes_from_the_least_to_the_greatest_and_leaves_gaps() {
        assert_eq!(sparkline(&[Some(0.0), None, Some(0.5), Some(1.0)]), "▁ ▅█");
        assert_eq!(sparkline(&[Some(0.3), Some(0.3)]), "▄▄");
        assert_eq!(sparkline(&[]), "");
    }
}
