/* SPDX-License-Identifier: Apache-2.0 */
/* pawl import FORMAT FILE... [--commit REV] [--branch NAME] */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build/git.h"
#include "cli/history_open.h"
#include "import/import.h"

/* Points go straight into the store. */
struct import_target {
  struct pawl_store *store;
  struct pawl_history_run run;
  struct pawl_arena *arena;
  bool added; /* the run was not there before */
  size_t runs, known, points;
};

static enum pawl_status_code take_run(void *context, const struct pawl_history_run *run,
                                      struct pawl_error *err) {
  struct import_target *target = context;
  target->run = *run;
  if (run->commit && !run->subject) { /* the repository may know it */
    const struct pawl_git_commit facts = pawl_git_commit_facts(".", run->commit, target->arena);
    target->run.subject = facts.subject;
    if (facts.time >= 0) target->run.commit_time = facts.time;
  }
  PAWL_TRY(pawl_store_add(target->store, &target->run, &target->added, err));
  ++*(target->added ? &target->runs : &target->known);
  return PAWL_OK;
}

static enum pawl_status_code take_point(void *context, const struct pawl_history_point *point,
                                        struct pawl_error *err) {
  struct import_target *target = context;
  if (!target->added) return PAWL_OK;
  target->points++;
  return pawl_store_add_point(target->store, &target->run, point, err);
}

static pawl_status feed_text(const struct pawl_importer *importer, pawl_feed_read *read,
                             const char *path, const char *text, size_t length,
                             const struct pawl_history_run *defaults, struct import_target *target,
                             struct pawl_error *err) {
  struct pawl_feed feed = {.text = {path, text, length},
                           .format = importer->name,
                           .defaults = defaults,
                           .sink = {target, take_run, take_point}};
  PAWL_TRY(pawl_store_begin(target->store, err));
  const enum pawl_status_code status = pawl_store_end(target->store, read(&feed, err), err);
  pawl_arena_clear(&feed.arena);
  pawl_arena_clear(&feed.point);
  return status;
}

/* A large file is mapped: the memory that pawl takes does not grow with it. */
static pawl_status import_file(const struct pawl_importer *importer, const char *path,
                               const struct pawl_history_run *defaults,
                               struct import_target *target, struct pawl_error *err) {
  struct pawl_history_run run = *defaults;
  struct stat info;
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info)) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  run.time = (long long)info.st_mtime;
  if (S_ISDIR(info.st_mode) && importer->feed_folder)
    return feed_text(importer, importer->feed_folder, path, "", 0, &run, target, err);
  if (!S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a regular file", path);
  if (!info.st_size) return pawl_fail(err, PAWL_BAD_DATA, "%s:1: the file is empty", path);
  const size_t length = (size_t)info.st_size;
  void *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text == MAP_FAILED) return pawl_fail_errno(err, errno, "cannot read '%s'", path);
  const enum pawl_status_code status =
      feed_text(importer, importer->feed, path, text, length, &run, target, err);
  munmap(text, length);
  return status;
}

static pawl_status find_format(const char *name, const struct pawl_importer **out,
                               struct pawl_error *err) {
  const char *names[32];
  size_t count = 0;
  *out = pawl_importer_find(name);
  if (*out && !(*out)->feed)
    return pawl_fail(err, PAWL_USAGE,
                     "the format '%s' is for kernels with 'parse: %s', not for the history", name,
                     name);
  if (*out) return PAWL_OK;
  for (size_t i = 0; i < pawl_importer_count; i++)
    if (pawl_importers[i].feed) names[count++] = pawl_importers[i].name;
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no format '%s'; did you mean '%s'?", name, nearest);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  for (size_t i = 0; i < count; i++) pawl_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
  pawl_text_add(&known, "; for kernels with 'parse:' alone");
  for (size_t i = 0, others = 0; i < pawl_importer_count; i++)
    if (!pawl_importers[i].feed)
      pawl_text_printf(&known, "%s %s", others++ ? "," : "", pawl_importers[i].name);
  return pawl_fail(err, PAWL_USAGE, "no format '%s'; the formats are %s", name,
                   pawl_text_string(&known));
}

/* --commit: of files that do not name theirs. */
static pawl_status find_commit(struct pawl_cli *cli, const char *revision,
                               struct pawl_history_run *run, struct pawl_error *err) {
  if (!revision) return PAWL_OK;
  PAWL_TRY(pawl_git_resolve(".", revision, &cli->arena, &run->commit, err));
  const struct pawl_git_commit facts = pawl_git_commit_facts(".", run->commit, &cli->arena);
  run->commit_time = facts.time;
  run->subject = facts.subject;
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_import(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *commit = NULL, *branch = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--commit", &commit, "REV",
       "the commit that was measured, if the file does not name it", 0, 0},
      {PAWL_OPTION_STRING, "--branch", &branch, "NAME", "the branch, if the file does not name it",
       0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 2, -1, &done, err));
  if (done) return PAWL_OK;
  const struct pawl_importer *importer;
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  defaults.branch = branch;
  PAWL_TRY(find_format(argv[0], &importer, err));
  PAWL_TRY(find_commit(cli, commit, &defaults, err));
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  const bool is_run = !strcmp(importer->name, "run");
  for (int i = 1; i < argc; i++) {
    struct import_target target = {.store = store, .arena = &cli->arena};
    PAWL_CLEANUP(pawl_free_pointer)
    char *inside = pawl_path_join(argv[i], "verdict.json"); /* of a run's folder */
    PAWL_TRY(import_file(importer, is_run && pawl_is_folder(argv[i]) ? inside : argv[i], &defaults,
                         &target, err));
    pawl_log_info(&cli->log, "%s: added %zu points of %zu runs; %zu runs were there before",
                  argv[i], target.points, target.runs, target.known);
  }
  return PAWL_OK;
}
