/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/search_replay.h"

#include <math.h>

#include "base/file.h"
#include "base/hash.h"
#include "model/fields.h"
#include "tune/journal.h"
#include "tune/prior.h"

/* Identifies the prior by its bytes: another file at the same path leads to other questions. */
static pawl_status name_prior(json_t *identity, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  char hash[PAWL_HASH_TEXT];
  pawl_json_set_string(identity, "prior", path);
  if (!path) return PAWL_OK;
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  pawl_hash_format(pawl_hash_bytes(text.data, text.length), hash);
  pawl_json_set_string(identity, "prior_hash", hash);
  return PAWL_OK;
}

static json_t *identity_of(const struct pawl_tune_record *record,
                           const struct pawl_tune_replay_options *options) {
  json_t *object = json_object();
  pawl_json_set_string(object, "kernel_name", record->kernel_name);
  pawl_json_set_string(object, "device_name", record->device_name);
  pawl_json_set_int(object, "configurations", (long long)record->space.count);
  pawl_tune_journal_name_strategy(object, options->strategy);
  pawl_json_set_int(object, "batch", (long long)options->batch);
  if (options->batch > 1) /* earlier versions had no short first batch */
    pawl_json_set_bool(object, "short_first_batch", true);
  pawl_json_set(object, "seed", pawl_seed_to_json(options->seed, true));
  pawl_json_set_string(object, "current", options->current);
  return object;
}

static pawl_status open_journal(const struct pawl_tune_record *record,
                                const struct pawl_tune_replay_options *options,
                                struct pawl_arena *arena, struct pawl_tune_journal *journal,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *identity = identity_of(record, options);
  if (!options->folder) return PAWL_OK;
  PAWL_TRY(name_prior(identity, options->prior, err));
  PAWL_TRY(pawl_make_folders(options->folder, err));
  const char *path = pawl_arena_printf(arena, "%s/" PAWL_TUNE_JOURNAL, options->folder);
  return pawl_tune_journal_open(journal, path, identity, options->resume, arena, err);
}

/* A replay in progress. */
struct replay_run {
  const struct pawl_tune_record *record;
  const struct pawl_tune_replay_options *options;
  struct pawl_search *search;
  struct pawl_tune_journal *journal;
  struct pawl_tune_replay *replay;
  /* timed before any question, as in a search of a kernel; PAWL_NO_CONFIGURATION: none */
  size_t current;
  size_t done; /* evaluations so far */
};

/* Records an evaluation, unless the journal has it. */
static pawl_status search_replay_note(const struct replay_run *run, size_t index, size_t open,
                                      struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  const double time = run->record->times[index];
  if (!run->options->folder) return PAWL_OK;
  pawl_space_key(&run->record->space, index, &key);
  if (pawl_tune_journal_find(run->journal, pawl_text_string(&key))) return PAWL_OK;
  const struct pawl_tune_entry entry = {
      .candidate = {.key = pawl_text_string(&key),
                    .outcome = time > 0 ? PAWL_OUTCOME_OK : PAWL_OUTCOME_CRASHED,
                    .reason = time > 0 ? NULL : "it failed in the record",
                    .median_ms = time,
                    .base_ms = NAN,
                    .checked = time > 0},
      .open = open};
  return pawl_tune_journal_add(run->journal, &entry, err);
}

static pawl_status answer(struct replay_run *run, size_t index, size_t open,
                          struct pawl_error *err) {
  struct pawl_tune_replay *replay = run->replay;
  const size_t before = run->search->best;
  const double time = run->record->times[index];
  PAWL_TRY(search_replay_note(run, index, open, err));
  pawl_search_tell(run->search, index, time);
  run->done++;
  if (isnan(time)) replay->failed++;
  if (run->search->best != before)
    replay->steps[replay->step_count++] = (struct pawl_tune_step){run->done, index, time};
  return PAWL_OK;
}

/* The number of questions before the next answers, as in a search that builds several at once.
   The first batch has only questions that do not depend on any answer. */
static size_t next_batch(const struct replay_run *run) {
  const size_t batch = run->options->batch, given = run->current != PAWL_NO_CONFIGURATION;
  const size_t first = run->done > given ? batch : pawl_search_first(run->search);
  return first < batch ? first : batch;
}

