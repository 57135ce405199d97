/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/paired_bench.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/philox.h"
#include "base/progress.h"
#include "loop/bench_row.h"
#include "loop/waiting_pairs.h"
#include "measure/flush.h"
#include "measure/guard.h"
#include "measure/harness.h"
#include "measure/result_builder.h"
#include "measure/round_ratio.h"
#include "report/row_change.h"
#include "stats/describe.h"
#include "stats/sort.h"

/* Hand-overs between the arms inside a block. What else runs on a CPU comes and goes within milliseconds: there the
   arms take turns at nearly every sample. */
#define GPU_ROUNDS 4
#define CPU_ROUNDS 20
#define MIN_SAMPLES 10
#define FIRST_GROUP 8 /* pairs of processes that start at once: as many blocks as the quickest verdict takes */
#define LATER_GROUP 4
#define STREAM_PLACES 0x706c61636573u /* of the run's seed: far from those of a block */
#define CONFIRMATION_SEED 1000000u    /* added: the confirmation's blocks are other blocks */

/* The one block of a harness that the requests of a turn share. */
struct shared_block {
  struct pawl_block block;
  bool measured;
};

enum phase { JUDGING, CONFIRMING, DONE };

/* Blocks of one request as they come. */
struct measuring {
  struct pawl_project *project;
  const struct pawl_paired_bench_request *request;
  struct pawl_arena *arena;
  struct pawl_problem *problem; /* `own`, or that of an earlier request on the same inputs */
  struct pawl_problem own;
  struct pawl_block_plan plan;
  struct pawl_verified verified[PAWL_MAX_ARMS];
  struct shared_block *shared; /* of the turn, of a harness; NULL: each request has a block of its own */
  struct pawl_tolerance tolerance;
  struct pawl_paired_bench_outcome outcome;
  struct pawl_paired_test paired, again; /* again: the confirmation's blocks */
  size_t confirmed;                      /* of those, that count */
  double own_busy;                       /* the sum over the blocks that count */
  size_t own_blocks;
  struct pawl_bench_row row; /* of the candidate's own result, where it is asked for */
  struct pawl_result_builder builder;
  enum phase phase;
};

static void keep_samples(struct pawl_arena *arena, const struct pawl_arm_block *arm, double **samples, size_t *count) {
  double *grown = pawl_arena_alloc(arena, *count + arm->count, sizeof *grown);
  if (*count) memcpy(grown, *samples, *count * sizeof *grown);
  for (size_t i = 0; i < arm->count; i++) grown[*count + i] = pawl_sample_ms(arm->seconds[i]);
  *samples = grown;
  *count += arm->count;
}

/* Of a harness the first request of the turn runs it, for all. */
static pawl_status measure_block(struct measuring *measuring, struct pawl_block *out, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  const struct pawl_worker_options *const arms[] = {&request->base->worker, &request->candidate->worker};
  struct shared_block *shared = measuring->shared;
  struct pawl_block *block = shared ? &shared->block : out;
  if (!shared || !shared->measured)
    PAWL_TRY(pawl_measure_block(measuring->problem, arms, 2, &measuring->plan, measuring->arena, block, err));
  if (request->own_row && measuring->phase == JUDGING) pawl_result_builder_add(&measuring->builder, block, 1);
  for (int i = 0; i < 2; i++) json_decref(block->arms[i].environment), block->arms[i].environment = NULL;
  if (!shared) return PAWL_OK;
  shared->measured = true;
  *out = pawl_block_of_benchmark(block, request->config->name, pawl_command_case(&measuring->project->suite).name,
                                 measuring->arena);
  return PAWL_OK;
}

/* The times of the block's arms, which are its ratio. */
static pawl_status block_times(const struct measuring *measuring, const struct pawl_block *block, double *base,
                               double *candidate, struct pawl_error *err) {
  const struct pawl_arm_block *a = &block->arms[0], *b = &block->arms[1];
  if (measuring->shared) return pawl_median_ratio(a->seconds, a->count, b->seconds, b->count, base, candidate, err);
  return pawl_round_ratio(a->seconds, b->seconds, a->count, measuring->plan.rounds, measuring->arena, base, candidate,
                          err);
}

