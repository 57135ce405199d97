/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/dashboard.h"

#include <math.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "serve/answers.h"
#include "serve/connections.h"
#include "serve/dashboard_api.h"
#include "serve/dashboard_door.h"
#include "serve/listen.h"
#include "serve/microhttpd_library.h"
#include "serve/overview.h"
#include "serve/page.h"

#define IDLE_SECONDS 30u
#define COOKIE "pawl_token"
#define NOTE_HEADER "X-Pawl-Note"
#define LOOK_SECONDS 0.2 /* for which the first page waits for rows */
#define NEW_SECONDS (30 * 86400)

/* One thread answers all requests, so the store has one user. */
struct dashboard {
  struct pawl_store *store;
  struct pawl_log *log;
  const char *token, *folder;
  struct pawl_remote_links links;
  struct pawl_page page;
  struct pawl_connections connections;
  struct pawl_answers answers;
  struct pawl_overview overview;
  bool listed; /* the overview has the series of the present history */
};

/* --- answers --- */

static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
     "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-cache"},
};

/* Sends a response that nobody keeps, and releases it. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              struct MHD_Response *response) {
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", type);
  for (size_t i = 0; i < PAWL_COUNT(headers); i++)
    MHD_add_response_header(response, headers[i][0], headers[i][1]);
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, "Allow", "GET, HEAD");
  const enum MHD_Result queued = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result dashboard_say(struct MHD_Connection *connection, unsigned status,
                                     const char *words) {
  return answer(connection, status, "text/plain; charset=utf-8",
                MHD_create_response_from_buffer(strlen(words), (void *)(uintptr_t)words,
                                                MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result show_file(struct dashboard *dashboard, struct MHD_Connection *connection,
                                 const char *key, size_t file) {
  struct pawl_text copy = {0};
  enum MHD_Result result;
  if (pawl_answers_send(&dashboard->answers, key, connection, &result)) return result;
  pawl_text_add_bytes(&copy, dashboard->page.texts[file].data, dashboard->page.texts[file].length);
  return pawl_answers_make(&dashboard->answers, key, connection, pawl_page_files[file].type, &copy);
}

/* Sends the document, or the failure. Only the log has details for the machine's owner. */
static enum MHD_Result show_document(struct dashboard *dashboard, struct MHD_Connection *connection,
                                     const char *key, enum pawl_status_code status,
                                     json_t *document, const struct pawl_error *err) {
  if (status == PAWL_NO_INPUT) return dashboard_say(connection, MHD_HTTP_NOT_FOUND, err->message);
  if (status != PAWL_OK) {
    pawl_log_warning(dashboard->log, "%s", err->message);
    return dashboard_say(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                         "pawl cannot read the history; its log says why\n");
  }
  char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(document);
  if (!text)
    return dashboard_say(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                         "pawl cannot write the document\n");
  struct pawl_text body = {.data = text, .length = strlen(text), .capacity = strlen(text) + 1};
  return pawl_answers_make(&dashboard->answers, key, connection, "application/json", &body);
}

/* --- requests --- */

