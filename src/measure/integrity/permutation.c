/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/integrity/permutation.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/file.h"
#include "base/parallel.h"
#include "measure/integrity/looks.h"
#include "oracle/renew.h"
#include "process/cpus.h"
#include "process/schedstat.h"

/* The thread checks `stop` at this interval. */
#define NAP_NS 10000000

/* A released worker reads its clock within some 300 ns. A kernel that takes longer has done
 * something else. */
#define PROMPT_NS 20000
/* Then this thread sleeps. If it spun on, it would have used up its share of CPU time when the
 * worker gets a CPU. */
#define PATIENCE_NS 50000
#define DOZE_NS 5000 /* one sleep */
/* A call may need a frozen thread, so a freeze ends after this time. */
#define MOST_FROZEN_NS 100000000

/* A draw takes at most this number of times as long as the quickest one, on a busy machine. */
#define SLOWEST_DRAW 10

static int set_of(const struct pawl_permutation *permutation, int call) {
  return (permutation->first_set + call) % permutation->run->problem->set_count;
}

/* A call of a pair has new inputs, or the usual ones or those in place, put into place alike. */
static uint64_t seed_of(const struct pawl_permutation *permutation, int call) {
  return permutation->paired && !permutation->is_new[call]
             ? permutation->run->problem->source[set_of(permutation, call)].seed
             : permutation->seed + (uint64_t)call;
}

static bool is_drawn(const struct pawl_permutation *permutation, int call) {
  return permutation->is_new[call] || permutation->paired;
}

static bool is_cold(const struct pawl_permutation *permutation) {
  return permutation->run->plan->cache == PAWL_CACHE_COLD;
}

/* Returns whether pawl compares the inputs of a call with those that it gave. */
static bool is_noted(const struct pawl_permutation *permutation, int call) {
  return permutation->run->plan->unproven || set_of(permutation, call) == permutation->noted;
}

/* Draws the new inputs of a call where no kernel sees them. */
static pawl_status draw_inputs(struct pawl_permutation *permutation, int call, int threads,
                               struct pawl_error *err) {
  const int set = set_of(permutation, call);
  if (!is_drawn(permutation, call)) return PAWL_OK;
  if (!permutation->is_new[call] && !pawl_problem_keeps_drawn(permutation->run->problem))
    pawl_problem_draw_again(permutation->run->problem, set);
  else
    PAWL_TRY(pawl_problem_draw_new(permutation->run->problem, set, seed_of(permutation, call),
                                   is_noted(permutation, call), threads, err));
  permutation->drawn = call + 1;
  return PAWL_OK;
}

/* Changes the inputs of a call. An operator's order would not survive an exchange of elements, so
 * such inputs stay if they are not new. */
static void permutation_put_inputs(struct pawl_permutation *permutation, int call) {
  struct pawl_problem *problem = permutation->run->problem;
  const int set = set_of(permutation, call);
  if (is_drawn(permutation, call))
    pawl_problem_put_new(problem, set, is_cold(permutation));
  else if (permutation->may_exchange)
    pawl_problem_permute(problem, set, seed_of(permutation, call));
}

/* Waits until the worker has taken one more turn. The worker may need a thread that only resumes
 * now. Returns false if the thread must stop. */
static bool await_turn(const struct pawl_permutation *permutation, uint32_t turn,
                       struct pawl_freeze *freeze) {
  const struct timespec nap = {.tv_nsec = NAP_NS};
  for (uint32_t now; (now = atomic_load(permutation->ready)) != turn;) {
    if (atomic_load(&permutation->stop)) return false;
    pawl_freeze_end(freeze);
    syscall(SYS_futex, permutation->ready, FUTEX_WAIT, now, &nap, NULL, 0);
  }
  return true;
}

/* Waits until the call before this one has ended, so that pawl does not draw inputs beside it.
 * Looks at it if it takes long. */
