/* SPDX-License-Identifier: Apache-2.0 */
/* A suite: the contents of pawl.yaml, checked and with all defaults filled in (suite/read.h). */
#pragma once

#include <stddef.h>

#include "base/hash.h"
#include "model/case.h"
#include "model/check_spec.h"
#include "model/gate_spec.h"
#include "model/kernel_spec.h"
#include "model/measure_spec.h"
#include "model/notify_spec.h"
#include "model/operator_spec.h"
#include "model/profile_spec.h"

#define PAWL_STORE_DEFAULT "sqlite:.pawl/history.db"
#define PAWL_STORE_NONE "none"

struct pawl_suite {
  const char *path;                 /* pawl.yaml, as the user gave it */
  struct pawl_hash text;            /* identifies the text of this file */
  const char *folder;               /* absolute; relative paths start here */
  struct pawl_kernel_spec *kernels; /* kernels, then references */
  size_t kernel_count;
  struct pawl_operator_spec *operators;
  size_t operator_count;
  struct pawl_case *cases;
  size_t case_count;
  struct pawl_check_spec *checks;
  size_t check_count;
  struct pawl_check_spec *sweeps; /* the matrices of `pawl sweep` */
  size_t sweep_count;
  struct pawl_measure_spec measure;
  struct pawl_gate_spec gate;
  struct pawl_profile_spec profile;
  double usd_per_hour; /* NaN: not given */
  struct pawl_notify_spec notify;
  const char *store;  /* the history's address (store/store.h), or PAWL_STORE_NONE */
  int retention_days; /* days for which the history keeps all samples; 0: for ever */
};

/* Return NULL if there is none. */
const struct pawl_kernel_spec *pawl_suite_kernel(const struct pawl_suite *suite, const char *name);
const struct pawl_case *pawl_suite_case(const struct pawl_suite *suite, const char *name);
const struct pawl_check_spec *pawl_suite_check(const struct pawl_suite *suite,
                                               const char *operator_name);
const struct pawl_operator_spec *pawl_suite_operator(const struct pawl_suite *suite,
                                                     const char *name);
