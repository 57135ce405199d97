/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's description of itself: the answers of `describe` and `tensors` in
 * docs/protocol.md. */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/case.h"
#include "pawl/operator.h"

struct pawl_distribution_info {
  const char *name;
  int32_t fill; /* enum pawl_fill */
  double scale;
  bool adjust;
};

struct pawl_operator_info {
  const char *name, *summary;
  struct pawl_param *params;
  struct pawl_distribution_info *distributions;
  struct pawl_tolerance *tolerances;
  int param_count, distribution_count, tolerance_count;
};

/* The tensors and the work of one case. */
struct pawl_work {
  struct pawl_tensor_spec tensors[PAWL_MAX_TENSORS];
  int tensor_count;
  double flop;  /* floating-point operations of one call */
  double bytes; /* compulsory bytes of one call */
};

pawl_status pawl_operator_info_from_json(const json_t *object, struct pawl_arena *arena,
                                         struct pawl_operator_info *out, struct pawl_error *err);
json_t *pawl_operator_info_to_json(const struct pawl_operator_info *info);
pawl_status pawl_work_from_json(const json_t *object, struct pawl_arena *arena,
                                struct pawl_work *out, struct pawl_error *err);
json_t *pawl_work_to_json(const struct pawl_work *work);

/* Puts a case's values into the operator's order, fills in defaults, and checks ranges and the
 * dtype. PAWL_CONFIG names the valid name nearest to an unknown one. */
pawl_status pawl_case_resolve(const struct pawl_case *config, const struct pawl_operator_info *info,
                              struct pawl_arena *arena, struct pawl_case *out,
                              struct pawl_error *err);
