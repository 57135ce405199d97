/* SPDX-License-Identifier: Apache-2.0 */
/* The commits of a search, and what is known of each. */
#pragma once

#include "pairs/bisect_kept.h"
#include "pairs/bisect_report.h"
#include "pairs/version.h"
#include "stats/bisection.h"

#define PAWL_BISECT_MOST_BLOCKS \
  40 /* the most for one commit; then its speed lies between those of the ends */

/* A commit on the line between the ends. */
struct pawl_bisect_place {
  const char *commit;
  struct pawl_built_version *built; /* NULL: not yet, or it does not build */
  const char *reason;               /* why it cannot be measured; NULL: it can */
  bool ahead;                       /* a build went into the cache, or failed */
  bool decided;                     /* a fact decides it, such as equal machine code */
  double ratios[PAWL_BISECT_MOST_BLOCKS];
  size_t ratio_count, visits;
};

/* The commits from an unchanged one, places[0], to a changed one, places[count]. */
struct pawl_bisect_line {
  struct pawl_bisect_place *places; /* [count + 1] */
  size_t count;
  double *evidence, *prior, *weights; /* [count + 1]: see stats/bisection.h */
  bool *testable;                     /* [count + 1] */
  double change, sd;                  /* a block's log-ratio; for the time alone */
};

struct pawl_bisect_job {
  struct pawl_project *project;
  const struct pawl_bisect_options *options;
  struct pawl_oracle *oracle; /* NULL: a command */
  struct pawl_case config;
  struct pawl_bisect_kept kept;
  struct pawl_bisect_report *report;
  uint64_t seed;
};

/* Returns a copy of `count` items with room for one more. */
void *pawl_bisect_grow(struct pawl_bisect_job *job, const void *items, size_t count, size_t size);

struct pawl_bisect_line pawl_bisect_line_make(struct pawl_bisect_job *job, const char *from,
                                              const struct pawl_strings *commits);
/* Returns the part of a line between two of its commits. The builds stay. The answers do not,
 * because they compare with the line's first commit. */
struct pawl_bisect_line pawl_bisect_line_part(struct pawl_bisect_job *job,
                                              const struct pawl_bisect_line *line, size_t from,
                                              size_t to);

/* Builds a commit that ends a line. Fails with PAWL_FAILED if it does not build. */
pawl_status pawl_bisect_need(struct pawl_bisect_job *job, struct pawl_bisect_place *place,
                             struct pawl_error *err);
/* Judges two built commits by the gate's own test, or takes the kept answer. *wrong: why the
 * candidate has no valid time; NULL: it has. Fails with PAWL_TRY_AGAIN if the budget ends. */
pawl_status pawl_bisect_test(struct pawl_bisect_job *job, const struct pawl_bisect_place *base,
                             const struct pawl_bisect_place *candidate,
                             struct pawl_paired_test *test, const char **wrong,
                             struct pawl_error *err);
/* Checks a built commit. *reason: the first failure; NULL: the check passes. */
pawl_status pawl_bisect_check(struct pawl_bisect_job *job, const struct pawl_bisect_place *place,
                              const char **reason, struct pawl_error *err);
/* Returns the registers of a commit's GPU code, or -1. */
long long pawl_bisect_registers(const struct pawl_bisect_place *place);

/* Asks the commit at place `at`, between the ends, whether it is changed. The answer becomes its
 * evidence, or the place is not testable. */
pawl_status pawl_bisect_visit(struct pawl_bisect_job *job, struct pawl_bisect_line *line, size_t at,
                              struct pawl_error *err);
