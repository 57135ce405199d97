/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a webhook, once its signature was right: any bytes all the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_t *document = NULL;
  struct pawl_job job;
  struct pawl_error err = {0};
  if (pawl_json_parse((const char *)data, size, "hook", false, &document, &err) != PAWL_OK)
    return 0;
  const json_t *row = json_object_get(document, "workflow_job");
  for (int as_row = 0; as_row < 2; as_row++) {
    const enum pawl_status_code status = as_row ? pawl_job_from_api(row, "octo/app", &job, &err)
                                                : pawl_job_from_hook(document, &job, &err);
    if (status == PAWL_OK && (job.id <= 0 || job.label_count > PAWL_JOB_LABELS || !*job.repository))
      abort();
    if (status != PAWL_OK && (status != PAWL_BAD_DATA || !*err.message)) abort();
    for (size_t i = 0; status == PAWL_OK && i < job.label_count; i++)
      if (strlen(job.labels[i]) > 256) abort();
  }
  json_decref(document);
  return 0;
}
