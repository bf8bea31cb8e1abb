//! Every result set through every format.

use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use super::corpus::HOSTILE;
use super::{COMMENT_BUDGET, Frame, ReportFormat, Style, comment, summary, terminal};
use crate::model::{Rule, Status};
use crate::results::{Reason, Results};

/// Made once for all tests.
static CORPUS: LazyLock<Vec<(&'static str, Results)>> = LazyLock::new(super::corpus::all);

fn find(name: &str) -> &'static Results {
    CORPUS.iter().find(|(known, _)| *known == name).map(|(_, results)| results).unwrap()
}

#[test]
fn every_result_set_goes_through_every_format_and_stays_the_same_bytes() {
    for (name, results) in CORPUS.iter() {
        let read: Results = serde_json::from_str(&ReportFormat::Json.render(results, None).unwrap()).unwrap();
        for format in ReportFormat::all() {
            let text = format.render(results, None).unwrap_or_else(|why| panic!("{name} as {format:?}: {why}"));
            assert!(text == format.render(&read, None).unwrap(), "{name} as {format:?} is not what its results say");
        }
    }
}

#[test]
fn every_format_reads_as_its_snapshot() {
    for (name, results) in CORPUS.iter() {
        // They are too large to be read by anybody.
        if matches!(*name, "ten thousand" | "hostile") {
            continue;
        }
        let name = name.replace(' ', "_");
        for format in ReportFormat::all() {
            let text = format.render(results, None).unwrap();
            let text = if *format == ReportFormat::Html { page_display(&text) } else { text };
            insta::assert_snapshot!(format!("{}_{name}", spelling(*format)), text);
        }
        let style = Style { color: false, width: 100 };
        insta::assert_snapshot!(format!("terminal_{name}"), terminal(results, style));
    }
    let style = Style { color: true, width: 80 };
    insta::assert_snapshot!("terminal_in_colour", terminal(find("every change"), style));
}

/// How `--format` spells it.
fn spelling(format: ReportFormat) -> String {
    clap::ValueEnum::to_possible_value(&format).unwrap().get_name().to_owned()
}

/// Of the page what is not in `results.json`: its title, and the texts that its script draws.
pub(super) fn page_display(page: &str) -> String {
    let between = |start: &str, end: &str| page.split_once(start).unwrap().1.split_once(end).unwrap().0;
    let data = between(r#"<script type="application/json" id="data">"#, "</script>");
    let data: Value = serde_json::from_str(data).unwrap();
    let display = serde_json::to_string_pretty(&data["display"]).unwrap();
    format!("{}\n{display}", between("<title>", "</title>"))
}

#[test]
fn every_format_has_a_section_in_the_docs_and_names_its_file() {
    let docs = include_str!("../../docs/reports.md");
    let flag = docs.lines().find(|line| line.starts_with("| `--format FORMAT` |")).unwrap();
    let verb = include_str!("../../README.md").lines().find(|line| line.starts_with("| `report` |")).unwrap();
    for format in ReportFormat::all() {
        let name = spelling(*format);
        let listed = flag.contains(&format!("`{name}`")) && verb.contains(&format!("{name}`"));
        assert!(listed, "docs/reports.md and README.md do not list --format {name}");
        assert!(docs.contains(&format!("\n## `{name}`\n")), "docs/reports.md has no section for {name}");
        let named = docs.contains(&format!("`{}`", format.file_name()));
        assert!(named || !format.is_written_by_run(), "docs/reports.md does not name {}", format.file_name());
    }
}

#[test]
fn the_script_of_the_page_knows_no_kind_and_no_name_of_a_metric() {
    let script = include_str!("html/script.js");
    for known in ["detail.kind", "kind ===", "toPrecision", "latency-", "-ms", "-per-answer"] {
        assert!(!script.contains(known), "{known}");
    }
    for kind in crate::suites::Kind::ALL {
        for metric in kind.metrics().iter().filter(|metric| metric.name.contains('-')) {
            assert!(!script.contains(metric.name), "{}", metric.name);
        }
    }
}

#[test]
fn what_is_published_is_the_comment_within_a_frame() {
    let frame = Frame {
        origin: Some("The numbers are the fork's own (x/r).".to_owned()),
        artifact: Some("https://github.com/o/r/actions/runs/1/artifacts/2".to_owned()),
        head: None,
    };
    for (name, results) in CORPUS.iter() {
        let written = ReportFormat::Comment.render(results, None).unwrap();
        let bare = Frame::default().comment(results, usize::MAX).unwrap();
        assert!(bare == written, "{name}: a frame without anything changes the comment");
        let framed = frame.comment(results, usize::MAX).unwrap();
        assert!(framed.contains(&written), "{name}: the comment is not what comment.md says");
        assert!(framed.starts_with("*The numbers are the fork") && framed.ends_with("artifacts/2)</sub>\n"), "{name}");
        assert!(framed.len() < 65_536 - 1_200, "{name}: no room for the hidden marker");
        let written = ReportFormat::Summary.render(results, None).unwrap();
        assert!(frame.summary(results, 1 << 20).unwrap().contains(&written), "{name}: the summary differs");
    }
}

/// What is outside of code: texts, and whatever is alive.
#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum; what is not named is not alive")]
pub(super) fn alive(markdown: &str) -> (String, Vec<String>) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    let (mut text, mut found, mut in_code) = (String::new(), Vec::new(), false);
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { dest_url, .. }) => found.push(format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => found.push(format!("image {dest_url}")),
            Event::Html(html) | Event::InlineHtml(html) => found.push(html.trim().to_owned()),
            Event::Text(piece) if !in_code => text.push_str(&piece),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    (text, found)
}

