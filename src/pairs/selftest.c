/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/selftest.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/text.h"
#include "model/gate_rules.h"
#include "pairs/bench.h"
#include "project/base_oracle.h"
#include "project/operators.h"
#include "stats/describe.h"

/* Samples of each arm in a block. They suffice for a median, and the block is the replicate. */
#define MOST_SAMPLES 20
#define PILOT_BLOCKS 3  /* these blocks show how long a call takes */
#define USUAL_BLOCKS 14 /* a trial's blocks on a usual machine, for the estimate */
/* All trials have the same inputs, so the oracle answers once. */
#define INPUT_SEED 42u

/* A kernel on a case, and the state of its selftest. */
struct subject {
  const struct pawl_ready_kernel *kernel;
  struct pawl_oracle *oracle;
  const struct pawl_case *config;
  const char *path; /* the file to resume from */
  struct pawl_selftest *selftest;
};

struct campaign {
  struct pawl_project *project;
  const struct pawl_selftest_options *options;
  struct subject *subjects; /* subjects of one kernel are adjacent */
  size_t count;
  double block_seconds; /* sum over one block of every subject */
};

/* Finds the first kernel that has a device here. Without a device it is the first kernel, and its
   build says what is missing. */
static pawl_status first_kernel(struct pawl_project *project, const struct pawl_kernel_spec **out,
                                struct pawl_error *err) {
  const struct pawl_kernel_spec *absent = NULL;
  for (size_t i = 0; i < project->suite.kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &project->suite.kernels[i];
    if (!spec->operator_name || spec->reference) continue;
    if (pawl_devices_find(&project->devices, spec->device, NULL)) {
      *out = spec;
      return PAWL_OK;
    }
    if (!absent) absent = spec;
  }
  if (absent) {
    *out = absent;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_USAGE, "%s: no kernel for the selftest; a command supports no delay",
                   project->suite.path);
}

static pawl_status add_subject(struct campaign *campaign, const struct pawl_ready_kernel *kernel,
                               struct pawl_oracle *oracle, const struct pawl_case *config,
                               struct pawl_error *err) {
  struct pawl_arena *arena = &campaign->project->arena;
  struct subject *grown = pawl_arena_alloc(arena, campaign->count + 1, sizeof *grown);
  if (campaign->count) memcpy(grown, campaign->subjects, campaign->count * sizeof *grown);
  grown[campaign->count++] =
      (struct subject){.kernel = kernel,
                       .oracle = oracle,
                       .config = config,
                       .path = pawl_arena_printf(arena, "%s/selftest/%s-%s.json",
                                                 campaign->project->paths.cache_folder,
                                                 kernel->spec->name, config->name)};
  campaign->subjects = grown;
  return pawl_make_folders(
      pawl_arena_printf(arena, "%s/selftest", campaign->project->paths.cache_folder), err);
}

/* Builds a kernel and adds a subject for each wanted case, by default the first. */
static pawl_status selftest_add_kernel(struct campaign *campaign,
                                       const struct pawl_kernel_spec *spec,
                                       struct pawl_error *err) {
  struct pawl_project *project = campaign->project;
  const struct pawl_selftest_options *options = campaign->options;
  if (!spec->operator_name)
    return pawl_fail(err, PAWL_USAGE, "'%s' is a command, which supports no delay; choose a kernel",
                     spec->name);
  struct pawl_ready_kernel *kernel = pawl_arena_alloc(&project->arena, 1, sizeof *kernel);
  PAWL_TRY(pawl_project_ready(project, spec, kernel, err));
  if (kernel->outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, kernel->outcome == PAWL_OUTCOME_ABSENT ? PAWL_UNAVAILABLE : PAWL_FAILED,
                     "kernel '%s' cannot run: %s", spec->name, kernel->reason);
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_base_oracle_use(project, spec, oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, options->case_name, NULL,
                               &project->arena, &cases, &count, err));
  if (count == 0)
    return pawl_fail(err, PAWL_USAGE, "kernel '%s' has no case%s%s; pawl list shows them",
                     spec->name, options->case_name ? " " : "",
                     options->case_name ? options->case_name : "");
  for (size_t i = 0; i < (options->all_cases ? count : 1); i++)
    PAWL_TRY(add_subject(campaign, kernel, oracle, &cases[i], err));
  return PAWL_OK;
}

