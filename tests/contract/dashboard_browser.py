#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dashboard in a real browser: what a person does with it (dashboard_browser.js). Without Chromium or
playwright-core the tests are skipped with the reason (exit status 77). Usage: dashboard_browser.py BUILD [TEST...]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import side_by_side  # noqa: E402
from dashboard_runs import write_harness_file, write_run  # noqa: E402
from dashboard_server import Served  # noqa: E402

Served.build = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
DRIVER = ROOT / "web/node_modules"


def missing():
    """Why no browser can be tried; None: it can."""
    for program in ("chromium", "node"):
        if not shutil.which(program):
            return f"there is no {program}"
    return None if (DRIVER / "playwright-core").is_dir() else "there is no web/node_modules/playwright-core; run scripts/setup --tests"


def runs_with_a_branch():
    """40 commits of main, of which commit 20 makes a kernel slower and is measured three times; the clock of the runner
    falls back at commit 30; another branch of 12 commits; a kernel that is wrong at last."""
    def point(name, value, i, **rest):
        return {"kernel_name": name, "case": "tiny", "unit": "ms", "value": value * (1 + 0.001 * (i * 7 % 5)), **rest}

    def run(number, i, branch, points):
        return {"schema_version": 1, "id": f"{number:032x}", "source": "run", "time": 1600000000 + 3600 * i - (99999999 if i >= 30 else 0),
                "commit": f"{(0xc0de0000 if branch == 'main' else 0xf00d0000) + i:08x}", "commit_time": 1600000000 + 3600 * i,
                "subject": "Cause a loss (#12)" if i == 20 else f"Change {i}", "branch": branch, "points": points, "baseline_moves": []}
    runs = []
    for i in [*range(40), 20, 20]:
        quiet = [point(name, 1, i) for name in ("quiet10", "quiet2")]
        broken = {"kernel_name": "broken", "case": "tiny", "unit": "ms", "outcome": "wrong", "reason": "off by one"} if i == 39 else point("broken", 3, i)
        runs.append(run(len(runs) + 1, i, "main", [point("slower", 1.2 if i >= 20 else 1, i), *quiet, broken]))
    return runs + [run(100 + i, 25 + i, "pull", [point("slower", 1.5, 0)]) for i in range(12)]


