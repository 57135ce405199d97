#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast `pawl serve` answers from a history of a million points (100 series of 10000 runs), to one client and to
20 at once, and the size of the page as files. --series 5000 --runs 200 makes many series instead. The load of the machine
is part of every time; the CPU time is the server's own.
Usage: run.py [--keep FOLDER] [--series N] [--runs N] [--requests N] [--no-pages] PAWL...
PAWL is an installed program. Several programs answer the same requests in turn, so that they share the load of
the machine; the oldest comes first, because a newer pawl brings a copy of its history up to date."""
import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

SERIES, RUNS, CLIENTS, ROWS = 100, 10000, 20, 100
FIRST, STEP = 1500000000, 3600
FIRST_PAGE = f"/api/overview?q=&sort=look&first=0&count={ROWS}"  # an older pawl sends all rows


def verdict_of(i, chance):
    """The blocks of a comparison on one of four machines."""
    return {"verdict": "maintained", "role": "kernel", "machine": f"runner-{i % 4}", "blocks": 13, "base_sd_pct": abs(chance.gauss(0.6, 0.1)),
            "block_sd_pct": abs(chance.gauss(0.8, 0.1)), "false_alarm": 0.00001}


def run_of(i, chance):
    """The line of a run, with a point of each series."""
    points = [{"kernel_name": f"kernel_{k}", "case": "case", "unit": "ms",
               "value": (1 + k) * (1 + chance.gauss(0, 0.01)) * (1.1 if i > 6000 and k % 7 == 0 else 1), **verdict_of(i, chance)} for k in range(SERIES)]
    return json.dumps({"schema_version": 1, "id": f"{chance.getrandbits(128):032x}", "source": "run", "time": FIRST + STEP * i, "commit": f"{i:040x}",
                       "subject": f"Change {i}", "branch": "main", "points": points, "baseline_moves": []}) + "\n"


def add_runs(pawl, folder, lines):
    with (folder / "runs.ndjson").open("w") as out:
        out.writelines(lines)
    subprocess.run([pawl, "-q", "history", "import", "runs.ndjson"], cwd=folder, check=True)
    (folder / "runs.ndjson").unlink()


def fill(pawl, folder):
    if (folder / ".pawl/history.db").exists():
        return
    (folder / "pawl.yaml").write_text("version: 1\n")
    chance = random.Random(1)
    add_runs(pawl, folder, (run_of(i, chance) for i in range(RUNS)))


def copy_history(first, folder):
    """Each program has a history of its own: a newer one changes its tables."""
    if not (folder / ".pawl").exists():
        folder.mkdir(exist_ok=True)
        shutil.copy(first / "pawl.yaml", folder)
        shutil.copytree(first / ".pawl", folder / ".pawl")


class Server:
    def __init__(self, pawl, folder):
        self.process = subprocess.Popen([pawl, "serve", "--listen", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stderr.readline())[1])

    def cpu(self):
        """Milliseconds that the server has worked: other work on the machine does not count."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")

    def ask(self, path):
        """Milliseconds and bytes."""
        return ask_in_turn(self.port, [path])[0]

    def crowd(self, paths):
        """Lets 20 processes ask at once, each for its part of the paths over one connection; milliseconds and bytes."""
        parts = [(self.port, paths[i::CLIENTS]) for i in range(CLIENTS)]
        with multiprocessing.get_context("fork").Pool(CLIENTS) as pool:
            return [row for part in pool.starmap(ask_in_turn, parts, chunksize=1) for row in part]

    def pending(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{FIRST_PAGE}") as answer:
            return json.load(answer).get("pending", 0)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def ask_in_turn(port, paths):
    """Asks as a browser does: it takes gzip, and keeps the connection."""
    connection, answers = http.client.HTTPConnection("127.0.0.1", port), []
    for path in paths:
        begin = time.perf_counter()
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        size = len(answer.read())
        answers.append(((time.perf_counter() - begin) * 1e3, size))
        if answer.status != 200:
            raise SystemExit(f"{path}: the server answers {answer.status}")
    connection.close()
    return answers


def show_row(what, i, answers, cpu):
    times = sorted(milliseconds for milliseconds, _ in answers)
    print(f"| {what} | {i + 1} | {len(times)} | {times[len(times) // 2]:.1f} | {times[int(len(times) * 0.99)]:.1f} "
          f"| {cpu / len(times):.1f} | {max(size for _, size in answers) / 1000:.0f} |", flush=True)


def show(what, servers, paths):
    """A row for each program, of the same requests in turn."""
    before = [server.cpu() for server in servers]
    answers = [[server.ask(path) for server in servers] for path in paths]
    for i, server in enumerate(servers):
        show_row(what, i, [row[i] for row in answers], server.cpu() - before[i])


def show_crowd(what, servers, paths):
    """A row for each program, of the same requests from 20 clients at once."""
    for i, server in enumerate(servers):
        before = server.cpu()
        show_row(f"{what}, {CLIENTS} clients", i, server.crowd(paths), server.cpu() - before)


def measure(servers, requests):
    chance = random.Random(2)

    def part():
        begin = FIRST + STEP * chance.randrange(max(RUNS - 500, 1))
        return f"&from={begin}&to={begin + 500 * STEP}"

    print("| request | program | times | median, ms | p99, ms | CPU, ms | largest, kB |\n|---|---|---|---|---|---|---|")
    for i, server in enumerate(servers):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/") as page:
            names = re.findall(r'(?:src|href)="([^"#:]+)"', page.read().decode())
        first = [server.ask(path) for path in ["/", *("/" + name for name in names), FIRST_PAGE]]
        print(f"| first page, all its files | {i + 1} | 1 | {sum(time for time, _ in first):.1f} | | | {sum(size for _, size in first) / 1000:.0f} |")
    for i, server in enumerate(servers):  # a run has come: pawl looks at all series again, in parts
        before, answers = server.cpu(), []
        while not answers or server.pending():
            answers.append(server.ask(FIRST_PAGE))
        show_row("first rows after a run, until all are known", i, answers, server.cpu() - before)
    show("first rows", servers, [FIRST_PAGE] * (requests // 5))
    show("filtered rows", servers, [f"{FIRST_PAGE}&q=kernel_{chance.randrange(SERIES)}" for _ in range(requests // 5)])
    show("all rows", servers, ["/api/overview"] * (requests // 20))
    show("a whole series, the first look", servers, [f"/api/trend?series={i + 1}" for i in range(min(SERIES, 100))])
    show("a whole series", servers, [f"/api/trend?series={1 + chance.randrange(SERIES)}" for _ in range(requests)])
    show("details of a point", servers, [f"/api/point?id={1 + chance.randrange(SERIES * RUNS)}" for _ in range(requests)])
    show("machines", servers, ["/api/machines"] * (requests // 5))
    show_crowd("first rows", servers, [FIRST_PAGE] * (CLIENTS * max(requests // 50, 5)))
    show_crowd("a whole series", servers, [f"/api/trend?series={1 + chance.randrange(min(SERIES, 100))}" for _ in range(CLIENTS * max(requests // 50, 5))])
    show("500 runs of a series", servers, [f"/api/trend?series={1 + chance.randrange(SERIES)}{part()}" for _ in range(requests)])


def show_pages(pawls, folders):
    """The page as files: seconds, the bytes of the first look, and of all files."""
    print("\n| page of the history | program | seconds | first look, kB | all files, MB |\n|---|---|---|---|---|")
    for i, (pawl, folder) in enumerate(zip(pawls, folders)):
        site = folder / "site.html"
        shutil.rmtree(site, ignore_errors=True)
        begin = time.perf_counter()
        subprocess.run([pawl, "-q", "report", "-o", "site.html"], cwd=folder, check=True)
        seconds = time.perf_counter() - begin
        names = ["index.html", "data/overview.js", *re.findall(r'(?:src|href)="([^"#:]+)"', (site / "index.html").read_text())]
        first = sum((site / name).stat().st_size for name in names)
        total = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
        print(f"| all series | {i + 1} | {seconds:.1f} | {first / 1000:.0f} | {total / 1e6:.1f} |")


def main():
    global SERIES, RUNS
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=pathlib.Path, help="keeps the histories for the next time")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--series", type=int, default=SERIES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--no-pages", action="store_true", help="leaves the page as files out")
    parser.add_argument("pawl", nargs="+")
    words = parser.parse_args()
    SERIES, RUNS = words.series, words.runs
    pawls = [pathlib.Path(shutil.which(word) or sys.exit(f"no program '{word}'")).resolve() for word in words.pawl]
    with tempfile.TemporaryDirectory(prefix="pawl-dashboard-") as made:
        folders = [(words.keep or pathlib.Path(made)) / str(i + 1) for i in range(len(pawls))]
        folders[0].mkdir(parents=True, exist_ok=True)
        fill(pawls[0], folders[0])
        for folder in folders[1:]:
            copy_history(folders[0], folder)
        for pawl, folder in zip(pawls, folders):  # another run makes the kept answers out of date
            add_runs(pawl, folder, [run_of(RUNS, random.Random())])
        servers = [Server(pawl, folder) for pawl, folder in zip(pawls, folders)]
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
        try:
            measure(servers, words.requests)
        finally:
            for server in servers:
                server.stop()
        if not words.no_pages:
            show_pages(pawls, folders)


if __name__ == "__main__":
    main()
