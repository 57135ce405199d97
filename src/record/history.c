/* SPDX-License-Identifier: Apache-2.0 */
#include "record/history.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hash.h"
#include "gate/result_interval.h"
#include "record/conclusion.h"
#include "record/verdict_fields.h"

/* --- the document --- */

#define ROW(type, name, rule, member, ...) \
  { name, rule, offsetof(struct type, member), __VA_ARGS__ }

static pawl_status history_read_object(const json_t *value, const struct pawl_json_path *path,
                                       const json_t **out, struct pawl_error *err) {
  if (!json_is_object(value))
    return pawl_json_value_fail(path, NULL, value, "an object", PAWL_BAD_DATA, err);
  *out = value;
  return PAWL_OK;
}
static json_t *write_object(const json_t *value) {
  return value ? json_incref((json_t *)(uintptr_t)value) : NULL;
}
#define OBJECT(member)                                                                            \
  static json_t *write_##member(const void *source) {                                             \
    return write_object(((const struct pawl_history_point *)source)->member);                     \
  }                                                                                               \
  static pawl_status read_##member(const json_t *value, const struct pawl_json_path *path,        \
                                   struct pawl_arena *arena, void *target,                        \
                                   struct pawl_error *err) {                                      \
    (void)arena;                                                                                  \
    return history_read_object(value, path, &((struct pawl_history_point *)target)->member, err); \
  }
OBJECT(result)
OBJECT(comparison)
OBJECT(profile)

static pawl_status history_check_names(const char *kernel, const char *case_name,
                                       const struct pawl_json_path *path, struct pawl_error *err) {
  const char *const names[] = {kernel, case_name};
  for (int i = 0; i < 2; i++) {
    if (!*names[i] || strlen(names[i]) > PAWL_HISTORY_NAME_BYTES)
      return pawl_json_path_fail(path, i ? "case" : "kernel_name", PAWL_BAD_DATA, err,
                                 "must be a name of 1 to %d bytes", PAWL_HISTORY_NAME_BYTES);
  }
  return PAWL_OK;
}

static pawl_status check_point(void *target, const struct pawl_json_path *path,
                               struct pawl_error *err) {
  struct pawl_history_point *point = target;
  if (!point->shape) point->shape = "";
  PAWL_TRY(history_check_names(point->kernel_name, point->case_name, path, err));
  if (strlen(point->shape) > PAWL_HISTORY_NAME_BYTES)
    return pawl_json_path_fail(path, "shape", PAWL_BAD_DATA, err, "is longer than %d bytes",
                               PAWL_HISTORY_NAME_BYTES);
  return PAWL_OK;
}

static void init_point(void *target) { pawl_history_point_init(target); }
static void init_run(void *target) { pawl_history_run_init(target); }

