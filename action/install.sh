#!/usr/bin/env bash
# Puts the program on the PATH: the release that binaries.txt names, checked against its hash, or a build of this very source.
#
# Usage: install.sh                 from the release, or says that it must be built (the output `from` is `release` or `source`)
#        install.sh --source        builds it, unless it was kept from before
#        install.sh --source-hash   prints the hash of the sources, as a release keeps it in binaries.txt
#   INPUT_VERSION      empty or the version of binaries.txt for the release; `source` to build        [default: empty]
#   RUNNER_TOOL_CACHE  where archives and builds are kept, RUNNER_TEMP where they are unpacked; both from the runner
# Outputs, to GITHUB_OUTPUT: from, path (the program) and its sha256, directory and key (what a cache keeps of a build, and under which key).
# Exits 0, or 1 when the program cannot be had, or 2 when the version is not one that it can install.
# Needs bash 3.2, as on macOS.
set -euo pipefail

say() { printf 'evalratchet: %s\n' "$1"; }
warn() { printf '::warning title=evalratchet::%s\n' "$1"; }
give_up() { # CODE TEXT
  printf '::error title=evalratchet::%s\n' "$2"
  exit "$1"
}
have() { command -v "$1" >/dev/null 2>&1; }

case ${RUNNER_OS:-$(uname -s)} in
  Windows | MINGW* | MSYS*) windows=true program=evalratchet.exe ending=zip ;;
  *) windows=false program=evalratchet ending=tar.gz ;;
esac
# On Windows the runner's paths are Windows' own, and this shell wants others.
to_shell() { if "$windows"; then cygpath -u -- "$1"; else printf '%s\n' "$1"; fi; }
to_runner() { if "$windows"; then cygpath -w -- "$1"; else printf '%s\n' "$1"; fi; }
tell() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
source=$(CDPATH='' cd -- "$here/.." && pwd)
list=$here/binaries.txt
tools=$(to_shell "${RUNNER_TOOL_CACHE:-${TMPDIR:-/tmp}/evalratchet-tools}")/evalratchet
temporary=$(to_shell "${RUNNER_TEMP:-${TMPDIR:-/tmp}}")

if have sha256sum; then
  sha256=(sha256sum)
elif have shasum; then
  sha256=(shasum -a 256)
else
  give_up 1 'neither sha256sum nor shasum was found, so no hash can be checked'
fi
hash_of() { # FILE
  "${sha256[@]}" <"$1" | cut -c 1-64
}

target() {
  case ${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)} in
    Linux-X64 | Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64 | Linux-aarch64) echo aarch64-unknown-linux-musl ;;
    macOS-X64 | Darwin-x86_64) echo x86_64-apple-darwin ;;
    macOS-ARM64 | Darwin-arm64) echo aarch64-apple-darwin ;;
    Windows-X64 | MINGW*-x86_64 | MSYS*-x86_64) echo x86_64-pc-windows-msvc ;;
  esac
}

field() { # NAME: the value of `NAME value` in binaries.txt
  sed -n "s/^$1 \([^ ]*\)\$/\1/p" "$list" | tr -d '\r'
}
listed_hash() { # FILE: what binaries.txt says of it
  tr -d '\r' <"$list" | awk -v name="$1" '$2 == name && length($1) == 64 && $1 !~ /[^0-9a-f]/ { print $1 }'
}

done_with() { # PROGRAM
  # That it starts is seen here and not in the middle of a run.
  "$1" --version || give_up 1 "$1 does not start"
  tell path "$(to_runner "$1")"
  # Later steps check it again before they give the program a token.
  tell sha256 "$(hash_of "$1")"
  to_runner "$(dirname -- "$1")" >>"${GITHUB_PATH:-/dev/null}"
}

# --- From a release -------------------------------------------------------------------------------------------------

fetch() { # FILE INTO: sets $status, the HTTP status
  local base=https://github.com/$repository/releases/download/v$version protocol='=https'
  # For tests, and on loopback only: a variable must not be able to choose where programs come from.
  case ${EVALRATCHET_TEST_DOWNLOADS:-} in
    '') ;;
    http://127.0.0.1:*[!0-9]* | http://127.0.0.1:) give_up 2 'EVALRATCHET_TEST_DOWNLOADS must be http://127.0.0.1:PORT' ;;
    http://127.0.0.1:*) base=$EVALRATCHET_TEST_DOWNLOADS protocol='=http' ;;
    *) give_up 2 'EVALRATCHET_TEST_DOWNLOADS must be http://127.0.0.1:PORT' ;;
  esac
  status=$(curl --fail --location --proto "$protocol" --proto-redir "$protocol" --retry 3 --connect-timeout 20 --max-time 300 \
    --silent --show-error --output "$2" --write-out '%{http_code}' "$base/$1") || return 1
}

