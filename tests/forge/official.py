#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of posting again, against a server made of GitHub's own description of its API: the description must allow
each request, each answer is the description's with the fake code host's state in it. Webhooks with GitHub's
examples of them, and the workflows read by GitHub's own parser. All come from npm; without npm or a network this is
skipped with the reason (exit status 77).

Usage: official.py --build DIR | --home DIR [--cache DIR]"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import job  # noqa: E402
import npm  # noqa: E402
import run  # noqa: E402
import staged  # noqa: E402
import test_hooks  # noqa: E402

SKIPPED = 77
LEAST_NODE = 20
CALLS = {  # pawl's calls of GitHub's API; the tests must make each of them
    "get /repos/{owner}/{repo}/issues/{issue_number}/comments",
    "post /repos/{owner}/{repo}/issues/{issue_number}/comments",
    "patch /repos/{owner}/{repo}/issues/comments/{comment_id}",
    "get /repos/{owner}/{repo}/issues",
    "post /repos/{owner}/{repo}/issues",
    "patch /repos/{owner}/{repo}/issues/{issue_number}",
    "get /repos/{owner}/{repo}/commits/{ref}/check-runs",
    "post /repos/{owner}/{repo}/check-runs",
    "patch /repos/{owner}/{repo}/check-runs/{check_run_id}",
    "post /repos/{owner}/{repo}/statuses/{sha}",
    "get /repos/{owner}/{repo}/compare/{basehead}",
    "get /repos/{owner}/{repo}/pulls",
    "post /repos/{owner}/{repo}/pulls",
    "patch /repos/{owner}/{repo}/pulls/{pull_number}",
    "get /repos/{owner}/{repo}/pulls/{pull_number}",
    "get /repos/{owner}/{repo}/pulls/{pull_number}/files",
    "get /repos/{owner}/{repo}/actions/runs",
    "get /repos/{owner}/{repo}/actions/runs/{run_id}/jobs",
    "get /orgs/{org}/repos",
    "get /repos/{owner}/{repo}",
    "get /repos/{owner}/{repo}/actions/workflows",
    "get /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval",
    "get /repos/{owner}/{repo}/actions/variables",
    "get /repos/{owner}/{repo}/actions/runners",
    "get /repos/{owner}/{repo}/rules/branches/{branch}",
    "get /orgs/{org}/actions/runner-groups",
    "get /user",
    "get /user/repos",
}


def packages(cache):
    """The folder with node_modules, filled once; None with the reason printed."""
    if not shutil.which("npm") or not shutil.which("node"):
        print("skipped: there is no npm")
        return None
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    if int(version[1:].split(".")[0]) < LEAST_NODE:
        print(f"skipped: GitHub's packages need node {LEAST_NODE} or newer, and this is {version}")
        return None
    cache.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "official/package.json").read_text()
    for path in (HERE / "official").iterdir():
        shutil.copy(path, cache / path.name)
    complete = cache / "node_modules/.complete"
    if complete.exists() and complete.read_text() == wanted:
        return cache
    if not npm.install(cache, "what GitHub publishes"):
        return None
    for path in (cache / "node_modules/@octokit/openapi/generated").glob("*"):
        if path.name != "api.github.com.json":  # 390 MB of other servers
            path.unlink()
    for path in (cache / "node_modules/@actions/workflow-parser/dist").rglob("*.js"):
        text = path.read_text()  # node wants the type of a JSON module said
        fixed = re.sub(r'(from "[^"]+\.json");', r'\1 with {type: "json"};', text)
        if fixed != text:
            path.write_text(fixed)
    complete.write_text(wanted)
    return cache


class Mock:
    def __init__(self, cache):
        api = "node_modules/@octokit/openapi/generated/api.github.com.json"
        self.process = subprocess.Popen(["node", "mock.mjs", api], cwd=cache, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def told(self):
        with urllib.request.urlopen(self.url + "/faults") as answer:
            return json.load(answer)

    def close(self):
        self.process.kill()
        self.process.wait()


def notices_what_is_wrong(mock):
    """The mock itself: bad requests are seen as such."""
    forge = job.Forge()
    headers = {"Authorization": f"Bearer {job.TOKEN}", "Accept": "application/vnd.github+json",
               "X-GitHub-Api-Version": "2022-11-28", "Content-Type": "application/json", "User-Agent": "test"}
    bad = [("POST", "/repos/o/r/check-runs", {"head_sha": "a" * 40}, "required"),
           ("POST", "/repos/o/r/check-runs", {"name": "x", "head_sha": "a" * 40, "colour": "red"}, "'colour'"),
           ("POST", "/repos/o/r/statuses/" + "a" * 40, {"state": "excellent"}, "allowed values"),
           ("GET", "/repos/o/r/issues/x/comments", None, "'issue_number'"),
           ("GET", "/repos/o/r/issues/1/comments?pages=1", None, "no parameter 'pages'"),
           ("GET", "/repos/o/r/issues/1/remarks", None, "no such call")]
    for method, path, body, words in bad:
        before = len(mock.told()["faults"])
        data = json.dumps(body).encode() if body else None
        try:
            urllib.request.urlopen(urllib.request.Request(f"{mock.url}/u/{forge.server.server_port}{path}", data,
                                                          headers, method=method)).close()
        except urllib.error.HTTPError:
            pass
        except (OSError, KeyError):
            pass
        new = [fault for fault in mock.told()["faults"][before:] if fault.startswith("request: ")]
        if not any(words in fault for fault in new):
            sys.exit(f"the mock does not notice {method} {path}: {new}")
    forge.close()
    return len(mock.told()["faults"])


def posting(home, mock):
    ignored = notices_what_is_wrong(mock)
    job.OFFICIAL = test_hooks.OFFICIAL = mock.url
    failed = run.run_all(home, run.MODULES + (test_hooks,))
    told = mock.told()
    faults = told["faults"][ignored:]
    unseen = CALLS - set(told["seen"])
    for line in [*sorted(set(faults)), *(f"never made: {call}" for call in sorted(unseen))]:
        print(line)
    print(f"{sum(told['seen'].values())} requests of {len(told['seen'])} kinds, {len(faults)} faults")
    return failed or bool(faults) or bool(unseen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("--cache", type=pathlib.Path)
    arguments = parser.parse_args()
    cache = packages(arguments.cache or (arguments.build or pathlib.Path(tempfile.gettempdir())) / "official")
    if not cache:
        return SKIPPED
    test_hooks.EXAMPLES = cache / "node_modules/@octokit/webhooks-examples"
    mock = Mock(cache)
    try:
        with staged.home(arguments) as home:
            failed = posting(home, mock)
    finally:
        mock.close()
    folders = (ROOT / "templates/forge/github/dot.github/workflows", ROOT / ".github/workflows")
    workflows = sorted(str(p) for folder in folders for p in folder.glob("*.yml"))
    parsed = subprocess.run(["node", "workflows.mjs", *workflows], cwd=cache)
    return 1 if failed or parsed.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