/* Soon, because the verdict may come soon. Both arms make these calls after their timed ones: then processes that serve
   the next case too have done the same. */
static int unseen_pairs_left(const struct measuring *measuring) {
  if (!measuring->request->own_row || measuring->phase != JUDGING) return 0;
  const int left = PAWL_UNSEEN_PAIRS - measuring->builder.unseen_pairs;
  return left > 0 ? left : 0;
}

/* Measures one block and appends it; `number` is the block's own, for seeds. *ended: an arm is not OK. */
static pawl_status add_block(struct measuring *measuring, struct pawl_paired_test *paired, uint64_t number,
                             enum pawl_place place, bool *ended, struct pawl_error *err) {
  struct pawl_arena *arena = measuring->arena;
  struct pawl_block block;
  measuring->plan.seed = measuring->request->input_seed + number;
  measuring->plan.order_seed = measuring->request->seed + number;
  measuring->plan.first_arm = place == PAWL_PLACE_CANDIDATE_FIRST;
  measuring->plan.unseen_pairs = unseen_pairs_left(measuring);
  PAWL_TRY(measure_block(measuring, &block, err));
  pawl_log_detail(measuring->project->options.log, "%s on %s: a block took %.2f s, with %.2f s for the start",
                  paired->kernel_name, paired->case_name, block.total_seconds, block.start_seconds);
  measuring->outcome.base = block.arms[0].outcome;
  measuring->outcome.candidate = block.arms[1].outcome;
  for (int i = 0; i < 2 && !*ended; i++) {
    if (block.arms[i].outcome == PAWL_OUTCOME_OK) continue;
    measuring->outcome.reason = block.arms[i].reason;
    *ended = true;
  }
  if (*ended) return PAWL_OK;
  struct pawl_paired_block *grown = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *grown);
  if (paired->block_count) memcpy(grown, paired->blocks, paired->block_count * sizeof *grown);
  struct pawl_paired_block *added = &grown[paired->block_count];
  double base, candidate;
  PAWL_TRY(block_times(measuring, &block, &base, &candidate, err));
  added->base_ms = base * 1e3;
  added->candidate_ms = candidate * 1e3;
  added->spoiled = pawl_block_spoiled(&block, arena);
  if (!added->spoiled && measuring->project->suite.gate.busy == PAWL_BUSY_REPEAT)
    added->spoiled = pawl_block_crowded(&block, arena);
  added->place = place;
  paired->blocks = grown;
  paired->block_count++;
  if (added->spoiled) return PAWL_OK;
  measuring->own_busy += block.own_busy;
  measuring->outcome.cpus_used = measuring->own_busy / (double)++measuring->own_blocks;
  keep_samples(arena, &block.arms[0], &paired->base_samples_ms, &paired->base_sample_count);
  keep_samples(arena, &block.arms[1], &paired->candidate_samples_ms, &paired->candidate_sample_count);
  return PAWL_OK;
}

static bool is_late(const struct pawl_paired_bench_request *request) {
  return request->deadline_ns && pawl_clock_ns() > request->deadline_ns;
}

/* One more block for the verdict; then the test answers, the budget ends, or an arm fails, or none of these. */
static pawl_status judge_block(struct measuring *measuring, enum pawl_place place, struct pawl_error *err) {
  struct pawl_paired_test *paired = &measuring->paired;
  const struct pawl_paired_bench_request *request = measuring->request;
  bool ended = false;
  PAWL_TRY(add_block(measuring, paired, paired->block_count, place, &ended, err));
  PAWL_TRY(pawl_paired_test_judge(paired, err));
  if (ended && paired->decision == PAWL_DECISION_CONTINUE) {
    paired->decision = PAWL_DECISION_INCONCLUSIVE;
    paired->reason = measuring->outcome.reason;
  }
  if (paired->decision == PAWL_DECISION_CONTINUE && is_late(request)) {
    paired->decision = PAWL_DECISION_INCONCLUSIVE;
    paired->reason = "the budget of the run ended before the blocks gave an answer";
  }
  if (paired->decision == PAWL_DECISION_IMPROVEMENT && request->confirm)
    measuring->phase = CONFIRMING;
  else if (paired->decision != PAWL_DECISION_CONTINUE ||
           (request->max_blocks > 0 && paired->block_count >= (size_t)request->max_blocks))
    measuring->phase = DONE;
  return PAWL_OK;
}

