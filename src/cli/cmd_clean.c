/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/history_open.h"
#include "suite/read.h"

#define SQLITE "sqlite:"

static pawl_status clean_path(struct pawl_cli *cli, const char *folder, const char *name,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  if (!pawl_file_exists(path)) return PAWL_OK;
  PAWL_TRY(pawl_remove_tree(path, err));
  pawl_log_info(&cli->log, "removed %s", path);
  return PAWL_OK;
}

/* Removes what a folder has. The names with the prefix stay, or only they go. The file .gitignore
   stays with them. */
static pawl_status clean_inside(const char *folder, const char *prefix, bool stay,
                                struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  DIR *entries = opendir(folder);
  if (!entries) return pawl_fail_errno(err, errno, "cannot open '%s'", folder);
  for (const struct dirent *entry; status == PAWL_OK && (entry = readdir(entries));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (!strcmp(entry->d_name, ".gitignore")) continue;
    const bool has_prefix = !strncmp(entry->d_name, prefix, strlen(prefix));
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entry->d_name);
    if (has_prefix != stay) status = pawl_remove_tree(path, err);
  }
  closedir(entries);
  return status;
}

/* Sets *runs to the number of runs in the history; 0: there is none. */
static pawl_status count_runs(struct pawl_cli *cli, size_t *runs, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  int64_t *ids;
  *runs = 0;
  PAWL_TRY(pawl_history_open_kept(cli, &store, err));
  return store ? pawl_store_runs(store, &cli->arena, &ids, runs, err) : PAWL_OK;
}

/* Removes .pawl. The history in it stays unless the user names it. */
static pawl_status clean_all(struct pawl_cli *cli, const struct pawl_suite *suite, bool history,
                             struct pawl_error *err) {
  const bool is_file = pawl_starts_with(suite->store, SQLITE);
  const char *file = is_file ? suite->store + strlen(SQLITE) : "";
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite->folder, file);
  PAWL_CLEANUP(pawl_free_pointer) char *kept = pawl_path_folder(path);
  PAWL_CLEANUP(pawl_free_pointer) char *cache = pawl_path_join(suite->folder, ".pawl");
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const bool inside = is_file && !strcmp(kept, cache);
  const char *number = "";
  size_t runs = 0;
  struct pawl_error unread = {0};
  if (is_file && pawl_file_exists(path)) {
    const bool counted = count_runs(cli, &runs, &unread) == PAWL_OK;
    number = counted ? pawl_arena_printf(&cli->arena, "%zu run%s", runs, runs == 1 ? "" : "s")
                     : "unreadable";
  }
  if (!inside || history || !*number)
    PAWL_TRY(clean_path(cli, suite->folder, ".pawl", err));
  else
    PAWL_TRY(clean_inside(cache, name, true, err));
  if (!*number) return PAWL_OK;
  if (history && !inside) PAWL_TRY(clean_inside(kept, name, false, err));
  pawl_log_info(&cli->log,
                history
                    ? "removed the history '%s': %s"
                    : "removed the caches, and kept the history '%s': %s; --history removes it too",
                path, number);
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_clean(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  bool all = false, history = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--all", &all, NULL, "remove the compiler cache and the oracle cache too"},
      {PAWL_OPTION_FLAG, "--history", &history, NULL,
       "with --all: remove the history of all runs too, if it is a file"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if (history && !all) return pawl_fail(err, PAWL_USAGE, "'--history' needs '--all'");
  /* Reading the suite proves that this is its folder. pawl cleans no other. */
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  static const char *const names[] = {".pawl/build", ".pawl/worktrees", "perf/out"};
  for (size_t i = 0; i < PAWL_COUNT(names); i++)
    PAWL_TRY(clean_path(cli, suite.folder, names[i], err));
  return all ? clean_all(cli, &suite, history, err) : PAWL_OK;
}
