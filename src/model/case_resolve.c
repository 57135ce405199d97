/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "model/dtype.h"
#include "model/operator_info.h"

static const char *case_name(const struct pawl_case *config) {
  return config->name ? config->name : "(unnamed)";
}

/* Every value that the case gives must be a parameter of the operator. */
static pawl_status check_names(const struct pawl_case *config, const struct pawl_operator_info *info,
                               struct pawl_arena *arena, struct pawl_error *err) {
  const char **names = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *names);
  for (int i = 0; i < info->param_count; i++) names[i] = info->params[i].name;
  for (int i = 0; i < config->count; i++) {
    const char *name = config->dims[i].name;
    bool known = false;
    for (int j = 0; j < info->param_count; j++) known |= strcmp(names[j], name) == 0;
    if (known) continue;
    const char *nearest = pawl_nearest(name, names, (size_t)info->param_count);
    return pawl_fail(err, PAWL_CONFIG, "case '%s': operator '%s' has no parameter '%s'%s%s%s", case_name(config),
                     info->name, name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  return PAWL_OK;
}

static pawl_status resolve_param(const struct pawl_case *config, const struct pawl_operator_info *info,
                                 const struct pawl_param *param, int64_t *out, struct pawl_error *err) {
  bool given = false;
  int64_t value = param->fallback;
  for (int i = 0; i < config->count; i++) {
    if (strcmp(config->dims[i].name, param->name) != 0) continue;
    given = true;
    value = config->dims[i].value;
  }
  if (!given && value < param->min)
    return pawl_fail(err, PAWL_CONFIG,
                     "case '%s': '%s' of operator '%s' is missing: give an integer from %" PRId64 " to %" PRId64,
                     case_name(config), param->name, info->name, param->min, param->max);
  if (value < param->min || value > param->max)
    return pawl_fail(err, PAWL_CONFIG,
                     "case '%s': '%s' of operator '%s' must be from %" PRId64 " to %" PRId64 ", not %" PRId64,
                     case_name(config), param->name, info->name, param->min, param->max, value);
  *out = value;
  return PAWL_OK;
}

static pawl_status resolve_dtype(const struct pawl_case *config, const struct pawl_operator_info *info, int32_t *out,
                                 struct pawl_error *err) {
  if (config->dtype == PAWL_DTYPE_NONE) {
    *out = info->tolerances[0].dtype;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  for (int i = 0; i < info->tolerance_count; i++) {
    pawl_text_printf(&known, "%s%s", i ? ", " : "", pawl_dtype_name(info->tolerances[i].dtype));
    if (info->tolerances[i].dtype != config->dtype) continue;
    *out = config->dtype;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_CONFIG, "case '%s': operator '%s' does not support dtype %s, only %s", case_name(config),
                   info->name, pawl_dtype_name(config->dtype), pawl_text_string(&known));
}

pawl_status pawl_case_resolve(const struct pawl_case *config, const struct pawl_operator_info *info,
                              struct pawl_arena *arena, struct pawl_case *out, struct pawl_error *err) {
  struct pawl_case resolved = {.name = pawl_arena_copy(arena, config->name),
                               .operator_name = pawl_arena_copy(arena, info->name),
                               .count = info->param_count};
  PAWL_ASSERT(info->tolerance_count > 0);
  PAWL_TRY(check_names(config, info, arena, err));
  resolved.dims = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *resolved.dims);
  for (int i = 0; i < info->param_count; i++) {
    resolved.dims[i].name = pawl_arena_copy(arena, info->params[i].name);
    PAWL_TRY(resolve_param(config, info, &info->params[i], &resolved.dims[i].value, err));
  }
  PAWL_TRY(resolve_dtype(config, info, &resolved.dtype, err));
  *out = resolved;
  return PAWL_OK;
}
