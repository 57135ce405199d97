/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bench.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/philox.h"
#include "base/progress.h"
#include "measure/flush.h"
#include "measure/result_builder.h"
#include "model/gate_rules.h"
#include "pairs/block.h"
#include "pairs/waiting.h"
#include "report/row_change.h"

/* Hand-overs between the arms inside a block. Other load on a CPU comes and goes within
   milliseconds, so the arms on a CPU take turns at nearly every sample. */
#define GPU_ROUNDS 4
#define CPU_ROUNDS 20
#define MIN_SAMPLES 10
#define LEAST_PAIR_FLUSH ((uint64_t)4 << 20)
#define MOST_PAIR_FLUSH ((uint64_t)16 << 20)
/* Pairs of processes that start together: the quickest verdict takes as many blocks. */
#define FIRST_GROUP 8
#define LATER_GROUP 4
#define TOLD_WAIT 0.005
#define STREAM_PLACES \
  0x706c61636573u /* stream of the run's seed, far from the streams of the blocks */

int pawl_paired_bench_samples(const struct pawl_measure_spec *spec) {
  const int share = spec->samples / (spec->processes > 0 ? spec->processes : 1);
  return share < MIN_SAMPLES ? MIN_SAMPLES : share;
}

int pawl_paired_bench_rounds(int32_t device) {
  return device == PAWL_CUDA ? GPU_ROUNDS : CPU_ROUNDS;
}

/* Reads twice as much as the second level of the cache holds. */
static uint64_t flush_of_core(void) {
  const long level = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const uint64_t bytes = level > 0 ? 2 * (uint64_t)level : MOST_PAIR_FLUSH;
  if (bytes > MOST_PAIR_FLUSH) return MOST_PAIR_FLUSH;
  return bytes > LEAST_PAIR_FLUSH ? bytes : LEAST_PAIR_FLUSH;
}

/* Where no worker's flush empties the last level of the cache, a flush has to empty the caches and
   the TLB of the core alone. The worker of a plug-in reads a line of each page that a TLB has. */
static uint64_t bytes_to_flush(const struct pawl_paired_bench_request *request,
                               const struct pawl_device *device) {
  const uint64_t bytes = pawl_measure_flush_bytes(device);
  const bool neither = pawl_worker_flush_bytes(&request->base->worker, bytes) < bytes &&
                       pawl_worker_flush_bytes(&request->candidate->worker, bytes) < bytes;
  return neither ? flush_of_core() : bytes;
}

static void bench_describe(struct pawl_project *project,
                           const struct pawl_paired_bench_request *request,
                           struct pawl_paired_test *paired) {
  pawl_paired_test_init(paired);
  paired->kernel_name = request->candidate->spec->name;
  paired->case_name = request->config->name;
  paired->config = request->config;
  paired->anchor = request->anchor;
  paired->anchor_kind = request->anchor_kind;
  paired->seed = request->seed;
  paired->identical = request->identical;
  const struct pawl_program_code *program = &request->candidate->program;
  if (paired->identical)
    paired->code_hash = program->hash ? program->hash : request->candidate->build.code_hash;
  if (paired->identical && program->hash)
    paired->reason = !strcmp(request->base->program.hash, program->hash)
                         ? "the program, its files and its arguments are the same"
                         : "comments of Python files are all that has changed";
  if (request->candidate->spec->device == PAWL_CUDA && !paired->identical)
    paired->gpu = request->candidate->worker.gpu;
  const struct pawl_gate_spec gate =
      pawl_gate_of_row(&project->suite.gate, paired->kernel_name, paired->case_name);
  paired->policy = pawl_gate_policy(&gate, request->comparisons);
  if (request->detect > 0) paired->policy.detect = request->detect;
}

static pawl_status begin_row(struct pawl_measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  PAWL_TRY(pawl_bench_row_begin(measuring->project, request->candidate, request->oracle,
                                request->config, &measuring->project->suite.measure,
                                &measuring->row, err));
  pawl_result_builder_init(&measuring->builder, measuring->problem, &measuring->row.options,
                           measuring->arena);
  return PAWL_OK;
}