static pawl_status add_kernels(struct campaign *campaign, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs, *first;
  size_t count = 1;
  if (campaign->options->kernel_count) {
    PAWL_TRY(pawl_kernels_named(&campaign->project->suite, &campaign->project->arena,
                                campaign->options->kernels, campaign->options->kernel_count, &specs,
                                &count, err));
  } else {
    PAWL_TRY(first_kernel(campaign->project, &first, err));
    specs = &first;
  }
  for (size_t i = 0; i < count; i++) PAWL_TRY(selftest_add_kernel(campaign, specs[i], err));
  return PAWL_OK;
}

static void selftest_describe(struct pawl_project *project, const struct subject *subject,
                              struct pawl_selftest *out) {
  const struct pawl_device *device =
      pawl_devices_find(&project->devices, subject->kernel->spec->device, NULL);
  struct pawl_text identity = {0};
  char now[20];
  pawl_device_identity(device, &identity);
  pawl_format_time(pawl_wall_clock(), now);
  const int share = pawl_paired_bench_samples(&project->suite.measure);
  const struct pawl_gate_spec gate =
      pawl_gate_of_row(&project->suite.gate, subject->kernel->spec->name, subject->config->name);
  *out = (struct pawl_selftest){
      .kernel_name = subject->kernel->spec->name,
      .case_name = subject->config->name,
      .hardware = pawl_arena_copy(&project->arena, pawl_text_string(&identity)),
      .hardware_name = device->name,
      .code_hash = subject->kernel->build.code_hash,
      .timestamp = pawl_arena_copy(&project->arena, now),
      .policy = pawl_gate_policy(&gate, 1),
      .samples = share < MOST_SAMPLES ? share : MOST_SAMPLES,
      .base_ms = NAN,
      .delay_ms = NAN};
  pawl_text_clear(&identity);
}

/* --- resuming --- */

static pawl_status resume(struct pawl_project *project, const struct subject *subject,
                          struct pawl_error *err) {
  struct pawl_selftest *selftest = subject->selftest;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_selftest stored;
  if (!pawl_file_exists(subject->path)) return PAWL_OK;
  PAWL_TRY(pawl_json_read(subject->path, &document, err));
  if (pawl_selftest_from_json(document, subject->path, &project->arena, &stored, err) != PAWL_OK)
    return pawl_prefix(err, "cannot continue; remove the file to start again");
  const bool same = pawl_text_equal(stored.hardware, selftest->hardware) &&
                    pawl_text_equal(stored.code_hash, selftest->code_hash) &&
                    stored.samples == selftest->samples &&
                    pawl_sequential_same_rules(&stored.policy, &selftest->policy) &&
                    stored.base_ms > 0 && stored.delay_ms > 0;
  if (!same) {
    pawl_log_info(project->options.log,
                  "'%s' belongs to other code, hardware or policy: starting again", subject->path);
    return PAWL_OK;
  }
  *selftest = stored;
  return PAWL_OK;
}

static pawl_status store(const struct subject *subject, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftest_to_json(subject->selftest);
  return pawl_json_write(subject->path, document, true, err);
}

/* --- trials --- */

static struct pawl_paired_bench_request make_request(const struct subject *subject, double change,
                                                     uint64_t seed, struct pawl_arena *arena) {
  const struct pawl_selftest *selftest = subject->selftest;
  const double delay =
      isnan(selftest->delay_ms) ? PAWL_SELFTEST_SHORTEST_DELAY_MS : selftest->delay_ms;
  const double longer = isnan(selftest->base_ms) ? 0 : change * (selftest->base_ms + delay);
  return (struct pawl_paired_bench_request){
      .silent = true,
      .base = subject->kernel,
      .candidate = subject->kernel,
      .oracle = subject->oracle,
      .config = subject->config,
      .comparisons = 1,
      .seed = seed,
      .arena = arena,
      .injected = true,
      .input_seed = INPUT_SEED,
      .samples = selftest->samples,
      .delay_ns = {llround(delay * 1e6), llround((delay + longer) * 1e6)}};
}

