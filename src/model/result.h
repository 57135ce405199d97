/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel measured on one case: a row of results.json. An unknown number is NaN, an unknown
 * count -1, an unknown string NULL; JSON has null for all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/case.h"
#include "model/fields.h"

#define PAWL_RESULTS_SCHEMA 1
#define PAWL_RESULTS_LIMIT 100000 /* rows of a file */
/* The key in the environment of the number of processes whose calls other programs held up. The
 * times are then upper bounds. Absent: none. */
#define PAWL_HELD_UP "held_up_processes"

/* The key in the environment of a GPU's cold times: true if each flush left clean lines, so that no
 * write-back of them took time of the call. Absent: the flush only wrote. */
#define PAWL_CLEAN_FLUSH "clean_flush"

/* Keys in the environment of a reference that an earlier run measured. */
#define PAWL_KEPT_FROM "kept_from" /* when: "2026-11-20 23:14:05", UTC */
/* The canary's time now over its time then. pawl multiplies the times by it. */
#define PAWL_CANARY_RATIO "canary_ratio"
/* The kernel's name if a file of the earlier scripts gives none. */
#define PAWL_KERNEL_UNNAMED "unnamed"

/* The outcome of a kernel on a case. Every outcome but OK has a `reason`. */
enum pawl_outcome {
  PAWL_OUTCOME_OK = 0,
  PAWL_OUTCOME_WRONG,       /* failed the check: pawl does not time it */
  PAWL_OUTCOME_BUILD,       /* did not build */
  PAWL_OUTCOME_CRASHED,     /* died, or broke a limit */
  PAWL_OUTCOME_HUNG,        /* did not answer within the timeout */
  PAWL_OUTCOME_NO_TIMES,    /* a harness that ran without a time that pawl can read or believe */
  PAWL_OUTCOME_DROPPED,     /* refuses shapes that the base takes, with its reason */
  PAWL_OUTCOME_UNSUPPORTED, /* refuses the shape, with its reason */
  PAWL_OUTCOME_ABSENT,      /* is optional, and a tool or a device is missing */
  /* each timing fell into throttling or a busy machine: no time to believe */
  PAWL_OUTCOME_INCONCLUSIVE
};
#define PAWL_OUTCOMES (PAWL_OUTCOME_INCONCLUSIVE + 1)
/* Returns the word for documents. */
const char *pawl_outcome_name(enum pawl_outcome outcome);
/* Appends the name in capitals, as a message about a failure begins: "WRONG". */
void pawl_outcome_capitals(enum pawl_outcome outcome, struct pawl_text *out);
/* Does the same as pawl_outcome_name, for a table of fields. */
const char *pawl_outcome_word(int outcome);
bool pawl_outcome_parse(const char *name, enum pawl_outcome *out);
/* Returns whether the code under test is at fault. */
bool pawl_outcome_fails(enum pawl_outcome outcome);

struct pawl_correctness {
  bool known, passed;
  double max_abs_error, max_rel_error, mean_abs_error, correlation, rel_rms_error;
  /* the source of the expected values: "cpu_f64", "gpu_f64", "reference", "mixed"; NULL: unknown */
  const char *oracle;
};

/* Times in milliseconds. */
struct pawl_performance {
  double median_ms, mean_time_ms, std_dev_ms, min_ms, max_ms, p50_ms, p95_ms, p99_ms, cv;
  /* percentile bootstrap of the median, as if all samples were independent; earlier readers know it
   * by this name */
  double ci_95_low, ci_95_high;
  /* interval of the median over processes (stats/process_interval.h), which pawl shows and judges
   * by; NaN with fewer than six processes */
  double process_ci_95_low, process_ci_95_high;
  double throughput_gflops, bandwidth_gb_s, peak_memory_mb;
  double *samples_ms; /* all processes, in the order of measurement */
  size_t sample_count;
};

struct pawl_roofline {
  double arithmetic_intensity; /* FLOP / compulsory byte */
  const char *bottleneck;      /* "compute" or "memory" */
  double efficiency_pct;       /* percent of the limit that binds the kernel */
  const char **recommendations;
  size_t recommendation_count;
};

struct pawl_process_samples {
  double *samples_ms;
  size_t count;
};

