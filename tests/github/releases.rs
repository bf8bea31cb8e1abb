//! The REST paths of releases and their assets.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::http::Response;
use super::rest::{Answer, Call, missing, number};
use super::shapes;

pub(crate) fn answer(call: &mut Call<'_>, path: &[&str]) -> Answer {
    call.needs_as_asked(&["contents"])?;
    let method = call.request.method.clone();
    match (method.as_str(), path) {
        ("GET", []) => call.page(call.repository.releases.iter().rev().cloned().collect(), Value::Array),
        ("GET", ["tags", tag @ ..]) => {
            let tag = tag.join("/");
            let mut published = call.repository.releases.iter().filter(|release| release["draft"] == false);
            published
                .find(|release| release["tag_name"] == tag)
                .map(|found| Response::json(200, found))
                .ok_or_else(missing)
        }
        ("GET" | "DELETE", ["assets", id]) => asset(call, id),
        ("GET", [id]) => Ok(Response::json(200, &call.repository.releases[place(call, id)?])),
        ("PATCH", [id]) => patch(call, id),
        ("GET", [id, "assets"]) => {
            let assets = call.repository.releases[place(call, id)?]["assets"].as_array().unwrap().clone();
            call.page(assets, Value::Array)
        }
        ("POST", [id, "assets"]) => upload(call, id),
        _ => Err(missing()),
    }
}

fn place(call: &Call<'_>, id: &str) -> Result<usize, Response> {
    let id = number(id)?;
    call.repository.releases.iter().position(|release| release["id"] == id).ok_or_else(missing)
}

fn patch(call: &mut Call<'_>, id: &str) -> Answer {
    let (at, now) = (place(call, id)?, call.repository.now());
    let release = &mut call.repository.releases[at];
    for field in ["tag_name", "target_commitish", "name", "body", "draft", "prerelease"] {
        if !call.body[field].is_null() {
            release[field] = call.body[field].clone();
        }
    }
    release["updated_at"] = json!(now);
    Ok(Response::json(200, release))
}

fn upload(call: &mut Call<'_>, id: &str) -> Answer {
    let at = place(call, id)?;
    let missing_name = || Response::invalid("ReleaseAsset", "name", "missing_field", None);
    let name = call.request.query("name").filter(|name| !name.is_empty()).ok_or_else(missing_name)?.to_owned();
    let assets = call.repository.releases[at]["assets"].as_array().unwrap();
    if assets.iter().any(|asset| asset["name"] == name) {
        return Err(Response::invalid("ReleaseAsset", "name", "already_exists", None));
    }
    if call.request.body.is_empty() {
        return Err(Response::error(400, "Bad Content-Length: "));
    }
    let (id, now, bytes) = (call.repository.id(), call.repository.now(), call.request.body.clone());
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = call.repository.releases[at]["tag_name"].as_str().unwrap_or_default().to_owned();
    let kind = call.request.headers.get("content-type").map_or("application/octet-stream", String::as_str);
    let asset = json!({
        "id": id, "node_id": format!("RA_{id}"), "name": name, "label": call.request.query("label").unwrap_or_default(),
        "state": "uploaded", "content_type": kind, "size": bytes.len(), "digest": format!("sha256:{digest}"),
        "download_count": 0, "url": call.repository.url(&format!("/releases/assets/{id}")), "created_at": now, "updated_at": now,
        "browser_download_url": call.repository.html(&format!("/releases/download/{tag}/{name}")),
        "uploader": shapes::user(&call.repository.base, &call.token.login),
    });
    call.repository.assets.insert(id, bytes);
    call.repository.releases[at]["assets"].as_array_mut().unwrap().push(asset.clone());
    Ok(Response::json(201, &asset))
}

fn asset(call: &mut Call<'_>, id: &str) -> Answer {
    let id = number(id)?;
    for release in &mut call.repository.releases {
        let assets = release["assets"].as_array_mut().unwrap();
        let Some(at) = assets.iter().position(|asset| asset["id"] == id) else { continue };
        if call.request.method == "DELETE" {
            assets.remove(at);
            call.repository.assets.remove(&id);
            return Ok(Response::empty(204));
        }
        if call.request.header("accept").contains("octet-stream") {
            return Ok(Response::bytes(200, "application/octet-stream", call.repository.assets[&id].clone()));
        }
        return Ok(Response::json(200, &assets[at]));
    }
    Err(missing())
}