static pawl_status judge(struct pawl_project *project,
                         const struct pawl_paired_bench_request *requests, size_t count,
                         struct pawl_arena *arena, struct pawl_paired_test *paired,
                         struct pawl_error *err) {
  struct pawl_paired_bench_outcome *outcomes = pawl_arena_alloc(arena, count + 1, sizeof *outcomes);
  const enum pawl_status_code status =
      pawl_paired_bench(project, requests, count, paired, outcomes, err);
  if (status == PAWL_UNDECIDED) return err ? err->code = PAWL_UNAVAILABLE : PAWL_UNAVAILABLE;
  if (status != PAWL_OK) return status;
  for (size_t i = 0; i < count; i++) {
    if (outcomes[i].base != PAWL_OUTCOME_OK || outcomes[i].candidate != PAWL_OUTCOME_OK)
      return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails on '%s': %s",
                       requests[i].candidate->spec->name, requests[i].config->name,
                       outcomes[i].reason);
  }
  return PAWL_OK;
}

/* Counts the subjects from `first` on that have its kernel and share its processes. */
static size_t group_size(const struct campaign *campaign, size_t first) {
  size_t count = 1;
  while (first + count < campaign->count &&
         campaign->subjects[first + count].kernel == campaign->subjects[first].kernel)
    count++;
  return count;
}

/* A few blocks that do not count show how long a call and a block take, which sets the delay. */
static pawl_status pilot(struct campaign *campaign, size_t first, size_t count,
                         struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_paired_bench_request *requests = pawl_arena_alloc(&arena, count, sizeof *requests);
  struct pawl_paired_test *paired = pawl_arena_alloc(&arena, count, sizeof *paired);
  const int64_t begin = pawl_clock_ns();
  for (size_t i = 0; i < count; i++) {
    requests[i] = make_request(&campaign->subjects[first + i], 0, campaign->options->seed, &arena);
    requests[i].max_blocks = PILOT_BLOCKS;
  }
  PAWL_TRY(judge(campaign->project, requests, count, &arena, paired, err));
  campaign->block_seconds += pawl_seconds_since(begin) / PILOT_BLOCKS;
  for (size_t i = 0; i < count; i++) {
    struct pawl_selftest *selftest = campaign->subjects[first + i].selftest;
    double times[PILOT_BLOCKS];
    struct pawl_summary summary;
    if (!isnan(selftest->base_ms)) continue;
    for (size_t b = 0; b < PILOT_BLOCKS; b++) times[b] = paired[i].blocks[b].base_ms;
    PAWL_TRY(pawl_summarize(times, PILOT_BLOCKS, &summary, err));
    /* The least time is of the quietest block: other load only adds to a time, and a delay that is
       a share of a busy time is too long. */
    PAWL_TRY(pawl_selftest_calibrate(selftest, summary.min, err));
  }
  return PAWL_OK;
}

static double selftest_block_sd(const struct pawl_paired_test *paired, struct pawl_arena *arena) {
  double *ratios = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *ratios);
  size_t count = 0;
  struct pawl_summary summary;
  struct pawl_error ignored;
  for (size_t i = 0; i < paired->block_count; i++) {
    if (!paired->blocks[i].spoiled)
      ratios[count++] = log(paired->blocks[i].candidate_ms / paired->blocks[i].base_ms);
  }
  return count > 1 && pawl_summarize(ratios, count, &summary, &ignored) == PAWL_OK ? summary.std
                                                                                   : NAN;
}

static int trials_left(const struct campaign *campaign, const struct pawl_selftest *selftest,
                       int change) {
  struct pawl_selftest_tally tally;
  if (!campaign->options->changes[change]) return 0;
  pawl_selftest_tally(selftest, pawl_selftest_changes[change], &tally);
  return campaign->options->trials > tally.trials ? campaign->options->trials - tally.trials : 0;
}

