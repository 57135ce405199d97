/* SPDX-License-Identifier: Apache-2.0 */
/* The best-known performance, tracked in git: perf/baseline.json, one entry per kernel, case and
   hardware. The file is docs/schema/baseline.schema.json. */
#ifndef PAWL_GATE_BASELINE_H
#define PAWL_GATE_BASELINE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/result.h"

#define PAWL_BASELINE_SCHEMA 1
#define PAWL_BASELINE_MAX_SAMPLES ((size_t)101)

/* A summary that suffices to judge later without the samples' file. Numbers not known are NaN. */
struct pawl_baseline_entry {
  const char *kernel_name, *case_name,
      *hardware; /* kernel and hardware NULL: an older file that does not say */
  struct pawl_case config;
  double median_ms, ci_95_low,
      ci_95_high; /* the interval of all samples as if they were independent */
  double process_ci_95_low,
      process_ci_95_high;    /* by process: what is judged; NaN: an older file, or too few */
  double process_fastest_ms; /* the slowest process's fastest call; NaN: an older file, or too few
                                processes */
  double throughput_gflops, bandwidth_gb_s;
  double *samples_ms; /* sorted; of more samples than PAWL_BASELINE_MAX_SAMPLES, so many evenly
                         spaced quantiles */
  size_t sample_count;
  const char *git_commit, *timestamp, *toolchain, *code_hash;
  struct pawl_code code; /* static facts of a GPU's machine code; its hash is code_hash */
  const char *reason;    /* of an accepted loss; NULL */
};

enum pawl_move_kind {
  PAWL_MOVE_UNKNOWN = 0,
  PAWL_MOVE_NEW,
  PAWL_MOVE_IMPROVEMENT,
  PAWL_MOVE_ACCEPTED
};
const char *pawl_move_kind_name(
    enum pawl_move_kind kind); /* "unknown" "new" "improvement" "accepted" */
enum pawl_move_kind pawl_move_kind_parse(const char *name);

/* A move of the ratchet, oldest first. */
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
  bool from_results; /* the file holds results: good to judge by, not to be written over */
};

/* An absent file is an empty baseline. Also reads the earlier scripts' {configs: {NAME: {...}}},
   and whatever pawl_results_read does. Unknown keys are refused, since writing the file back would
   lose them. PAWL_BAD_DATA names file and place. Everything lives in the arena. */
pawl_status pawl_baseline_read(const char *path, struct pawl_arena *arena,
                               struct pawl_baseline *out, struct pawl_error *err);
/* The document of the file. */
json_t *pawl_baseline_to_json(const struct pawl_baseline *baseline);
/* Atomic and byte-stable: sorted entries, stable key order, one value a line, lists of numbers on
   one line. Makes the folder. Where others may write too, use pawl_baseline_update. */
pawl_status pawl_baseline_write(const char *path, const struct pawl_baseline *baseline,
                                struct pawl_error *err);
/* Reads, edits and writes under a lock, so that two runs at once cannot lose a move; the lock lies
   in the suite's .pawl folder. The file is written only where `edit` sets *changed. PAWL_TRY_AGAIN
   when the lock stays taken for wait_seconds; PAWL_BAD_DATA when the file holds results instead of
   a baseline and would have to be written over. */
typedef enum pawl_status_code pawl_baseline_edit(void *context, struct pawl_baseline *baseline,
                                                 struct pawl_arena *arena, bool *changed,
                                                 struct pawl_error *err);
pawl_status pawl_baseline_update(const char *path, const char *lock_path, double wait_seconds,
                                 pawl_baseline_edit *edit, void *context, struct pawl_arena *arena,
                                 struct pawl_error *err);

/* The static facts of a kernel's code for an architecture, of whatever case and hardware; NULL: the
 * baseline has none.
 */
const struct pawl_code *pawl_baseline_code(const struct pawl_baseline *baseline,
                                           const char *kernel_name, const char *arch);

/* For qsort: by kernel, case, hardware. */
int pawl_baseline_compare_entries(const void *a, const void *b);

/* NULL when there is none. A name that is NULL matches only an entry without that name. */
const struct pawl_baseline_entry *pawl_baseline_find(const struct pawl_baseline *baseline,
                                                     const char *kernel_name, const char *case_name,
                                                     const char *hardware);

/* Which entries somebody means: of a kernel, and of one case or hardware. NULL: any. */
struct pawl_baseline_choice {
  const char *kernel_name, *case_name, *hardware;
};
bool pawl_baseline_chosen(const struct pawl_baseline_choice *choice,
                          const struct pawl_baseline_entry *entry);
/* Takes the chosen entries out; the moves stay as the history. PAWL_USAGE: there is none, the
 * nearest kernel is named.
 */
pawl_status pawl_baseline_remove(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, size_t *removed,
                                 struct pawl_error *err);
/* Gives the chosen entries, and the moves of their history, the kernel's new name; with a case, the
   case's new name. PAWL_USAGE: there is none, or an entry of the new name is there for the same
   hardware. */
pawl_status pawl_baseline_rename(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, const char *new_name,
                                 struct pawl_arena *arena, size_t *renamed, struct pawl_error *err);

/* Writes a result over the entry as a loss one chooses, with its reason. PAWL_USAGE: no reason, no
   such result; PAWL_FAILED: the result is wrong or has no time; PAWL_NOT_PERMITTED: it was measured
   in a dirty tree. */
pawl_status pawl_baseline_accept(struct pawl_baseline *baseline, const struct pawl_results *results,
                                 const char *kernel_name, const char *case_name, const char *reason,
                                 struct pawl_arena *arena, struct pawl_error *err);

#endif
