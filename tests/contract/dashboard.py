#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dashboard over real sockets: its documents, hostile names, who may see it. Usage: dashboard.py BUILD [TEST...]"""
import gzip
import json
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import documents  # noqa: E402
import side_by_side  # noqa: E402
from dashboard_runs import CHANGE, HOSTILE, MACHINES, RUNS, START, commit, run_of, write_run  # noqa: E402
from dashboard_server import Served  # noqa: E402

Served.build = pathlib.Path(sys.argv[1]).resolve()
TOKEN = "a-token_of.the~tests"


class Dashboard(Served):
    def document(self, path, schema):
        status, headers, body = self.ask(path)
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"), body)
        document = documents.parse(body)
        self.assertEqual(documents.faults(document, schema), [])
        return document

    def test_the_documents_are_as_their_schemas_say(self):
        self.fill()
        self.start()
        overview = self.document("/api/overview", "overview")
        self.assertEqual(overview["series_count"], 2 + len(HOSTILE))
        scale = next(row for row in overview["series"] if row["kernel_name"] == "scale")
        self.assertEqual((scale["stored"], scale["commits"], len(scale["recent"])), (RUNS, RUNS - 1, 60))  # identical code has no value
        self.assertEqual((scale["attention"], scale["changes"][0]["commit"], scale["changes"][0]["commits"]), ("slower", commit(CHANGE), RUNS - CHANGE - 1))
        self.assertAlmostEqual(scale["loss_pct"], 20, delta=3)
        trend = self.document(f"/api/trend?series={scale['id']}&points=30", "trend")["series"][0]
        self.assertEqual(trend["stored"], RUNS)
        self.assertLess(len(trend["points"]), 40)
        self.assertIn(9, [point["value"] for point in trend["points"]])
        self.assertEqual([change["commit"] for change in trend["changes"]], [commit(CHANGE)])
        self.assertEqual([move["to_ms"] for move in trend["moves"]], [2.0, 2.4, 2.25])
        part = self.document(f"/api/trend?series={scale['id']}&from={START + 3600 * 10}&to={START + 3600 * 19}", "trend")["series"][0]
        self.assertEqual(len(part["points"]), 10)
        self.assertEqual(part["changes"], trend["changes"])
        other = self.document(f"/api/trend?series={scale['id']}&branch=other", "trend")["series"][0]
        self.assertEqual((other["line"], other["line_points"], other["changes"], other["branches"]), ("other", 0, [], [{"name": "main", "points": RUNS}]))
        self.assertFalse(any(point["on_line"] for point in other["points"]))

    def test_the_first_page_asks_for_a_part(self):
        self.fill()
        self.start()
        whole = self.document("/api/overview", "overview")["series"]
        for sort, first in (("look", "scale"), ("kernel", "$(id)"), ("change", "scale"), ("best", "scale"), ("nonsense", "scale")):
            rows, part = [], {"pending": 1}
            while part["pending"] or len(rows) < part["matched"]:
                part = self.document(f"/api/overview?sort={sort}&first={len(rows)}&count=3", "overview")
                rows += [] if part["pending"] else part["series"]
            self.assertEqual((rows[0]["kernel_name"], part["series_count"], part["matched"]), (first, len(whole), len(whole)))
            self.assertEqual(sorted(row["id"] for row in rows), sorted(row["id"] for row in whole))
            self.assertEqual([row for row in whole if row["id"] == rows[0]["id"]], rows[:1])
            self.assertEqual(part["counts"], {"failed": 0, "slower": 0, "faster": 0, "slower_before": 1, "explained": 0})
        for words, names in (("SCALE%20tiny", ["scale"]), ("slower", ["scale"]), ("scale%20faster", []), ("%22quotes", []), ("quotes%20%27%22", [HOSTILE[1]])):
            part = self.document(f"/api/overview?q={words}&count=100", "overview")
            self.assertEqual([row["kernel_name"] for row in part["series"]], names, words)
            self.assertEqual(part["matched"], len(names))
        self.assertEqual(self.document("/api/overview?first=99999999999999&count=5", "overview")["series"], [])
        for query in ("count=0", "count=-1", "count=x", "count=99999", "first=-1", "first=99999999999999999999"):
            self.assertEqual(self.ask("/api/overview?" + query)[0], 400, query)

    def test_two_sides_are_compared(self):
        self.fill()
        self.start()
        table = self.document(f"/api/compare?a={commit(CHANGE - 1)}&b={commit(CHANGE)}", "history-compare")
        self.assertEqual([(row["kernel_name"], row["evidence"], row["answer"]) for row in table["rows"]], [("scale", "unpaired", "worse")])
        self.assertTrue(table["mean_low_pct"] < 20 < table["mean_high_pct"])
        paired = self.document(f"/api/compare?a={commit(CHANGE - 1)}&b={commit(CHANGE + 49)}", "history-compare")["rows"][0]
        self.assertEqual(paired["evidence"], "unpaired")  # the anchor of that run is another commit
        status, headers, body = self.ask(f"/api/compare?a={commit(0)}&b=main&format=csv")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/csv; charset=utf-8"))
        self.assertEqual(len(body.splitlines()), 2 + len(HOSTILE))
        for query in ("", "a=main", "a=&b=main", "a=main&b=nothing", "a=--help&b=main", "a=NVIDIA%20H200&b=main"):
            self.assertIn(self.ask("/api/compare?" + query)[0], (400, 404), query)

    def test_what_lies_behind_a_point(self):
        self.fill()
        self.start()
        rows = {row["kernel_name"]: row for row in self.document("/api/overview", "overview")["series"]}
        trend = self.document(f"/api/trend?series={rows['scale']['id']}", "trend")["series"][0]
        self.assertEqual([(row["kernel_name"], row["role"], row["time"]) for row in trend["beside"]], [("torch_default", "reference", START + 3600 * 280)])
        points = {point["time"]: point for point in trend["points"]}
        newest = self.document(f"/api/point?id={trend['points'][-1]['id']}", "point")
        self.assertEqual((newest["machine"], newest["role"], newest["false_alarm"]), (MACHINES[1], "kernel", 0.0005))
        self.assertEqual(newest["result"]["environment"]["device"]["driver"], "570.86")
        self.assertEqual(len(newest["result"]["processes"]), 6)
        self.assertNotIn("samples_ms", newest["result"]["performance"])
        self.assertEqual(len(newest["comparison"]["paired"]["blocks"]), 14)
        changed = self.document(f"/api/point?id={trend['changes'][0]['point']}", "point")
        self.assertEqual(changed["profile"]["counters"]["kernels"][0]["counters"]["dram_pct"], 91)
        oldest = self.document(f"/api/point?id={points[START]['id']}", "point")
        self.assertEqual([oldest[key] for key in ("role", "machine", "base_sd_pct", "false_alarm", "result", "comparison", "profile")], [None] * 7)
        for query in ("", "id=x", "id=-1", "id=999999", "id=99999999999999999999"):
            self.assertIn(self.ask("/api/point?" + query)[0], (400, 404), query)

    def test_a_machine_that_degrades_is_seen(self):
        self.fill()
        self.start()
        machines = {row["machine"]: row["runs"] for row in self.document("/api/machines", "machines")["machines"]}
        self.assertEqual(sorted(machines), sorted(MACHINES))
        steady, degraded = (machines[name][-20:] for name in MACHINES)
        self.assertTrue(all(run["relative"] < 1 for run in steady))
        self.assertTrue(all(run["relative"] > 1.5 for run in degraded))
        everything = [run for runs in machines.values() for run in runs]
        self.assertEqual(sum(run["comparisons"] for run in everything), 199)
        self.assertAlmostEqual(sum(run["false_alarm"] for run in everything), 199 * 0.0005)
        self.assertEqual(sum(run["regressions"] for run in everything), 50)

    def test_an_answer_is_packed_and_sent_once(self):
        """A client that has the answer gets no body, in each encoding; a client without gzip gets plain text."""
        self.fill()
        self.start()
        for path in ("/", "/trend.js", "/api/overview", "/api/trend?series=1", "/api/point?id=1", "/api/machines", "/api/compare?a=main&b=main"):
            _, plain, body = self.ask(path)
            self.assertNotIn("Content-Encoding", plain, path)
            status, packed, bytes_packed = self.ask(path, **{"Accept-Encoding": "br, gzip;q=0.5"})
            self.assertEqual((status, packed["Vary"]), (200, "Accept-Encoding"), path)
            unpacked = gzip.decompress(bytes_packed) if packed.get("Content-Encoding") == "gzip" else bytes_packed
            self.assertEqual(unpacked, body, path)
            self.assertEqual(self.ask(path, **{"Accept-Encoding": "x-gzip, gzip;q=0"})[2], body)
            for sent, encoding in ((plain, "identity"), (packed, "gzip")):
                for tags in (sent["ETag"], f'"x", W/{sent["ETag"]}'):
                    again, headers, nothing = self.ask(path, **{"Accept-Encoding": encoding, "If-None-Match": tags})
                    self.assertEqual((again, headers["ETag"], nothing), (304, sent["ETag"], b""), path)
                self.assertEqual(self.ask(path, **{"Accept-Encoding": encoding, "If-None-Match": '"x"'})[0], 200)
        self.assertLess(len(self.ask("/api/trend?series=1", **{"Accept-Encoding": "gzip"})[2]), 15_000)

    def test_a_new_run_makes_kept_answers_old(self):
        self.fill()
        self.start()
        scale = next(row["id"] for row in self.document("/api/overview", "overview")["series"] if row["kernel_name"] == "scale")
        paths = ["/api/overview", f"/api/trend?series={scale}", "/api/machines"]
        for i in range(3):
            before = [self.ask(path)[1:] for path in paths]
            self.assertEqual([self.ask(path)[2] for path in paths], [body for _, body in before])
            (self.path / "one.ndjson").write_text(json.dumps(run_of(299) | {"id": f"{5000 + i:032x}", "time": START + 3600 * (400 + i)}) + "\n")
            self.assertEqual(self.pawl("history", "import", "one.ndjson").returncode, 0)
            for path, (headers, body) in zip(paths, before):
                status, _, after = self.ask(path, **{"If-None-Match": headers["ETag"]})
                self.assertEqual(status, 200, path)
                self.assertNotEqual(after, body, path)
        self.assertEqual(self.pawl("history", "prune", "--older-than", "1").returncode, 0)
        self.assertEqual(self.document("/api/overview", "overview")["series"], [])

    def test_hostile_names_stay_what_they_are(self):
        self.fill()
        self.start()
        names = {row["kernel_name"] for row in self.document("/api/overview", "overview")["series"]}
        for name in HOSTILE[:2] + HOSTILE[3:4]:
            self.assertIn(name, names)
        for path in ("/../pawl.yaml", "/%2e%2e/pawl.yaml", "/third_party/uplot/README.md", "/index.html%00", "/api", "/" + "x" * 10000):
            self.assertIn(self.ask(path)[0], (404, 414, 431), path)
        for query in ("", "series=x", "series=-1", "series=999999", "series=1&points=1", "series=1&points=1e9", "series=1&from=-1",
                      "series=1;DROP", "series=99999999999999999999"):
            self.assertIn(self.ask("/api/trend?" + query)[0], (400, 404), query)

    def test_it_only_reads(self):
        self.start()
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assertEqual(self.ask("/api/overview", method, b"{}")[0], 405)
        status, headers, body = self.ask("/", "HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertEqual(self.document("/api/overview", "overview")["series"], [])

    def test_slow_clients_keep_nobody_out(self):
        self.start()
        clients = [socket.create_connection(("127.0.0.1", self.port), timeout=5) for _ in range(64)]
        try:
            for client in clients:
                client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
            self.assertEqual(self.ask("/api/overview")[0], 200)
            until = time.monotonic() + 60
            while clients and time.monotonic() < until:  # a byte a second does not keep them in
                time.sleep(1)
                for client in list(clients):
                    try:
                        client.sendall(b"a")
                    except OSError:
                        clients.remove(client)
                        client.close()
            self.assertEqual(clients, [])
        finally:
            for client in clients:
                client.close()

    def test_the_page_allows_nothing_from_elsewhere(self):
        self.start()
        total = 0
        for path in ("/", "/dashboard.css", "/dashboard.js", "/source.js", "/pictures.js", "/triage.js", "/chart.js", "/point.js", "/overview.js", "/report.js", "/trend.js", "/machines.js", "/compare.js", "/third_party/uplot/uPlot.iife.min.js"):
            status, headers, body = self.ask(path)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';"))
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            if "third_party" not in path:
                self.assertNotRegex(body.replace(b"http://www.w3.org/2000/svg", b""), rb"https?://|innerHTML|eval\(")
            total += len(body)
        self.assertLess(total, 150_000)  # with uPlot; the first load may take 300 000 bytes

    def test_no_other_name_leads_here(self):
        self.start()
        for host in ("localhost:1", "127.0.0.1", "[::1]:8788"):
            self.assertEqual(self.ask("/api/overview", Host=host)[0], 200, host)
        for host in ("example.org", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0"):
            self.assertEqual(self.ask("/api/overview", Host=host)[0], 403, host)

    def test_a_token_is_asked_of_everybody(self):
        (self.path / "token").write_text(TOKEN + "\n")
        (self.path / "token").chmod(0o600)
        self.start("--token-file", "token")
        self.assertEqual(self.ask("/")[0], 401)
        self.assertEqual(self.ask("/api/overview", Authorization="Bearer " + TOKEN[:-1])[0], 401)
        self.assertEqual(self.ask("/?token=" + TOKEN + "x")[0], 401)
        self.assertEqual(self.ask("/api/overview", Authorization="Bearer " + TOKEN, Host="example.org")[0], 200)
        status, headers, _ = self.ask("/?token=" + TOKEN)
        self.assertEqual((status, headers["Location"]), (303, "./"))
        self.assertIn("HttpOnly; SameSite=Lax", headers["Set-Cookie"])
        self.assertEqual(self.ask("/", Cookie=headers["Set-Cookie"].split(";")[0])[0], 200)
        self.assertNotIn(TOKEN, (self.path / "log").read_text())

    def test_a_note_needs_the_token_and_the_page(self):
        self.fill()
        self.start()
        series = next(row for row in self.document("/api/overview", "overview")["series"] if row["kernel_name"] == "scale")
        point = series["changes"][0]["point"]
        note = f"/api/note?series={series['id']}&point={point}&state=expected&person=Ada&note=" + urllib.parse.quote("größer <b>")
        self.assertFalse(self.document("/api/site", "site")["may_note"])
        self.assertEqual(self.ask(note, "POST", **{"X-Pawl-Note": "1"})[0], 403)  # without a token nobody is known
        self.process.terminate()
        self.process.wait(10)
        (self.path / "token").write_text(TOKEN + "\n")
        (self.path / "token").chmod(0o600)
        self.start("--token-file", "token")
        known = {"Authorization": f"Bearer {TOKEN}"}
        page = known | {"X-Pawl-Note": "1"}
        before = self.ask("/api/overview", **known)[2]
        self.assertTrue(json.loads(self.ask("/api/site", **known)[2])["may_note"])
        for headers, wanted in (({}, 401), (known, 403), ({"X-Pawl-Note": "1"}, 401)):
            self.assertEqual(self.ask(note, "POST", **headers)[0], wanted, headers)
        for wrong, wanted in ((note.replace("expected", "done"), 400), (note.replace(f"point={point}", "point=1"), 404), (note.replace("series=", "series=x"), 400),
                              (note + "x" * 5000, 400), (note.replace("api/note", "api/trend"), 405)):
            self.assertEqual(self.ask(wrong, "POST", **page)[0], wanted, wrong[:200])
        self.assertEqual(self.ask("/api/overview", **known)[2], before)
        self.assertEqual(self.ask(note, **known)[0], 404)  # reading writes nothing
        self.assertEqual(self.ask(note, "POST", **page)[0], 200)
        row = next(row for row in json.loads(self.ask("/api/overview", **known)[2])["series"] if row["kernel_name"] == "scale")
        change = row["changes"][0]
        self.assertEqual((change["state"], change["person"], change["note"], row["attention"]), ("expected", "Ada", "größer <b>", None))
        self.assertIn("expected by Ada", self.pawl("history", "scale", "--changes").stdout)

    def test_others_need_a_token(self):
        done = self.pawl("serve", "--listen", "0.0.0.0:0")
        self.assertEqual(done.returncode, 64)
        self.assertIn("has no token", done.stderr)
        self.environment["PAWL_DASHBOARD_TOKEN"] = "short"
        done = self.pawl("serve")
        self.assertEqual(done.returncode, 64)
        self.assertNotIn("short;", done.stderr)

    def write_page(self, *source):
        done = self.pawl("report", *source, "-o", "site.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path / "site.html"

    def written(self, site, name, schema):
        text = re.fullmatch(r"pawl\.take\((.*)\);\n", (site / f"data/{name}.js").read_text(), re.DOTALL)[1]
        document = documents.parse(text)
        self.assertEqual(documents.faults(document, schema), [])
        return document

    def test_the_page_is_written_to_a_folder(self):
        self.fill()
        site = self.write_page()
        overview = self.written(site, "overview", "overview")
        self.assertNotIn("report", overview)
        for row in overview["series"]:
            trend = self.written(site, f"trend-{row['id']}", "trend")["series"][0]
            self.assertEqual(trend["kernel_name"], row["kernel_name"])
            for wanted in [point["id"] for point in trend["points"][-10:]] + [change["point"] for change in trend["changes"]]:
                self.written(site, f"point-{wanted}", "point")
        self.assertEqual(len(self.written(site, "machines", "machines")["machines"]), 2)
        self.assertFalse((site / "data/report.js").exists())
        for name in re.findall(r'(?:src|href)="([^"#:]+)"', (site / "index.html").read_text()):
            self.assertTrue((site / name).is_file(), name)
        self.assertEqual(self.pawl("report", "-o", "pawl.yaml/site.html").returncode, 73)
        self.assertEqual(self.pawl("history", "export", "-o", "site.html").returncode, 64)

    def test_a_report_has_the_trends_of_its_rows(self):
        self.fill()
        write_run(self.path)
        site = self.write_page("out")
        overview = self.written(site, "overview", "overview")
        self.assertEqual((overview["report"], [row["kernel_name"] for row in overview["series"]]), (True, [HOSTILE[0], "scale"]))
        trend = self.written(site, f"trend-{overview['series'][1]['id']}", "trend")["series"][0]
        self.assertEqual([move["reason"] for move in trend["moves"]], [None, "a correct result costs " + HOSTILE[0], None])
        report = self.written(site, "report", "report")
        self.assertEqual(report["parts"][0]["content"][0], {"strong": "REGRESSION ACCEPTED"})
        for picture in ("report.svg", "report-dark.svg"):
            self.assertIn(b"</svg>", (site / "data" / picture).read_bytes())
        size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
        self.assertLess(size, 700_000)
        first = sum((site / name).stat().st_size for name in ["index.html", *re.findall(r'(?:src|href)="([^"#:]+)"', (site / "index.html").read_text()),
                                                              "data/overview.js", "data/report.js", "data/report.svg"])
        self.assertLess(first, 311_000)

    def test_a_page_that_is_written_again_keeps_no_document_of_before(self):
        self.fill()
        write_run(self.path)
        site = self.write_page("out")
        data = site / "data"
        (data / "trend-99999999.js").write_text("pawl.take({});\n")
        (data / "point-99999999.js").write_text("pawl.take({});\n")
        foreign = {"trend-99999998.js": "another program's\n", "trend-x.js": "pawl.take({});\n", "point-7.js.bak": "pawl.take({});\n", "notes.js": "pawl.take({});\n"}
        for name, text in foreign.items():
            (data / name).write_text(text)
        self.write_page()
        for name in ("trend-99999999.js", "point-99999999.js", "report.js", "report.svg", "report-dark.svg"):
            self.assertFalse((data / name).exists(), name)
        for name, text in foreign.items():
            self.assertEqual((data / name).read_text(), text)
        overview = self.written(site, "overview", "overview")
        shown = {f"trend-{row['id']}.js" for row in overview["series"]}
        self.assertEqual({file.name for file in data.glob("trend-*.js")} - set(foreign), shown)
        (data / "report.svg").write_text("another program's\n")
        self.write_page()
        self.assertTrue((data / "report.svg").exists())

    def test_a_history_that_cannot_be_written_can_be_read(self):
        """On a read-only mount, and on a full disk; a run that should go in ends with 73."""
        self.fill()
        mount = ["unshare", "-rm", "sh", "-c"]
        if subprocess.run([*mount, "mount -t tmpfs none /mnt"], capture_output=True).returncode:
            self.skipTest("no mounts here")
        read_only = f"mount --bind {self.path} {self.path} && mount -o remount,ro,bind {self.path} && cd {self.path}"
        full = f"mount -t tmpfs -o size=12m none /mnt && cp -r {self.path}/pawl.yaml {self.path}/.pawl /mnt && cd /mnt && dd if=/dev/zero of=fill bs=4k 2>/dev/null"
        run = json.dumps({"schema_version": 1, "id": "f" * 32, "source": "run", "time": 1700000000, "points": [], "baseline_moves": []})
        pawl = self.build / "src/cli/pawl"
        for where in (read_only, f"{full}; true"):
            done = subprocess.run([*mount, f"{where} && {pawl} history scale --changes && echo '{run}' | {pawl} history import /dev/stdin"],
                                  env=self.environment, capture_output=True, text=True)
            self.assertIn(commit(CHANGE), done.stdout, done.stderr)
            self.assertEqual(done.returncode, 73, done.stderr)
            self.assertIn("pawl can only read it", done.stderr)

    def test_rows_without_names_have_no_trends(self):
        self.fill()
        row = {"kernel_name": None, "case": None, "is_regression": False, "verdict": "maintained", "baseline_time_ms": 2.0, "current_time_ms": 2.0}
        (self.path / "a.json").write_text(json.dumps({"schema_version": 1, "comparisons": [row, row | {"kernel_name": "scale"}]}))
        self.assertEqual(self.written(self.write_page("a.json"), "overview", "overview")["series"], [])

    def test_a_report_needs_no_history(self):
        (self.path / "pawl.yaml").unlink()
        write_run(self.path)
        for suite in (None, "version: 1\n", "version: 1\nstore: none\n", "version: 9\n", "version: 1\nstore: sqlite:pawl.yaml\n"):
            if suite:
                (self.path / "pawl.yaml").write_text(suite)
            site = self.write_page("out")
            self.assertEqual(self.written(site, "overview", "overview"), {"schema_version": 1, "series": [], "series_count": 0, "report": True})
            self.assertEqual(self.written(site, "machines", "machines")["machines"], [])
            self.assertFalse((self.path / ".pawl").exists(), "a report makes no history")


if __name__ == "__main__":
    sys.exit(side_by_side.run([sys.modules[__name__]], "the dashboard", sys.argv[2:], workers=2))