/* As many blocks again, none of which the verdict has seen: their median alone says how large the improvement is. */
static pawl_status confirm_block(struct measuring *measuring, enum pawl_place place, struct pawl_error *err) {
  struct pawl_paired_test *paired = &measuring->paired, *again = &measuring->again;
  bool ended = false;
  again->policy = paired->policy;
  PAWL_TRY(add_block(measuring, again, CONFIRMATION_SEED + again->block_count, place, &ended, err));
  if (!ended) measuring->confirmed += !again->blocks[again->block_count - 1].spoiled;
  if (is_late(measuring->request)) ended = true;
  if (again->block_count - measuring->confirmed > pawl_paired_spoiled_limit(&paired->policy)) ended = true;
  if (!ended && measuring->confirmed < paired->counted) return PAWL_OK;
  measuring->phase = DONE;
  if (ended) return PAWL_OK;
  paired->confirmation = again->blocks;
  paired->confirmation_count = again->block_count;
  paired->confirmed_samples_ms = again->candidate_samples_ms;
  paired->confirmed_sample_count = again->candidate_sample_count;
  return pawl_paired_test_judge(paired, err);
}

int pawl_paired_bench_samples(const struct pawl_measure_spec *spec) {
  const int share = spec->samples / (spec->processes > 0 ? spec->processes : 1);
  return share < MIN_SAMPLES ? MIN_SAMPLES : share;
}

static void describe(struct pawl_project *project, const struct pawl_paired_bench_request *request,
                     struct pawl_paired_test *paired) {
  const struct pawl_gate_spec *gate = &project->suite.gate;
  pawl_paired_test_init(paired);
  paired->kernel_name = request->candidate->spec->name;
  paired->case_name = request->config->name;
  paired->anchor = request->anchor;
  paired->anchor_kind = request->anchor_kind;
  paired->seed = request->seed;
  paired->identical = !request->injected && pawl_same_machine_code(request->base, request->candidate);
  if (request->candidate->spec->device == PAWL_CUDA && !paired->identical) paired->gpu = request->candidate->worker.gpu;
  paired->policy = (struct pawl_sequential_policy){.rule = PAWL_SEQUENTIAL_RULE,
                                                   .tolerate = gate->tolerate,
                                                   .detect = gate->detect,
                                                   .false_alarm = gate->false_alarm,
                                                   .miss = gate->miss,
                                                   .max_blocks = gate->max_blocks,
                                                   .comparisons = request->comparisons};
}

static pawl_status begin_row(struct measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  PAWL_TRY(pawl_bench_row_begin(measuring->project, request->candidate, request->oracle, request->config,
                                &measuring->project->suite.measure, &measuring->row, err));
  pawl_result_builder_init(&measuring->builder, measuring->problem, &measuring->row.options, measuring->arena);
  return PAWL_OK;
}

/* The candidate's own result, while its problem is open. */
static pawl_status finish_row(struct measuring *measuring, struct pawl_error *err) {
  struct pawl_paired_bench_outcome *outcome = &measuring->outcome;
  if (!measuring->request->own_row || !measuring->row.options.worker || outcome->base != PAWL_OUTCOME_OK)
    return PAWL_OK;
  struct pawl_result *own = pawl_arena_alloc(measuring->arena, 1, sizeof *own);
  PAWL_TRY(pawl_result_builder_finish(&measuring->builder, own, err));
  pawl_json_set_string(own->environment, PAWL_TIMED, PAWL_TIMED_IN_PAIRS);
  outcome->own = own;
  return PAWL_OK;
}

/* A kernel's process serves many samples, a command's process one. A command's block is a run of each arm, after a run
   that does not count, so that neither arm is the first to read its files. */
