/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/block.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/philox.h"
#include "measure/round_ratio.h"
#include "worker/output_hash.h"

/* Streams of the plan's seed. */
enum { STREAM_ORDER = 1, STREAM_FRESH = 2, STREAM_SETS = 3, STREAM_PLACES = 4 };

/* An arm while it is being measured. */
struct runner {
  struct pawl_worker *worker;     /* NULL: not started, or given up */
  enum pawl_worker_driver driver; /* of the worker */
  bool launched;                  /* for this block: it owes a hello */
  struct pawl_arm_block *out;
  bool deterministic;
  enum pawl_output_hash_kind hash_kind; /* of its timed calls */
  double call_seconds;                  /* rough time of one call, for time-outs */
  const char **set_hash;                /* the outputs' hash of each set, once seen */
  int look_after; /* samples after which its outputs are compared, besides the end; 0: at the end alone */
  bool compared[PAWL_MEASURE_SETS]; /* the outputs of the set's last timed call were compared with the oracle */
  char unwritten[PAWL_HASH_TEXT];   /* the hash of outputs that no call has written; "": not known, or there is none */
  struct pawl_verified *verified;   /* of earlier blocks; NULL: none */
};

struct context {
  struct pawl_problem *problem;
  const struct pawl_block_plan *plan;
  struct pawl_arena *arena;
  struct runner runners[PAWL_MAX_ARMS];
  int count;
  struct pawl_device_state first, last; /* of a GPU: between the rounds */
  const char *throttled;                /* of a GPU: what slowed it down after any round */
  struct pawl_time_spent *spent;        /* of the problem's operator; NULL: it is a command's */
};

uint64_t pawl_measure_set_seed(uint64_t seed, int set) {
  uint32_t words[4];
  pawl_philox(seed, STREAM_SETS, (uint64_t)set, words);
  return (uint64_t)words[0] << 32 | words[1];
}

struct pawl_problem pawl_measure_command_problem(void) {
  return (struct pawl_problem){.item = {.name = PAWL_COMMAND_CASE}};
}

static void give_up(struct context *context, struct runner *runner, enum pawl_outcome outcome, const char *reason) {
  runner->out->outcome = outcome;
  runner->out->reason = pawl_arena_copy(context->arena, reason);
  pawl_worker_free(runner->worker);
  runner->worker = NULL;
  if (context->plan->processes) context->plan->processes->prepared[runner - context->runners] = NULL;
}

void pawl_block_processes_release(struct pawl_block_processes *processes) {
  for (int i = 0; processes && i < PAWL_MAX_ARMS; i++) pawl_worker_dismiss(processes->workers[i]);
  for (int i = 0; processes && i < PAWL_MAX_ARMS; i++) pawl_worker_free(processes->workers[i]);
  if (processes) *processes = (struct pawl_block_processes){0};
}

/* A failure that is the fault of the code under test ends its arm; any other ends the block. */
static pawl_status settle(struct context *context, struct runner *runner, enum pawl_status_code status,
                          struct pawl_error *err) {
  if (status != PAWL_FAILED) return status;
  give_up(context, runner, PAWL_OUTCOME_CRASHED, err->message);
  return PAWL_OK;
}

static pawl_status launch(struct context *context, struct runner *runner, const struct pawl_worker_options *arm,
                          struct pawl_error *err) {
  struct pawl_worker_options options = *arm;
  runner->driver = options.driver;
  if (runner->worker) return PAWL_OK;
  /* a command is a process of its own for every sample */
  if (options.driver != PAWL_DRIVER_COMMAND) options.tensors = &context->problem->oracle->tensors;
  const enum pawl_status_code status = pawl_worker_launch(&runner->worker, &options, err);
  runner->launched = status == PAWL_OK;
  return status == PAWL_OK ? PAWL_OK : settle(context, runner, status, err);
}

