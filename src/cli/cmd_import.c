/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "build/git.h"
#include "cli/command.h"
#include "cli/history_open.h"
#include "import/import.h"
#include "process/process.h"
#include "store/ancestry.h"

/* --- a definition --- */

/* `pawl import definition FILE [WORKLOADS...]`: an operator and cases from the definition of a
 * kernel benchmark. Its JSON holds a reference in Python, so share/pawl/python/pawl_definition.py
 * does the work. */

#define DEFINITION "definition"

#define SECONDS 60.0
#define ANSWER_LIMIT ((size_t)16 << 20)

/* Prints each line of the script's warnings and returns the last one, the reason of a failure. */
static const char *take_warnings(struct pawl_cli *cli, char *lines) {
  static const char warning[] = "warning: ";
  const char *last = "no reason";
  for (char *line = lines, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end) *end++ = '\0';
    if (pawl_starts_with(line, warning))
      pawl_log_warning(&cli->log, "%s", line + sizeof warning - 1);
    else
      last = line;
  }
  return last;
}

static enum pawl_status_code code_of_status(int status) {
  return status == PAWL_NO_INPUT || status == PAWL_CANNOT_WRITE ? (enum pawl_status_code)status
                                                                : PAWL_BAD_DATA;
}

/* Writes the operator, and the suite if there is none. `files` ends with NULL. */
static pawl_status import_definition(struct pawl_cli *cli, char *const *files,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text printed = {0}, warnings = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_free_pointer) char *python = pawl_process_find("python3");
  struct pawl_words argv = {0};
  struct pawl_exit how = {0};
  if (!python)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "'import definition' needs python3, which is not on PATH");
  pawl_words_add(&argv, &cli->arena, python);
  pawl_words_add(&argv, &cli->arena,
                 pawl_arena_printf(&cli->arena, "%s/share/pawl/python/pawl_definition.py", home));
  for (size_t i = 0; files[i]; i++) pawl_words_add(&argv, &cli->arena, files[i]);
  const struct pawl_process_options options = {.argv = argv.items,
                                               .die_with_parent = true,
                                               .kill_descendants = true,
                                               .fds = {-1, -1, -1},
                                               .fd_count = 3};
  PAWL_TRY(pawl_process_run(&options, SECONDS, ANSWER_LIMIT, &printed, &warnings, &how, err));
  const char *reason =
      take_warnings(cli, pawl_arena_copy(&cli->arena, pawl_text_string(&warnings)));
  if (how.status != 0) return pawl_fail(err, code_of_status(how.status), "%s", reason);
  pawl_cli_print(pawl_text_string(&printed));
  return PAWL_OK;
}

/* --- the command --- */

#define WHOLE_COMMIT 40 /* digits */

/* The command line's values: `defaults` fill in what a file lacks. */
struct import_settings {
  struct pawl_history_run defaults;
  enum pawl_better better;
  bool replaces;        /* the runs of the commit `replaced` go */
  const char *replaced; /* NULL: they have no commit */
};

/* The importer writes points straight into the store. */
struct import_target {
  struct pawl_store *store;
  struct pawl_history_run run;
  struct pawl_arena *arena;
  struct pawl_log *log;
  struct pawl_feed *feed;
  const struct import_settings *settings;
  bool gives_way; /* pawl has read the whole file, so a part of its runs may enter the history */
  bool added;     /* the run is new */
  struct pawl_words replaced; /* the ids of runs that go */
  size_t removed;
};

/* Removes the runs that the same bytes made with another commit. The removal needs the lock of the
   history, so it comes after the new runs. */
static pawl_status remove_replaced(struct import_target *target, struct pawl_error *err) {
  bool removed = false;
  for (size_t i = 0; i < target->replaced.count; i++) {
    PAWL_TRY(pawl_store_remove(target->store, target->replaced.items[i], &removed, err));
    target->removed += removed;
  }
  return PAWL_OK;
}

static enum pawl_status_code cmd_import_take_run(void *context, const struct pawl_history_run *run,
                                                 struct pawl_error *err) {
  struct import_target *target = context;
  target->run = *run;
  if (run->commit && !run->subject) { /* the repository may know the subject */
    const struct pawl_git_commit facts = pawl_git_commit_facts(".", run->commit, target->arena);
    target->run.subject = facts.subject;
    if (facts.time >= 0) target->run.commit_time = facts.time;
  }
  if (target->gives_way) PAWL_TRY(pawl_store_give_way(target->store, err));
  /* a run whose commit the file names has no other */
  if (target->settings->replaces && pawl_feed_given_commit(target->feed))
    pawl_words_add(
        &target->replaced, target->arena,
        pawl_arena_copy(target->arena, pawl_feed_id(target->feed, target->settings->replaced)));
  return pawl_store_add(target->store, &target->run, &target->added, err);
}