static pawl_status prepare(struct measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  const struct pawl_suite *suite = &measuring->project->suite;
  const struct pawl_measure_spec *spec = &suite->measure;
  const struct pawl_device *device =
      pawl_devices_find(&measuring->project->devices, request->candidate->spec->device, NULL);
  measuring->plan = (struct pawl_block_plan){.samples = 1, .rounds = 1, .cache = spec->cache, .device = device};
  if (!request->oracle) return PAWL_OK;
  const struct pawl_check_spec *check = pawl_suite_check(suite, request->oracle->info.name);
  PAWL_TRY(pawl_oracle_tolerance(request->oracle, request->config->dtype, check, &measuring->tolerance, err));
  measuring->plan.warmup = spec->warmup;
  measuring->plan.samples = request->samples > 0 ? request->samples : pawl_paired_bench_samples(spec);
  measuring->plan.rounds = request->candidate->spec->device == PAWL_CUDA ? GPU_ROUNDS : CPU_ROUNDS;
  measuring->plan.flush_bytes = pawl_measure_flush_bytes(device);
  measuring->plan.threads = pawl_measure_threads(&measuring->project->suite.measure);
  measuring->plan.tolerance = &measuring->tolerance;
  measuring->plan.unchecked = request->injected;
  measuring->plan.verified = measuring->verified;
  for (int i = 0; i < 2; i++) measuring->plan.delay_ns[i] = request->delay_ns[i];
  return request->own_row ? begin_row(measuring, err) : PAWL_OK;
}

/* Draws the inputs, and has the expected values. */
static pawl_status fill(struct measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  if (!request->oracle || measuring->problem != &measuring->own) return PAWL_OK;
  return pawl_measure_fill(measuring->problem, request->input_seed, !request->injected, err);
}

static bool is_harness(const struct measuring *measuring) {
  return measuring->request->candidate->worker.reader.read != NULL;
}

/* A command's first run reads its files from the disk: it counts for nothing. */
static pawl_status run_once(struct measuring *measuring, struct shared_block *shared, struct pawl_error *err) {
  struct pawl_paired_test first;
  bool ended = false;
  pawl_paired_test_init(&first);
  measuring->shared = is_harness(measuring) ? shared : NULL;
  const enum pawl_status_code status = add_block(measuring, &first, 0, PAWL_PLACE_BASE_FIRST, &ended, err);
  measuring->shared = NULL;
  return status;
}

/* The benchmarks that `select` leaves in, and that the base's run alone has. */
static struct pawl_strings find_left(const struct measuring *measuring, const struct pawl_block *block) {
  const struct pawl_arm_block *base = &block->arms[0], *candidate = &block->arms[1];
  struct pawl_strings left = {0};
  if (base->outcome != PAWL_OUTCOME_OK || candidate->outcome != PAWL_OUTCOME_OK) return left;
  for (size_t i = 0; i < base->benchmarks.count; i++) {
    const char *name = base->benchmarks.items[i].name;
    if (name && !pawl_benchmarks_find(&candidate->benchmarks, name) &&
        pawl_kernel_selects(measuring->request->candidate->spec, name))
      pawl_strings_add(&left, measuring->arena, name);
  }
  return left;
}

static bool same_inputs(const struct pawl_paired_bench_request *a, const struct pawl_paired_bench_request *b) {
  return a->config == b->config && a->injected && b->injected && a->input_seed == b->input_seed;
}

/* Has the inputs in memory and everything else ready. `earlier` requests of the batch are open. */
static pawl_status open_request(struct measuring *measuring, const struct measuring *earlier, size_t count,
                                struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  measuring->problem = &measuring->own;
  if (!request->oracle) {
    measuring->own = pawl_measure_command_problem();
    return prepare(measuring, err);
  }
  for (size_t i = 0; i < count; i++) {
    if (earlier[i].phase != DONE && same_inputs(earlier[i].request, request)) measuring->problem = earlier[i].problem;
  }
  if (measuring->problem == &measuring->own)
    PAWL_TRY(pawl_problem_init(&measuring->own, request->oracle, request->config, PAWL_MEASURE_SETS, err));
  return prepare(measuring, err);
}

