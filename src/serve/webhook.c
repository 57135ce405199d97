/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/webhook.h"

#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto_library.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "serve/connections.h"
#include "serve/listen.h"
#include "serve/microhttpd_library.h"

/* --- the rate of an address --- */

/* Limits the requests a second of each address: a token bucket, two seconds deep. Addresses share a
 * table of fixed size, so no flood of addresses takes memory. Two addresses in one place share its
 * tokens. */

#define RATE_PLACES 1024

struct rate {
  double per_second;
  uint64_t salt; /* keeps an address's place secret */
  pthread_mutex_t lock;
  struct {
    double tokens, time;
  } places[RATE_PLACES];
};

#define DEPTH_SECONDS 2.0

static void rate_init(struct rate *rate, double per_second, uint64_t salt) {
  *rate = (struct rate){.per_second = per_second, .salt = salt};
  pthread_mutex_init(&rate->lock, NULL);
  for (size_t i = 0; i < RATE_PLACES; i++)
    rate->places[i].tokens = fmax(1, per_second * DEPTH_SECONDS);
}

static void rate_release(struct rate *rate) {
  if (rate) pthread_mutex_destroy(&rate->lock);
}

/* Returns whether this address may make one more request. `now` is in seconds of a steady clock.
 * Any thread may call it. */
static bool rate_take(struct rate *rate, const void *address, size_t length, double now) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add(&hasher, &rate->salt, sizeof rate->salt);
  pawl_hasher_add(&hasher, address, length);
  const size_t place = (size_t)pawl_hasher_finish(&hasher).low % RATE_PLACES;
  pthread_mutex_lock(&rate->lock);
  double *tokens = &rate->places[place].tokens, *time = &rate->places[place].time;
  *tokens = fmin(fmax(1, rate->per_second * DEPTH_SECONDS),
                 *tokens + fmax(0, now - *time) * rate->per_second);
  *time = now;
  const bool granted = *tokens >= 1;
  if (granted) *tokens -= 1;
  pthread_mutex_unlock(&rate->lock);
  return granted;
}

#define THREADS 8u      /* each may wait for the disk; one sync serves them all */
#define IDLE_SECONDS 5u /* seconds between two bytes */
#define DRAIN_SECONDS 5 /* seconds for open requests at the end */

struct server {
  struct pawl_wake *wake;
  struct MHD_Daemon *daemon;
  struct rate rate;
  struct pawl_connections connections;
};

struct request {
  struct pawl_text body;
  int64_t start;
};

/* --- answers --- */

static enum MHD_Result answer(struct MHD_Connection *connection, int status, const char *type,
                              const char *text, size_t length) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(length, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", type);
  if (status == MHD_HTTP_TOO_MANY_REQUESTS) MHD_add_response_header(response, "Retry-After", "1");
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, "Allow", "GET, POST");
  const enum MHD_Result queued = MHD_queue_response(connection, (unsigned)status, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result webhook_say(struct MHD_Connection *connection, int status,
                                   const char *words) {
  return answer(connection, status, "text/plain; charset=utf-8", words, strlen(words));
}

/* Answers a hook and counts the answer. */
static enum MHD_Result reply(struct server *server, struct MHD_Connection *connection,
                             const struct request *request, int status, const char *words,
                             enum pawl_receipt receipt) {
  pawl_metrics_request(&server->wake->metrics, receipt, pawl_clock_ns() - request->start);
  return webhook_say(connection, status, words);
}

static enum MHD_Result show_health(struct server *server, struct MHD_Connection *connection) {
  const bool failed = atomic_load(&server->wake->failed);
  return webhook_say(connection, failed ? 503 : 200,
                     failed ? "pawl cannot write the queue\n" : "ok\n");
}

static enum MHD_Result show_metrics(struct server *server, struct MHD_Connection *connection) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_wake_metrics(server->wake, &text);
  return answer(connection, 200, "text/plain; version=0.0.4; charset=utf-8", text.data,
                text.length);
}

/* --- requests --- */

