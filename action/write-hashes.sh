#!/usr/bin/env bash
# Writes binaries.txt for a release: its version, its repository, a hash of its sources and the SHA-256 of every archive.
#
# Usage: write-hashes.sh VERSION OWNER/NAME DIRECTORY
set -euo pipefail

version=$1 repository=$2 directory=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=$here/binaries.txt
cd -- "$directory"
archives=("evalratchet-$version-"*)
[ -e "${archives[0]}" ] || {
  echo "there is no archive of $version in $directory" >&2
  exit 1
}
{
  echo '# The release that this commit of the action installs, and the SHA-256 of its archives. The release workflow writes it.'
  echo "version $version"
  echo "repository $repository"
  # Sources other than these are built.
  echo "source $(bash "$here/install.sh" --source-hash)"
  sha256sum -- "${archives[@]}"
} >"$list"
cat "$list"
