//! The exit codes, and which one wins when several apply.

/// What the process tells its caller. The order of the variants is the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// 130: interrupted; what was finished is written, marked partial.
    Interrupted,
    /// 2: usage, configuration or data is invalid; found before anything ran.
    Invalid,
    /// 4: broken, more errors than `max-errors` allows.
    Broken,
    /// 5: GitHub could not be reached; only from what talks to it.
    Unreachable,
    /// 3: nothing was measured, or nothing is comparable with the baseline.
    NothingMeasured,
    /// 1: the gate failed.
    GateFailed,
    /// 0: passed; also a shard that ran.
    Passed,
}

impl ExitCode {
    /// The number given to the operating system.
    pub const fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::GateFailed => 1,
            Self::Invalid => 2,
            Self::NothingMeasured => 3,
            Self::Broken => 4,
            Self::Unreachable => 5,
            Self::Interrupted => 130,
        }
    }

    /// The graver of the two.
    pub fn or(self, other: Self) -> Self {
        self.min(other)
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode::{Broken, GateFailed, Interrupted, Invalid, NothingMeasured, Passed};

    #[test]
    fn broken_wins_over_nothing_measured_which_wins_over_a_failed_gate() {
        assert_eq!(GateFailed.or(Broken), Broken);
        assert_eq!(NothingMeasured.or(GateFailed), NothingMeasured);
        assert_eq!(Broken.or(NothingMeasured), Broken);
        assert_eq!(Passed.or(GateFailed), GateFailed);
        assert_eq!(Invalid.or(Broken), Invalid);
        assert_eq!(Broken.or(Interrupted), Interrupted);
    }
}
