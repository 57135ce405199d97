/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/bench.h"

#include <math.h>
#include <string.h>

#include "measure/ahead.h"
#include "measure/flush.h"
#include "measure/round_ratio.h"
#include "pairs/bench.h"

#define FIRST_SAMPLES 3   /* samples of each arm; after them a slow candidate ends */
#define FIRST_WARMUP 3    /* calls before these samples: the first one may load code */
#define SCREEN_SAMPLES 10 /* samples of each arm for a candidate that may win */
/* A candidate ends if it is slower than the best by this factor. Three samples of one process
   are wrong by a few per cent at most, and pawl claims nothing about a candidate that it drops. */
#define SLOWER 1.25
/* times the current time, over the cases so far. A candidate that is so slow is seldom the best
   on another case, so pawl skips the other cases. */
#define FAR 2.0
/* candidates timed on all cases; from then on their spread says which case tells most */
#define LEAST_TELLING 4
#define PATIENCE 10.0     /* a candidate may take this many times as long as the current code */
#define LEAST_SECONDS 3.0 /* the least time limit for the calls of a candidate */
/* samples of each arm: two processes differ by more than the samples of one process */
#define RACE_SAMPLES 10
/* samples at the end of a block, in turn; each needs an answer of the oracle, and replaces the
   cache's content */
#define FRESH_INPUTS 4
#define MOST_ATTEMPTS 3 /* at a block during which nothing builds */
#define GPU_ROUNDS 4
#define CPU_ROUNDS 10

/* The settings for the measurement of a block. */
struct how {
  int samples, warmup, rounds;
  bool checked, unproven;
  struct pawl_block_processes *processes;
  uint64_t number;
  int first_arm;
};

static int rounds_of(const struct pawl_tune_bench *bench) {
  return bench->base->spec->device == PAWL_CUDA ? GPU_ROUNDS : CPU_ROUNDS;
}

static const struct pawl_device *device_of(const struct pawl_tune_bench *bench) {
  return pawl_devices_find(&bench->project->devices, bench->base->spec->device, NULL);
}

static struct pawl_block_plan plan_of(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                                      const struct how *how) {
  struct pawl_project *project = bench->project;
  const struct pawl_device *device = device_of(bench);
  return (struct pawl_block_plan){.warmup = how->warmup,
                                  .samples = how->samples,
                                  .rounds = how->rounds,
                                  .cache = project->suite.measure.cache,
                                  .flush_bytes = pawl_measure_flush_bytes(device),
                                  .threads = pawl_measure_threads(&project->suite.measure),
                                  .unproven = how->unproven,
                                  .unchecked = !how->checked,
                                  .verified = item->verified,
                                  .processes = how->processes,
                                  .jobs = bench->jobs,
                                  .seed = how->number % FRESH_INPUTS,
                                  .order_seed = how->number,
                                  .first_arm = how->first_arm,
                                  .tolerance = &item->tolerance,
                                  .device = device};
}

/* A candidate that hangs must end soon. One process of it serves all cases, so the longest case
   sets its limit. The current code has the time limit of the suite: if it fails, the search
   fails. */
static struct pawl_worker_options bound(const struct pawl_tune_bench *bench,
                                        const struct pawl_ready_kernel *candidate) {
  struct pawl_worker_options options = candidate->worker;
  double longest = 0;
  if (candidate == bench->base) return options;
  for (size_t i = 0; i < bench->case_count; i++)
    longest = fmax(longest, bench->cases[i].block_seconds);
  options.start_seconds = fmin(options.timeout_seconds, PAWL_TUNE_START_SECONDS);
  if (longest > 0)
    options.timeout_seconds =
        fmin(options.timeout_seconds, fmax(PATIENCE * longest / 2, LEAST_SECONDS));
  return options;
}

/* The current code is the first arm, and the candidates are the others. A block is void if it
   has a `stray_write`. */
