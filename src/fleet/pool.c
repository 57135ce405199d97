/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/pool.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"

#define LOOK_SECONDS 0.05 /* between two looks at the answers */
#define MOST_STARTS 3     /* starts of one member */
#define TAIL_LIMIT (1u << 20)

/* --- start and end --- */

static void add_member(struct pawl_pool *pool, int i, const char *device) {
  struct pawl_arena *arena = pool->staff.arena;
  struct pawl_post *post = &pool->staff.posts[i];
  *post = (struct pawl_post){.number = i + 1, .device = device};
  post->folder = pawl_arena_printf(arena, "%s/%d", pool->staff.folder, i + 1);
  pool->members[i] = (struct pawl_pool_member){
      .answers = {.path = pawl_arena_printf(arena, "%s/answers.jsonl", post->folder)},
      .requests = pawl_arena_printf(arena, "%s/requests.jsonl", post->folder),
      .heartbeat = {.path = pawl_arena_printf(arena, "%s/beat", post->folder)},
      .starts = 1};
}

pawl_status pawl_pool_start(struct pawl_pool *pool, const struct pawl_pool_plan *plan,
                            const char *folder, struct pawl_arena *arena, struct pawl_log *log,
                            struct pawl_error *err) {
  const int count = plan->evaluators;
  *pool = (struct pawl_pool){.silence = PAWL_FLEET_SILENCE};
  pool->staff =
      (struct pawl_staff){.arena = arena,
                          .log = log,
                          .options = plan->executor_options,
                          .count = count,
                          .goes_on = plan->goes_on,
                          .patience = plan->patience > 0 ? plan->patience : PAWL_QUEUE_PATIENCE};
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_path_real(folder); /* other machines work in other folders */
  pool->staff.folder = pawl_arena_copy(arena, real ? real : folder);
  pawl_words_append(&pool->staff.command, arena, plan->words);
  pool->staff.posts = pawl_arena_alloc(arena, (size_t)count, sizeof *pool->staff.posts);
  pool->members = pawl_arena_alloc(arena, (size_t)count, sizeof *pool->members);
  pawl_executors_sweep(&pool->staff);
  PAWL_TRY(pawl_remove_tree(pool->staff.folder, err));
  for (int i = 0; i < count; i++) {
    add_member(pool, i, plan->devices ? plan->devices[i] : NULL);
    PAWL_TRY(pawl_make_folders(pool->staff.posts[i].folder, err));
  }
  pool->executor = plan->executor; /* from here on there is something to end */
  pool->heartbeat.path = pawl_arena_printf(arena, "%s/beat", pool->staff.folder);
  PAWL_TRY(pawl_heartbeat_start(&pool->heartbeat, err));
  return pool->executor->start(&pool->staff, 0, count, err);
}

/* It reads that when its work of the moment is done. */
static void ask_to_end(struct pawl_pool *pool, int member) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  struct pawl_error ignored = {0};
  pawl_json_set_bool(line, "end", true);
  if (!pool->members[member].gone &&
      pawl_ndjson_append(pool->members[member].requests, line, &ignored) != PAWL_OK)
    pawl_log_info(pool->staff.log, "%s", ignored.message);
  pool->members[member].gone = true;
  pool->members[member].ready = false;
}

void pawl_pool_end(struct pawl_pool *pool) {
  if (!pool->executor) return;
  for (int i = 0; i < pool->staff.count; i++) ask_to_end(pool, i);
  pool->executor->end(&pool->staff);
  pawl_heartbeat_stop(&pool->heartbeat);
  pool->executor = NULL;
}

void pawl_pool_dismiss(struct pawl_pool *pool, int member) {
  if (pool->members[member].gone) return;
  ask_to_end(pool, member);
  pool->executor->stop(&pool->staff, &pool->staff.posts[member], PAWL_END_SECONDS);
}