static void close_request(struct measuring *measuring) {
  pawl_result_builder_release(&measuring->builder);
  if (measuring->request->oracle) pawl_problem_release(&measuring->own);
}

/* A quarter of the machine's memory for tensors: the rest is the operator's, the kernels' and the system's. */
static uint64_t memory_share(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : UINT64_MAX;
}

/* The blocks that grow now. */
static const struct pawl_paired_test *test_of(const struct measuring *measuring) {
  return measuring->phase == JUDGING ? &measuring->paired : &measuring->again;
}

static enum pawl_place place_wanted(const struct measuring *measuring, enum pawl_place coin) {
  const struct pawl_paired_test *test = test_of(measuring);
  return pawl_paired_next_place(test->blocks, test->block_count, coin);
}

static bool was_disturbed(const struct pawl_paired_test *test) {
  return test->block_count && test->blocks[test->block_count - 1].spoiled;
}

/* The blocks so far of all requests, the most that may come, and of this one the estimate so far. */
static void show_progress(const struct measuring *batch, size_t count, const struct measuring *now) {
  const struct pawl_paired_test *paired = &now->paired;
  const bool judging = now->phase == JUDGING;
  struct pawl_progress progress = {"judging", 0, 0, true};
  char estimate[PAWL_ROW_CHANGE] = "";
  if (now->request->silent) return;
  for (size_t i = 0; i < count; i++) {
    const struct measuring *one = &batch[i];
    const size_t limit = one->phase == JUDGING      ? (size_t)one->paired.policy.max_blocks
                         : one->phase == CONFIRMING ? 2 * one->paired.counted
                                                    : one->paired.counted + one->confirmed;
    progress.done += (double)(one->paired.counted + one->confirmed);
    progress.total += (double)limit;
  }
  const bool again = was_disturbed(judging ? paired : &now->again);
  const bool known = isfinite(paired->slowdown.estimate);
  pawl_progress_show(now->project->options.log, &progress, "%s on %s, %s %zu%s%s%s", paired->kernel_name,
                     paired->case_name, judging ? "block" : "confirming block",
                     (judging ? paired->counted : now->confirmed) + 1, again ? " (disturbed, again)" : "",
                     known ? ": " : "", known ? pawl_slowdown_words(&paired->slowdown, estimate) : "");
}

/* One block of each request that wants this place, all of them served by one pair of fresh processes, which may have
   waited. */
static pawl_status take_blocks(struct measuring *batch, size_t count, const enum pawl_place *wanted,
                               enum pawl_place place, struct pawl_waiting_pairs *waiting, struct pawl_error *err) {
  struct pawl_block_processes fresh = {0}, *ready = NULL;
  struct shared_block shared = {0};
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    struct measuring *measuring = &batch[i];
    if (measuring->phase == DONE || wanted[i] != place) continue;
    show_progress(batch, count, measuring);
    if (!ready) ready = pawl_waiting_pairs_take(waiting, place);
    if (measuring->request->oracle) measuring->plan.processes = ready ? ready : &fresh;
    measuring->shared = is_harness(measuring) ? &shared : NULL;
    status = measuring->phase == JUDGING ? judge_block(measuring, place, err) : confirm_block(measuring, place, err);
    measuring->plan.processes = NULL;
    measuring->shared = NULL;
  }
  pawl_block_processes_release(&fresh);
  return status;
}

/* One block of each request that is not decided. Those at the first block of a pair take the turn's coin, the others
   the place that their pair lacks: where all blocks count, all want the same. */
static pawl_status take_turn(struct measuring *batch, size_t count, enum pawl_place tossed,
                             struct pawl_waiting_pairs *waiting, bool *any, struct pawl_error *err) {
  enum pawl_place *wanted = pawl_alloc(count, sizeof *wanted);
  *any = false;
  for (size_t i = 0; i < count; i++) {
    wanted[i] = place_wanted(&batch[i], tossed);
    *any |= batch[i].phase != DONE;
  }
  enum pawl_status_code status = take_blocks(batch, count, wanted, PAWL_PLACE_BASE_FIRST, waiting, err);
  if (status == PAWL_OK) status = take_blocks(batch, count, wanted, PAWL_PLACE_CANDIDATE_FIRST, waiting, err);
  pawl_free(wanted);
  return status;
}

