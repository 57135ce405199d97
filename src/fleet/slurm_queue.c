/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/slurm_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "fleet/slurm_reason.h"

#define TOOL_SECONDS 60.0 /* a busy controller answers late */
#define LOOK_SECONDS 3.0  /* between two questions to it */
/* that a task may wait before the user hears of it: most start at once */
#define QUIET_SECONDS 10.0
#define TELL_SECONDS 30.0 /* between two lines about the queue */
#define ANSWER "squeue"   /* in the folder: what squeue printed */

/* A short patience has short steps. */
static double at_most(const struct pawl_staff *staff, double seconds) {
  return fmin(seconds, staff->patience / 4);
}

static const char *duration(struct pawl_staff *staff, double seconds) {
  const bool short_one = seconds < 120;
  return pawl_arena_printf(staff->arena, "%.3g %s", short_one ? seconds : seconds / 60,
                           short_one ? "s" : "min");
}

/* --- tools --- */

static pawl_status slurm_queue_fail(const char *tool, const struct pawl_exit *ended,
                                    const char *errors, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text how = {0};
  pawl_exit_describe(ended, &how);
  return pawl_fail(err, PAWL_UNAVAILABLE, "%s %s%s%.*s", tool, pawl_text_string(&how),
                   *errors ? ": " : "", (int)strcspn(errors, "\n"), errors);
}

pawl_status pawl_slurm_run(const char *const *argv, struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text errors = {0};
  const struct pawl_process_options options = {.argv = argv};
  struct pawl_exit ended = {0};
  PAWL_TRY(pawl_process_run(&options, TOOL_SECONDS, PAWL_SLURM_OUTPUT, out, &errors, &ended, err));
  return ended.status ? slurm_queue_fail(argv[0], &ended, pawl_text_string(&errors), err) : PAWL_OK;
}

bool pawl_slurm_is_silent(const char *message) {
  return strstr(message, "contact slurm controller") || strstr(message, "timed out");
}

/* --- an answer --- */

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (!strcmp(word, *words)) return true;
  return false;
}

static enum pawl_post_state slurm_queue_state_of(const char *word) {
  static const char *const waiting[] = {"PENDING",       "CONFIGURING", "REQUEUED",
                                        "REQUEUE_HOLD",  "REQUEUE_FED", "SPECIAL_EXIT",
                                        "RESV_DEL_HOLD", NULL};
  static const char *const running[] = {"RUNNING",   "COMPLETING", "SUSPENDED", "STOPPED",
                                        "SIGNALING", "RESIZING",   "STAGE_OUT", NULL};
  if (is_one_of(word, waiting)) return PAWL_POST_WAITS;
  if (is_one_of(word, running)) return PAWL_POST_RUNS;
  return strcmp(word, "CANCELLED") ? PAWL_POST_ENDED : PAWL_POST_CANCELLED;
}

/* The arena keeps a text of hours once. */
static void keep(struct pawl_staff *staff, const char **kept, const char *text) {
  if (!*kept || strcmp(*kept, text) != 0) *kept = pawl_arena_copy(staff->arena, text);
}

static void slurm_queue_describe(struct pawl_staff *staff, struct pawl_post *post, const char *word,
                                 const char *reason) {
  const bool waits = post->state == PAWL_POST_WAITS;
  char how[512];
  snprintf(how, sizeof how, waits ? "waits in Slurm's queue: %s" : "is %s in Slurm",
           waits ? reason : word);
  keep(staff, &post->how, how);
  keep(staff, &post->reason, reason);
  post->wait = pawl_slurm_reason(reason);
}

