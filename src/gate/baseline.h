/* SPDX-License-Identifier: Apache-2.0 */
/* The best-known performance, which git tracks: perf/baseline.json, one entry for each kernel, case
   and hardware. docs/schema/baseline.schema.json describes the file. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/result.h"

#define PAWL_BASELINE_SCHEMA 1
#define PAWL_BASELINE_MAX_SAMPLES ((size_t)101)

/* A summary that suffices to judge later without the samples' file. NaN is unknown. */
struct pawl_baseline_entry {
  /* an older file has neither kernel nor hardware (NULL) */
  const char *kernel_name, *case_name, *hardware;
  struct pawl_case config;
  /* the interval of all samples, as if they were independent */
  double median_ms, ci_95_low, ci_95_high;
  /* the interval by process, which judges; NaN: an older file, or too few processes */
  double process_ci_95_low, process_ci_95_high;
  /* the slowest process's fastest call; NaN: an older file, or too few processes */
  double process_fastest_ms;
  double throughput_gflops, bandwidth_gb_s;
  /* sorted; of more than PAWL_BASELINE_MAX_SAMPLES samples, that many evenly spaced quantiles */
  double *samples_ms;
  size_t sample_count;
  const char *git_commit, *timestamp, *toolchain, *code_hash;
  /* other programs held up calls, so the time is an upper bound: an update of the same code on a
     quieter machine replaces it */
  bool held_up;
  /* each flush before a cold call on a GPU left clean lines: PAWL_CLEAN_FLUSH; an update measures
     an older time of the same code anew */
  bool clean_flush;
  struct pawl_code code; /* static facts of a GPU's machine code; its hash is code_hash */
  const char *reason;    /* why somebody accepted a loss; NULL: nobody did */
};

enum pawl_move_kind {
  PAWL_MOVE_UNKNOWN = 0,
  PAWL_MOVE_NEW,
  PAWL_MOVE_IMPROVEMENT,
  PAWL_MOVE_ACCEPTED
};
/* Returns "unknown", "new", "improvement" or "accepted". */
const char *pawl_move_kind_name(enum pawl_move_kind kind);
enum pawl_move_kind pawl_move_kind_parse(const char *name);

/* A move of the ratchet. Moves are in order, the oldest first. */
struct pawl_baseline_move {
  const char *kernel_name, *case_name, *hardware;
  enum pawl_move_kind kind;
  double from_ms, to_ms;
  const char *git_commit, *timestamp, *reason;
};

struct pawl_baseline {
  struct pawl_baseline_entry *entries;
  size_t count;
  struct pawl_baseline_move *moves;
  size_t move_count;
  bool from_results; /* the file has results: it can judge, but nothing overwrites it */
};

/* Reads the file into the arena. An absent file is an empty baseline. Also reads the earlier
   scripts' {configs: {NAME: {}}}, and all that pawl_results_read reads. Refuses unknown keys,
   because writing the file back would lose them. Fails with PAWL_BAD_DATA, which names the file and
   the place. */
pawl_status pawl_baseline_read(const char *path, struct pawl_arena *arena,
                               struct pawl_baseline *out, struct pawl_error *err);
/* Returns the document of the file, a new reference. */
json_t *pawl_baseline_to_json(const struct pawl_baseline *baseline);
/* Writes the file atomically and with stable bytes: sorted entries, stable key order, one value a
   line, lists of numbers on one line. Makes the folder. If others may write too, use
   pawl_baseline_update. */
pawl_status pawl_baseline_write(const char *path, const struct pawl_baseline *baseline,
                                struct pawl_error *err);
/* Reads, edits and writes under a lock in the suite's .pawl folder, so that two runs cannot lose a
   move. Writes only if `edit` sets *changed. Fails with PAWL_TRY_AGAIN if the lock is not free
   within wait_seconds, and with PAWL_BAD_DATA if the file has results instead of a baseline. */
typedef enum pawl_status_code pawl_baseline_edit(void *context, struct pawl_baseline *baseline,
                                                 struct pawl_arena *arena, bool *changed,
                                                 struct pawl_error *err);
pawl_status pawl_baseline_update(const char *path, const char *lock_path, double wait_seconds,
                                 pawl_baseline_edit *edit, void *context, struct pawl_arena *arena,
                                 struct pawl_error *err);

/* Returns the static facts of a kernel's code for an architecture, for any case and hardware, or
   NULL. */
const struct pawl_code *pawl_baseline_code(const struct pawl_baseline *baseline,
                                           const char *kernel_name, const char *arch);

/* Orders entries for qsort by kernel, case and hardware. */
int pawl_baseline_compare_entries(const void *a, const void *b);

/* Returns the entry, or NULL. A NULL name matches only an entry without that name. */
const struct pawl_baseline_entry *pawl_baseline_find(const struct pawl_baseline *baseline,
                                                     const char *kernel_name, const char *case_name,
                                                     const char *hardware);

/* Selects entries of a kernel, and of one case or hardware; NULL selects any. */
struct pawl_baseline_choice {
  const char *kernel_name, *case_name, *hardware;
};
bool pawl_baseline_chosen(const struct pawl_baseline_choice *choice,
                          const struct pawl_baseline_entry *entry);
/* Removes the chosen entries; their moves stay as history. Fails with PAWL_USAGE and the nearest
   kernel's name if there is none. */
pawl_status pawl_baseline_remove(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, size_t *removed,
                                 struct pawl_error *err);
/* Renames the kernel of the chosen entries and of their moves, or the case if the choice has one.
   Fails with PAWL_USAGE if there is none, or if an entry of the new name exists for the same
   hardware. */
pawl_status pawl_baseline_rename(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, const char *new_name,
                                 struct pawl_arena *arena, size_t *renamed, struct pawl_error *err);

/* Accepts a loss: writes a result over the entry, with a reason. Fails with PAWL_USAGE without a
   reason or result, PAWL_FAILED if the result is wrong or has no time, and PAWL_NOT_PERMITTED if it
   is from a dirty tree. */
pawl_status pawl_baseline_accept(struct pawl_baseline *baseline, const struct pawl_results *results,
                                 const char *kernel_name, const char *case_name, const char *reason,
                                 struct pawl_arena *arena, struct pawl_error *err);
