/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/zip.h"
#include "measure/block_plan.h"
#include "sweep/sweep.h"

#define MOST_ARMS 1000
#define MOST_POINTS 100000
#define MOST_SAMPLES 1000000

#define ARM(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_arm, name), __VA_ARGS__ }
static const struct pawl_field arm_rows[] = {
    ARM(name, NAME, .required = true),
    {"operator", PAWL_FIELD_NAME, offsetof(struct pawl_sweep_arm, operator_name), .required = true},
    ARM(device, NAME, .required = true),
    ARM(reference, FLAG, 0),
    ARM(code, STRING, 0),
    ARM(arch, STRING, 0),
    ARM(toolchain, STRING, 0),
    ARM(missing, STRING, 0),
};
const struct pawl_fields pawl_sweep_arm_fields = PAWL_FIELDS(arm_rows, struct pawl_sweep_arm, 0);

static json_t *sweep_write_shape(const void *source) {
  return pawl_case_to_json(&((const struct pawl_sweep_point *)source)->shape);
}

static pawl_status sweep_read_shape(const json_t *value, const struct pawl_json_path *path,
                                    struct pawl_arena *arena, void *target,
                                    struct pawl_error *err) {
  struct pawl_sweep_point *point = target;
  return pawl_case_from_json_at(value, NULL, path, arena, &point->shape, err);
}

static json_t *sweep_write_summary(const void *source) {
  const char *computes = ((const struct pawl_sweep_point *)source)->computes;
  return computes ? json_string(computes) : NULL;
}

static pawl_status sweep_read_summary(const json_t *value, const struct pawl_json_path *path,
                                      struct pawl_arena *arena, void *target,
                                      struct pawl_error *err) {
  if (!json_is_string(value))
    return pawl_json_path_fail(path, "computes", PAWL_BAD_DATA, err, "must be a string");
  ((struct pawl_sweep_point *)target)->computes = pawl_arena_copy(arena, json_string_value(value));
  return PAWL_OK;
}

static json_t *sweep_write_tolerance(const void *source) {
  const struct pawl_sweep_point *point = source;
  if (!(point->atol > 0 || point->rtol > 0)) return NULL;
  return json_pack("{s:f, s:f}", "atol", point->atol, "rtol", point->rtol);
}

static pawl_status sweep_read_tolerance(const json_t *value, const struct pawl_json_path *path,
                                        struct pawl_arena *arena, void *target,
                                        struct pawl_error *err) {
  (void)arena;
  struct pawl_sweep_point *point = target;
  if (json_unpack((json_t *)(uintptr_t)value, "{s:F, s:F}", "atol", &point->atol, "rtol",
                  &point->rtol) == 0)
    return PAWL_OK;
  return pawl_json_path_fail(path, "tolerance", PAWL_BAD_DATA, err, "must have atol and rtol");
}

#define POINT(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_point, name), __VA_ARGS__ }
static const struct pawl_field point_rows[] = {
    {"case", PAWL_FIELD_NAME, offsetof(struct pawl_sweep_point, case_name), .required = true},
    {"operator", PAWL_FIELD_NAME, offsetof(struct pawl_sweep_point, operator_name),
     .required = true},
    POINT(device, NAME, .required = true),
    POINT(shape, OWN, .required = true, .write = sweep_write_shape, .read = sweep_read_shape),
    POINT(rounds, INT, .required = true),
    POINT(flop, AMOUNT, 0),
    POINT(bytes, AMOUNT, 0),
    POINT(peak_gflops, TIME, 0),
    POINT(peak_gb_s, TIME, 0),
    /* plans of earlier versions have neither */
    POINT(computes, OWN, .left_out = true, .write = sweep_write_summary,
          .read = sweep_read_summary),
    {"tolerance", PAWL_FIELD_OWN, offsetof(struct pawl_sweep_point, atol), .left_out = true,
     .write = sweep_write_tolerance, .read = sweep_read_tolerance},
};
static const struct pawl_fields point_fields = PAWL_FIELDS(point_rows, struct pawl_sweep_point, 0);