static pawl_status run_block(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                             const struct pawl_ready_kernel *const *candidates, size_t count,
                             const struct how *how, struct pawl_block *block,
                             struct pawl_error *err) {
  struct pawl_worker_options bounded[PAWL_MAX_ARMS];
  const struct pawl_worker_options *arms[PAWL_MAX_ARMS] = {&bench->base->worker};
  const struct pawl_block_plan plan = plan_of(bench, item, how);
  const bool several = bench->case_count > 1;
  const int arm_count = (int)count + 1;
  for (size_t i = 0; i < count; i++) {
    if (!candidates[i]) continue; /* an empty place takes no part */
    bounded[i] = bound(bench, candidates[i]);
    arms[i + 1] = &bounded[i];
  }
  for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    PAWL_TRY(pawl_measure_block(&item->problem, arms, arm_count, &plan, &bench->arena, block, err));
    for (int i = 0; i < arm_count; i++) json_decref(block->arms[i].environment);
    if (!block->disturbed) break;
  }
  if (block->arms[0].outcome == PAWL_OUTCOME_OK || block->stray_write) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails with its current parameters%s%s%s: %s",
                   bench->base->spec->name, several ? " on '" : "",
                   several ? item->config->name : "", several ? "'" : "", block->arms[0].reason);
}

/* Sets the outcome of candidate `i` (1 and up) and its times on the case. */
static pawl_status read_arm(struct pawl_tune_bench *bench, const struct pawl_tune_case *item,
                            const struct pawl_block *block, size_t number, const struct how *how,
                            struct pawl_tune_evaluation *out, struct pawl_error *err) {
  const struct pawl_arm_block *arm = &block->arms[number];
  double base, candidate;
  out->outcome = arm->outcome;
  out->reason = arm->reason;
  out->start_seconds += block->start_seconds;
  if (arm->reason && bench->case_count > 1)
    out->reason = pawl_arena_printf(&bench->arena, "on '%s': %s", item->config->name, arm->reason);
  struct pawl_tune_times *times = &out->times[item - bench->cases];
  *times = (struct pawl_tune_times){.median_ms = NAN, .base_ms = NAN, .checked = how->checked};
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  PAWL_TRY(pawl_round_ratio(block->arms[0].seconds, arm->seconds, block->arms[0].count, how->rounds,
                            &bench->arena, &base, &candidate, err));
  times->base_ms = base * 1e3;
  times->median_ms = candidate * 1e3;
  return PAWL_OK;
}

static pawl_status run_pair(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                            const struct pawl_ready_kernel *candidate, const struct how *how,
                            struct pawl_block *block, struct pawl_tune_evaluation *out,
                            struct pawl_error *err) {
  PAWL_TRY(run_block(bench, item, &candidate, 1, how, block, err));
  return read_arm(bench, item, block, 1, how, out, err);
}

static struct pawl_tune_evaluation no_evaluation(const struct pawl_tune_bench *bench) {
  struct pawl_tune_evaluation none = {.outcome = PAWL_OUTCOME_OK, .time_count = bench->case_count};
  for (size_t i = 0; i < bench->case_count; i++)
    none.times[i] = (struct pawl_tune_times){NAN, NAN, false};
  return none;
}

static void forget_candidate(struct pawl_tune_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    bench->cases[i].verified[1] = (struct pawl_verified){0};
}

/* --- processes started in advance --- */

static void drop_waiting(struct pawl_tune_bench *bench) {
  for (size_t i = 0; i < bench->waiting_count; i++)
    pawl_block_processes_release(&bench->waiting[i].process);
  bench->waiting_count = 0;
}

/* The longest case probably needs the most memory. */
static struct pawl_tune_case *longest_case(struct pawl_tune_bench *bench) {
  struct pawl_tune_case *longest = &bench->cases[0];
  for (size_t i = 1; i < bench->case_count; i++)
    if (bench->cases[i].block_seconds > longest->block_seconds) longest = &bench->cases[i];
  return longest;
}

/* The most processes that may exist at once. */
static int process_limit(struct pawl_tune_bench *bench) {
  const struct pawl_device *device = device_of(bench);
  return pawl_ahead_limit(device, pawl_ahead_bytes(device, &longest_case(bench)->problem));
}

