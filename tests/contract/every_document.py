#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl report` reads every document of docs/schema, as Markdown, text and a page: each schema gives a document, by its
own words, or a command writes one.

Usage: every_document.py BUILD"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import documents  # noqa: E402
import sample_results  # noqa: E402
import staged  # noqa: E402

SCHEMAS = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in (ROOT / "docs/schema").glob("*.json")}
for line in documents.LINES:
    del SCHEMAS[line]  # a line of a file is no document
DATA = sample_results.folder()
# Documents that must agree with themselves come from a command; FOLDER is a repository with the minimal example.
WRITTEN = {
    "results": ["cat", DATA / "base.json"],
    "comparison": ["pawl", "--json", "compare", DATA / "base.json", DATA / "mixed.json"],
    "verdict": ["pawl", "--json", "ratchet", DATA / "base.json"],
    "baseline": ["sh", "-c", f"pawl -q ratchet {DATA / 'base.json'} --update >&2; cat perf/baseline.json"],
    "check": ["pawl", "--json", "check", "--reduced"],
}


PATTERNS = ["12345678", "0" * 32, "0" * 40, "2026-11-22T10:00:00", "2026-11-22 10:00:00", "a_name"]


class Maker:
    """Makes a document that a schema allows: every property, one item in each list; `hostile` ends each free text."""

    def __init__(self, schema, hostile=""):
        self.schema, self.hostile, self.texts = schema, hostile, []

    def make(self, schema, name="document"):
        if "$ref" in schema:
            return self.make(self.schema["$defs"][schema["$ref"].rsplit("/", 1)[1]], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        if not schema.get("type") and not schema.get("properties"):
            for words in ("oneOf", "anyOf"):
                if words in schema:
                    return self.make(schema[words][0], name)
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = kind[0]
        if kind == "object":
            made = {key: self.make(value, key) for key, value in schema.get("properties", {}).items()}
            for words in ("oneOf", "allOf"):
                for part in schema.get(words, [])[:1]:
                    made.update({key: self.make(value, key) for key, value in part.get("properties", {}).items()})
            if not made and isinstance(schema.get("additionalProperties"), dict):
                made["A"] = self.make(schema["additionalProperties"], "A")
            return made
        if kind == "array":
            return [self.make(schema["items"], name)] * max(schema.get("minItems", 1), 1) if "items" in schema else []
        if kind == "string":
            if "pattern" in schema:
                return next(text for text in PATTERNS if re.search(schema["pattern"], text))
            self.texts.append(f"the_{name}")
            return f"the_{name}{self.hostile}"
        number = min(schema.get("maximum", 2), 2)
        return {"number": number, "integer": number, "boolean": True, "null": None}[kind]


def outside(part, key=""):
    """The keys other than those of code and blocks that hold a text from outside."""
    if isinstance(part, dict):
        return {found for name, value in part.items() for found in outside(value, name)}
    if isinstance(part, list):
        return {found for value in part for found in outside(value, key)}
    return {key} if isinstance(part, str) and "<script" in part and key not in ("code", "text") else set()


class EveryDocument(unittest.TestCase):
    build = home = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pawl-report-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = staged.environment(self.home, self.folder / "home")

    def run_command(self, words, status=0):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, timeout=100,
                              env=self.environment, stdin=subprocess.DEVNULL)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def reports(self, document):
        """The reports that `pawl report` makes from a document: Markdown, text, a page."""
        (self.folder / "a.json").write_text(json.dumps(document))
        self.run_command(["pawl", "report", "a.json", "-o", "a.md"])
        self.run_command(["pawl", "report", "a.json", "-o", "a.txt"])
        self.run_command(["pawl", "report", "a.json", "-o", "page.html"])
        page = re.fullmatch(r"pawl\.take\((.*)\);\n", (self.folder / "page.html/data/report.js").read_text(), re.DOTALL)[1]
        jsonschema.validate(json.loads(page), SCHEMAS["report"])
        return [(self.folder / name).read_text() for name in ("a.md", "a.txt")] + [page]

    def made(self, name, hostile=""):
        """(document, its free texts) by its schema alone; of alternatives the first and the last."""
        schema = SCHEMAS[name]
        alternatives = schema.get("oneOf", [schema])
        if schema.get("properties"):
            alternatives = [schema]
        for alternative in alternatives[:1] + alternatives[1:][-1:]:
            maker = Maker(schema, hostile)
            document = maker.make(alternative)
            jsonschema.validate(document, schema)
            yield document, maker.texts

    def test_every_schema_has_a_reader(self):
        self.run_command(["pawl", "-q", "init", "--example", "minimal", "."])
        for name in sorted(SCHEMAS):
            if name in WRITTEN:
                out, _ = self.run_command(WRITTEN[name], None)
                documents = [(json.loads(out), [])]
                jsonschema.validate(documents[0][0], SCHEMAS[name])
            else:
                documents = list(self.made(name))
            for document, texts in documents:
                with self.subTest(name):
                    for report in self.reports(document):
                        shown = sum(text in report for text in set(texts))
                        self.assertGreaterEqual(shown, min(len(set(texts)), 2), f"{name}: {report}")

    def test_text_from_outside_stays_text(self):
        for name in sorted(set(SCHEMAS) - set(WRITTEN)):
            for document, _ in self.made(name, "|<script>x</script>\x1b[31m@someone"):
                with self.subTest(name):
                    markdown, text, page = self.reports(document)
                    self.assertNotIn("\x1b", markdown + text + page)
                    self.assertEqual(outside(json.loads(page)), set())
                    for table in re.findall(r"(?:^\|.*\n)+", markdown, re.M):  # a text adds no cell
                        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
                        self.assertEqual(len(cells), 1, table)

    def test_what_is_no_such_document_is_refused(self):
        for document, says in [({"schema_version": 9, "finalists": []}, "schema_version"), ({"agrees": True}, "schema_version"),
                               ({"schema_version": 1, "sanitizer": 3}, "no list"),
                               ({"schema_version": 1, "best_found": [3]}, "no list")]:
            (self.folder / "a.json").write_text(json.dumps(document))
            _, err = self.run_command(["pawl", "report", "a.json"], 65)
            self.assertIn(says, err)
        document, _ = next(self.made("power"))
        (self.folder / "a.json").write_text(json.dumps(document))
        _, err = self.run_command(["pawl", "report", "a.json", "-o", "a.png"], 64)
        self.assertIn("FILE.md, FILE.txt or DIR.html", err)


if __name__ == "__main__":
    EveryDocument.build = pathlib.Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory(prefix="pawl-stage-") as stage:
        EveryDocument.home = staged.install(EveryDocument.build, stage)
        unittest.main(verbosity=1)