#define PLAN(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_plan, name), __VA_ARGS__ }
static const struct pawl_field plan_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, 0, .required = true, .max = PAWL_SWEEP_SCHEMA},
    PLAN(pawl, STRING, 0),
    PLAN(commit, COMMIT, 0),
    PLAN(dirty, FLAG, 0),
    PLAN(hardware, STRING, .required = true),
    PLAN(system, STRING, 0),
    PLAN(driver, STRING, 0),
    PLAN(cache, NAME, .required = true),
    PLAN(started, STRING, 0),
    PLAN(seed, SEED, .required = true),
    PLAN(precision, TIME, .required = true),
    PLAN(least_blocks, INT, .required = true),
    PLAN(most_blocks, INT, .required = true),
    PLAN(samples, INT, .required = true),
    PLAN(warmup, INT, .required = true),
    PLAN(arms, LIST, offsetof(struct pawl_sweep_plan, arm_count), .required = true,
         .max = MOST_ARMS, .table = &pawl_sweep_arm_fields),
    PLAN(points, LIST, offsetof(struct pawl_sweep_plan, point_count), .required = true,
         .max = MOST_POINTS, .table = &point_fields),
};

/* A plan from elsewhere must not fill the memory. */
static pawl_status sweep_check_plan(void *target, const struct pawl_json_path *path,
                                    struct pawl_error *err) {
  const struct pawl_sweep_plan *plan = target;
  bool possible = plan->samples >= 1 && plan->samples <= MOST_SAMPLES && plan->least_blocks >= 1 &&
                  plan->most_blocks >= plan->least_blocks;
  for (size_t i = 0; i < plan->point_count && possible; i++) {
    size_t arms = 0;
    for (size_t j = 0; j < plan->arm_count; j++)
      arms += pawl_sweep_takes_part(&plan->arms[j], &plan->points[i]);
    possible = plan->points[i].rounds >= 1 && plan->points[i].rounds <= MOST_SAMPLES &&
               arms <= PAWL_MAX_ARMS;
  }
  if (!possible)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "has an impossible number of arms, samples, rounds or blocks");
  if (pawl_text_equal(plan->cache, "cold") || pawl_text_equal(plan->cache, "warm")) return PAWL_OK;
  return pawl_json_path_fail(path, "cache", PAWL_BAD_DATA, err, "must be cold or warm");
}
const struct pawl_fields pawl_sweep_plan_fields =
    PAWL_FIELDS(plan_rows, struct pawl_sweep_plan, .check = sweep_check_plan);

static json_t *sweep_write_environment(const void *source) {
  const struct pawl_sweep_timing *timing = source;
  return timing->environment ? json_deep_copy(timing->environment) : NULL;
}

static pawl_status sweep_read_environment(const json_t *value, const struct pawl_json_path *path,
                                          struct pawl_arena *arena, void *target,
                                          struct pawl_error *err) {
  (void)arena;
  struct pawl_sweep_timing *timing = target;
  if (!json_is_object(value))
    return pawl_json_value_fail(path, NULL, value, "an object", PAWL_BAD_DATA, err);
  timing->environment = value;
  return PAWL_OK;
}

#define TIMING(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_timing, name), __VA_ARGS__ }
static const struct pawl_field timing_rows[] = {
    TIMING(arm, NAME, .required = true),
    TIMING(outcome, CHOICE, .required = true, .names = PAWL_OUTCOMES, .name_of = pawl_outcome_word),
    TIMING(reason, STRING, 0),
    TIMING(samples_ms, TIMES, offsetof(struct pawl_sweep_timing, sample_count)),
    TIMING(fresh_ms, NUMBERS, offsetof(struct pawl_sweep_timing, fresh_count)),
    TIMING(isolation, NAME, 0),
    TIMING(environment, OWN, .left_out = true, .write = sweep_write_environment,
           .read = sweep_read_environment),
};
static const struct pawl_fields timing_fields =
    PAWL_FIELDS(timing_rows, struct pawl_sweep_timing, 0);

