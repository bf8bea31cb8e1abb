//! Who answers for a suite: its target, or recordings of what it answered before. Judges and scorers' own programs are
//! asked here, too.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::openai::OpenAi;
use super::rendered::rendered;
use super::{Cache, Target};
use crate::input::{InputError, InputErrors, is_file, read_text};
use crate::model::milliseconds;
use crate::model::{Answer, CaseId, Ending, Fingerprint, Request};
use crate::plan::PlannedSuite;
use crate::recordings::{Recording, RecordingKey, Recordings};
use crate::settings::{Cwd, Invocation, Source, SuiteSettings, TargetSettings, Template};
use crate::suites::Question;
use crate::suites::golden::measures::Asks;
use crate::suites::golden::measures::command::Program;
use crate::suites::golden::measures::judge::Judge;
use crate::suites::golden::{GoldenQuestion, opinions_wanted};
use crate::text::shell_quoted;

/// What is said of a question that nobody may answer.
pub const SILENT: &str = "not asked: in replay no target runs, and the suite has no recordings";

/// Who answers for a suite.
#[derive(Debug)]
pub struct AnswerSource {
    settings: TargetSettings,
    source: Source,
    target: Option<Target>,
    recordings: Mutex<Recordings>,
    /// The programs of scorers, by the component that has them.
    programs: BTreeMap<String, Target>,
    /// The models of judges, by the component that has them.
    judges: BTreeMap<String, OpenAi>,
}

impl AnswerSource {
    /// Prepares whoever is to be asked; nothing is started yet.
    pub fn new(
        suite: &PlannedSuite,
        recordings: Recordings,
        environment: &[(OsString, OsString)],
        cache: &Arc<Cache>,
    ) -> Self {
        let settings = &suite.settings;
        let live = matches!(settings.source, Source::Target | Source::Recorder);
        let target = if live { Target::new(&settings.target, environment, cache) } else { None };
        let mut respondent = Self {
            settings: settings.target.clone(),
            source: settings.source,
            target,
            recordings: Mutex::new(recordings),
            programs: BTreeMap::new(),
            judges: BTreeMap::new(),
        };
        let scorer = suite.cases.iter().find_map(|planned| match &planned.case.question {
            Question::Golden(question) => Some(Arc::clone(&question.scorer)),
            Question::Scenario(_) | Question::Command(_) | Question::Retrieval(_) | Question::Imported(_) => None,
        });
        for component in scorer.iter().flat_map(|scorer| &scorer.components) {
            match component.measure.asks() {
                Some(Asks::Program(program)) => {
                    let target = Target::new(&program_target(settings, program), environment, cache);
                    respondent.programs.extend(target.map(|target| (component.name.clone(), target)));
                }
                Some(Asks::Judge(judge)) if live => {
                    let client = respondent.judge(judge, environment, cache);
                    respondent.judges.insert(component.name.clone(), client);
                }
                Some(Asks::Judge(_)) | None => {}
            }
        }
        respondent
    }

    fn judge(&self, judge: &Judge, environment: &[(OsString, OsString)], cache: &Arc<Cache>) -> OpenAi {
        match &self.target {
            Some(Target::OpenAi(target)) => target.judge(judge, environment),
            Some(Target::Command(_) | Target::Worker(_) | Target::Http(_)) | None => {
                OpenAi::new(judge.endpoint(None), environment, Arc::clone(cache))
            }
        }
    }

    /// How many questions are asked at the same time, unless the user says otherwise.
    pub fn default_jobs(&self, cores: usize) -> usize {
        self.target.as_ref().map_or(cores, |target| target.default_jobs(cores))
    }

    /// Whether nobody may be asked.
    pub fn is_silent(&self) -> bool {
        self.source == Source::Nobody
    }