void pawl_tune_bench_start(struct pawl_tune_bench *bench,
                           const struct pawl_ready_kernel *const *candidates, size_t count) {
  struct pawl_tune_case *longest = longest_case(bench);
  const bool has_base = count && candidates[0] == bench->base;
  const int limit = process_limit(bench),
            /* otherwise the current code has a process already */
      most = has_base ? limit : limit - 1;
  struct pawl_worker_options bounded[PAWL_TUNE_WAITING];
  const struct pawl_worker_options *arms[PAWL_TUNE_WAITING];
  struct pawl_starting_block blocks[PAWL_TUNE_WAITING] = {0};
  drop_waiting(bench);
  if (limit < 2 || count < 2) return;
  for (size_t i = 0; i < count && i < PAWL_TUNE_WAITING && (int)i < most; i++) {
    struct pawl_waiting_candidate *waiting = &bench->waiting[bench->waiting_count];
    *waiting = (struct pawl_waiting_candidate){.plugin = candidates[i]->worker.plugin};
    bounded[i] = bound(bench, candidates[i]);
    arms[i] = &bounded[i];
    blocks[bench->waiting_count++] =
        (struct pawl_starting_block){.processes = &waiting->process, .arms = &arms[i]};
  }
  pawl_ahead_start(&longest->problem, arms, 1, pawl_measure_threads(&bench->project->suite.measure),
                   blocks, bench->waiting_count);
}

/* If a process of the candidate waits, it becomes this arm. */
static void tuning_bench_take_waiting(struct pawl_tune_bench *bench,
                                      const struct pawl_ready_kernel *candidate,
                                      struct pawl_block_processes *out, size_t arm) {
  for (size_t i = 0; i < bench->waiting_count; i++) {
    struct pawl_block_processes *process = &bench->waiting[i].process;
    if (!candidate->worker.plugin ||
        strcmp(bench->waiting[i].plugin, candidate->worker.plugin) != 0)
      continue;
    out->workers[arm] = process->workers[0];
    out->prepared[arm] = process->prepared[0];
    out->workspace_bytes[arm] = process->workspace_bytes[0];
    out->owes_hello[arm] = process->owes_hello[0];
    out->served[arm] = process->served[0];
    *process = (struct pawl_block_processes){0};
    return;
  }
}

static double least(const double *values, size_t count) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) least = fmin(least, values[i]);
  return least;
}

/* Ends the process of one arm. The others stay. */
static void end_process(struct pawl_block_processes *processes, size_t arm) {
  struct pawl_block_processes one = {0};
  one.workers[0] = processes->workers[arm];
  processes->workers[arm] = NULL;
  processes->prepared[arm] = NULL;
  pawl_block_processes_release(&one);
}

/* --- the order of the cases --- */

/* The information that a case gives for its time: the spread of the candidates' log ratios on
   it, divided by the seconds of a block. While few candidates are timed nothing is known, and
   the cheapest case comes first. */
static double telling(const struct pawl_tune_bench *bench, const struct pawl_tune_case *item) {
  const double count = (double)bench->whole, mean = item->sum / count;
  const double spread =
      bench->whole < LEAST_TELLING ? 1 : sqrt(fmax(item->squares / count - mean * mean, 0));
  return spread / fmax(item->block_seconds, 1e-6);
}

static void order_cases(const struct pawl_tune_bench *bench, size_t *order) {
  for (size_t i = 0; i < bench->case_count; i++) {
    size_t place = i;
    for (; place > 0 &&
           telling(bench, &bench->cases[order[place - 1]]) < telling(bench, &bench->cases[i]);
         place--)
      order[place] = order[place - 1];
    order[place] = i;
  }
}

bool pawl_tune_bench_is_best(const struct pawl_tune_bench *bench,
                             const struct pawl_tune_candidate *candidate) {
  if (candidate->checked && candidate->median_ms / candidate->base_ms < bench->best) return true;
  for (size_t i = 0; i < candidate->time_count && i < bench->case_count; i++) {
    const struct pawl_tune_times *times = &candidate->times[i];
    if (times->checked && times->median_ms / times->base_ms < bench->cases[i].best) return true;
  }
  return false;
}

