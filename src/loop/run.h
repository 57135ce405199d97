/* SPDX-License-Identifier: Apache-2.0 */
/* The whole loop put together: build, check, bench, judge, baseline, report. */
#ifndef PAWL_LOOP_RUN_H
#define PAWL_LOOP_RUN_H

#include "check/sanitizer.h"
#include "gate/ratchet.h"
#include "loop/project.h"
#include "report/report.h"

#define PAWL_DEFAULT_SEED 42u

struct pawl_check_selection {
  const char *only_case; /* NULL: all, and the matrix */
  uint64_t seed;
  bool reduced;      /* the smallest shapes only */
  int shard, shards; /* only the rows of shard `shard` of `shards`, from 1; 0: all */
};

/* Checks one ready kernel: the suite's matrix and the timed cases. */
pawl_status pawl_loop_check(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                            const struct pawl_check_selection *selection, struct pawl_check_report *out,
                            struct pawl_error *err);

/* Calls a ready kernel of a plug-in once under a tool of compute-sanitizer, on the smallest shape of its check. */
pawl_status pawl_loop_sanitize(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                               const char *only_case, uint64_t seed, const char *tool,
                               struct pawl_sanitizer_report *out, struct pawl_error *err);

/* Whether a step failed only because an optional kernel's own program says that something it needs is not here. The
   kernel is then absent, with the reason. */
bool pawl_loop_is_absent(struct pawl_project *project, struct pawl_ready_kernel *kernel, enum pawl_status_code status,
                         const struct pawl_error *err);

/* A GPU that fails in the middle of the work. Asked after something on it has failed: whether that was because the GPU
   that the kernel runs on is lost. Then project->gpu_lost says how. */
bool pawl_loop_gpu_is_lost(struct pawl_project *project, const struct pawl_kernel_spec *spec);
/* Whether the kernel cannot run because its GPU is known to be lost: it is then inconclusive, with the reason. */
bool pawl_loop_leave_lost(struct pawl_project *project, struct pawl_ready_kernel *kernel);

struct pawl_bench_selection {
  const char *only_case, *assignments; /* --case, --set; NULL: all, none */
  int samples, warmup;                 /* 0 and -1: the suite's */
  /* Leaves a kernel and case out when it says so; may be NULL. */
  bool (*skip)(const void *context, const char *kernel, const char *case_name);
  const void *context;
  int shard, shards; /* this is shard `shard` of `shards`, from 1; 0: not sharded */
  bool cpu_apart;    /* the last shard has what runs on no GPU, the others share the rest */
};

/* Times ready kernels (and says so of those that are not ready), one row a kernel and case. The rows are appended to
   `results`, whose document owns what they borrow. */
pawl_status pawl_loop_bench(struct pawl_project *project, const struct pawl_ready_kernel *kernels, size_t count,
                            const struct pawl_bench_selection *selection, struct pawl_results *results,
                            struct pawl_error *err);

/* The static facts of a GPU's machine code, over all functions of a plug-in: the most registers, stack and shared
   memory, all spills and all code, the lowest occupancy. Left unknown where there is no such code. */
void pawl_loop_static_code(const struct pawl_build_result *build, struct pawl_code *code);
/* Where there is no GPU kernels are built for the architecture that the baseline's were, so that their code compares.
 */
void pawl_loop_choose_arch(struct pawl_project *project, const struct pawl_baseline *baseline);

/* Commit, hardware and time of the results; an empty list of rows. */
void pawl_loop_results_init(struct pawl_project *project, struct pawl_results *results);

#define PAWL_BASELINE_PATH "perf/baseline.json" /* in the suite's folder */
#define PAWL_BASELINE_LOCK_SECONDS 30.0

/* The lock of a baseline file: in the .pawl folder next to the file's folder where there is one, else beside it. */
const char *pawl_loop_baseline_lock(const char *baseline, struct pawl_arena *arena);

/* Builds the kernels named (all when none is), so that what comes after measures at once. A compiler's words go to the
   log. *cpu_kernels (may be NULL): some of them do not run on a GPU. */
pawl_status pawl_loop_build(struct pawl_project *project, char **names, int count, bool *cpu_kernels,
                            struct pawl_error *err);

struct pawl_run_options {
  bool update_baseline;
  bool unpaired;      /* --against none: by stored samples and the unpaired rule */
  const char *anchor; /* --against REV: the full commit; NULL: the baseline's, else the merge base */
  bool reduced;       /* smallest shapes only in the check: labelled in the report */
  int shard, shards;  /* this is shard `shard` of `shards`, from 1; 0: the whole suite */
  bool cpu_apart;     /* the last shard has what runs on no GPU, the others share the rest */
  const char *folder; /* for results.json, report.md, verdict.json, roofline.png */
};

/* The status is that of the verdict: PAWL_FAILED for a regression or broken code under test, which is no error:
 *summary then holds the report's first line. */
pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options, const char **summary,
                          enum pawl_status_code *verdict, struct pawl_error *err);

#endif
