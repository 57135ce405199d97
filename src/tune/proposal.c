/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/proposal.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/fields.h"
#include "tune/tune.h"

#define FASTEST 1e6 /* a larger speed-up cannot be a measurement */

static pawl_status find_value(const struct pawl_space *space, const json_t *params, size_t axis,
                              const char *path, uint16_t *out, struct pawl_error *err) {
  const struct pawl_tune_axis *values = &space->axes[axis];
  const char *text = json_string_value(json_object_get(params, values->name));
  for (size_t i = 0; text && i < values->count; i++) {
    if (strcmp(values->values[i].word, text) != 0) continue;
    *out = (uint16_t)i;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: the suite's 'tune' does not list this value of '%s'",
                   path, values->name);
}

static pawl_status proposal_read_params(const json_t *best, const struct pawl_suite *suite,
                                        const char *path, struct pawl_arena *arena,
                                        struct pawl_tune_proposal *out, struct pawl_error *err) {
  const json_t *params = json_object_get(best, "params");
  struct pawl_space space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  PAWL_TRY(pawl_space_init(&space, out->spec, suite->path, arena, err));
  if (json_object_size(params) != space.axis_count)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: its parameters differ from the parameters in the suite's 'tune'", path);
  for (size_t i = 0; i < space.axis_count; i++)
    PAWL_TRY(find_value(&space, params, i, path, &at[i], err));
  const size_t index = pawl_space_find(&space, at);
  if (index == PAWL_NO_CONFIGURATION)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: the suite's constraints exclude its recommendation",
                     path);
  out->params = pawl_arena_alloc(arena, space.axis_count, sizeof *out->params);
  out->count = space.axis_count;
  for (size_t i = 0; i < space.axis_count; i++)
    out->params[i] =
        (struct pawl_param_value){space.axes[i].name, pawl_space_value(&space, index, i)};
  return PAWL_OK;
}

static pawl_status read_speedup(const json_t *best, const struct pawl_suite *suite,
                                const char *path, struct pawl_tune_proposal *out,
                                struct pawl_error *err) {
  PAWL_TRY(pawl_json_get_number(best, "speedup", path, NAN, &out->speedup, err));
  PAWL_TRY(pawl_json_get_number(best, "speedup_low", path, NAN, &out->low, err));
  PAWL_TRY(pawl_json_get_number(best, "speedup_high", path, NAN, &out->high, err));
  if (out->speedup > 1 + suite->gate.improve && out->speedup < FASTEST) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "%s: its recommendation is not faster by more than 'gate: improve'", path);
}

/* Finds the suite's cases for a result on one case or several. */
static pawl_status read_cases(const json_t *document, const struct pawl_suite *suite,
                              const char *path, struct pawl_arena *arena,
                              struct pawl_tune_proposal *out, struct pawl_error *err) {
  const json_t *names = json_object_get(document, "cases");
  const size_t count = json_is_array(names) ? json_array_size(names) : 1;
  out->cases = pawl_arena_alloc(arena, count + 1, sizeof(struct pawl_case *));
  for (size_t i = 0; i < count; i++) {
    const char *name =
        json_string_value(names ? json_array_get(names, i) : json_object_get(document, "case"));
    out->cases[i] = name ? pawl_suite_case(suite, name) : NULL;
    if (!out->cases[i])
      return pawl_fail(err, PAWL_BAD_DATA, "%s: the suite has no case '%.60s'", path,
                       name ? name : "");
  }
  out->case_count = count;
  return count ? PAWL_OK : pawl_fail(err, PAWL_BAD_DATA, "%s: it is for no case", path);
}

pawl_status pawl_tune_proposal_read(const char *path, const struct pawl_suite *suite,
                                    struct pawl_arena *arena, struct pawl_tune_proposal *out,
                                    struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_tune_proposal proposal = {.speedup = NAN, .low = NAN, .high = NAN};
  const char *kernel, *hardware, *began;
  bool recommended;
  PAWL_TRY(pawl_json_read(path, &document, err));
  PAWL_TRY(pawl_json_check_version(document, &PAWL_JSON_KEY(NULL, path), PAWL_TUNE_SCHEMA, err));
  PAWL_TRY(pawl_json_get_string(document, "kernel_name", path, "", &kernel, err));
  PAWL_TRY(pawl_json_get_string(document, "hardware_name", path, NULL, &hardware, err));
  PAWL_TRY(pawl_json_get_string(document, "current", path, NULL, &began, err));
  PAWL_TRY(pawl_json_get_bool(document, "recommended", path, false, &recommended, err));
  proposal.spec = pawl_suite_kernel(suite, kernel);
  if (!proposal.spec)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: the suite has no kernel '%.60s'", path, kernel);
  PAWL_TRY(read_cases(document, suite, path, arena, &proposal, err));
  proposal.hardware = pawl_arena_copy(arena, hardware);
  proposal.began = pawl_arena_copy(arena, began);
  pawl_tune_code_from_json(json_object_get(document, "code"), arena, &proposal.code);
  if (recommended) {
    const json_t *best = json_object_get(document, "best");
    PAWL_TRY(proposal_read_params(best, suite, path, arena, &proposal, err));
    PAWL_TRY(read_speedup(best, suite, path, &proposal, err));
  }
  *out = proposal;
  return PAWL_OK;
}