void pawl_tune_bench_learn(struct pawl_tune_bench *bench,
                           const struct pawl_tune_candidate *candidate) {
  size_t timed = 0;
  if (candidate->outcome != PAWL_OUTCOME_OK || candidate->same_as) return;
  for (size_t i = 0; i < candidate->time_count && i < bench->case_count; i++) {
    const struct pawl_tune_times *times = &candidate->times[i];
    timed += times->median_ms > 0 ? 1 : 0;
    if (times->checked)
      bench->cases[i].best = fmin(bench->cases[i].best, times->median_ms / times->base_ms);
  }
  if (candidate->checked)
    bench->best = fmin(bench->best, candidate->median_ms / candidate->base_ms);
  if (timed < bench->case_count) return;
  bench->whole++;
  for (size_t i = 0; i < bench->case_count; i++) {
    const double ratio = log(candidate->times[i].median_ms / candidate->times[i].base_ms);
    bench->cases[i].sum += ratio;
    bench->cases[i].squares += ratio * ratio;
  }
}

/* --- the screening --- */

/* The results of a few samples on each case. */
struct looks {
  double ratio[PAWL_TUNE_MOST_CASES]; /* NaN: no samples yet */
  size_t count;
  bool hopeless; /* it cannot become the one setting for all cases */
};

/* The least geometric mean that the candidate can still reach. On the other cases it is assumed
   to equal the best candidate there, or its own mean so far. */
static double least_mean(const struct pawl_tune_bench *bench, const struct looks *looks) {
  double sum = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    sum += isnan(looks->ratio[i]) ? 0 : log(looks->ratio[i]);
  const double mean = sum / (double)looks->count;
  for (size_t i = 0; i < bench->case_count; i++)
    if (isnan(looks->ratio[i])) sum += fmin(log(bench->cases[i].best), mean);
  return exp(sum / (double)bench->case_count);
}

/* Returns whether the candidate is far slower than the current code, in the geometric mean over the
 * cases with samples. */
static bool bench_is_far(const struct pawl_tune_bench *bench, const struct looks *looks) {
  double sum = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    sum += isnan(looks->ratio[i]) ? 0 : log(looks->ratio[i]);
  return sum / (double)looks->count > log(FAR);
}

static pawl_status look(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                        struct looks *looks, struct pawl_tune_evaluation *out,
                        struct pawl_error *err) {
  const struct how how = {.samples = FIRST_SAMPLES,
                          .warmup = FIRST_WARMUP,
                          .rounds = FIRST_SAMPLES,
                          .unproven = true,
                          .processes = &bench->processes};
  size_t order[PAWL_TUNE_MOST_CASES];
  struct pawl_block block;
  order_cases(bench, order);
  for (size_t i = 0; i < bench->case_count; i++) looks->ratio[i] = NAN;
  while (looks->count < bench->case_count) {
    const size_t number = order[looks->count];
    PAWL_TRY(run_pair(bench, &bench->cases[number], candidate, &how, &block, out, err));
    if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
    const double fastest = least(block.arms[1].seconds, block.arms[1].count) * 1e3;
    looks->ratio[number] = fastest / out->times[number].base_ms;
    looks->count++;
    looks->hopeless = least_mean(bench, looks) > SLOWER * bench->best;
    if (looks->hopeless && bench_is_far(bench, looks)) return PAWL_OK;
  }
  return PAWL_OK;
}

static double bench_ratio_on(const struct pawl_tune_evaluation *evaluation, size_t number) {
  return evaluation->times[number].median_ms / evaluation->times[number].base_ms;
}

static bool is_best_of_all(const struct pawl_tune_bench *bench,
                           const struct pawl_tune_evaluation *evaluation) {
  struct pawl_tune_candidate whole = {.times = evaluation->times,
                                      .time_count = evaluation->time_count};
  pawl_tune_sum_up(&whole);
  return whole.checked && whole.median_ms / whole.base_ms < bench->best;
}