static const char *dashboard_argument(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Reads a number of the query. An absent number keeps its value. */
static bool read_number(struct MHD_Connection *connection, const char *name, int64_t minimum,
                        int64_t maximum, int64_t *value) {
  const char *text = dashboard_argument(connection, name);
  return !text || (pawl_parse_i64(text, value) && *value >= minimum && *value <= maximum);
}

static enum MHD_Result show_trend(struct dashboard *dashboard, struct MHD_Connection *connection,
                                  const char *key) {
  struct pawl_dashboard_part part = {.points = PAWL_DASHBOARD_POINTS,
                                     .branch = dashboard_argument(connection, "branch")};
  struct pawl_error err = {0};
  json_t *document = NULL;
  if (!read_number(connection, "series", 0, INT64_MAX, &part.series) ||
      !read_number(connection, "from", 0, INT64_MAX, &part.from) ||
      !read_number(connection, "to", 0, INT64_MAX, &part.to) ||
      !read_number(connection, "points", 10, PAWL_DASHBOARD_MOST, &part.points))
    return dashboard_say(connection, MHD_HTTP_BAD_REQUEST,
                         "series, from, to and points (10 to 20000) are whole numbers\n");
  const enum pawl_status_code status =
      pawl_dashboard_trend(dashboard->store, &part, &document, &err);
  return show_document(dashboard, connection, key, status, document, &err);
}

/* Sends the rows that the page shows. Without a number of rows it sends all. If pawl has not looked
 * at all series yet, it answers soon, and the page asks again. */
static enum MHD_Result show_overview(struct dashboard *dashboard, struct MHD_Connection *connection,
                                     const char *key) {
  const int64_t hour = pawl_wall_clock() / 3600 * 3600;
  struct pawl_overview_part part = {.words = dashboard_argument(connection, "q"),
                                    .sort = dashboard_argument(connection, "sort"),
                                    .since = hour - NEW_SECONDS};
  const bool whole = !dashboard_argument(connection, "count");
  struct pawl_error err = {0};
  struct pawl_text body = {0};
  if (!read_number(connection, "first", 0, INT64_MAX, &part.first) ||
      !read_number(connection, "count", 1, PAWL_OVERVIEW_MOST, &part.count))
    return dashboard_say(connection, MHD_HTTP_BAD_REQUEST, "first and count are whole numbers\n");
  enum pawl_status_code status =
      dashboard->listed ? PAWL_OK
                        : pawl_overview_list(&dashboard->overview, dashboard->store, NULL, &err);
  if (status == PAWL_OK)
    status = pawl_overview_read(&dashboard->overview, dashboard->store,
                                whole ? INFINITY : LOOK_SECONDS, &err);
  if (status != PAWL_OK) return show_document(dashboard, connection, NULL, status, NULL, &err);
  dashboard->listed = true;
  pawl_overview_write(&dashboard->overview, whole ? NULL : &part, "", &body);
  if (dashboard->overview.known < dashboard->overview.count) key = NULL;
  return pawl_answers_make(&dashboard->answers, key, connection, "application/json", &body);
}

static enum MHD_Result show_site(struct dashboard *dashboard, struct MHD_Connection *connection,
                                 const char *key) {
  const struct pawl_error err = {0};
  return show_document(dashboard, connection, key, PAWL_OK,
                       pawl_dashboard_site(&dashboard->links, dashboard->token != NULL), &err);
}

/* Only a visitor with the token may note something, and only from the page itself: another site
 * cannot send the header. */
static enum MHD_Result take_note(struct dashboard *dashboard, struct MHD_Connection *connection) {
  struct pawl_dashboard_note said = {.series = -1,
                                     .point = -1,
                                     .branch = dashboard_argument(connection, "branch"),
                                     .state = dashboard_argument(connection, "state"),
                                     .note = dashboard_argument(connection, "note"),
                                     .person = dashboard_argument(connection, "person")};
  struct pawl_error err = {0};
  if (!dashboard->token)
    return dashboard_say(connection, MHD_HTTP_FORBIDDEN,
                         "without a token the dashboard only reads; run pawl history note\n");
  if (!MHD_lookup_connection_value(connection, MHD_HEADER_KIND, NOTE_HEADER))
    return dashboard_say(connection, MHD_HTTP_FORBIDDEN,
                         "a note needs the header " NOTE_HEADER "\n");
  if (!read_number(connection, "series", 0, INT64_MAX, &said.series) ||
      !read_number(connection, "point", 0, INT64_MAX, &said.point))
    return dashboard_say(connection, MHD_HTTP_BAD_REQUEST, "series and point are whole numbers\n");
  const enum pawl_status_code status = pawl_dashboard_note(dashboard->store, &said, &err);
  if (status == PAWL_USAGE) return dashboard_say(connection, MHD_HTTP_BAD_REQUEST, err.message);
  if (status != PAWL_OK) return show_document(dashboard, connection, NULL, status, NULL, &err);
  return dashboard_say(connection, MHD_HTTP_OK, "noted\n");
}

static enum MHD_Result show_point(struct dashboard *dashboard, struct MHD_Connection *connection,
                                  const char *key) {
  struct pawl_error err = {0};
  json_t *document = NULL;
  int64_t id = 0;
  if (!read_number(connection, "id", 0, INT64_MAX, &id))
    return dashboard_say(connection, MHD_HTTP_BAD_REQUEST, "id is a whole number\n");
  const enum pawl_status_code status = pawl_dashboard_point(dashboard->store, id, &document, &err);
  return show_document(dashboard, connection, key, status, document, &err);
}

static enum MHD_Result show_machines(struct dashboard *dashboard, struct MHD_Connection *connection,
                                     const char *key) {
  struct pawl_error err = {0};
  json_t *document = NULL;
  const enum pawl_status_code status =
      pawl_dashboard_machines(dashboard->store, PAWL_DASHBOARD_COMPARISONS, &document, &err);
  return show_document(dashboard, connection, key, status, document, &err);
}

/* Sends the comparison of two sides as a document or as CSV. */
static enum MHD_Result show_compare(struct dashboard *dashboard,
                                    struct MHD_Connection *connection) {
  const char *a = dashboard_argument(connection, "a"), *b = dashboard_argument(connection, "b"),
             *format = dashboard_argument(connection, "format");
  struct pawl_comparison_table table;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_text csv = {0};
  json_t *document = NULL;
  enum MHD_Result result;
  if (!a || !b || !*a || !*b)
    return dashboard_say(connection, MHD_HTTP_BAD_REQUEST, "a and b name two sides\n");
  enum pawl_status_code status =
      pawl_dashboard_compare(dashboard->store, dashboard->folder, a, b, &arena, &table, &err);
  if (status == PAWL_USAGE) status = PAWL_NO_INPUT; /* the visitor's names, not a failure */
  if (status == PAWL_OK && format && !strcmp(format, "csv")) {
    pawl_comparison_csv(&table, &csv);
    result =
        pawl_answers_make(&dashboard->answers, NULL, connection, "text/csv; charset=utf-8", &csv);
  } else {
    if (status == PAWL_OK) document = pawl_struct_write(&pawl_comparison_table_fields, &table);
    result = show_document(dashboard, connection, NULL, status, document, &err);
  }
  pawl_arena_clear(&arena);
  return result;
}

/* A link with the token opens the page and leaves the token in a cookie, not in the address. */
static enum MHD_Result take_token(struct MHD_Connection *connection, const char *token) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cookie = {0};
  struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
  pawl_text_printf(&cookie, COOKIE "=%s; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000", token);
  if (response) MHD_add_response_header(response, "Set-Cookie", cookie.data);
  if (response) MHD_add_response_header(response, "Location", "./");
  return answer(connection, MHD_HTTP_SEE_OTHER, "text/plain; charset=utf-8", response);
}