#define STATE(name) \
  { #name, PAWL_FIELD_NUMBER, offsetof(struct pawl_sweep_state, name) }
static const struct pawl_field state_rows[] = {STATE(frequency_mhz), STATE(memory_frequency_mhz),
                                               STATE(temperature_c), STATE(power_w)};
static const struct pawl_fields state_fields = PAWL_FIELDS(state_rows, struct pawl_sweep_state, 0);

#define BLOCK(name, rule, ...) \
  { #name, PAWL_FIELD_##rule, offsetof(struct pawl_sweep_block, name), __VA_ARGS__ }
static const struct pawl_field block_rows[] = {
    BLOCK(point, SIZE, .required = true),
    BLOCK(number, SIZE, .required = true),
    BLOCK(started, STRING, 0),
    BLOCK(first_arm, INT, 0),
    BLOCK(spoiled, STRING, 0),
    BLOCK(throttled, STRING, .left_out = true),
    BLOCK(before, STRUCT, 0, .table = &state_fields),
    BLOCK(after, STRUCT, 0, .table = &state_fields),
    BLOCK(other_busy, NUMBER, 0),
    BLOCK(fresh, FLAG, .left_out = true),
    BLOCK(evaluator, STRING, .left_out = true),
    BLOCK(timings, LIST, offsetof(struct pawl_sweep_block, timing_count), .required = true,
          .max = MOST_ARMS, .table = &timing_fields),
};
const struct pawl_fields pawl_sweep_block_fields =
    PAWL_FIELDS(block_rows, struct pawl_sweep_block, 0);

void pawl_sweep_release(struct pawl_sweep *sweep) {
  if (!sweep) return;
  pawl_free(sweep->blocks);
  json_decref(sweep->documents);
  *sweep = (struct pawl_sweep){0};
}

bool pawl_sweep_takes_part(const struct pawl_sweep_arm *arm, const struct pawl_sweep_point *point) {
  return !arm->missing && pawl_text_equal(arm->operator_name, point->operator_name) &&
         pawl_text_equal(arm->device, point->device);
}

bool pawl_sweep_meets(const struct pawl_sweep_arm *a, const struct pawl_sweep_arm *b) {
  return !a->missing && !b->missing && pawl_text_equal(a->operator_name, b->operator_name) &&
         pawl_text_equal(a->device, b->device);
}

const struct pawl_sweep_timing *pawl_sweep_timing_of(const struct pawl_sweep_block *block,
                                                     const char *arm) {
  for (size_t i = 0; i < block->timing_count; i++)
    if (pawl_text_equal(block->timings[i].arm, arm)) return &block->timings[i];
  return NULL;
}

void pawl_sweep_add(struct pawl_sweep *sweep, const struct pawl_sweep_block *block) {
  sweep->blocks =
      pawl_grow(sweep->blocks, sweep->block_count, &sweep->block_capacity, sizeof *sweep->blocks);
  sweep->blocks[sweep->block_count++] = *block;
}

/* A second timing of an arm would be a choice. */
static pawl_status sweep_check_arms(const struct pawl_sweep_plan *plan,
                                    const struct pawl_sweep_block *block,
                                    const struct pawl_json_path *path, struct pawl_error *err) {
  size_t arms = 0;
  for (size_t i = 0; i < plan->arm_count; i++)
    arms += pawl_sweep_takes_part(&plan->arms[i], &plan->points[block->point]) &&
            pawl_sweep_timing_of(block, plan->arms[i].name);
  if (arms == block->timing_count) return PAWL_OK;
  return pawl_json_path_fail(path, "timings", PAWL_BAD_DATA, err,
                             "must have each kernel and reference of its point once");
}

size_t pawl_sweep_count_blocks(const struct pawl_sweep *sweep, size_t point) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++) count += sweep->blocks[i].point == point;
  return count;
}

size_t pawl_sweep_count_counted(const struct pawl_sweep *sweep, size_t point) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++)
    count += sweep->blocks[i].point == point && !sweep->blocks[i].spoiled;
  return count;
}

size_t pawl_sweep_count_fresh(const struct pawl_sweep *sweep, size_t point) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->block_count; i++)
    count += sweep->blocks[i].point == point && sweep->blocks[i].fresh && !sweep->blocks[i].spoiled;
  return count;
}

