/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of an array job. A task that Slurm requeues (its node failed, a job with a higher priority
   took its place) runs in the same folder again. A task that failed otherwise is submitted anew;
   one that somebody cancelled is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "build/tools.h"
#include "fleet/slurm_queue.h"

#define END_SECONDS 15.0 /* that cancelled tasks get to end */
#define END_LOOK_SECONDS 0.1
#define JOBS "jobs" /* in the folder: the jobs that were submitted, one a line */

/* --- submitting --- */

/* The script of every task. Its folder's name ends with the number of the task. */
static pawl_status write_script(struct pawl_staff *staff, const char *path,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, "#!/bin/sh\nexec %s ", pawl_words_join(&staff->command, staff->arena));
  pawl_shell_quote(staff->folder, &text);
  pawl_text_add(&text, "/\"$SLURM_ARRAY_TASK_ID\"\n");
  return pawl_file_write(path, text.data, text.length, err);
}

/* Before anything else is done with it, so that a later search can cancel it. */
static pawl_status note_job(struct pawl_staff *staff, long long job, struct pawl_error *err) {
  const char *path = pawl_arena_printf(staff->arena, "%s/%s", staff->folder, JOBS);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (pawl_file_exists(path)) PAWL_TRY(pawl_file_read(path, PAWL_SLURM_OUTPUT, &text, err));
  pawl_text_printf(&text, "%lld\n", job);
  return pawl_file_write(path, text.data, text.length, err);
}

/* sbatch puts other words in the place of each '%' and the letter after it, and one '%' in the
 * place of two. */
static void add_log(struct pawl_staff *staff, struct pawl_words *words) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (const char *p = staff->folder; *p; p++)
    pawl_text_add_bytes(&text, *p == '%' ? "%%" : p, *p == '%' ? 2 : 1);
  pawl_words_printf(words, staff->arena, "--output=%s/%%a/log", pawl_text_string(&text));
}

/* Once: a controller that answered late may have the job already. */
static pawl_status submit(const struct pawl_words *words, struct pawl_text *out,
                          struct pawl_error *err) {
  struct pawl_error why = {0};
  if (pawl_slurm_run(words->items, out, &why) == PAWL_OK) return PAWL_OK;
  return pawl_fail(err, why.code, "cannot submit the evaluators to Slurm: %s; %s", why.message,
                   pawl_slurm_is_silent(why.message)
                       ? "'scontrol ping' shows whether its controller is up, and 'squeue "
                         "--name=pawl' whether it has the job all the same"
                       : "change --slurm-options");
}

/* False: it may still be there. */
static bool executor_slurm_cancel(struct pawl_staff *staff, const char *job) {
  const char *const argv[] = {"scancel", job, NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_error why = {0};
  if (pawl_slurm_run(argv, &out, &why) == PAWL_OK || strstr(why.message, "Invalid job id"))
    return true;
  pawl_log_warning(staff->log, "%s; run scancel %s", why.message, job);
  return false;
}

static pawl_status start(struct pawl_staff *staff, int first, int count, struct pawl_error *err) {
  const char *script = pawl_arena_printf(staff->arena, "%s/job.sh", staff->folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_words words = {0};
  const int from = staff->posts[first].number, to = staff->posts[first + count - 1].number;
  const struct pawl_tool tool = pawl_tool_find("sbatch", staff->arena);
  if (tool.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "%s", tool.reason);
  PAWL_TRY(write_script(staff, script, err));
  pawl_words_add(&words, staff->arena, "sbatch");
  pawl_words_add(&words, staff->arena, "--parsable");
  pawl_words_add(&words, staff->arena, "--requeue");
  pawl_words_add(&words, staff->arena, "--job-name=pawl");
  pawl_words_add(&words, staff->arena, "--open-mode=append");
  pawl_words_printf(&words, staff->arena, "--array=%d-%d", from, to);
  add_log(staff, &words);
  if (staff->options) pawl_words_append(&words, staff->arena, staff->options);
  pawl_words_add(&words, staff->arena, script);
  PAWL_TRY(submit(&words, &out, err));
  const long long job = strtoll(pawl_text_string(&out), NULL, 10);
  if (job <= 0)
    return pawl_fail(err, PAWL_PROTOCOL, "sbatch printed '%s' in place of a job's number",
                     pawl_text_string(&out));
  pawl_slurm_ask_anew(staff);
  staff->queue.stuck_ns = staff->queue.silent_ns = 0; /* the controller has just answered */
  for (int i = first; i < first + count; i++) {
    struct pawl_post *post = &staff->posts[i];
    post->job = job;
    post->state = PAWL_POST_WAITS;
    post->how = "waits in Slurm's queue";
    post->wait = PAWL_WAIT_PASSES; /* until Slurm says more */
    post->partition = post->node_list = post->reason = "";
  }
  const enum pawl_status_code noted = note_job(staff, job, err);
  if (noted != PAWL_OK) executor_slurm_cancel(staff, pawl_arena_printf(staff->arena, "%lld", job));
  return noted;
}

/* --- ending --- */

static void stop(struct pawl_staff *staff, struct pawl_post *post, double patience) {
  (void)patience;         /* nothing of it runs on this machine */
  if (!post->job) return; /* it was not submitted */
  executor_slurm_cancel(staff, pawl_arena_printf(staff->arena, "%lld_%d", post->job, post->number));
  post->state = PAWL_POST_ENDED;
  post->how = "was ended";
}

/* False: one may still be there. The file of the jobs stays then, so that a later search cancels
 * them. */
static bool cancel_all(struct pawl_staff *staff) {
  const char *path = pawl_arena_printf(staff->arena, "%s/%s", staff->folder, JOBS);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  bool all = true;
  if (!pawl_file_exists(path) ||
      pawl_file_read(path, PAWL_SLURM_OUTPUT, &text, &ignored) != PAWL_OK)
    return true;
  char *rest = text.data;
  for (const char *job; rest && (job = strsep(&rest, "\n")) != NULL;)
    if (*job && strspn(job, "0123456789") == strlen(job)) all &= executor_slurm_cancel(staff, job);
  if (all && pawl_remove_tree(path, &ignored) != PAWL_OK)
    pawl_log_info(staff->log, "%s", ignored.message);
  return all;
}

static void executor_slurm_sweep(struct pawl_staff *staff) { (void)cancel_all(staff); }

static bool one_is_left(const struct pawl_staff *staff) {
  for (int i = 0; i < staff->count; i++) {
    const struct pawl_post *post = &staff->posts[i];
    if (post->job && (post->state == PAWL_POST_RUNS || post->state == PAWL_POST_WAITS)) return true;
  }
  return false;
}

static void end(struct pawl_staff *staff) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_error ignored = {0};
  const bool cancelled = cancel_all(staff);
  staff->log = NULL; /* pawl has cancelled the jobs, so their states do not matter */
  pawl_slurm_ask_anew(staff);
  while (cancelled && one_is_left(staff) && !staff->queue.silent_ns &&
         pawl_seconds_since(begin) < END_SECONDS) {
    if (pawl_slurm_poll(staff, &ignored) != PAWL_OK) break;
    pawl_sleep_seconds(END_LOOK_SECONDS);
    if (!staff->queue.question.pid) staff->queue.asked_ns = 0; /* ask again now */
  }
  pawl_slurm_ask_anew(staff);
}

const struct pawl_executor pawl_executor_slurm = {
    "slurm", start, pawl_slurm_poll, stop, end, executor_slurm_sweep, pawl_slurm_check_wait};