static pawl_status prepare(struct context *context, struct runner *runner, const struct pawl_problem **prepared,
                           struct pawl_error *err) {
  if (!runner->worker) return PAWL_OK;
  enum pawl_status_code status = runner->launched ? pawl_worker_greet(runner->worker, err) : PAWL_OK;
  if (status != PAWL_OK) return settle(context, runner, status, err);
  if (runner->driver == PAWL_DRIVER_COMMAND) return PAWL_OK;
  struct pawl_kernel_info info = {0};
  status = pawl_worker_describe_kernel(runner->worker, context->arena, &info, err);
  if (status != PAWL_OK) return settle(context, runner, status, err);
  runner->deterministic = info.deterministic;
  runner->out->environment = info.environment;
  if (*prepared == context->problem) return PAWL_OK;
  *prepared = context->problem;
  const struct pawl_shape shape = pawl_case_shape(&context->problem->item);
  const char *reason = NULL;
  status = pawl_worker_prepare(runner->worker, &shape, context->problem->sets, context->problem->set_count,
                               context->plan->threads, context->plan->seed, context->arena, &reason,
                               &runner->out->workspace_bytes, err);
  if (status != PAWL_OK) return settle(context, runner, status, err);
  if (reason) give_up(context, runner, PAWL_OUTCOME_UNSUPPORTED, reason);
  return PAWL_OK;
}

static bool is_checked(const struct context *context) {
  return !context->plan->unchecked && context->problem->oracle;
}

static void hash_outputs(const struct context *context, const struct runner *runner, int set,
                         char out[PAWL_HASH_TEXT]) {
  const struct pawl_problem *problem = context->problem;
  pawl_hash_format(pawl_output_hash(runner->hash_kind, &problem->sets[set], problem->oracle->tensors.map), out);
}

/* Known with the first reply: outputs that no call has written, by the hash of this worker. */
static void note_kind(const struct context *context, struct runner *runner, enum pawl_output_hash_kind kind) {
  struct pawl_hash unwritten;
  if (runner->hash_kind == kind) return;
  runner->hash_kind = kind;
  if (pawl_unwritten_hash(kind, &context->problem->sets[0], &unwritten)) pawl_hash_format(unwritten, runner->unwritten);
}

/* The hashes that a chunk reports must be those of the bytes that stand in memory now, none of them that of outputs as
   they were before the call, and, for a deterministic kernel, the same each time a set comes round: outputs written
   late, skipped or remembered show here. What is not shown in memory yet was compared where it stands. */
static bool hashes_agree(struct context *context, struct runner *runner, int first_set,
                         const struct pawl_time_reply *reply) {
  if (!reply->hashes) return true;
  if (reply->hash_kind) note_kind(context, runner, reply->hash_kind);
  const int sets = context->problem->set_count;
  for (size_t i = 0; i < reply->count; i++) {
    const int set = (int)(((size_t)first_set + i) % (size_t)sets);
    const bool last_of_set = i + (size_t)sets >= reply->count;
    if (last_of_set && reply->hash_kind && reply->shown) {
      char standing[PAWL_HASH_TEXT];
      hash_outputs(context, runner, set, standing);
      if (strcmp(standing, reply->hashes[i]) != 0) {
        give_up(context, runner, PAWL_OUTCOME_WRONG, "its outputs changed after the timed call had returned");
        return false;
      }
    }
    if (reply->hash_kind && !strcmp(runner->unwritten, reply->hashes[i])) {
      give_up(context, runner, PAWL_OUTCOME_WRONG, "a timed call left its outputs unwritten");
      return false;
    }
    if (runner->deterministic && runner->set_hash[set] && strcmp(runner->set_hash[set], reply->hashes[i]) != 0) {
      give_up(context, runner, PAWL_OUTCOME_WRONG,
              "it says it is deterministic, but the same inputs gave different bits in two timed calls");
      return false;
    }
    runner->set_hash[set] = reply->hashes[i];
  }
  return true;
}

/* What of a request is not hashing, here or there, counts as calls. */
static pawl_status take_time(struct context *context, struct runner *runner, const struct pawl_time_request *request,
                             struct pawl_time_reply *reply, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status = pawl_worker_time(runner->worker, request, context->arena, reply, err);
  const double seconds = pawl_seconds_since(begin), calls = reply->wall_seconds - reply->hash_seconds;
  if (!context->spent || status != PAWL_OK) return status;
  context->spent->calls += calls;
  context->spent->hashing += seconds - calls;
  return status;
}

