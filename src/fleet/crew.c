/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/crew.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"

#define LOOK_SECONDS 0.05 /* between two looks at the answers */
#define MOST_STARTS 3     /* of one member */
#define TAIL_LIMIT (1u << 20)

/* --- start and end --- */

static void add_member(struct pawl_crew *crew, int i, const char *device) {
  struct pawl_arena *arena = crew->staff.arena;
  struct pawl_post *post = &crew->staff.posts[i];
  *post = (struct pawl_post){.number = i + 1, .device = device};
  post->folder = pawl_arena_printf(arena, "%s/%d", crew->staff.folder, i + 1);
  crew->members[i] = (struct pawl_crew_member){
      .answers = {.path = pawl_arena_printf(arena, "%s/answers.jsonl", post->folder)},
      .requests = pawl_arena_printf(arena, "%s/requests.jsonl", post->folder),
      .beat = {.path = pawl_arena_printf(arena, "%s/beat", post->folder)},
      .starts = 1};
}

pawl_status pawl_crew_start(struct pawl_crew *crew, const struct pawl_executor *executor, int count,
                            const struct pawl_words *command, const char *folder,
                            const char *const *devices, const struct pawl_words *options,
                            struct pawl_arena *arena, struct pawl_log *log,
                            struct pawl_error *err) {
  *crew = (struct pawl_crew){.silence = PAWL_FLEET_SILENCE};
  crew->staff = (struct pawl_staff){.arena = arena,
                                    .log = log,
                                    .options = options,
                                    .count = count,
                                    .patience = PAWL_QUEUE_PATIENCE};
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_path_real(folder); /* other machines work in other folders */
  crew->staff.folder = pawl_arena_copy(arena, real ? real : folder);
  pawl_words_append(&crew->staff.command, arena, command);
  crew->staff.posts = pawl_arena_alloc(arena, (size_t)count, sizeof *crew->staff.posts);
  crew->members = pawl_arena_alloc(arena, (size_t)count, sizeof *crew->members);
  pawl_executors_sweep(&crew->staff);
  PAWL_TRY(pawl_remove_tree(crew->staff.folder, err));
  for (int i = 0; i < count; i++) {
    add_member(crew, i, devices ? devices[i] : NULL);
    PAWL_TRY(pawl_make_folders(crew->staff.posts[i].folder, err));
  }
  crew->executor = executor; /* from here on there is something to end */
  crew->beat.path = pawl_arena_printf(arena, "%s/beat", crew->staff.folder);
  PAWL_TRY(pawl_beat_start(&crew->beat, err));
  return executor->start(&crew->staff, 0, count, err);
}

/* It reads that when its work of the moment is done. */
static void ask_to_end(struct pawl_crew *crew, int member) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  struct pawl_error ignored = {0};
  pawl_json_set_bool(line, "end", true);
  if (!crew->members[member].gone &&
      pawl_ndjson_append(crew->members[member].requests, line, &ignored) != PAWL_OK)
    pawl_log_info(crew->staff.log, "%s", ignored.message);
  crew->members[member].gone = true;
  crew->members[member].ready = false;
}

void pawl_crew_end(struct pawl_crew *crew) {
  if (!crew->executor) return;
  for (int i = 0; i < crew->staff.count; i++) ask_to_end(crew, i);
  crew->executor->end(&crew->staff);
  pawl_beat_stop(&crew->beat);
  crew->executor = NULL;
}

void pawl_crew_dismiss(struct pawl_crew *crew, int member) {
  if (crew->members[member].gone) return;
  ask_to_end(crew, member);
  crew->executor->stop(&crew->staff, &crew->staff.posts[member], PAWL_END_SECONDS);
}

void pawl_crew_distrust(struct pawl_crew *crew, int member, const char *why) {
  const char *node = crew->members[member].node;
  pawl_crew_dismiss(crew, member);
  pawl_log_warning(crew->staff.log,
                   "evaluator %d%s%s%s is lost, because it wrote what cannot be right: %s%s",
                   member + 1, node ? " on '" : "", node ? node : "", node ? "'" : "", why,
                   pawl_crew_left(crew) ? "; the others go on" : "");
}

