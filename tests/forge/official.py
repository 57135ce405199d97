#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pawl sends, against GitHub's official description of its API, and the workflows, by GitHub's own parser. Both
come from npm; without npm or a network this is skipped with the reason (exit status 77).

Usage: official.py --build DIR | --home DIR [--cache DIR]"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import staged  # noqa: E402
from job import job, workflow_run_event, SHA  # noqa: E402

SKIPPED = 77


def packages(cache):
    """The folder with node_modules, filled once; None with the reason printed."""
    if not shutil.which("npm") or not shutil.which("node"):
        print("skipped: there is no npm")
        return None
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "requests.mjs", "workflows.mjs"):
        shutil.copy(HERE / "official" / name, cache / name)
    if (cache / "node_modules/.complete").exists():
        return cache
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
                              cwd=cache, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        print("skipped: npm took more than 300 s")
        return None
    if done.returncode:
        print("skipped: npm could not install what GitHub publishes:", done.stderr.strip().splitlines()[-1:])
        return None
    for path in (cache / "node_modules/@octokit/openapi/generated").glob("*"):
        if path.name != "api.github.com.json":  # 390 MB of other servers
            path.unlink()
    for path in (cache / "node_modules/@actions/workflow-parser/dist").rglob("*.js"):
        text = path.read_text()  # node wants the type of a JSON module said
        fixed = re.sub(r'(from "[^"]+\.json");', r'\1 with {type: "json"};', text)
        if fixed != text:
            path.write_text(fixed)
    (cache / "node_modules/.complete").touch()
    return cache


def recorded(home):
    """The requests of every subcommand, the rare ones too."""
    requests = []
    with job(home) as j:
        j.measured("noise.json")
        j.github("check", "--begin")
        j.github("comment")
        j.measured("slower.json")
        for command in ("comment", "check", "status"):
            j.github(command)
        j.measured("wrong.json")
        j.github("comment")
        (j.work / "text.md").write_text("Larger tiles.\n")
        for _ in range(2):
            j.github("pull-request", "--branch", "tuned", "--title", "Tune", "--body", "text.md")
        head = {"ref": "faster", "sha": SHA, "repo": {"full_name": "stranger/kernels"}}
        j.forge.pulls.append({"number": 9, "state": "open", "head": head})
        j.event("workflow_run", workflow_run_event())
        j.github("comment")
        j.github("check")
        j.forge.checks_forbidden = True
        j.github("check", "--begin")
        requests += j.forge.requests
    return [{key: request[key] for key in ("method", "path", "query", "body")} for request in requests]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", type=pathlib.Path)
    where.add_argument("--home", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    arguments = parser.parse_args()
    cache = packages(arguments.cache or (arguments.build or pathlib.Path(tempfile.gettempdir())) / "official")
    if not cache:
        return SKIPPED
    stage = tempfile.mkdtemp(prefix="pawl-stage-")
    try:
        home = arguments.home.resolve() if arguments.home else staged.install(arguments.build, stage)
        (cache / "requests.json").write_text(json.dumps(recorded(home)))
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    api = "node_modules/@octokit/openapi/generated/api.github.com.json"
    workflows = sorted(str(p) for p in (ROOT / "templates/forge/github/dot.github/workflows").glob("*.yml"))
    first = subprocess.run(["node", "requests.mjs", api, "requests.json"], cwd=cache)
    second = subprocess.run(["node", "workflows.mjs", *workflows], cwd=cache)
    return 1 if first.returncode or second.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
