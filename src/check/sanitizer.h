/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a CUDA kernel under NVIDIA's compute-sanitizer: out-of-bounds and misaligned accesses
 * (memcheck), races in shared memory (racecheck), reads of uninitialized memory (initcheck), wrong
 * use of barriers (synccheck). */
#pragma once

#include "check/check.h"

/* One kind of finding at one place. */
struct pawl_sanitizer_finding {
  const char *what;     /* "Invalid __global__ write of size 4 bytes" */
  const char *function; /* "k(float *, int)"; NULL: unknown */
  const char *file;     /* NULL: the code has no line information */
  int line;
  size_t count; /* how often the tool reported it */
};

struct pawl_sanitizer_log {
  struct pawl_sanitizer_finding *findings;
  size_t count;
  bool finished; /* the text has the summary with which the tool ends */
  /* The tool says that it did not start, or that it saw no CUDA call. */
  bool no_start;
  const char *trouble; /* the tool's remarks on itself; "": none */
};

/* Reads the output of compute-sanitizer. Everything lives in the arena. */
void pawl_sanitizer_parse(const char *text, struct pawl_arena *arena,
                          struct pawl_sanitizer_log *out);

/* The findings of one tool about a kernel. */
struct pawl_sanitizer_report {
  const char *tool;
  const char *reason; /* why the tool did not finish; NULL: it finished */
  bool is_missing;    /* the reason is that the tool is absent or does not start */
  struct pawl_sanitizer_log log;
  /* The kernel's problem: the smallest of its check. */
  struct pawl_case config;
};

extern const char *const pawl_sanitizer_tools[]; /* ends with NULL */

/* Calls the kernel once under `tool` and leaves the tool's whole report at `log_path`. The report
 * says if the sanitizer is missing or does not work here. An error is the operator's or the
 * machine's. */
pawl_status pawl_sanitize(const struct pawl_check_options *options, const char *tool,
                          const char *log_path, struct pawl_arena *arena,
                          struct pawl_sanitizer_report *out, struct pawl_error *err);