/* A line of squeue: "12_1|RUNNING|main||None". */
static void slurm_queue_read_line(struct pawl_staff *staff, char *line, bool *seen) {
  const char *id = strsep(&line, "|"), *word = strsep(&line, "|"), *partition = strsep(&line, "|"),
             *nodes = strsep(&line, "|"), *reason = line ? line : "";
  long long job;
  int number;
  if (!nodes || sscanf(id, "%lld_%d", &job, &number) != 2) return;
  for (int i = 0; i < staff->count; i++) {
    struct pawl_post *post = &staff->posts[i];
    if (post->job != job || post->number != number) continue;
    seen[i] = true;
    if (post->state == PAWL_POST_CANCELLED) return;
    post->state = slurm_queue_state_of(word);
    keep(staff, &post->partition, partition);
    keep(staff, &post->node_list, nodes);
    slurm_queue_describe(staff, post, word, reason);
    return;
  }
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

/* --- what waits --- */

struct wait {
  const struct pawl_post *post; /* one that waits; NULL: none does */
  int count;
  enum pawl_post_wait wait; /* the most hopeful wait of these posts */
};

static struct wait find_wait(const struct pawl_staff *staff) {
  struct wait found = {.wait = PAWL_WAIT_STUCK};
  for (int i = 0; i < staff->count; i++) {
    const struct pawl_post *post = &staff->posts[i];
    if (post->state == PAWL_POST_RUNS) found.wait = PAWL_WAIT_PASSES;
    if (post->state != PAWL_POST_WAITS) continue;
    found.count++;
    if (!found.post || post->wait < found.post->wait) found.post = post;
  }
  if (found.post && found.post->wait < found.wait) found.wait = found.post->wait;
  return found;
}

static void note_moment(int64_t *moment, bool is_so) {
  if (!is_so) *moment = 0;
  if (is_so && !*moment) *moment = pawl_clock_ns();
}

/* A queue may be long: who waits in it sees why, and what does not change by itself. */
static void slurm_queue_tell(struct pawl_staff *staff, const struct wait *found) {
  struct pawl_slurm_queue *queue = &staff->queue;
  char line[512];
  if (!found->post || pawl_seconds_since(queue->waits_ns) < at_most(staff, QUIET_SECONDS)) return;
  if (queue->told && pawl_seconds_since(queue->told_ns) < at_most(staff, TELL_SECONDS)) return;
  snprintf(line, sizeof line, "%d of %d evaluators %s in Slurm's queue: %s", found->count,
           staff->count, found->count == 1 ? "waits" : "wait", found->post->reason);
  if (queue->told && !strcmp(queue->told, line) && queue->told_wait == found->wait) return;
  queue->told = pawl_arena_copy(staff->arena, line);
  queue->told_wait = found->wait;
  queue->told_ns = pawl_clock_ns();
  if (found->wait != PAWL_WAIT_PASSES)
    pawl_log_warning(staff->log, "%s; if %s for %s, pawl ends", line,
                     found->wait == PAWL_WAIT_STUCK ? "that stays so" : "its nodes take no jobs",
                     duration(staff, staff->patience));
  else
    pawl_log_info(staff->log, "%s", line);
}

/* --- questions --- */

/* "12,15": the jobs that have posts, each once. */
static void list_jobs(const struct pawl_staff *staff, struct pawl_text *text) {
  for (int i = 0; i < staff->count; i++) {
    bool known = false;
    for (int j = 0; j < i && !known; j++) known = staff->posts[j].job == staff->posts[i].job;
    if (!known) pawl_text_printf(text, "%s%lld", text->length ? "," : "", staff->posts[i].job);
  }
}

/* A controller that does not answer ends no evaluator: heartbeats say who is there. */
static void note_silence(struct pawl_staff *staff, const char *why) {
  struct pawl_slurm_queue *queue = &staff->queue;
  if (queue->silent_ns) return;
  queue->silent_ns = queue->asked_ns;
  keep(staff, &queue->silence, why);
  pawl_log_warning(staff->log,
                   "%s; pawl goes on with the evaluators that answer, and ends if none does for %s",
                   why, duration(staff, staff->patience));
}

static void hear(struct pawl_staff *staff, char *answer) {
  struct pawl_slurm_queue *queue = &staff->queue;
  bool *seen = pawl_alloc((size_t)staff->count, sizeof *seen);
  for (char *line; answer && (line = strsep(&answer, "\n")) != NULL;)
    slurm_queue_read_line(staff, line, seen);
  forgotten(staff, seen);
  pawl_free(seen);
  if (queue->silent_ns) pawl_log_info(staff->log, "Slurm's controller answers again");
  queue->silent_ns = 0;
  staff->polled_ns = queue->asked_ns; /* a member that was ready before is not in the queue */
  const struct wait found = find_wait(staff);
  note_moment(&queue->waits_ns, found.post);
  note_moment(&queue->stuck_ns, found.post && found.wait != PAWL_WAIT_PASSES);
  slurm_queue_tell(staff, &found);
}

static pawl_status slurm_queue_ask(struct pawl_staff *staff, const char *path,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text jobs = {0};
  PAWL_CLEANUP(pawl_close)
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  struct pawl_error why = {0};
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  list_jobs(staff, &jobs);
  const char *const argv[] = {
      "squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%P|%n|%r",
      "--jobs", jobs.data,    NULL};
  const struct pawl_process_options options = {
      .argv = argv, .die_with_parent = true, .fds = {-1, fd, fd}, .fd_count = 3};
  staff->queue.asked_ns = pawl_clock_ns();
  if (pawl_process_start(&staff->queue.question, &options, &why) != PAWL_OK)
    note_silence(staff, why.message);
  return PAWL_OK;
}

static pawl_status slurm_queue_read_answer(struct pawl_staff *staff, const char *path,
                                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error why = {0};
  struct pawl_exit ended = {0};
  PAWL_TRY(pawl_process_wait(&staff->queue.question, 0, &ended, err));
  ended.seconds = pawl_seconds_since(staff->queue.asked_ns);
  PAWL_TRY(pawl_file_read(path, PAWL_SLURM_OUTPUT, &text, err));
  if (!ended.status || strstr(pawl_text_string(&text), "Invalid job id"))
    hear(staff, text.data);
  else if (slurm_queue_fail("squeue", &ended, pawl_text_string(&text), &why) != PAWL_OK)
    note_silence(staff, why.message);
  return PAWL_OK;
}

pawl_status pawl_slurm_poll(struct pawl_staff *staff, struct pawl_error *err) {
  const struct pawl_slurm_queue *queue = &staff->queue;
  const double seconds = pawl_seconds_since(queue->asked_ns);
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", staff->folder, ANSWER);
  if (queue->question.pid > 0) {
    const bool answered =
        pawl_process_has_ended(&queue->question) || seconds > fmin(TOOL_SECONDS, staff->patience);
    return answered ? slurm_queue_read_answer(staff, path, err) : PAWL_OK;
  }
  return queue->asked_ns && seconds < at_most(staff, LOOK_SECONDS)
             ? PAWL_OK
             : slurm_queue_ask(staff, path, err);
}

void pawl_slurm_ask_anew(struct pawl_staff *staff) {
  pawl_process_kill(&staff->queue.question);
  staff->queue.asked_ns = 0;
}

/* --- waiting in vain --- */

/* Nodes that are down for a while are nobody's mistake as long as others take jobs. */
static bool nodes_are_away(struct pawl_staff *staff, const struct pawl_post *post) {
  const char *argv[] = {"sinfo",         "--noheader", "--format=%F", "--partition",
                        post->partition, NULL,         NULL,          NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_error why = {0};
  if (*post->node_list) argv[5] = "--nodes", argv[6] = post->node_list;
  if (pawl_slurm_run(argv, &out, &why) == PAWL_OK)
    return pawl_slurm_nodes_away(pawl_text_string(&out), *post->node_list);
  pawl_log_info(staff->log, "%s", why.message);
  return false;
}

pawl_status pawl_slurm_check_wait(struct pawl_staff *staff, struct pawl_error *err) {
  struct pawl_slurm_queue *queue = &staff->queue;
  if (queue->silent_ns) {
    if (pawl_seconds_since(queue->silent_ns) < staff->patience) return PAWL_OK;
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "no evaluator is ready, and Slurm's controller has not answered for %s: %s; "
                     "'scontrol ping' shows whether it is up; %s",
                     duration(staff, staff->patience), queue->silence, staff->goes_on);
  }
  if (!queue->stuck_ns || pawl_seconds_since(queue->stuck_ns) < staff->patience) return PAWL_OK;
  const struct pawl_post *post = find_wait(staff).post;
  if (post->wait == PAWL_WAIT_ON_NODES && !nodes_are_away(staff, post)) {
    queue->stuck_ns = pawl_clock_ns();
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "no evaluator can start: for %s Slurm has said '%s' of job %lld in partition "
                   "'%s'; change --slurm-options or ask who runs the cluster; %s",
                   duration(staff, staff->patience), post->reason, post->job, post->partition,
                   staff->goes_on);
}
