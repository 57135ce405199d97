/* SPDX-License-Identifier: Apache-2.0 */
/* A change of the level of a series, with what a person says about it. */
#pragma once

#include "record/change_note.h"

/* A change of the level. */
struct pawl_series_change {
  /* ids: the first run after the change, and the last before; if every commit is measured, the
   * commit of `point` caused the change */
  int64_t point, previous;
  int64_t at, time; /* the place of `point` on the axis, and the time of its run */
  const char *commit, *subject, *previous_commit; /* NULL: unknown */
  bool dirty;
  double before, after; /* levels: medians of the commits between neighbouring changes */
  double loss_pct;      /* percent of `before`; positive is worse */
  double confidence;    /* see struct pawl_level_change */
  int64_t commits;      /* measured since, itself included */
  /* the difference to the run before: "driver 570.86 to 575.51; compiler nvcc 12.8 to 13.0"; "":
   * nothing that is known; NULL: unknown */
  const char *environment;
  /* a person's words; NULL: none; noted: seconds since 1970, UTC; -1: nobody has said anything */
  enum pawl_change_state state;
  const char *note, *person;
  long long noted;
};