/* Compares a set's outputs with the oracle; a failure ends the arm as wrong. */
static pawl_status verify_set(struct context *context, struct runner *runner, int set, struct pawl_error *err) {
  struct pawl_error_stats errors;
  PAWL_TRY(pawl_problem_compare(context->problem, set, context->plan->tolerance, &errors, err));
  runner->out->errors = errors;
  if (!errors.passed) give_up(context, runner, PAWL_OUTCOME_WRONG, errors.reason);
  return PAWL_OK;
}

/* The timed calls gave the very bits that passed a comparison before. */
static bool is_verified(const struct runner *runner, int set) {
  const char *passed =
      runner->verified && runner->deterministic && runner->hash_kind ? runner->verified->hash[set] : NULL;
  return passed && (!runner->set_hash[set] || !strcmp(passed, runner->set_hash[set]));
}

/* Compares the outputs of the last timed calls, where they stand, with the oracle, unless they are known to be right.
 */
static pawl_status verify_timed(struct context *context, struct runner *runner, int samples, int first_set,
                                struct pawl_error *err) {
  const int sets = context->problem->set_count;
  for (int i = 0; i < samples && i < sets && runner->worker; i++) {
    const int set = (first_set + i) % sets;
    if (!runner->set_hash[set]) continue; /* it does not say what it left there */
    runner->compared[set] = true;
    if (is_verified(runner, set)) continue;
    PAWL_TRY(verify_set(context, runner, set, err));
    if (runner->worker && runner->verified && runner->hash_kind)
      runner->verified->hash[set] = pawl_arena_copy(context->arena, runner->set_hash[set]);
  }
  return PAWL_OK;
}

/* Inouts as they were drawn: the calls before, another arm's too, have written to them. */
static pawl_status restore_inouts(struct context *context, struct pawl_error *err) {
  struct pawl_problem *problem = context->problem;
  for (int set = 0; set < problem->set_count; set++) {
    if (problem->inouts[set]) PAWL_TRY(pawl_problem_reset(problem, set, err));
  }
  return PAWL_OK;
}

/* Takes `samples` samples. The first call after a hand-over is a warm-up: the other arm has had the caches. */
static pawl_status chunk(struct context *context, struct runner *runner, int samples, int warmup, int first_set,
                         bool last, struct pawl_error *err) {
  const struct pawl_time_request request = {.warmup = warmup,
                                            .samples = samples,
                                            .first_set = first_set,
                                            .keep = !last,
                                            .cache = context->plan->cache,
                                            .flush_bytes = context->plan->flush_bytes,
                                            .delay_ns = context->plan->delay_ns[runner - context->runners]};
  struct pawl_time_reply reply = {0};
  PAWL_TRY(restore_inouts(context, err));
  const enum pawl_status_code status = take_time(context, runner, &request, &reply, err);
  if (status != PAWL_OK) return settle(context, runner, status, err);
  if (!hashes_agree(context, runner, first_set, &reply)) return PAWL_OK;
  memcpy(runner->out->seconds + runner->out->count, reply.seconds, reply.count * sizeof *reply.seconds);
  runner->out->count += reply.count;
  if (reply.memory_bytes > runner->out->memory_bytes) runner->out->memory_bytes = reply.memory_bytes;
  return last && is_checked(context) ? verify_timed(context, runner, samples, first_set, err) : PAWL_OK;
}

/* The same, but where an arm's outputs are to be looked at unannounced: there the calls are cut in two. */
static pawl_status take_samples(struct context *context, struct runner *runner, int samples, int warmup, int first_set,
                                bool last, struct pawl_error *err) {
  const int cut = runner->look_after - (int)runner->out->count;
  if (cut <= 0 || cut >= samples) return chunk(context, runner, samples, warmup, first_set, last, err);
  PAWL_TRY(chunk(context, runner, cut, warmup, first_set, true, err));
  if (!runner->worker) return PAWL_OK;
  first_set = (first_set + cut) % context->problem->set_count;
  return chunk(context, runner, samples - cut, 0, first_set, last, err);
}

/* An arm that gives other bits each time could work at the calls that are compared alone, if it knew them: so one more
   look is taken at a place that the operating system draws. */