static pawl_status answer_all(struct replay_run *run, struct pawl_error *err) {
  struct pawl_search *search = run->search;
  if (run->current != PAWL_NO_CONFIGURATION) PAWL_TRY(answer(run, run->current, 1, err));
  while (run->done < run->replay->evaluations) {
    const size_t batch = next_batch(run);
    while (search->held_count < batch && run->done + search->held_count < run->replay->evaluations)
      pawl_search_hold(search, pawl_search_next(search));
    while (search->held_count) {
      pawl_search_order(search, search->held, search->held_count);
      PAWL_TRY(answer(run, search->held[0], search->held_count, err));
    }
  }
  return run->options->folder ? pawl_tune_journal_finish(run->journal, 0, err) : PAWL_OK;
}

static pawl_status find_current(const struct pawl_tune_record *record, const char *current,
                                size_t *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text like = {0};
  *out = current ? pawl_space_find_key(&record->space, current) : PAWL_NO_CONFIGURATION;
  if (!current || *out != PAWL_NO_CONFIGURATION) return PAWL_OK;
  pawl_space_key(&record->space, 0, &like);
  return pawl_fail(err, PAWL_USAGE,
                   "'--current %s' is no configuration of the recorded space; write it like '%s'",
                   current, pawl_text_string(&like));
}

static pawl_status search_replay_suggest(const struct pawl_tune_record *record,
                                         const struct pawl_tune_replay_options *options,
                                         struct pawl_arena *arena, struct pawl_search *search,
                                         struct pawl_error *err) {
  struct pawl_tune_prior prior;
  if (!options->prior) return PAWL_OK;
  PAWL_TRY(pawl_tune_prior_read(options->prior, &record->space, NULL, arena, &prior, err));
  pawl_tune_prior_use(&prior, search);
  return PAWL_OK;
}

pawl_status pawl_tune_replay_run(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay_options *options,
                                 struct pawl_arena *arena, struct pawl_tune_replay *out,
                                 struct pawl_error *err) {
  struct pawl_search search;
  struct pawl_tune_journal journal = {.fd = -1};
  const size_t count = record->space.count, asked = options->evaluations;
  size_t current;
  const size_t limit = asked && asked < count ? asked : count;
  PAWL_TRY(find_current(record, options->current, &current, err));
  PAWL_TRY(pawl_search_init(&search, &record->space, options->strategy, options->seed, err));
  struct pawl_tune_replay replay = {
      .strategy = search.strategy->name, .seed = options->seed, .evaluations = limit};
  replay.steps = pawl_arena_alloc(arena, limit, sizeof *replay.steps);
  enum pawl_status_code status = search_replay_suggest(record, options, arena, &search, err);
  if (status == PAWL_OK) status = open_journal(record, options, arena, &journal, err);
  struct replay_run run = {record, options, &search, &journal, &replay, current, 0};
  if (status == PAWL_OK) status = answer_all(&run, err);
  pawl_tune_journal_release(&journal);
  pawl_search_release(&search);
  if (status == PAWL_OK) *out = replay;
  return status;
}

static json_t *step_to_json(const struct pawl_tune_record *record,
                            const struct pawl_tune_step *step) {
  json_t *object = json_object(), *params = json_object();
  pawl_json_set_int(object, "evaluations", (long long)step->evaluations);
  pawl_json_set_number(object, "time_ms", step->time);
  pawl_json_set_number(object, "over_optimum", step->time / record->best);
  for (size_t i = 0; i < record->space.axis_count; i++)
    pawl_json_set_string(params, record->space.axes[i].name,
                         pawl_space_value(&record->space, step->index, i));
  pawl_json_set(object, "params", params);
  return object;
}

json_t *pawl_tune_replay_to_json(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay *replay) {
  json_t *object = json_object(), *steps = json_array();
  pawl_json_set_int(object, "schema_version", 1);
  pawl_json_set_string(object, "kernel_name", record->kernel_name);
  pawl_json_set_string(object, "device_name", record->device_name);
  pawl_json_set_int(object, "configurations", (long long)record->space.count);
  pawl_json_set_number(object, "optimum_ms", record->best);
  pawl_json_set_string(object, "strategy", replay->strategy);
  pawl_json_set(object, "seed", pawl_seed_to_json(replay->seed, true));
  pawl_json_set_int(object, "evaluations", (long long)replay->evaluations);
  pawl_json_set_int(object, "failed", (long long)replay->failed);
  for (size_t i = 0; i < replay->step_count; i++)
    json_array_append_new(steps, step_to_json(record, &replay->steps[i]));
  pawl_json_set(object, "best_found", steps);
  return object;
}