/// The HTML that is ours: folds and their lines, with code that holds no tag.
pub(super) fn is_ours(html: &str) -> bool {
    let mut rest = html.to_owned();
    while let (Some(start), Some(end)) = (rest.find("<code>"), rest.find("</code>")) {
        let inside = &rest[start + 6..end];
        if inside.contains(['<', '>', '\n']) {
            return false;
        }
        rest.replace_range(start..end + 7, "");
    }
    for tag in ["<br>", "<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>"] {
        rest = rest.replace(tag, "");
    }
    !rest.contains(['<', '@']) && !rest.contains("http")
}

#[test]
fn foreign_mentions_links_images_html_and_markers_stay_text() {
    let results = find("hostile");
    for markdown in [
        comment(results, 5_000_000).unwrap(),
        comment(results, COMMENT_BUDGET).unwrap(),
        summary(results, 900_000).unwrap(),
    ] {
        let (text, found) = alive(&markdown);
        for one in &found {
            assert!(is_ours(one), "{one:.300}");
        }
        for wrong in
            ["@everyone", "@org", "#1", "GH-1", "https://", "www.evil", "repo#2", "01234567", "user@example", ":tada:"]
        {
            assert!(!text.contains(wrong), "{wrong} is alive");
        }
        assert!(!markdown.contains("<!--"), "a marker can be forged");
        for control in ['\u{0}', '\u{7}', '\u{1b}', '\u{202e}', '\u{2066}', '\u{61c}', '\u{85}'] {
            assert!(!markdown.contains(control), "{control:?}");
        }
        let tags = |tag: &str| found.iter().map(|html| html.matches(tag).count()).sum::<usize>();
        assert_eq!(tags("<details>"), tags("</details>"));
        assert!(markdown.lines().all(|line| !line.trim_start().starts_with("::")), "a workflow command");
    }
}

#[test]
fn a_comment_fits_any_budget_and_never_loses_the_verdict() {
    let results = find("ten thousand");
    let whole = comment(results, usize::MAX).unwrap();
    assert_eq!(
        whole.matches("<details><summary>❌").count(),
        9_997,
        "each regression but the first three has its fold"
    );
    assert_eq!(whole.matches("#### ❌").count(), 3);
    let mut last = 0;
    for budget in [1_000, 2_000, 5_000, 20_000, COMMENT_BUDGET, 500_000, whole.len() - 1, whole.len()] {
        let text = comment(results, budget).unwrap();
        assert!(text.len() <= budget, "{} in {budget}", text.len());
        assert!(text.starts_with("### ❌ Failed: "), "{text:.200}");
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        assert_eq!(text.matches("```").count() % 2, 0);
        assert_eq!(text.contains("left out here for want of room"), budget < whole.len(), "{budget}");
        assert!(text.len() >= last, "more room holds less");
        last = text.len();
    }
    assert!(summary(results, super::SUMMARY_BUDGET).unwrap().len() < 1 << 20);
}

#[test]
fn junit_has_the_counts_of_the_results_and_no_character_that_xml_forbids() {
    for (name, results) in CORPUS.iter() {
        let text = ReportFormat::Junit.render(results, None).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let cases: Vec<_> = results.suites.iter().flat_map(|suite| &suite.cases).collect();
        let count = |status: Status| cases.iter().filter(|case| case.status == status).count();
        let nodes = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
        assert_eq!(nodes("testcase"), cases.len(), "{name}");
        assert_eq!(nodes("failure"), count(Status::Failed), "{name}");
        assert_eq!(nodes("error"), count(Status::Error), "{name}");
        assert_eq!(nodes("skipped"), count(Status::Skipped) + count(Status::Unmeasured), "{name}");
        assert!(!text.contains('\u{1b}'), "{name}");
        for node in document.descendants().filter(|node| node.has_tag_name("testcase")) {
            assert!(
                node.attribute("file").is_some()
                    && node.attribute("line").is_some()
                    && node.attribute("classname").is_some()
            );
        }
    }
}