static bool may_ask(struct server *server, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const double now = (double)pawl_clock_ns() * 1e-9;
  if (info && info->client_addr->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)info->client_addr;
    return rate_take(&server->rate, &v4->sin_addr, sizeof v4->sin_addr, now);
  }
  if (info && info->client_addr->sa_family == AF_INET6) { /* a customer has at least a /64 */
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)info->client_addr;
    return rate_take(&server->rate, &v6->sin6_addr, 8, now);
  }
  return rate_take(&server->rate, "", 0, now);
}

static const char *webhook_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result too_many(struct server *server, struct MHD_Connection *connection,
                                const struct request *request) {
  return reply(server, connection, request, 429, "too many requests\n", PAWL_RECEIPT_RATE_LIMITED);
}

/* Refuses a hook. Only an unsigned request counts against its address. Behind a proxy all clients
 * have one address, and a flood must not keep the signed requests out. */
static enum MHD_Result refuse_hook(struct server *server, struct MHD_Connection *connection,
                                   const struct request *request, int status, const char *words,
                                   enum pawl_receipt receipt) {
  if (!may_ask(server, connection)) return too_many(server, connection, request);
  return reply(server, connection, request, status, words, receipt);
}

/* Judges a hook by its headers, before any byte of its body. Returns true if the body may come. */
static bool may_come(struct server *server, struct MHD_Connection *connection,
                     const struct request *request, enum MHD_Result *result) {
  const char *length = webhook_header(connection, "Content-Length"),
             *type = webhook_header(connection, "Content-Type");
  int64_t bytes;
  int status = 0;
  const char *words = NULL;
  enum pawl_receipt receipt = PAWL_RECEIPT_MALFORMED;
  if (!length || !pawl_parse_i64(length, &bytes) || bytes < 0) {
    status = 411, words = "Content-Length is needed\n";
  } else if ((uint64_t)bytes > server->wake->config->body_limit) {
    status = 413, words = "the body is too large\n", receipt = PAWL_RECEIPT_TOO_LARGE;
  } else if (!type || strncasecmp(type, "application/json", 16) != 0) {
    status = 415, words = "choose the content type application/json in the webhook's settings\n";
  } else if (!webhook_header(connection, "X-Hub-Signature-256")) {
    status = 401, words = "no X-Hub-Signature-256; set a secret in the webhook's settings\n";
    receipt = PAWL_RECEIPT_BAD_SIGNATURE;
  }
  if (status) *result = refuse_hook(server, connection, request, status, words, receipt);
  return status == 0;
}

static enum MHD_Result webhook_begin(struct server *server, struct MHD_Connection *connection,
                                     const char *method, const char *url, void **state) {
  struct request *request = pawl_alloc(1, sizeof *request);
  request->start = pawl_clock_ns();
  *state = request;
  const bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
  enum MHD_Result result = MHD_YES;
  if (get && strcmp(url, "/healthz") == 0) return show_health(server, connection);
  const bool is_hook = strcmp(url, "/webhook") == 0 && strcmp(method, "POST") == 0;
  if (!is_hook && !may_ask(server, connection)) return too_many(server, connection, request);
  if (get && strcmp(url, "/metrics") == 0) return show_metrics(server, connection);
  if (strcmp(url, "/webhook") != 0)
    return webhook_say(connection, 404, "the paths are /webhook, /healthz and /metrics\n");
  if (strcmp(method, "POST") != 0)
    return webhook_say(connection, 405, "send hooks here with POST\n");
  may_come(server, connection, request, &result);
  return result;
}

static enum MHD_Result webhook_finish(struct server *server, struct MHD_Connection *connection,
                                      const struct request *request) {
  const struct pawl_hook hook = {.event = webhook_header(connection, "X-GitHub-Event"),
                                 .delivery = webhook_header(connection, "X-GitHub-Delivery"),
                                 .signature = webhook_header(connection, "X-Hub-Signature-256"),
                                 .body = pawl_text_string(&request->body),
                                 .length = request->body.length};
  const char *words;
  enum pawl_receipt receipt;
  const int status = pawl_wake_receive(server->wake, &hook, &words, &receipt);
  if (receipt == PAWL_RECEIPT_BAD_SIGNATURE)
    return refuse_hook(server, connection, request, status, words, receipt);
  return reply(server, connection, request, status, words, receipt);
}

/* libmicrohttpd calls it once with the headers, then for each piece of the body, then once without
 * data. */
