# SPDX-License-Identifier: Apache-2.0
"""A run's output from a stranger: nothing in it may change where is posted, what it says of itself, or what a reader's
browser and inbox do with it."""

import copy
import json
import os
import pathlib
import re
import subprocess
import unittest

import test_ci
from job import DATA, job

HOME = None

BAD_NAMES = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[click](https://evil.example)",
             "![x](https://evil.example/track.png)", "@everyone", "fixes #1", "owner/repo#2", "--> <!-- pawl:verdict -->",
             "</details></table>", "a|b\n| c |", "```\n# head\n```", "`x` @admin", "\u202emoc.live\u202c", "\x1b[31mred",
             "javascript:alert(1)", "%0A::error::x", "::add-mask::x\n::error::y", "a\r\n::error::z", "&lt;b&gt;",
             "$(touch /tmp/x)", "../../../etc/passwd"]


def without_code(body):
    """The body as a reader's eyes and GitHub's link maker see it: without what is code."""
    body = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", body)
    body = re.sub(r"(?s)<code>.*?</code>", "", body)
    return re.sub(r"`[^`\n]*`", "", body)


class Hostile(unittest.TestCase):
    def inject(self, j, text):
        """A report that can be posted, with this text wherever the base does not say what stands there."""
        j.base()
        results = json.loads((DATA / "slower.json").read_text())
        new = {**results["results"][0], "kernel_name": "PLACE", "case": "PLACE "}
        verdict = j.judged({**results, "results": [*results["results"], new]})
        measured = json.loads((j.work / "perf/out/results.json").read_text())
        row = next(row for row in verdict["comparisons"] if row["kernel_name"] == "PLACE")
        verdict["comparisons"].append({**row, "case": "PLACE  ", "verdict": "inconclusive"})
        measured["results"].append({**new, "case": "PLACE  "})
        verdict["totals"].update(configurations=4, inconclusive=1)
        for row in verdict["comparisons"]:
            row.update(reason="PLACE", baseline_commit="PLACE", baseline_timestamp="PLACE", cliffs_label="PLACE")
        for key in ("hardware_name", "toolchain", "timestamp"):
            verdict[key] = measured[key] = "PLACE"
        verdict["notices"] = ["PLACE"]
        verdict["baseline_moves"] = [{"kernel_name": "PLACE", "case": "PLACE", "hardware": "PLACE", "kind": "PLACE",
                                      "from_ms": 2.0, "to_ms": 1.0, "git_commit": "PLACE", "timestamp": "PLACE",
                                      "reason": "PLACE"}]
        verdict["checks"] = [{"kernel_name": "PLACE", "checks": 1, "passed": 1, "failed": 0, "unsupported": 0, "failures": []}]
        verdict["builds"] = [{"kernel_name": "PLACE", "ok": True, "diagnostics": "PLACE"}]
        for name, document in (("verdict", verdict), ("results", measured)):
            text_of = json.dumps(document).replace("PLACE", json.dumps(text)[1:-1])
            (j.work / f"perf/out/{name}.json").write_text(text_of)

    def test_markup_mentions_and_commands(self):
        for text in BAD_NAMES:
            with job(HOME) as j:
                self.inject(j, text)
                j.report()
                body = j.forge.comments[7][0]["body"]
                seen = without_code(body)
                for bad in ("<script", "<img", "evil.example", "@", "#1", "#2", "javascript:", "\u202e", "\x1b",
                            "onerror", "passwd", "touch"):
                    self.assertNotIn(bad, seen, f"{text!r} becomes {seen}")
                self.assertEqual("U+202E" in body, "\u202e" in text)  # shown as its code point
                self.assertEqual(re.findall(r"<!--.*?-->", seen),
                                 ["<!-- pawl:verdict -->", "<!-- pawl-state: failed 123.1 -->"])
                self.assertEqual(seen.count("<details>"), seen.count("</details>"))
                for line in body.splitlines():
                    self.assertTrue(not line.startswith("|") or line.endswith("|"), line)
                check = next(iter(j.forge.check_runs.values()))
                self.assertEqual([(a["path"], a["start_line"], a["title"]) for a in check["annotations"]],
                                 [("pawl.yaml", 1, "regression")] * 2 + [("pawl.yaml", 1, "inconclusive")])

    def test_compilers_words(self):
        with job(HOME) as j:
            verdict = j.measured("build_failed.json")
            verdict["builds"] = [{"kernel_name": "k", "ok": False, "diagnostics":
                                  "```\n@admin <b> [x](https://evil.example)\n````\n../../../etc/passwd:1: error"}]
            verdict["verdict"] = "build_failed"
            verdict["failed"] = True
            j.write(verdict)
            j.report()
            self.assertNotIn("evil.example", without_code(j.forge.comments[7][0]["body"]))
            check = next(iter(j.forge.check_runs.values()))
            self.assertEqual((check["annotations"][0]["path"], check["annotations"][0]["start_line"]), ("pawl.yaml", 1))

    def test_what_the_job_shows_of_a_compilers_words(self):
        """Twelve kernels that do not build: workflow commands of one line each, and a summary that replaces itself."""
        with job(HOME) as j:
            done = j.pawl("init", "--example", "minimal", ".")
            self.assertEqual(done.returncode, 0, done.stderr)
            kernels = "".join(f"  k{i}: {{operator: scale, device: cpu, sources: [bad.c]}}\n" for i in range(12))
            suite = (j.work / "pawl.yaml").read_text()
            (j.work / "pawl.yaml").write_text(suite[:suite.index("  scale_cpu:")] + kernels + suite[suite.index("cases:"):])
            (j.work / "bad.c").write_text('#pragma message "a\\n::add-mask::b"\n#error %0A::error::c @admin\n')
            summary = pathlib.Path(j.environment["GITHUB_STEP_SUMMARY"])
            summary.write_text("of another command\n")
            j.event("push", {"repository": {"default_branch": "main"}})
            for _ in range(2):
                done = j.ci("measure", expect=1, GITHUB_TOKEN=None)
                commands = [line for line in done.stdout.splitlines() if "::" in line and not line.startswith(" ")]
                self.assertEqual(len([line for line in commands if line.startswith("::error file=bad.c,line=2,")]), 10, commands)
                self.assertTrue(all(line.startswith(("::error file=", "::warning file=")) for line in commands), commands)
                self.assertIn("%250A::error::c", commands[0])
                self.assertRegex(done.stdout, r"(?m)^the report has \d+ more findings$")
                text = summary.read_text()
                self.assertTrue(text.startswith("of another command\n"))
                self.assertEqual(text.count("<!-- pawl:summary -->"), 1)
                self.assertNotIn("@admin", without_code(text))

    def nothing_is_claimed(self, j):
        """The check run has failed, without a word of the output, and there is no comment."""
        self.assertEqual(j.forge.comments, {})
        checks = [(c["status"], c["conclusion"], c["annotations"]) for c in j.forge.check_runs.values()]
        self.assertEqual(checks, [("completed", "failure", [])])
        self.assertIn("NO VERDICT", next(iter(j.forge.check_runs.values()))["output"]["summary"])

    def refused(self, verdict, words=None):
        with job(HOME) as j:
            if not isinstance(verdict, (str, bytes)):
                verdict = verdict(j, j.measured("slower.json"))
            else:
                j.measured("slower.json")
            j.write(verdict)
            done = j.report(expect=65)
            self.nothing_is_claimed(j)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertLess(len(done.stderr), 2100)
            if words:
                self.assertIn(words, done.stderr)

    def test_forged_numbers(self):
        def claim(**changes):
            return lambda j, v: {**v, **changes}

        def rows(**changes):
            return lambda j, v: {**v, "comparisons": [{**r, **changes} for r in v["comparisons"]]}

        self.refused(claim(verdict="maintained", failed=False), "its rows give 'regression'")
        self.refused(claim(failed=False))
        self.refused(lambda j, v: {**v, "totals": {**v["totals"], "regressions": 0}}, "totals.regressions")
        self.refused(rows(verdict="maintained"))
        self.refused(rows(verdict="excellent"), "must be new")
        self.refused(rows(baseline_time_ms=-1), "greater than 0")
        self.refused(rows(current_time_ms="fast"))
        self.refused(rows(cliffs_delta=9))
        self.refused(rows(mann_whitney_p=-3))
        self.refused(rows(kernel_name="k" * 300), "longer than")
        self.refused(rows(kernel_name=7))
        self.refused(rows(config=[]))
        self.refused(claim(schema_version=99))
        self.refused(claim(comparisons={}))
        self.refused(claim(comparisons=[1]))
        self.refused(claim(comparisons=[{}] * 10001))
        self.refused(claim(notices=[3]))
        self.refused(claim(checks=[{"kernel_name": "k", "checks": 10**9, "passed": 10**9, "failed": 0,
                                    "unsupported": 0, "failures": []}]))
        self.refused(claim(checks=[{"kernel_name": "k", "checks": 1, "passed": 1, "failed": 5, "unsupported": 0,
                                    "failures": []}]), "do not match")

    def test_changes_are_computed_not_believed(self):
        with job(HOME) as j:
            verdict = j.measured("slower.json")
            for row in verdict["comparisons"]:
                row.update(delta_pct=99.0, improvement_pct=99.0, speedup=100.0)
            j.write(verdict)
            j.report()
            self.assertIn("12.4 % slower", j.forge.comments[7][0]["body"])
            self.assertNotIn("99.0 %", j.forge.comments[7][0]["body"])

    def test_paired_verdicts_are_judged_again(self):
        blocks = [{"base_ms": 2.0, "candidate_ms": 1.0, "spoiled": None, "first": f} for f in ("base", "candidate")] * 10  # faster, whatever the row says
        paired = {"kernel_name": "k", "case": "c", "anchor": "a" * 40, "anchor_kind": "[x](https://evil.example)",
                  "policy": {"rule": 3, "tolerate": 0.01, "detect": 0.03, "false_alarm": 0.001, "miss": 0.01,
                             "max_blocks": 60, "comparisons": 2}, "seed": 42, "blocks": blocks}

        def forge(j, v):
            v["comparisons"][0]["paired"] = paired
            return v
        self.refused(forge, "its blocks give 'improvement'")

        with job(HOME) as j:  # the same blocks where they agree with the row
            verdict = j.measured("faster.json")
            j.forge.merge_base = "a" * 40
            for row in verdict["comparisons"]:
                row["paired"] = {**paired, "kernel_name": row["kernel_name"], "case": row["case"]}
            j.write(verdict)
            j.report()
            body = j.forge.comments[7][0]["body"]
            self.assertIn("Measured in pairs", body)
            self.assertNotIn("evil.example", body)

        def heavy(j, v):
            row = v["comparisons"][0]
            policy = {**paired["policy"], "max_blocks": 1000}
            v["comparisons"] = [{**row, "case": f"c{i}", "paired": {**paired, "policy": policy}} for i in range(100)]
            return v
        self.refused(heavy)

    def test_shapes_of_the_file(self):
        for text in ("", "nonsense", "[]", "null", "[" * 100000, '{"a":' * 5000, '{"verdict": "new", "verdict": "new"}',
                     '{"schema_version": 1e999}', '{"schema_version": NaN}', '{"a": "\\u0000"}', '{"a": "\\ud800"}'):
            self.refused(text)

    def test_a_gigabyte(self):
        with job(HOME) as j:
            path = j.work / "perf/out/verdict.json"
            with open(path, "wb") as file:
                file.truncate(1 << 30)
            done = j.report(expect=65)
            self.assertIn("larger than the limit", done.stderr)
            j.measured("noise.json")
            with open(j.work / "perf/out/results.json", "wb") as file:
                file.truncate(1 << 30)
            done = j.report(expect=65)  # without the samples there is nothing to judge by
            self.assertIn("its times give 'missing'", done.stderr)
            self.nothing_is_claimed(j)

    @unittest.skipIf("PAWL_TEST_SANITIZED" in os.environ, "a sanitizer needs more addresses than the limit")
    def test_little_text_that_takes_much_memory(self):
        """As a zip bomb: within the limit of bytes, a hundred times that once it is parsed."""
        with job(HOME) as j:
            j.base()
            for text in ("[" + "[]," * 21000000 + "[]]", "{" + ",".join(f'"{i}":1' for i in range(4500000)) + "}",
                         '{"comparisons": [' + "{}," * 20000000 + "{}]}"):
                j.write(text)
                done = subprocess.run(["bash", "-c", "ulimit -v 600000; exec pawl ci report"], cwd=j.work,
                                      env=j.environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertIn("has more than", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_links_folders_and_pipes_are_no_files(self):
        for kind in ("folder", "fifo", "device", "link"):
            with job(HOME) as j:
                j.measured("noise.json")
                for name in ("verdict.json", "results.json"):
                    path = j.work / "perf/out" / name
                    path.rename(path.with_suffix(".kept"))
                    if kind == "folder":
                        path.mkdir()
                    elif kind == "fifo":
                        os.mkfifo(path)
                    else:  # a good one elsewhere could be a file that only this job may read
                        path.symlink_to("/dev/zero" if kind == "device" else path.with_suffix(".kept"))
                done = j.report(expect=65)
                self.assertEqual(done.stderr.splitlines(),
                                 ["pawl: 'perf/out/verdict.json' is not a regular file: it is a link, a folder or a device"])
                self.nothing_is_claimed(j)
                (j.work / "perf/out/verdict.json").rename(j.work / "gone")
                (j.work / "perf/out/verdict.kept").rename(j.work / "perf/out/verdict.json")
                self.assertIn("its times give 'missing'", j.report(expect=65).stderr)

    def test_the_artifact_says_nothing_of_the_place(self):
        with job(HOME) as j:
            verdict = j.measured("noise.json")
            verdict.update(number=1, pull_request=1, repository="evil/repo", sha="e" * 40,
                           url="https://evil.example", api_url="https://evil.example")
            j.write(verdict)
            (j.work / "perf/out/report.md").write_text("[x](https://evil.example) @everyone")
            (j.work / "perf/out/pr_number").write_text("1")
            j.report()
            self.assertEqual(list(j.forge.comments), [7])
            self.assertNotIn("evil.example", json.dumps(j.forge.comments))
            self.assertNotIn("@everyone", json.dumps(j.forge.comments))

    def test_environment_of_nonsense(self):
        with job(HOME) as j:
            j.measured("noise.json")
            for name, value, status in (("GITHUB_REPOSITORY", "../../evil", 64), ("GITHUB_REPOSITORY", "a/b/c", 64),
                                        ("GITHUB_REPOSITORY", None, 64), ("GITHUB_API_URL", "ftp://x", 64),
                                        ("GITHUB_API_URL", "https://user:pass@x", 64), ("GITHUB_EVENT_PATH", "/", 65),
                                        ("GITHUB_EVENT_PATH", "/nowhere", 66), ("GITHUB_TOKEN", "a b\nc", 64)):
                j.report(expect=status, **{name: value})
            self.assertEqual(j.forge.requests, [])


class Claims(unittest.TestCase):
    """A good run of which one field is forged: the base, the other files or the field's own relatives contradict it."""

    def refused(self, words, change, **run):
        """Refused with these words; None: posted, and green."""
        with job(HOME) as j:
            verdict = test_ci.Recompute().run_of(j, **run)
            results = json.loads((j.work / "perf/out/results.json").read_text())
            change(verdict, results, j)
            j.write(verdict)
            (j.work / "perf/out/results.json").write_text(json.dumps(results))
            done = j.report(expect=65 if words else 0)
            if words:
                self.assertIn(words, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertEqual([check["conclusion"] for check in j.forge.check_runs.values()], ["failure" if words else "success"])

    def rows(self, **changes):
        """Changes of both rows of the verdict."""
        return lambda v, r, j: [row.update(changes) for row in v["comparisons"]]

    def paired(self, change):
        """A change of the first row's blocks."""
        return lambda v, r, j: change(v["comparisons"][0]["paired"])

    def unpaired(self, v, r, j):
        """Both rows judged by their samples beside a baseline of this machine."""
        entries = []
        for row, result in zip(v["comparisons"], r["results"]):
            row.update(paired=None, verdict="no significant difference")
            result["performance"] = {"median_ms": 2.0, "samples_ms": [1.999, 2.0, 2.001] * 7}
            entries.append({"kernel_name": "fa", "case_name": row["case"], "hardware": "h", "config": row["config"],
                            "median_ms": 2.0, "samples_ms": [1.999, 2.0, 2.001] * 7, "git_commit": "b" * 40})
        (j.work / "perf/baseline.json").write_text(json.dumps({"schema_version": 1, "entries": entries, "moves": []}))

    def test_a_dirty_tree_and_files_of_other_runs(self):
        self.refused("dirty tree", lambda v, r, j: v.update(dirty=True))
        self.refused("results.json is of a dirty tree", lambda v, r, j: r.update(dirty=True))
        self.refused("but results.json of 'bbbb", lambda v, r, j: r.update(commit="b" * 40))
        self.refused("of hardware 'h', but results.json of 'i'", lambda v, r, j: r.update(hardware="i"))
        self.refused("of hardware 'h', but results.json of 'unknown'", lambda v, r, j: r.pop("hardware"))

    def test_another_shape(self):
        for config in ({"S": 8, "dtype": "f32"}, {"S": 64, "dtype": "f16"}, {"dtype": "f32"}, {"S": 64}, {}):
            self.refused("but the base's case has 'S=64,dtype=f32'", lambda v, r, j: (
                v["comparisons"][0].update(config=config), r["results"][0].update(config=config)))
        self.refused("but results.json has 'S=32", lambda v, r, j: r["results"][0].update(config={"S": 32, "dtype": "f32"}))

        def default(v, r, j):  # a value that the suite leaves to the operator
            self.unpaired(v, r, j)
            path = j.work / "perf/baseline.json"
            path.write_text(path.read_text().replace('"S": 64,', '"S": 64, "B": 8,'))
            v["comparisons"][0].update(config={"S": 64, "B": 1, "dtype": "f32"}, verdict="new")
            v["totals"].update(maintained=1, new=1)
            v.update(verdict="new")
            r["results"][0].update(config={"S": 64, "B": 1, "dtype": "f32"})
        self.refused("but its baseline has 'B=8,S=64", default)
        self.refused(None, lambda v, r, j: (v["comparisons"][0].update(config={"S": 64, "B": 8, "dtype": "f32"}),
                                            r["results"][0].update(config={"S": 64, "B": 8, "dtype": "f32"})))

    def test_another_machine(self):
        def elsewhere(v, r, j):
            self.unpaired(v, r, j)
            for document in (v, r):
                document.update(hardware="unknown to the baseline")
            v.update(verdict="new")
            self.rows(verdict="new")(v, r, j)
            v["totals"].update(maintained=0, new=2)
        self.refused("on 'unknown to the baseline', but its baseline on 'h'", elsewhere)

        def device(**facts):
            def change(v, r, j):
                v["comparisons"][0]["paired"]["gpu"] = "GPU-1"
                for document in (v, r):
                    document.update(hardware="cuda H200")
                r["results"][0]["environment"] = {"device": {"identity": "cuda H200", "uuid": "GPU-1", **facts}}
            return change
        self.refused(None, device())
        self.refused(None, device(identity="cpu Xeon"))  # a kernel of the CPU beside those of the GPU
        self.refused("was measured on 'cuda H100', but the run on 'cuda H200'", device(identity="cuda H100"))
        self.refused("blocks of one GPU and samples of another", device(uuid="GPU-2"))

    def test_the_balance_of_places(self):
        def always(paired):
            for block in paired["blocks"]:
                block["first"] = "base"
        self.refused("no balance of places: in block 2", self.paired(always))
        self.refused("no balance of places: in block 1", self.paired(lambda p: [block.pop("first") for block in p["blocks"]]))
        self.refused("no balance of places: in block 2", self.paired(lambda p: p["blocks"][1].update(first="neither")))

        def spoiled(paired):  # the repeat of a block that was disturbed takes its place
            paired["blocks"].insert(1, {**paired["blocks"][1], "spoiled": "busy"})
        self.refused(None, self.paired(spoiled))

        def left_out(paired):
            paired["blocks"][3]["spoiled"] = "busy"
        self.refused("no balance of places: in block 5", self.paired(left_out))

        def confirmed(first):
            return self.paired(lambda p: p.update(confirmation=[{**block, "first": first or block["first"]} for block in p["blocks"]]))
        run = {"verdict": "improvement", "slowdown": -0.2}
        self.refused(None, confirmed(None), **run)
        self.refused("in confirming block 2", confirmed("candidate"), **run)

    def test_times_that_are_none(self):
        for time in (-1.0, 0, None, "2.0"):
            self.refused("blocks", self.paired(lambda p: p["blocks"][0].update(candidate_ms=time)))
        for time in (float("inf"), float("nan")):
            self.refused("not valid JSON", self.paired(lambda p: p["blocks"][0].update(candidate_ms=time)))

    def test_figures_that_the_samples_do_not_give(self):
        self.refused(None, self.unpaired)
        for changes in ({"current_time_ms": 2000.0}, {"baseline_time_ms": 2000.0}, {"current_time_ms": 1.99}):
            def claim(v, r, j):
                self.unpaired(v, r, j)
                v["comparisons"][1].update(changes)
            self.refused("its samples and its baseline give 2 ms and 2 ms", claim)

        def of_processes(v, r, j):
            self.unpaired(v, r, j)
            r["results"][0]["processes"] = [{"samples_ms": [3.0] * 7} for _ in range(3)]
        self.refused("has other samples than its processes", of_processes)

        def median(v, r, j):
            self.unpaired(v, r, j)
            r["results"][0]["performance"]["median_ms"] = 1.0
        self.refused("its times give 'missing'", median)

    def test_samples_that_are_not_of_the_blocks(self):
        def samples(base, candidate):
            return self.paired(lambda p: p.update(base_samples_ms=base, candidate_samples_ms=candidate))
        self.refused(None, samples([1.9, 2.1] * 20, [1.9, 2.1] * 20))
        for times in ((2000.0, 2000.0), (2.0, 1.0), (-2.0, 2.0)):  # another unit, a faster candidate, a time that is none
            self.refused("samples", samples([times[0]] * 20, [times[1]] * 20))

    def test_a_check_that_did_not_run(self):
        def check(**changes):
            return lambda v, r, j: v["checks"][0].update(changes)
        self.refused("'fa' was measured, but not checked", lambda v, r, j: v.update(checks=[]))
        self.refused("'fa' was measured, but not checked", check(kernel_name="fb"))
        self.refused("has 0 rows, of which 0 passed", check(checks=0, passed=0))
        self.refused("has 1 rows, of which 1 passed, but the base's matrix has at least 2", check(checks=1, passed=1))
        self.refused("has 6 rows, of which 0 passed", check(passed=0, unsupported=6))
        self.refused("left out large shapes", check(reduced=True))

        def spelled_out(v, r, j):
            """A third case has the shape of the first: it spells out a default."""
            path = j.work / "pawl.yaml"
            path.write_text(path.read_text() + "  again: {operator: attention, S: 64, B: 1, dtype: f32}\n")
            shape = {"S": 64, "B": 1, "dtype": "f32"}
            for rows in (v["comparisons"], r["results"]):
                rows[0].update(config=shape)
                rows.append({**copy.deepcopy(rows[0]), "case": "again"})
            v["comparisons"][2]["paired"]["case"] = "again"
            for row in v["comparisons"]:
                row["paired"]["policy"]["comparisons"] = 3
            v["totals"].update(maintained=3, configurations=3)
            check(checks=2, passed=2)(v, r, j)
        self.refused(None, spelled_out)
        self.refused("has 1 rows, of which 1 passed, but the base's matrix has at least 2",
                     lambda v, r, j: (spelled_out(v, r, j), check(checks=1, passed=1)(v, r, j)))

        def matrix(v, r, j):
            path = j.work / "pawl.yaml"
            path.write_text(path.read_text() + "check: {attention: {S: [8, 16, 32], dtype: [f32, f16]}}\n")
        self.refused(None, matrix)
        self.refused("but the base's matrix has at least 6", lambda v, r, j: (matrix(v, r, j), check(checks=5, passed=5)(v, r, j)))

    def test_code_that_is_the_same_needs_no_check(self):
        def same(v, r, j):
            v.update(checks=[])
            r.update(results=[])
            for row in v["comparisons"]:
                row["paired"].update(identical_code=True)
        self.refused(None, same)
        self.refused("'fa' was measured, but not checked",
                     lambda v, r, j: (same(v, r, j), v["comparisons"][1]["paired"].update(identical_code=False)))

    def test_rows_of_another_suite(self):
        def other(v, r, j):
            for row in (v["comparisons"][0], r["results"][0]):
                row.update(kernel_name="other")
            v["comparisons"][0]["paired"]["kernel_name"] = "other"
        self.refused("the base has no such kernel", other)

        def new(v, r, j):  # a change may bring a kernel along, but the default branch knows all of its own
            v["comparisons"].append({**v["comparisons"][0], "kernel_name": "other", "paired": None, "verdict": "new",
                                     "baseline_time_ms": None, "current_time_ms": None})
            r["results"].append({**r["results"][0], "kernel_name": "other"})
            v["totals"].update(configurations=3, new=1)
            v.update(verdict="new")
        self.refused(None, new)