void pawl_crew_keep(struct pawl_crew *crew, int member) {
  bool *left = pawl_arena_alloc(crew->staff.arena, (size_t)crew->staff.count, sizeof *left);
  for (int i = 0; i < crew->staff.count; i++) left[i] = i != member && !crew->members[i].gone;
  for (int i = 0; i < crew->staff.count; i++)
    if (left[i]) ask_to_end(crew, i);
  const int64_t begin = pawl_clock_ns();
  for (int i = 0; i < crew->staff.count; i++)
    if (left[i])
      crew->executor->stop(&crew->staff, &crew->staff.posts[i],
                           PAWL_END_SECONDS - pawl_seconds_since(begin));
}

/* --- requests --- */

pawl_status pawl_crew_send(struct pawl_crew *crew, int member, json_t *request, size_t tag,
                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = request;
  struct pawl_crew_member *to = &crew->members[member];
  PAWL_ASSERT(to->ready && to->pending_count < PAWL_CREW_AHEAD);
  pawl_json_set_int(line, "request", ++crew->last);
  to->pending[to->pending_count++] = (struct pawl_crew_request){.number = crew->last, .tag = tag};
  return pawl_ndjson_append(to->requests, line, err);
}

static struct pawl_crew_request *find_request(struct pawl_crew_member *member, long long number) {
  for (size_t i = 0; i < member->pending_count; i++)
    if (member->pending[i].number == number) return &member->pending[i];
  return NULL;
}

static void forget(struct pawl_crew_member *member, struct pawl_crew_request *request) {
  const size_t at = (size_t)(request - member->pending);
  member->pending_count--;
  memmove(request, request + 1, (member->pending_count - at) * sizeof *request);
}

/* The evaluator must not take it any more. */
static pawl_status ask_to_drop(const struct pawl_crew_member *member,
                               const struct pawl_crew_request *request, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  pawl_json_set_int(line, "drop", request->number);
  return pawl_ndjson_append(member->requests, line, err);
}

pawl_status pawl_crew_withdraw(struct pawl_crew *crew, struct pawl_error *err) {
  for (int i = 0; i < crew->staff.count; i++) {
    struct pawl_crew_member *member = &crew->members[i];
    for (size_t r = 0; r < member->pending_count; r++) {
      struct pawl_crew_request *request = &member->pending[r];
      if (!request->taken && !request->withdrawn) PAWL_TRY(ask_to_drop(member, request, err));
      request->withdrawn = true;
    }
  }
  return PAWL_OK;
}

/* --- lines of an evaluator --- */

const char *pawl_crew_line(const struct pawl_crew *crew, int member) {
  const struct pawl_ndjson *answers = &crew->members[member].answers;
  return pawl_arena_printf(crew->staff.arena, "%s:%zu", answers->path, answers->line);
}

static pawl_status read_ready(struct pawl_crew *crew, int i, json_t *line,
                              struct pawl_crew_event *event, struct pawl_error *err) {
  struct pawl_crew_member *member = &crew->members[i];
  const char *name = pawl_crew_line(crew, i), *node;
  long long next;
  PAWL_TRY(pawl_json_get_int(line, "next", name, 1, &next, err));
  PAWL_TRY(pawl_json_get_string(line, "node", name, "", &node, err));
  if (!json_is_object(json_object_get(line, "ready")) || next < 1 || next > crew->last + 1)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: 'ready' must be an object, and 'next' a number from 1 to %lld", name,
                     crew->last + 1);
  member->next = next;
  member->node = pawl_arena_copy(crew->staff.arena, node);
  member->ready = true;
  member->ready_ns = pawl_clock_ns();
  member->beat.seen_ns = 0;
  *event = (struct pawl_crew_event){.news = PAWL_CREW_READY,
                                    .member = i,
                                    .document = json_incref(json_object_get(line, "ready"))};
  return PAWL_OK;
}

static pawl_status read_answer(struct pawl_crew *crew, int i, struct pawl_crew_request *request,
                               json_t *line, struct pawl_crew_event *event,
                               struct pawl_error *err) {
  json_t *result = json_object_get(line, "result");
  request->taken = true;
  if (!json_is_object(result))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: an answer without 'result'", pawl_crew_line(crew, i));
  *event = (struct pawl_crew_event){
      .news = PAWL_CREW_ANSWER, .member = i, .tag = request->tag, .document = json_incref(result)};
  forget(&crew->members[i], request);
  return PAWL_OK;
}

