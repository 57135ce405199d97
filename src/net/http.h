/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP request and its answer, by libcurl: bounded in time and size, repeated where that is
   safe. The credential is a field of its own and never part of a message. */
#ifndef PAWL_NET_HTTP_H
#define PAWL_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Zero means the default in each field. */
struct pawl_http_policy {
  double connect_seconds; /* 10 */
  double
      total_seconds;   /* 30, of one attempt; a transfer slower than 100 byte/s for 15 s ends too */
  size_t body_limit;   /* 8 MiB of an answer; a larger one is PAWL_PROTOCOL */
  int attempts;        /* 5 */
  double wait_seconds; /* 300: the most that all waits between attempts may add up to */
  int redirects;       /* 0: none is followed; the credential never goes to another host */
  struct pawl_log *log; /* says why it waits; NULL: silent */
  const char *ca_file;  /* certificates of the authorities; NULL: pawl_trust_file() */
  /* Tests: how to wait, and the time of day in seconds since 1970. NULL: really. */
  void (*sleep)(void *context, double seconds);
  double (*now)(void *context);
  void *context;
};

struct pawl_http_request {
  const char *method; /* NULL: GET */
  const char *url; /* http or https; with a credential https, but for this machine's own loopback */
  const char *credential;     /* sent as "Authorization: Bearer ..."; NULL: none */
  const char *const *headers; /* "Name: value", NULL-terminated; NULL: none. Not for credentials:
                                 they may be logged */
  const void *body;
  size_t body_length;
  /* Safe to send again although the first may have arrived: GET, PUT and DELETE are without being
     asked. A request that is not (POST) is sent again only when it cannot have been carried out:
     refused, or turned away by a limit. */
  bool repeatable;
};

struct pawl_http_response {
  long status;
  struct pawl_text body;
  char next[2048];     /* the address that "Link: <...>; rel="next"" gives; empty: there is none */
  double retry_after;  /* seconds from now, also where the server gives a date; NaN: not said */
  double limit_reset;  /* x-ratelimit-reset, seconds since 1970; NaN: not said */
  long long remaining; /* x-ratelimit-remaining; -1: not said */
};

/* Any answer of the server is PAWL_OK, whatever its status: the caller decides. PAWL_USAGE: an
   address that cannot be used. PAWL_UNAVAILABLE: no connection. PAWL_TRY_AGAIN: too slow, or a
   limit longer than we may wait. PAWL_IO: broken off (a request that is not repeatable may or may
   not have been carried out). PAWL_PROTOCOL: too large, no HTTP. Messages name method, host and
   path, not the query. Clear the response afterwards. */
pawl_status pawl_http_send(const struct pawl_http_policy *policy,
                           const struct pawl_http_request *request, struct pawl_http_response *out,
                           struct pawl_error *err);
void pawl_http_response_clear(struct pawl_http_response *response);

/* Seconds to wait before the next attempt (from 1) after this answer; negative: it is final.
   GitHub's rules: obey retry-after, else wait until x-ratelimit-reset, else after a limit at least
   60 s; server errors back off from 1 s.
   https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
double pawl_http_wait_after(const struct pawl_http_response *response, bool repeatable, int attempt,
                            double now);

/* Adds a string so that it is one segment of a path or one value of a query: RFC 3986, all but
 * unreserved escaped. */
void pawl_url_escape(const char *string, struct pawl_text *out);

#endif
