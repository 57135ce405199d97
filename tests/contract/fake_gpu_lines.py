#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds with source lines run beside the check and the blocks of a kernel on a GPU that is not there.

Usage: fake_gpu_lines.py BUILD"""
import json
import pathlib
import shutil
import subprocess

import fake_gpu_case

SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_fake: {operator: scale, device: cuda, sources: [kernels/scale_fake.c], flags: [-O2, -std=gnu11], libs: [-ldl]}
cases:
  small: {operator: scale, n: 1000, dtype: f32}
check: {scale: {n: [1, 1000]}}
# the fakes write what they do into files
measure: {warmup: 1, samples: 8, processes: 2, timeout: 20s, isolation: off}
gate: {tolerate: 20%, detect: 60%, improve: 80%, false_alarm: 5%, miss: 10%, max_blocks: 10}
"""
# nvcc's line tables make the GPU's code longer, so the linker moves the data behind it.
TABLE = """
#ifndef TABLE
#define TABLE 16
#endif
__attribute__((section(".table"), used)) static const char table_of_lines[TABLE] = {1};
"""
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "plugins/fake"
# A compiler that takes its time for builds with line tables, and writes down when. pawl looks closer at one that is a script.
COMPILER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char *path, const char *mode, const char *word, int number) {
  FILE *file = fopen(path, mode);
  fprintf(file, "%s%d\n", word, number);
  fclose(file);
}
static int contexts(void) {
  int lines = 0, c;
  FILE *file = fopen(FOLDER "/cuda.log", "r");
  while (file && (c = getc(file)) != EOF) lines += c == '\n';
  return lines;
}
int main(int count, char **words) {
  int lines = 0, compiles = 0;
  for (int i = 1; i < count; i++) {
    lines |= !strcmp(words[i], "-gdwarf-4");
    compiles |= !strcmp(words[i], "-c");
  }
  if (lines && compiles) {
    note(FOLDER "/beside", "w", "", getpid());
    note(FOLDER "/lines", "a", "begin ", contexts());
    for (int i = 0; i < TICKS; i++) usleep(10000);
    note(FOLDER "/lines", "a", "end ", contexts());
    if (FAILS) return 1;
  }
  char **argv = calloc(count + 2, sizeof *argv);
  memcpy(argv, words, count * sizeof *argv);
  argv[0] = "cc";
  if (lines && compiles) argv[count] = "-DTABLE=100000";
  return execvp("cc", argv);
}
"""


class Lines(fake_gpu_case.FakeGpuCase):
    def write_suite(self):
        (self.work / "pawl.yaml").write_text(SUITE)
        for name in ("scale_fake.c", "fake_cuda.h"):
            shutil.copy(SOURCES / name, self.work / "kernels")
        with open(self.work / "kernels/scale_fake.c", "a") as kernel:
            kernel.write(TABLE)

    def setUp(self):
        """A commit, and a working tree in which the kernel has other machine code."""
        super().setUp()
        (self.work / ".gitignore").write_text("/.pawl/\n/perf/out/\n")
        self.git("add", "-A"), self.git("commit", "-q", "-m", "Begin")
        kernel = self.work / "kernels/scale_fake.c"
        kernel.write_text("#define SCALE_FAKE_OTHERWISE\n" + kernel.read_text())

    def run_with(self, seconds, *words, fails=False, **environment):
        """(verdict.json, what the compiler wrote) of a run, or of the command, whose builds with line tables take so long without
        pauses."""
        tools, self.launches = self.scratch / "tools", self.scratch / "launches"
        tools.mkdir()
        (tools / "compiler.c").write_text(COMPILER)
        subprocess.run(["cc", f'-DFOLDER="{self.scratch}"', f"-DTICKS={100 * seconds}", f"-DFAILS={int(fails)}", "-o", tools / "compiler",
                        tools / "compiler.c"], check=True)
        (tools / "cuobjdump").write_text(f"#!/bin/sh\necho $2 >>{self.scratch}/listed\n")
        (tools / "cuobjdump").chmod(0o755)
        self.pawl(*(words or ["run", "--against", "HEAD"]), status=None, PAWL_AHEAD="0", CC=str(tools / "compiler"),
                  PATH=f"{tools}:{self.environment['PATH']}", SCALE_FAKE_LAUNCHES=str(self.launches),
                  SCALE_FAKE_BESIDE=str(self.scratch / "beside"), **environment)
        verdict = None if words else json.loads((self.work / "perf/out/verdict.json").read_text())
        return verdict, [line.split() for line in (self.scratch / "lines").read_text().splitlines()]

    def listed(self):
        """The plug-ins that cuobjdump listed."""
        return (self.scratch / "listed").read_text().splitlines()

    def test_they_run_beside_the_blocks_and_stop_while_calls_are_timed(self):
        """Once for each version: an explanation has their lines, and the listings of the same two plug-ins."""
        verdict, lines = self.run_with(1, SCALE_FAKE_OTHERWISE="slow", PAWL_CUPTI_LIBRARY=str(self.fakes / "fake_cupti.so"))
        row, = verdict["comparisons"]
        self.assertEqual(row["verdict"], "regression")
        contexts = 1 + 2 * len(row["paired"]["blocks"])  # that of the check, and two of each block
        self.assertEqual(sorted(word for word, _ in lines), ["begin", "begin", "end", "end"])
        self.assertLess(max(int(number) for word, number in lines if word == "begin"), contexts)
        self.assertIn("T", {line.split()[2] for line in self.launches.read_text().splitlines()})
        self.assertRegex(verdict["code_changes"][0]["text"], r"kernels/scale_fake\.c:\d+")
        self.assertIsNone(verdict["profiles"][0]["missing"])
        self.assertEqual(len(self.listed()), 2)

    def test_a_run_waits_ten_seconds_once(self):
        """After the last timed call. The build has run beside the check and the blocks before that."""
        verdict, lines = self.run_with(90, SCALE_FAKE_OTHERWISE="slow")
        self.assertEqual([word for word, _ in lines], ["begin", "begin"])
        self.assertIn("no source lines: with line tables 'scale_fake' does not build within 10 s after the last timed call",
                      verdict["code_changes"][0]["text"])

    def test_a_profile_against_a_commit_lists_each_plugin_once(self):
        self.run_with(0, "profile", "scale_fake", "--case", "small", "--against", "HEAD", SCALE_FAKE_OTHERWISE="slow",
                      PAWL_CUPTI_LIBRARY=str(self.fakes / "fake_cupti.so"))
        self.assertEqual(len(set(self.listed())), 2)
        self.assertEqual(len(self.listed()), 2)

    def test_a_failure_is_no_reason_to_try_again(self):
        verdict, lines = self.run_with(0, fails=True, SCALE_FAKE_OTHERWISE="slow")
        self.assertEqual([word for word, _ in lines].count("begin"), 2)
        self.assertIn("no source lines: with line tables kernel 'scale_fake' does not build", verdict["code_changes"][0]["text"])

    def test_they_end_when_nobody_wants_lines(self):
        verdict, lines = self.run_with(6)
        row, = verdict["comparisons"]
        if row["verdict"] in ("regression", "improvement"):
            self.skipTest("a busy machine")
        self.assertEqual([word for word, _ in lines], ["begin", "begin"])
        stat = pathlib.Path("/proc", (self.scratch / "beside").read_text().strip(), "stat")
        self.assertIn(stat.read_text().split(") ")[1][0] if stat.exists() else "gone", ("Z", "gone"))


if __name__ == "__main__":
    fake_gpu_case.main(Lines)