static enum pawl_place toss(struct pawl_random *coins) {
  return pawl_random_below(coins, 2) ? PAWL_PLACE_CANDIDATE_FIRST : PAWL_PLACE_BASE_FIRST;
}

/* The places that the request's next blocks have if all of them count. */
static void foresee_places(const struct measuring *measuring, struct pawl_random coins, enum pawl_place *out,
                           size_t count) {
  const struct pawl_paired_test *test = test_of(measuring);
  struct pawl_paired_block *blocks = pawl_alloc(test->block_count + count, sizeof *blocks);
  if (test->block_count) memcpy(blocks, test->blocks, test->block_count * sizeof *blocks);
  for (size_t i = 0; i < count; i++) {
    const size_t number = test->block_count + i;
    out[i] = blocks[number].place = pawl_paired_next_place(blocks, number, toss(&coins));
  }
  pawl_free(blocks);
}

/* How many more blocks are worth starting now. A verdict takes at least as many as the first group has; afterwards any
   block may be the last. */
static size_t worth_starting(const struct measuring *batch, size_t count) {
  size_t largest = 0;
  for (size_t i = 0; i < count; i++) {
    const struct measuring *one = &batch[i];
    if (one->phase == DONE) continue;
    const size_t taken = test_of(one)->block_count;
    size_t wanted = taken ? LATER_GROUP : FIRST_GROUP;
    const size_t limit = (size_t)one->request->max_blocks;
    if (limit && taken + wanted > limit) wanted = limit > taken ? limit - taken : 0;
    if (wanted > largest) largest = wanted;
  }
  return largest;
}

/* Of the request's next block. */
static uint64_t next_seed(const struct measuring *measuring) {
  const uint64_t first = measuring->phase == JUDGING ? 0 : CONFIRMATION_SEED;
  return measuring->request->input_seed + first + test_of(measuring)->block_count;
}

/* Starts pairs of processes for the next blocks, where the device has the room. */
static void launch_ahead(struct measuring *batch, size_t count, const struct pawl_random *coins,
                         struct pawl_waiting_pairs *waiting) {
  struct measuring *first = NULL;
  uint64_t bytes = 0;
  enum pawl_place places[PAWL_WAITING_PAIRS];
  for (size_t i = 0; i < count; i++) {
    if (batch[i].phase == DONE || !batch[i].request->oracle) continue;
    if (!first) first = &batch[i];
    const uint64_t needed = pawl_ahead_bytes(first->plan.device, batch[i].problem);
    if (needed > bytes) bytes = needed;
  }
  if (!first) return;
  size_t pairs = worth_starting(batch, count);
  const size_t room = (size_t)pawl_ahead_limit(first->plan.device, bytes) / 2;
  if (pairs > room) pairs = room;
  if (pairs > PAWL_WAITING_PAIRS) pairs = PAWL_WAITING_PAIRS;
  if (pairs < 2) return;
  foresee_places(first, *coins, places, pairs);
  if (pawl_waiting_pairs_have(waiting, places[0])) return;
  const struct pawl_worker_options *const arms[] = {&first->request->base->worker, &first->request->candidate->worker};
  pawl_waiting_pairs_launch(waiting, first->problem, arms, next_seed(first), places, pairs);
}

/* The same, and has them ready for the first request that is not decided. */
static void start_ahead(struct measuring *batch, size_t count, const struct pawl_random *coins,
                        struct pawl_waiting_pairs *waiting) {
  size_t first = 0;
  launch_ahead(batch, count, coins, waiting);
  while (first < count && batch[first].phase == DONE) first++;
  if (first == count || !waiting->count) return;
  const struct pawl_paired_bench_request *request = batch[first].request;
  const struct pawl_worker_options *const arms[] = {&request->base->worker, &request->candidate->worker};
  pawl_waiting_pairs_ready(waiting, batch[first].problem, arms, batch[first].plan.threads);
}