/* The candidate's own result needs the open problem. */
static pawl_status finish_row(struct pawl_measuring *measuring, struct pawl_error *err) {
  struct pawl_paired_bench_outcome *outcome = &measuring->outcome;
  if (!measuring->request->own_row || !measuring->row.options.worker ||
      outcome->base != PAWL_OUTCOME_OK || outcome->candidate == PAWL_OUTCOME_INCONCLUSIVE)
    return PAWL_OK;
  struct pawl_result *own = pawl_arena_alloc(measuring->arena, 1, sizeof *own);
  PAWL_TRY(pawl_result_builder_finish(&measuring->builder, own, err));
  pawl_json_set_string(own->environment, PAWL_TIMED, PAWL_TIMED_IN_PAIRS);
  outcome->own = own;
  if (measuring->request->says_wrong && own->outcome == PAWL_OUTCOME_WRONG &&
      outcome->candidate == PAWL_OUTCOME_OK)
    pawl_bench_row_say(measuring->project->options.log, measuring->request->candidate->spec->name,
                       measuring->request->config, own->outcome, own->reason);
  return PAWL_OK;
}

/* A kernel's process serves many samples, and a command's process one. A command's block is one run
   of each arm. A run that does not count comes first, so neither arm is the first to read its
   files. */
static pawl_status bench_prepare(struct pawl_measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  const struct pawl_suite *suite = &measuring->project->suite;
  const struct pawl_measure_spec *spec = &suite->measure;
  const struct pawl_device *device =
      pawl_devices_find(&measuring->project->devices, request->candidate->spec->device, NULL);
  measuring->plan = (struct pawl_block_plan){
      .samples = 1, .rounds = 1, .cache = spec->cache, .device = device, .jobs = request->jobs};
  if (!request->oracle) return PAWL_OK;
  const struct pawl_check_spec *check = pawl_suite_check(suite, request->oracle->info.name);
  PAWL_TRY(pawl_oracle_tolerance(request->oracle, request->config->dtype, check,
                                 &measuring->tolerance, err));
  measuring->plan.warmup = spec->warmup;
  measuring->plan.samples =
      request->samples > 0 ? request->samples : pawl_paired_bench_samples(spec);
  measuring->plan.rounds = pawl_paired_bench_rounds(request->candidate->spec->device);
  measuring->least_samples = measuring->plan.samples;
  measuring->more_samples = !request->samples && device && device->kind == PAWL_CPU;
  measuring->plan.flush_bytes = bytes_to_flush(request, device);
  measuring->plan.threads = pawl_measure_threads(&measuring->project->suite.measure);
  measuring->plan.tolerance = &measuring->tolerance;
  measuring->plan.unchecked = request->injected;
  measuring->plan.verified = measuring->verified;
  for (int i = 0; i < 2; i++) measuring->plan.delay_ns[i] = request->delay_ns[i];
  return request->own_row ? begin_row(measuring, err) : PAWL_OK;
}

/* Draws the inputs and gets the expected values, once. */
static pawl_status bench_fill(struct pawl_measuring *measuring, struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  if (!request->oracle || measuring->problem != &measuring->own) return PAWL_OK;
  return pawl_measure_fill(measuring->problem, request->input_seed, !request->injected, err);
}

static bool is_harness(const struct pawl_measuring *measuring) {
  return measuring->request->candidate->worker.reader.read != NULL;
}

/* A command's first run reads its files from the disk, so it does not count. */
static pawl_status bench_run_once(struct pawl_measuring *measuring,
                                  struct pawl_shared_block *shared, struct pawl_error *err) {
  struct pawl_paired_test first;
  bool ended = false;
  pawl_paired_test_init(&first);
  measuring->shared = is_harness(measuring) ? shared : NULL;
  const enum pawl_status_code status =
      pawl_paired_block_add(measuring, &first, 0, PAWL_ORDER_BASE_FIRST, &ended, err);
  measuring->shared = NULL;
  return status;
}

