/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of an array job. A task that Slurm requeues (its node failed, a job with a higher priority took its place) runs
   in the same folder again. A task that failed otherwise is submitted anew; one that somebody cancelled is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "build/tools.h"
#include "fleet/executor.h"

#define TOOL_SECONDS 60.0 /* a busy controller answers late */
#define LOOK_SECONDS 3.0  /* between two questions to it */
#define END_SECONDS 15.0  /* that cancelled tasks get to end */
#define END_LOOK_SECONDS 0.3
#define OUTPUT_LIMIT (1u << 20) /* bytes of an answer */
#define JOBS "jobs"             /* in the folder: the jobs that were submitted, one a line */

static pawl_status run_tool(const char *const *argv, struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text errors = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text how = {0};
  const struct pawl_process_options options = {.argv = argv};
  struct pawl_exit ended = {0};
  PAWL_TRY(pawl_process_run(&options, TOOL_SECONDS, OUTPUT_LIMIT, out, &errors, &ended, err));
  if (!ended.status) return PAWL_OK;
  pawl_exit_describe(&ended, &how);
  return pawl_fail(err, PAWL_UNAVAILABLE, "%s %s: %.*s", argv[0], pawl_text_string(&how),
                   (int)strcspn(pawl_text_string(&errors), "\n"), pawl_text_string(&errors));
}

/* --- submitting --- */

/* The script of every task. Its folder's name ends with the number of the task. */
static pawl_status write_script(struct pawl_staff *staff, const char *path, struct pawl_error *err) {
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
  if (pawl_file_exists(path)) PAWL_TRY(pawl_file_read(path, OUTPUT_LIMIT, &text, err));
  pawl_text_printf(&text, "%lld\n", job);
  return pawl_file_write(path, text.data, text.length, err);
}

static void add_options(struct pawl_staff *staff, struct pawl_words *words) {
  char *rest = pawl_arena_copy(staff->arena, staff->options);
  for (const char *word; rest && (word = strsep(&rest, " \t")) != NULL;)
    if (*word) pawl_words_add(words, staff->arena, word);
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
  pawl_words_add(&words, staff->arena, "--job-name=pawl-tune");
  pawl_words_add(&words, staff->arena, "--open-mode=append");
  pawl_words_printf(&words, staff->arena, "--array=%d-%d", from, to);
  pawl_words_printf(&words, staff->arena, "--output=%s/%%a/log", staff->folder);
  add_options(staff, &words);
  pawl_words_add(&words, staff->arena, script);
  PAWL_TRY(run_tool(words.items, &out, err));
  const long long job = strtoll(pawl_text_string(&out), NULL, 10);
  if (job <= 0)
    return pawl_fail(err, PAWL_PROTOCOL, "sbatch printed '%s' in place of a job's number", pawl_text_string(&out));
  for (int i = first; i < first + count; i++) {
    staff->posts[i].job = job;
    staff->posts[i].state = PAWL_POST_WAITS;
  }
  return note_job(staff, job, err);
}

/* --- watching --- */

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (!strcmp(word, *words)) return true;
  return false;
}

static enum pawl_post_state state_of(const char *word) {
  static const char *const waiting[] = {"PENDING",     "CONFIGURING",  "REQUEUED",      "REQUEUE_HOLD",
                                        "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD", NULL};
  static const char *const running[] = {"RUNNING",   "COMPLETING", "SUSPENDED", "STOPPED",
                                        "SIGNALING", "RESIZING",   "STAGE_OUT", NULL};
  if (is_one_of(word, waiting)) return PAWL_POST_WAITS;
  if (is_one_of(word, running)) return PAWL_POST_RUNS;
  return strcmp(word, "CANCELLED") ? PAWL_POST_ENDED : PAWL_POST_CANCELLED;
}

/* A line of squeue: "12_1|RUNNING|None". */
static void read_line(struct pawl_staff *staff, char *line, bool *seen) {
  const char *id = strsep(&line, "|"), *word = strsep(&line, "|"), *reason = line;
  long long job;
  int number;
  if (!word || sscanf(id, "%lld_%d", &job, &number) != 2) return;
  for (int i = 0; i < staff->count; i++) {
    struct pawl_post *post = &staff->posts[i];
    if (post->job != job || post->number != number) continue;
    seen[i] = true;
    if (post->state == PAWL_POST_CANCELLED) return;
    post->state = state_of(word);
    post->how = reason && post->state == PAWL_POST_WAITS
                    ? pawl_arena_printf(staff->arena, "waits in Slurm's queue: %s", reason)
                    : pawl_arena_printf(staff->arena, "is %s in Slurm", word);
    return;
  }
}