/* A new best decides which candidates end early from now on. So pawl measures it twice, and the
   slower result counts. A moment in which another program held up the current code must not make
   a best. */
static pawl_status confirm(struct pawl_tune_bench *bench, size_t number,
                           const struct pawl_ready_kernel *candidate, const struct how *how,
                           struct pawl_tune_evaluation *out, struct pawl_error *err) {
  struct pawl_block block;
  struct pawl_tune_evaluation again = *out;
  PAWL_TRY(run_pair(bench, &bench->cases[number], candidate, how, &block, &again, err));
  if (again.outcome != PAWL_OUTCOME_OK ||
      bench_ratio_on(&again, number) > bench_ratio_on(out, number))
    *out = again;
  return PAWL_OK;
}

static pawl_status bench_screen(struct pawl_tune_bench *bench,
                                const struct pawl_ready_kernel *candidate,
                                struct pawl_tune_evaluation *out, struct pawl_error *err) {
  const struct how how = {.samples = SCREEN_SAMPLES,
                          .warmup = 1,
                          .rounds = rounds_of(bench),
                          .checked = true,
                          .unproven = true,
                          .processes = &bench->processes};
  struct looks looks = {0};
  bool confirmed[PAWL_TUNE_MOST_CASES] = {0};
  tuning_bench_take_waiting(bench, candidate, &bench->processes, 1);
  PAWL_TRY(look(bench, candidate, &looks, out, err));
  for (size_t i = 0; i < bench->case_count && out->outcome == PAWL_OUTCOME_OK; i++) {
    struct pawl_block block;
    if (looks.hopeless && !(looks.ratio[i] <= SLOWER * bench->cases[i].best)) continue;
    PAWL_TRY(run_pair(bench, &bench->cases[i], candidate, &how, &block, out, err));
    confirmed[i] = out->outcome == PAWL_OUTCOME_OK && bench_ratio_on(out, i) < bench->cases[i].best;
    if (confirmed[i]) PAWL_TRY(confirm(bench, i, candidate, &how, out, err));
  }
  if (out->outcome != PAWL_OUTCOME_OK || !is_best_of_all(bench, out)) return PAWL_OK;
  for (size_t i = 0; i < bench->case_count && out->outcome == PAWL_OUTCOME_OK; i++)
    if (!confirmed[i]) PAWL_TRY(confirm(bench, i, candidate, &how, out, err));
  return PAWL_OK;
}

/* A CPU kernel's process that is slow to end costs seconds, here and in production. A GPU's
   process may take long because of the driver. If the current code is as slow to end, the
   candidate is not at fault. */
static bool lingers(const struct pawl_tune_bench *bench,
                    const struct pawl_ready_kernel *candidate) {
  const bool *lingered = candidate->worker.lingered, *base = bench->base->worker.lingered;
  return candidate->spec->device == PAWL_CPU && lingered && *lingered && !(base && *base);
}

pawl_status pawl_tune_bench_screen(struct pawl_tune_bench *bench,
                                   const struct pawl_ready_kernel *candidate,
                                   struct pawl_tune_evaluation *out, struct pawl_error *err) {
  forget_candidate(bench);
  *out = no_evaluation(bench);
  const enum pawl_status_code status = bench_screen(bench, candidate, out, err);
  end_process(&bench->processes, 1);
  if (status == PAWL_OK && out->outcome == PAWL_OUTCOME_OK && lingers(bench, candidate)) {
    out->outcome = PAWL_OUTCOME_HUNG;
    out->reason =
        "its process did not exit when pawl asked it to; does a destructor or a function of "
        "atexit() wait?";
  }
  return status;
}

/* --- whole blocks --- */

static pawl_status tuning_bench_take_blocks(struct pawl_tune_bench *bench,
                                            const struct pawl_ready_kernel *candidate,
                                            const bool *wanted, const struct how *how,
                                            struct pawl_tune_evaluation *out,
                                            struct pawl_error *err) {
  for (size_t i = 0; i < bench->case_count && out->outcome == PAWL_OUTCOME_OK; i++) {
    struct pawl_tune_case *item = &bench->cases[i];
    struct pawl_block block;
    if (wanted && !wanted[i]) continue;
    PAWL_TRY(run_pair(bench, item, candidate, how, &block, out, err));
    item->block_seconds = block.total_seconds;
  }
  return PAWL_OK;
}