/* Answers to requests that were given back are late: another evaluator has them. */
static pawl_status read_line(struct pawl_crew *crew, int i, json_t *line,
                             struct pawl_crew_event *event, struct pawl_error *err) {
  struct pawl_crew_member *member = &crew->members[i];
  const char *name = pawl_crew_line(crew, i), *failed;
  long long took, answer, dropped, status;
  if (!json_is_object(line)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no JSON object", name);
  if (json_object_get(line, "ready")) return read_ready(crew, i, line, event, err);
  PAWL_TRY(pawl_json_get_int(line, "took", name, 0, &took, err));
  PAWL_TRY(pawl_json_get_int(line, "answer", name, 0, &answer, err));
  PAWL_TRY(pawl_json_get_int(line, "dropped", name, 0, &dropped, err));
  PAWL_TRY(pawl_json_get_string(line, "failed", name, NULL, &failed, err));
  PAWL_TRY(pawl_json_get_int(line, "status", name, 0, &status, err));
  if (took && find_request(member, took)) find_request(member, took)->taken = true;
  if (dropped && find_request(member, dropped)) forget(member, find_request(member, dropped));
  if (answer && find_request(member, answer))
    PAWL_TRY(read_answer(crew, i, find_request(member, answer), line, event, err));
  if (failed) {
    pawl_crew_dismiss(crew, i);
    *event = (struct pawl_crew_event){.news = PAWL_CREW_FAILED,
                                      .member = i,
                                      .reason = pawl_arena_copy(crew->staff.arena, failed),
                                      .status = (int)status};
  }
  return PAWL_OK;
}

static pawl_status read_lines(struct pawl_crew *crew, int i, struct pawl_crew_event *event,
                              struct pawl_error *err) {
  while (event->news == PAWL_CREW_NOTHING) {
    PAWL_CLEANUP(pawl_json_release) json_t *line = NULL;
    PAWL_TRY(pawl_ndjson_next(&crew->members[i].answers, &line, err));
    if (!line) return PAWL_OK;
    PAWL_TRY(read_line(crew, i, line, event, err));
  }
  return PAWL_OK;
}

/* A file that cannot be read costs its evaluator, and not the search: the others' files are whole.
 */
static void read_answers(struct pawl_crew *crew, int i, struct pawl_crew_event *event) {
  struct pawl_error wrong = {0};
  if (read_lines(crew, i, event, &wrong) != PAWL_OK) pawl_crew_distrust(crew, i, wrong.message);
}

/* --- members that are lost --- */

/* Gives a request back. */
static pawl_status give_back(struct pawl_crew *crew, int i, struct pawl_crew_request *request,
                             const char *reason, struct pawl_crew_event *event,
                             struct pawl_error *err) {
  *event = (struct pawl_crew_event){.news = PAWL_CREW_LOST,
                                    .member = i,
                                    .tag = request->tag,
                                    .taken = request->taken,
                                    .reason = reason};
  PAWL_TRY(ask_to_drop(&crew->members[i], request, err));
  forget(&crew->members[i], request);
  return PAWL_OK;
}

/* The last line that a process wrote before it ended. */
static const char *last_words(struct pawl_crew *crew, int i) {
  const char *path = pawl_arena_printf(crew->staff.arena, "%s/log", crew->staff.posts[i].folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (!pawl_file_exists(path) || pawl_file_read(path, TAIL_LIMIT, &text, &ignored) != PAWL_OK)
    return "";
  while (text.length && text.data[text.length - 1] == '\n') text.data[--text.length] = '\0';
  const char *end = text.length ? strrchr(text.data, '\n') : NULL;
  return text.length ? pawl_arena_printf(crew->staff.arena, ": %.300s", end ? end + 1 : text.data)
                     : "";
}

static pawl_status start_again(struct pawl_crew *crew, int i, struct pawl_error *err) {
  crew->members[i].beat.seen_ns = 0;
  crew->members[i].starts++;
  return crew->executor->start(&crew->staff, i, 1, err);
}

/* Says that a member was lost, once, and sees to it that it comes back. One that cannot is gone:
 * the others go on. */
static pawl_status lose(struct pawl_crew *crew, int i, const char *why, bool for_good,
                        struct pawl_error *err) {
  struct pawl_crew_member *member = &crew->members[i];
  struct pawl_error failure = {0};
  const char *node =
      member->node ? pawl_arena_printf(crew->staff.arena, " on '%s'", member->node) : "";
  member->ready = false;
  member->gone = for_good || member->starts >= MOST_STARTS;
  pawl_log_warning(crew->staff.log, "evaluator %d%s %s%s; %s", i + 1, node, why,
                   for_good ? "" : last_words(crew, i),
                   member->gone ? "the others go on" : "pawl starts it again");
  if (member->gone || start_again(crew, i, &failure) == PAWL_OK) return PAWL_OK;
  member->gone = true;
  if (!pawl_crew_left(crew))
    return pawl_fail(err, failure.code, "%s; the same command with --resume goes on",
                     failure.message);
  pawl_log_warning(crew->staff.log, "%s; the others go on", failure.message);
  return PAWL_OK;
}

/* What the executor and the heart-beats say of a member. */
static pawl_status check_member(struct pawl_crew *crew, int i, struct pawl_error *err) {
  struct pawl_crew_member *member = &crew->members[i];
  struct pawl_post *post = &crew->staff.posts[i];
  if (member->gone) return PAWL_OK;
  if (post->state == PAWL_POST_CANCELLED) return lose(crew, i, "was cancelled", true, err);
  if (post->state == PAWL_POST_ENDED) return lose(crew, i, post->how, false, err);
  /* It was requeued, and says so when it runs again. */
  if (post->state == PAWL_POST_WAITS && crew->staff.looked_ns > member->ready_ns)
    member->ready = false;
  if (!member->ready || pawl_beat_silence(&member->beat) < crew->silence) return PAWL_OK;
  crew->executor->stop(&crew->staff, post, 0);
  return lose(crew, i, pawl_arena_printf(crew->staff.arena, "was silent for %.0f s", crew->silence),
              false, err);
}

/* A member that is not there gives its requests back; one in the place of a lost process gives back
 * what that took. */
static pawl_status find_lost(struct pawl_crew *crew, int i, struct pawl_crew_event *event,
                             struct pawl_error *err) {
  struct pawl_crew_member *member = &crew->members[i];
  for (size_t r = 0; r < member->pending_count; r++) {
    struct pawl_crew_request *request = &member->pending[r];
    if (!member->ready || request->number < member->next)
      return give_back(crew, i, request, "its evaluator was lost", event, err);
  }
  return PAWL_OK;
}

/* While nobody works, the executor may know that nobody will. */
static pawl_status check_wait(struct pawl_crew *crew, struct pawl_error *err) {
  if (!crew->executor->check_wait || pawl_crew_find_ready(crew) >= 0 || !pawl_crew_left(crew))
    return PAWL_OK;
  return crew->executor->check_wait(&crew->staff, err);
}

pawl_status pawl_crew_next(struct pawl_crew *crew, struct pawl_crew_event *event,
                           struct pawl_error *err) {
  *event = (struct pawl_crew_event){.news = PAWL_CREW_NOTHING};
  PAWL_TRY(crew->executor->look(&crew->staff, err));
  for (int k = 0; k < crew->staff.count && event->news == PAWL_CREW_NOTHING; k++) {
    const int i = (crew->turn + k) % crew->staff.count;
    if (!crew->members[i].gone) read_answers(crew, i, event);
    if (event->news == PAWL_CREW_NOTHING) PAWL_TRY(check_member(crew, i, err));
    if (event->news == PAWL_CREW_NOTHING) PAWL_TRY(find_lost(crew, i, event, err));
    if (event->news != PAWL_CREW_NOTHING) crew->turn = i;
  }
  if (event->news != PAWL_CREW_NOTHING) return PAWL_OK;
  PAWL_TRY(check_wait(crew, err));
  pawl_sleep_seconds(LOOK_SECONDS);
  return PAWL_OK;
}

int pawl_crew_find_ready(const struct pawl_crew *crew) {
  for (int i = 0; i < crew->staff.count; i++)
    if (crew->members[i].ready) return i;
  return -1;
}

int pawl_crew_left(const struct pawl_crew *crew) {
  int left = 0;
  for (int i = 0; i < crew->staff.count; i++) left += !crew->members[i].gone;
  return left;
}

bool pawl_crew_is_queued(const struct pawl_crew *crew) {
  bool queued = false;
  for (int i = 0; i < crew->staff.count; i++) {
    if (crew->members[i].gone) continue;
    if (crew->staff.posts[i].state != PAWL_POST_WAITS) return false;
    queued = true;
  }
  return queued;
}

const char *pawl_crew_waits(const struct pawl_crew *crew) {
  const char *how = NULL;
  for (int i = 0; i < crew->staff.count; i++) {
    const struct pawl_post *post = &crew->staff.posts[i];
    if (!crew->members[i].gone && post->state == PAWL_POST_WAITS) how = post->how;
  }
  return how;
}