static enum pawl_status_code cmd_import_take_point(void *context,
                                                   const struct pawl_history_point *point,
                                                   struct pawl_error *err) {
  struct import_target *target = context;
  if (!target->added) return PAWL_OK;
  return pawl_store_add_point(target->store, &target->run, point, err);
}

static enum pawl_status_code read_run(void *context, const struct pawl_history_run *run,
                                      struct pawl_error *err) {
  (void)context, (void)run, (void)err;
  return PAWL_OK;
}

static enum pawl_status_code read_point(void *context, const struct pawl_history_point *point,
                                        struct pawl_error *err) {
  (void)context, (void)point, (void)err;
  return PAWL_OK;
}

/* Reads the whole file before pawl adds a run, so that nothing of a bad file comes in. */
static pawl_status read_ahead(const struct pawl_importer *importer, bool folder,
                              const struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_feed ahead = *feed;
  ahead.sink.run = read_run;
  ahead.sink.point = read_point;
  const enum pawl_status_code status = pawl_import_feed(importer, folder, &ahead, err);
  pawl_feed_release(&ahead);
  return status;
}

/* Prints the notes on the whole file, then the benchmarks by their outcomes. */
static void say_outcome(const struct pawl_feed *feed, const struct import_target *target) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  if (feed->notes.length) pawl_log_warning(target->log, "%s", feed->notes.data);
  const struct pawl_store_added added = pawl_store_added(target->store);
  pawl_text_printf(&line, "added %zu points of %zu runs; %zu runs were there before; ",
                   added.points, added.runs, added.known);
  if (target->removed) pawl_text_printf(&line, "removed %zu runs; ", target->removed);
  pawl_feed_summary(feed, &line);
  pawl_log_info(target->log, "%s: %s", feed->text.name, pawl_text_string(&line));
}

/* Feeds the file, and fails where --replace finds nothing to replace. */
static pawl_status feed_whole(const struct pawl_importer *importer, bool folder,
                              struct import_target *target, struct pawl_error *err) {
  const struct import_settings *settings = target->settings;
  PAWL_TRY(pawl_import_feed(importer, folder, target->feed, err));
  PAWL_TRY(remove_replaced(target, err));
  if (!settings->replaces || target->removed) return PAWL_OK;
  const char *name = target->feed->text.name;
  if (!pawl_feed_given_commit(target->feed))
    return pawl_fail(
        err, PAWL_USAGE,
        "'%s' names its commit itself, which no option changes: leave out --commit and "
        "--replace",
        name);
  return pawl_fail(err, PAWL_NO_INPUT,
                   "the history has no run of '%s' %s%.12s to replace: 'pawl history KERNEL' shows "
                   "the commits; without --replace pawl adds the run",
                   name, settings->replaced ? "with the commit " : "without a commit",
                   settings->replaced ? settings->replaced : "");
}

static pawl_status feed_text(const struct pawl_importer *importer, bool folder, const char *path,
                             const char *text, size_t length,
                             const struct import_settings *settings, struct import_target *target,
                             struct pawl_error *err) {
  struct pawl_feed feed = {.text = {path, text, length, length > 0},
                           .format = importer->name,
                           .defaults = &settings->defaults,
                           .better = settings->better,
                           .sink = {target, cmd_import_take_run, cmd_import_take_point, NULL}};
  target->feed = &feed;
  target->settings = settings;
  target->gives_way = importer->many_runs && !settings->replaces;
  if (target->gives_way) PAWL_TRY(read_ahead(importer, folder, &feed, err));
  pawl_store_begin(target->store);
  const enum pawl_status_code status =
      pawl_store_end(target->store, feed_whole(importer, folder, target, err), err);
  if (status == PAWL_OK) say_outcome(&feed, target);
  pawl_feed_release(&feed);
  return status;
}

/* pawl maps a large file, so its own memory does not grow with it. */
static pawl_status import_file(const struct pawl_importer *importer, const char *path,
                               const struct import_settings *settings, struct import_target *target,
                               struct pawl_error *err) {
  struct import_settings own = *settings;
  struct stat info;
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info)) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  own.defaults.time = (long long)info.st_mtime;
  if (S_ISDIR(info.st_mode) && importer->feed_folder)
    return feed_text(importer, true, path, "", 0, &own, target, err);
  if (!S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a regular file", path);
  const size_t length = (size_t)info.st_size;
  if (!length) return feed_text(importer, false, path, "", 0, &own, target, err);
  void *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text == MAP_FAILED) return pawl_fail_errno(err, errno, "cannot read '%s'", path);
  const enum pawl_status_code status =
      feed_text(importer, false, path, text, length, &own, target, err);
  munmap(text, length);
  return status;
}

static pawl_status find_format(const char *name, const struct pawl_importer **out,
                               struct pawl_error *err) {
  const char *names[32];
  size_t count = 0;
  *out = pawl_importer_find(name);
  if (*out) return PAWL_OK;
  for (size_t i = 0; i < pawl_importer_count; i++) names[count++] = pawl_importers[i].name;
  names[count++] = DEFINITION;
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no format '%s'; did you mean '%s'?", name, nearest);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text known = {0};
  for (size_t i = 0; i < count; i++) pawl_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
  return pawl_fail(err, PAWL_USAGE, "no format '%s'; the formats are %s", name,
                   pawl_text_string(&known));
}

