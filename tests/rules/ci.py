#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CI definitions run .ci/run on the Debian that pawl supports, and pin what they use; the version has one home."""

import pathlib
import re
import sys

import yaml

IMAGE = "debian:12"


def check_github(root):
    job = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())["jobs"]["test"]
    if job["container"] != IMAGE:
        yield f"ci.yml: the container is not {IMAGE}"
    if not any(step.get("run") == ".ci/run" for step in job["steps"]):
        yield "ci.yml: no step runs .ci/run"
    for path in sorted((root / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text())
        if "permissions" not in workflow:
            yield f"{path.name}: the rights of its token are not limited"
        for step in (step for job in workflow["jobs"].values() for step in job["steps"]):
            if "uses" in step and not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]):
                yield f"{path.name}: '{step['uses']}' is not pinned by the hash of a commit"


def check_gitlab(root):
    job = yaml.safe_load((root / ".gitlab-ci.yml").read_text())["test"]
    if job["image"] != IMAGE or job["script"] != [".ci/run"]:
        yield f".gitlab-ci.yml: it does not run .ci/run alone, on {IMAGE}"


def check_version(root):
    """The version stands in meson.build alone; the changelog has an entry for it."""
    version = re.search(r"^  version: '([^']+)'", (root / "meson.build").read_text(), re.M)[1]
    if f"\n## {version} - " not in (root / "CHANGELOG.md").read_text():
        yield f"CHANGELOG.md: no entry of version {version}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [*check_github(root), *check_gitlab(root), *check_version(root)]
    print("\n".join(faults) or "the CI definitions and the version are in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