/* Returns whether the visitor may enter. If not, or after a redirect, *result is set. */
static bool may_enter(const struct dashboard *dashboard, struct MHD_Connection *connection,
                      const char *url, enum MHD_Result *result) {
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  const char *sent = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
  const char *link = dashboard_argument(connection, "token");
  if (!dashboard->token) {
    if (pawl_door_is_local_host(host)) return true;
    *result = dashboard_say(connection, MHD_HTTP_FORBIDDEN,
                            "without a token pawl answers to localhost alone\n");
    return false;
  }
  if (sent && !strncasecmp(sent, "Bearer ", 7) && pawl_door_is_token(dashboard->token, sent + 7))
    return true;
  if (pawl_door_is_token(dashboard->token, link)) {
    if (strcmp(url, "/") != 0) return true;
    *result = take_token(connection, link);
    return false;
  }
  if (pawl_door_is_token(dashboard->token,
                         MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, COOKIE)))
    return true;
  *result = dashboard_say(connection, MHD_HTTP_UNAUTHORIZED,
                          "open the page with ?token=TOKEN behind its address\n");
  return false;
}

/* Writes the address of a request as the key of its answer. The token is not part of it. */
static void write_key(struct MHD_Connection *connection, const char *url, struct pawl_text *out) {
  static const char *const names[] = {"series", "from", "to",   "points", "branch",
                                      "id",     "q",    "sort", "first",  "count"};
  /* the hour, because a change is new for a month */
  pawl_text_printf(out, "%s %lld", url, (long long)(pawl_wall_clock() / 3600));
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const char *value = dashboard_argument(connection, names[i]);
    if (value) pawl_text_printf(out, "&%s=%zu:%s", names[i], strlen(value), value);
  }
}

