/* SPDX-License-Identifier: Apache-2.0 */
/* The input is the results.json of a stranger, such as a pull request of a fork. pawl reads it,
   or gives one line that names the file. pawl can write the results that it reads, and they read
   back as the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum pawl_status_code read_text(const char *text, size_t length, struct pawl_arena *arena,
                                       struct pawl_results *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const enum pawl_status_code status =
      pawl_json_parse(text, length, "r.json", false, &document, err);
  return status == PAWL_OK ? pawl_results_from_json(document, "r.json", arena, out, err) : status;
}

static void write_text(const struct pawl_results *results, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_results_to_json(results);
  pawl_json_write_text(document, true, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_results results, again;
  const enum pawl_status_code status = read_text((const char *)data, size, &arena, &results, &err);
  if (status == PAWL_OK) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text first = {0}, second = {0};
    write_text(&results, &first);
    if (read_text(first.data, first.length, &arena, &again, &err) != PAWL_OK) abort();
    write_text(&again, &second);
    if (strcmp(first.data, second.data) != 0) abort();
    pawl_results_release(&results);
    pawl_results_release(&again);
  } else if (status != PAWL_BAD_DATA || strncmp(err.message, "r.json:", 7) != 0 ||
             strchr(err.message, '\n')) {
    abort();
  }
  pawl_arena_clear(&arena);
  return 0;
}