/* reserve() has made the room. */
static void add_trial(struct pawl_selftest *selftest, double change,
                      const struct pawl_paired_test *paired, struct pawl_arena *arena) {
  selftest->trials[selftest->count++] =
      (struct pawl_selftest_trial){.change = change,
                                   .seed = paired->seed,
                                   .decision = paired->decision,
                                   .blocks = paired->counted,
                                   .spoiled = paired->block_count - paired->counted,
                                   .slowdown = paired->slowdown.estimate,
                                   .block_sd = selftest_block_sd(paired, arena)};
}

/* Makes room for the present trials and all that may follow. */
static void selftest_reserve(const struct campaign *campaign, struct pawl_selftest *selftest) {
  const size_t limit = selftest->count + (size_t)campaign->options->trials * PAWL_SELFTEST_CHANGES;
  struct pawl_selftest_trial *trials =
      pawl_arena_alloc(&campaign->project->arena, limit + 1, sizeof *trials);
  if (selftest->count) memcpy(trials, selftest->trials, selftest->count * sizeof *trials);
  selftest->trials = trials;
}

/* Makes one trial of every change that wants one, on each of `count` subjects of one kernel. One
   fresh process of each arm serves a block of them all. Trials of one change are in different sets,
   so they have different processes. *made: the number of trials. */
static pawl_status take_set(struct campaign *campaign, size_t first, size_t count, size_t *made,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const size_t limit = count * PAWL_SELFTEST_CHANGES;
  struct pawl_paired_bench_request *requests = pawl_arena_alloc(&arena, limit, sizeof *requests);
  struct pawl_paired_test *paired = pawl_arena_alloc(&arena, limit, sizeof *paired);
  struct {
    struct pawl_selftest *selftest;
    double change;
  } *trials = pawl_arena_alloc(&arena, limit, sizeof *trials);
  size_t wanted = 0;
  const int64_t begin = pawl_clock_ns();
  for (size_t i = 0; i < limit; i++) {
    const struct subject *subject = &campaign->subjects[first + i / PAWL_SELFTEST_CHANGES];
    const int change = (int)(i % PAWL_SELFTEST_CHANGES),
              left = trials_left(campaign, subject->selftest, change);
    if (left == 0) continue;
    const size_t number =
        (size_t)(campaign->options->trials - left) * PAWL_SELFTEST_CHANGES + (size_t)change;
    trials[wanted].selftest = subject->selftest;
    trials[wanted].change = pawl_selftest_changes[change];
    requests[wanted++] = make_request(subject, pawl_selftest_changes[change],
                                      pawl_selftest_seed(campaign->options->seed, number), &arena);
  }
  *made = wanted;
  if (!wanted) return PAWL_OK;
  PAWL_TRY(judge(campaign->project, requests, wanted, &arena, paired, err));
  for (size_t i = 0; i < wanted; i++)
    add_trial(trials[i].selftest, trials[i].change, &paired[i], &arena);
  const double seconds = pawl_seconds_since(begin) / (double)count;
  for (size_t i = 0; i < count; i++) {
    campaign->subjects[first + i].selftest->seconds += seconds;
    PAWL_TRY(store(&campaign->subjects[first + i], err));
  }
  return PAWL_OK;
}

/* Returns the number of trials that remain. */
static size_t announce(const struct campaign *campaign) {
  size_t there = 0, wanted = 0;
  int sets = 0;
  for (size_t i = 0; i < campaign->count; i++) {
    there += campaign->subjects[i].selftest->count;
    for (int change = 0; change < PAWL_SELFTEST_CHANGES; change++) {
      const int left = trials_left(campaign, campaign->subjects[i].selftest, change);
      wanted += (size_t)left;
      sets = left > sets ? left : sets;
    }
  }
  const double per_set =
      campaign->count ? (double)wanted / (double)campaign->count / (sets > 0 ? sets : 1) : 0;
  const double estimate = sets * USUAL_BLOCKS * campaign->block_seconds * per_set,
               budget = campaign->options->budget_seconds;
  pawl_log_info(campaign->project->options.log,
                "%zu trials are complete, %zu remain: about %.0f s%s", there, wanted, estimate,
                budget > 0 && budget < estimate ? ", more than the budget" : "");
  return wanted;
}

/* Changes and kernels take turns, so a selftest that stops early has about as many trials of
   each. */
