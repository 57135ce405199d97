/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define QUEUED_SECONDS 86400.0        /* GitHub fails a job that no runner takes within a day */
#define RUNNING_SECONDS (5 * 86400.0) /* and ends a job after five */
#define REWRITE_BYTES ((size_t)4 << 20)

/* --- what the jobs ask of the machines --- */

static void count_job(struct pawl_queue *queue, const struct pawl_queue_job *job, int by) {
  struct pawl_machine_demand *demand = &queue->demand[job->machine];
  if (job->state == PAWL_JOB_QUEUED) demand->queued += by;
  if (job->state == PAWL_JOB_RUNNING) demand->running += by;
}

/* Replaces the known state of a job. */
static void store(struct pawl_queue *queue, const struct pawl_queue_job *next) {
  struct pawl_queue_job *job = pawl_queue_job_at(&queue->tables, next->id);
  struct pawl_machine_demand *demand = &queue->demand[next->machine];
  const struct pawl_machine_demand before = *demand;
  if (job->state != PAWL_JOB_OTHER) count_job(queue, job, -1);
  *job = *next;
  count_job(queue, job, 1);
  if (demand->queued == 0) demand->waiting = 0;
  if (demand->queued > 0 &&
      (before.queued == 0 || (job->state != PAWL_JOB_QUEUED && job->updated > demand->waiting)))
    demand->waiting = job->updated;
  if (!before.queued != !demand->queued || !before.running != !demand->running)
    queue->turned = true;
}

/* --- records --- */

static json_t *job_record(const struct pawl_queue *queue, const struct pawl_queue_job *job) {
  json_t *record = json_object();
  pawl_json_set_string(record, "kind", "job");
  pawl_json_set_number(record, "time", job->updated);
  pawl_json_set_number(record, "since", job->since);
  pawl_json_set_int(record, "job", job->id);
  pawl_json_set_int(record, "state", job->state);
  pawl_json_set_bool(record, "guessed", job->guessed);
  pawl_json_set_string(record, "repository", job->repository);
  pawl_json_set_string(record, "machine", queue->config->machines[job->machine].name);
  return record;
}

static void set_hash(json_t *record, const char *key, const struct pawl_hash *hash) {
  char digits[PAWL_HASH_TEXT];
  if (!hash) return;
  pawl_hash_format(*hash, digits);
  pawl_json_set_string(record, key, digits);
}

static json_t *machine_record(const struct pawl_queue *queue, size_t machine) {
  const struct pawl_machine *state = &queue->machines[machine];
  json_t *record = json_object();
  pawl_json_set_string(record, "kind", "machine");
  pawl_json_set_string(record, "machine", queue->config->machines[machine].name);
  pawl_json_set_string(record, "state", pawl_machine_state_name(state->state));
  pawl_json_set_number(record, "started", state->started);
  pawl_json_set_number(record, "idle", state->idle);
  pawl_json_set_number(record, "retry", state->retry);
  pawl_json_set_int(record, "failures", state->failures);
  return record;
}

/* --- reading the journal --- */

static const char *queue_string_of(const json_t *record, const char *key) {
  const char *text = json_string_value(json_object_get(record, key));
  return text ? text : "";
}

static double queue_number_of(const json_t *record, const char *key) {
  return json_number_value(json_object_get(record, key));
}

/* Drops a job whose machine is no longer in the configuration. */
static void apply_job(struct pawl_queue *queue, const json_t *record, int machine) {
  struct pawl_queue_job job = {
      .id = json_integer_value(json_object_get(record, "job")),
      .state = (enum pawl_job_state)json_integer_value(json_object_get(record, "state")),
      .machine = machine,
      .guessed = json_is_true(json_object_get(record, "guessed")),
      .since = queue_number_of(record, "since"),
      .updated = queue_number_of(record, "time")};
  snprintf(job.repository, sizeof job.repository, "%s", queue_string_of(record, "repository"));
  store(queue, &job);
}

static void apply_machine(struct pawl_queue *queue, const json_t *record, int machine) {
  queue->machines[machine] = (struct pawl_machine){
      .state = pawl_machine_state_parse(queue_string_of(record, "state")),
      .started = queue_number_of(record, "started"),
      .idle = queue_number_of(record, "idle"),
      .retry = queue_number_of(record, "retry"),
      .failures = (int)json_integer_value(json_object_get(record, "failures"))};
}