pawl_status pawl_tune_bench_block(struct pawl_tune_bench *bench,
                                  const struct pawl_ready_kernel *candidate, const bool *wanted,
                                  uint64_t number, struct pawl_tune_evaluation *out,
                                  struct pawl_error *err) {
  const struct pawl_measure_spec *spec = &bench->project->suite.measure;
  struct pawl_block_processes fresh = {0};
  const struct how how = {.samples = pawl_paired_bench_samples(spec),
                          .warmup = spec->warmup,
                          .rounds = rounds_of(bench),
                          .checked = true,
                          .processes = &fresh,
                          .number = number,
                          .first_arm = (int)(number % 2)};
  forget_candidate(bench);
  *out = no_evaluation(bench);
  const enum pawl_status_code status =
      tuning_bench_take_blocks(bench, candidate, wanted, &how, out, err);
  if (fresh.workers[0]) bench->process_bytes = pawl_worker_private_bytes(fresh.workers[0]);
  pawl_block_processes_release(&fresh);
  bench->block_seconds = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    bench->block_seconds += bench->cases[i].block_seconds;
  return status;
}

/* --- rounds of a race --- */

/* If one of several arms writes outside its buffers, a run beside the current code alone shows
   which arm it is. */
static pawl_status run_one_by_one(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                                  struct pawl_tune_arm *arms, size_t count, const struct how *how,
                                  struct pawl_error *err) {
  const ptrdiff_t number = item - bench->cases;
  struct how alone = *how;
  struct pawl_block block;
  alone.processes = NULL;
  alone.first_arm = how->first_arm % 2;
  for (size_t i = 0; i < count; i++) {
    if (arms[i].evaluation.outcome != PAWL_OUTCOME_OK) continue;
    item->verified[1] = arms[i].verified[number];
    PAWL_TRY(run_pair(bench, item, arms[i].kernel, &alone, &block, &arms[i].evaluation, err));
    arms[i].verified[number] = item->verified[1];
    if (arms[i].evaluation.outcome != PAWL_OUTCOME_OK) end_process(how->processes, i + 1);
  }
  return PAWL_OK;
}

/* An arm that failed on an earlier case takes no part. */
static pawl_status run_round_on(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                                struct pawl_tune_arm *arms, size_t count, const struct how *how,
                                struct pawl_error *err) {
  const struct pawl_ready_kernel *kernels[PAWL_MAX_ARMS] = {0};
  const ptrdiff_t number = item - bench->cases;
  struct pawl_block block;
  for (size_t i = 0; i < count; i++) {
    item->verified[i + 1] = arms[i].verified[number];
    if (arms[i].evaluation.outcome == PAWL_OUTCOME_OK) kernels[i] = arms[i].kernel;
  }
  PAWL_TRY(run_block(bench, item, kernels, count, how, &block, err));
  if (block.stray_write) return run_one_by_one(bench, item, arms, count, how, err);
  for (size_t i = 0; i < count; i++) {
    arms[i].verified[number] = item->verified[i + 1];
    if (kernels[i]) PAWL_TRY(read_arm(bench, item, &block, i + 1, how, &arms[i].evaluation, err));
  }
  return PAWL_OK;
}