/* Lists the selected benchmarks that only the base's run has. */
static struct pawl_strings find_left(const struct pawl_measuring *measuring,
                                     const struct pawl_block *block) {
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

static bool same_inputs(const struct pawl_paired_bench_request *a,
                        const struct pawl_paired_bench_request *b) {
  return a->config == b->config && a->injected && b->injected && a->input_seed == b->input_seed;
}

/* Brings the inputs into memory and prepares the rest. `earlier` requests of the batch are open. */
static pawl_status open_request(struct pawl_measuring *measuring,
                                const struct pawl_measuring *earlier, size_t count,
                                struct pawl_error *err) {
  const struct pawl_paired_bench_request *request = measuring->request;
  measuring->problem = request->problem ? request->problem : &measuring->own;
  if (!request->oracle) {
    measuring->own = pawl_measure_command_problem();
    return bench_prepare(measuring, err);
  }
  for (size_t i = 0; i < count; i++) {
    if (earlier[i].phase != PAWL_DONE && same_inputs(earlier[i].request, request))
      measuring->problem = earlier[i].problem;
  }
  if (measuring->problem == &measuring->own)
    PAWL_TRY(pawl_problem_init(&measuring->own, request->oracle, request->config, PAWL_MEASURE_SETS,
                               err));
  return bench_prepare(measuring, err);
}

static void close_request(struct pawl_measuring *measuring) {
  pawl_result_builder_release(&measuring->builder);
  if (measuring->request->oracle) pawl_problem_release(&measuring->own);
}

/* Tensors get a quarter of the machine's memory. The operator, the kernels and the system share the
   rest. */
static uint64_t memory_share(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : UINT64_MAX;
}

/* Returns the test that the next block belongs to. */
static const struct pawl_paired_test *test_of(const struct pawl_measuring *measuring) {
  return measuring->phase == PAWL_JUDGING ? &measuring->paired : &measuring->again;
}

static enum pawl_arm_order order_wanted(const struct pawl_measuring *measuring,
                                        enum pawl_arm_order coin) {
  const struct pawl_paired_test *test = test_of(measuring);
  return pawl_paired_next_order(test->blocks, test->block_count, coin);
}

static bool was_disturbed(const struct pawl_paired_test *test) {
  return test->block_count && test->blocks[test->block_count - 1].spoiled;
}

/* Shows the blocks of all requests, their maximum, and the estimate of this request. */
static void bench_show_progress(const struct pawl_measuring *batch, size_t count,
                                const struct pawl_measuring *now) {
  const struct pawl_paired_test *paired = &now->paired;
  const bool judging = now->phase == PAWL_JUDGING;
  struct pawl_progress progress = {"judging", 0, 0, true};
  char estimate[PAWL_ROW_CHANGE] = "";
  if (now->request->silent) return;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_measuring *one = &batch[i];
    const size_t limit = one->phase == PAWL_JUDGING      ? (size_t)one->paired.policy.max_blocks
                         : one->phase == PAWL_CONFIRMING ? 2 * one->paired.counted
                                                         : one->paired.counted + one->confirmed;
    progress.done += (double)(one->paired.counted + one->confirmed);
    progress.total += (double)limit;
  }
  const bool again = was_disturbed(judging ? paired : &now->again);
  const bool known = isfinite(paired->slowdown.estimate);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  pawl_text_printf(&names, "; %s on %s", paired->kernel_name, paired->case_name);
  progress.details = names.data;
  pawl_progress_show(
      now->project->options.log, &progress, "%s %zu%s%s%s", judging ? "block" : "confirming block",
      (judging ? paired->counted : now->confirmed) + 1, again ? " (disturbed, again)" : "",
      known ? ": " : "", known ? pawl_slowdown_words(&paired->slowdown, estimate) : "");
}

/* Waits until the pair is ready. */
static struct pawl_block_processes *pairs_bench_take_waiting(const struct pawl_measuring *measuring,
                                                             enum pawl_arm_order order,
                                                             struct pawl_waiting_pairs *waiting) {
  struct pawl_oracle *oracle = measuring->request->oracle;
  const int64_t begin = pawl_clock_ns();
  struct pawl_block_processes *found = pawl_waiting_pairs_take(waiting, order);
  const double seconds = pawl_seconds_since(begin);
  if (found && oracle) oracle->spent.start += seconds;
  if (found && seconds > TOLD_WAIT)
    pawl_log_detail(measuring->project->options.log, "pawl waited %.3f s for a pair of processes",
                    seconds);
  return found;
}

/* Measures one block of each request that wants this order. One pair of fresh processes serves them
   all; it may have waited. */
