/* SPDX-License-Identifier: Apache-2.0 */
/* A line of an exported history, or something else: a run that is written and read back as it is,
 * or one line of error.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct pawl_history_run *run, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_history_run_to_json(run);
  PAWL_CLEANUP(pawl_json_release) json_t *again = NULL;
  struct pawl_history_run back;
  struct pawl_error err = {0};
  if (pawl_history_run_from_json(document, "again", arena, &back, &err) != PAWL_OK) abort();
  again = pawl_history_run_to_json(&back);
  if (!json_equal(document, again)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_history_run run = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  enum pawl_status_code status =
      pawl_json_parse((const char *)data, size, "line", false, &document, &err);
  if (status == PAWL_OK) status = pawl_history_run_from_json(document, "line", &arena, &run, &err);
  if (status == PAWL_OK)
    write_and_read(&run, &arena);
  else if (status != PAWL_BAD_DATA || strncmp(err.message, "line", 4) != 0 ||
           strchr(err.message, '\n') || run.points)
    abort();
  pawl_arena_clear(&arena);
  return 0;
}
