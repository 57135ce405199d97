/* SPDX-License-Identifier: Apache-2.0 */
#include "notify/notify.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/secret.h"
#include "net/http.h"
#include "net/smtp.h"

#define STATE_SCHEMA 1
#define MOST_SUBJECTS 1000 /* the file drops the oldest first */

/* --- the last notice to each address: {schema_version, told: {subject: {address: failed}}} --- */

static pawl_status read_state(const char *path, json_t **out, struct pawl_error *err) {
  if (!pawl_file_exists(path)) {
    json_t *state = json_object();
    pawl_json_set_int(state, "schema_version", STATE_SCHEMA);
    pawl_json_set(state, "told", json_object());
    *out = state;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_json_release) json_t *state = NULL;
  PAWL_TRY(pawl_json_read(path, &state, err));
  if (json_integer_value(json_object_get(state, "schema_version")) != STATE_SCHEMA ||
      !json_is_object(json_object_get(state, "told")))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a file of pawl notify; remove it", path);
  *out = json_incref(state);
  return PAWL_OK;
}

/* An unknown subject counts as good, so its first notice is of a failure. */
static bool told_failed(const json_t *state, const char *subject, const char *address) {
  return json_is_true(
      json_object_get(json_object_get(json_object_get(state, "told"), subject), address));
}

static void notify_remember(json_t *state, const char *subject, const char *address, bool failed) {
  json_t *told = json_object_get(state, "told");
  if (!json_object_get(told, subject)) pawl_json_set(told, subject, json_object());
  pawl_json_set_bool(json_object_get(told, subject), address, failed);
  while (json_object_size(told) > MOST_SUBJECTS)
    json_object_del(told, json_object_iter_key(json_object_iter(told)));
}

/* --- sending --- */

/* Plain http is allowed to this machine alone, because the address is a password. */
static bool is_safe(const char *url) {
  static const char *const plain[] = {"http://127.0.0.1:", "http://[::1]:", "http://localhost:"};
  for (size_t i = 0; i < PAWL_COUNT(plain); i++)
    if (pawl_starts_with(url, plain[i]))
      return url[strlen(plain[i]) + strspn(url + strlen(plain[i]), "0123456789")] == '/';
  return pawl_starts_with(url, "https://");
}

static pawl_status notify_post(const struct pawl_notify *notify,
                               const struct pawl_webhook_spec *webhook, const json_t *payload,
                               struct pawl_error *err) {
  static const char *const headers[] = {"Content-Type: application/json", NULL};
  PAWL_CLEANUP(pawl_secret_clear) struct pawl_text url = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  PAWL_TRY(pawl_secret_load(&webhook->url, "the address", &url, err));
  pawl_json_write_text(payload, true, &body);
  if (!is_safe(url.data)) return pawl_fail(err, PAWL_USAGE, "its address must begin with https://");
  /* There is no log, because a message would name the path, which is secret. */
  const struct pawl_http_policy policy = {
      .attempts = 3, .wait_seconds = 60, .ca_file = notify->ca_file, .log = NULL};
  const struct pawl_http_request request = {.method = "POST",
                                            .name = "its server",
                                            .url = url.data,
                                            .headers = headers,
                                            .body = body.data,
                                            .body_length = body.length};
  struct pawl_http_response response = {0};
  struct pawl_error inner = {0};
  pawl_log_detail(notify->log, "telling webhook '%s'", webhook->name);
  const enum pawl_status_code status = pawl_http_send(&policy, &request, &response, &inner);
  const long answer = response.status;
  /* A log-in answers each address with a page. The type does not tell it, because Slack says "ok"
     as text/html. */
  const char *text = pawl_text_string(&response.body);
  const bool page = text[strspn(text, " \t\r\n")] == '<';
  pawl_http_response_clear(&response);
  if (status == PAWL_OK && page && answer < 300)
    return pawl_fail(err, PAWL_PROTOCOL, "a page answered, not a chat service; check the address");
  if (status == PAWL_OK && answer >= 200 && answer < 300) return PAWL_OK;
  if (status == PAWL_OK) return pawl_fail(err, PAWL_PROTOCOL, "it answered %ld", answer);
  if (status == PAWL_USAGE) return pawl_fail(err, status, "its address is not valid");
  return pawl_fail(err, status, "%s", inner.message);
}

