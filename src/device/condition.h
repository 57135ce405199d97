/* SPDX-License-Identifier: Apache-2.0 */
/* A setting or a state of the machine that makes times unsteady or results doubtful, judged. */
#ifndef PAWL_DEVICE_CONDITION_H
#define PAWL_DEVICE_CONDITION_H

#include <stdbool.h>

struct pawl_condition {
  const char *name;   /* "governor" */
  bool ok;            /* it does no harm */
  const char *found;  /* what it is */
  const char *remedy; /* what to do where it does harm */
};

#endif
