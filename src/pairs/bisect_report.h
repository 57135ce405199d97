/* SPDX-License-Identifier: Apache-2.0 */
/* The question and the answer of a search for a commit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The property that changed. */
enum pawl_bisect_kind {
  PAWL_BISECT_UNKNOWN = 0, /* the time if it changed, else the correctness */
  PAWL_BISECT_TIME,        /* slower or faster */
  PAWL_BISECT_WRONG,       /* the check passes, or it does not */
  PAWL_BISECT_REGISTERS    /* the registers of a GPU kernel */
};
#define PAWL_BISECT_KINDS 4
const char *pawl_bisect_kind_name(int kind); /* "time", "wrong", "registers"; NULL for unknown */

struct pawl_bisect_options {
  const char *kernel, *case_name; /* case_name NULL: the kernel's first case */
  const char *good, *bad;         /* revisions; `good` is an ancestor of `bad` */
  enum pawl_bisect_kind kind;
  bool all;      /* finds further changes between the ends too */
  uint64_t seed; /* draws the places of the arms in blocks; 0: the system draws it */
};

/* The first changed commit, or a range that holds it. */
struct pawl_bisect_find {
  const char *after;  /* the last unchanged commit */
  const char *commit; /* the first changed one; of a range, its last commit */
  size_t commits;     /* the commits of the range; 1: `commit` is the culprit */
  double probability;
  const char *author, *subject; /* they belong to `commit`; NULL: unknown */
  const char *merge;            /* the merge that brought `commit` to the line; NULL: none */
  size_t merge_parent;          /* `commit` is on the side of this parent: 2 or more */
  const char *merge_subject;    /* NULL: unknown */
  bool merge_alone;             /* `commit` is a merge, and no side alone has such a change */
  /* `proven`: the gate's own test between `after` and `commit` shows the change. The figures are
   * its: fractions of the base's time, and milliseconds; NaN: unknown. */
  bool proven;
  double change, change_low, change_high, before_ms, after_ms;
  long long registers_before, registers_after; /* -1: unknown */
  const char *reason; /* the check's failure, or why the find is not proven; NULL: none */
};

/* A commit that pawl could not measure. */
struct pawl_bisect_skip {
  const char *commit, *reason;
};

struct pawl_bisect_report {
  const char *kernel_name, *case_name;
  const char *good, *bad; /* commits */
  enum pawl_bisect_kind kind;
  double change, change_low, change_high; /* from good to bad; NaN: not the time */
  size_t commits;                         /* after good, up to bad, along first parents */
  size_t measured;                        /* commits that blocks or a check decided */
  size_t identical;                       /* commits that equal machine code decided */
  size_t blocks;                          /* measured now and before */
  struct pawl_bisect_skip *skips;
  size_t skip_count;
  struct pawl_bisect_find *finds; /* in the order of the search: the largest change first */
  size_t find_count;
  const char *undecided; /* why there is no find; NULL: there is one */
  bool stopped;          /* the budget ended first, and the same command goes on */
};

/* The document of `pawl bisect --json`. */
extern const struct pawl_fields pawl_bisect_fields;