#define POINT(...) ROW(pawl_history_point, __VA_ARGS__)
static const struct pawl_field point_rows[] = {
    POINT("kernel_name", PAWL_FIELD_STRING, kernel_name, .required = true),
    POINT("case", PAWL_FIELD_STRING, case_name, .required = true),
    POINT("shape", PAWL_FIELD_STRING, shape),
    POINT("unit", PAWL_FIELD_NAME, unit, .required = true),
    POINT("bigger_is_better", PAWL_FIELD_FLAG, bigger_is_better),
    POINT("outcome", PAWL_FIELD_CHOICE, outcome, .name_of = pawl_outcome_word,
          .names = PAWL_OUTCOMES),
    POINT("reason", PAWL_FIELD_STRING, reason),
    POINT("value", PAWL_FIELD_NUMBER, value),
    POINT("low", PAWL_FIELD_NUMBER, low),
    POINT("high", PAWL_FIELD_NUMBER, high),
    POINT("samples", PAWL_FIELD_COUNT, samples),
    POINT("code", PAWL_FIELD_NAME, code),
    POINT("verdict", PAWL_FIELD_NAME, verdict),
    POINT("change_pct", PAWL_FIELD_NUMBER, change_pct),
    POINT("change_low_pct", PAWL_FIELD_NUMBER, change_low_pct),
    POINT("change_high_pct", PAWL_FIELD_NUMBER, change_high_pct),
    POINT("anchor", PAWL_FIELD_COMMIT, anchor),
    POINT("blocks", PAWL_FIELD_COUNT, blocks),
    POINT("identical", PAWL_FIELD_FLAG, identical),
    POINT("role", PAWL_FIELD_NAME, role),
    POINT("machine", PAWL_FIELD_NAME, machine),
    POINT("base_sd_pct", PAWL_FIELD_AMOUNT, base_sd_pct),
    POINT("block_sd_pct", PAWL_FIELD_AMOUNT, block_sd_pct),
    POINT("false_alarm", PAWL_FIELD_AMOUNT, false_alarm),
    POINT("result", PAWL_FIELD_OWN, result, .write = write_result, .read = read_result),
    POINT("comparison", PAWL_FIELD_OWN, comparison, .write = write_comparison,
          .read = read_comparison),
    POINT("profile", PAWL_FIELD_OWN, profile, .write = write_profile, .read = read_profile),
};
static const struct pawl_fields point_fields =
    PAWL_FIELDS(point_rows, struct pawl_history_point, .init = init_point, .check = check_point);

static pawl_status check_run(void *target, const struct pawl_json_path *path,
                             struct pawl_error *err) {
  const struct pawl_history_run *run = target;
  struct pawl_hash hash;
  if (!pawl_hash_parse(run->id, &hash))
    return pawl_json_path_fail(path, "id", PAWL_BAD_DATA, err,
                               "must be 32 hexadecimal digits, not '%.64s'", run->id);
  return PAWL_OK;
}

#define RUN(...) ROW(pawl_history_run, __VA_ARGS__)
static const struct pawl_field run_rows[] = {
    {"schema_version", PAWL_FIELD_VERSION, .max = PAWL_HISTORY_SCHEMA},
    RUN("id", PAWL_FIELD_NAME, id, .required = true),
    RUN("source", PAWL_FIELD_NAME, source, .required = true),
    RUN("time", PAWL_FIELD_COUNT, time, .required = true),
    RUN("commit", PAWL_FIELD_COMMIT, commit),
    RUN("commit_time", PAWL_FIELD_COUNT, commit_time),
    RUN("subject", PAWL_FIELD_STRING, subject),
    RUN("branch", PAWL_FIELD_STRING, branch),
    RUN("dirty", PAWL_FIELD_FLAG, dirty),
    RUN("hardware", PAWL_FIELD_NAME, hardware),
    RUN("hardware_name", PAWL_FIELD_NAME, hardware_name),
    RUN("toolchain", PAWL_FIELD_STRING, toolchain),
    RUN("verdict", PAWL_FIELD_NAME, verdict),
    RUN("seconds", PAWL_FIELD_AMOUNT, seconds),
    RUN("points", PAWL_FIELD_LIST, points, offsetof(struct pawl_history_run, point_count),
        .required = true, .max = PAWL_HISTORY_POINTS, .table = &point_fields),
    RUN("baseline_moves", PAWL_FIELD_LIST, moves, offsetof(struct pawl_history_run, move_count),
        .required = true, .max = PAWL_RECORD_ROWS, .table = &pawl_move_fields),
};
const struct pawl_fields pawl_history_fields =
    PAWL_FIELDS(run_rows, struct pawl_history_run, .init = init_run, .check = check_run);

void pawl_history_point_init(struct pawl_history_point *point) {
  pawl_fields_init(point_rows, point_fields.count, point);
  point->shape = "";
  point->result = point->comparison = point->profile = NULL;
}

void pawl_history_run_init(struct pawl_history_run *run) {
  pawl_fields_init(run_rows, PAWL_COUNT(run_rows), run);
}