static void apply(void *context, const json_t *record) {
  struct pawl_queue *queue = context;
  static const char *const hashes[] = {"delivery", "body"};
  struct pawl_hash hash;
  for (size_t i = 0; i < 2; i++)
    if (pawl_hash_parse(queue_string_of(record, hashes[i]), &hash))
      pawl_queue_see(&queue->tables, hash, queue_number_of(record, "time"));
  int machine;
  if (pawl_wake_config_machine(queue->config, queue_string_of(record, "machine"), &machine, NULL) !=
      PAWL_OK)
    return;
  if (strcmp(queue_string_of(record, "kind"), "job") == 0) apply_job(queue, record, machine);
  if (strcmp(queue_string_of(record, "kind"), "machine") == 0)
    apply_machine(queue, record, machine);
}

pawl_status pawl_queue_open(struct pawl_queue *queue, const struct pawl_wake_config *config,
                            double now, struct pawl_log *log, struct pawl_error *err) {
  *queue = (struct pawl_queue){.config = config, .lock = {.fd = -1}, .journal = {.fd = -1}};
  PAWL_TRY(pawl_make_folders(config->state, err));
  PAWL_CLEANUP(pawl_free_pointer) char *lock = pawl_path_join(config->state, "lock");
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(config->state, "journal");
  PAWL_TRY(pawl_lock_acquire(&queue->lock, lock, 0, err));
  queue->machines = pawl_alloc(config->machine_count, sizeof *queue->machines);
  queue->demand = pawl_alloc(config->machine_count, sizeof *queue->demand);
  struct pawl_journal_report report;
  const enum pawl_status_code status =
      pawl_journal_open(&queue->journal, path, apply, queue, &report, err);
  if (status != PAWL_OK) {
    pawl_queue_close(queue);
    return status;
  }
  if (report.skipped)
    pawl_log_warning(log,
                     "skipped %zu damaged records of '%s': only polling finds their jobs again",
                     report.skipped, path);
  for (size_t i = 0; i < config->machine_count; i++) pawl_machine_recover(&queue->machines[i]);
  return pawl_queue_tidy(queue, now, err);
}

void pawl_queue_close(struct pawl_queue *queue) {
  if (!queue) return;
  pawl_journal_close(&queue->journal);
  pawl_lock_release(&queue->lock);
  pawl_queue_tables_release(&queue->tables);
  pawl_free(queue->machines);
  pawl_free(queue->demand);
  *queue = (struct pawl_queue){.lock = {.fd = -1}, .journal = {.fd = -1}};
}

/* --- news --- */

static enum pawl_offer judge(struct pawl_queue *queue, const struct pawl_job *job,
                             const struct pawl_hash *delivery, const struct pawl_hash *body,
                             double now, int *machine) {
  if ((delivery && pawl_queue_has_seen(&queue->tables, *delivery)) ||
      (body && pawl_queue_has_seen(&queue->tables, *body)))
    return PAWL_OFFER_DUPLICATE;
  const struct pawl_queue_job *known = pawl_queue_find_job(&queue->tables, job->id);
  if (known && known->state >= job->state && !known->guessed) return PAWL_OFFER_OLD_NEWS;
  const double job_age = queue->config->job_age;
  if (!known && now - job->created >
                    (job->state == PAWL_JOB_QUEUED ? job_age : fmax(job_age, RUNNING_SECONDS)))
    return PAWL_OFFER_STALE;
  *machine =
      known ? known->machine : pawl_wake_config_match(queue->config, job->labels, job->label_count);
  return *machine < 0 || job->state == PAWL_JOB_OTHER ? PAWL_OFFER_NO_MACHINE : PAWL_OFFER_ACCEPTED;
}

pawl_status pawl_queue_offer(struct pawl_queue *queue, const struct pawl_job *job,
                             const struct pawl_hash *delivery, const struct pawl_hash *body,
                             double now, enum pawl_offer *out, uint64_t *number,
                             struct pawl_error *err) {
  int machine = -1;
  const enum pawl_offer offer = judge(queue, job, delivery, body, now, &machine);
  *out = offer;
  *number = 0;
  if (offer != PAWL_OFFER_ACCEPTED) return PAWL_OK;
  const struct pawl_queue_job *known = pawl_queue_find_job(&queue->tables, job->id);
  struct pawl_queue_job next = {
      .id = job->id, .machine = machine, .state = job->state, .updated = now};
  next.since = known ? known->since : now;
  snprintf(next.repository, sizeof next.repository, "%s", job->repository);
  PAWL_CLEANUP(pawl_json_release) json_t *record = job_record(queue, &next);
  set_hash(record, "delivery", delivery);
  set_hash(record, "body", body);
  PAWL_TRY(pawl_journal_append(&queue->journal, record, number, err));
  if (delivery) pawl_queue_see(&queue->tables, *delivery, now);
  if (body) pawl_queue_see(&queue->tables, *body, now);
  store(queue, &next);
  return PAWL_OK;
}

