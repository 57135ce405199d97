/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http.h"

#include <curl/curl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "net/curl_library.h"
#include "net/trust.h"

#define LONGEST_BACKOFF 60.0

struct transfer {
  char words[CURL_ERROR_SIZE]; /* libcurl's message about a failure */
  struct pawl_http_response response;
  size_t limit;
  bool too_large;
};

static double wall_now(const struct pawl_http_policy *policy) {
  return policy->now ? policy->now(policy->context) : (double)time(NULL);
}

static void http_wait_for(const struct pawl_http_policy *policy, double seconds) {
  if (policy->sleep) {
    policy->sleep(policy->context, seconds);
  } else {
    pawl_sleep_seconds(seconds);
  }
}

static size_t on_body(char *data, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  const size_t length = size * count;
  transfer->too_large = length > transfer->limit - transfer->response.body.length;
  if (transfer->too_large) return 0;
  pawl_text_add_bytes(&transfer->response.body, data, length);
  return length;
}

/* Reads a header such as: Link: <https://host/?page=2>; rel="next", <https://host/?page=9>;
   rel="last" */
static void read_links(const char *value, char *next, size_t size) {
  for (const char *open = strchr(value, '<'); open; open = strchr(open + 1, '<')) {
    const char *close = strchr(open, '>');
    if (!close) return;
    const char *rel = strstr(close, "rel=\"next\""), *following = strchr(close, '<');
    const size_t length = (size_t)(close - open - 1);
    if (!rel || (following && rel > following) || length >= size) continue;
    memcpy(next, open + 1, length);
    next[length] = '\0';
    return;
  }
}

static const char *http_header(CURL *curl, const char *name) {
  struct curl_header *found; /* -1 selects the last answer after redirects */
  return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value
                                                                                : NULL;
}

static double number_header(CURL *curl, const char *name) {
  int64_t number;
  const char *value = http_header(curl, name);
  return value && pawl_parse_i64(value, &number) && number >= 0 ? (double)number : (double)NAN;
}

/* Returns the seconds of Retry-After, which may be a number or a date (RFC 9110, 10.2.3). */
static double retry_after(CURL *curl, double now) {
  const double seconds = number_header(curl, "retry-after");
  const char *value = http_header(curl, "retry-after");
  const time_t date = isnan(seconds) && value ? curl_getdate(value, NULL) : -1;
  return date >= 0 ? fmax((double)date - now, 0) : seconds;
}

static void read_headers(CURL *curl, double now, struct pawl_http_response *response) {
  const char *links = http_header(curl, "link");
  const double remaining = number_header(curl, "x-ratelimit-remaining");
  if (links) read_links(links, response->next, sizeof response->next);
  response->retry_after = retry_after(curl, now);
  response->limit_reset = number_header(curl, "x-ratelimit-reset");
  response->remaining = isnan(remaining) ? -1 : (long long)remaining;
}

/* Writes "POST https://host/path" without the query, which may hold a secret. */
static void http_describe(const struct pawl_http_request *request, char *out, size_t size) {
  snprintf(out, size, "%s %.*s", request->method ? request->method : "GET",
           (int)strcspn(request->url, "?#"), request->url);
}

static bool is_loopback(const char *host) {
  return !strcmp(host, "127.0.0.1") || !strcmp(host, "localhost") || !strcmp(host, "[::1]");
}

static pawl_status check_url(const struct pawl_http_request *request, struct pawl_error *err) {
  CURLU *url = curl_url();
  char *scheme = NULL, *host = NULL, *user = NULL;
  enum pawl_status_code status = PAWL_OK;
  if (!url || curl_url_set(url, CURLUPART_URL, request->url, 0) ||
      curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) ||
      curl_url_get(url, CURLUPART_HOST, &host, 0)) {
    status = pawl_fail(err, PAWL_USAGE,
                       "cannot use the address '%.*s': it is not an http or https address",
                       (int)strcspn(request->url, "?#@"), request->url);
  } else if (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0) {
    status = pawl_fail(err, PAWL_USAGE, "cannot use an address with '%s': only http and https work",
                       scheme);
  } else if (!curl_url_get(url, CURLUPART_USER, &user, 0)) {
    status =
        pawl_fail(err, PAWL_USAGE,
                  "the address of '%s' contains a user name: give credentials separately", host);
  } else if (request->credential && strcmp(scheme, "https") != 0 && !is_loopback(host)) {
    status = pawl_fail(err, PAWL_USAGE,
                       "cannot send credentials to '%s' over plain http: use https", host);
  }
  curl_free(scheme);
  curl_free(host);
  curl_free(user);
  curl_url_cleanup(url);
  return status;
}

