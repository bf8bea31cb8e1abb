//! Where templates are rendered. Whatever a template prints is escaped unless a filter has done it.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde::Serialize;

use super::{html, markdown};

/// Names and texts of templates.
pub(super) type Templates = [(&'static str, &'static str)];

/// For Markdown: every text that is not marked as safe is escaped where it is printed.
pub(super) fn of_markdown(templates: &Templates) -> Result<Environment<'static>, Error> {
    let mut environment = strict()?;
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
    escape_with(&mut environment, markdown::text);
    let safe = Value::from_safe_string;
    environment.add_filter("code", move |text: String| safe(markdown::code(&text)));
    environment.add_filter("prose", move |text: String| safe(markdown::prose(&text)));
    environment.add_filter("cell", move |text: String| safe(markdown::cell(&text)));
    environment.add_filter("html_code", move |text: String| safe(markdown::html_code(&text)));
    environment.add_filter("fence", move |text: String, language: String| safe(markdown::fence(&text, &language)));
    filled(environment, templates)
}

/// For HTML, the same; text of others is escaped, and what hides or reorders is shown.
pub(super) fn of_html(templates: &Templates) -> Result<Environment<'static>, Error> {
    let mut environment = strict()?;
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    escape_with(&mut environment, html::text);
    filled(environment, templates)
}

fn strict() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    // Numbers and signs of our own.
    environment.add_filter("own", |text: String| Value::from_safe_string(text));
    Ok(environment)
}

fn escape_with(environment: &mut Environment<'static>, escape: fn(&str) -> String) {
    environment.set_formatter(move |out, _, value| {
        let text = match value.as_str() {
            Some(text) if !value.is_safe() => escape(text),
            Some(_) | None => value.to_string(),
        };
        out.write_str(&text).map_err(Error::from)
    });
}

fn filled(mut environment: Environment<'static>, templates: &Templates) -> Result<Environment<'static>, Error> {
    for (name, template) in templates {
        environment.add_template(name, template)?;
    }
    Ok(environment)
}

/// A view as minijinja wants it.
pub(super) fn value_of(view: &impl Serialize) -> Value {
    Value::from(minijinja::value::Serde(view))
}

/// Whether an address may stand in a link. Ours are made of GitHub's own variables, and nothing else is let into one.
pub(super) fn is_address(url: &str) -> bool {
    url.starts_with("https://") && url.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/".contains(c))
}
