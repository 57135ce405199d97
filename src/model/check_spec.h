/* SPDX-License-Identifier: Apache-2.0 */
/* The check of an operator in a suite: a matrix of shapes, a tolerance, an oracle. The matrix of a
   sweep has the same form. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/file_place.h"
#include "base/strings.h"

struct pawl_axis {
  const char *name;
  int64_t *values;
  size_t count;
  struct pawl_file_place place; /* in pawl.yaml */
};

/* check.<operator>. atol, rtol and rel_rms override the operator's tolerance; NaN: not given. */
struct pawl_check_spec {
  const char *operator_name;
  struct pawl_file_place place; /* in pawl.yaml */
  struct pawl_axis *axes;
  size_t axis_count;
  int32_t *dtypes; /* none: the dtypes of the timed cases */
  size_t dtype_count;
  double atol, rtol, rel_rms;
  const char *oracle;        /* "builtin", "cpu", PAWL_ORACLE_BASE or "reference NAME" */
  struct pawl_strings where; /* conditions (tune/expression.h) that the shapes of a sweep satisfy */
};

/* The base's build of the same kernel answers. */
#define PAWL_ORACLE_BASE "base"
