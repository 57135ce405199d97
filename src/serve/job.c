/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LABEL_BYTES 256 /* GitHub's limit of a label */

double pawl_parse_timestamp(const char *text) {
  struct tm parts = {0};
  const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
  return end && strcmp(end, "Z") == 0 ? (double)timegm(&parts) : (double)NAN;
}

static enum pawl_job_state job_state_of(const char *word) {
  if (strcmp(word, "queued") == 0) return PAWL_JOB_QUEUED;
  if (strcmp(word, "in_progress") == 0) return PAWL_JOB_RUNNING;
  if (strcmp(word, "completed") == 0) return PAWL_JOB_DONE;
  return PAWL_JOB_OTHER;
}

static pawl_status read_labels(const json_t *labels, struct pawl_job *job, struct pawl_error *err) {
  if (!json_is_array(labels) || json_array_size(labels) > PAWL_JOB_LABELS)
    return pawl_fail(err, PAWL_BAD_DATA, "'labels' of the job is not a list of at most %d",
                     PAWL_JOB_LABELS);
  for (size_t i = 0; i < json_array_size(labels); i++) {
    const char *label = json_string_value(json_array_get(labels, i));
    if (!label || strlen(label) > LABEL_BYTES)
      return pawl_fail(err, PAWL_BAD_DATA, "a label of the job is not a text of at most %d bytes",
                       LABEL_BYTES);
    job->labels[job->label_count++] = label;
  }
  return PAWL_OK;
}

static pawl_status read_job(const json_t *row, const char *state, const char *repository,
                            struct pawl_job *out, struct pawl_error *err) {
  const json_t *id = json_object_get(row, "id");
  const char *created = json_string_value(json_object_get(row, "created_at"));
  struct pawl_job job = {.id = json_integer_value(id),
                         .created = created ? pawl_parse_timestamp(created) : (double)NAN};
  if (!json_is_integer(id) || job.id <= 0)
    return pawl_fail(err, PAWL_BAD_DATA, "the job has no 'id'");
  if (!state)
    return pawl_fail(err, PAWL_BAD_DATA, "the job has no known state: queued, running or done");
  if (!repository || !*repository || strlen(repository) >= sizeof job.repository)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "'full_name' of the job's repository is missing or too long");
  job.state = job_state_of(state);
  snprintf(job.repository, sizeof job.repository, "%s", repository);
  PAWL_TRY(read_labels(json_object_get(row, "labels"), &job, err));
  *out = job;
  return PAWL_OK;
}

pawl_status pawl_job_from_hook(const json_t *document, struct pawl_job *out,
                               struct pawl_error *err) {
  const char *action = json_string_value(json_object_get(document, "action"));
  const char *name =
      json_string_value(json_object_get(json_object_get(document, "repository"), "full_name"));
  return read_job(json_object_get(document, "workflow_job"), action, name, out, err);
}

pawl_status pawl_job_from_api(const json_t *row, const char *repository, struct pawl_job *out,
                              struct pawl_error *err) {
  return read_job(row, json_string_value(json_object_get(row, "status")), repository, out, err);
}