static enum MHD_Result show_view(struct dashboard *dashboard, struct MHD_Connection *connection,
                                 const char *url) {
  static const struct {
    const char *url;
    enum MHD_Result (*show)(struct dashboard *, struct MHD_Connection *, const char *key);
  } views[] = {{"/api/overview", show_overview},
               {"/api/trend", show_trend},
               {"/api/point", show_point},
               {"/api/machines", show_machines},
               {"/api/site", show_site}};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text stamp = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  struct pawl_error err = {0};
  enum MHD_Result result;
  size_t i = 0;
  while (i < PAWL_COUNT(views) && strcmp(views[i].url, url) != 0) i++;
  if (i == PAWL_COUNT(views))
    return dashboard_say(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
  /* before pawl reads the answer: a run that comes in meanwhile makes it old */
  if (pawl_store_stamp(dashboard->store, &stamp, &err) != PAWL_OK)
    return show_document(dashboard, connection, NULL, err.code, NULL, &err);
  if (pawl_answers_set_stamp(&dashboard->answers, pawl_text_string(&stamp)))
    dashboard->listed = false;
  write_key(connection, url, &key);
  if (pawl_answers_send(&dashboard->answers, key.data, connection, &result)) return result;
  return views[i].show(dashboard, connection, key.data);
}

static enum MHD_Result dashboard_on_request(void *context, struct MHD_Connection *connection,
                                            const char *url, const char *method,
                                            const char *version, const char *data, size_t *length,
                                            void **state) {
  static int seen; /* pawl answers when the whole request is there */
  struct dashboard *dashboard = context;
  enum MHD_Result result = MHD_NO;
  const bool notes = !strcmp(method, "POST") && !strcmp(url, "/api/note");
  (void)version, (void)data;
  if (!notes && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
    return dashboard_say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "the dashboard only reads\n");
  if (!*state) {
    *state = &seen;
    return MHD_YES;
  }
  if (*length) return MHD_NO; /* no request has a body */
  if (!may_enter(dashboard, connection, url, &result)) return result;
  if (notes) return take_note(dashboard, connection);
  if (!strcmp(url, "/api/compare")) return show_compare(dashboard, connection);
  for (size_t i = 0; i < PAWL_PAGE_FILES; i++)
    if (*url == '/' && !strcmp(url + 1, pawl_page_files[i].url))
      return show_file(dashboard, connection, url, i);
  return show_view(dashboard, connection, url);
}

/* --- the whole --- */

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
  struct dashboard *dashboard = context;
  (void)state, (void)code;
  pawl_connections_completed(&dashboard->connections, connection);
}

static void wait_for_signal(struct dashboard *dashboard, const sigset_t *signals) {
  const struct timespec second = {.tv_sec = 1};
  size_t slow;
  while (sigtimedwait(signals, NULL, &second) <= 0)
    pawl_connections_sweep(&dashboard->connections, &slow);
}

static pawl_status serve(struct dashboard *dashboard, int *fd, const char *bound,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_late_library_open(&pawl_microhttpd, err));
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, &before); /* for the server's thread too */
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, dashboard_on_request, dashboard,
      MHD_OPTION_LISTEN_SOCKET, *fd, MHD_OPTION_CONNECTION_LIMIT, PAWL_MOST_CONNECTIONS,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, PAWL_MOST_OF_ONE_ADDRESS, MHD_OPTION_CONNECTION_TIMEOUT,
      IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, pawl_connections_notify, &dashboard->connections,
      MHD_OPTION_NOTIFY_COMPLETED, on_completed, dashboard, MHD_OPTION_END);
  if (daemon) {
    *fd = -1; /* the daemon owns it now */
    pawl_log_info(dashboard->log, "the dashboard is at http://%s/", bound);
    wait_for_signal(dashboard, &signals);
    MHD_stop_daemon(daemon);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return daemon ? PAWL_OK : pawl_fail(err, PAWL_UNAVAILABLE, "cannot start the HTTP server");
}

pawl_status pawl_dashboard_serve(struct pawl_store *store,
                                 const struct pawl_dashboard_options *options, struct pawl_log *log,
                                 struct pawl_error *err) {
  struct dashboard dashboard = {
      .store = store,
      .log = log,
      .token = options->token,
      .folder = options->folder,
      .answers = {.headers = headers, .header_count = PAWL_COUNT(headers)}};
  PAWL_CLEANUP(pawl_close) int fd = -1;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text bound = {0};
  struct pawl_arena arena = {0};
  if (options->token) PAWL_TRY(pawl_door_check_token(options->token, err));
  PAWL_TRY(pawl_listen(options->listen, &fd, &bound, err));
  if (!options->token && !pawl_door_is_loopback(bound.data))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is open to others, and the dashboard has no token; give one with "
                     "--token-file FILE or PAWL_DASHBOARD_TOKEN",
                     options->listen);
  pawl_connections_init(&dashboard.connections);
  dashboard.links = pawl_remote_links_of(options->folder, &arena);
  enum pawl_status_code status = pawl_page_read(&dashboard.page, options->home, err);
  if (status == PAWL_OK) status = serve(&dashboard, &fd, bound.data, err);
  pawl_arena_clear(&arena);
  pawl_answers_clear(&dashboard.answers);
  pawl_overview_clear(&dashboard.overview);
  pawl_page_clear(&dashboard.page);
  pawl_connections_release(&dashboard.connections);
  return status;
}