void pawl_pool_distrust(struct pawl_pool *pool, int member, const char *why) {
  const char *node = pool->members[member].node;
  pawl_pool_dismiss(pool, member);
  pool->lost = pawl_arena_printf(
      pool->staff.arena, "evaluator %d%s%s%s is lost, because it wrote what cannot be right: %s",
      member + 1, node ? " on '" : "", node ? node : "", node ? "'" : "", why);
  pawl_log_warning(pool->staff.log, "%s%s", pool->lost,
                   pawl_pool_left(pool) ? "; the others go on" : "");
}

pawl_status pawl_pool_fail_empty(const struct pawl_pool *pool, const struct pawl_error *failure,
                                 struct pawl_error *err) {
  if (failure->code)
    return pawl_fail(err, failure->code, "%s%s%s", failure->message, pool->lost ? "; " : "",
                     pool->lost ? pool->lost : "");
  return pawl_fail(err, PAWL_UNAVAILABLE, "no evaluator is left%s%s: see the logs in '%s'; %s",
                   pool->lost ? ": " : "", pool->lost ? pool->lost : "", pool->staff.folder,
                   pool->staff.goes_on);
}

void pawl_pool_dismiss_others(struct pawl_pool *pool, int member) {
  bool *left = pawl_arena_alloc(pool->staff.arena, (size_t)pool->staff.count, sizeof *left);
  for (int i = 0; i < pool->staff.count; i++) left[i] = i != member && !pool->members[i].gone;
  for (int i = 0; i < pool->staff.count; i++)
    if (left[i]) ask_to_end(pool, i);
  const int64_t begin = pawl_clock_ns();
  for (int i = 0; i < pool->staff.count; i++)
    if (left[i])
      pool->executor->stop(&pool->staff, &pool->staff.posts[i],
                           PAWL_END_SECONDS - pawl_seconds_since(begin));
}

/* --- requests --- */

pawl_status pawl_pool_send(struct pawl_pool *pool, int member, json_t *request, size_t tag,
                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = request;
  struct pawl_pool_member *to = &pool->members[member];
  PAWL_ASSERT(to->ready && to->pending_count < PAWL_POOL_AHEAD);
  pawl_json_set_int(line, "request", ++pool->last);
  to->pending[to->pending_count++] = (struct pawl_pool_request){.number = pool->last, .tag = tag};
  return pawl_ndjson_append(to->requests, line, err);
}

static struct pawl_pool_request *find_request(struct pawl_pool_member *member, long long number) {
  for (size_t i = 0; i < member->pending_count; i++)
    if (member->pending[i].number == number) return &member->pending[i];
  return NULL;
}

static void forget(struct pawl_pool_member *member, struct pawl_pool_request *request) {
  const size_t at = (size_t)(request - member->pending);
  member->pending_count--;
  memmove(request, request + 1, (member->pending_count - at) * sizeof *request);
}

/* The evaluator must not take it any more. */
static pawl_status ask_to_drop(const struct pawl_pool_member *member,
                               const struct pawl_pool_request *request, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  pawl_json_set_int(line, "drop", request->number);
  return pawl_ndjson_append(member->requests, line, err);
}

pawl_status pawl_pool_withdraw(struct pawl_pool *pool, struct pawl_error *err) {
  for (int i = 0; i < pool->staff.count; i++) {
    struct pawl_pool_member *member = &pool->members[i];
    for (size_t r = 0; r < member->pending_count; r++) {
      struct pawl_pool_request *request = &member->pending[r];
      if (!request->taken && !request->withdrawn) PAWL_TRY(ask_to_drop(member, request, err));
      request->withdrawn = true;
    }
  }
  return PAWL_OK;
}

/* --- lines of an evaluator --- */

const char *pawl_pool_name(const struct pawl_pool *pool, int member) {
  const char *node = pool->members[member].node, *device = pool->staff.posts[member].device;
  return pawl_arena_printf(pool->staff.arena, "%d on %s%s%s", member + 1, node ? node : "?",
                           device ? ", " : "", device ? device : "");
}