struct pawl_code {
  const char *hash; /* identity of the machine code; NULL: unknown */
  const char *arch; /* the GPU architecture of the code, "sm_90a"; NULL: unknown, or no GPU code */
  /* GPU code: the most registers, stack and static shared memory of any function; the sums of the
   * spills, the other stores to local memory and the code; -1: unknown */
  long long registers, spill_bytes, local_bytes, stack_bytes, shared_bytes, code_bytes;
  /* the worst function's; an upper bound, because a launch can add shared memory */
  double occupancy_pct;
};

struct pawl_result {
  const char *kernel_name;
  struct pawl_case config;
  enum pawl_outcome outcome;
  const char *reason;
  const char *device;    /* "cpu", "cuda" */
  bool reference;        /* pawl measures it beside the kernels and never judges it */
  const char *timestamp; /* "YYYY-MM-DD HH:MM:SS", UTC */
  struct pawl_correctness correctness;
  struct pawl_performance performance;
  struct pawl_roofline roofline;
  struct pawl_process_samples *processes;
  size_t process_count;
  struct pawl_code code;
  const char **warnings; /* "CV 14 % > 12 %" */
  size_t warning_count;
  /* a borrowed object of strings and numbers, which pawl keeps as it is; NULL: unknown */
  json_t *environment;
  json_t *gpu_state;
};

struct pawl_results {
  struct pawl_result *items;
  size_t count;
  const char *commit; /* the working tree's; NULL outside git */
  bool dirty;
  const char *hardware;      /* the hardware's identity: see pawl_device_identity() */
  const char *hardware_name; /* for people */
  const char *toolchain;
  const char *timestamp;
  /* the document that pawl read; borrowed parts need it until pawl_results_release() */
  json_t *document;
};

/* Joins the sources of the expected values of two comparisons. */
const char *pawl_correctness_oracle(const char *a, const char *b);

/* Corrects the facts of an earlier pawl, which has one number for spills and other stores to local
 * memory. Unless this number is 0, both are unknown. `object` may be NULL. */
void pawl_code_migrate(const json_t *object, struct pawl_code *code);

/* Parts of a result that are objects of their own in a document. */
extern const struct pawl_fields pawl_correctness_fields, pawl_performance_fields,
    pawl_roofline_fields, pawl_code_fields;

/* Sets everything of a result to unknown. */
void pawl_result_init(struct pawl_result *result);
json_t *pawl_result_to_json(const struct pawl_result *result);
/* Reads a row. With `ours`, the document has schema_version, and names and config must follow
 * pawl's rules. Otherwise the function also reads the earlier scripts' spelling. */
pawl_status pawl_result_from_json(const json_t *row, bool ours, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out,
                                  struct pawl_error *err);
/* Checks the rules between values: bounds in order, a time if the outcome is "ok". */
pawl_status pawl_result_check(const struct pawl_result *result, const struct pawl_json_path *path,
                              struct pawl_error *err);
json_t *pawl_results_to_json(const struct pawl_results *results);
pawl_status pawl_results_write(const struct pawl_results *results, const char *path,
                               struct pawl_error *err);
/* Reads pawl's results.json ({schema_version, results: [...]}, or one flat result) and the earlier
 * scripts' single results, baselines and sweeps (docs/formats.md). PAWL_BAD_DATA names file, row
 * and key. Times must be finite and positive, an "ok" row has a median or a mean, and no kernel and
 * case occurs twice. If a file gives no names, the kernel is PAWL_KERNEL_UNNAMED and the shape
 * names the case. Release after use. */
pawl_status pawl_results_read(const char *path, struct pawl_arena *arena, struct pawl_results *out,
                              struct pawl_error *err);
/* Does the same with a document in memory, which the results keep alive. `name` is for messages. */
pawl_status pawl_results_from_json(const json_t *document, const char *name,
                                   struct pawl_arena *arena, struct pawl_results *out,
                                   struct pawl_error *err);
void pawl_results_release(struct pawl_results *results);

/* Returns the exit status of a measurement: PAWL_FAILED if a kernel is wrong, broken or does not
 * build, else PAWL_UNDECIDED if a row has no reliable time or no row has a time. */
enum pawl_status_code pawl_results_status(const struct pawl_results *results);
