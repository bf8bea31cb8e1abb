//! The files of a commit as one archive.
#![expect(clippy::disallowed_methods, reason = "edge: the network and the disk")]

use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;

use super::{Client, GithubError};
use crate::model::Sha;

/// A larger archive is not downloaded.
const LARGEST_ARCHIVE: usize = 64 << 20;
/// An archive that unpacks to more is not unpacked further.
const LARGEST_FILES: u64 = 512 << 20;

/// Why the files of a commit could not be brought.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{0}")]
    Github(#[from] GithubError),
    #[error("the archive of {commit} has more than {} MiB", LARGEST_ARCHIVE >> 20)]
    TooLarge { commit: Sha },
    #[error("the archive of {0} cannot be unpacked: {1}")]
    Unpack(Sha, std::io::Error),
}

impl Client {
    /// Writes the files of a commit into a directory that is not there yet; one request.
    pub async fn files_of(&self, commit: &Sha, into: &Path) -> Result<(), ArchiveError> {
        let archive = self.download(&self.path(&format!("/tarball/{commit}")), LARGEST_ARCHIVE).await?;
        let archive = archive.ok_or_else(|| ArchiveError::TooLarge { commit: commit.clone() })?;
        unpack(&archive, into).map_err(|error| ArchiveError::Unpack(commit.clone(), error))
    }
}

/// Unpacks an archive as GitHub makes it: everything stands in one folder, which is left out.
fn unpack(archive: &[u8], into: &Path) -> std::io::Result<()> {
    let mut tar = tar::Archive::new(GzDecoder::new(archive).take(LARGEST_FILES));
    std::fs::create_dir_all(into)?;
    for entry in tar.entries()? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_dir() || kind.is_symlink()) {
            continue;
        }
        let path = entry.path()?.into_owned();
        let Some(inside) = without_first(&path) else { continue };
        let target = into.join(&inside);
        // Nothing is written through a link.
        let parents = inside.ancestors().skip(1).map(|above| into.join(above));
        if parents.into_iter().any(|above| above.is_symlink()) {
            continue;
        }
        if let Some(above) = target.parent() {
            std::fs::create_dir_all(above)?;
        }
        entry.set_preserve_permissions(false);
        entry.unpack(&target)?;
    }
    Ok(())
}

/// The path without its first folder; nothing if it would lead out.
fn without_first(path: &Path) -> Option<PathBuf> {
    let inside: PathBuf = path.components().skip(1).collect();
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && inside.components().next().is_some()).then_some(inside)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o755);
            // A hostile path is one that the builder refuses.
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            builder.append(&header, text.as_bytes()).unwrap();
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&builder.into_inner().unwrap()).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn an_archive_is_unpacked_without_its_folder_and_nothing_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("files");
        let hostile = [("r-1/a/b.txt", "b"), ("r-1/../../out.txt", "x"), ("/etc/out.txt", "x"), ("only", "x")];
        unpack(&archive(&hostile), &into).unwrap();
        assert_eq!(std::fs::read_to_string(into.join("a/b.txt")).unwrap(), "b");
        assert!(!folder.path().join("out.txt").exists() && !folder.path().parent().unwrap().join("out.txt").exists());
        assert!(unpack(b"no archive", &folder.path().join("other")).is_err());
    }
}