static bool may_have_arrived(CURLcode code) {
  return code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST &&
         code != CURLE_COULDNT_RESOLVE_PROXY && code != CURLE_SSL_CONNECT_ERROR;
}

/* Returns whether another attempt may succeed. */
static bool may_pass(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
         code == CURLE_OPERATION_TIMEDOUT || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

static enum pawl_status_code fail_transfer(CURLcode code, const struct transfer *transfer,
                                           const char *what, struct pawl_error *err) {
  if (transfer->too_large)
    return pawl_fail(err, PAWL_PROTOCOL, "%s: the answer is larger than %zu KiB", what,
                     transfer->limit >> 10);
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:
      return pawl_fail(err, PAWL_UNAVAILABLE, "%s: no connection: %s", what,
                       curl_easy_strerror(code));
    case CURLE_PEER_FAILED_VERIFICATION:
      return pawl_fail(err, PAWL_UNAVAILABLE, "%s: no connection: %s", what,
                       pawl_trust_reason(transfer->words));
    case CURLE_SSL_CACERT_BADFILE:
      return pawl_fail(err, PAWL_NO_INPUT,
                       "%s: cannot read the certificates that --ca-file or SSL_CERT_FILE names",
                       what);
    case CURLE_OPERATION_TIMEDOUT:
      return pawl_fail(err, PAWL_TRY_AGAIN, "%s: timed out; try again later", what);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return pawl_fail(err, PAWL_IO, "%s: the connection broke: %s", what,
                       curl_easy_strerror(code));
    default: return pawl_fail(err, PAWL_PROTOCOL, "%s: %s", what, curl_easy_strerror(code));
  }
}

static void set_limits(CURL *curl, const struct pawl_http_policy *policy) {
  const double connect = policy->connect_seconds > 0 ? policy->connect_seconds : 10;
  const double total = policy->total_seconds > 0 ? policy->total_seconds : 30;
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(connect * 1e3));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(total * 1e3));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 15L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, policy->redirects > 0 ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)policy->redirects);
  curl_easy_setopt(curl, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
  const char *trusted = pawl_trust_file(policy->ca_file);
  if (trusted) curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
}

static struct curl_slist *make_headers(const struct pawl_http_request *request) {
  /* avoids the round trip of 100-continue */
  struct curl_slist *list = curl_slist_append(NULL, "Expect:");
  for (size_t i = 0; request->headers && request->headers[i]; i++)
    list = curl_slist_append(list, request->headers[i]);
  return list;
}

static CURLcode attempt(const struct pawl_http_policy *policy,
                        const struct pawl_http_request *request, struct transfer *transfer) {
  CURL *curl = curl_easy_init();
  if (!curl) return CURLE_FAILED_INIT;
  struct curl_slist *headers = make_headers(request);
  set_limits(curl, policy);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->words);
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "pawl/" PAWL_VERSION);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
  if (request->credential) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, request->credential);
  }
  if (request->body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
  }
  if (request->method) curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &transfer->response.status);
  read_headers(curl, wall_now(policy), &transfer->response);
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return code;
}

static double backoff(int attempt) { return fmin(ldexp(1.0, attempt - 1), LONGEST_BACKOFF); }

