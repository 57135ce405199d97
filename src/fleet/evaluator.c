/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/evaluator.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/hex.h"

/* between two looks for requests, at first; ten times as long after a while */
#define LOOK_SECONDS 0.02
#define OFTEN 100 /* looks at first */

/* The last request that was taken here before. */
static pawl_status find_next(struct pawl_evaluator *evaluator, struct pawl_error *err) {
  struct pawl_ndjson reader = {.path = evaluator->answers};
  PAWL_TRY(pawl_ndjson_mend(evaluator->answers, err));
  evaluator->next = 1;
  for (;;) {
    PAWL_CLEANUP(pawl_json_release) json_t *line = NULL;
    long long took;
    PAWL_TRY(pawl_ndjson_next(&reader, &line, err));
    if (!line) return PAWL_OK;
    PAWL_TRY(pawl_json_get_int(line, "took", evaluator->answers, 0, &took, err));
    if (took >= evaluator->next) evaluator->next = took + 1;
  }
}

/* Appends a line of this process, if no other one has its place. */
static pawl_status evaluator_append(struct pawl_evaluator *evaluator, json_t *line,
                                    struct pawl_error *err) {
  if (!pawl_heartbeat_has_place(evaluator->place, evaluator->name)) {
    evaluator->ended = true;
    return pawl_fail(err, PAWL_TRY_AGAIN, "another evaluator took the place of this one in '%s'",
                     evaluator->answers);
  }
  pawl_json_set_string(line, "writer", evaluator->name);
  return pawl_ndjson_append(evaluator->answers, line, err);
}

static pawl_status evaluator_take_place(struct pawl_evaluator *evaluator, struct pawl_error *err) {
  unsigned char bytes[(PAWL_EVALUATOR_NAME - 1) / 2];
  PAWL_TRY(pawl_entropy(bytes, sizeof bytes, err));
  pawl_hex_format(bytes, sizeof bytes, evaluator->name);
  return pawl_file_write(evaluator->place, evaluator->name, strlen(evaluator->name), err);
}

pawl_status pawl_evaluator_open(struct pawl_evaluator *evaluator, const char *folder,
                                struct pawl_error *err) {
  *evaluator = (struct pawl_evaluator){0};
  struct pawl_arena *arena = &evaluator->arena;
  if (!pawl_is_folder(folder))
    return pawl_fail(err, PAWL_NO_INPUT, "no folder '%s': pawl makes it for its evaluators",
                     folder);
  evaluator->requests.path = pawl_arena_printf(arena, "%s/requests.jsonl", folder);
  evaluator->answers = pawl_arena_printf(arena, "%s/answers.jsonl", folder);
  evaluator->place = pawl_arena_printf(arena, "%s/writer", folder);
  PAWL_TRY(evaluator_take_place(evaluator, err));
  PAWL_TRY(find_next(evaluator, err));
  evaluator->heartbeat.path = pawl_arena_printf(arena, "%s/beat", folder);
  evaluator->heartbeat.other.path = pawl_arena_printf(arena, "%s/../beat", folder);
  evaluator->heartbeat.most_silence = PAWL_FLEET_SILENCE;
  evaluator->heartbeat.place = evaluator->place;
  evaluator->heartbeat.name = evaluator->name;
  return pawl_heartbeat_start(&evaluator->heartbeat, err);
}

void pawl_evaluator_close(struct pawl_evaluator *evaluator) {
  if (!evaluator) return;
  pawl_heartbeat_stop(&evaluator->heartbeat);
  for (size_t i = 0; i < evaluator->waiting_count; i++) json_decref(evaluator->waiting[i]);
  pawl_arena_clear(&evaluator->arena);
  *evaluator = (struct pawl_evaluator){0};
}

pawl_status pawl_evaluator_ready(struct pawl_evaluator *evaluator, json_t *about,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  const char *slurm = getenv("SLURMD_NODENAME");
  char node[256] = "";
  gethostname(node, sizeof node - 1);
  pawl_json_set(line, "ready", about);
  pawl_json_set_string(line, "node", slurm && *slurm ? slurm : node);
  pawl_json_set_int(line, "pid", getpid());
  pawl_json_set_int(line, "next", evaluator->next);
  return evaluator_append(evaluator, line, err);
}

/* Says so, unless it was taken before. */
static pawl_status evaluator_drop(struct pawl_evaluator *evaluator, long long number,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  const size_t before = evaluator->waiting_count;
  size_t kept = 0;
  for (size_t i = 0; i < evaluator->waiting_count; i++) {
    json_t *request = evaluator->waiting[i];
    if (json_integer_value(json_object_get(request, "request")) == number)
      json_decref(request);
    else
      evaluator->waiting[kept++] = request;
  }
  evaluator->waiting_count = kept;
  pawl_json_set_int(line, "dropped", number);
  return kept < before ? evaluator_append(evaluator, line, err) : PAWL_OK;
}

pawl_status pawl_evaluator_poll(struct pawl_evaluator *evaluator, struct pawl_error *err) {
  const char *name = evaluator->requests.path;
  if (evaluator->heartbeat.alone) evaluator->ended = true;
  while (!evaluator->ended && evaluator->waiting_count < PAWL_EVALUATOR_MOST) {
    PAWL_CLEANUP(pawl_json_release) json_t *line = NULL;
    long long number, dropped;
    PAWL_TRY(pawl_ndjson_next(&evaluator->requests, &line, err));
    if (!line) return PAWL_OK;
    PAWL_TRY(pawl_json_get_bool(line, "end", name, false, &evaluator->ended, err));
    PAWL_TRY(pawl_json_get_int(line, "drop", name, 0, &dropped, err));
    PAWL_TRY(pawl_json_get_int(line, "request", name, 0, &number, err));
    if (dropped) PAWL_TRY(evaluator_drop(evaluator, dropped, err));
    if (number >= evaluator->next)
      evaluator->waiting[evaluator->waiting_count++] = json_incref(line);
  }
  return PAWL_OK;
}

pawl_status pawl_evaluator_wait(struct pawl_evaluator *evaluator, struct pawl_error *err) {
  for (int looks = 0;; looks++) {
    PAWL_TRY(pawl_evaluator_poll(evaluator, err));
    if (evaluator->waiting_count || evaluator->ended) return PAWL_OK;
    pawl_sleep_seconds(looks < OFTEN ? LOOK_SECONDS : 10 * LOOK_SECONDS);
  }
}

pawl_status pawl_evaluator_take(struct pawl_evaluator *evaluator, size_t place, json_t **request,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  json_t **taken = &evaluator->waiting[place];
  PAWL_ASSERT(place < evaluator->waiting_count);
  pawl_json_set(line, "took", json_incref(json_object_get(*taken, "request")));
  PAWL_TRY(evaluator_append(evaluator, line, err));
  *request = *taken;
  evaluator->waiting_count--;
  memmove(taken, taken + 1, (evaluator->waiting_count - place) * sizeof *taken);
  return PAWL_OK;
}

pawl_status pawl_evaluator_answer(struct pawl_evaluator *evaluator, const json_t *request,
                                  json_t *result, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  pawl_json_set(line, "answer", json_incref(json_object_get(request, "request")));
  pawl_json_set(line, "result", result);
  return evaluator_append(evaluator, line, err);
}

pawl_status pawl_evaluator_fail(struct pawl_evaluator *evaluator, const struct pawl_error *why,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *line = json_object();
  pawl_json_set_string(line, "failed", why->message);
  pawl_json_set_int(line, "status", why->code);
  return evaluator_append(evaluator, line, err);
}
