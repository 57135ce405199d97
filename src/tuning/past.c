/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/past.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/hash.h"
#include "tune/insight.h"

#define FILE_LIMIT ((size_t)256 << 20)

/* The file of this kernel and these cases. The code, the hardware and the values of the
   parameters may differ. */
static const char *kept_path(const struct pawl_tuning *tuning) {
  struct pawl_project *project = tuning->project;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cases = {0};
  char hash[PAWL_HASH_TEXT];
  for (size_t i = 0; i < tuning->config_count; i++) {
    pawl_text_printf(&cases, "%s:", tuning->configs[i]->name);
    pawl_case_key(tuning->configs[i], &cases);
    pawl_text_add(&cases, ";");
  }
  pawl_hash_format(pawl_hash_bytes(cases.data, cases.length), hash);
  return pawl_arena_printf(&project->arena, "%s/tuned/%s-%.16s.json", project->paths.cache_folder,
                           tuning->spec->name, hash);
}

static const char *past_own_path(const struct pawl_tuning *tuning, const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(tuning->options->folder, name);
  return pawl_arena_copy(&tuning->project->arena, path);
}

/* --- the beginning --- */

static pawl_status use(struct pawl_tuning *tuning, const char *path, struct pawl_error *err) {
  struct pawl_tune_prior prior;
  PAWL_TRY(pawl_tune_prior_read(path, &tuning->space, tuning->spec, &tuning->project->arena, &prior,
                                err));
  PAWL_TRY(pawl_file_read(path, FILE_LIMIT, &tuning->prior_text, err));
  tuning->prior = prior;
  pawl_tune_prior_use(&prior, &tuning->search);
  return PAWL_OK;
}

/* The file may belong to a space with other parameters, or be damaged. Then the search begins
   without a prior. */
static void use_kept(struct pawl_tuning *tuning) {
  struct pawl_log *log = tuning->project->options.log;
  struct pawl_error error = {0};
  const char *path = kept_path(tuning), *name = tuning->spec->name;
  if (!pawl_file_exists(path)) return;
  if (use(tuning, path, &error) != PAWL_OK) {
    pawl_log_info(log, "tuning begins anew, because the earlier search of '%s' does not help: %s",
                  name, error.message);
    return;
  }
  const size_t count = tuning->prior.known_count;
  pawl_log_info(
      log, "tuning begins with %zu time%s of an earlier search of '%s'; --prior none begins anew",
      count, count == 1 ? "" : "s", name);
}

pawl_status pawl_tuning_read_prior(struct pawl_tuning *tuning, struct pawl_error *err) {
  const char *given = tuning->options->prior, *own = past_own_path(tuning, PAWL_TUNE_PRIOR);
  struct pawl_error ignored = {0}; /* the journal has a better message about it */
  tuning->goes_on =
      tuning->options->resume && pawl_file_exists(past_own_path(tuning, PAWL_TUNE_JOURNAL));
  if (tuning->goes_on && pawl_file_exists(own)) {
    if (given)
      pawl_log_info(tuning->project->options.log,
                    "--prior is left out: a search that goes on keeps what it began with");
    if (use(tuning, own, &ignored) != PAWL_OK)
      pawl_log_detail(tuning->project->options.log, "%s", ignored.message);
    return PAWL_OK;
  }
  if (given) return strcmp(given, PAWL_TUNE_NO_PRIOR) ? use(tuning, given, err) : PAWL_OK;
  if (!tuning->goes_on) use_kept(tuning);
  return PAWL_OK;
}

void pawl_tuning_name_prior(const struct pawl_tuning *tuning, json_t *identity) {
  const struct pawl_tune_prior *prior = &tuning->prior;
  json_t *first = json_array();
  for (size_t i = 0; i < prior->first_count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
    pawl_space_key(&tuning->space, prior->first[i], &key);
    json_array_append_new(first, json_string(pawl_text_string(&key)));
  }
  pawl_json_set(identity, "prior", first);
  if (!prior->known_count) return;
  char known[PAWL_HASH_TEXT];
  pawl_hash_format(pawl_hash_bytes(prior->known, prior->known_count * sizeof *prior->known), known);
  pawl_json_set_string(identity, "prior_times", known);
}