json_t *pawl_history_run_to_json(const struct pawl_history_run *run) {
  return pawl_struct_write(&pawl_history_fields, run);
}

/* Cleans text from outside: a database takes only UTF-8, and a terminal obeys control
 * characters. */
static const char *clean(const char *text, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  if (!text) return NULL;
  pawl_clean_text(text, false, &cleaned);
  return pawl_arena_copy(arena, pawl_text_string(&cleaned));
}

/* A text to clean and its limit in bytes. An empty name becomes "-". */
struct cleaning {
  const char **text;
  size_t limit;
  bool is_name;
};

static pawl_status clean_texts(const struct cleaning *texts, size_t count, const char *place,
                               struct pawl_arena *arena, struct pawl_error *err) {
  for (size_t i = 0; i < count; i++) {
    const char *cleaned = clean(*texts[i].text, arena);
    if (texts[i].is_name && !*cleaned) cleaned = "-";
    if (cleaned && strlen(cleaned) > texts[i].limit)
      return pawl_fail(err, PAWL_BAD_DATA, "%s: a text is longer than %zu bytes", place,
                       texts[i].limit);
    *texts[i].text = cleaned;
  }
  return PAWL_OK;
}

#define ANY SIZE_MAX

static pawl_status clean_run(struct pawl_history_run *run, const char *place,
                             struct pawl_arena *arena, struct pawl_error *err) {
  const struct cleaning texts[] = {{&run->subject, ANY, false},
                                   {&run->branch, ANY, false},
                                   {&run->hardware, PAWL_FIELD_NAME_BYTES, false},
                                   {&run->hardware_name, PAWL_FIELD_NAME_BYTES, false},
                                   {&run->toolchain, ANY, false}};
  PAWL_TRY(clean_texts(texts, PAWL_COUNT(texts), place, arena, err));
  for (size_t i = 0; i < run->point_count; i++) {
    struct pawl_history_point *point = &run->points[i];
    const struct cleaning words[] = {{&point->kernel_name, PAWL_HISTORY_NAME_BYTES, true},
                                     {&point->case_name, PAWL_HISTORY_NAME_BYTES, true},
                                     {&point->shape, PAWL_HISTORY_NAME_BYTES, false},
                                     {&point->unit, PAWL_FIELD_NAME_BYTES, true},
                                     {&point->role, PAWL_FIELD_NAME_BYTES, false},
                                     {&point->machine, PAWL_FIELD_NAME_BYTES, false},
                                     {&point->reason, ANY, false}};
    PAWL_TRY(clean_texts(words, PAWL_COUNT(words), place, arena, err));
  }
  return PAWL_OK;
}

pawl_status pawl_history_run_from_json(const json_t *document, const char *name,
                                       struct pawl_arena *arena, struct pawl_history_run *out,
                                       struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  struct pawl_history_run run;
  if (!json_is_object(document)) return pawl_fail(err, PAWL_BAD_DATA, "%s: not an object", name);
  pawl_history_run_init(&run);
  PAWL_TRY(pawl_json_check_version(document, &path, PAWL_HISTORY_SCHEMA, err));
  PAWL_TRY(pawl_struct_read(&pawl_history_fields, document, &path, arena, &run, err));
  PAWL_TRY(clean_run(&run, name, arena, err));
  *out = run;
  return PAWL_OK;
}

/* --- the run --- */

/* In percent; NaN with fewer than two valid blocks. */
static double base_sd_pct(const struct pawl_paired_test *paired) {
  double mean = 0, squares = 0;
  size_t count = 0;
  for (size_t i = 0; i < paired->block_count; i++) {
    const struct pawl_paired_block *block = &paired->blocks[i];
    if (block->spoiled || !(block->base_ms > 0)) continue;
    const double value = log(block->base_ms), before = value - mean; /* Welford's method */
    mean += before / (double)++count;
    squares += before * (value - mean);
  }
  return count < 2 ? (double)NAN : 100 * sqrt(squares / (double)(count - 1));
}