/* Measures the current code and these arms on all cases, in fresh processes that start together. */
static pawl_status run_group(struct pawl_tune_bench *bench, struct pawl_tune_arm *arms,
                             size_t count, uint64_t number, struct pawl_error *err) {
  const struct pawl_ready_kernel *kernels[PAWL_MAX_ARMS] = {bench->base};
  struct pawl_block_processes fresh = {0};
  const struct how how = {.samples = RACE_SAMPLES,
                          .warmup = bench->project->suite.measure.warmup,
                          .rounds = rounds_of(bench),
                          .checked = true,
                          .unproven = true,
                          .processes = &fresh,
                          .number = number,
                          .first_arm = (int)(number % (count + 1))};
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count; i++) kernels[i + 1] = arms[i].kernel;
  pawl_tune_bench_start(bench, kernels, count + 1);
  for (size_t i = 0; i <= count; i++) tuning_bench_take_waiting(bench, kernels[i], &fresh, i);
  for (size_t i = 0; i < bench->case_count && status == PAWL_OK; i++)
    status = run_round_on(bench, &bench->cases[i], arms, count, &how, err);
  pawl_block_processes_release(&fresh);
  return status;
}

/* The most racers that may run at once beside the current code. */
static size_t group_limit(struct pawl_tune_bench *bench) {
  const struct pawl_device *device = device_of(bench);
  const int limit = bench->base->spec->device == PAWL_CUDA
                        ? process_limit(bench)
                        : pawl_ahead_room(device, bench->process_bytes, PAWL_MAX_ARMS);
  return limit > 2 ? (size_t)limit - 1 : 1;
}

pawl_status pawl_tune_bench_round(struct pawl_tune_bench *bench, struct pawl_tune_arm *arms,
                                  size_t count, uint64_t number, struct pawl_error *err) {
  pawl_block_processes_release(&bench->processes); /* ends the processes of the screening */
  const size_t most = group_limit(bench), groups = (count + most - 1) / most;
  for (size_t i = 0; i < count; i++) arms[i].evaluation = no_evaluation(bench);
  for (size_t group = 0; group < groups;
       /* The groups differ by one racer at most, so that no racer is compared with only a few. */
       group++) {
    const size_t begin = count * group / groups, end = count * (group + 1) / groups;
    PAWL_TRY(run_group(bench, &arms[begin], end - begin, number, err));
  }
  return PAWL_OK;
}

/* --- opening and closing --- */

static pawl_status bench_open_case(struct pawl_tune_bench *bench, struct pawl_tune_case *item,
                                   struct pawl_oracle *oracle, const struct pawl_case *config,
                                   uint64_t seed, struct pawl_error *err) {
  const struct pawl_check_spec *check = pawl_suite_check(&bench->project->suite, oracle->info.name);
  *item = (struct pawl_tune_case){.config = config, .best = 1};
  PAWL_TRY(pawl_oracle_tolerance(oracle, config->dtype, check, &item->tolerance, err));
  PAWL_TRY(pawl_problem_init(&item->problem, oracle, config, PAWL_MEASURE_SETS, err));
  item->open = true;
  return pawl_measure_fill(&item->problem, seed, true, err);
}

pawl_status pawl_tune_bench_open(struct pawl_tune_bench *bench, struct pawl_project *project,
                                 struct pawl_oracle *oracle, const struct pawl_ready_kernel *base,
                                 const struct pawl_case *const *cases, size_t case_count,
                                 uint64_t seed, struct pawl_jobs *jobs, struct pawl_error *err) {
  struct pawl_tune_evaluation self;
  PAWL_ASSERT(case_count >= 1 && case_count <= PAWL_TUNE_MOST_CASES);
  *bench = (struct pawl_tune_bench){.project = project, .jobs = jobs, .base = base, .best = 1};
  for (size_t i = 0; i < case_count; i++) {
    PAWL_TRY(
        bench_open_case(bench, &bench->cases[bench->case_count++], oracle, cases[i], seed, err));
  }
  return pawl_tune_bench_block(bench, base, NULL, 0, &self, err);
}

void pawl_tune_bench_close(struct pawl_tune_bench *bench) {
  if (!bench) return;
  pawl_block_processes_release(&bench->processes);
  drop_waiting(bench);
  /* a case is released before the cases that it depends on */
  for (size_t i = bench->case_count; i > 0; i--)
    if (bench->cases[i - 1].open) pawl_problem_release(&bench->cases[i - 1].problem);
  pawl_arena_clear(&bench->arena);
  *bench = (struct pawl_tune_bench){0};
}