static pawl_status pairs_bench_take_blocks(struct pawl_measuring *batch, size_t count,
                                           const enum pawl_arm_order *wanted,
                                           enum pawl_arm_order order,
                                           struct pawl_waiting_pairs *waiting,
                                           struct pawl_error *err) {
  struct pawl_block_processes fresh = {0}, *ready = NULL;
  struct pawl_shared_block shared = {0};
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    struct pawl_measuring *measuring = &batch[i];
    if (measuring->phase == PAWL_DONE || wanted[i] != order) continue;
    bench_show_progress(batch, count, measuring);
    if (!ready) ready = pairs_bench_take_waiting(measuring, order, waiting);
    if (measuring->request->oracle) measuring->plan.processes = ready ? ready : &fresh;
    measuring->plan.shutdown = waiting->shutdown;
    measuring->plan.starting = waiting->starting;
    measuring->shared = is_harness(measuring) ? &shared : NULL;
    status = measuring->phase == PAWL_JUDGING ? pawl_paired_block_judge(measuring, order, err)
                                              : pawl_paired_block_confirm(measuring, order, err);
    measuring->plan.processes = NULL;
    measuring->shared = NULL;
  }
  pawl_block_processes_release(&fresh);
  if (ready) pawl_waiting_pairs_leave(waiting, ready);
  return status;
}

/* Measures one block of each undecided request. A request at the first block of a pair takes the
   turn's coin, another the order that its pair lacks. While all blocks count, all want the same
   order. */
static pawl_status bench_take_turn(struct pawl_measuring *batch, size_t count,
                                   enum pawl_arm_order tossed, struct pawl_waiting_pairs *waiting,
                                   bool *any, struct pawl_error *err) {
  enum pawl_arm_order *wanted = pawl_alloc(count, sizeof *wanted);
  *any = false;
  for (size_t i = 0; i < count; i++) {
    wanted[i] = order_wanted(&batch[i], tossed);
    *any |= batch[i].phase != PAWL_DONE;
  }
  enum pawl_status_code status =
      pairs_bench_take_blocks(batch, count, wanted, PAWL_ORDER_BASE_FIRST, waiting, err);
  if (status == PAWL_OK)
    status =
        pairs_bench_take_blocks(batch, count, wanted, PAWL_ORDER_CANDIDATE_FIRST, waiting, err);
  pawl_free(wanted);
  return status;
}

static enum pawl_arm_order toss(struct pawl_random *coins) {
  return pawl_random_below(coins, 2) ? PAWL_ORDER_CANDIDATE_FIRST : PAWL_ORDER_BASE_FIRST;
}

/* Lists the orders of the request's next blocks if all of them count. */
static void foresee_orders(const struct pawl_measuring *measuring, struct pawl_random coins,
                           enum pawl_arm_order *out, size_t count) {
  const struct pawl_paired_test *test = test_of(measuring);
  struct pawl_paired_block *blocks = pawl_alloc(test->block_count + count, sizeof *blocks);
  if (test->block_count) memcpy(blocks, test->blocks, test->block_count * sizeof *blocks);
  for (size_t i = 0; i < count; i++) {
    const size_t number = test->block_count + i;
    out[i] = blocks[number].order = pawl_paired_next_order(blocks, number, toss(&coins));
  }
  pawl_free(blocks);
}

/* Counts the blocks that are worth starting now: those that every verdict needs, and a few more
   where no pair waits. */
static size_t worth_starting(const struct pawl_measuring *batch, size_t count, bool none_waits) {
  size_t largest = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_measuring *one = &batch[i];
    if (one->phase == PAWL_DONE) continue;
    const struct pawl_paired_test *test = test_of(one);
    const size_t taken = test->block_count, limit = (size_t)one->request->max_blocks;
    const bool judging = one->phase == PAWL_JUDGING;
    const size_t sure = judging ? (size_t)test->fewest_more : one->paired.counted - one->confirmed;
    size_t wanted = taken || !judging ? sure : FIRST_GROUP;
    if (none_waits && wanted < LATER_GROUP) wanted = LATER_GROUP;
    if (limit && taken + wanted > limit) wanted = limit > taken ? limit - taken : 0;
    if (wanted > largest) largest = wanted;
  }
  return largest;
}

/* Keeps the `wanted` orders for which no pair waits, and returns their number. */
static size_t leave_waiting_out(const struct pawl_waiting_pairs *waiting,
                                enum pawl_arm_order *wanted, size_t count) {
  size_t there[] = {pawl_waiting_pairs_of(waiting, PAWL_ORDER_BASE_FIRST),
                    pawl_waiting_pairs_of(waiting, PAWL_ORDER_CANDIDATE_FIRST)};
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    size_t *have = &there[wanted[i] == PAWL_ORDER_CANDIDATE_FIRST];
    if (*have)
      --*have;
    else
      wanted[left++] = wanted[i];
  }
  return left;
}