static pawl_status mail(const struct pawl_notify *notify, const struct pawl_text *message,
                        struct pawl_error *err) {
  const struct pawl_email_spec *email = &notify->spec->email;
  PAWL_CLEANUP(pawl_secret_clear) struct pawl_text password = {0};
  if (email->user) PAWL_TRY(pawl_secret_load(&email->password, "the password", &password, err));
  const struct pawl_smtp smtp = {.server = email->server,
                                 .user = email->user,
                                 .password = password.data,
                                 .from = email->from,
                                 .to = email->to.items,
                                 .ca_file = notify->ca_file};
  return pawl_smtp_send(&smtp, message, err);
}

static pawl_status make_message(const struct pawl_notify *notify, const struct pawl_notice *notice,
                                struct pawl_text *out, struct pawl_error *err) {
  uint64_t id[2];
  char digits[33];
  PAWL_TRY(pawl_entropy(id, sizeof id, err));
  snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)id[0],
           (unsigned long long)id[1]);
  pawl_notice_message(notice, &notify->spec->email, pawl_wall_clock(), digits, out);
  return PAWL_OK;
}

/* Sends to one address: to the webhook, or by e-mail when `webhook` is NULL. */
static pawl_status notify_tell(const struct pawl_notify *notify, const struct pawl_notice *notice,
                               const struct pawl_webhook_spec *webhook, json_t *out,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *payload = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text message = {0};
  if (webhook) payload = pawl_notice_payload(notice, webhook->service);
  if (!webhook) PAWL_TRY(make_message(notify, notice, &message, err));
  if (notify->dry_run) {
    if (webhook) pawl_json_set(out, webhook->name, json_incref(payload));
    if (!webhook) pawl_json_set_string(out, "email", message.data);
    return PAWL_OK;
  }
  return webhook ? notify_post(notify, webhook, payload, err) : mail(notify, &message, err);
}

pawl_status pawl_notify(const struct pawl_notify *notify, const struct pawl_notice *notice,
                        struct pawl_notified *counts, json_t *out, struct pawl_error *err) {
  const struct pawl_notify_spec *spec = notify->spec;
  const bool mails = spec->email.server != NULL;
  const size_t count = spec->webhook_count + mails;
  struct pawl_notified found = {0};
  enum pawl_status_code status = PAWL_OK;
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "nobody to notify: pawl.yaml has no 'notify' with addresses");
  PAWL_CLEANUP(pawl_json_release) json_t *state = NULL;
  PAWL_TRY(read_state(notify->state, &state, err));
  for (size_t i = 0; i < count; i++) {
    const struct pawl_webhook_spec *webhook = i < spec->webhook_count ? &spec->webhooks[i] : NULL;
    PAWL_CLEANUP(pawl_text_clear)
    struct pawl_text address = {0}; /* a webhook may be called "email" too */
    pawl_text_printf(&address, "%s%s", webhook ? "webhook " : "email",
                     webhook ? webhook->name : "");
    struct pawl_error failure = {0};
    if (!notify->always && told_failed(state, notice->subject, address.data) == notice->failed) {
      found.unchanged++;
    } else if (notify_tell(notify, notice, webhook, out, &failure) == PAWL_OK) {
      found.sent++;
    } else {
      found.failed++;
      if (status == PAWL_OK)
        status = pawl_fail(err, failure.code, "%s: %s", address.data, failure.message);
      else
        pawl_log_warning(notify->log, "%s: %s", address.data, failure.message);
      continue;
    }
    notify_remember(state, notice->subject, address.data, notice->failed);
  }
  *counts = found;
  if (notify->dry_run) return status;
  struct pawl_error unsaved = {0};
  const enum pawl_status_code saved = pawl_json_write(notify->state, state, false, &unsaved);
  if (saved != PAWL_OK && status == PAWL_OK) return pawl_fail(err, saved, "%s", unsaved.message);
  return status;
}