pawl_status pawl_queue_sync(struct pawl_queue *queue, uint64_t number, struct pawl_error *err) {
  return pawl_journal_sync(&queue->journal, number, err);
}

static pawl_status queue_finish(struct pawl_queue *queue, const struct pawl_queue_job *job,
                                double now, struct pawl_error *err) {
  struct pawl_queue_job next = *job;
  next.state = PAWL_JOB_DONE;
  next.guessed = true; /* no news said so */
  next.updated = now;
  uint64_t number;
  PAWL_CLEANUP(pawl_json_release) json_t *record = job_record(queue, &next);
  PAWL_TRY(pawl_journal_append(&queue->journal, record, &number, err));
  store(queue, &next);
  return PAWL_OK;
}

static int compare_ids(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

pawl_status pawl_queue_missing(struct pawl_queue *queue, const char *repository, const int64_t *ids,
                               size_t count, double asked, double now, size_t *out,
                               struct pawl_error *err) {
  size_t found = 0;
  for (size_t i = 0; i < queue->tables.job_capacity; i++) {
    const struct pawl_queue_job *job = &queue->tables.jobs[i];
    const bool live = job->state == PAWL_JOB_QUEUED || job->state == PAWL_JOB_RUNNING;
    if (!live || job->updated >= asked || strcasecmp(job->repository, repository) != 0) continue;
    if (count && bsearch(&job->id, ids, count, sizeof *ids, compare_ids)) continue;
    PAWL_TRY(queue_finish(queue, job, now, err));
    found++;
  }
  *out = found;
  return PAWL_OK;
}

pawl_status pawl_queue_keep_machine(struct pawl_queue *queue, int machine, struct pawl_error *err) {
  uint64_t number;
  PAWL_CLEANUP(pawl_json_release) json_t *record = machine_record(queue, (size_t)machine);
  PAWL_TRY(pawl_journal_append(&queue->journal, record, &number, err));
  return pawl_journal_sync(&queue->journal, number, err);
}

/* --- forgetting --- */

static void snapshot(const struct pawl_queue *queue, struct pawl_text *out) {
  for (size_t i = 0; i < queue->config->machine_count; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *record = machine_record(queue, i);
    pawl_journal_line(record, out);
  }
  for (size_t i = 0; i < queue->tables.job_capacity; i++) {
    if (queue->tables.jobs[i].state == PAWL_JOB_OTHER) continue;
    PAWL_CLEANUP(pawl_json_release) json_t *record = job_record(queue, &queue->tables.jobs[i]);
    pawl_journal_line(record, out);
  }
  for (size_t i = 0; i < queue->tables.seen_capacity; i++) {
    if (!queue->tables.seen[i].used) continue;
    PAWL_CLEANUP(pawl_json_release) json_t *record = json_object();
    pawl_json_set_string(record, "kind", "seen");
    pawl_json_set_number(record, "time", queue->tables.seen[i].time);
    set_hash(record, "delivery", &queue->tables.seen[i].hash);
    pawl_journal_line(record, out);
  }
}

pawl_status pawl_queue_rewrite(struct pawl_queue *queue, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text lines = {0};
  snapshot(queue, &lines);
  return pawl_journal_replace(&queue->journal, &lines, err);
}

pawl_status pawl_queue_tidy(struct pawl_queue *queue, double now, struct pawl_error *err) {
  for (size_t i = 0; i < queue->tables.job_capacity; i++) {
    const struct pawl_queue_job *job = &queue->tables.jobs[i];
    const bool given_up = (job->state == PAWL_JOB_QUEUED && now - job->since > QUEUED_SECONDS) ||
                          (job->state == PAWL_JOB_RUNNING && now - job->updated > RUNNING_SECONDS);
    if (given_up) PAWL_TRY(queue_finish(queue, job, now, err));
  }
  if (queue->journal.bytes < REWRITE_BYTES) return PAWL_OK;
  pawl_queue_forget(&queue->tables, now - queue->config->replay_window);
  const size_t useful = queue->tables.job_count * 250 +
                        queue->tables.seen_count * 140; /* bytes of their records, about */
  if (queue->journal.bytes < 2 * useful) return PAWL_OK;
  return pawl_queue_rewrite(queue, err);
}
