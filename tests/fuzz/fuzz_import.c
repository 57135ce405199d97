/* SPDX-License-Identifier: Apache-2.0 */
/* What another harness wrote, read by every importer: positive times, or one line that names the format. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void import(const struct pawl_importer *importer, const char *text, size_t length) {
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_times times = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  enum pawl_status_code status = pawl_json_parse(text, length, importer->name, true, &document, &err);
  if (status == PAWL_OK) status = importer->read(document, importer->name, &arena, &times, &err);
  if (status == PAWL_OK) {
    for (size_t i = 0; i < times.count; i++)
      if (!(times.seconds[i] > 0) || !isfinite(times.seconds[i])) abort();
  } else if (status != PAWL_BAD_DATA || strncmp(err.message, importer->name, strlen(importer->name)) != 0 ||
             strchr(err.message, '\n') || times.seconds) {
    abort();
  }
  pawl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < pawl_importer_count; i++) import(&pawl_importers[i], (const char *)data, size);
  return 0;
}