/* --commit serves files that name no commit. */
static pawl_status find_commit(struct pawl_cli *cli, const char *revision,
                               struct pawl_history_run *run, struct pawl_error *err) {
  if (!revision) return PAWL_OK;
  PAWL_TRY(pawl_git_resolve(".", revision, &cli->arena, &run->commit, err));
  const struct pawl_git_commit facts = pawl_git_commit_facts(".", run->commit, &cli->arena);
  run->commit_time = facts.time;
  run->subject = facts.subject;
  return PAWL_OK;
}

/* A commit that the repository no longer has may be replaced too, by its whole name. */
static pawl_status find_replaced(struct pawl_cli *cli, const char *revision,
                                 struct import_settings *settings, struct pawl_error *err) {
  const char *commit = settings->defaults.commit;
  struct pawl_error failure = {0};
  settings->replaces = revision != NULL;
  if (!revision) return PAWL_OK;
  if (!commit)
    return pawl_fail(err, PAWL_USAGE, "--replace needs --commit: the commit that was measured");
  if (!strcmp(revision, "none")) return PAWL_OK;
  if (pawl_git_resolve(".", revision, &cli->arena, &settings->replaced, &failure) != PAWL_OK) {
    if (!pawl_is_commit_id(revision) || strlen(revision) < WHOLE_COMMIT)
      return pawl_fail(err, failure.code, "%s; of a commit that is gone give all %d digits",
                       failure.message, WHOLE_COMMIT);
    settings->replaced = revision;
  }
  return strcmp(settings->replaced, commit) != 0
             ? PAWL_OK
             : pawl_fail(err, PAWL_USAGE, "--commit and --replace name the same commit %.12s",
                         commit);
}

static pawl_status read_better(const char *word, enum pawl_better *out, struct pawl_error *err) {
  if (!word) return PAWL_OK;
  *out = !strcmp(word, "bigger")    ? PAWL_BETTER_BIGGER
         : !strcmp(word, "smaller") ? PAWL_BETTER_SMALLER
                                    : PAWL_BETTER_UNKNOWN;
  return *out ? PAWL_OK
              : pawl_fail(err, PAWL_USAGE, "--better is 'smaller' or 'bigger', not '%s'", word);
}

static void print_formats(void) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_add(&text, "\nFormats, and the versions of the tool that were tried:\n");
  for (size_t i = 0; i < pawl_importer_count; i++)
    pawl_text_printf(&text, "  %-23s  %s\n", pawl_importers[i].name, pawl_importers[i].tried);
  pawl_cli_print(text.data);
}

enum pawl_status_code pawl_cmd_import(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *commit = NULL, *branch = NULL, *better = NULL, *replaced = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--commit", &commit, "REV",
       "the commit that was measured, if the file does not name it"},
      {PAWL_OPTION_STRING, "--branch", &branch, "NAME", "the branch, if the file does not name it"},
      {PAWL_OPTION_STRING, "--better", &better, "WORD",
       "smaller or bigger: which value is better, if neither tool nor unit says it"},
      {PAWL_OPTION_STRING, "--replace", &replaced, "REV|none",
       "with --commit: the wrong commit of an earlier import, whose run goes; none: it had none"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 2, -1, &done, err));
  if (done) {
    print_formats();
    return PAWL_OK;
  }
  if (!strcmp(argv[0], DEFINITION)) {
    if (commit || branch || better || replaced)
      return pawl_fail(err, PAWL_USAGE,
                       "'import definition' takes a definition and files of workloads, no option");
    return import_definition(cli, argv + 1, err);
  }
  const struct pawl_importer *importer;
  struct import_settings settings = {0};
  pawl_history_run_init(&settings.defaults);
  settings.defaults.branch = branch;
  PAWL_TRY(read_better(better, &settings.better, err));
  PAWL_TRY(find_format(argv[0], &importer, err));
  PAWL_TRY(find_commit(cli, commit, &settings.defaults, err));
  PAWL_TRY(find_replaced(cli, replaced, &settings, err));
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  const bool is_run = !strcmp(importer->name, "run");
  for (int i = 1; i < argc; i++) {
    struct import_target target = {.store = store, .arena = &cli->arena, .log = &cli->log};
    /* The file if the argument is a run's folder. */
    PAWL_CLEANUP(pawl_free_pointer)
    char *inside = pawl_path_join(argv[i], "verdict.json");
    PAWL_TRY(import_file(importer, is_run && pawl_is_folder(argv[i]) ? inside : argv[i], &settings,
                         &target, err));
  }
  pawl_store_learn(store, suite.folder);
  return PAWL_OK;
}
