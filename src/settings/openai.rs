//! A model behind an OpenAI-compatible chat endpoint, checked.

use std::time::Duration;

use serde_json::Value;

use super::file::{OpenAiSection, PriceSection};
use crate::input::{Document, InputErrors, Pointer};

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

pub(super) fn settle(
    document: &Document,
    at: &Pointer,
    section: OpenAiSection,
    timeout: Duration,
    errors: &mut InputErrors,
) -> OpenAiTarget {
    let OpenAiSection {
        model,
        base_url,
        api_key_env,
        system,
        temperature,
        max_answer_tokens,
        parameters,
        retries,
        max_requests,
        max_tokens,
        max_cost,
        price,
    } = section;
    let base_url = base_url.unwrap_or_else(|| OpenAiTarget::of(&model).base_url);
    if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
        errors.push(document.error(&at.join("base-url"), format!("`{base_url}` is not an http address")));
    }
    if max_cost.is_some() && price.is_none() {
        let help = "add `price = { input = …, output = … }`, per million tokens";
        errors.push(document.error_at_key(&at.join("max-cost"), "means nothing without a price").with_help(help));
    }
    for (key, given) in [("max-cost", max_cost.is_some()), ("max-tokens", max_tokens.is_some())] {
        if given && max_answer_tokens.is_none() {
            let message = "cannot be kept while one answer may be of any length";
            errors.push(document.error_at_key(&at.join(key), message).with_help("say `max-answer-tokens` as well"));
        }
    }
    for name in ["model", "messages", "response_format", "max_completion_tokens", "temperature", "stream"] {
        if parameters.contains_key(name) {
            let message = format!("`{name}` is set by evalratchet itself");
            errors.push(document.error_at_key(&at.join("parameters").join(name), message));
        }
    }
    let mut sent: serde_json::Map<String, Value> = parameters.into_iter().collect();
    if let Some(temperature) = temperature {
        sent.insert("temperature".into(), temperature.into());
    }
    if let Some(tokens) = max_answer_tokens {
        sent.insert("max_completion_tokens".into(), tokens.into());
    }
    let default = OpenAiTarget::of(&model);
    OpenAiTarget {
        base_url: base_url.trim_end_matches('/').to_owned(),
        api_key_env: api_key_env.or(default.api_key_env).filter(|name| !name.is_empty()),
        system,
        parameters: sent,
        max_answer_tokens,
        retries: retries.unwrap_or(default.retries),
        max_requests,
        max_tokens,
        max_cost,
        price: price.map(Price::from),
        timeout,
        model,
    }
}
