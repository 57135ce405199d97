/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel under a tool that sees wrong accesses. For CUDA, NVIDIA's compute-sanitizer:
 * out-of-bounds and misaligned accesses (memcheck), races in shared memory (racecheck), reads of
 * uninitialized memory (initcheck), wrong use of barriers (synccheck). For a CPU, the compiler's
 * sanitizers: out-of-bounds accesses and leaks (address), undefined behaviour (undefined), data
 * races (thread); and valgrind: reads of uninitialized memory and leaks (memory). */
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

/* Reads the output of a compiler's sanitizer or of valgrind. The place of a finding is the first
 * file below `folder` in its stack. A leak without such a file is not the kernel's and is left
 * out. */
void pawl_sanitizer_parse_stacks(const char *text, const char *folder, struct pawl_arena *arena,
                                 struct pawl_sanitizer_log *out);

struct pawl_sanitizer_tool {
  const char *name;
  bool cuda;              /* compute-sanitizer has it */
  const char *flags[6];   /* the kernel is built with them; ends with NULL */
  const char *runtime[2]; /* the library of gcc and of clang that loads first; NULL: none */
  const char *options;    /* the environment variable of the options; NULL: none */
};
#define PAWL_SANITIZER_TOOLS 8
extern const struct pawl_sanitizer_tool pawl_sanitizer_tools[PAWL_SANITIZER_TOOLS];

/* The findings of one tool about a kernel. */
struct pawl_sanitizer_report {
  const struct pawl_sanitizer_tool *tool;
  const char *reason; /* why the tool did not finish; NULL: it finished */
  bool is_missing;    /* the reason is that the tool is absent or does not start */
  struct pawl_sanitizer_log log;
  /* The kernel's problem: the smallest of its check. */
  struct pawl_case config;
  size_t shapes; /* a CPU kernel ran on this number of shapes instead */
};

/* Calls the kernel under `tool`, a CUDA kernel once and a CPU kernel on each shape of its reduced
 * check, and leaves the tool's whole report at `log_path`. The report
 * says if the sanitizer is missing or does not work here. An error is the operator's or the
 * machine's. */
pawl_status pawl_sanitize(const struct pawl_check_options *options,
                          const struct pawl_sanitizer_tool *tool, const char *log_path,
                          struct pawl_arena *arena, struct pawl_sanitizer_report *out,
                          struct pawl_error *err);

/* The part of pawl_sanitize() for CPU kernels. `compiler` built the kernel. */
pawl_status pawl_sanitize_on_cpu(const struct pawl_check_options *options, const char *compiler,
                                 const struct pawl_sanitizer_tool *tool, const char *log_path,
                                 struct pawl_arena *arena, struct pawl_sanitizer_report *out,
                                 struct pawl_error *err);
/* Starts the kernel's process under a wrapper, and calls it on each problem. The tool reports the
 * kernel's faults. *reason is set only when the calls could not take place. */
pawl_status pawl_sanitizer_call(const struct pawl_check_options *options,
                                struct pawl_problem *problems, size_t count,
                                const char *const *wrapper, struct pawl_arena *arena,
                                const char **reason, struct pawl_error *err);
