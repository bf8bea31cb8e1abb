//! A model's endpoint, as a target and a judge are asked there, and what it costs. Pure.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A model behind an OpenAI-compatible chat endpoint.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub model: String,
    pub base_url: String,
    /// The variable that holds the key, if one is wanted.
    pub api_key_env: Option<String>,
    /// What the model is told before the question.
    pub system: Option<String>,
    /// Further parameters of the request, in order.
    pub parameters: serde_json::Map<String, Value>,
    /// How long an answer may be, in tokens.
    pub max_answer_tokens: Option<u64>,
    /// How often a request is sent again.
    pub retries: u32,
    /// What a run may spend.
    pub limits: Limits,
    pub price: Option<Price>,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Endpoint {
    /// A model of OpenAI's, asked as it is by default.
    pub fn of(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            base_url: "https://api.openai.com/v1".to_owned(),
            api_key_env: Some("OPENAI_API_KEY".to_owned()),
            system: None,
            parameters: serde_json::Map::new(),
            max_answer_tokens: None,
            retries: 4,
            limits: Limits::default(),
            price: None,
            timeout: Duration::from_secs(60),
        }
    }
}

/// What a run may spend on models; nothing is limited by default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// At most so many requests.
    pub max_requests: Option<u64>,
    /// At most so many tokens.
    pub max_tokens: Option<u64>,
    /// At most so much money.
    pub max_cost: Option<f64>,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PriceSection {
    /// Price of a million tokens of requests.
    #[schemars(range(min = 0.0))]
    pub input: f64,
    /// Price of a million tokens of answers.
    #[schemars(range(min = 0.0))]
    pub output: f64,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

impl From<PriceSection> for Price {
    fn from(section: PriceSection) -> Self {
        Self { input: section.input, output: section.output }
    }
}

impl Price {
    /// What so many tokens cost.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
    pub fn of(self, input_tokens: u64, output_tokens: u64) -> f64 {
        (self.input * input_tokens as f64 + self.output * output_tokens as f64) / 1e6
    }
}
