/* SPDX-License-Identifier: Apache-2.0 */
#include "net/smtp.h"
#include "base/count.h"
#include "net/curl_library.h"
#include "net/trust.h"

#include <curl/curl.h>
#include <string.h>

struct upload {
  const struct pawl_text *message;
  size_t done;
  char words[CURL_ERROR_SIZE]; /* libcurl's message about a failure */
};

static size_t read_message(char *buffer, size_t size, size_t count, void *context) {
  struct upload *upload = context;
  const size_t left = upload->message->length - upload->done, room = size * count;
  const size_t taken = left < room ? left : room;
  memcpy(buffer, upload->message->data + upload->done, taken);
  upload->done += taken;
  return taken;
}

/* Returns whether the server is this machine: smtp://127.0.0.1, [::1] or localhost. Then no data
   leaves it. */
static bool is_loopback(const char *server) {
  const char *host = strstr(server, "://") + 3;
  const char *const names[] = {"127.0.0.1", "[::1]", "localhost"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const size_t length = strlen(names[i]);
    if (!strncmp(host, names[i], length) && (!host[length] || host[length] == ':')) return true;
  }
  return false;
}

static enum pawl_status_code status_of(CURLcode code, long answer) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return PAWL_UNAVAILABLE;
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_LOGIN_DENIED: return PAWL_NOT_PERMITTED;
    case CURLE_OPERATION_TIMEDOUT: return PAWL_TRY_AGAIN;
    default: break;
  }
  if (answer >= 500) return PAWL_PROTOCOL;
  if (answer >= 400) return PAWL_TRY_AGAIN; /* RFC 5321, 4.2.1: transient */
  return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ? PAWL_IO : PAWL_PROTOCOL;
}

static enum pawl_status_code smtp_fail(const struct pawl_smtp *smtp, CURLcode code, long answer,
                                       const char *words, struct pawl_error *err) {
  const enum pawl_status_code status = status_of(code, answer);
  if (code == CURLE_PEER_FAILED_VERIFICATION)
    return pawl_fail(err, status, "cannot send mail with '%s': %s", smtp->server,
                     pawl_trust_reason(words));
  if (answer >= 400)
    return pawl_fail(err, status, "cannot send mail with '%s': %s (the server answered %ld)",
                     smtp->server, curl_easy_strerror(code), answer);
  return pawl_fail(err, status, "cannot send mail with '%s': %s", smtp->server,
                   curl_easy_strerror(code));
}

static void set_options(CURL *curl, const struct pawl_smtp *smtp, const struct curl_slist *to,
                        struct upload *upload) {
  const double seconds = smtp->seconds > 0 ? smtp->seconds : 60;
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, upload->words);
  curl_easy_setopt(curl, CURLOPT_URL, smtp->server);
  const char *trusted = pawl_trust_file(smtp->ca_file);
  if (trusted) curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(curl, CURLOPT_USE_SSL,
                   (long)(is_loopback(smtp->server) ? CURLUSESSL_TRY : CURLUSESSL_ALL));
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (smtp->user) {
    curl_easy_setopt(curl, CURLOPT_USERNAME, smtp->user);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, smtp->password ? smtp->password : "");
  }
  curl_easy_setopt(curl, CURLOPT_MAIL_FROM, smtp->from);
  curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, to);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message);
  curl_easy_setopt(curl, CURLOPT_READDATA, upload);
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(seconds < 10 ? seconds * 1e3 : 10000));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(seconds * 1e3));
}

pawl_status pawl_smtp_send(const struct pawl_smtp *smtp, const struct pawl_text *message,
                           struct pawl_error *err) {
  PAWL_TRY(pawl_late_library_open(&pawl_curl, err));
  struct upload upload = {.message = message};
  struct curl_slist *to = NULL;
  CURL *curl = curl_easy_init();
  bool ready = curl != NULL;
  for (size_t i = 0; smtp->to[i] && ready; i++) {
    struct curl_slist *longer = curl_slist_append(to, smtp->to[i]);
    ready = longer != NULL;
    if (longer) to = longer;
  }
  enum pawl_status_code status =
      ready ? PAWL_OK : pawl_fail(err, PAWL_NO_MEMORY, "out of memory for mail");
  if (ready) {
    long answer = 0;
    set_options(curl, smtp, to, &upload);
    const CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    if (code != CURLE_OK) status = smtp_fail(smtp, code, answer, upload.words, err);
  }
  curl_slist_free_all(to);
  curl_easy_cleanup(curl);
  return status;
}
