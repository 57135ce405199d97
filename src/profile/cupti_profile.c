/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles one call of a kernel with CUPTI in the kernel's own process, for machines without ncu.
   It makes one warm-up call, then one call for each pass of the metrics. It keeps PATH.csv in the
   format of ncu's raw page, because the metrics have the same names. A crash under CUPTI ends only
   that process. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "build/demangle.h"
#include "profile/code_facts.h"
#include "profile/ncu_csv.h"
#include "profile/profiled_worker.h"
#include "profile/profiler.h"

#define NONE "CUPTI took no profile: "
#define LATE "timed out after"
#define MOST_COLUMNS (PAWL_COUNTERS * PAWL_COUNTER_NAMES + PAWL_STALLS)

/* A metric of the table, and its unit in the words of ncu. */
struct column {
  const char *name, *unit;
};

/* CUPTI scales nothing. */
static const char *cupti_profile_unit_of(const char *name, enum pawl_unit unit) {
  switch (unit) {
    case PAWL_UNIT_SECONDS: return "ns";
    case PAWL_UNIT_HERTZ: return "hz";
    case PAWL_UNIT_BYTES: return "byte";
    case PAWL_UNIT_PERCENT: return pawl_ends_with(name, ".ratio") ? "byte/sector" : "%";
    case PAWL_UNIT_COUNT: return "";
  }
  return "";
}

/* A list of the names of each counter, the preferred one first. */
static json_t *wanted_metrics(void) {
  json_t *lists = json_array();
  for (int i = 0; i < PAWL_COUNTERS; i++) {
    json_t *names = json_array();
    for (int j = 0; j < PAWL_COUNTER_NAMES && pawl_counter_infos[i].names[j]; j++)
      if (pawl_is_metric(pawl_counter_infos[i].names[j]))
        json_array_append_new(names, json_string(pawl_counter_infos[i].names[j]));
    if (json_array_size(names))
      json_array_append_new(lists, names);
    else
      json_decref(names);
  }
  for (int i = 0; i < PAWL_STALLS; i++) {
    char name[PAWL_STALL_METRIC];
    json_array_append_new(lists, json_pack("[s]", pawl_stall_metric((enum pawl_stall)i, name)));
  }
  return lists;
}

static bool is_counted(const json_t *kernels, const char *name) {
  size_t i;
  const json_t *kernel;
  json_array_foreach(
      kernels, i, kernel) if (json_object_get(json_object_get(kernel, "values"), name)) return true;
  return false;
}

/* Lists the metrics that any kernel has a value for. Names live in the arena. */
static size_t list_columns(const json_t *kernels, struct pawl_arena *arena, struct column *out) {
  size_t count = 0;
  for (int i = 0; i < PAWL_COUNTERS; i++) {
    const struct pawl_counter_info *info = &pawl_counter_infos[i];
    for (int j = 0; j < PAWL_COUNTER_NAMES && info->names[j]; j++)
      if (is_counted(kernels, info->names[j]))
        out[count++] =
            (struct column){info->names[j], cupti_profile_unit_of(info->names[j], info->unit)};
  }
  for (int i = 0; i < PAWL_STALLS; i++) {
    char name[PAWL_STALL_METRIC];
    if (is_counted(kernels, pawl_stall_metric((enum pawl_stall)i, name)))
      out[count++] = (struct column){pawl_arena_copy(arena, name), ""};
  }
  return count;
}

static void add_field(struct pawl_text *out, const char *text) {
  pawl_text_add(out, "\"");
  for (; *text; text++)
    pawl_text_add_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  pawl_text_add(out, "\",");
}

static const char *string_or(const json_t *object, const char *key, const char *otherwise) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : otherwise;
}

/* A row of the table begins with the kernel and the GPU. A value that is no number stays empty. */
static void cupti_profile_add_kernel(struct pawl_text *out, const json_t *counters,
                                     const json_t *kernel, const struct column *columns,
                                     size_t count, const char *name) {
  add_field(out, name);
  add_field(out, string_or(counters, "gpu", ""));
  add_field(out, string_or(counters, "capability", ""));
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_object_get(json_object_get(kernel, "values"), columns[i].name);
    char number[64] = "";
    if (json_is_number(value)) snprintf(number, sizeof number, "%.17g", json_number_value(value));
    add_field(out, number);
  }
  pawl_text_add(out, "\"\"\n");
}

/* Writes the table of all counts, as ncu does. */
static void write_table(const struct pawl_profiled_call *options, const json_t *counters,
                        struct pawl_arena *arena, struct pawl_text *out) {
  struct column *columns = pawl_arena_alloc(arena, MOST_COLUMNS, sizeof *columns);
  const json_t *kernels = json_object_get(counters, "kernels"), *kernel;
  const size_t count = list_columns(kernels, arena, columns);
  size_t i;
  pawl_text_add(out, "\"Kernel Name\",\"device__attribute_display_name\",\"CC\",");
  for (i = 0; i < count; i++) add_field(out, columns[i].name);
  pawl_text_add(out, "\"\"\n\"\",\"\",\"\",");
  for (i = 0; i < count; i++) add_field(out, columns[i].unit);
  pawl_text_add(out, "\"\"\n");
  json_array_foreach(kernels, i, kernel) {
    const char *name = pawl_demangle(string_or(kernel, "name", options->worker->name), arena);
    if (!pawl_is_own_kernel(name))
      cupti_profile_add_kernel(out, counters, kernel, columns, count, name);
  }
}

