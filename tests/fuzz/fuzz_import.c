/* SPDX-License-Identifier: Apache-2.0 */
/* What another harness wrote, read by every importer: benchmarks of different names with positive
   times or a fault, or one line that names the format. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "model/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_benchmark(const struct pawl_benchmarks *all, const struct pawl_benchmark *one) {
  if (pawl_benchmarks_find(all, one->name) != one || (one->count == 0) != (one->fault != NULL))
    abort();
  if (one->name &&
      (!*one->name || strlen(one->name) > PAWL_FIELD_NAME_BYTES || strpbrk(one->name, "\n\033")))
    abort();
  for (size_t i = 0; i < one->count; i++)
    if (!(one->seconds[i] > 0) || !isfinite(one->seconds[i])) abort();
}

static void import(const struct pawl_importer *importer, const char *text, size_t length) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_benchmark_list list = {.file = importer->name, .arena = &arena};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  enum pawl_status_code status = PAWL_OK;
  if (importer->read) status = pawl_json_parse(text, length, importer->name, true, &document, &err);
  if (status == PAWL_OK)
    status = importer->read ? importer->read(document, &list, &err)
                            : importer->read_text(text, length, &list, &err);
  if (status == PAWL_OK) {
    for (size_t i = 0; i < list.all.count; i++) check_benchmark(&list.all, &list.all.items[i]);
  } else if (status != PAWL_BAD_DATA ||
             strncmp(err.message, importer->name, strlen(importer->name)) != 0 ||
             strchr(err.message, '\n')) {
    abort();
  }
  pawl_arena_clear(&arena);
}

static enum pawl_status_code take_run(void *context, const struct pawl_history_run *run,
                                      struct pawl_error *err) {
  (void)context, (void)err;
  if (!run->id || strlen(run->id) != 32 || !run->source || run->time < 0) abort();
  if (run->commit && !pawl_is_commit_id(run->commit)) abort();
  return PAWL_OK;
}

static enum pawl_status_code take_point(void *context, const struct pawl_history_point *point,
                                        struct pawl_error *err) {
  (void)context, (void)err;
  if (!*point->kernel_name || !*point->case_name ||
      strlen(point->kernel_name) > PAWL_HISTORY_NAME_BYTES)
    abort();
  if (!strcmp(point->unit, "ms") && point->outcome == PAWL_OUTCOME_OK && !(point->value > 0))
    abort();
  return PAWL_OK;
}

/* The same into the history. */
static void feed(const struct pawl_importer *importer, const char *text, size_t length) {
  struct pawl_error err = {0};
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  defaults.time = 1;
  struct pawl_feed fed = {.text = {"the file", text, length},
                          .format = importer->name,
                          .defaults = &defaults,
                          .sink = {NULL, take_run, take_point}};
  const enum pawl_status_code status = importer->feed(&fed, &err);
  if (status != PAWL_OK && (status != PAWL_BAD_DATA || strncmp(err.message, "the file:", 9) != 0))
    abort();
  pawl_arena_clear(&fed.arena);
  pawl_arena_clear(&fed.point);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < pawl_importer_count; i++) {
    if (pawl_importers[i].read || pawl_importers[i].read_text)
      import(&pawl_importers[i], (const char *)data, size);
    if (pawl_importers[i].feed && strcmp(pawl_importers[i].name, "run") != 0) /* that is a folder */
      feed(&pawl_importers[i], (const char *)data, size);
  }
  return 0;
}
