/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what an importer reads as lines, one for each run and each benchmark. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"

/* The runs that came, as lines. */
static struct pawl_text came;

static enum pawl_status_code take_run(void *context, const struct pawl_history_run *run,
                                      struct pawl_error *err) {
  (void)context, (void)err;
  pawl_text_printf(&came, "run %lld %s%s %s %s %s\n", run->time, run->commit ? run->commit : "-",
                   run->dirty ? "+" : "", run->branch ? run->branch : "-",
                   run->subject ? run->subject : "-", run->hardware ? run->hardware : "-");
  return PAWL_OK;
}

static enum pawl_status_code take_point(void *context, const struct pawl_history_point *point,
                                        struct pawl_error *err) {
  (void)context, (void)err;
  const json_t *samples =
      json_object_get(json_object_get(point->result, "performance"), "samples_ms");
  pawl_text_printf(&came, "%s | %s | ", point->kernel_name, point->case_name);
  if (point->reason)
    pawl_text_printf(&came, "%s: %s\n", pawl_outcome_name(point->outcome), point->reason);
  else
    pawl_text_printf(&came, "%.6g %s%s, %zu\n", point->value, point->unit,
                     point->bigger_is_better ? ", bigger is better" : "", json_array_size(samples));
  return PAWL_OK;
}

static enum pawl_status_code feed(const char *format, const char *path, const char *text,
                                  struct pawl_error *err) {
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  defaults.time = 7;
  struct pawl_feed fed = {.text = {path, text, strlen(text)},
                          .format = format,
                          .defaults = &defaults,
                          .sink = {NULL, take_run, take_point}};
  came.length = 0;
  pawl_text_add(&came, "");
  const enum pawl_status_code status =
      pawl_import_feed(pawl_importer_find(format), false, &fed, err);
  pawl_feed_release(&fed);
  return status;
}

__attribute__((unused)) static void expect(const char *format, const char *path, const char *text,
                                           const char *wanted) {
  struct pawl_error err = {0};
  if (feed(format, path, text, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_string_equal(came.data, wanted);
}
