# SPDX-License-Identifier: Apache-2.0
"""Repositories with one kernel, of which the loop measures versions."""

import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
GPU_CASE = "{operator: attention, B: 32, H: 8, S: 512, D: 64, dtype: f16}"
CPU_CASE = "{operator: attention, B: 1, H: 4, S: 512, D: 64, dtype: f32}"
GPU_MEASURE = "{warmup: 10, samples: 100, processes: 6, cache: cold}"
COARSE_GATE = "gate: {tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10, busy: count}\n"  # to try a script
CPU_MEASURE = "{warmup: 5, samples: 42, processes: 6, cache: cold}"


class Repository:
    """A git repository in `folder`, with pawl of the installation `home`."""

    def __init__(self, home, folder):
        self.home, self.folder = pathlib.Path(home).resolve(), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def pawl(self, *words, statuses=(0,), **environment):
        """(seconds, stdout) of a command."""
        begin = time.monotonic()
        done = subprocess.run([self.home / "bin/pawl", "-q", *words], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        seconds = time.monotonic() - begin
        if done.returncode not in statuses:
            raise SystemExit(f"pawl {' '.join(words)} ends with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return seconds, done.stdout

    def run(self, statuses=(0,)):
        """(seconds, seconds until the verdict is printed) of `pawl run`."""
        begin = time.monotonic()
        done = subprocess.Popen([self.home / "bin/pawl", "-q", "run"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        first = done.stdout.readline()
        said = time.monotonic() - begin
        rest = done.stdout.read()
        status = done.wait()
        if status not in statuses:
            raise SystemExit(f"pawl run ends with {status}\n{first}{rest}")
        return time.monotonic() - begin, said

    def clock(self, *words, statuses=(0,)):
        """The lines that a command prints with -v, each after the seconds since its start and "o" or "e" for its stream."""
        begin, lines = time.monotonic(), []
        done = subprocess.Popen([self.home / "bin/pawl", "-v", *words], cwd=self.folder, text=True, bufsize=1,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def read(stream, letter):
            for line in stream:
                lines.append((time.monotonic() - begin, f"{letter} {line.rstrip()}"))

        readers = [threading.Thread(target=read, args=pair) for pair in ((done.stdout, "o"), (done.stderr, "e"))]
        for reader in readers:
            reader.start()
        status = done.wait()
        lines.append((time.monotonic() - begin, f"exit {status}"))
        for reader in readers:
            reader.join()
        if status not in statuses:
            raise SystemExit("\n".join(line for _, line in lines))
        return [f"{seconds:8.3f} {line}" for seconds, line in sorted(lines)]

    def git(self, *words):
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        subprocess.run(["git", *identity, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def begin(self):
        if not (self.folder / ".git").exists():
            self.git("init", "-q", "-b", "main")
        (self.folder / ".gitignore").write_text(".pawl/\nperf/out/\n")

    def verdict(self):
        return json.loads((self.folder / "perf/out/verdict.json").read_text())


class Versioned(Repository):
    """One small kernel on one case; its version and its extra nanoseconds are parameters."""

    def __init__(self, home, folder, gpu, measure=None):
        super().__init__(home, folder)
        self.gpu, self.measure = gpu, measure or (GPU_MEASURE if gpu else CPU_MEASURE)
        self.begin()
        shutil.copytree(self.home / "share/pawl/kernels/attention", self.folder / "kernels", dirs_exist_ok=True)
        shutil.copy(HERE / ("versioned.cu" if gpu else "versioned.c"), self.folder / "kernels")
        self.version(0, 0)
        self.commit("Begin")

    def version(self, number, spin_ns):
        """Writes the suite with this version, and builds it."""
        device, source = ("cuda", "versioned.cu") if self.gpu else ("cpu", "versioned.c")
        tiles = "BLOCK_M: 128, BLOCK_N: 64, NUM_STAGES: 2" if self.gpu else "BLOCK_M: 16, BLOCK_N: 16"
        (self.folder / "pawl.yaml").write_text(
            "version: 1\nkernels:\n"
            f"  small: {{operator: attention, device: {device}, sources: [kernels/{source}],\n"
            f"          params: {{{tiles}, VERSION: {number}, SPIN_NS: {spin_ns}}}}}\n"
            f"cases:\n  one: {GPU_CASE if self.gpu else CPU_CASE}\n"
            "check:\n  attention: {S: [512], B: [2], H: [4], D: [64]}\n"
            f"measure: {self.measure}\n"
            "gate: {tolerate: 1%, detect: 3%, improve: 5%}\n"
            "profile: {regression: false, max_kernels: 0}\n")
        self.pawl("build")

    def record(self):
        """The baseline; returns the kernel's time in milliseconds."""
        self.pawl("run", "--update-baseline")
        self.commit("Record")
        entry = json.loads((self.folder / "perf/baseline.json").read_text())["entries"][0]
        return entry["performance"]["median_ms"] if "performance" in entry else entry["median_ms"]
