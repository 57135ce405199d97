/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "model/dtype.h"
#include "model/operator_info.h"

/* "case 'small'"; a shape of a matrix of `check` has no name. */
static const char *case_resolve_owner_of(const struct pawl_case *config, struct pawl_arena *arena) {
  return config->name ? pawl_arena_printf(arena, "case '%s'", config->name) : "check";
}

/* The names of all parameters, or the one that `name` may be a misspelling of. */
static const char *hint(const char *name, const char *const *names, size_t count,
                        struct pawl_arena *arena) {
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest) return pawl_did_you_mean(nearest, arena);
  const char *known = count ? "" : "none";
  for (size_t i = 0; i < count; i++)
    known = pawl_arena_printf(arena, "%s%s%s", known, i ? ", " : "", names[i]);
  return pawl_arena_printf(arena, "; its parameters: %s", known);
}

/* Every value that the case gives must be a parameter of the operator. */
static pawl_status case_resolve_check_names(const struct pawl_case *config,
                                            const struct pawl_operator_info *info,
                                            struct pawl_arena *arena, struct pawl_error *err) {
  const char **names = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *names);
  for (int i = 0; i < info->param_count; i++) names[i] = info->params[i].name;
  for (int i = 0; i < config->count; i++) {
    const char *name = config->dims[i].name;
    bool known = false;
    for (int j = 0; j < info->param_count; j++) known |= strcmp(names[j], name) == 0;
    if (known) continue;
    pawl_fail(err, PAWL_CONFIG, "%s: operator '%s' has no parameter '%s'%s",
              case_resolve_owner_of(config, arena), info->name, name,
              hint(name, names, (size_t)info->param_count, arena));
    return pawl_file_place_prefix(config->places ? &config->places[i] : &config->place, err);
  }
  return PAWL_OK;
}

static pawl_status resolve_param(const struct pawl_case *config,
                                 const struct pawl_operator_info *info,
                                 const struct pawl_param *param, struct pawl_arena *arena,
                                 int64_t *out, struct pawl_error *err) {
  bool given = false;
  const struct pawl_file_place *place = &config->place;
  int64_t value = param->fallback;
  for (int i = 0; i < config->count; i++) {
    if (strcmp(config->dims[i].name, param->name) != 0) continue;
    given = true;
    value = config->dims[i].value;
    if (config->places) place = &config->places[i];
  }
  if (value >= param->min && value <= param->max) {
    *out = value;
    return PAWL_OK;
  }
  const char *owner = case_resolve_owner_of(config, arena);
  if (given)
    pawl_fail(err, PAWL_CONFIG,
              "%s: '%s' of operator '%s' must be from %" PRId64 " to %" PRId64 ", not %" PRId64,
              owner, param->name, info->name, param->min, param->max, value);
  else
    pawl_fail(err, PAWL_CONFIG,
              "%s: '%s' of operator '%s' is missing: give an integer from %" PRId64 " to %" PRId64,
              owner, param->name, info->name, param->min, param->max);
  return pawl_file_place_prefix(place, err);
}

static pawl_status resolve_dtype(const struct pawl_case *config,
                                 const struct pawl_operator_info *info, struct pawl_arena *arena,
                                 int32_t *out, struct pawl_error *err) {
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
  pawl_fail(err, PAWL_CONFIG, "%s: operator '%s' does not support dtype %s, only %s",
            case_resolve_owner_of(config, arena), info->name, pawl_dtype_name(config->dtype),
            pawl_text_string(&known));
  return pawl_file_place_prefix(&config->place, err);
}

pawl_status pawl_case_resolve(const struct pawl_case *config, const struct pawl_operator_info *info,
                              struct pawl_arena *arena, struct pawl_case *out,
                              struct pawl_error *err) {
  struct pawl_case resolved = {.name = pawl_arena_copy(arena, config->name),
                               .operator_name = pawl_arena_copy(arena, info->name),
                               .count = info->param_count};
  PAWL_ASSERT(info->tolerance_count > 0);
  PAWL_TRY(case_resolve_check_names(config, info, arena, err));
  resolved.dims = pawl_arena_alloc(arena, (size_t)info->param_count + 1, sizeof *resolved.dims);
  for (int i = 0; i < info->param_count; i++) {
    resolved.dims[i].name = pawl_arena_copy(arena, info->params[i].name);
    PAWL_TRY(resolve_param(config, info, &info->params[i], arena, &resolved.dims[i].value, err));
  }
  PAWL_TRY(resolve_dtype(config, info, arena, &resolved.dtype, err));
  *out = resolved;
  return PAWL_OK;
}
