//! Who answers for a suite: its target, or recordings of what it answered before.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::endpoint::Limits;
use super::{Budget, BuildContext, Cache, OpinionTarget, Source, Target, TargetError, TargetSettings};
use crate::model::{Answer, CaseId, Ending, Fingerprint, Request, milliseconds};
use crate::process::Stop;
use crate::recordings::{Recording, RecordingKey, Recordings};
use crate::text::{Redact as _, Redactor};

/// What is said of a question that nobody may answer.
pub const SILENT: &str = "not asked: in replay no target runs, and the suite has no recordings";

/// Who answers for a suite. Targets are built when they are first asked.
#[derive(Debug)]
pub struct AnswerSource {
    settings: TargetSettings,
    source: Source,
    target: OnceLock<Result<Target, TargetError>>,
    context: BuildContext,
    recorder: Arc<Mutex<Recorder>>,
    /// Whose opinion it gives, if it is not the suite's target itself.
    name: Option<String>,
    /// Who else is asked, by name.
    opinions: BTreeMap<String, AnswerSource>,
}

/// The recordings of a suite, and what this run added to them.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    /// All of them, old and new.
    pub recordings: Recordings,
    /// How many are new.
    pub recorded: usize,
    /// How many questions had no answer to record.
    pub without_answer: usize,
    /// Why the first of those had none.
    pub why: Option<String>,
    /// A hash of the target's own files, if it is a process.
    subject: Option<Fingerprint>,
}

/// What a suite's answers come from.
#[derive(Debug)]
pub struct SourceSetup<'a> {
    pub target: &'a TargetSettings,
    /// Whether it is asked, recorded or replayed.
    pub source: Source,
    pub recordings: Recordings,
    /// A hash of the target's own files, if it is a process.
    pub subject: Option<Fingerprint>,
    /// Who else is asked.
    pub opinions: Vec<OpinionTarget>,
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// Answers of earlier runs.
    pub cache: &'a Arc<Cache>,
    /// What must not be seen of answers.
    pub redactor: &'a Arc<Redactor>,
}

impl AnswerSource {
    /// Nothing is started or read yet.
    pub fn new(setup: SourceSetup<'_>) -> Self {
        let SourceSetup { target, source, recordings, subject, opinions, environment, cache, redactor } = setup;
        let limits = target.properties().endpoint().map_or_else(Limits::default, |endpoint| endpoint.limits);
        let context = BuildContext {
            environment: environment.to_vec(),
            cache: Arc::clone(cache),
            // Whoever is asked beside the target spends from the same purse.
            budget: Arc::new(Budget::new(limits)),
            redactor: Arc::clone(redactor),
        };
        let recorder = Arc::new(Mutex::new(Recorder { recordings, subject, ..Recorder::default() }));
        let one = |settings: &TargetSettings, source, name| Self {
            settings: settings.clone(),
            source,
            target: OnceLock::new(),
            context: context.clone(),
            recorder: Arc::clone(&recorder),
            name,
            opinions: BTreeMap::new(),
        };
        let mut suite = one(target, source, None);
        for OpinionTarget { name, target, recorded } in opinions {
            let source = if recorded { source } else { Source::Target };
            suite.opinions.insert(name.clone(), one(&target, source, Some(name)));
        }
        suite
    }

    /// How many questions are asked at the same time, unless the user says otherwise.
    pub fn default_jobs(&self, cores: usize) -> usize {
        match self.source {
            Source::Target | Source::Recorder => self.settings.properties().default_jobs(cores),
            Source::Recordings | Source::Nobody => cores,
        }
    }

    /// Whether nobody may be asked.
    pub fn is_silent(&self) -> bool {
        self.source == Source::Nobody
    }

    /// Takes out of text what was confided to targets.
    pub fn redactor(&self) -> &Redactor {
        &self.context.redactor
    }

    /// Whoever else is asked by this name.
    pub fn opinion(&self, name: &str) -> Option<&Self> {
        self.opinions.get(name)
    }

    pub async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        let target = || self.target.get_or_init(|| self.settings.build(&self.context)).as_ref();
        let could_not_start = |error: &TargetError| Answer::ended(Ending::CouldNotStart { why: error.to_string() });
        match self.source {
            Source::Recordings => self.replay(&request),
            Source::Nobody => Answer::ended(Ending::Unasked { why: SILENT.into() }),
            Source::Target => match target() {
                Ok(target) => target.ask(request, stop).await,
                Err(error) => could_not_start(error),
            },
            Source::Recorder => match target() {
                Ok(target) => {
                    let mut answer = target.ask(request.clone(), stop).await;
                    // What is judged is what a replay will judge.
                    answer.redact(&self.context.redactor);
                    self.record(&request, &answer);
                    answer
                }
                Err(error) => {
                    let answer = could_not_start(error);
                    self.record(&request, &answer);
                    answer
                }
            },
        }
    }

    fn replay(&self, request: &Request) -> Answer {
        let recordings = &self.recorder.lock().unwrap_or_else(PoisonError::into_inner).recordings;
        let (case, sent) = (CaseId::new(&request.id), self.settings.properties().recorded_request(request));
        let component = self.name.as_deref();
        let key = RecordingKey { case: &case, repeat: request.repeat, component, request: &sent };
        let Some(recording) = recordings.find(key) else {
            return Answer::ended(Ending::Unasked { why: recordings.why_not(key) });
        };
        let ending = match &recording.failure {
            Some(why) => Ending::Unreadable { why: why.clone() },
            None => Ending::of(recording.answer.clone()),
        };
        let duration = Duration::try_from_secs_f64(recording.latency_ms / 1000.0).unwrap_or_default();
        Answer { duration, usage: recording.usage, ..Answer::ended(ending) }
    }

    /// Keeps an answer. Where there is none, the old recording stays as it is.
    fn record(&self, request: &Request, answer: &Answer) {
        let (said, failure) = (answer.ending.said(), answer.ending.failure());
        let mut recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none() && failure.is_none() {
            recorder.without_answer += 1;
            recorder.why.get_or_insert_with(|| answer.sentence());
            return;
        }
        recorder.recorded += 1;
        let sent = self.settings.properties().recorded_request(request);
        let subject = recorder.subject.clone().filter(|_| self.name.is_none());
        recorder.recordings.put(Recording {
            subject,
            case: CaseId::new(&request.id),
            repeat: request.repeat,
            component: self.name.clone(),
            key: Fingerprint::of(&sent),
            answer: said.unwrap_or_default().to_owned(),
            failure,
            latency_ms: milliseconds(answer.duration),
            usage: answer.usage,
            request: sent,
        });
    }

    /// The recordings as they are now, if this run records; only those of the suite's own cases are kept.
    pub fn to_write(&self, declared: &[CaseId]) -> Option<Recorder> {
        if self.source != Source::Recorder {
            return None;
        }
        let mut recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let declared: HashSet<&CaseId> = declared.iter().collect();
        recorder.recordings.keep(|case| declared.contains(case));
        Some(recorder)
    }

    /// Ends whatever is still running.
    pub async fn close(&self) {
        for source in std::iter::once(self).chain(self.opinions.values()) {
            if let Some(Ok(target)) = source.target.get() {
                target.close().await;
            }
        }
    }
}
