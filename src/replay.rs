//! The recordings of a suite, read and checked before anything is replayed.

use crate::input::{InputError, InputErrors, is_file, read_text};
use crate::model::Answer;
use crate::plan::PlannedSuite;
use crate::recordings::{RecordingKey, Recordings};
use crate::settings::CONFIG_NAME;
use crate::suites::{Case, SuiteSettings};
use crate::targets::Source;
use crate::text::shell_quoted;

/// The recordings of a suite; none where there is no file yet.
pub(crate) fn read_recordings(suite: &SuiteSettings) -> Result<Recordings, InputErrors> {
    let Some(file) = &suite.recordings else { return Ok(Recordings::default()) };
    if suite.source == Source::Target || suite.source == Source::Nobody || !is_file(&file.path) {
        return Ok(Recordings::default());
    }
    Recordings::parse(&file.shown, &read_text(&file.path, &file.shown)?)
}

/// Says which answers are missing or stale in a suite that replays, before anything runs.
pub(crate) fn check_recordings(suite: &PlannedSuite, recordings: &Recordings, config: &str) -> InputErrors {
    let mut errors = InputErrors::new();
    let settings = &suite.settings;
    let Some(file) = settings.recordings.as_ref().filter(|_| settings.source == Source::Recordings) else {
        return errors;
    };
    let config = match config {
        CONFIG_NAME => String::new(),
        other => format!(" --config {}", shell_quoted(other)),
    };
    let repeats = if settings.repeat > 1 { format!(" --repeat {}", settings.repeat) } else { String::new() };
    for case in suite.cases.iter().filter(|planned| planned.chosen).map(|planned| &planned.case) {
        let (suite, id) = (shell_quoted(settings.id.as_str()), shell_quoted(case.id.as_str()));
        let help = format!("re-record it: evalratchet run{config} --suite {suite} --case {id}{repeats} --mode record");
        let place = format!("{} ({}:{})", file.shown, case.location.file, case.location.line);
        for repeat in 0..settings.repeat {
            for why in missing(case, repeat, settings, recordings) {
                errors.push(InputError::in_file(&place, why).with_help(&help));
            }
        }
    }
    errors
}

/// What one attempt at a case needs that is not recorded, and why not.
fn missing(case: &Case, repeat: usize, suite: &SuiteSettings, recordings: &Recordings) -> Vec<String> {
    let Some(request) = case.question.request(&case.id) else { return Vec::new() };
    let request = suite.target.properties().recorded_request(&request);
    let key = RecordingKey { case: &case.id, repeat, component: None, request: &request };
    let Some(recording) = recordings.find(key) else { return vec![recordings.why_not(key)] };
    let components = case.question.opinion_targets(suite);
    let mut missing = Vec::new();
    for (name, request) in case.question.opinion_requests(&case.id, &Answer::text(&recording.answer)) {
        let component = components.iter().find(|component| component.recorded && component.name == name);
        let Some(component) = component else { continue };
        let request = component.target.properties().recorded_request(&request);
        let key = RecordingKey { case: &case.id, repeat, component: Some(name), request: &request };
        if recordings.find(key).is_none() {
            missing.push(recordings.why_not(key));
        }
    }
    missing
}
