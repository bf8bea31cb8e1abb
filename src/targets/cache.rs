//! Answers of earlier runs, one file each, in a directory that a CI job can keep.
#![expect(clippy::disallowed_methods, reason = "edge: reads and writes the cache")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::input::write_atomically;
use crate::model::{Fingerprint, Usage};

/// Answers of earlier runs.
#[derive(Debug, Default)]
pub struct Cache {
    directory: Option<PathBuf>,
    hits: AtomicUsize,
    misses: AtomicUsize,
}

/// An answer of an earlier run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Cached {
    pub(super) answer: String,
    pub(super) latency_ms: f64,
    pub(super) usage: Option<Usage>,
    /// Held against the request, so that a collision or a damaged file is a miss.
    pub(super) request: Value,
}

impl Cached {
    pub(super) fn latency(&self) -> Duration {
        Duration::try_from_secs_f64(self.latency_ms / 1000.0).unwrap_or_default()
    }
}

impl Cache {
    /// A cache in this directory; without one, nothing is kept.
    pub fn new(directory: Option<PathBuf>) -> Self {
        Self { directory, ..Self::default() }
    }

    /// How often it knew the answer, and how often somebody was asked.
    pub fn counts(&self) -> (usize, usize) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    pub(super) fn get(&self, endpoint: &str, request: &Value, repeat: usize) -> Option<Cached> {
        let path = self.path(endpoint, request, repeat)?;
        let text = std::fs::read_to_string(path).ok();
        let cached = text.and_then(|text| serde_json::from_str::<Cached>(&text).ok());
        let cached = cached.filter(|cached| cached.request == *request);
        if cached.is_some() {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
        cached
    }

    /// Counts a question that is sent because its answer is not known.
    pub(super) fn count_question(&self) {
        if self.directory.is_some() {
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn put(&self, endpoint: &str, repeat: usize, cached: &Cached) {
        let Some(path) = self.path(endpoint, &cached.request, repeat) else { return };
        let text = serde_json::to_vec(cached).unwrap_or_default();
        // A run without a cache only pays more.
        if let Err(error) = write_atomically(&path, &text) {
            tracing::warn!("an answer could not be kept in {}: {error}", path.display());
        }
    }

    fn path(&self, endpoint: &str, request: &Value, repeat: usize) -> Option<PathBuf> {
        let key = Fingerprint::of(&json!({"endpoint": endpoint, "request": request, "repeat": repeat}));
        let (shelf, name) = key.as_str().split_at(2);
        self.directory.as_ref().map(|directory| directory.join(shelf).join(format!("{name}.json")))
    }
}
