#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares pawl's requests to Forgejo and Gitea with the descriptions of their API. No registry has the descriptions
themselves, but npm has clients that are generated from them: forgejo-js and gitea-js. Each request of the tests on the fake
Forgejo becomes a call of the client with the same values, and each answer of the fake a value of the type that the call
returns. TypeScript then says which call, parameter, field or type is none. Without npm or a network this is skipped with the
reason (exit status 77).

Usage: compatible.py --build DIR | --home DIR [--cache DIR]"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import npm  # noqa: E402
import run  # noqa: E402
import staged  # noqa: E402

SKIPPED = 77
CLIENTS = ("forgejo-js", "gitea-js")
CALL = re.compile(r'^      (\w+): \(([^)]*?)(?:, )?params = \{\}\) => this\.request\([^`]*?path: `([^`]+)`,\s+method: "(\w+)"', re.M)
GROUP = re.compile(r"^    this\.(\w+) = \{$", re.M)
WANTED = {"user.userGetCurrent", "issueGetComments", "issueCreateComment", "issueEditComment", "issueListIssues", "issueCreateIssue",
          "issueEditIssue", "repoCreateStatus", "repoListPullRequests", "repoCreatePullRequest", "repoEditPullRequest"}


def packages(cache):
    """The folder with node_modules; None with the reason printed."""
    if not shutil.which("npm") or not shutil.which("node"):
        print("skipped: there is no npm")
        return None
    cache.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "clients/package.json", cache)
    if not npm.install(cache, "the clients"):
        return None
    return cache


class Client:
    """The calls of a generated client: which one a request is, as TypeScript."""

    def __init__(self, cache, name):
        self.name, self.calls = name, []
        text = (cache / f"node_modules/{name}/dist/index.mjs").read_text()
        types = (cache / f"node_modules/{name}/dist/index.d.ts").read_text()
        groups = [(found.start(), found[1]) for found in GROUP.finditer(text)]
        for found in CALL.finditer(text):
            group = [name for start, name in groups if start < found.start()][-1]
            signature = re.search(rf"^        {found[1]}: \((.*?)\) =>", types, re.M | re.S)[1]
            pattern = re.sub(r"\\\$\\\{(?:\w+\()?(\w+)\)?\\\}", r"(?P<\1>[^/]+)", re.escape(found[3]))
            self.calls.append((found[4], re.compile(pattern + "$"), f"{group}.{found[1]}", found[2].split(", "), signature))
        assert len(self.calls) > 300, f"{name}: only {len(self.calls)} calls were found"

    def call(self, request):
        """(its name, the text of its arguments); None: there is no such call."""
        for method, pattern, name, parameters, signature in sorted(self.calls, key=lambda one: one[1].pattern.count("(?P")):
            found = pattern.match(request["path"])
            if method != request["method"] or not found:
                continue
            given = dict(query={key: number_or_text(value[0]) for key, value in request["query"].items()}, body=request["body"])
            for key, value in found.groupdict().items():
                value = urllib.parse.unquote(value)
                given[key] = int(value) if re.search(rf"\b{key}: number", signature) and value.isdigit() else value
            used = [key for key in parameters if key in given]
            unused = [key for key in ("query", "body") if given[key] and key not in used]
            if unused:
                return name, None, f"takes no {unused[0]}: {json.dumps(given[unused[0]])}"
            return name, ", ".join(json.dumps(given[key]) if given[key] is not None else "undefined" for key in used), None
        return None


def number_or_text(text):
    return int(text) if text.isdigit() else text


def check(cache, client, requests):
    """The faults, as words, and the names of the calls."""
    lines, faults, seen = [f'import type {{ Api }} from "{client.name}";', "declare const api: Api<unknown>;"], [], set()
    origins = {}
    for request in requests:
        what = f'{request["method"]} {request["path"]}'
        found = client.call(request)
        if not found:
            faults.append(f"{client.name}: there is no call {what}")
            continue
        name, arguments, fault = found
        if fault:
            faults.append(f"{client.name}: {what}: {fault}")
            continue
        seen.update((name, name.split(".")[1]))
        lines.append(f"void api.{name}({arguments});")
        origins[len(lines)] = f"request {what}"
        if request["status"] // 100 == 2:
            answer = json.dumps(request["answer"])
            lines.append(f'((_: Awaited<ReturnType<typeof api.{name}>>["data"]) => _)({answer});')
            origins[len(lines)] = f"answer of {what}"
    source = cache / f"{client.name}.ts"
    source.write_text("\n".join(lines) + "\nexport {};\n")
    done = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022",
                           "--module", "nodenext", "--lib", "es2022,dom", source.name], cwd=cache, capture_output=True, text=True)
    told = re.findall(r"\.ts\((\d+),\d+\): error \w+: (.*)", done.stdout)
    faults += [f"{client.name}: {origins.get(int(line), 'the file')}: {words}" for line, words in told]
    if done.returncode and not told:
        faults.append(f"{client.name}: tsc failed: {done.stdout[-400:]}{done.stderr[-400:]}")
    return faults, seen


def notices_what_is_wrong(cache, client):
    """The check itself: each of these must be a fault."""
    comment = {"method": "POST", "path": "/repos/o/r/issues/7/comments", "query": {}, "body": {"body": "x"}, "status": 500}
    assert check(cache, client, [comment])[0] == []
    for change in ({"path": "/repos/o/r/issues/7/remarks"}, {"path": "/repos/o/r/issues/x/comments"}, {"body": {}},
                   {"body": {"body": "x", "colour": "red"}}, {"body": {"body": 3}}, {"query": {"per_page": ["100"]}},
                   {"status": 201, "answer": {"id": "seven"}}):
        if not check(cache, client, [{**comment, **change}])[0]:
            sys.exit(f"{client.name}: the check does not notice {change}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    parser.add_argument("--cache", type=pathlib.Path)
    arguments = parser.parse_args()
    cache = packages(arguments.cache or (arguments.build or pathlib.Path(tempfile.gettempdir())) / "clients")
    if not cache:
        return SKIPPED
    failed, requests = run.run_recorded(arguments, ("forgejo",))
    for name in CLIENTS:
        client = Client(cache, name)
        notices_what_is_wrong(cache, client)
        faults, seen = check(cache, client, requests)
        faults += [f"{name}: never made: {call}" for call in sorted(WANTED - seen)]
        print(*sorted(set(faults)), f"{name}: {len(requests)} requests of {len(seen) // 2} kinds, {len(faults)} faults", sep="\n")
        failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
