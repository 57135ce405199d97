/* SPDX-License-Identifier: Apache-2.0 */
/* A setting or a state of the machine that can make times unsteady or results doubtful. */
#pragma once

#include <stdbool.h>

struct pawl_condition {
  const char *name;   /* "governor" */
  bool ok;            /* it does no harm */
  const char *found;  /* the setting or state */
  const char *remedy; /* advice if it does harm */
};
