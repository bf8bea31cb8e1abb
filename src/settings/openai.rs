//! A model behind an OpenAI-compatible chat endpoint, checked.

use std::time::Duration;

use serde_json::Value;

use super::sections::{OpenAiSection, PriceSection};
use crate::input::Place;

/// A model behind an OpenAI-compatible chat endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiTarget {
    /// The model's name.
    pub model: String,
    /// The endpoint.
    pub base_url: String,
    /// The variable that holds the key, if one is wanted.
    pub api_key_env: Option<String>,
    /// What the model is told before the question.
    pub system: Option<String>,
    /// Further parameters of the request, in order.
    pub parameters: serde_json::Map<String, Value>,
    /// How long an answer may be, in tokens.
    pub max_answer_tokens: Option<u64>,
    /// How often a request is sent anew.
    pub retries: u32,
    /// At most so many requests in a run.
    pub max_requests: Option<u64>,
    /// At most so many tokens in a run.
    pub max_tokens: Option<u64>,
    /// At most so much money in a run.
    pub max_cost: Option<f64>,
    /// What tokens cost.
    pub price: Option<Price>,
    /// How long one request may take.
    pub timeout: Duration,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of questions.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

impl From<PriceSection> for Price {
    fn from(section: PriceSection) -> Self {
        Self { input: section.input, output: section.output }
    }
}

impl OpenAiTarget {
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
            max_requests: None,
            max_tokens: None,
            max_cost: None,
            price: None,
            timeout: Duration::from_secs(60),
        }
    }
}

impl Price {
    /// What so many tokens cost.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
    pub fn of(self, input_tokens: u64, output_tokens: u64) -> f64 {
        (self.input * input_tokens as f64 + self.output * output_tokens as f64) / 1e6
    }
}

pub(super) fn validate(section: OpenAiSection, timeout: Duration, place: &Place<'_>) -> OpenAiTarget {
    let default = OpenAiTarget::of(&section.model);
    let base_url = section.base_url.clone().unwrap_or(default.base_url);
    if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
        place.join("base-url").error(format!("`{base_url}` is not an http address"));
    }
    validate_limits(&section, place);
    let parameters = parameters(&section, &place.join("parameters"));
    OpenAiTarget {
        base_url: base_url.trim_end_matches('/').to_owned(),
        api_key_env: section.api_key_env.or(default.api_key_env).filter(|name| !name.is_empty()),
        system: section.system,
        parameters,
        max_answer_tokens: section.max_answer_tokens,
        retries: section.retries.unwrap_or(default.retries),
        max_requests: section.max_requests,
        max_tokens: section.max_tokens,
        max_cost: section.max_cost,
        price: section.price.map(Price::from),
        timeout,
        model: section.model,
    }
}

/// A budget can only be kept if it is known what one more answer may cost.
fn validate_limits(section: &OpenAiSection, place: &Place<'_>) {
    let OpenAiSection { max_cost, max_tokens, max_answer_tokens, price, .. } = section;
    if max_cost.is_some() && price.is_none() {
        let help = "add `price = { input = …, output = … }`, per million tokens";
        place.join("max-cost").key_error_with_help("means nothing without a price", help);
    }
    for (key, given) in [("max-cost", max_cost.is_some()), ("max-tokens", max_tokens.is_some())] {
        if given && max_answer_tokens.is_none() {
            let message = "cannot be kept while one answer may be of any length";
            place.join(key).key_error_with_help(message, "say `max-answer-tokens` as well");
        }
    }
}

/// What is sent beside the model's name and the messages.
fn parameters(section: &OpenAiSection, place: &Place<'_>) -> serde_json::Map<String, Value> {
    for name in ["model", "messages", "response_format", "max_completion_tokens", "temperature", "stream"] {
        if section.parameters.contains_key(name) {
            place.join(name).key_error(format!("`{name}` is set by evalratchet itself"));
        }
    }
    let mut sent: serde_json::Map<String, Value> = section.parameters.clone().into_iter().collect();
    if let Some(temperature) = section.temperature {
        sent.insert("temperature".into(), temperature.into());
    }
    if let Some(tokens) = section.max_answer_tokens {
        sent.insert("max_completion_tokens".into(), tokens.into());
    }
    sent
}