/* Fails with CUPTI's own reason if the worker could not count. */
static pawl_status check_counters(const json_t *counters, struct pawl_error *err) {
  const char *reason = json_string_value(json_object_get(counters, "reason"));
  if (!json_is_object(counters))
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     NONE "the kernel's program does not count; install NVIDIA Nsight Compute");
  if (json_is_false(json_object_get(counters, "permitted")))
    return pawl_fail(err, PAWL_NOT_PERMITTED, NONE PAWL_COUNTERS_PERMISSION_REMEDY);
  if (reason) return pawl_fail(err, PAWL_UNAVAILABLE, NONE "%s", reason);
  return PAWL_OK;
}

/* Makes the counted call. The same call without CUPTI worked just before, so CUPTI is the cause of
   a crash here. */
static pawl_status count(struct pawl_worker *worker, bool cold, json_t **counters,
                         struct pawl_error *err) {
  struct pawl_error failed = {0};
  const enum pawl_status_code status =
      pawl_worker_run_counted(worker, 0, wanted_metrics(), cold, counters, &failed);
  if (status == PAWL_OK) return check_counters(*counters, err);
  return pawl_fail(err, PAWL_UNAVAILABLE, NONE "the call works, and fails under CUPTI: %s%s",
                   failed.message,
                   strstr(failed.message, LATE)
                       ? "; raise 'timeout' of 'profile' in pawl.yaml, or profile a smaller case"
                       : "");
}

static pawl_status call(const struct pawl_profiled_call *options, struct pawl_arena *arena,
                        json_t **counters, struct pawl_error *err) {
  struct pawl_worker_options worker_options = *options->worker;
  struct pawl_worker *worker;
  double seconds;
  if (worker_options.isolate != PAWL_ISOLATE_REQUIRED)
    worker_options.isolate = PAWL_ISOLATE_OFF; /* a sandbox has no right to read counters */
  worker_options.memory_limit = 0;             /* CUPTI's own memory is not the kernel's */
  worker_options.timeout_seconds = options->timeout_seconds;
  PAWL_TRY(pawl_profiled_worker_start(options, worker_options, arena, &worker, err));
  enum pawl_status_code status = pawl_worker_run(worker, 0, &seconds, err);
  if (status == PAWL_OK) status = count(worker, !options->warm, counters, err);
  pawl_profiled_worker_end(options, worker, status == PAWL_OK, false);
  return status;
}

static size_t count_kernels(const json_t *kernels) {
  size_t i, count = 0;
  const json_t *kernel;
  json_array_foreach(kernels, i, kernel) count +=
      !pawl_is_own_kernel(string_or(kernel, "name", ""));
  return count;
}

/* The table keeps the facts of the code too, so that a later import knows them. */
static void add_facts(const struct pawl_code_facts *facts, const json_t *counters) {
  json_t *kernels = json_object_get(counters, "kernels"), *kernel;
  size_t i;
  json_array_foreach(kernels, i, kernel) {
    double values[PAWL_COUNTERS];
    for (int j = 0; j < PAWL_COUNTERS; j++) values[j] = NAN;
    pawl_code_facts_of(facts, string_or(kernel, "name", ""), values);
    for (int j = 0; j < PAWL_COUNTERS; j++)
      if (!isnan(values[j]))
        pawl_json_set_number(json_object_get(kernel, "values"), pawl_counter_infos[j].names[0],
                             values[j]);
  }
}

/* The disassembler takes about as long as the counted calls, so it runs beside them. */
struct facts_beside {
  const struct pawl_profiled_call *call;
  struct pawl_arena arena;
  struct pawl_code_facts facts;
};

static void *read_facts(void *context) {
  struct facts_beside *beside = context;
  const struct pawl_profiled_call *call = beside->call;
  pawl_code_facts_read(call->worker->plugin, call->listings, &beside->arena, &beside->facts);
  return NULL;
}

static pawl_status call_beside(const struct pawl_profiled_call *options, struct pawl_arena *arena,
                               json_t **counters, struct pawl_error *err) {
  struct facts_beside beside = {.call = options};
  pthread_t thread;
  const bool started = !pthread_create(&thread, NULL, read_facts, &beside);
  const enum pawl_status_code status = call(options, arena, counters, err);
  if (started)
    pthread_join(thread, NULL);
  else
    read_facts(&beside);
  if (status == PAWL_OK) {
    if (count_kernels(json_object_get(*counters, "kernels")) == 1)
      beside.facts.compulsory_bytes = options->problem->work.bytes;
    add_facts(&beside.facts, *counters);
  }
  pawl_arena_clear(&beside.arena);
  return status;
}

pawl_status pawl_cupti_profile(const struct pawl_profiled_call *options, struct pawl_arena *arena,
                               struct pawl_profile *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *counters = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text table = {0};
  const char *csv = pawl_arena_printf(arena, "%s.csv", options->path);
  struct pawl_profile profile;
  PAWL_TRY(pawl_remove_tree(csv, err));
  PAWL_TRY(call_beside(options, arena, &counters, err));
  write_table(options, counters, arena, &table);
  PAWL_TRY(pawl_file_write(csv, pawl_text_string(&table), table.length, err));
  PAWL_TRY(pawl_ncu_csv_parse(pawl_text_string(&table), table.length, csv, arena, &profile, err));
  profile.profiler =
      pawl_arena_printf(arena, "CUPTI, API version %lld",
                        (long long)json_integer_value(json_object_get(counters, "cupti")));
  *out = profile;
  return PAWL_OK;
}