const char *pawl_pool_line(const struct pawl_pool *pool, int member) {
  const struct pawl_ndjson *answers = &pool->members[member].answers;
  return pawl_arena_printf(pool->staff.arena, "%s:%zu", answers->path, answers->line);
}

static pawl_status read_ready(struct pawl_pool *pool, int i, json_t *line,
                              struct pawl_pool_event *event, struct pawl_error *err) {
  struct pawl_pool_member *member = &pool->members[i];
  const char *name = pawl_pool_line(pool, i), *node, *writer;
  long long next;
  PAWL_TRY(pawl_json_get_int(line, "next", name, 1, &next, err));
  PAWL_TRY(pawl_json_get_string(line, "node", name, "", &node, err));
  PAWL_TRY(pawl_json_get_string(line, "writer", name, NULL, &writer, err));
  if (!json_is_object(json_object_get(line, "ready")) || next < 1 || next > pool->last + 1)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: 'ready' must be an object, and 'next' a number from 1 to %lld", name,
                     pool->last + 1);
  member->next = next;
  member->node = pawl_arena_copy(pool->staff.arena, node);
  member->writer = pawl_arena_copy(pool->staff.arena, writer);
  member->ready = true;
  member->ready_ns = pawl_clock_ns();
  member->heartbeat.seen_ns = 0;
  *event = (struct pawl_pool_event){.news = PAWL_POOL_READY,
                                    .member = i,
                                    .document = json_incref(json_object_get(line, "ready"))};
  return PAWL_OK;
}

static pawl_status fleet_pool_read_answer(struct pawl_pool *pool, int i,
                                          struct pawl_pool_request *request, json_t *line,
                                          struct pawl_pool_event *event, struct pawl_error *err) {
  json_t *result = json_object_get(line, "result");
  request->taken = true;
  if (!json_is_object(result))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: an answer without 'result'", pawl_pool_line(pool, i));
  *event = (struct pawl_pool_event){
      .news = PAWL_POOL_ANSWER, .member = i, .tag = request->tag, .document = json_incref(result)};
  forget(&pool->members[i], request);
  return PAWL_OK;
}

