/* SPDX-License-Identifier: Apache-2.0 */
/* Units in the files of other harnesses, as their tools spell them. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"

/* In which direction a figure gets better. */
enum pawl_better { PAWL_BETTER_UNKNOWN, PAWL_BETTER_SMALLER, PAWL_BETTER_BIGGER };

struct pawl_import_unit {
  /* Seconds of one unit, or of one operation where the unit is a rate of time: "ms", "us/iter" and
     "ops/ms" have them. 0: the unit measures no time. */
  double seconds;
  bool is_rate; /* things per unit of time: "ops/ms", "MB/s", "fps" */
  enum pawl_better better;
  const char *name; /* the unit alone: Go's "ns/op\t 374.62 MB/s" is "ns/op"; in the arena */
};

/* Reads the unit. A unit that pawl does not know has its name alone. */
struct pawl_import_unit pawl_unit_read(const char *text, struct pawl_arena *arena);

/* Seconds of a unit of time: "us", "ms/op", "seconds". 0: the unit measures something else. */
double pawl_unit_seconds(const char *text);
