#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflow that makes a release, step by step, in a clone of this repository: release.py SOURCE_ROOT. Scripts run as they
are; apt-get only simulates; gh only says what it was asked for; an action does here what its name says. Then the bundle must be whole,
and its pawl must know the page that it comes from."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(sys.argv[1]).resolve()
REPOSITORY = "owner/pawl"
TOOL = """#!/bin/sh
echo "$(basename "$0") $*" >>{log}
case $(basename "$0"):$1 in apt-get:install) exec /usr/bin/apt-get --simulate "$@" ;; esac
for word; do case $word in release/*) [ -f "$word" ] || {{ echo "no file $word" >&2; exit 1; }} ;; esac; done
"""


class Release:
    def __init__(self, folder):
        self.folder, self.source, self.artifacts = folder, folder / "source", folder / "artifacts"
        self.log, self.outputs = folder / "tools.log", {}
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(self.source)], check=True)
        version = re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M)[1]
        self.tag = f"v{version}"
        tools = folder / "tools"
        tools.mkdir()
        for name in ("apt-get", "gh"):
            (tools / name).write_text(TOOL.format(log=self.log))
            (tools / name).chmod(0o755)
        (folder / "home").mkdir()
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder / "home"),
                            "GITHUB_REF_NAME": self.tag, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_WORKSPACE": str(self.source),
                            "GITHUB_SERVER_URL": "https://github.com", "PARTS": "bundle here", "CCACHE_BASEDIR": str(self.source), "CCACHE_NOHASHDIR": "1",
                            "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(pathlib.Path.home() / ".cache/ccache"))}

    def run(self):
        """All jobs but the hour of fuzzing, without which nothing is published."""
        jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
        (hour,) = (step["env"] for step in jobs.pop("fuzz")["steps"] if step.get("run") == "tests/fuzz/run.sh")
        if hour["SECONDS_ALL"] < 3600 or "fuzz" not in jobs["publish"]["needs"]:
            sys.exit("a release needs an hour of fuzzing")
        for name, job in jobs.items():
            place = self.source if any("actions/checkout@" in step.get("uses", "") for step in job["steps"]) else self.folder / name
            place.mkdir(exist_ok=True)
            for step in job["steps"]:
                self.step(step, place)
        self.attested = (self.folder / "attestation").read_text()

    def step(self, step, place):
        given, uses = step.get("with", {}), step.get("uses", "").partition("@")[0]
        print("---", step.get("name", uses), flush=True)
        if "run" in step:
            given = {key: self.outputs.get(text, text) for key, text in step.get("env", {}).items()}
            subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=place, env={**self.environment, **given}, check=True)
        elif uses == "actions/attest-build-provenance":
            sums = place / given["subject-checksums"]
            subprocess.run(["sha256sum", "--check", "--strict", sums.name], cwd=sums.parent, check=True)
            (self.folder / "attestation").write_text("who built " + sums.read_text())
            self.outputs[f"${{{{ steps.{step['id']}.outputs.bundle-path }}}}"] = str(self.folder / "attestation")
        elif uses == "actions/upload-artifact":
            shutil.copytree(place / given["path"], self.artifacts / given["name"])
        elif uses == "actions/download-artifact":
            shutil.copytree(self.artifacts / given["name"], place / given["path"])
        elif uses != "actions/checkout":
            sys.exit(f"a step uses {uses}, which this test does not know")

    def check(self):
        """The faults, as words."""
        files = {path.name for path in (self.artifacts / "release").iterdir()}
        (bundle,) = (name for name in files if name.endswith(".tar.gz"))
        page = f"https://github.com/{REPOSITORY}/releases/download/{self.tag}"
        sums = dict(line.split("  ")[::-1] for line in (self.artifacts / "release/SHA256SUMS").read_text().splitlines())
        notes, asked = (self.artifacts / "release/notes.md").read_text(), self.log.read_text()
        for words in (f"curl -fsSLO {page}/{bundle} -O {page}/SHA256SUMS\n", f"PAWL_BUNDLE_URL --body {page}/{bundle}\n", f"PAWL_BUNDLE_SHA256 --body {sums[bundle]}\n",
                      f"gh attestation verify {bundle} --repo {REPOSITORY}"):
            if words not in notes:
                yield f"the notes do not say: {words}"
        published = re.search(rf"^gh release create {self.tag} .*--verify-tag.*$", asked, re.M)
        for name in sorted(files - {"notes.md"}):
            if not published or f" release/{name}" not in published[0]:
                yield f"the page has no {name}: {published and published[0]}"
        if (self.artifacts / "release/attestation.json").read_text() != self.attested:
            yield "the page has another attestation"
        if set(sums) != files - {"notes.md", "SHA256SUMS", "attestation.json"}:
            yield f"SHA256SUMS names {sorted(sums)}, but there are {sorted(files)}"
        listed = json.loads((self.artifacts / "release" / bundle.replace(".tar.gz", ".cdx.json")).read_text())["components"]
        shared = {file["name"]: file["hashes"][0]["content"] for package in listed for file in package["components"]}
        place = self.folder / "unpacked"
        place.mkdir()
        subprocess.run(["tar", "-xzf", str(self.artifacts / "release" / bundle), "-C", str(place)], check=True)
        about = subprocess.run([str(place / "pawl/bin/pawl"), "--version"], capture_output=True, text=True).stdout
        if f"\nrelease    https://github.com/{REPOSITORY}/releases/tag/{self.tag}\n" not in about:
            yield f"pawl --version does not name its release: {about}"
        brought = [*(place / "pawl/lib/pawl/shared").iterdir(), place / "pawl/libexec/pawl/tools/ninja"]
        found = {str(path.relative_to(place / "pawl")): hashlib.sha256(path.read_bytes()).hexdigest() for path in brought}
        if found != shared:
            yield f"the list of components differs: {sorted(set(found.items()) ^ set(shared.items()))}"
        again = self.folder / "again.tar.gz"
        done = subprocess.run(["packaging/bundle", str(again)], cwd=self.source, capture_output=True, text=True,
                              env={**self.environment, "PAWL_PROJECT_URL": page.partition("/releases/")[0]})
        if done.returncode or again.read_bytes() != (self.artifacts / "release" / bundle).read_bytes():
            yield f"the same commit gives another bundle: {done.stderr}"
        for forge in ("github", "gitlab", "forgejo", "gitea"):
            done = subprocess.run([str(place / "pawl/bin/pawl"), "init", "--example", "minimal", "--forge", forge, str(place / forge)],
                                  capture_output=True, text=True, env={"PATH": os.environ["PATH"], "HOME": str(place)})
            if done.returncode or f"{page}/SHA256SUMS" not in done.stdout + done.stderr:  # no such page: it says where it looked
                yield f"init --forge {forge} of the bundle looks for no {page}: {done.returncode} {done.stdout}{done.stderr}"
        bare = self.folder / "bare"  # a machine without Ninja
        bare.mkdir()
        for program in pathlib.Path("/usr/bin").iterdir():
            if program.name not in ("ninja", "ninja-build"):
                (bare / program.name).symlink_to(program)
        done = subprocess.run([str(place / "pawl/bin/pawl"), "-C", str(place / "github"), "build"], capture_output=True, text=True,
                              env={"PATH": str(bare), "HOME": str(place)})
        if done.returncode:
            yield f"the bundle builds nothing without the machine's Ninja: {done.stderr}"


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pawl-release-"))
    try:
        release = Release(folder)
        release.run()
        faults = list(release.check())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
