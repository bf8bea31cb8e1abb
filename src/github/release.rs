//! Attaches files to a release and puts a summary into its text.

use std::time::Duration;

use octocrab::models::repos::{Asset as KnownAsset, Release};
use serde_json::json;

use super::access::is_safe;
use super::{Call, Client, GithubError, encoded};

const ROUNDS: usize = 4;
const PAUSE: Duration = Duration::from_millis(400);

/// A file for a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// How much of the report a release has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attached {
    All,
    /// The text was written, and this is why files are missing.
    TextOnly(GithubError),
    /// There is no release of this tag.
    NoRelease,
}

/// Brings a release to where it should be: its text first, then its files. `body` makes its new text of the one that it has.
pub async fn attach(
    client: &Client,
    tag: &str,
    assets: &[Asset],
    body: impl Fn(&str) -> String,
) -> Result<Attached, GithubError> {
    let Some(release) = find(client, tag).await? else { return Ok(Attached::NoRelease) };
    let id = *release.id;
    let old = release.body.as_deref().unwrap_or_default();
    let new = body(old);
    if new != old {
        client.json(Call::patch(client.path(&format!("/releases/{id}")), json!({"body": new}))).await?;
    }
    // Files are a channel of their own: to a release that is immutable nothing can be attached once it is published.
    for asset in assets {
        if let Err(error) = upload(client, &release, asset).await {
            return Ok(Attached::TextOnly(error));
        }
    }
    Ok(Attached::All)
}

/// The release of a tag. A draft is not found by its tag, but it is in the list.
async fn find(client: &Client, tag: &str) -> Result<Option<Release>, GithubError> {
    match client.typed(Call::get(client.path(&format!("/releases/tags/{}", encoded(tag))))).await {
        Ok(release) => return Ok(Some(release)),
        Err(GithubError::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    let all: Vec<Release> = client.typed_list(&client.path("/releases"), None, 300).await?;
    Ok(all.into_iter().find(|release| release.tag_name == tag))
}

/// Sends a file; one of the same name makes room for it.
async fn upload(client: &Client, release: &Release, asset: &Asset) -> Result<(), GithubError> {
    let address = release.upload_url.split('{').next().unwrap_or_default();
    let path_at = address.find("://").and_then(|at| Some(at + 3 + address[at + 3..].find('/')?));
    let Some((origin, path)) = path_at.map(|at| address.split_at(at)).filter(|(origin, _)| is_safe(origin)) else {
        return Err(GithubError::Unreachable(format!(
            "the release says that files go to {address:?}, which is no address"
        )));
    };
    let path = format!("{path}?name={}", encoded(&asset.name));
    let mut last = String::new();
    for _ in 0..ROUNDS {
        let list = client.path(&format!("/releases/{}/assets", release.id));
        let there: Vec<KnownAsset> = client.typed_list(&list, None, 1000).await?;
        for same in there.iter().filter(|one| one.name == asset.name) {
            match client.json(Call::delete(client.path(&format!("/releases/assets/{}", same.id)))).await {
                Ok(_) | Err(GithubError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        match client.upload(origin, Call::upload(&path, asset.bytes.clone())).await {
            Ok(_) => return Ok(()),
            // Somebody else was faster, or it may be there half: look, and begin again.
            Err(GithubError::Uncertain(why) | GithubError::Rejected { status: 422, why, .. }) => last = why,
            Err(error) => return Err(error),
        }
        if !client.moment(PAUSE).await {
            break;
        }
    }
    Err(GithubError::Unreachable(format!("{} could not be attached: {last}", asset.name)))
}