/* Starts pairs of processes for the next blocks, if the device has the room. */
static void launch_ahead(struct pawl_measuring *batch, size_t count,
                         const struct pawl_random *coins, struct pawl_waiting_pairs *waiting) {
  struct pawl_measuring *first = NULL;
  uint64_t bytes = 0;
  enum pawl_arm_order orders[PAWL_WAITING_PAIRS];
  for (size_t i = 0; i < count; i++) {
    if (batch[i].phase == PAWL_DONE || !batch[i].request->oracle) continue;
    if (!first) first = &batch[i];
    const uint64_t needed = pawl_ahead_bytes(first->plan.device, batch[i].problem);
    if (needed > bytes) bytes = needed;
  }
  if (!first) return;
  const size_t limit = (size_t)pawl_ahead_limit(first->plan.device, bytes) / 2;
  const size_t used = waiting->count + (waiting->shutdown->count + 1) / 2;
  size_t pairs = worth_starting(batch, count, waiting->count == 0);
  size_t room = used < limit ? limit - used : 0;
  if (limit < 2) return;
  if (pairs > PAWL_WAITING_PAIRS) pairs = PAWL_WAITING_PAIRS;
  foresee_orders(first, *coins, orders, pairs);
  pairs = leave_waiting_out(waiting, orders, pairs);
  if (room > PAWL_WAITING_PAIRS - waiting->count) room = PAWL_WAITING_PAIRS - waiting->count;
  if (pairs > room) pairs = room;
  if (!pairs) return;
  const struct pawl_worker_options *const arms[] = {&first->request->base->worker,
                                                    &first->request->candidate->worker};
  pawl_waiting_pairs_launch(waiting, first->problem, arms, first->plan.threads, orders, pairs);
}

static struct pawl_random begin_coins(const struct pawl_measuring *batch) {
  return pawl_random_init(batch[0].request->seed, STREAM_PLACES);
}

/* Nothing judges the case, so pawl does not time it. */
static void bench_leave_unjudged(struct pawl_measuring *measuring, const char *why) {
  struct pawl_result *own = &measuring->builder.result;
  measuring->phase = PAWL_DONE;
  own->outcome = measuring->outcome.candidate = PAWL_OUTCOME_UNSUPPORTED;
  own->reason = measuring->outcome.reason = pawl_arena_copy(measuring->arena, why);
}

/* Opens requests, at least one, until the next does not fit into memory. Processes start while pawl
   draws inputs. */
static pawl_status open_batch(struct pawl_measuring *batch, size_t count, size_t *opened,
                              struct pawl_waiting_pairs *waiting, struct pawl_error *err) {
  const uint64_t share = memory_share();
  const struct pawl_random coins = begin_coins(batch);
  for (*opened = 0; *opened < count; (*opened)++) {
    struct pawl_measuring *next = &batch[*opened];
    if (next->phase == PAWL_DONE) continue;
    enum pawl_status_code status = open_request(next, batch, *opened, err);
    const struct pawl_oracle *oracle = next->request->oracle;
    if (status == PAWL_OK && *opened && oracle && oracle->used > share) {
      close_request(next);
      break;
    }
    if (status == PAWL_OK && !waiting->count) launch_ahead(next, 1, &coins, waiting);
    if (status == PAWL_OK) status = bench_fill(next, err);
    if (pawl_budget_ended(status)) {
      pawl_paired_block_leave(next);
    } else if (status == PAWL_UNDECIDED) {
      pawl_waiting_pairs_release(waiting);
      bench_leave_unjudged(next, err->message);
    } else if (status != PAWL_OK) {
      close_request(next);
      return status;
    }
  }
  return PAWL_OK;
}

static pawl_status bench_take_turns(struct pawl_measuring *batch, size_t count,
                                    struct pawl_waiting_pairs *waiting, struct pawl_error *err) {
  struct pawl_random coins = begin_coins(batch);
  for (bool any = true; any;) {
    launch_ahead(batch, count, &coins, waiting);
    PAWL_TRY(bench_take_turn(batch, count, toss(&coins), waiting, &any, err));
  }
  return PAWL_OK;
}

