/* SPDX-License-Identifier: Apache-2.0 */
/* How other tools tell a change from two sets of samples of one process each, for comparison with
 * the gate. */
#pragma once

#include <stddef.h>

#include "stats/bootstrap.h"

enum call { CALL_NONE, CALL_SLOWER, CALL_FASTER };

struct rule_input {
  const double *base, *candidate; /* times, ascending */
  size_t count;                   /* the length of each */
  const struct pawl_bootstrap_plan *plan;
};

struct rule {
  const char *name;
  enum call (*judge)(const struct rule_input *);
};

#define RULE_COUNT 5
extern const struct rule rules[RULE_COUNT];