    /// Asks one question.
    pub async fn ask(&self, request: Request, stop: &crate::process::Stop) -> Answer {
        let case = CaseId::new(request.id.clone());
        let (repeat, rendered) = (request.repeat, rendered(&self.settings, &request));
        let target = match (self.source, &self.target) {
            (Source::Recordings, _) => return self.recorded(&case, repeat, None, &rendered),
            (Source::Nobody, _) => {
                return Answer::ended(Ending::Unasked { why: SILENT.into() });
            }
            (Source::Target | Source::Recorder, Some(target)) => target,
            (Source::Target | Source::Recorder, None) => {
                return Answer::ended(Ending::CouldNotStart { why: "the suite has no target".into() });
            }
        };
        let answer = target.ask(request, stop).await;
        self.record(&case, repeat, None, rendered, &answer);
        answer
    }

    /// Asks for the opinions that a golden answer needs before it can be judged.
    pub async fn opinions(
        &self,
        question: &GoldenQuestion,
        case: &CaseId,
        repeat: usize,
        answer: &Answer,
        stop: &crate::process::Stop,
    ) -> BTreeMap<usize, Answer> {
        let mut opinions = BTreeMap::new();
        let Some((document, wanted)) = opinions_wanted(question, answer) else { return opinions };
        for one in wanted {
            let opinion = match one.asks {
                Asks::Program(_) => match self.programs.get(one.name) {
                    Some(program) => program.ask(Request::value(case.as_str(), &document).again(repeat), stop).await,
                    None => Answer::ended(Ending::CouldNotStart { why: "the scorer has no program".into() }),
                },
                Asks::Judge(judge) => self.judged(judge, one.name, case, repeat, &document, stop).await,
            };
            opinions.insert(one.component, opinion);
        }
        opinions
    }

    async fn judged(
        &self,
        judge: &Judge,
        component: &str,
        case: &CaseId,
        repeat: usize,
        document: &Value,
        stop: &crate::process::Stop,
    ) -> Answer {
        let body = judge.request(document);
        match self.judges.get(component) {
            Some(client) => {
                let answer = client.complete(body.clone(), repeat, stop).await;
                self.record(case, repeat, Some(component), body, &answer);
                answer
            }
            None => self.recorded(case, repeat, Some(component), &body),
        }
    }

    fn recorded(&self, case: &CaseId, repeat: usize, component: Option<&str>, request: &Value) -> Answer {
        let recordings = self.recordings.lock().unwrap_or_else(PoisonError::into_inner);
        let sought = RecordingKey { case, repeat, component, request };
        let Some(recording) = recordings.find(sought) else {
            return Answer::ended(Ending::Unasked { why: recordings.why_not(sought) });
        };
        let ending = match &recording.failure {
            Some(why) => Ending::Unreadable { why: why.clone() },
            None => Ending::of(recording.answer.clone()),
        };
        let duration = Duration::try_from_secs_f64(recording.latency_ms / 1000.0).unwrap_or_default();
        Answer { duration, usage: recording.usage, ..Answer::ended(ending) }
    }

    /// Keeps an answer, if this run records. What could not be had leaves the old recording as it is.
    fn record(&self, case: &CaseId, repeat: usize, component: Option<&str>, request: Value, answer: &Answer) {
        let (said, failure) = (answer.ending.said(), answer.ending.failure());
        if self.source != Source::Recorder || (said.is_none() && failure.is_none()) {
            return;
        }
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner).put(Recording {
            case: case.clone(),
            repeat,
            component: component.map(str::to_owned),
            key: Fingerprint::of(&request),
            answer: said.unwrap_or_default().to_owned(),
            failure,
            latency_ms: milliseconds(answer.duration),
            usage: answer.usage,
            request,
        });
    }

    /// The recordings as they are now, if this run records; those of cases that are gone are gone as well.
    pub fn to_write(&self, suite: &PlannedSuite) -> Option<Recordings> {
        if self.source != Source::Recorder {
            return None;
        }
        let mut recordings = self.recordings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let declared: HashSet<&CaseId> = suite.declared.iter().collect();
        recordings.keep(|case| declared.contains(case));
        Some(recordings)
    }

    /// Ends whatever is still running.
    pub async fn close(&self) {
        for target in self.target.iter().chain(self.programs.values()) {
            target.close().await;
        }
    }
}

