//! Adapters: the built-in ones and those of the configuration.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::file::{AdapterSection, GoalSection};
use super::parse_duration;
use crate::input::{Checker, Document, InputErrors, Pointer};
use crate::suites::scenario::adapters::{Adapter, GoalCommand, built_in};
use crate::suites::scenario::directive::check_directory;

static CHECKER: LazyLock<Checker<AdapterSection>> = LazyLock::new(Checker::new);

/// Every adapter, by name. What is wrong with the shape of a section was said before.
pub(super) fn settle(document: &Document, errors: &mut InputErrors) -> BTreeMap<String, Adapter> {
    let mut adapters = built_in();
    let at = Pointer::root().join("adapter");
    for (id, value) in document.value.get("adapter").and_then(serde_json::Value::as_object).into_iter().flatten() {
        let place = at.join(id);
        let Ok(section) = CHECKER.read_at(document, &place, value) else {
            // Its errors were told; that scenarios name it is none.
            let goals = value["goals"].as_object().into_iter().flatten();
            let goals = goals.map(|(goal, _)| (goal.clone(), GoalCommand::default())).collect();
            adapters.insert(id.clone(), Adapter { id: id.clone(), needs: String::new(), goals, install: None });
            continue;
        };
        if adapters.contains_key(id) {
            errors.push(
                document
                    .error_at_key(&place, format!("there is a built-in adapter `{id}`"))
                    .with_help("choose another name"),
            );
            continue;
        }
        let mut goals = BTreeMap::new();
        for (goal, GoalSection { command, args, env, cwd, timeout }) in section.goals {
            let limit = match timeout.as_deref().map(parse_duration) {
                None => None,
                Some(Ok(limit)) => Some(limit),
                Some(Err(why)) => {
                    errors.push(document.error(&place.join("goals").join(&goal).join("timeout"), why));
                    None
                }
            };
            if let Some(why) =
                cwd.as_deref().filter(|cwd| *cwd != "{fixture}").and_then(|cwd| check_directory(cwd).err())
            {
                errors.push(document.error(&place.join("goals").join(&goal).join("cwd"), why));
            }
            goals.insert(goal, GoalCommand { command, args, env, cwd, timeout: limit });
        }
        let needs = section.needs.unwrap_or_else(|| "the programs of its goals".to_owned());
        adapters.insert(id.clone(), Adapter { id: id.clone(), needs, goals, install: None });
    }
    adapters
}