static pawl_status draw_look(const struct context *context, struct runner *runner, struct pawl_error *err) {
  uint32_t word;
  if (runner->deterministic || !context->plan->unseen_pairs || !is_checked(context)) return PAWL_OK;
  if (getrandom(&word, sizeof word, 0) != sizeof word) return pawl_fail_errno(err, errno, "no random numbers");
  runner->look_after = 1 + (int)(word % (uint32_t)context->plan->samples);
  return PAWL_OK;
}

/* Draws the order of the arms of one round. */
static void draw_order(struct pawl_random *random, int count, int order[PAWL_MAX_ARMS]) {
  for (int i = 0; i < count; i++) order[i] = i;
  for (int i = count - 1; i > 0; i--) {
    const int j = (int)pawl_random_below(random, (uint32_t)i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

static pawl_status read_state(const struct pawl_device *device, struct pawl_arena *arena,
                              struct pawl_device_state *state, struct pawl_error *err) {
  const struct pawl_device_backend *backend = device ? pawl_device_backend(device->kind) : NULL;
  if (!backend) {
    *state = pawl_device_state_unknown();
    return PAWL_OK;
  }
  return backend->state(device, arena, state, err);
}

/* A GPU lowers its clocks when it idles: its state is read between rounds, right after it has worked. */
static bool is_read_at_work(const struct pawl_block_plan *plan) {
  return plan->device && plan->device->kind == PAWL_CUDA;
}

static pawl_status read_at_work(struct context *context, int round, struct pawl_error *err) {
  if (!is_read_at_work(context->plan)) return PAWL_OK;
  PAWL_TRY(read_state(context->plan->device, context->arena, &context->last, err));
  if (round == 0) context->first = context->last;
  if (context->last.event_reasons && *context->last.event_reasons) context->throttled = context->last.event_reasons;
  return PAWL_OK;
}

static pawl_status take_rounds(struct context *context, struct pawl_error *err) {
  const struct pawl_block_plan *plan = context->plan;
  struct pawl_random random = pawl_random_init(plan->seed, STREAM_ORDER);
  int taken = 0, first_set = 0;
  for (int i = 0; i < context->count; i++) PAWL_TRY(draw_look(context, &context->runners[i], err));
  for (int round = 0; round < plan->rounds; round++) {
    const int samples = (int)pawl_round_end((size_t)plan->samples, plan->rounds, round) - taken;
    if (samples == 0) continue;
    int order[PAWL_MAX_ARMS];
    draw_order(&random, context->count, order);
    for (int i = 0; i < context->count; i++) {
      struct runner *runner = &context->runners[order[i]];
      if (!runner->worker) continue;
      const int handover = context->problem->oracle && (context->count > 1 || round == 0);
      const int warmup = round == 0 ? plan->warmup : handover;
      PAWL_TRY(take_samples(context, runner, samples, warmup, first_set, round == plan->rounds - 1, err));
    }
    PAWL_TRY(read_at_work(context, round, err));
    taken += samples;
    if (context->problem->set_count) first_set = (first_set + samples) % context->problem->set_count;
  }
  return PAWL_OK;
}

/* A few more calls, of which every other one is on inputs that no call has seen. */
static pawl_status take_unseen(struct context *context, struct runner *runner, struct pawl_error *err) {
  const struct pawl_block_plan *plan = context->plan;
  if (!runner->worker || !plan->unseen_pairs || runner->driver != PAWL_DRIVER_PLUGIN) return PAWL_OK;
  const struct pawl_time_request request = {.warmup = 2,
                                            .samples = 2 * plan->unseen_pairs,
                                            .cache = plan->cache,
                                            .flush_bytes = plan->flush_bytes,
                                            .unseen = true};
  struct pawl_time_reply reply = {0};
  PAWL_TRY(restore_inouts(context, err));
  const enum pawl_status_code status = take_time(context, runner, &request, &reply, err);
  if (status != PAWL_OK) return settle(context, runner, status, err);
  for (size_t i = 0; i < reply.count && reply.hashes; i++) {
    if (strcmp(runner->unwritten, reply.hashes[i]) != 0) continue;
    give_up(context, runner, PAWL_OUTCOME_WRONG, "a call on inputs that it had not seen left its outputs unwritten");
    return PAWL_OK;
  }
  runner->out->unseen_seconds = reply.seconds;
  runner->out->unseen_pairs = reply.count / 2;
  return PAWL_OK;
}

/* One more call, taken as the timed ones are, so that it cannot be told from them. */
static pawl_status time_once(struct context *context, struct runner *runner, int set, struct pawl_error *err) {
  PAWL_TRY(pawl_problem_reset(context->problem, set, err));
  const struct pawl_time_request request = {
      .samples = 1, .first_set = set, .cache = context->plan->cache, .flush_bytes = context->plan->flush_bytes};
  struct pawl_time_reply reply = {0};
  const enum pawl_status_code status = take_time(context, runner, &request, &reply, err);
  return settle(context, runner, status, err);
}

/* Compares one of the usual sets with the oracle, unless its timed outputs were, or are known to be right. */
static pawl_status verify_usual(struct context *context, struct runner *runner, int set, struct pawl_error *err) {
  if (runner->compared[set] || is_verified(runner, set)) return PAWL_OK;
  PAWL_TRY(time_once(context, runner, set, err));
  if (runner->worker) PAWL_TRY(verify_set(context, runner, set, err));
  if (!runner->worker || !runner->verified || !runner->hash_kind) return PAWL_OK;
  char *hash = pawl_arena_alloc(context->arena, PAWL_HASH_TEXT, 1);
  hash_outputs(context, runner, set, hash);
  runner->verified->hash[set] = hash;
  if (runner->deterministic && !is_verified(runner, set))
    give_up(context, runner, PAWL_OUTCOME_WRONG, "a timed call gave other bits than a checked call on the same inputs");
  return PAWL_OK;
}

static bool any_left(const struct context *context) {
  for (int i = 0; i < context->count; i++) {
    if (context->runners[i].worker) return true;
  }
  return false;
}

/* Changes the inputs of set 0, in every other block much and little: the second half drawn anew shows in any output, a
   few elements that change places are missed by who compares some elements only. */
static pawl_status renew_inputs(struct context *context, struct pawl_error *err) {
  struct pawl_problem *problem = context->problem;
  const uint64_t seed = context->plan->seed;
  const struct pawl_draw_source usual = problem->source[0];
  uint32_t words[4];
  pawl_philox(seed, STREAM_FRESH, 0, words);
  const uint64_t fresh = (uint64_t)words[0] << 32 | words[1];
  if (seed % 2 == 0) return pawl_problem_exchange(problem, 0, fresh, err);
  return pawl_problem_fill_tail(problem, 0, usual.distribution, usual.seed, fresh, err);
}

/* Set 0 with other inputs, the same for all arms: whatever an arm remembers of earlier calls, by address or by the
   contents of a buffer, is stale now. */
static pawl_status verify_fresh(struct context *context, struct pawl_error *err) {
  struct pawl_problem *problem = context->problem;
  const struct pawl_draw_source usual = problem->source[0];
  PAWL_TRY(renew_inputs(context, err));
  for (int i = 0; i < context->count; i++) {
    struct runner *runner = &context->runners[i];
    if (!runner->worker) continue;
    PAWL_TRY(pawl_problem_expect(problem, 0, err));
    PAWL_TRY(time_once(context, runner, 0, err));
    if (runner->worker) PAWL_TRY(verify_set(context, runner, 0, err));
    if (runner->worker) continue;
    /* one that failed may have written to the inputs */
    PAWL_TRY(pawl_problem_fill(problem, 0, usual.distribution, usual.seed, err));
    PAWL_TRY(renew_inputs(context, err));
  }
  return pawl_problem_fill(problem, 0, usual.distribution, usual.seed, err);
}

/* The sets whose timed outputs were not compared, then inputs that no call has seen. */
static pawl_status verify(struct context *context, struct pawl_error *err) {
  if (!is_checked(context)) return PAWL_OK;
  for (int set = 0; set < context->problem->set_count; set++) {
    for (int i = 0; i < context->count; i++) {
      if (context->runners[i].worker) PAWL_TRY(verify_usual(context, &context->runners[i], set, err));
    }
  }
  return any_left(context) ? verify_fresh(context, err) : PAWL_OK;
}

/* What a worker knows of itself only now that it has run: the names of the functions that did. */
static pawl_status describe_again(struct context *context, struct runner *runner, struct pawl_error *err) {
  struct pawl_kernel_info info = {0};
  if (!runner->worker || runner->driver != PAWL_DRIVER_PROTOCOL) return PAWL_OK;
  const enum pawl_status_code status = pawl_worker_describe_kernel(runner->worker, context->arena, &info, err);
  if (status != PAWL_OK) return settle(context, runner, status, err);
  if (!info.environment) return PAWL_OK;
  json_decref(runner->out->environment);
  runner->out->environment = info.environment;
  return PAWL_OK;
}

static pawl_status measure(struct context *context, const struct pawl_worker_options *const *arms,
                           struct pawl_block *block, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_block_processes none = {0}, *processes = context->plan->processes ? context->plan->processes : &none;
  struct pawl_random random = pawl_random_init(context->plan->seed, STREAM_PLACES);
  int order[PAWL_MAX_ARMS];
  /* Who comes first gets another place in a GPU's memory, which is worth up to 1 % of a call's time: each arm is first
     in half of the blocks, or identical code would have a faster arm. */
  draw_order(&random, context->count, order);
  for (int i = 0; i < context->count; i++) PAWL_TRY(launch(context, &context->runners[order[i]], arms[order[i]], err));
  for (int i = 0; i < context->count; i++)
    PAWL_TRY(prepare(context, &context->runners[order[i]], &processes->prepared[order[i]], err));
  block->start_seconds = pawl_seconds_since(begin);
  if (context->spent) context->spent->start += block->start_seconds;
  PAWL_TRY(take_rounds(context, err));
  for (int i = 0; i < context->count; i++) PAWL_TRY(take_unseen(context, &context->runners[i], err));
  for (int i = 0; i < context->count; i++) PAWL_TRY(describe_again(context, &context->runners[i], err));
  PAWL_TRY(verify(context, err));
  block->total_seconds = pawl_seconds_since(begin);
  return PAWL_OK;
}

pawl_status pawl_measure_block(struct pawl_problem *problem, const struct pawl_worker_options *const *arms,
                               int arm_count, const struct pawl_block_plan *plan, struct pawl_arena *arena,
                               struct pawl_block *out, struct pawl_error *err) {
  PAWL_ASSERT(arm_count >= 1 && arm_count <= PAWL_MAX_ARMS && plan->samples > 0 && plan->rounds > 0);
  PAWL_ASSERT(problem->set_count <= PAWL_MEASURE_SETS);
  struct context context = {.problem = problem,
                            .plan = plan,
                            .arena = arena,
                            .count = arm_count,
                            .spent = problem->oracle ? &problem->oracle->spent : NULL,
                            .first = pawl_device_state_unknown(),
                            .last = pawl_device_state_unknown()};
  struct pawl_block block = {0};
  for (int i = 0; i < arm_count; i++) {
    block.arms[i].memory_bytes = -1;
    block.arms[i].seconds = pawl_arena_alloc(arena, (size_t)plan->samples, sizeof(double));
    context.runners[i].out = &block.arms[i];
    context.runners[i].worker = plan->processes ? plan->processes->workers[i] : NULL;
    context.runners[i].verified = plan->verified ? &plan->verified[i] : NULL;
    context.runners[i].set_hash = pawl_arena_alloc(arena, (size_t)problem->set_count, sizeof(char *));
  }
  if (!is_read_at_work(plan)) PAWL_TRY(read_state(plan->device, arena, &block.before, err));
  const enum pawl_status_code status = measure(&context, arms, &block, err);
  for (int i = 0; i < arm_count; i++) {
    if (plan->processes)
      plan->processes->workers[i] = context.runners[i].worker;
    else
      pawl_worker_free(context.runners[i].worker);
  }
  if (status != PAWL_OK) {
    for (int i = 0; i < arm_count; i++) json_decref(block.arms[i].environment);
    return status;
  }
  if (is_read_at_work(plan)) {
    block.before = context.first;
    block.after = context.last;
    if (context.throttled) block.after.event_reasons = context.throttled;
  } else {
    PAWL_TRY(read_state(plan->device, arena, &block.after, err));
  }
  *out = block;
  return PAWL_OK;
}
