/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a job of GitHub Actions from a workflow_job hook or from the API's list of jobs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

#define PAWL_JOB_LABELS 64

/* The order of a job's life. A job never goes back. */
enum pawl_job_state { PAWL_JOB_OTHER = 0, PAWL_JOB_QUEUED, PAWL_JOB_RUNNING, PAWL_JOB_DONE };

struct pawl_job {
  int64_t id;
  enum pawl_job_state state;           /* OTHER: waits for an approval, or unknown to pawl */
  double created;                      /* seconds since 1970; NaN: unknown */
  char repository[208];                /* "owner/name" */
  const char *labels[PAWL_JOB_LABELS]; /* borrowed from the document */
  size_t label_count;
};

/* Fails with PAWL_BAD_DATA if the document does not have the documented shape. */
pawl_status pawl_job_from_hook(const json_t *document, struct pawl_job *out,
                               struct pawl_error *err);
/* Reads a row of GET .../actions/runs/ID/jobs. */
pawl_status pawl_job_from_api(const json_t *row, const char *repository, struct pawl_job *out,
                              struct pawl_error *err);

/* Parses "2026-11-20T23:14:05Z". Returns NaN if the text is no timestamp. */
double pawl_parse_timestamp(const char *text);