pawl_status pawl_sweep_read_block(struct pawl_sweep *sweep, const json_t *line, size_t *counts,
                                  const struct pawl_json_path *path, struct pawl_arena *arena,
                                  struct pawl_error *err) {
  struct pawl_sweep_block block;
  pawl_struct_init(&pawl_sweep_block_fields, &block);
  PAWL_TRY(pawl_struct_read(&pawl_sweep_block_fields, line, path, arena, &block, err));
  if (block.point >= sweep->plan.point_count)
    return pawl_json_path_fail(path, "point", PAWL_BAD_DATA, err,
                               "must be less than the %zu points of " PAWL_SWEEP_PLAN,
                               sweep->plan.point_count);
  PAWL_TRY(sweep_check_arms(&sweep->plan, &block, path, err));
  if (block.number != counts[block.point]++)
    return pawl_json_path_fail(path, "number", PAWL_BAD_DATA, err,
                               "must be %zu, because the blocks of a point follow each other",
                               counts[block.point] - 1);
  pawl_sweep_add(sweep, &block);
  return PAWL_OK;
}

/* Reads the complete lines of the text. */
static pawl_status sweep_read_blocks(struct pawl_sweep *sweep, const struct pawl_text *text,
                                     const char *name, struct pawl_arena *arena,
                                     struct pawl_error *err) {
  int number = 1;
  size_t *counts = pawl_arena_alloc(arena, sweep->plan.point_count + 1, sizeof *counts);
  const char *at = pawl_text_string(text), *stop = at + text->length;
  for (const char *end; (end = memchr(at, '\n', (size_t)(stop - at))); at = end + 1, number++) {
    json_t *line;
    PAWL_TRY(pawl_json_parse_from(at, (size_t)(end - at), name, number, false, &line, err));
    PAWL_ASSERT(!json_array_append_new(sweep->documents, line));
    const struct pawl_json_path path = {NULL, pawl_arena_printf(arena, "%s:%d", name, number), -1};
    PAWL_TRY(pawl_sweep_read_block(sweep, line, counts, &path, arena, err));
  }
  return PAWL_OK;
}

static pawl_status sweep_read_samples(const char *folder, struct pawl_arena *arena,
                                      struct pawl_sweep *sweep, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *packed = pawl_path_join(folder, PAWL_SWEEP_SAMPLES);
  PAWL_CLEANUP(pawl_free_pointer) char *journal = pawl_path_join(folder, PAWL_SWEEP_JOURNAL);
  const char *path = pawl_file_exists(packed) ? packed : journal;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (pawl_file_absent(path)) return PAWL_OK;
  PAWL_TRY(pawl_file_read(path, PAWL_SWEEP_FILE_LIMIT, &text, err));
  PAWL_TRY(pawl_gunzip(&text, PAWL_SWEEP_FILE_LIMIT, path, err));
  return sweep_read_blocks(sweep, &text, path, arena, err);
}

pawl_status pawl_sweep_read(const char *folder, struct pawl_arena *arena, struct pawl_sweep *out,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, PAWL_SWEEP_PLAN);
  if (pawl_file_absent(path))
    return pawl_fail(err, PAWL_NO_INPUT, "'%s' holds no sweep: it has no " PAWL_SWEEP_PLAN, folder);
  struct pawl_sweep sweep = {.documents = json_array()};
  json_t *document;
  pawl_struct_init(&pawl_sweep_plan_fields, &sweep.plan);
  enum pawl_status_code status = pawl_json_read(path, &document, err);
  if (status == PAWL_OK) {
    const struct pawl_json_path place = {NULL, path, -1};
    PAWL_ASSERT(!json_array_append_new(sweep.documents, document));
    status = pawl_json_check_version(document, &place, PAWL_SWEEP_SCHEMA, err);
    if (status == PAWL_OK)
      status = pawl_struct_read(&pawl_sweep_plan_fields, document, &place, arena, &sweep.plan, err);
  }
  if (status == PAWL_OK) status = sweep_read_samples(folder, arena, &sweep, err);
  if (status != PAWL_OK) {
    pawl_sweep_release(&sweep);
    return status;
  }
  *out = sweep;
  return PAWL_OK;
}