unpack() { # ARCHIVE INTO
  case $1 in
    *.zip) if have unzip; then unzip -q "$1" -d "$2"; else 7z x -bd -y "-o$2" "$1" >/dev/null; fi ;;
    *) tar -xzf "$1" -C "$2" ;;
  esac
}

build_instead() { # WHY
  say "built from source: $1"
  from_source
  exit 0
}

from_release() {
  local triple archive expected kept unpacked listed status=
  triple=$(target)
  version=$(field version)
  repository=$(field repository)
  case ${INPUT_VERSION:-} in
    source) build_instead 'version is "source"' ;;
    '' | "$version" | "v$version") ;;
    *)
      if [ -z "$version" ]; then
        give_up 2 "version \"$INPUT_VERSION\" cannot be installed: this action has no release yet. Leave it out, or say \"source\""
      fi
      give_up 2 "version \"$INPUT_VERSION\" cannot be installed: this commit of the action has the hashes of $version. Pin the action's tag of that version instead"
      ;;
  esac
  [ -n "$version" ] || build_instead 'there is no release yet'
  case $version$repository in
    *[!A-Za-z0-9._/+-]*) give_up 1 "$list is damaged" ;;
  esac
  # `./` and a branch may have other sources than the release had.
  listed=$(field source)
  [ -z "$listed" ] || [ "$listed" = "$(source_key)" ] || build_instead "the sources are not those of release $version"
  [ -n "$triple" ] || build_instead "there is no release for ${RUNNER_OS:-$(uname -s)} on ${RUNNER_ARCH:-$(uname -m)}"
  archive=evalratchet-$version-$triple.$ending
  expected=$(listed_hash "$archive")
  [ -n "$expected" ] || build_instead "release $version has no $archive"

  kept=$tools/$version/$triple/$archive
  if [ -f "$kept" ] && [ "$(hash_of "$kept")" = "$expected" ]; then
    say "$archive was kept from before"
  else
    mkdir -p "$(dirname -- "$kept")"
    if ! fetch "$archive" "$kept.part"; then
      rm -f -- "$kept.part"
      case $status in
        404 | 410)
          warn "release $version has no $archive any more, so it is built from source"
          build_instead "HTTP status $status"
          ;;
        *) give_up 1 "$archive could not be downloaded (HTTP status ${status:-none})" ;;
      esac
    fi
    local found
    found=$(hash_of "$kept.part")
    if [ "$found" != "$expected" ]; then
      rm -f -- "$kept.part"
      give_up 1 "$archive has the SHA-256 $found, but $expected stands beside action.yml. Nothing was unpacked"
    fi
    mv -f -- "$kept.part" "$kept"
  fi
  unpacked=$(mktemp -d "$temporary/evalratchet-XXXXXX")
  unpack "$kept" "$unpacked"
  tell from release
  done_with "$unpacked/${archive%."$ending"}/$program"
}

# --- From source ----------------------------------------------------------------------------------------------------

# A hash of all that goes into the program. It is as good as the commit of the action, and is also there for `uses: ./`,
# where there is none, and right for a tag or a branch, which move.
source_key() {
  (cd "$source" && { find Cargo.toml Cargo.lock src -type f 2>/dev/null || true; } | LC_ALL=C sort | tr '\n' '\0' | xargs -0 "${sha256[@]}") |
    "${sha256[@]}" | cut -c 1-64
}

from_source() {
  local key
  key=$(source_key)
  tell from source
  tell directory "$(to_runner "$tools/source/$key")"
  tell key "evalratchet-${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)}-$key"
}

# cargo and rustup obey files of the directory that they are started in, and many variables. Those of the repository that is
# evaluated have no say in a program that is given a token later.
in_own_directory() (
  cd -- "$source"
  for variable in $(compgen -e | grep -E '^(CARGO_|RUSTC|RUSTDOC|RUSTUP_TOOLCHAIN$|RUSTFLAGS$)' || true); do
    unset "$variable"
  done
  "$@"
)

build() {
  local directory built
  directory=$tools/source/$(source_key)
  if [ -x "$directory/$program" ]; then
    say 'the build was kept from before'
  else
    have cargo || give_up 1 'there is no release of evalratchet for this platform, and no cargo to build it. Install Rust in a step before'
    built=$(mktemp -d "$temporary/evalratchet-build-XXXXXX")
    in_own_directory cargo build --release --locked --bin evalratchet --manifest-path "$source/Cargo.toml" --target-dir "$(to_runner "$built")" ||
      give_up 1 'evalratchet could not be built from source'
    mkdir -p "$directory"
    cp -- "$built/release/$program" "$directory/$program.part"
    mv -f -- "$directory/$program.part" "$directory/$program"
    rm -rf -- "$built"
  fi
  tell from source
  done_with "$directory/$program"
}

case $#:${1:-} in
  0:) from_release ;;
  1:--source) build ;;
  1:--source-hash) source_key ;;
  *)
    echo 'usage: install.sh [--source | --source-hash]' >&2
    exit 2
    ;;
esac
