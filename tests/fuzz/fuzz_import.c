/* SPDX-License-Identifier: Apache-2.0 */
/* Another harness's file, read by every importer: benchmarks with positive times or a reason, or
   one line that names the file. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "model/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum pawl_status_code take_benchmark(void *context, const struct pawl_benchmark *one,
                                            struct pawl_error *err) {
  (void)context, (void)err;
  if ((one->outcome == PAWL_OUTCOME_OK) != (one->count > 0) || (one->count == 0) != !!one->reason)
    abort();
  if (one->name &&
      (!*one->name || strlen(one->name) > PAWL_FIELD_NAME_BYTES || strpbrk(one->name, "\n\033")))
    abort();
  for (size_t i = 0; i < one->count; i++)
    if (!(one->seconds[i] > 0) || !isfinite(one->seconds[i])) abort();
  return PAWL_OK;
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

/* Into the history, or as the rows of a command. */
static void feed(const struct pawl_importer *importer, bool rows, const char *text, size_t length) {
  struct pawl_error err = {0};
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  defaults.time = 1;
  struct pawl_feed fed = {.text = {"the file", text, length},
                          .format = importer->name,
                          .defaults = &defaults,
                          .sink = {NULL, take_run, take_point, rows ? take_benchmark : NULL}};
  const enum pawl_status_code status = pawl_import_feed(importer, false, &fed, &err);
  if (status != PAWL_OK && (status != PAWL_BAD_DATA || strncmp(err.message, "the file:", 9) != 0 ||
                            strchr(err.message, '\n')))
    abort();
  pawl_feed_release(&fed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < pawl_importer_count; i++) {
    if (!strcmp(pawl_importers[i].name, "run")) continue; /* that is a folder */
    feed(&pawl_importers[i], false, (const char *)data, size);
    if (pawl_importers[i].parse) feed(&pawl_importers[i], true, (const char *)data, size);
  }
  return 0;
}
