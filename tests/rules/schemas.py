#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every JSON document of pawl has a schema, and every schema a document, a line in docs/formats.md and a test.

An object of a schema with "$comment": "table NAME" comes from the table of fields that writes it: keys, types, names and
which keys are always there. Descriptions and narrower bounds stand in the schema itself. "table NAME, and KEY KEY" has
keys that no row of the table writes.

Usage: schemas.py ROOT TABLES [--write]     TABLES is the program table_schemas; --write brings the schemas up to date"""

import json
import pathlib
import re
import subprocess
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


def narrower(old, new):
    """The type of the schema where it is a part of the row's type, else the row's."""
    def types(given):
        return {given} if isinstance(given, str) else set(given or ())
    return old if old and types(old) <= types(new) | ({"integer"} if "number" in types(new) else set()) else new


def merged(old, new, more=()):
    """The part `old` of a schema with what the table says, `new`; `more`: keys that the table does not write."""
    if "$ref" in old or not new:
        return old
    deep = ("required", "properties", "items", "description", "$defs")
    whole = {"$comment": old["$comment"]} if "$comment" in old else {}
    whole |= {word: value for word, value in new.items() if word not in deep}
    if "type" in new:
        whole["type"] = narrower(old.get("type"), new["type"])
    if "enum" in new:
        null = None in old.get("enum", [None])
        whole["enum"] = [name for name in new["enum"] if (null if name is None else {"const": name} != old.get("not"))]
    whole |= {word: value for word, value in old.items() if word not in deep and (
        word not in whole or "inimum" in word and value > whole[word] or "aximum" in word and value < whole[word])}
    if "description" in old:
        whole["description"] = old["description"]
    if "items" in new:
        whole["items"] = merged(old.get("items", {}), new["items"])
    if "properties" in new:
        before, ours = old.get("properties", {}), new["properties"]
        kept = set(old.get("required", new["required"])) | (set(new["required"]) - before.keys())
        whole["required"] = [key for key in (*ours, *more) if key in kept]
        whole["properties"] = {key: merged(before.get(key, {}), ours[key]) for key in ours}
        whole["properties"] |= {key: before[key] for key in more if key in before}
    return whole | {word: value for word, value in old.items() if word == "$defs"}


def from_tables(part, tables, seen):
    """The schema with each object that names its table brought up to date; `seen` collects the names."""
    if isinstance(part, list):
        return [from_tables(item, tables, seen) for item in part]
    if not isinstance(part, dict):
        return part
    part = {key: from_tables(value, tables, seen) for key, value in part.items()}
    match = re.fullmatch(r"table (\w+)(?:, and (.*))?", part.get("$comment", ""))
    if not match:
        return part
    seen.add(match[1])
    whole = merged(part, tables[match[1]], (match[2] or "").split())
    return whole | {word: part[word] for word in ("type",) if word in part}  # the user of a table says whether null may stand there


def check_tables(program, write):
    tables, seen = json.loads(subprocess.run([program], capture_output=True, check=True).stdout), set()
    for path in sorted(documents.SCHEMAS.iterdir()):
        text = laid_out(from_tables(json.loads(path.read_text()), tables, seen)) + "\n"
        if write:
            path.write_text(text)
        elif path.read_text() != text:
            yield f"docs/schema/{path.name}: not as its tables say; run tests/rules/schemas.py . {program} --write"
    for name in sorted(tables.keys() - seen):
        yield f"tests/support/table_schemas.c: no schema names the table {name}"


def check_schemas():
    files = {path.name.removesuffix(".schema.json") for path in documents.SCHEMAS.iterdir()}
    used = {schema for rows in documents.PRINTED.values() for _, schema in rows}
    used |= set(documents.WRITTEN.values()) | documents.POSTED | documents.SERVED | documents.LINES
    for name in sorted(files ^ used):
        yield f"docs/schema/{name}.schema.json: " + ("of no document" if name in files else "not there")
    formats = (ROOT / "docs/formats.md").read_text()
    for name in sorted(files & used):
        schema = documents.read_schema(name)
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            yield f"docs/schema/{name}.schema.json: {error.message}"
        if f"(schema/{name}.schema.json)" not in formats:
            yield f"docs/formats.md: no line leads to {name}.schema.json"


def main():
    faults = [*check_tables(sys.argv[2], "--write" in sys.argv), *check_commands(), *check_schemas(), *check_outcomes()]
    print("\n".join(faults) or "every document has its schema")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
