//! When do two commands mean the same?

use crate::model::{Difference, Method};

/// The answer to the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Equivalence {
    /// Byte for byte.
    Exact,
    /// By a rule.
    Equivalent {
        /// The rule that held.
        rule: Rule,
    },
    /// Not that we could tell.
    Different {
        /// The first word that differs.
        difference: Difference,
        /// Why the question could not be looked into, if that is so.
        reason: Option<String>,
    },
}

/// The rules by which commands are equivalent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Byte for byte.
    Exact,
    /// Blanks outside of quotes.
    Whitespace,
}

impl Rule {
    /// Its stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Whitespace => "whitespace",
        }
    }
}

impl Equivalence {
    /// The score of its band.
    pub const fn score(&self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Equivalent { rule: Rule::Whitespace } => 0.95,
            Self::Equivalent { .. } => 0.90,
            Self::Different { .. } => 0.0,
        }
    }

    /// In one word.
    pub const fn method(&self) -> Method {
        match self {
            Self::Exact => Method::ExactMatch,
            Self::Equivalent { .. } => Method::SemanticEquivalent,
            Self::Different { .. } => Method::NoMatch,
        }
    }

    /// The rule that held.
    pub const fn rule(&self) -> Option<Rule> {
        match self {
            Self::Exact => Some(Rule::Exact),
            Self::Equivalent { rule } => Some(*rule),
            Self::Different { .. } => None,
        }
    }

    /// The first word that differs.
    pub const fn difference(&self) -> Option<&Difference> {
        match self {
            Self::Different { difference, .. } => Some(difference),
            Self::Exact | Self::Equivalent { .. } => None,
        }
    }
}

/// Compares two commands.
pub fn compare(expected: &str, generated: &str) -> Equivalence {
    if expected == generated {
        return Equivalence::Exact;
    }
    let a: Vec<&str> = expected.split_whitespace().collect();
    let b: Vec<&str> = generated.split_whitespace().collect();
    if a == b {
        return Equivalence::Equivalent { rule: Rule::Whitespace };
    }
    let word = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let at = |words: &[&str]| words.get(word).map(|word| (*word).to_owned());
    Equivalence::Different {
        difference: Difference { word: word + 1, expected: at(&a), generated: at(&b), note: None },
        reason: None,
    }
}