class Browser(Served):
    def walk(self, steps, url=None):
        done = subprocess.run(["node", ROOT / "tests/contract/dashboard_browser.js", shutil.which("chromium"), steps,
                               url or f"http://127.0.0.1:{self.port}/"], env=os.environ | {"NODE_PATH": str(DRIVER)},
                              capture_output=True, text=True, timeout=180)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_person_finds_the_change_and_shares_it(self):
        self.fill()
        self.start()
        self.walk("find_the_change,zoom_and_share,hostile_names,two_sides")

    def test_names_of_another_harness_are_texts(self):
        write_harness_file(self.path / "names.json")
        self.assertEqual(self.pawl("import", "hyperfine", "names.json").returncode, 0)
        self.start()
        self.walk("imported_names")
        self.assertEqual(self.pawl("report", "-o", "site.html").returncode, 0)
        self.walk("imported_names", f"file://{self.path}/site.html/index.html")

    def test_a_person_looks_behind_the_figures(self):
        self.fill()
        self.start()
        self.walk("look_behind_a_run,only_pawl_knows,by_keyboard,machine_that_degrades,narrow_screens")

    def test_an_edit_that_nobody_committed_is_not_the_present(self):
        runs = [{"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": 1600000000 + i, "commit": "c0de0001", "subject": "Innocent",
                 "dirty": i == 1, "baseline_moves": [],
                 "points": [{"kernel_name": "edited", "case": "tiny", "unit": "ms", "value": 9 if i == 1 else 2, "verdict": "regression" if i == 1 else "maintained"}]
                 + ([{"kernel_name": "tried", "case": "tiny", "unit": "ms", "value": 3}] if i == 1 else [])} for i in range(2)]
        (self.path / "edits.ndjson").write_text("".join(json.dumps(run) + "\n" for run in runs))
        self.assertEqual(self.pawl("history", "import", "edits.ndjson").returncode, 0)
        self.start()
        self.walk("uncommitted_edit")

    def test_the_first_page_says_what_changed(self):
        (self.path / "runs.ndjson").write_text("".join(json.dumps(run) + "\n" for run in runs_with_a_branch()))
        self.assertEqual(self.pawl("history", "import", "runs.ndjson").returncode, 0)
        self.start()
        self.walk("what_changed")

    def test_a_person_says_what_a_change_is_and_changes_the_chart(self):
        runs = runs_with_a_branch()
        for run in runs[:42]:
            run["points"][0]["machine"] = "b" if run["commit"] >= "c0de0014" else "a"
        (self.path / "runs.ndjson").write_text("".join(json.dumps(run) + "\n" for run in runs))
        self.assertEqual(self.pawl("history", "import", "runs.ndjson").returncode, 0)
        for words in (["init", "-q"], ["remote", "add", "origin", "https://user:s3cret@github.com/octo/app.git"]):
            subprocess.run(["git", *words], cwd=self.path, check=True)
        (self.path / "token").write_text("a-token_of.the~tests")
        (self.path / "token").chmod(0o600)
        self.start("--token-file", "token")
        self.walk("say_what_it_is")
        self.assertEqual(self.pawl("report", "-o", "site.html").returncode, 0)
        self.assertNotIn("s3cret", (self.path / "site.html/data/site.js").read_text())
        self.process.terminate()
        self.process.wait(10)
        self.start()
        self.walk("change_the_chart")

    def test_many_series_come_in_parts(self):
        points = [{"kernel_name": f"k{i}", "case": "case", "unit": "ms", **({"outcome": "wrong", "reason": "off by one"} if i == 7 else {"value": i})} for i in range(130, 0, -1)]
        run = {"schema_version": 1, "id": "1" * 32, "source": "run", "time": 1600000000, "points": points, "baseline_moves": []}
        (self.path / "run.ndjson").write_text(json.dumps(run) + "\n")
        self.assertEqual(self.pawl("history", "import", "run.ndjson").returncode, 0)
        self.assertEqual(self.pawl("report", "-o", "site.html").returncode, 0)
        self.walk("many_rows", f"file://{self.path}/site.html/index.html")
        self.start()
        self.walk("many_rows")

    def test_shapes_are_told_apart_and_rows_without_a_value_are_hidden(self):
        points = [{"kernel_name": "k", "case": "case", "shape": shape, "unit": "ms", "value": 1} for shape in ("n=1000", "n=2000")]
        points += [{"kernel_name": name, "case": "case", "shape": "n=3000", "unit": "ms", **rest}
                   for name, rest in (("alone", {"value": 2}), ("gone", {"outcome": "absent"}), ("bad", {"outcome": "wrong"}))]
        run = {"schema_version": 1, "id": "1" * 32, "source": "run", "time": 1600000000, "points": points, "baseline_moves": []}
        (self.path / "run.ndjson").write_text(json.dumps(run) + "\n")
        self.assertEqual(self.pawl("history", "import", "run.ndjson").returncode, 0)
        self.assertEqual(self.pawl("report", "-o", "site.html").returncode, 0)
        self.walk("shapes", f"file://{self.path}/site.html/index.html")
        self.start()
        self.walk("shapes")

    def test_an_empty_history_is_explained(self):
        self.start()
        self.walk("empty_history")

    def test_the_folder_opens_from_disk(self):
        self.fill()
        self.assertEqual(self.pawl("report", "-o", "site.html").returncode, 0)
        self.walk("folder,folder_without_the_series,look_behind_a_run,only_pawl_knows,machine_that_degrades", f"file://{self.path}/site.html/index.html")

    def test_the_report_of_a_run_opens_from_disk(self):
        self.fill()
        write_run(self.path)
        self.assertEqual(self.pawl("report", "out", "-o", "run.html").returncode, 0)
        self.walk("report,narrow_report", f"file://{self.path}/run.html/index.html")

    def test_the_report_of_five_thousand_rows_opens_with_the_first(self):
        self.fill()
        write_run(self.path, more=5000)
        self.assertEqual(self.pawl("report", "out", "-o", "run.html").returncode, 0)
        self.walk("many_rows_of_a_run", f"file://{self.path}/run.html/index.html")


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(side_by_side.run([sys.modules[__name__]], "the dashboard in a browser", sys.argv[2:], workers=2))
