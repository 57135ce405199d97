/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes of ours, one for each GPU of this machine. They end with us. */
#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/file.h"
#include "fleet/executor.h"

static pawl_status executor_local_start_one(struct pawl_staff *staff, struct pawl_post *post,
                                            struct pawl_error *err) {
  const char *log = pawl_arena_printf(staff->arena, "%s/log", post->folder);
  struct pawl_words words = {0};
  PAWL_CLEANUP(pawl_close)
  int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", log);
  pawl_words_append(&words, staff->arena, &staff->command);
  pawl_words_add(&words, staff->arena, post->folder);
  if (post->device) {
    pawl_words_add(&words, staff->arena, "--device");
    pawl_words_add(&words, staff->arena, post->device);
  }
  const struct pawl_process_options options = {
      .argv = words.items, .die_with_parent = true, .fds = {-1, fd, fd}, .fd_count = 3};
  PAWL_TRY(pawl_process_start(&post->process, &options, err));
  post->state = PAWL_POST_RUNS;
  return PAWL_OK;
}

static pawl_status start(struct pawl_staff *staff, int first, int count, struct pawl_error *err) {
  for (int i = first; i < first + count; i++)
    PAWL_TRY(executor_local_start_one(staff, &staff->posts[i], err));
  return PAWL_OK;
}

static pawl_status look(struct pawl_staff *staff, struct pawl_error *err) {
  for (int i = 0; i < staff->count; i++) {
    struct pawl_post *post = &staff->posts[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text how = {0};
    struct pawl_exit ended = {0};
    if (post->state != PAWL_POST_RUNS || !pawl_process_has_ended(&post->process)) continue;
    PAWL_TRY(pawl_process_wait(&post->process, -1, &ended, err));
    pawl_exit_describe(&ended, &how);
    post->state = PAWL_POST_ENDED;
    post->how = pawl_arena_copy(staff->arena, pawl_text_string(&how));
  }
  return PAWL_OK;
}

static void stop(struct pawl_staff *staff, struct pawl_post *post, double patience) {
  struct pawl_exit ended = {0};
  struct pawl_error ignored = {0};
  (void)staff;
  /* killed at once it would leave its processes to process 1, which collects none in some
   * containers */
  if (patience <= 0 || post->process.pid <= 0 ||
      pawl_process_wait(&post->process, patience, &ended, &ignored) != PAWL_OK)
    pawl_process_kill(&post->process);
  post->state = PAWL_POST_ENDED;
  post->how = "was ended";
}

static void end(struct pawl_staff *staff) {
  const int64_t begin = pawl_clock_ns();
  for (int i = 0; i < staff->count; i++)
    stop(staff, &staff->posts[i], PAWL_END_SECONDS - pawl_seconds_since(begin));
}

static void executor_local_sweep(struct pawl_staff *staff) {
  (void)staff; /* they ended with that pawl */
}

const struct pawl_executor pawl_executor_local = {
    "local", start, look, stop, end, executor_local_sweep, NULL};
