/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/wake.h"

#include <math.h>
#include <time.h>

#define FAILURE_LOG_SECONDS 10
#define SHORT_SECRET 16 /* bytes */

double pawl_wake_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

pawl_status pawl_wake_open(struct pawl_wake *wake, const struct pawl_wake_config *config,
                           bool hooks, struct pawl_log *log, struct pawl_error *err) {
  *wake = (struct pawl_wake){
      .config = config, .log = log, .queue = {.lock = {.fd = -1}, .journal = {.fd = -1}}};
  pthread_mutex_init(&wake->lock, NULL);
  pthread_cond_init(&wake->changed, NULL);
  if (hooks)
    PAWL_TRY(pawl_secret_load(&config->secret, "the webhook's secret", &wake->secret, err));
  if (hooks && wake->secret.length < SHORT_SECRET)
    pawl_log_warning(
        log, "the webhook's secret has only %zu bytes; openssl rand -hex 32 makes a good secret",
        wake->secret.length);
  if (pawl_secret_given(&config->token))
    PAWL_TRY(pawl_secret_load(&config->token, "the token for polling", &wake->token, err));
  return pawl_queue_open(&wake->queue, config, pawl_wake_now(), log, err);
}

/* The disk is full or broken. */
void pawl_wake_note_failure(struct pawl_wake *wake, const struct pawl_error *err) {
  const double now = pawl_wake_now();
  atomic_store(&wake->failed, true);
  if (fabs(now - wake->failure_logged) < FAILURE_LOG_SECONDS) {
    wake->failures_unlogged++;
    return;
  }
  pawl_log_warning(wake->log, "%s", err->message);
  if (wake->failures_unlogged)
    pawl_log_warning(wake->log, "%u more failures like this", wake->failures_unlogged);
  wake->failure_logged = now;
  wake->failures_unlogged = 0;
}

pawl_status pawl_wake_offer(struct pawl_wake *wake, const struct pawl_job *job,
                            const struct pawl_hash *delivery, const struct pawl_hash *body,
                            enum pawl_offer *offer, uint64_t *number, struct pawl_error *err) {
  PAWL_TRY(
      pawl_queue_offer(&wake->queue, job, delivery, body, pawl_wake_now(), offer, number, err));
  if (wake->queue.turned) pthread_cond_broadcast(&wake->changed);
  wake->queue.turned = false;
  return PAWL_OK;
}

void pawl_wake_recover(struct pawl_wake *wake) {
  if (!atomic_load(&wake->failed)) return;
  struct pawl_error err = {0};
  pthread_mutex_lock(&wake->lock);
  if (pawl_queue_rewrite(&wake->queue, &err) == PAWL_OK) {
    atomic_store(&wake->failed, false);
    pawl_log_info(wake->log, "pawl can write the queue again");
  } else {
    pawl_wake_note_failure(wake, &err);
  }
  pthread_mutex_unlock(&wake->lock);
}

void pawl_wake_metrics(struct pawl_wake *wake, struct pawl_text *out) {
  pawl_metrics_write(&wake->metrics, out);
  pawl_text_add(out, "# HELP pawl_wake_jobs jobs for a machine\n# TYPE pawl_wake_jobs gauge\n");
  pthread_mutex_lock(&wake->lock);
  for (size_t i = 0; i < wake->config->machine_count;
       i++) { /* names are of letters that need no escape */
    const struct pawl_machine_demand *demand = &wake->queue.demand[i];
    const char *name = wake->config->machines[i].name;
    pawl_text_printf(out, "pawl_wake_jobs{machine=\"%s\",state=\"queued\"} %ld\n", name,
                     demand->queued);
    pawl_text_printf(out, "pawl_wake_jobs{machine=\"%s\",state=\"running\"} %ld\n", name,
                     demand->running);
  }
  pawl_text_add(out,
                "# HELP pawl_wake_machine_state 1 for the state that the machine is in\n"
                "# TYPE pawl_wake_machine_state gauge\n");
  for (size_t i = 0; i < wake->config->machine_count; i++) {
    for (int state = 0; state <= PAWL_MACHINE_UNKNOWN; state++)
      pawl_text_printf(out, "pawl_wake_machine_state{machine=\"%s\",state=\"%s\"} %d\n",
                       wake->config->machines[i].name,
                       pawl_machine_state_name((enum pawl_machine_state)state),
                       (int)wake->queue.machines[i].state == state);
  }
  pawl_text_printf(out,
                   "# HELP pawl_wake_journal_bytes size of the queue's file\n# TYPE "
                   "pawl_wake_journal_bytes gauge\n"
                   "pawl_wake_journal_bytes %zu\n",
                   wake->queue.journal.bytes);
  pthread_mutex_unlock(&wake->lock);
}

json_t *pawl_wake_to_json(struct pawl_wake *wake) {
  json_t *document = json_object(), *machines = json_array();
  pthread_mutex_lock(&wake->lock);
  for (size_t i = 0; i < wake->config->machine_count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "machine", wake->config->machines[i].name);
    pawl_json_set_string(row, "state", pawl_machine_state_name(wake->queue.machines[i].state));
    pawl_json_set_int(row, "queued", wake->queue.demand[i].queued);
    pawl_json_set_int(row, "running", wake->queue.demand[i].running);
    pawl_json_set_int(row, "failures", wake->queue.machines[i].failures);
    json_array_append_new(machines, row);
  }
  pthread_mutex_unlock(&wake->lock);
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "machines", machines);
  return document;
}