double pawl_http_wait_after(const struct pawl_http_response *response, bool repeatable, int attempt,
                            double now) {
  const long status = response->status;
  const bool named = response->retry_after >= 0 || response->remaining == 0;
  const bool secondary =
      status == 403 && strstr(pawl_text_string(&response->body), "rate limit") != NULL;
  const bool limited = status == 429 || (status == 403 && (named || secondary));
  if (limited || status == 503) {
    if (response->retry_after >= 0) return response->retry_after;
    if (limited && response->remaining == 0 && response->limit_reset >= 0)
      return fmax(response->limit_reset - now, 0) + 1;
    if (limited) return 60 * backoff(attempt);
  }
  if (status >= 500 && status != 501 && status != 505 && repeatable) return backoff(attempt);
  return -1;
}

static bool is_repeatable(const struct pawl_http_request *request) {
  const char *method = request->method ? request->method : "GET";
  return request->repeatable || !strcmp(method, "GET") || !strcmp(method, "PUT") ||
         !strcmp(method, "DELETE");
}

static pawl_status send_until(const struct pawl_http_policy *policy,
                              const struct pawl_http_request *request, const char *what,
                              struct transfer *transfer, struct pawl_error *err) {
  const int attempts = policy->attempts > 0 ? policy->attempts : 5;
  const double budget = policy->wait_seconds > 0 ? policy->wait_seconds : 300;
  const bool repeatable = is_repeatable(request);
  double waited = 0;
  for (int i = 1;; i++) {
    const size_t limit = transfer->limit;
    pawl_http_response_clear(&transfer->response);
    *transfer = (struct transfer){.limit = limit};
    const CURLcode code = attempt(policy, request, transfer);
    double wait = -1;
    if (code == CURLE_OK) {
      wait = pawl_http_wait_after(&transfer->response, repeatable, i, wall_now(policy));
      if (wait < 0 || i >= attempts) return PAWL_OK;
    } else {
      if (!transfer->too_large && may_pass(code) && (repeatable || !may_have_arrived(code)))
        wait = backoff(i);
      if (wait < 0 || i >= attempts) return fail_transfer(code, transfer, what, err);
    }
    if (!(waited + wait <= budget) && code != CURLE_OK)
      return fail_transfer(code, transfer, what, err);
    if (!(waited + wait <= budget))
      return pawl_fail(err, PAWL_TRY_AGAIN,
                       "%s: the server asks for a wait of %.0f s (HTTP %ld); try again later", what,
                       wait, transfer->response.status);
    if (code == CURLE_OK)
      pawl_log_info(policy->log, "%s: HTTP %ld; pawl tries again in %.0f s", what,
                    transfer->response.status, wait);
    else
      pawl_log_info(policy->log, "%s: %s; pawl tries again in %.0f s", what,
                    curl_easy_strerror(code), wait);
    http_wait_for(policy, wait);
    waited += wait;
  }
}

pawl_status pawl_http_send(const struct pawl_http_policy *policy,
                           const struct pawl_http_request *request, struct pawl_http_response *out,
                           struct pawl_error *err) {
  PAWL_TRY(pawl_late_library_open(&pawl_curl, err));
  PAWL_TRY(check_url(request, err));
  char what[512];
  http_describe(request, what, sizeof what);
  if (request->name) snprintf(what, sizeof what, "%s", request->name);
  struct transfer transfer = {.limit = policy->body_limit ? policy->body_limit : (size_t)8 << 20};
  const enum pawl_status_code status = send_until(policy, request, what, &transfer, err);
  if (status != PAWL_OK) {
    pawl_http_response_clear(&transfer.response);
    return status;
  }
  *out = transfer.response;
  return PAWL_OK;
}

void pawl_http_response_clear(struct pawl_http_response *response) {
  if (!response) return;
  pawl_text_clear(&response->body);
  *response = (struct pawl_http_response){0};
}

void pawl_url_escape(const char *string, struct pawl_text *out) {
  pawl_late_library_require(&pawl_curl);
  char *escaped = curl_easy_escape(NULL, string, 0);
  PAWL_ASSERT(escaped);
  pawl_text_add(out, escaped);
  curl_free(escaped);
}
