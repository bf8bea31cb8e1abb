//! Where the answers of a suite come from.

/// Where the answers of a suite come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From its target.
    Target,
    /// From its target, and they are recorded.
    Recorder,
    /// From recordings.
    Recordings,
    /// From nobody: it has no recordings, and no target may run.
    Nobody,
}