static enum MHD_Result webhook_on_request(void *context, struct MHD_Connection *connection,
                                          const char *url, const char *method, const char *version,
                                          const char *data, size_t *length, void **state) {
  struct server *server = context;
  struct request *request = *state;
  (void)version;
  if (!request) return webhook_begin(server, connection, method, url, state);
  if (*length == 0) return webhook_finish(server, connection, request);
  if (request->body.length + *length > server->wake->config->body_limit) return MHD_NO;
  pawl_text_add_bytes(&request->body, data, *length);
  *length = 0;
  return MHD_YES;
}

/* --- connections --- */

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
  struct server *server = context;
  struct request *request = *state;
  (void)code;
  pawl_connections_completed(&server->connections, connection);
  if (request) pawl_text_clear(&request->body);
  pawl_free(request);
  *state = NULL;
}

static size_t webhook_sweep(struct server *server) {
  size_t slow;
  const size_t open = pawl_connections_sweep(&server->connections, &slow);
  atomic_fetch_add(&server->wake->metrics.slow_clients, slow);
  return open;
}

/* --- the whole --- */

static pawl_status start(struct server *server, int *fd, struct pawl_error *err) {
  server->daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, webhook_on_request, server,
      MHD_OPTION_LISTEN_SOCKET, *fd, MHD_OPTION_THREAD_POOL_SIZE, THREADS,
      MHD_OPTION_CONNECTION_LIMIT, PAWL_MOST_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      PAWL_MOST_OF_ONE_ADDRESS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
      MHD_OPTION_NOTIFY_CONNECTION, pawl_connections_notify, &server->connections,
      MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_END);
  if (!server->daemon) return pawl_fail(err, PAWL_UNAVAILABLE, "cannot start the HTTP server");
  *fd = -1; /* the daemon owns it now */
  return PAWL_OK;
}

/* Sleeps until a signal asks to stop, and sweeps once a second. */
static int wait_for_signal(struct server *server, const sigset_t *signals) {
  for (;;) {
    const struct timespec second = {.tv_sec = 1};
    const int number = sigtimedwait(signals, NULL, &second);
    if (number > 0) return number;
    webhook_sweep(server);
    pawl_wake_recover(server->wake);
  }
}

static void stop(struct server *server) {
  int fd = MHD_quiesce_daemon(server->daemon); /* takes no new connections */
  for (int i = 0; i < DRAIN_SECONDS * 20 && webhook_sweep(server) > 0; i++)
    pawl_sleep_seconds(0.05);
  MHD_stop_daemon(server->daemon);
  pawl_close(&fd);
}

static pawl_status serve(struct server *server, int *fd, const char *bound,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_late_library_open(&pawl_microhttpd, err));
  PAWL_TRY(pawl_late_library_open(&pawl_crypto, err)); /* it checks each signature */
  struct pawl_wake *wake = server->wake;
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, &before); /* for all threads that start later */
  enum pawl_status_code status = pawl_wake_start(wake, err);
  if (status == PAWL_OK) status = start(server, fd, err);
  if (status == PAWL_OK) {
    pthread_mutex_lock(&wake->lock);
    pawl_log_info(wake->log, "listening on %s", bound);
    pthread_mutex_unlock(&wake->lock);
    const int number = wait_for_signal(server, &signals);
    pthread_mutex_lock(&wake->lock);
    pawl_log_info(wake->log, "stopping on SIG%s", sigabbrev_np(number));
    pthread_mutex_unlock(&wake->lock);
    stop(server);
  }
  pawl_wake_stop(wake);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

pawl_status pawl_webhook_serve(struct pawl_wake *wake, const char *listen, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = -1;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text bound = {0};
  uint64_t salt = 0;
  PAWL_TRY(pawl_listen(listen ? listen : wake->config->listen, &fd, &bound, err));
  PAWL_TRY(pawl_entropy(&salt, sizeof salt, err));
  struct server *server = pawl_alloc(1, sizeof *server);
  server->wake = wake;
  pawl_connections_init(&server->connections);
  rate_init(&server->rate, wake->config->rate, salt);
  const enum pawl_status_code status = serve(server, &fd, bound.data, err);
  rate_release(&server->rate);
  pawl_connections_release(&server->connections);
  pawl_free(server);
  return status;
}
