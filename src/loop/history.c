/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/history.h"

#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "store/ancestry.h"
#include "store/store.h"

#define WAITING ".pawl/waiting"
#define ENDING ".ndjson"
#define FILE_LIMIT ((size_t)256 << 20) /* bytes */

static void add_git(const struct pawl_suite *suite, struct pawl_arena *arena,
                    struct pawl_history_run *run) {
  if (!run->commit) return;
  const struct pawl_git_commit facts = pawl_git_commit_facts(suite->folder, run->commit, arena);
  run->commit_time = facts.time;
  run->subject = facts.subject;
  run->branch = pawl_git_branch(suite->folder, arena);
}

/* Writes a run that the history cannot take now into .pawl/waiting of the suite. */
static pawl_status write_aside(const struct pawl_suite *suite, const struct pawl_history_run *run,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(suite->folder, WAITING);
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_history_run_to_json(run);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_json_write_text(document, true, &text);
  pawl_text_printf(&path, "%s/%s" ENDING, folder, run->id);
  PAWL_TRY(pawl_make_folders(folder, err));
  return pawl_file_write(path.data, text.data, text.length, err);
}

static pawl_status take_in(struct pawl_store *store, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  enum pawl_status_code status = pawl_file_read(path, FILE_LIMIT, &text, err);
  if (status == PAWL_OK)
    status = pawl_json_parse(text.data, text.length, path, false, &document, err);
  if (status == PAWL_OK) status = pawl_history_run_from_json(document, path, &arena, &run, err);
  if (status == PAWL_OK) status = pawl_store_add(store, &run, NULL, err);
  if (status == PAWL_OK) status = pawl_file_remove_old(path, err);
  pawl_arena_clear(&arena);
  return status;
}

/* Adds the runs that wait, and removes their files. A file that the history refuses stays, with a
 * warning. */
static void take_in_waiting(const struct pawl_suite *suite, struct pawl_store *store,
                            struct pawl_log *log) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(suite->folder, WAITING);
  DIR *entries = opendir(folder);
  size_t taken = 0;
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entry->d_name);
    struct pawl_error err = {0};
    if (*entry->d_name == '.' || !pawl_ends_with(entry->d_name, ENDING)) continue;
    if (take_in(store, path, &err) == PAWL_OK)
      taken++;
    else
      pawl_log_warning(log, "the history did not take in '%s': %s", path, err.message);
  }
  if (entries) closedir(entries);
  if (taken) pawl_log_info(log, "the history took in %zu runs that waited", taken);
}

/* Deletes runs that are older than the suite's limits. */
static void retain(const struct pawl_suite *suite, struct pawl_store *store, int64_t now,
                   struct pawl_log *log) {
  struct pawl_pruned pruned;
  struct pawl_error err = {0};
  if (!suite->retention_days) return;
  if (pawl_store_retain(store, now, suite->retention_days, &pruned, &err) != PAWL_OK)
    pawl_log_warning(log, "pawl did not remove old samples from the history: %s", err.message);
  else if (pruned.points)
    pawl_log_info(log,
                  "removed the samples of %lld points of the history that are older than %d days",
                  (long long)pruned.points, suite->retention_days);
}

static pawl_status keep(const struct pawl_suite *suite, struct pawl_history_run *run,
                        struct pawl_log *log, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  PAWL_TRY(pawl_store_open(suite->store, suite->folder, log, &store, err));
  PAWL_TRY(pawl_store_add(store, run, NULL, err));
  take_in_waiting(suite, store, log);
  pawl_store_learn(store, suite->folder);
  retain(suite, store, run->time, log);
  return PAWL_OK;
}

/* A run that the history cannot take now waits for the next one. */
static void set_aside(const struct pawl_suite *suite, const struct pawl_history_run *run,
                      const struct pawl_error *why, struct pawl_log *log) {
  struct pawl_error err = {0};
  if (write_aside(suite, run, &err) == PAWL_OK)
    pawl_log_warning(log,
                     "pawl did not keep this run in the history: %s; it waits in .pawl/waiting, "
                     "and the next run adds it",
                     why->message);
  else
    pawl_log_warning(log, "pawl did not keep this run in the history: %s; nor aside: %s",
                     why->message, err.message);
}

void pawl_loop_add_to_history(const struct pawl_suite *suite, const struct pawl_run_report *report,
                              const char *folder, const char *source, bool changed,
                              struct pawl_log *log) {
  if (!strcmp(suite->store, PAWL_STORE_NONE) || !report->results->count) return;
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  struct pawl_error err = {0};
  const enum pawl_status_code status =
      pawl_history_of_report(report, folder, source, &arena, owner, &run, &err);
  if (status == PAWL_OK) {
    run.dirty = run.dirty || changed;
    add_git(suite, &arena, &run);
    if (keep(suite, &run, log, &err) != PAWL_OK) set_aside(suite, &run, &err, log);
  } else {
    pawl_log_warning(log, "pawl did not keep this run in the history: %s", err.message);
  }
  pawl_arena_clear(&arena);
}
