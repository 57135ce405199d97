/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "build/tree_copy.h"

#define GRACE_SECONDS 2.0

/* A program of the tree may have a path that exists only in the box. A shell there finds it. */
static const char *const *command_argv(const struct pawl_build_command *command,
                                       const struct pawl_tree_copy *copy,
                                       struct pawl_arena *arena) {
  static const char *const shell[] = {"/bin/sh", "-c", "exec \"$@\"", "sh"};
  struct pawl_words words = {0};
  const bool shelled = command->box->moved && pawl_file_absent(command->argv[0]);
  if (!copy->folder && !shelled) return command->argv;
  for (size_t i = 0; i < PAWL_COUNT(shell) && shelled; i++) pawl_words_add(&words, arena, shell[i]);
  for (const char *const *word = command->argv; *word; word++)
    pawl_words_add(&words, arena, pawl_tree_copy_path(copy, command->box, *word, arena));
  return words.items;
}

/* pawl writes into the folder after the command, and must not follow a link that it left. */
static void remove_links(const char *path) {
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    struct stat info;
    if (!fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
        !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  if (folder) closedir(folder);
}

pawl_status pawl_build_command_run(const struct pawl_build_command *command, struct pawl_exit *how,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close)
  int fd = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                0666); /* a FIFO must not block */
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot write '%s'", command->output);
  const struct pawl_build_box *box = command->box;
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_tree_copy_remove) struct pawl_tree_copy copy = {0};
  PAWL_TRY(pawl_tree_copy_make(&copy, box, &arena, err));
  const char *folder = pawl_tree_copy_path(&copy, box, command->folder, &arena);
  const struct pawl_sandbox sandbox = {.views = copy.views,
                                       .view_count = copy.view_count,
                                       .folder = folder,
                                       .required = box->required,
                                       .moved = box->moved};
  const struct pawl_process_options options = {.sandbox = box->sandbox ? &sandbox : NULL,
                                               .argv = command_argv(command, &copy, &arena),
                                               .folder = folder,
                                               .environment = command->environment,
                                               .drop_secrets = true,
                                               .die_with_parent = true,
                                               .kill_descendants = box->sandbox,
                                               .shield_us = box->sandbox,
                                               .fds = {-1, fd, fd},
                                               .fd_count = 3};
  PAWL_TRY(pawl_budget_need(err));
  struct pawl_process process = {0};
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(pawl_jobs_start(command->jobs, &process, &options, err));
  const bool late = !pawl_jobs_await(command->jobs, &process, pawl_budget_limit(command->seconds));
  if (late) kill(-process.pid, SIGTERM);
  PAWL_TRY(pawl_process_wait(&process, late ? GRACE_SECONDS : -1, how, err));
  how->timed_out = late;
  how->seconds = pawl_seconds_since(start);
  for (size_t i = 0; i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_WRITE) remove_links(box->views.items[i].source);
  if (late) PAWL_TRY(pawl_budget_need(err));
  if (late && pawl_jobs_are_stopping(command->jobs))
    return pawl_fail(err, PAWL_TRY_AGAIN, "pawl ended '%s'", command->argv[0]);
  return PAWL_OK;
}

pawl_status pawl_plan_run(const struct pawl_build_plan *plan,
                          const struct pawl_build_options *options, const char *const *argv,
                          const char *const *environment, const char *output, struct pawl_exit *how,
                          struct pawl_error *err) {
  const struct pawl_build_command command = {
      &plan->box,   argv,   environment ? environment : plan->environment.items,
      plan->tree,   output, options->timeout_seconds,
      options->jobs};
  return pawl_build_command_run(&command, how, err);
}

pawl_status pawl_build_output_read(const char *path, size_t limit, struct pawl_text *out,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info)) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  if (!S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a regular file; remove it", path);
  char buffer[65536];
  while (out->length < limit) {
    const size_t room = limit - out->length;
    const ssize_t got = read(fd, buffer, room < sizeof buffer ? room : sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return pawl_fail_errno(err, errno, "cannot read '%s'", path);
    if (got == 0) break;
    for (ssize_t i = 0; i < got; i++) buffer[i] = buffer[i] ? buffer[i] : '?';
    pawl_text_add_bytes(out, buffer, (size_t)got);
  }
  return PAWL_OK;
}