/* Answers to requests that were given back are late: another evaluator has them. */
static pawl_status pool_read_line(struct pawl_pool *pool, int i, json_t *line,
                                  struct pawl_pool_event *event, struct pawl_error *err) {
  struct pawl_pool_member *member = &pool->members[i];
  const char *name = pawl_pool_line(pool, i), *failed, *writer;
  long long took, answer, dropped, status;
  if (!json_is_object(line)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no JSON object", name);
  if (json_object_get(line, "ready")) return read_ready(pool, i, line, event, err);
  PAWL_TRY(pawl_json_get_string(line, "writer", name, NULL, &writer, err));
  if (writer && member->writer && strcmp(writer, member->writer) != 0) return PAWL_OK;
  PAWL_TRY(pawl_json_get_int(line, "took", name, 0, &took, err));
  PAWL_TRY(pawl_json_get_int(line, "answer", name, 0, &answer, err));
  PAWL_TRY(pawl_json_get_int(line, "dropped", name, 0, &dropped, err));
  PAWL_TRY(pawl_json_get_string(line, "failed", name, NULL, &failed, err));
  PAWL_TRY(pawl_json_get_int(line, "status", name, 0, &status, err));
  if (took && find_request(member, took)) find_request(member, took)->taken = true;
  if (dropped && find_request(member, dropped)) forget(member, find_request(member, dropped));
  if (answer && find_request(member, answer))
    PAWL_TRY(fleet_pool_read_answer(pool, i, find_request(member, answer), line, event, err));
  if (failed) {
    pawl_pool_dismiss(pool, i);
    *event = (struct pawl_pool_event){.news = PAWL_POOL_FAILED,
                                      .member = i,
                                      .reason = pawl_arena_copy(pool->staff.arena, failed),
                                      .status = (int)status};
  }
  return PAWL_OK;
}

static pawl_status pool_read_lines(struct pawl_pool *pool, int i, struct pawl_pool_event *event,
                                   struct pawl_error *err) {
  while (event->news == PAWL_POOL_NOTHING) {
    PAWL_CLEANUP(pawl_json_release) json_t *line = NULL;
    PAWL_TRY(pawl_ndjson_next(&pool->members[i].answers, &line, err));
    if (!line) return PAWL_OK;
    PAWL_TRY(pool_read_line(pool, i, line, event, err));
  }
  return PAWL_OK;
}

/* A file that cannot be read costs its evaluator, and not the search: the others' files are
 * whole. */
static void read_answers(struct pawl_pool *pool, int i, struct pawl_pool_event *event) {
  struct pawl_error wrong = {0};
  if (pool_read_lines(pool, i, event, &wrong) != PAWL_OK)
    pawl_pool_distrust(pool, i, wrong.message);
}

/* --- members that are lost --- */

/* Gives a request back. */
static pawl_status give_back(struct pawl_pool *pool, int i, struct pawl_pool_request *request,
                             const char *reason, struct pawl_pool_event *event,
                             struct pawl_error *err) {
  *event = (struct pawl_pool_event){.news = PAWL_POOL_LOST,
                                    .member = i,
                                    .tag = request->tag,
                                    .taken = request->taken,
                                    .reason = reason};
  PAWL_TRY(ask_to_drop(&pool->members[i], request, err));
  forget(&pool->members[i], request);
  return PAWL_OK;
}

/* The last line that a process wrote before it ended. */
static const char *last_words(struct pawl_pool *pool, int i) {
  const char *path = pawl_arena_printf(pool->staff.arena, "%s/log", pool->staff.posts[i].folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (!pawl_file_exists(path) || pawl_file_read(path, TAIL_LIMIT, &text, &ignored) != PAWL_OK)
    return "";
  while (text.length && text.data[text.length - 1] == '\n') text.data[--text.length] = '\0';
  const char *end = text.length ? strrchr(text.data, '\n') : NULL;
  return text.length ? pawl_arena_printf(pool->staff.arena, ": %.300s", end ? end + 1 : text.data)
                     : "";
}

static pawl_status start_again(struct pawl_pool *pool, int i, struct pawl_error *err) {
  pool->members[i].heartbeat.seen_ns = 0;
  pool->members[i].starts++;
  return pool->executor->start(&pool->staff, i, 1, err);
}

/* Says that a member was lost, once, and sees to it that it comes back. One that cannot is gone:
 * the others go on. */
static pawl_status lose(struct pawl_pool *pool, int i, const char *why, bool for_good,
                        struct pawl_error *err) {
  struct pawl_pool_member *member = &pool->members[i];
  struct pawl_error failure = {0};
  const char *node =
      member->node ? pawl_arena_printf(pool->staff.arena, " on '%s'", member->node) : "";
  member->ready = false;
  member->gone = for_good || member->starts >= MOST_STARTS;
  pool->lost = pawl_arena_printf(pool->staff.arena, "evaluator %d%s %s%s", i + 1, node, why,
                                 for_good ? "" : last_words(pool, i));
  pawl_log_warning(pool->staff.log, "%s%s", pool->lost,
                   !member->gone          ? "; pawl starts it again"
                   : pawl_pool_left(pool) ? "; the others go on"
                                          : "");
  if (member->gone || start_again(pool, i, &failure) == PAWL_OK) return PAWL_OK;
  member->gone = true;
  if (!pawl_pool_left(pool))
    return pawl_fail(err, failure.code, "%s; %s", failure.message, pool->staff.goes_on);
  pawl_log_warning(pool->staff.log, "%s; the others go on", failure.message);
  return PAWL_OK;
}

/* Reads the state of a member from the executor and from its heartbeat. */
static pawl_status check_member(struct pawl_pool *pool, int i, struct pawl_error *err) {
  struct pawl_pool_member *member = &pool->members[i];
  struct pawl_post *post = &pool->staff.posts[i];
  if (member->gone) return PAWL_OK;
  if (post->state == PAWL_POST_CANCELLED) return lose(pool, i, "was cancelled", true, err);
  if (post->state == PAWL_POST_ENDED) return lose(pool, i, post->how, false, err);
  /* It was requeued, and says so when it runs again. */
  if (post->state == PAWL_POST_WAITS && pool->staff.polled_ns > member->ready_ns)
    member->ready = false;
  if (!member->ready || pawl_heartbeat_silence(&member->heartbeat) < pool->silence) return PAWL_OK;
  pool->executor->stop(&pool->staff, post, 0);
  return lose(pool, i, pawl_arena_printf(pool->staff.arena, "was silent for %.0f s", pool->silence),
              false, err);
}

/* A member that is not there gives its requests back; one in the place of a lost process gives back
 * what that took. */
static pawl_status fleet_pool_find_lost(struct pawl_pool *pool, int i,
                                        struct pawl_pool_event *event, struct pawl_error *err) {
  struct pawl_pool_member *member = &pool->members[i];
  for (size_t r = 0; r < member->pending_count; r++) {
    struct pawl_pool_request *request = &member->pending[r];
    if (!member->ready || request->number < member->next)
      return give_back(pool, i, request, "its evaluator was lost", event, err);
  }
  return PAWL_OK;
}

/* While nobody works, the executor may know that nobody will. */
static pawl_status check_wait(struct pawl_pool *pool, struct pawl_error *err) {
  if (!pool->executor->check_wait || pawl_pool_find_ready(pool) >= 0 || !pawl_pool_left(pool))
    return PAWL_OK;
  return pool->executor->check_wait(&pool->staff, err);
}

pawl_status pawl_pool_next(struct pawl_pool *pool, struct pawl_pool_event *event,
                           struct pawl_error *err) {
  *event = (struct pawl_pool_event){.news = PAWL_POOL_NOTHING};
  PAWL_TRY(pool->executor->poll(&pool->staff, err));
  for (int k = 0; k < pool->staff.count && event->news == PAWL_POOL_NOTHING; k++) {
    const int i = (pool->turn + k) % pool->staff.count;
    if (!pool->members[i].gone) read_answers(pool, i, event);
    if (event->news == PAWL_POOL_NOTHING) PAWL_TRY(check_member(pool, i, err));
    if (event->news == PAWL_POOL_NOTHING) PAWL_TRY(fleet_pool_find_lost(pool, i, event, err));
    if (event->news != PAWL_POOL_NOTHING) pool->turn = i;
  }
  if (event->news != PAWL_POOL_NOTHING) return PAWL_OK;
  PAWL_TRY(check_wait(pool, err));
  pawl_sleep_seconds(LOOK_SECONDS);
  return PAWL_OK;
}

int pawl_pool_find_ready(const struct pawl_pool *pool) {
  for (int i = 0; i < pool->staff.count; i++)
    if (pool->members[i].ready) return i;
  return -1;
}

int pawl_pool_left(const struct pawl_pool *pool) {
  int left = 0;
  for (int i = 0; i < pool->staff.count; i++) left += !pool->members[i].gone;
  return left;
}

bool pawl_pool_is_queued(const struct pawl_pool *pool) {
  bool queued = false;
  for (int i = 0; i < pool->staff.count; i++) {
    if (pool->members[i].gone) continue;
    if (pool->staff.posts[i].state != PAWL_POST_WAITS) return false;
    queued = true;
  }
  return queued;
}

const char *pawl_pool_waits(const struct pawl_pool *pool) {
  const char *how = NULL;
  for (int i = 0; i < pool->staff.count; i++) {
    const struct pawl_post *post = &pool->staff.posts[i];
    if (!pool->members[i].gone && post->state == PAWL_POST_WAITS) how = post->how;
  }
  return how;
}
