/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA kernel under NVIDIA's compute-sanitizer: out-of-bounds and misaligned accesses (memcheck),
   races in shared memory (racecheck), reads of memory that nothing wrote (initcheck), wrong use of
   barriers (synccheck). */
#ifndef PAWL_CHECK_SANITIZER_H
#define PAWL_CHECK_SANITIZER_H

#include "check/check.h"

/* One kind of finding at one place. */
struct pawl_sanitizer_finding {
  const char *what;     /* "Invalid __global__ write of size 4 bytes" */
  const char *function; /* "k(float *, int)"; NULL: not said */
  const char *file;     /* NULL: the code has no line information */
  int line;
  size_t count; /* how often it was reported */
};

struct pawl_sanitizer_log {
  struct pawl_sanitizer_finding *findings;
  size_t count;
  bool finished;       /* it has its summary: the tool came to its end */
  bool no_start;       /* by the tool's words it did not start, or saw no call of CUDA */
  const char *trouble; /* the tool's remarks on itself; "" when it made none */
};

/* Reads what compute-sanitizer wrote. Everything lives in the arena. */
void pawl_sanitizer_parse(const char *text, struct pawl_arena *arena,
                          struct pawl_sanitizer_log *out);

/* What one of its tools made of a kernel. */
struct pawl_sanitizer_report {
  const char *tool;
  const char *reason; /* why it could not be run to its end; NULL: it was */
  bool is_missing;    /* because the tool is not there, or does not start */
  struct pawl_sanitizer_log log;
  struct pawl_case
      config; /* the problem that the kernel was called on: the smallest of its check */
};

extern const char *const pawl_sanitizer_tools[]; /* ends with NULL */

/* Calls the kernel once under `tool`, whose whole report is left at `log_path`. That the sanitizer
   is missing or does not work here is in the report; an error is the operator's or the machine's.
 */
pawl_status pawl_sanitize(const struct pawl_check_options *options, const char *tool,
                          const char *log_path, struct pawl_arena *arena,
                          struct pawl_sanitizer_report *out, struct pawl_error *err);

#endif
