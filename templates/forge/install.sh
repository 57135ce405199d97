#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gets pawl for a job and prints the folder of its programs: install.sh FOLDER. It verifies a release bundle and unpacks it in
# FOLDER. If nothing names a bundle, it takes the pawl of the machine. `pawl init --forge` made this file.
#   PAWL_BUNDLE_URL, PAWL_BUNDLE_SHA256            the bundle that the variables of the repository name
#   PINNED_URL, PINNED_SHA256, PINNED_REPOSITORY   else the bundle that init named, and who attests to it on github.com
#   SSL_CERT_FILE                                  the certificate of a private authority, for the download
set -eu
folder=$1

fail() { # STATUS WORDS
  echo "${GITHUB_ACTIONS:+::error::}$2" >&2
  exit "$1"
}
fetch() { # URL FILE
  curl --fail --silent --show-error --location --proto =https --proto-redir =https --retry 5 --max-time 300 --output "$2" -- "$1" >&2 ||
    fail 74 "cannot download '$1': repeat the job, or install pawl on this machine"
}

# A job of GitLab starts in an image that may have nothing.
packages=''
command -v curl >/dev/null || packages="$packages ca-certificates curl"
command -v git >/dev/null || packages="$packages git"
command -v c++ >/dev/null || packages="$packages g++"
if [ -n "${CI_JOB_IMAGE:-}" ] && [ -n "$packages" ] && command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086 # words
  { apt-get -qq update && apt-get -qq install -y --no-install-recommends $packages; } >&2 ||
    fail 69 "cannot install$packages in '$CI_JOB_IMAGE': name an image that has them"
fi
# Ubuntu keeps user namespaces from programs that have no profile, and the sandbox needs them. A machine of GitHub ends with its job.
if [ "${RUNNER_ENVIRONMENT:-}" = github-hosted ] && [ "$(sysctl -n kernel.apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
  sudo -n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0 >&2 ||
    echo "this machine keeps user namespaces from pawl, so kernels run with less isolation" >&2
fi

url=${PAWL_BUNDLE_URL:-} sha256=${PAWL_BUNDLE_SHA256:-} repository=''
if [ -z "$url" ]; then url=${PINNED_URL:-} sha256=${PINNED_SHA256:-} repository=${PINNED_REPOSITORY:-}; fi
if [ -z "$url" ]; then
  own=$(command -v pawl) ||
    fail 69 "no pawl on this machine, and no bundle: set the variables PAWL_BUNDLE_URL and PAWL_BUNDLE_SHA256, or install pawl on this machine"
  dirname "$own"
  exit 0
fi
case $url in https://*) ;; *) fail 64 "the address of the bundle must begin with https://, not '$url'" ;; esac
case $sha256 in *[!0-9a-f]*) sha256='' ;; esac
[ "${#sha256}" -eq 64 ] || fail 64 "no SHA-256 of '$url': set PAWL_BUNDLE_SHA256 to its 64 hexadecimal digits"
command -v curl >/dev/null || fail 69 "cannot download '$url': install curl, or pawl, on this machine"

place=$folder/pawl-bundle
rm -rf "$place"
mkdir -p "$place"
fetch "$url" "$place.tar.gz"
found=$(sha256sum "$place.tar.gz")
[ "${found%% *}" = "$sha256" ] || fail 65 "'$url' has the SHA-256 ${found%% *}, but the repository names $sha256: nothing is installed"
if [ -n "$repository" ]; then # the checksum says what it is, the attestation where it was built
  if gh attestation verify --help >/dev/null 2>&1; then
    fetch "${url%/*}/attestation.json" "$place.json"
    # The attestation is a file: gh needs no token, and a token of another host must not reach github.com.
    env -u GH_TOKEN -u GITHUB_TOKEN gh attestation verify "$place.tar.gz" --repo "$repository" --bundle "$place.json" >&2 ||
      fail 65 "'$url' has no valid attestation of '$repository': nothing is installed"
  else
    echo "no gh with 'gh attestation' on this machine: only the checksum that the repository keeps was verified" >&2
  fi
fi
tar --extract --gzip --file "$place.tar.gz" --directory "$place" --no-same-owner
[ -x "$place/pawl/bin/pawl" ] || fail 65 "'$url' contains no pawl/bin/pawl"
echo "$place/pawl/bin"
