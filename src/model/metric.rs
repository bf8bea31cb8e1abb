//! Metrics: what they are called, which way is better, and what was measured.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way a metric should go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What is known of a metric before it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricSpec {
    /// Its kebab-case name, the same everywhere.
    pub name: &'static str,
    /// Which way is better.
    pub better: Better,
}

/// A measured metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metric {
    /// What was measured; `null` when no case could be.
    #[serde(deserialize_with = "super::nullable")]
    pub value: Option<f64>,
    /// Which way is better.
    pub better: Better,
    /// Over how many cases.
    pub n: usize,
    /// The 95 % interval, where one is defined.
    pub ci95: Option<[f64; 2]>,
    /// The floor that the gate holds it to (a ceiling where lower is better).
    pub min: Option<f64>,
    /// What is aimed at; shown, not gated.
    pub target: Option<f64>,
}

/// One way of cutting a suite, such as `risk-level=high`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Slice(String);

impl Slice {
    /// `dimension=value`.
    pub fn new(dimension: &str, value: impl fmt::Display) -> Self {
        Self(format!("{dimension}={value}"))
    }

    /// The text `dimension=value`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `=`.
    pub fn dimension(&self) -> &str {
        self.0.split_once('=').map_or(self.0.as_str(), |(dimension, _)| dimension)
    }

    /// The part after the `=`.
    pub fn value(&self) -> &str {
        self.0.split_once('=').map_or("", |(_, value)| value)
    }
}