static pawl_status measure(struct pawl_measuring *batch, size_t count,
                           struct pawl_waiting_pairs *waiting, struct pawl_error *err) {
  struct pawl_shared_block first = {0};
  for (size_t i = 0; i < count; i++) {
    if (batch[i].phase == PAWL_DONE || batch[i].request->oracle) continue;
    const enum pawl_status_code status = bench_run_once(&batch[i], &first, err);
    if (pawl_budget_ended(status))
      pawl_paired_block_leave(&batch[i]);
    else if (status != PAWL_OK)
      return status;
  }
  if (first.measured) batch[0].outcome.left = find_left(&batch[0], &first.block);
  const enum pawl_status_code status = bench_take_turns(batch, count, waiting, err);
  if (status == PAWL_OK && !batch->request->silent) pawl_progress_end(batch->project->options.log);
  return status;
}

static void end_waiting(const struct pawl_paired_bench_request *request,
                        struct pawl_waiting_pairs *waiting, struct pawl_log *log) {
  const int64_t begin = pawl_clock_ns();
  const size_t count = waiting->count;
  pawl_waiting_pairs_release(waiting);
  if (request->leave) return;
  pawl_shutdown_end(waiting->shutdown);
  if (count)
    pawl_log_detail(log, "%zu pairs of processes ended in %.3f s", count,
                    pawl_seconds_since(begin));
}

static void begin(struct pawl_project *project, const struct pawl_paired_bench_request *request,
                  struct pawl_measuring *out) {
  *out = (struct pawl_measuring){
      .project = project, .request = request, .outcome = {.cpus_used = NAN}};
  out->arena = request->arena ? request->arena : &project->arena;
  bench_describe(project, request, &out->paired);
  pawl_paired_test_init(&out->again);
  out->again.kernel_name = out->paired.kernel_name;
  out->again.case_name = out->paired.case_name;
}

pawl_status pawl_paired_bench_fill(const struct pawl_paired_bench_request *request,
                                   struct pawl_error *err) {
  if (request->problem->source[0].distribution) return PAWL_OK;
  return pawl_measure_fill(request->problem, request->input_seed, !request->injected, err);
}

pawl_status pawl_paired_bench_launch(struct pawl_project *project,
                                     const struct pawl_paired_bench_request *request,
                                     struct pawl_waiting_pairs *waiting, struct pawl_error *err) {
  struct pawl_measuring measuring;
  PAWL_ASSERT(request->problem);
  begin(project, request, &measuring);
  const struct pawl_random coins = begin_coins(&measuring);
  enum pawl_status_code status = open_request(&measuring, NULL, 0, err);
  if (status == PAWL_OK) launch_ahead(&measuring, 1, &coins, waiting);
  if (status == PAWL_OK && waiting->count) status = pawl_paired_bench_fill(request, err);
  close_request(&measuring);
  return status;
}

pawl_status pawl_paired_bench(struct pawl_project *project,
                              const struct pawl_paired_bench_request *requests, size_t count,
                              struct pawl_paired_test *out,
                              struct pawl_paired_bench_outcome *outcomes, struct pawl_error *err) {
  struct pawl_measuring *all = pawl_alloc(count + 1, sizeof *all);
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    begin(project, &requests[i], &all[i]);
    if (!all[i].paired.identical) continue;
    all[i].phase = PAWL_DONE;
    status = pawl_paired_test_judge(&all[i].paired, err);
  }
  for (size_t i = 0; i < count && status == PAWL_OK; i++)
    if (!all[i].paired.identical)
      status = pawl_devices_take_turn(&project->devices, requests[i].candidate->spec->device,
                                      &project->suite.measure, project->options.log, err);
  for (size_t first = 0, opened; first < count && status == PAWL_OK; first += opened) {
    struct pawl_waiting_pairs own = {/* The pairs of the first batch may wait already. */
                                     .shutdown = &project->shutdown};
    struct pawl_waiting_pairs *waiting = requests[first].early ? requests[first].early : &own;
    if (!requests[first].early) pawl_shutdown_end(&project->shutdown);
    status = open_batch(all + first, count - first, &opened, waiting, err);
    if (status == PAWL_OK) status = measure(all + first, opened, waiting, err);
    end_waiting(&requests[first], waiting, project->options.log);
    for (size_t i = 0; i < opened && status == PAWL_OK; i++)
      status = finish_row(&all[first + i], err);
    for (size_t i = opened; i > 0; i--) close_request(&all[first + i - 1]);
  }
  for (size_t i = 0; i < count && status == PAWL_OK; i++) {
    out[i] = all[i].paired;
    outcomes[i] = all[i].outcome;
  }
  pawl_free(all);
  return status;
}
