/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a hook from its bytes to the queue. pawl reads nothing of it before it has verified the
 * signature. */
#include <string.h>

#include "base/hash.h"
#include "serve/signature.h"
#include "serve/wake.h"

#define DELIVERY_BYTES 100 /* a GUID has 36 */

struct answer {
  int status;
  const char *words;
  enum pawl_receipt receipt;
};

static const struct answer offer_answers[] = {
    [PAWL_OFFER_ACCEPTED] = {202, "accepted\n", PAWL_RECEIPT_ACCEPTED},
    [PAWL_OFFER_DUPLICATE] = {200, "ignored: a repeated delivery\n", PAWL_RECEIPT_DUPLICATE},
    [PAWL_OFFER_STALE] = {200, "ignored: the job is older than job_age allows\n",
                          PAWL_RECEIPT_IGNORED},
    [PAWL_OFFER_OLD_NEWS] = {200, "ignored: nothing new about this job\n", PAWL_RECEIPT_IGNORED},
    [PAWL_OFFER_NO_MACHINE] = {200, "ignored: no machine for this job\n", PAWL_RECEIPT_IGNORED},
};
static const struct answer bad_signature = {401, "the signature does not match\n",
                                            PAWL_RECEIPT_BAD_SIGNATURE};
static const struct answer no_delivery = {400, "no X-GitHub-Delivery\n", PAWL_RECEIPT_MALFORMED};
static const struct answer other_event = {200, "ignored: not a workflow_job event\n",
                                          PAWL_RECEIPT_IGNORED};
static const struct answer malformed = {400, "the body is not a workflow_job event\n",
                                        PAWL_RECEIPT_MALFORMED};
static const struct answer other_repository = {
    200, "ignored: this repository is not in the configuration\n", PAWL_RECEIPT_IGNORED};
static const struct answer not_kept = {503, "pawl cannot store the hook now\n",
                                       PAWL_RECEIPT_FAILED};

static struct answer receive_enqueue(struct pawl_wake *wake, const struct pawl_hook *hook,
                                     const struct pawl_job *job) {
  /* the signature does not cover the delivery's name, so the body counts too: the same body under a
   * new name is a replay */
  const struct pawl_hash delivery = pawl_hash_bytes(hook->delivery, strlen(hook->delivery));
  const struct pawl_hash body = pawl_hash_bytes(hook->body, hook->length);
  struct pawl_error err = {0};
  enum pawl_offer offer;
  uint64_t number;
  pthread_mutex_lock(&wake->lock);
  enum pawl_status_code status =
      pawl_wake_offer(wake, job, &delivery, &body, &offer, &number, &err);
  pthread_mutex_unlock(&wake->lock);
  if (status == PAWL_OK && offer == PAWL_OFFER_ACCEPTED)
    status = pawl_queue_sync(&wake->queue, number, &err);
  if (status == PAWL_OK) return offer_answers[offer];
  pthread_mutex_lock(&wake->lock);
  pawl_wake_note_failure(wake, &err);
  pthread_mutex_unlock(&wake->lock);
  return not_kept;
}

static struct answer receive(struct pawl_wake *wake, const struct pawl_hook *hook) {
  if (!pawl_signature_valid(wake->secret.data, hook->body, hook->length, hook->signature))
    return bad_signature;
  if (!hook->delivery || !*hook->delivery || strlen(hook->delivery) > DELIVERY_BYTES)
    return no_delivery;
  if (!hook->event || strcmp(hook->event, "workflow_job") != 0) return other_event;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_job job;
  if (pawl_json_parse(hook->body, hook->length, "hook", false, &document, NULL) != PAWL_OK ||
      pawl_job_from_hook(document, &job, NULL) != PAWL_OK)
    return malformed;
  if (!pawl_wake_config_has(wake->config, job.repository)) return other_repository;
  return receive_enqueue(wake, hook, &job);
}

int pawl_wake_receive(struct pawl_wake *wake, const struct pawl_hook *hook, const char **words,
                      enum pawl_receipt *receipt) {
  const struct answer answer = receive(wake, hook);
  *words = answer.words;
  *receipt = answer.receipt;
  return answer.status;
}
