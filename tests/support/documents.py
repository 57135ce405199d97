#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON documents that pawl writes, and the schema in docs/schema of each.

Usage: documents.py PAWL-COMMAND... <DOCUMENT     prints what of the command's document its schema forbids; exit status 1"""

import fnmatch
import functools
import json
import pathlib
import sys

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"

# The documents of each command with --json: (an option or the end of an argument, the schema where it is given). The first row that fits counts.
PRINTED = {
    "baseline": [("list", "baseline"), (None, "outcome")],
    "bench": [(None, "results")],
    "bisect": [(None, "bisect")],
    "build": [(None, "build")],
    "check": [("--sanitize", "sanitize"), (None, "check")],
    "ci": [("measure", "verdict"), ("tune", "tune"), ("bisect", "bisect")],
    "clean": [(None, "outcome")],
    "compare": [("--paired", "verdict"), (None, "comparison")],
    "doctor": [(None, "doctor")],
    "guide": [(None, "guide")],
    "history": [("compare", "history-compare"), ("export", "history"), ("note", "outcome"), (None, "trend")],
    "init": [(None, "outcome")],
    "list": [("--gate", "list-gate"), (None, "list")],
    "merge": [(None, "verdict")],
    "diff": [(None, "diff")],
    "power": [(None, "power")],
    "profile": [(None, "profile")],
    "ratchet": [(None, "verdict")],
    "report": [(None, "verdict")],
    "run": [(None, "verdict")],
    "selftest": [(None, "selftest")],
    "sweep": [(None, "claims")],
    "tune": [("--replay", "tune-replay"), (None, "tune")],
    "verify": [("verdict.json", "replay"), (None, "verification")],
    "wake": [(None, "wake")],
}
# Commands that print no document of pawl's own.
SILENT = {"import", "notify", "serve"}

# Files, by name. The files in .pawl are pawl's own business, except the selftests.
WRITTEN = {"results.json": "results", "verdict.json": "verdict", "tune.json": "tune", "baseline.json": "baseline",
           "profile.json": "profile", "selftest.json": "selftest", "sweep.json": "sweep", "claims.json": "claims", "selftest-*.json": "selftest", "*/.pawl/selftest/*.json": "selftest"}
POSTED = {"notice"}
SERVED = {"overview", "point", "machines", "report", "site"}  # by the dashboard or as a script of its folder; "trend" too
LINES = {"change-note", "sweep-block"}  # among the runs of an export; in the samples of a sweep
GLOBAL_VALUES = ("-C", "-f", "--device")


def schema_of_command(words):
    """The schema of the document that `pawl [-q] --json COMMAND ...` prints; None: it prints no document."""
    words = list(words[1:])
    while words and words[0].startswith("-"):
        del words[:2 if words[0] in GLOBAL_VALUES else 1]
    return next((schema for option, schema in PRINTED.get(words[0], []) if option is None or any(word.endswith(option) for word in words)), None)


def schema_of_file(path):
    inside = ".pawl" in path.parts
    return next((schema for pattern, schema in WRITTEN.items()
                 if fnmatch.fnmatch(str(path), pattern if "/" in pattern else f"*/{pattern}")
                 and inside == (".pawl" in pattern)), None)


def closed(schema):
    """The schema without room for keys that it does not name: readers let them pass, what pawl writes has none."""
    def is_map(use):  # jsonschema 4.10 of Debian 12 takes additionalProperties behind a $ref for names of keys
        target = schema.get("$defs", {}).get(use.get("$ref", "").rpartition("/")[2], use)
        return "additionalProperties" in target or any(
            is_map(part) for word in ("oneOf", "anyOf", "allOf") for part in target.get(word, []))

    def close(use):
        if isinstance(use, list):
            return [close(item) for item in use]
        if not isinstance(use, dict):
            return use
        use = dict(use)
        for word in ("properties", "patternProperties"):
            if word in use:
                use[word] = {key: close(value) for key, value in use[word].items()}
        for word in ("items", "additionalProperties"):
            if word in use:
                use[word] = close(use[word])
        if {"properties", "$ref", "oneOf", "anyOf", "allOf"} & use.keys() and not is_map(use):
            use["unevaluatedProperties"] = False
        return use

    def inside(definition):  # closed where it is used, which may add keys
        definition = close(definition)
        definition.pop("unevaluatedProperties", None)
        return definition

    whole = close(schema)
    if "$defs" in schema:
        whole["$defs"] = {name: inside(part) for name, part in schema["$defs"].items()}
    return whole


def read_schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def parse(text):
    return json.loads(text, parse_constant=refuse)


@functools.cache
def validator(name):
    return jsonschema.Draft202012Validator(closed(read_schema(name)))


def faults(document, name):
    """A line for each place where the document is not as its schema says."""
    return [f"{name}.schema.json: {error.json_path}: {error.message[:300]}" for error in validator(name).iter_errors(document)]


def faults_of_command(words, text):
    """The same for what `pawl ... --json ...` printed."""
    name = schema_of_command(words)
    try:
        document = parse(text)
    except ValueError as error:
        return [f"{' '.join(words)}: {error}"]
    nothing_to_search = name == "bisect" and "ci" in words and isinstance(document, dict) and "finds" not in document
    if isinstance(document, dict) and document.get("error") or nothing_to_search:
        name = "outcome"  # the command failed, or `ci bisect` found no change to search for
    if not name:
        return [f"{' '.join(words)}: tests/support/documents.py knows no document of it"]
    return faults(document, name)


def faults_of_kept(folder):
    """The same for all that bin/pawl kept in a folder. A command that was killed has left nothing to judge."""
    found = []
    for command in sorted(pathlib.Path(folder).glob("*.command")):
        text = command.with_suffix("").read_text()
        words = command.read_text().splitlines()
        if text:
            found += [f"{' '.join(words)}: {fault}" for fault in faults_of_command(words, text)]
    return found


def main():
    found = faults_of_command(sys.argv[1:], sys.stdin.read())
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
