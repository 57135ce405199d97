#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every JSON document of pawl has a schema, and every schema a document, a line in docs/formats.md and a test.

Usage: schemas.py ROOT [--write]     --write lays the schemas out: a property a line"""

import json
import pathlib
import re
import sys

import jsonschema

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tests" / "support"))
import documents  # noqa: E402


def check_commands():
    commands = set(re.findall(r"^COMMAND\((\w+)", (ROOT / "src/cli/commands.inc").read_text(), re.M))
    known = documents.PRINTED.keys() | documents.SILENT
    for name in sorted(commands - known):
        yield f"pawl --json {name}: tests/support/documents.py does not say what it prints"
    for name in sorted(known - commands):
        yield f"tests/support/documents.py: there is no command {name}"
    for name in sorted(documents.SILENT & commands):
        if "cli->json" in (ROOT / f"src/cli/cmd_{name}.c").read_text():
            yield f"pawl --json {name}: it prints something, and tests/support/documents.py says that it does not"
    golden = (ROOT / "tests/golden/json/commands.sh").read_text()
    for name, rows in documents.PRINTED.items():
        for option, _ in rows:
            if not re.search(rf"--json {name}\b.*{option or ''}", golden):
                yield f"pawl --json {name} {option or ''}: tests/golden/json/commands.sh does not run it"


def check_outcomes():
    """The sentence of docs/formats.md about outcomes names them all."""
    names = documents.read_schema("results")["$defs"]["result"]["properties"]["outcome"]["enum"]
    row = re.search(r"^\| `outcome`, `reason` \|(.*)", (ROOT / "docs/formats.md").read_text(), re.M).group(1)
    if re.findall(r"`(\w+)`", row) != names:
        yield f"docs/formats.md: the outcomes are {' '.join(names)}"


def nested(part):
    """Whether the part of a schema has properties somewhere inside."""
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return (isinstance(part, dict) and "properties" in part) or any(map(nested, parts))


def laid_out(part, depth=0):
    """The text of a schema: a line for each key of an object with properties and for each property; all else on one line."""
    if depth and not nested(part):
        return json.dumps(part, ensure_ascii=False)
    start = "\n" + " " * (depth + 1)
    if isinstance(part, list):
        return "[" + ",".join(start + laid_out(item, depth + 1) for item in part) + "]"
    lines = []
    for key, value in part.items():
        text = laid_out(value, depth + 1)
        if key in ("properties", "$defs"):
            text = "{" + ",".join(f"{start} {json.dumps(name)}: {laid_out(item, depth + 2)}" for name, item in value.items()) + "}"
        lines.append(f"{start}{json.dumps(key)}: {text}")
    return "{" + ",".join(lines) + "}"


def write_schemas():
    for path in documents.SCHEMAS.iterdir():
        path.write_text(laid_out(json.loads(path.read_text())) + "\n")


def check_schemas():
    files = {path.name.removesuffix(".schema.json") for path in documents.SCHEMAS.iterdir()}
    used = {schema for rows in documents.PRINTED.values() for _, schema in rows}
    used |= set(documents.WRITTEN.values()) | documents.POSTED | documents.SERVED
    for name in sorted(files ^ used):
        yield f"docs/schema/{name}.schema.json: " + ("of no document" if name in files else "not there")
    formats = (ROOT / "docs/formats.md").read_text()
    for name in sorted(files & used):
        schema = documents.read_schema(name)
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            yield f"docs/schema/{name}.schema.json: {error.message}"
        if (documents.SCHEMAS / f"{name}.schema.json").read_text() != laid_out(schema) + "\n":
            yield f"docs/schema/{name}.schema.json: not a property a line; run tests/rules/schemas.py . --write"
        if f"(schema/{name}.schema.json)" not in formats:
            yield f"docs/formats.md: no line leads to {name}.schema.json"


def main():
    if "--write" in sys.argv:
        write_schemas()
    faults = [*check_commands(), *check_schemas(), *check_outcomes()]
    print("\n".join(faults) or "every document has its schema")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