/* "12,15": the jobs that have posts, each once. */
static const char *list_jobs(const struct pawl_staff *staff) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (int i = 0; i < staff->count; i++) {
    bool known = false;
    for (int j = 0; j < i && !known; j++) known = staff->posts[j].job == staff->posts[i].job;
    if (!known) pawl_text_printf(&text, "%s%lld", text.length ? "," : "", staff->posts[i].job);
  }
  return pawl_arena_copy(staff->arena, pawl_text_string(&text));
}

/* Slurm forgets a job some minutes after its end, and then knows nothing of it. */
static void forgotten(struct pawl_staff *staff, const bool *seen) {
  for (int i = 0; i < staff->count; i++) {
    struct pawl_post *post = &staff->posts[i];
    if (seen[i] || post->state == PAWL_POST_ENDED || post->state == PAWL_POST_CANCELLED) continue;
    post->state = PAWL_POST_ENDED;
    post->how = "is unknown to Slurm";
  }
}

/* A controller that does not answer ends nothing: heart-beats say who is there. */
static pawl_status look(struct pawl_staff *staff, struct pawl_error *err) {
  const char *const argv[] = {"squeue", "--noheader",     "--array", "--states=all", "--format=%i|%T|%r",
                              "--jobs", list_jobs(staff), NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_error why = {0};
  (void)err;
  if (staff->looked_ns && pawl_seconds_since(staff->looked_ns) < LOOK_SECONDS) return PAWL_OK;
  bool *seen = pawl_alloc((size_t)staff->count, sizeof *seen);
  staff->looked_ns = pawl_clock_ns(); /* before: what was ready by then is not in the queue */
  const enum pawl_status_code status = run_tool(argv, &out, &why);
  char *rest = out.data;
  for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;) read_line(staff, line, seen);
  if (status == PAWL_OK || strstr(why.message, "Invalid job id"))
    forgotten(staff, seen);
  else if (!staff->unheard)
    pawl_log_warning(staff->log, "%s; pawl goes on with the evaluators that answer", why.message);
  staff->unheard = status != PAWL_OK;
  pawl_free(seen);
  return PAWL_OK;
}

/* --- ending --- */

static void cancel(struct pawl_staff *staff, const char *job) {
  const char *const argv[] = {"scancel", job, NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_error why = {0};
  if (run_tool(argv, &out, &why) != PAWL_OK && !strstr(why.message, "Invalid job id"))
    pawl_log_warning(staff->log, "%s; run scancel %s", why.message, job);
}

static void stop(struct pawl_staff *staff, struct pawl_post *post, double patience) {
  (void)patience;         /* nothing of it runs on this machine */
  if (!post->job) return; /* it was not submitted */
  cancel(staff, pawl_arena_printf(staff->arena, "%lld_%d", post->job, post->number));
  post->state = PAWL_POST_ENDED;
  post->how = "was ended";
}

static void sweep(struct pawl_staff *staff) {
  const char *path = pawl_arena_printf(staff->arena, "%s/%s", staff->folder, JOBS);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (!pawl_file_exists(path) || pawl_file_read(path, OUTPUT_LIMIT, &text, &ignored) != PAWL_OK) return;
  char *rest = text.data;
  for (const char *job; rest && (job = strsep(&rest, "\n")) != NULL;)
    if (*job && strspn(job, "0123456789") == strlen(job)) cancel(staff, job);
  if (pawl_remove_tree(path, &ignored) != PAWL_OK) pawl_log_info(staff->log, "%s", ignored.message);
}

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
  sweep(staff);
  for (;;) {
    staff->looked_ns = 0; /* ask now */
    if (look(staff, &ignored) != PAWL_OK || !one_is_left(staff) || pawl_seconds_since(begin) > END_SECONDS) return;
    pawl_sleep_seconds(END_LOOK_SECONDS);
  }
}

const struct pawl_executor pawl_executor_slurm = {"slurm", start, look, stop, end, sweep};