/// A scorer's program as a target: a whole case in, a score out.
fn program_target(suite: &SuiteSettings, program: &Program) -> TargetSettings {
    let argv = program.command.as_ref().or(program.worker.as_ref()).cloned().unwrap_or_default();
    let written: Vec<Template> = argv.iter().map(|argument| Template::verbatim(argument)).collect();
    let invocation = Invocation {
        argv: Template::rooted(&written, &suite.root),
        written,
        cwd: Cwd::Directory(suite.root.clone()),
        env: Vec::new(),
        timeout: Duration::from_secs(30),
        max_output: 1 << 20,
        answer: None,
        json: true,
    };
    if program.command.is_some() { TargetSettings::Command(invocation) } else { TargetSettings::Worker(invocation) }
}

/// The recordings of a suite; none where there is no file yet.
pub fn read_recordings(suite: &SuiteSettings) -> Result<Recordings, InputErrors> {
    let Some(file) = &suite.recordings else { return Ok(Recordings::default()) };
    if suite.source == Source::Target || suite.source == Source::Nobody || !is_file(&file.path) {
        return Ok(Recordings::default());
    }
    Recordings::parse(&file.shown, &read_text(&file.path, &file.shown)?)
}

/// Says which answers are missing or stale in a suite that replays, before anything runs.
pub fn check_recordings(suite: &PlannedSuite, recordings: &Recordings, config: &str) -> InputErrors {
    let mut errors = InputErrors::new();
    let settings = &suite.settings;
    let Some(file) = settings.recordings.as_ref().filter(|_| settings.source == Source::Recordings) else {
        return errors;
    };
    for planned in suite.cases.iter().filter(|planned| planned.chosen) {
        let case = &planned.case;
        let Some(request) = case.question.request(&case.id) else { continue };
        for repeat in 0..settings.repeat {
            let request = rendered(&settings.target, &request);
            let mut missing = Vec::new();
            match recordings.find(RecordingKey { case: &case.id, repeat, component: None, request: &request }) {
                None => missing.push((None, request)),
                Some(recording) => {
                    let opinions = match &case.question {
                        Question::Golden(question) => opinions_wanted(question, &Answer::text(&recording.answer)),
                        Question::Scenario(_)
                        | Question::Command(_)
                        | Question::Retrieval(_)
                        | Question::Imported(_) => None,
                    };
                    let (document, wanted) = opinions.unwrap_or_default();
                    for one in wanted {
                        let Asks::Judge(judge) = one.asks else { continue };
                        let request = judge.request(&document);
                        let sought =
                            RecordingKey { case: &case.id, repeat, component: Some(one.name), request: &request };
                        if recordings.find(sought).is_none() {
                            missing.push((Some(one.name), request));
                        }
                    }
                }
            }
            for (component, request) in missing {
                let sought = RecordingKey { case: &case.id, repeat, component, request: &request };
                let config = match config {
                    crate::settings::CONFIG_NAME => String::new(),
                    other => format!(" --config {}", shell_quoted(other)),
                };
                let repeats =
                    if settings.repeat > 1 { format!(" --repeat {}", settings.repeat) } else { String::new() };
                let (suite, id) = (shell_quoted(settings.id.as_str()), shell_quoted(case.id.as_str()));
                let help = format!("evalratchet run{config} --suite {suite} --case {id}{repeats} --mode record");
                let place = format!("{} ({}:{})", file.shown, case.location.file, case.location.line);
                errors.push(
                    InputError::in_file(place, recordings.why_not(sought)).with_help(format!("record it anew: {help}")),
                );
            }
        }
    }
    errors
}