#[test]
fn sarif_stays_within_the_limits_says_what_was_cut_and_has_stable_fingerprints() {
    for (name, results) in CORPUS.iter() {
        let sarif: Value = serde_json::from_str(&ReportFormat::Sarif.render(results, None).unwrap()).unwrap();
        let run = &sarif["runs"][0];
        let found = run["results"].as_array().unwrap();
        assert!(found.len() <= 5000, "{name}");
        let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
        assert_eq!(notes.is_empty(), *name != "ten thousand", "{name}");
        let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().collect();
        for one in found {
            let index = usize::try_from(one["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], one["ruleId"], "{name}");
            assert!(!one["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap().is_empty());
        }
        assert!(run["automationDetails"]["id"].as_str().unwrap().ends_with('/'));
    }
    // A line further down is the same result.
    let results = find("every change");
    let prints = |results: &Results| {
        let sarif: Value = serde_json::from_str(&ReportFormat::Sarif.render(results, None).unwrap()).unwrap();
        let found = sarif["runs"][0]["results"].as_array().unwrap().clone();
        found.iter().map(|one| one["partialFingerprints"].to_string()).collect::<Vec<_>>()
    };
    let mut moved = results.clone();
    moved.suites.iter_mut().flat_map(|suite| &mut suite.cases).for_each(|case| case.location.line += 7);
    assert_eq!(prints(results), prints(&moved));
}

#[test]
fn what_nothing_gates_is_a_warning_and_no_error() {
    let results = find("no baseline");
    assert_eq!(results.gate.exit_code, 0);
    let sarif: Value = serde_json::from_str(&ReportFormat::Sarif.render(results, None).unwrap()).unwrap();
    let found = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(found.iter().all(|one| one["level"] != "error"), "{found:?}");
    let annotations = ReportFormat::Annotations.render(results, None).unwrap();
    assert!(annotations.starts_with("::warning ") && !annotations.contains("::error "), "{annotations}");
    let junit = ReportFormat::Junit.render(results, None).unwrap();
    assert!(junit.contains(r#"<property name="gate" value="not gated: 1 of 2 pass"/>"#), "{junit}");
}

#[test]
fn a_sarif_file_that_is_cut_keeps_reasons_that_are_about_no_case() {
    let mut results = find("ten thousand").clone();
    let removed = Reason::new(Rule::SuiteRemoved, None, "a suite is gone");
    let blessed =
        Reason { blessed: Some("why".into()), ..Reason::new(Rule::WeakenedGate, None, "blessed").informing() };
    results.gate.reasons.extend([removed, blessed]);
    let whole = results.gate.reasons.iter().filter(|one| one.case.is_none() && (one.fails || one.blessed.is_some()));
    let whole = whole.count();
    let sarif: Value = serde_json::from_str(&ReportFormat::Sarif.render(&results, None).unwrap()).unwrap();
    let found = sarif["runs"][0]["results"].as_array().unwrap();
    let text = |index: usize| found[index]["message"]["text"].as_str().unwrap();
    assert!((0..whole).any(|index| text(index) == "a suite is gone"), "{}", text(0));
    assert!((0..whole).any(|index| text(index).starts_with("blessed")), "{}", text(0));
    assert_eq!(found.len(), 5000);
}

#[test]
fn annotations_are_at_most_ten_of_a_level_and_each_is_one_command() {
    for (name, results) in CORPUS.iter() {
        let text = ReportFormat::Annotations.render(results, None).unwrap();
        for level in ["::error ", "::warning "] {
            assert!(text.lines().filter(|line| line.starts_with(level)).count() <= 10, "{name}");
        }
        for line in text.lines() {
            assert!(line.starts_with("::error ") || line.starts_with("::warning "), "{name}: {line}");
            assert!(line.len() < 4096, "{name}");
            let (properties, _) = line[2..].split_once("::").unwrap();
            let keys: Vec<&str> =
                properties.split_once(' ').unwrap().1.split(',').map(|one| one.split_once('=').unwrap().0).collect();
            assert_eq!(keys, ["file", "line", "title"], "{name}: {line}");
        }
    }
    assert!(HOSTILE.len() > 10);
}