pawl_status pawl_tuning_save_prior(const struct pawl_tuning *tuning, struct pawl_error *err) {
  const char *own = past_own_path(tuning, PAWL_TUNE_PRIOR);
  if (tuning->goes_on) return PAWL_OK;
  PAWL_TRY(pawl_file_clear_place(own, err));
  if (tuning->prior_text.length)
    return pawl_file_write(own, tuning->prior_text.data, tuning->prior_text.length, err);
  if (unlink(own) && errno != ENOENT) return pawl_fail_errno(err, errno, "cannot remove '%s'", own);
  return PAWL_OK;
}

/* --- the end --- */

static bool past_has_text(const json_t *document, const char *key, const char *text) {
  const char *value = json_string_value(json_object_get(document, key));
  return value && !strcmp(value, text);
}

/* Returns whether a tune.json is the result of this journal's search: another search may have ended
 * in the folder. */
static bool past_is_result(const struct pawl_tuning *tuning, const json_t *document) {
  const struct pawl_tune *tune = &tuning->tune;
  struct pawl_tune_code code;
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)tune->seed);
  pawl_tune_code_from_json(json_object_get(document, "code"), &tuning->project->arena, &code);
  return past_has_text(document, "kernel_name", tune->kernel_name) &&
         past_has_text(document, "case", tune->case_name) &&
         past_has_text(document, "hardware", tune->hardware) &&
         past_has_text(document, "strategy", tune->strategy) &&
         past_has_text(document, "seed", seed) && !pawl_tune_code_changed(&code, &tune->code) &&
         json_array_size(json_object_get(document, "candidates")) == tuning->journal.count;
}

bool pawl_tuning_take_end(struct pawl_tuning *tuning) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  struct pawl_tune *tune = &tuning->tune;
  struct pawl_error ignored = {0};
  if (!tuning->journal.finished ||
      pawl_json_read(past_own_path(tuning, PAWL_TUNE_RESULT), &document, &ignored) != PAWL_OK)
    return false;
  const json_t *budget = json_object_get(document, "budget_s");
  const char *conclusion = json_string_value(json_object_get(document, "conclusion"));
  const bool more =
      tuning->options->budget_given && json_number_value(budget) < tuning->options->budget_seconds;
  if (more || !conclusion || !json_is_true(json_object_get(document, "finished")) ||
      !past_is_result(tuning, document))
    return false;
  pawl_clean_text(conclusion, false, &clean);
  tune->conclusion = pawl_arena_copy(&tuning->project->arena, pawl_text_string(&clean));
  tune->recommended = json_is_true(json_object_get(document, "recommended"));
  tune->decided = tune->finished = tune->ended_before = true;
  return true;
}

pawl_status pawl_tuning_write_end(struct pawl_tuning *tuning, double seconds,
                                  struct pawl_error *err) {
  PAWL_TRY(pawl_file_remove_old(past_own_path(tuning, PAWL_TUNE_RESULT), err));
  return pawl_tune_journal_finish(&tuning->journal, seconds, err);
}

/* The number of its times that the next search could use; 0 if the parameters differ. */
static size_t count_kept(const struct pawl_tuning *tuning, const char *path) {
  struct pawl_tune_prior prior;
  struct pawl_error ignored = {0};
  if (!pawl_file_exists(path)) return 0;
  return pawl_tune_prior_read(path, &tuning->space, NULL, &tuning->project->arena, &prior,
                              &ignored) == PAWL_OK
             ? prior.known_count
             : 0;
}

/* The same number for the result of this search. */
static size_t count_found(const struct pawl_tune *tune) {
  size_t count = 0;
  if (!pawl_tune_count_timed(tune)) return 0;
  for (size_t i = 0; i < tune->count; i++)
    count += isfinite(pawl_tune_ratio(&tune->candidates[i])) ? 1 : 0;
  return count;
}

static pawl_status keep(const struct pawl_tuning *tuning, struct pawl_error *err) {
  const char *kept = kept_path(tuning), *cache = tuning->project->paths.cache_folder;
  const size_t count = count_found(&tuning->tune);
  if (!count || 2 * count < count_kept(tuning, kept)) return PAWL_OK;
  PAWL_TRY(pawl_make_folders(pawl_arena_printf(&tuning->project->arena, "%s/tuned", cache), err));
  PAWL_TRY(pawl_file_clear_place(kept, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_tune_to_json(&tuning->tune);
  return pawl_json_write(kept, document, false, err);
}

void pawl_tuning_store(const struct pawl_tuning *tuning) {
  struct pawl_error error = {0};
  if (keep(tuning, &error) == PAWL_OK) return;
  pawl_log_warning(tuning->project->options.log, "pawl does not keep this search for the next: %s",
                   error.message);
}