static const char *host_name(struct pawl_arena *arena) {
  char name[PAWL_FIELD_NAME_BYTES] = "";
  return gethostname(name, sizeof name - 1) || !*name ? NULL : clean(name, arena);
}

/* Adds the figures that the blocks give for the machine and the gate, not for the kernel. */
static void add_blocks(const struct pawl_paired_test *paired, struct pawl_arena *arena,
                       struct pawl_history_point *point) {
  if (!paired->counted) return;
  point->machine = paired->gpu ? paired->gpu : host_name(arena);
  point->base_sd_pct = base_sd_pct(paired);
  point->block_sd_pct = 100 * paired->block_sd;
  point->false_alarm = paired->policy.false_alarm / paired->policy.comparisons;
}

static void add_verdict(const struct pawl_ratchet_row *row, struct pawl_arena *arena, json_t *owner,
                        struct pawl_history_point *point) {
  const struct pawl_comparison *comparison = &row->comparison;
  const struct pawl_paired_test *paired = row->paired;
  json_t *written = pawl_struct_write(&pawl_verdict_row_fields, row);
  PAWL_ASSERT(!json_array_append_new(owner, written));
  point->comparison = written;
  point->verdict = pawl_verdict_name(comparison->verdict);
  point->change_pct = comparison->delta_pct;
  if (!paired) return;
  point->anchor = paired->anchor;
  point->identical = paired->identical;
  point->blocks = (long long)paired->counted;
  point->change_low_pct = -100 * paired->slowdown.high;
  point->change_high_pct = -100 * paired->slowdown.low;
  add_blocks(paired, arena, point);
}

/* Adds the report's short texts on the profile, and the counters. */
static void add_profile(const struct pawl_run_report *report, const char *folder, json_t *owner,
                        struct pawl_history_point *point) {
  const struct pawl_report_profile *profile = NULL;
  for (size_t i = 0; i < report->profile_count && !profile; i++)
    if (!strcmp(report->profiles[i].kernel_name, point->kernel_name) &&
        !strcmp(report->profiles[i].case_name, point->case_name))
      profile = &report->profiles[i];
  if (!profile) return;
  json_t *written = pawl_struct_write(&pawl_profile_row_fields, profile), *counters = NULL;
  PAWL_ASSERT(!json_array_append_new(owner, written));
  json_object_del(written, "text");
  json_object_del(written, "folder");
  point->profile = written;
  if (!folder || !profile->folder) return;
  PAWL_CLEANUP(pawl_free_pointer) char *inside = pawl_path_join(folder, profile->folder);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(inside, "profile.json");
  if (pawl_json_read(path, &counters, NULL) == PAWL_OK)
    pawl_json_set(written, "counters", counters);
}

static void name_point(const char *kernel, const struct pawl_case *config, struct pawl_arena *arena,
                       struct pawl_history_point *point) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_history_point_init(point);
  pawl_case_key(config, &shape);
  point->kernel_name = kernel ? kernel : PAWL_KERNEL_UNNAMED;
  point->case_name = config->name ? config->name : "-";
  point->shape = pawl_arena_copy(arena, pawl_text_string(&shape));
  point->unit = "ms";
}

static void add_result(const struct pawl_result *result, struct pawl_arena *arena, json_t *owner,
                       struct pawl_history_point *point) {
  const struct pawl_performance *performance = &result->performance;
  json_t *written = pawl_result_to_json(result);
  PAWL_ASSERT(!json_array_append_new(owner, written));
  point->result = written;
  point->outcome = result->outcome;
  point->reason = clean(result->reason, arena);
  point->code = result->code.hash;
  point->role = result->reference ? "reference" : "kernel";
  if (result->outcome != PAWL_OUTCOME_OK) return;
  point->value = isnan(performance->median_ms) ? performance->mean_time_ms : performance->median_ms;
  point->samples = (long long)performance->sample_count;
  pawl_result_interval(result, &point->low, &point->high);
}

