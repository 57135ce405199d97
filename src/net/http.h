/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one HTTP request by libcurl, with limits of time and size, and with retries where they are
 * safe. The credential has its own field and is never part of a message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* A zero selects a field's default. */
struct pawl_http_policy {
  double connect_seconds; /* default 10 */
  /* default 30, for one attempt; a transfer slower than 100 byte/s for 15 s ends too */
  double total_seconds;
  size_t body_limit;    /* default 8 MiB of an answer; a larger answer is PAWL_PROTOCOL */
  int attempts;         /* default 5 */
  double wait_seconds;  /* default 300: the sum of all waits between attempts */
  int redirects;        /* default 0: follows none; the credential never goes to another host */
  struct pawl_log *log; /* logs why it waits; NULL: silent */
  const char *ca_file;  /* the certificates of the authorities; NULL: pawl_trust_file() */
  /* tests replace the wait and the clock, in seconds since 1970; NULL: the real ones */
  void (*sleep)(void *context, double seconds);
  double (*now)(void *context);
  void *context;
};

struct pawl_http_request {
  const char *method; /* NULL: GET */
  const char *name;   /* stands in messages for a secret method and address; or NULL */
  /* http or https; a credential needs https, except for this machine's loopback */
  const char *url;
  const char *credential; /* sent as "Authorization: Bearer ..."; NULL: none */
  /* "Name: value", NULL-terminated; NULL: none; no credentials, because logs may contain them */
  const char *const *headers;
  const void *body;
  size_t body_length;
  /* the server may get it twice, as always with GET, PUT and DELETE; without it, pawl sends a POST
   * again only if the server cannot have carried it out: after a refused connection or a rate
   * limit */
  bool repeatable;
};

struct pawl_http_response {
  long status;
  struct pawl_text body;
  char next[2048];     /* the next address of the Link header, or "" */
  double retry_after;  /* seconds from now, also if the server gives a date; NaN: not given */
  double limit_reset;  /* x-ratelimit-reset in seconds since 1970; NaN: not given */
  long long remaining; /* x-ratelimit-remaining; -1: not given */
};

/* Sends a request. Every answer of the server is PAWL_OK, whatever its status. Fails with
 * PAWL_USAGE for an invalid address, PAWL_UNAVAILABLE without a connection, PAWL_TRY_AGAIN after a
 * timeout or for a limit longer than the allowed wait, PAWL_IO if the connection broke (the server
 * may have carried out the request), and PAWL_PROTOCOL if the answer is too large or not HTTP.
 * Messages name the method, host and path, not the query. Clear the response afterwards. */
pawl_status pawl_http_send(const struct pawl_http_policy *policy,
                           const struct pawl_http_request *request, struct pawl_http_response *out,
                           struct pawl_error *err);
void pawl_http_response_clear(struct pawl_http_response *response);

/* Returns the seconds to wait before the next attempt (from 1), or a negative number if the answer
   is final. Follows GitHub's rules: obey retry-after, else wait until x-ratelimit-reset, else wait
   at least 60 s after a limit. Server errors back off from 1 s.
   https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
double pawl_http_wait_after(const struct pawl_http_response *response, bool repeatable, int attempt,
                            double now);

/* Appends a string as one segment of a path or one value of a query. Escapes all but the unreserved
 * characters of RFC 3986. */
void pawl_url_escape(const char *string, struct pawl_text *out);