static struct pawl_random begin_coins(const struct measuring *batch) {
  return pawl_random_init(batch[0].request->seed, STREAM_PLACES);
}

/* Opens requests until the next would no longer fit beside them: one at least. Processes start while inputs are drawn.
 */
static pawl_status open_batch(struct measuring *batch, size_t count, size_t *opened, struct pawl_waiting_pairs *waiting,
                              struct pawl_error *err) {
  const uint64_t share = memory_share();
  const struct pawl_random coins = begin_coins(batch);
  for (*opened = 0; *opened < count; (*opened)++) {
    struct measuring *next = &batch[*opened];
    if (next->phase == DONE) continue;
    enum pawl_status_code status = open_request(next, batch, *opened, err);
    const struct pawl_oracle *oracle = next->request->oracle;
    if (status == PAWL_OK && *opened && oracle && oracle->used > share) {
      close_request(next);
      break;
    }
    if (status == PAWL_OK && !waiting->count) launch_ahead(next, 1, &coins, waiting);
    if (status == PAWL_OK) status = fill(next, err);
    if (status != PAWL_OK) {
      close_request(next);
      return status;
    }
  }
  return PAWL_OK;
}

static pawl_status take_turns(struct measuring *batch, size_t count, struct pawl_waiting_pairs *waiting,
                              struct pawl_error *err) {
  struct pawl_random coins = begin_coins(batch);
  for (bool any = true; any;) {
    start_ahead(batch, count, &coins, waiting);
    PAWL_TRY(take_turn(batch, count, toss(&coins), waiting, &any, err));
  }
  return PAWL_OK;
}

static pawl_status measure(struct measuring *batch, size_t count, struct pawl_waiting_pairs *waiting,
                           struct pawl_error *err) {
  struct shared_block first = {0};
  for (size_t i = 0; i < count; i++) {
    if (batch[i].phase != DONE && !batch[i].request->oracle) PAWL_TRY(run_once(&batch[i], &first, err));
  }
  if (first.measured) batch[0].outcome.left = find_left(&batch[0], &first.block);
  const enum pawl_status_code status = take_turns(batch, count, waiting, err);
  if (status == PAWL_OK && !batch->request->silent) pawl_progress_end(batch->project->options.log);
  return status;
}

pawl_status pawl_paired_bench(struct pawl_project *project, const struct pawl_paired_bench_request *requests,
                              size_t count, struct pawl_paired_test *out, struct pawl_paired_bench_outcome *outcomes,
                              struct pawl_error *err) {
  struct measuring *all = pawl_alloc(count + 1, sizeof *all);
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    all[i].project = project;
    all[i].request = &requests[i];
    all[i].outcome.cpus_used = NAN;
    all[i].arena = requests[i].arena ? requests[i].arena : &project->arena;
    describe(project, &requests[i], &all[i].paired);
    pawl_paired_test_init(&all[i].again);
    all[i].again.kernel_name = all[i].paired.kernel_name;
    all[i].again.case_name = all[i].paired.case_name;
    if (!all[i].paired.identical) continue;
    all[i].phase = DONE;
    status = pawl_paired_test_judge(&all[i].paired, err);
  }
  for (size_t first = 0, opened; first < count && status == PAWL_OK; first += opened) {
    struct pawl_waiting_pairs waiting = {0};
    status = open_batch(all + first, count - first, &opened, &waiting, err);
    if (status == PAWL_OK) status = measure(all + first, opened, &waiting, err);
    pawl_waiting_pairs_release(&waiting);
    for (size_t i = 0; i < opened && status == PAWL_OK; i++) status = finish_row(&all[first + i], err);
    for (size_t i = opened; i > 0; i--) close_request(&all[first + i - 1]);
  }
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    out[i] = all[i].paired;
    outcomes[i] = all[i].outcome;
  }
  pawl_free(all);
  return status;
}