static void permutation_await_end(struct pawl_permutation *permutation, int call) {
  const uint32_t end = permutation->first_stamp + 2 * (uint32_t)call;
  int64_t look = call ? permutation->look_ns : INT64_MAX;
  for (;;) {
    /* before the look, because this thread may lose its CPU right after it */
    const int64_t elapsed = pawl_clock_ns() - permutation->saw_begin_ns;
    const uint32_t now = atomic_load(permutation->stamp);
    if ((int32_t)(now - end) >= 0 || atomic_load(&permutation->stop)) return;
    if (elapsed >= look) {
      permutation->least_ns[call - 1] = elapsed;
      look = pawl_looks_next(elapsed);
    }
    const int64_t left = look - elapsed;
    const struct timespec nap = {.tv_nsec = left < NAP_NS ? left : NAP_NS};
    syscall(SYS_futex, permutation->stamp, FUTEX_WAIT, now, &nap, NULL, 0);
  }
}

/* The time by two clocks. If only the first advances, this thread had no CPU. */
struct moment {
  int64_t wall_ns, ours_ns;
};

static struct moment moment_now(void) {
  return (struct moment){pawl_clock_ns(), pawl_clock_read_ns(CLOCK_THREAD_CPUTIME_ID)};
}

/* Returns the newest visible process or thread of the machine; -1: unknown. */
static long long newest_process(const struct pawl_permutation *permutation) {
  char text[32];
  const ssize_t got = pread(permutation->newest_fd, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = '\0';
  return got > 0 ? strtoll(text, NULL, 10) : -1;
}

/* Returns the CPU time of the kernel's process. */
static int64_t kernel_ns(const struct pawl_permutation *permutation) {
  return permutation->has_clock ? pawl_clock_read_ns(permutation->clock) : 0;
}

static bool has_begun(const struct pawl_permutation *permutation, uint32_t call) {
  return atomic_load(permutation->stamp) != permutation->first_stamp + 2 * call;
}

/* The time and the newest process before the inputs of a call change. */
struct outset {
  struct moment moment;
  long long newest;
};

/* Lets the call begin. Notes the longest time that the kernel can have worked on its inputs before:
 * while this thread had no CPU, and until pawl sees the call begin. If the kernel used little CPU
 * time in a long wait, other programs had the CPU. That holds only if it started no process
 * meanwhile, which would not be frozen. */
static void let_begin(struct pawl_permutation *permutation, int number, const struct outset *outset,
                      struct pawl_freeze *freeze) {
  const struct timespec doze = {.tv_nsec = DOZE_NS};
  const uint32_t call = (uint32_t)number;
  const int64_t kernel = kernel_ns(permutation);
  const struct moment changed = moment_now(), begin = outset->moment;
  const int64_t away = changed.wall_ns - begin.wall_ns - (changed.ours_ns - begin.ours_ns);
  bool all_frozen = permutation->has_clock;
  atomic_store(permutation->go, permutation->first_ready + call + 1);
  while (!has_begun(permutation, call) && !atomic_load(&permutation->stop)) {
    const int64_t waited = pawl_clock_ns() - changed.wall_ns;
    if (waited > MOST_FROZEN_NS) pawl_freeze_end(freeze), all_frozen = false;
    if (waited > PATIENCE_NS) nanosleep(&doze, NULL);
  }
  permutation->with_call[number] =
      atomic_load(permutation->stamp) - permutation->first_stamp >= 2 * call + 2;
  int64_t worked = pawl_clock_ns() - changed.wall_ns;
  permutation->begun_ns[number] = worked;
  permutation->saw_begin_ns = changed.wall_ns + worked;
  if (worked > PROMPT_NS && all_frozen) {
    const int64_t by_clock = kernel_ns(permutation) - kernel;
    if (by_clock < worked && outset->newest >= 0 && newest_process(permutation) == outset->newest)
      worked = by_clock;
  }
  permutation->ahead_ns[number] = away + worked;
}

/* Draws while the worker flushes its caches. Without new inputs the call still has to begin. */
static void draw_behind_flush(struct pawl_permutation *permutation, int call) {
  if (permutation->failed) {
    permutation->is_new[call] = false;
  } else if (draw_inputs(permutation, call, 1, &permutation->err) != PAWL_OK) {
    permutation->failed = true;
    permutation->is_new[call] = permutation->paired = false;
  }
}

static void *give_inputs(void *context) {
  struct pawl_permutation *permutation = context;
  struct pawl_freeze freeze = {0};
  struct pawl_arena arena = {0};
  const struct pawl_cpus ours = pawl_cpus_of_process(&arena);
  const struct pawl_freezable *process = &permutation->process;
  pawl_cpus_go_first();
  prctl(PR_SET_TIMERSLACK, 1000); /* ns, so that a look comes in time */
  permutation->newest_fd = open("/proc/sys/kernel/ns_last_pid", O_RDONLY | O_CLOEXEC);
  permutation->has_clock =
      process->first > 0 && pawl_clock_of_process(process->pid, &permutation->clock);
  for (int call = 0; call < permutation->count; call++) {
    permutation_await_end(permutation, call);
    draw_behind_flush(permutation, call);
    if (!await_turn(permutation, permutation->first_ready + (uint32_t)call + 1, &freeze)) break;
    pawl_cpus_keep_off(&ours, process->pid);
    /* later processes are not frozen */
    struct outset outset = {.newest = newest_process(permutation)};
    if (!pawl_freeze_others(&freeze, process))
      permutation->arm->out->unfrozen = true, permutation->has_clock = false;
    /* for a worker whose flush leaves the inputs in a cache */
    if (!is_drawn(permutation, call))
      pawl_problem_evict(permutation->run->problem, set_of(permutation, call));
    outset.moment = moment_now();
    permutation_put_inputs(permutation, call);
    permutation->given = call + 1;
    let_begin(permutation, call, &outset, &freeze);
    /* not before, because the first thread may lose its CPU on the way to its clock */
    pawl_freeze_end(&freeze);
    if (call + 1 == permutation->count) permutation_await_end(permutation, call + 1);
  }
  pawl_close(&permutation->newest_fd);
  pawl_freeze_release(&freeze);
  pawl_arena_clear(&arena);
  return NULL;
}

static pawl_status begin_late(struct pawl_permutation *permutation, struct pawl_error *err) {
  unsigned char *page = permutation->run->problem->oracle->tensors.map;
  permutation->stamp = (pawl_stamp *)(void *)page;
  permutation->ready = (pawl_stamp *)(void *)(page + PAWL_READY_BYTE);
  permutation->go = (pawl_stamp *)(void *)(page + PAWL_GO_BYTE);
  permutation->first_stamp = *permutation->stamp;
  permutation->first_ready = *permutation->ready;
  atomic_store(permutation->go, permutation->first_ready);
  const int number = pthread_create(&permutation->thread, NULL, give_inputs, permutation);
  return number
             ? pawl_fail_errno(err, number, "cannot start a thread that gives a kernel its inputs")
             : PAWL_OK;
}

/* Hashes exchanged inputs before they are in place. A later read would load them into the caches.
 */
static void note_ahead(struct pawl_permutation *permutation, int call) {
  if (is_drawn(permutation, call) || !is_noted(permutation, call)) return;
  permutation_put_inputs(permutation, call);
  pawl_problem_note_inputs(permutation->run->problem, set_of(permutation, call));
  permutation_put_inputs(permutation, call);
}

static pawl_status prepare_calls(struct pawl_permutation *permutation, const bool *is_new,
                                 struct pawl_error *err) {
  struct pawl_problem *problem = permutation->run->problem;
  bool hides;
  PAWL_TRY(pawl_entropy(&permutation->seed, sizeof permutation->seed, err));
  PAWL_TRY(pawl_problem_flush_hides_draw(problem, &hides, err));
  permutation->may_exchange = pawl_problem_can_permute(problem);
  for (int call = 0; call < permutation->count; call++) {
    const int set = set_of(permutation, call);
    permutation->is_new[call] = is_new[call];
    /* so that the worker waits alike for both calls of a pair */
    if (permutation->paired)
      PAWL_TRY(pawl_problem_keep_new(problem, set, seed_of(permutation, call), err));
    if (is_new[call] || !permutation->paired) pawl_problem_mark_renewed(problem, set);
  }
  return PAWL_OK;
}

static pawl_status give_at_once(struct pawl_permutation *permutation, struct pawl_error *err) {
  for (; permutation->given < permutation->count; permutation->given++) {
    PAWL_TRY(draw_inputs(permutation, permutation->given, 0, err));
    permutation_put_inputs(permutation, permutation->given);
  }
  return PAWL_OK;
}

bool pawl_permutation_is_late(const struct pawl_arm_run *arm) {
  return pawl_worker_takes_late_inputs(arm->worker) && pawl_cpu_count() > 1;
}

pawl_status pawl_permutation_begin(struct pawl_permutation *permutation, struct pawl_block_run *run,
                                   struct pawl_arm_run *arm, struct pawl_time_request *request,
                                   int noted, const bool *is_new, struct pawl_error *err) {
  PAWL_ASSERT(request->samples <= PAWL_MEASURE_SETS);
  *permutation = (struct pawl_permutation){.run = run,
                                           .arm = arm,
                                           .first_set = request->first_set,
                                           .count = request->samples,
                                           .noted = noted,
                                           .paired = !arm->permuted,
                                           .process = pawl_worker_freezable(arm->worker),
                                           .late = pawl_permutation_is_late(arm)};
  request->late = permutation->late;
  if (!pawl_worker_takes_late_inputs(arm->worker)) arm->out->ahead = true;
  request->any_inputs = true;
  PAWL_TRY(prepare_calls(permutation, is_new, err));
  request->pause_seconds = SLOWEST_DRAW * 1e-9 * (double)run->problem->draw_ns * permutation->count;
  for (int call = 0; call < permutation->count; call++) note_ahead(permutation, call);
  run->problem->permuted = true;
  permutation->look_ns = pawl_looks_from(arm);
  permutation->waited_ns = pawl_schedstat_waited_ns(permutation->process.pid);
  return permutation->late ? begin_late(permutation, err) : give_at_once(permutation, err);
}

void pawl_permutation_join(struct pawl_permutation *permutation) {
  if (!permutation->late) return;
  atomic_store(&permutation->stop, true);
  syscall(SYS_futex, permutation->ready, FUTEX_WAKE, 1, NULL, NULL, 0);
  syscall(SYS_futex, permutation->stamp, FUTEX_WAKE, 1, NULL, NULL, 0);
  pthread_join(permutation->thread, NULL);
  /* the kernel ended before it got the inputs that are noted */
  if (permutation->drawn > permutation->given)
    pawl_problem_put_new(permutation->run->problem, set_of(permutation, permutation->given), true);
}

bool pawl_permutation_judge(const struct pawl_permutation *permutation,
                            const struct pawl_time_reply *reply) {
  struct pawl_arm_run *arm = permutation->arm;
  if (!permutation->late) return true;
  for (size_t i = 0; i < reply->count; i++)
    pawl_looks_note(arm, permutation->least_ns[i], reply->seconds[i]);
  arm->looks.facts.waited_ns +=
      pawl_schedstat_waited_ns(permutation->process.pid) - permutation->waited_ns;
  if (permutation->given == permutation->count) return true;
  pawl_block_give_up(permutation->run, arm, PAWL_OUTCOME_WRONG,
                     "a call did not wait for its inputs");
  return false;
}

/* Returns the time of the call with all the work that the kernel can have done before it. */
static double charged(const struct pawl_permutation *permutation, size_t call, double seconds) {
  const double ahead = (double)permutation->ahead_ns[call] * 1e-9;
  return permutation->with_call[call] ? fmax(seconds, ahead) : seconds + ahead;
}

size_t pawl_permutation_sift(const struct pawl_permutation *permutation, bool charge,
                             struct pawl_time_reply *reply, double *added, bool *is_new) {
  size_t late = 0, kept = 0, left = 0;
  bool again[PAWL_MEASURE_SETS];
  for (size_t i = 0; i < reply->count; i++) {
    const bool prompt = permutation->ahead_ns[i] <= PROMPT_NS;
    const double seconds = prompt ? reply->seconds[i] : charged(permutation, i, reply->seconds[i]);
    late += !prompt;
    if (!prompt && !charge) {
      again[left++] = permutation->is_new[i];
      continue;
    }
    added[kept] = seconds - reply->seconds[i];
    is_new[kept] = permutation->is_new[i];
    reply->seconds[kept++] = seconds;
  }
  for (size_t i = 0; i < left; i++) is_new[kept + i] = again[i];
  reply->count = kept;
  return late;
}

pawl_status pawl_permutation_failure(const struct pawl_permutation *permutation,
                                     struct pawl_error *err) {
  if (!permutation->failed) return PAWL_OK;
  *err = permutation->err;
  return err->code;
}

void pawl_permutation_end(struct pawl_permutation *permutation) {
  permutation->run->problem->permuted = false;
}