static pawl_status take_trials(struct campaign *campaign, struct pawl_error *err) {
  const double budget = campaign->options->budget_seconds;
  const int64_t begin = pawl_clock_ns();
  const size_t wanted = announce(campaign);
  size_t ended = 0;
  for (bool any = true; any;) {
    any = false;
    for (size_t first = 0; first < campaign->count; first += group_size(campaign, first)) {
      size_t made;
      const struct pawl_progress progress = {"trials", (double)ended, (double)wanted, budget > 0};
      if (budget > 0 && pawl_seconds_since(begin) > budget) {
        pawl_progress_end(campaign->project->options.log);
        return PAWL_OK;
      }
      pawl_progress_show(campaign->project->options.log, &progress, "%zu of %zu, %s", ended, wanted,
                         campaign->subjects[first].kernel->spec->name);
      PAWL_TRY(take_set(campaign, first, group_size(campaign, first), &made, err));
      any = any || made > 0;
      ended += made;
    }
  }
  pawl_progress_end(campaign->project->options.log);
  return PAWL_OK;
}

pawl_status pawl_loop_selftest(struct pawl_project *project,
                               const struct pawl_selftest_options *options,
                               struct pawl_selftest **out, size_t *count, struct pawl_error *err) {
  struct campaign campaign = {.project = project, .options = options};
  PAWL_TRY(add_kernels(&campaign, err));
  struct pawl_selftest *selftests =
      pawl_arena_alloc(&project->arena, campaign.count + 1, sizeof *selftests);
  for (size_t i = 0; i < campaign.count; i++) {
    campaign.subjects[i].selftest = &selftests[i];
    selftest_describe(project, &campaign.subjects[i], &selftests[i]);
    PAWL_TRY(resume(project, &campaign.subjects[i], err));
    selftest_reserve(&campaign, &selftests[i]);
  }
  for (size_t first = 0; first < campaign.count; first += group_size(&campaign, first))
    PAWL_TRY(pilot(&campaign, first, group_size(&campaign, first), err));
  PAWL_TRY(take_trials(&campaign, err));
  *out = selftests;
  *count = campaign.count;
  return PAWL_OK;
}

/* --- what later runs say --- */

static void notice_of(const struct pawl_paths *paths, const char *path, const char *hardware,
                      struct pawl_strings *notices) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_selftest selftest = {0};
  struct pawl_error err = {0};
  const char *text = NULL;
  if (pawl_json_read(path, &document, &err) != PAWL_OK ||
      pawl_selftest_from_json(document, path, paths->arena, &selftest, &err) != PAWL_OK) {
    text = pawl_arena_printf(paths->arena, "cannot read the selftest of the gate: %s", err.message);
  } else if (pawl_text_equal(selftest.hardware, hardware) && pawl_selftest_failed(&selftest)) {
    struct pawl_selftest_tally same;
    pawl_selftest_tally(&selftest, 0, &same);
    text = pawl_arena_printf(
        paths->arena,
        "the gate failed its calibration on this machine: %d of %d verdicts on identical code "
        "(%s, %s) were false alarms; do not trust a verdict until `pawl selftest` passes",
        same.flagged, same.trials, selftest.kernel_name, selftest.case_name);
  }
  if (text) pawl_strings_add(notices, paths->arena, text);
}

pawl_status pawl_loop_selftest_notices(const struct pawl_paths *paths, const char *hardware,
                                       struct pawl_strings *notices, struct pawl_error *err) {
  const char *folder = pawl_arena_printf(paths->arena, "%s/selftest", paths->cache_folder);
  if (!pawl_is_folder(folder)) return PAWL_OK;
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, NULL, alphasort); /* in a stable order */
  if (count < 0) return pawl_fail(err, PAWL_IO, "cannot read the folder '%s'", folder);
  for (int i = 0; i < count; i++) {
    if (pawl_ends_with(entries[i]->d_name, ".json"))
      notice_of(paths, pawl_arena_printf(paths->arena, "%s/%s", folder, entries[i]->d_name),
                hardware, notices);
    free(entries[i]);
  }
  free(entries);
  return PAWL_OK;
}