static const struct pawl_ratchet_row *row_of(const struct pawl_run_report *report,
                                             const struct pawl_result *result) {
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++) {
    const struct pawl_ratchet_row *row = &report->ratchet->rows[i];
    const char *name = row->comparison.config.name;
    if (row->comparison.kernel_name && !strcmp(row->comparison.kernel_name, result->kernel_name) &&
        name && result->config.name && !strcmp(name, result->config.name))
      return row;
  }
  return NULL;
}

static bool has_result(const struct pawl_results *results,
                       const struct pawl_comparison *comparison) {
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    if (comparison->kernel_name && !strcmp(result->kernel_name, comparison->kernel_name) &&
        result->config.name && comparison->config.name &&
        !strcmp(result->config.name, comparison->config.name))
      return true;
  }
  return false;
}

/* Adds the measured rows, then the verdicts without a measurement: identical code and missing
 * rows. */
static void add_points(const struct pawl_run_report *report, const char *folder,
                       struct pawl_arena *arena, json_t *owner, struct pawl_history_run *out) {
  const struct pawl_results *results = report->results;
  const size_t judged = report->ratchet ? report->ratchet->count : 0;
  out->points = pawl_arena_alloc(arena, results->count + judged, sizeof *out->points);
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    const struct pawl_ratchet_row *row = row_of(report, result);
    if (json_object_get(result->environment, PAWL_KEPT_FROM))
      continue; /* the result belongs to an earlier run */
    struct pawl_history_point *point = &out->points[out->point_count++];
    name_point(result->kernel_name, &result->config, arena, point);
    add_result(result, arena, owner, point);
    if (row) add_verdict(row, arena, owner, point);
    add_profile(report, folder, owner, point);
  }
  for (size_t i = 0; i < judged; i++) {
    const struct pawl_ratchet_row *row = &report->ratchet->rows[i];
    if (has_result(results, &row->comparison)) continue;
    struct pawl_history_point *point = &out->points[out->point_count++];
    name_point(row->comparison.kernel_name, &row->comparison.config, arena, point);
    point->reason = clean(row->comparison.reason, arena);
    if (row->comparison.verdict == PAWL_VERDICT_MISSING) point->outcome = PAWL_OUTCOME_ABSENT;
    point->role = "kernel";
    add_verdict(row, arena, owner, point);
  }
}

static pawl_status random_id(struct pawl_arena *arena, const char **out, struct pawl_error *err) {
  struct pawl_hash hash;
  char text[PAWL_HASH_TEXT];
  PAWL_TRY(pawl_entropy(&hash, sizeof hash, err));
  pawl_hash_format(hash, text);
  *out = pawl_arena_copy(arena, text);
  return PAWL_OK;
}

pawl_status pawl_history_of_report(const struct pawl_run_report *report, const char *folder,
                                   const char *source, struct pawl_arena *arena, json_t *owner,
                                   struct pawl_history_run *out, struct pawl_error *err) {
  const struct pawl_results *results = report->results;
  struct pawl_history_run run;
  pawl_history_run_init(&run);
  PAWL_TRY(random_id(arena, &run.id, err));
  run.source = source;
  run.time = (long long)pawl_wall_clock();
  run.commit = results->commit;
  run.dirty = results->dirty;
  run.hardware = results->hardware;
  run.hardware_name = clean(results->hardware_name, arena);
  run.toolchain = clean(results->toolchain, arena);
  if (report->ratchet) run.verdict = pawl_conclusion_name(pawl_run_conclusion(report));
  run.seconds = report->seconds;
  run.moves = (struct pawl_baseline_move *)(uintptr_t)report->moves;
  run.move_count = report->move_count;
  add_points(report, folder, arena, owner, &run);
  *out = run;
  return PAWL_OK;
}
