/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "model/dtype.h"
#include "model/operator_info.h"

static const char *case_name(const struct pawl_case *item) {
  return item->name ? item->name : "(unnamed)";
}

/* Every value that the case gives must be a parameter of the operator. */
static pawl_status check_names(const struct pawl_case *item, const struct pawl_operator_info *info,
                               struct pawl_arena *arena, struct pawl_error *err) {
  const char **names = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *names);
  for (int i = 0; i < info->param_count; i++) names[i] = info->params[i].name;
  for (int i = 0; i < item->count; i++) {
    const char *name = item->dims[i].name;
    bool known = false;
    for (int j = 0; j < info->param_count; j++) known |= strcmp(names[j], name) == 0;
    if (known) continue;
    const char *nearest = pawl_nearest(name, names, (size_t)info->param_count);
    return pawl_fail(err, PAWL_CONFIG, "case '%s': operator '%s' has no parameter '%s'%s%s%s", case_name(item),
                     info->name, name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  return PAWL_OK;
}

static pawl_status resolve_param(const struct pawl_case *item, const struct pawl_operator_info *info,
                                 const struct pawl_param *param, int64_t *out, struct pawl_error *err) {
  bool given = false;
  int64_t value = param->fallback;
  for (int i = 0; i < item->count; i++) {
    if (strcmp(item->dims[i].name, param->name) != 0) continue;
    given = true;
    value = item->dims[i].value;
  }
  if (!given && value < param->min)
    return pawl_fail(err, PAWL_CONFIG,
                     "case '%s': '%s' of operator '%s' is missing: give an integer from %" PRId64 " to %" PRId64,
                     case_name(item), param->name, info->name, param->min, param->max);
  if (value < param->min || value > param->max)
    return pawl_fail(err, PAWL_CONFIG,
                     "case '%s': '%s' of operator '%s' must be from %" PRId64 " to %" PRId64 ", not %" PRId64,
                     case_name(item), param->name, info->name, param->min, param->max, value);
  *out = value;
  return PAWL_OK;
}

static pawl_status resolve_dtype(const struct pawl_case *item, const struct pawl_operator_info *info, int32_t *out,
                                 struct pawl_error *err) {
  if (item->dtype == PAWL_DTYPE_NONE) {
    *out = info->tolerances[0].dtype;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  for (int i = 0; i < info->tolerance_count; i++) {
    pawl_text_printf(&known, "%s%s", i ? ", " : "", pawl_dtype_name(info->tolerances[i].dtype));
    if (info->tolerances[i].dtype != item->dtype) continue;
    *out = item->dtype;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_CONFIG, "case '%s': operator '%s' does not support dtype %s, only %s", case_name(item),
                   info->name, pawl_dtype_name(item->dtype), pawl_text_string(&known));
}

pawl_status pawl_case_resolve(const struct pawl_case *item, const struct pawl_operator_info *info,
                              struct pawl_arena *arena, struct pawl_case *out, struct pawl_error *err) {
  struct pawl_case resolved = {.name = pawl_arena_copy(arena, item->name),
                               .operator_name = pawl_arena_copy(arena, info->name),
                               .count = info->param_count};
  PAWL_ASSERT(info->tolerance_count > 0);
  PAWL_TRY(check_names(item, info, arena, err));
  resolved.dims = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *resolved.dims);
  for (int i = 0; i < info->param_count; i++) {
    resolved.dims[i].name = pawl_arena_copy(arena, info->params[i].name);
    PAWL_TRY(resolve_param(item, info, &info->params[i], &resolved.dims[i].value, err));
  }
  PAWL_TRY(resolve_dtype(item, info, &resolved.dtype, err));
  *out = resolved;
  return PAWL_OK;
}
