/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of keys that decide verdicts. The reader and the comparison of two suites use the same
   rows. */
#pragma once

#include "model/gate_spec.h"
#include "yaml/keys.h"

extern const struct pawl_keys pawl_gate_keys;      /* struct pawl_gate_spec */
const char *pawl_limit_key(enum pawl_limit limit); /* "tolerate" */
extern const struct pawl_keys pawl_measure_keys;   /* struct pawl_measure_spec */
extern const struct pawl_keys pawl_check_keys;     /* struct pawl_check_spec */
extern const struct pawl_keys pawl_operator_keys;  /* struct pawl_operator_spec */
/* struct pawl_kernel_spec, without its sources and build, which a change may change */
extern const struct pawl_keys pawl_kernel_keys;
