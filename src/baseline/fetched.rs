//! What `baseline fetch` brings: the baseline with everything that a full clone would show.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Baseline, BaselineLookup, FoundBaseline, HistoryPlace};
use crate::input::{InputError, InputErrors};
use crate::model::{Sha, nullable};

/// The value of `schema` in every file of this version.
pub const FETCHED_SCHEMA: &str = "evalratchet.fetched/v1";

/// A baseline that was found through GitHub's API.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FetchedBaseline {
    /// `evalratchet.fetched/v1`.
    pub schema: String,
    /// Where it was found, or why there is none.
    pub found: FetchedFrom,
    /// The commit that the run is based on.
    pub base: Option<Sha>,
    /// Whether this is the branch that has the baseline.
    pub on_main: bool,
    pub baseline: Option<Baseline>,
    /// The file as it is in the commit that the run is based on.
    pub at_base: Option<Baseline>,
    /// Earlier baselines up to this one, oldest first.
    pub versions: Vec<Baseline>,
    /// What is to be said of where it was looked for.
    pub remark: Option<String>,
    /// The branch that configurations name, if the user named another.
    pub instead_of: Option<String>,
    /// Whether a configuration says that there must be a baseline.
    pub required: bool,
    /// The baseline's file relative to the configuration, as the base has it; `None` if that is not known.
    pub path: Option<String>,
    /// The directory of the configuration among the files of the base, relative to this file, if they were brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_files: Option<String>,
}

/// Where a baseline was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "FromFields")]
pub enum FetchedFrom {
    #[serde(rename = "at")]
    Source(String),
    /// There is none, and why.
    #[serde(rename = "nowhere")]
    None(String),
}

/// As [`FetchedFrom`] is written, where further fields may stand beside it.
#[derive(Deserialize)]
struct FromFields {
    at: Option<String>,
    nowhere: Option<String>,
}

impl TryFrom<FromFields> for FetchedFrom {
    type Error = &'static str;

    fn try_from(fields: FromFields) -> Result<Self, Self::Error> {
        match (fields.at, fields.nowhere) {
            (Some(place), None) => Ok(Self::Source(place)),
            (None, Some(why)) => Ok(Self::None(why)),
            (None, None) => Err("missing field `at` or `nowhere`"),
            (Some(_), Some(_)) => Err("both `at` and `nowhere`"),
        }
    }
}

impl FetchedBaseline {
    /// What the rule found; `path` is the baseline's file as the configuration names it.
    pub(crate) fn new(lookup: BaselineLookup, path: &str, place: HistoryPlace) -> Self {
        let BaselineLookup { found, base, on_main, remark, instead_of, required, path: of_base } = lookup;
        let fetched = match found {
            Ok(FoundBaseline { baseline, source, at_base, versions }) => Self {
                found: FetchedFrom::Source(source),
                baseline: Some(baseline),
                at_base,
                versions,
                ..Self::without(String::new())
            },
            Err(none) => Self::without(none.message(path, place)),
        };
        Self { base, on_main, remark, instead_of, required, path: of_base, ..fetched }
    }

    pub fn without(why: String) -> Self {
        Self {
            schema: FETCHED_SCHEMA.to_owned(),
            found: FetchedFrom::None(why),
            base: None,
            on_main: false,
            baseline: None,
            at_base: None,
            versions: Vec::new(),
            remark: None,
            instead_of: None,
            required: false,
            path: None,
            base_files: None,
        }
    }

    /// Reads such a file; `None` if it is something else, such as a plain baseline.
    pub fn parse(file: &str, text: &str) -> Option<Result<Self, InputErrors>> {
        let header: FetchedHeader = serde_json::from_str(text).ok()?;
        (header.schema.as_deref() == Some(FETCHED_SCHEMA)).then(|| Self::read(file, text))
    }

    fn read(file: &str, text: &str) -> Result<Self, InputErrors> {
        let raw: Raw = serde_json::from_str(text)
            .map_err(|error| InputError::in_file(file, format!("does not fit {FETCHED_SCHEMA}: {error}")))?;
        let Raw { found, base, on_main, baseline, at_base, versions, remark, instead_of, required, path, base_files } =
            raw;
        let read = |value: Value| Baseline::parse(file, value.to_string());
        let fetched = Self {
            schema: FETCHED_SCHEMA.to_owned(),
            found,
            base,
            on_main,
            baseline: baseline.map(read).transpose()?,
            at_base: at_base.map(read).transpose()?,
            versions: versions.into_iter().map(read).collect::<Result<_, _>>()?,
            remark,
            instead_of,
            required,
            path,
            base_files,
        };
        if matches!(fetched.found, FetchedFrom::Source(_)) && fetched.baseline.is_none() {
            return Err(InputError::in_file(file, "says where the baseline was found, but holds none").into());
        }
        Ok(fetched)
    }
}

#[derive(Deserialize)]
struct FetchedHeader {
    schema: Option<String>,
}

/// As [`FetchedBaseline`], with baselines of any version. What is missing must not look as if there were nothing to compare with,
/// so only what is shown has a default.
#[derive(Deserialize)]
struct Raw {
    found: FetchedFrom,
    #[serde(default)]
    base: Option<Sha>,
    on_main: bool,
    #[serde(deserialize_with = "nullable")]
    baseline: Option<Value>,
    #[serde(deserialize_with = "nullable")]
    at_base: Option<Value>,
    #[serde(default)]
    versions: Vec<Value>,
    #[serde(default)]
    remark: Option<String>,
    #[serde(default)]
    instead_of: Option<String>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    base_files: Option<String>,
}
