/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/selftest.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/parallel.h"
#include "loop/pair.h"
#include "stats/describe.h"

#define MOST_SAMPLES 20     /* of each arm in a block: enough for a median, and the block is the replicate */
#define PILOT_BLOCKS 3      /* that say how long a call takes */
#define USUAL_BLOCKS 14     /* that a trial takes on a usual machine, for the estimate */
#define DELAY_SHARE 0.05    /* of a call, that both arms carry ... */
#define SHORTEST_DELAY 2e-6 /* ... and at least so many seconds: far above a reading of the clock */
#define INPUT_SEED 42u      /* of the inputs: the same for all trials, so that the oracle is asked once */

/* What all trials share. */
struct selftesting {
  struct pawl_project *project;
  const struct pawl_selftest_options *options;
  struct pawl_ready_kernel kernel;
  struct pawl_oracle *oracle;
  const struct pawl_case *item;
  const char *path; /* of the state that is resumed */
  double block_seconds;
};

static pawl_status find_kernel(struct selftesting *at, struct pawl_error *err) {
  struct pawl_project *project = at->project;
  const struct pawl_kernel_spec *spec = NULL;
  if (at->options->kernel) {
    const struct pawl_kernel_spec **specs;
    size_t count;
    char *name = pawl_arena_copy(&project->arena, at->options->kernel);
    PAWL_TRY(pawl_project_kernels(project, &name, 1, &specs, &count, err));
    spec = specs[0];
  }
  for (size_t i = 0; !spec && i < project->suite.kernel_count; i++) {
    const struct pawl_kernel_spec *candidate = &project->suite.kernels[i];
    if (candidate->operator_name && !candidate->reference && pawl_project_device(project, candidate->device, NULL))
      spec = candidate;
  }
  if (!spec || !spec->operator_name)
    return pawl_fail(err, PAWL_USAGE, "%s: no kernel to test the gate with; a command carries no delay",
                     project->suite.path);
  PAWL_TRY(pawl_project_ready(project, spec, &at->kernel, err));
  if (at->kernel.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, at->kernel.outcome == PAWL_OUTCOME_ABSENT ? PAWL_UNAVAILABLE : PAWL_FAILED,
                     "kernel '%s' cannot run: %s", spec->name, at->kernel.reason);
  return PAWL_OK;
}

static pawl_status find_case(struct selftesting *at, struct pawl_error *err) {
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_project_oracle(at->project, at->kernel.spec->operator_name, &at->oracle, err));
  PAWL_TRY(pawl_project_cases(at->project, at->oracle, at->options->case_name, NULL, &cases, &count, err));
  if (count == 0)
    return pawl_fail(err, PAWL_USAGE, "kernel '%s' has no case%s%s; pawl list shows them", at->kernel.spec->name,
                     at->options->case_name ? " " : "", at->options->case_name ? at->options->case_name : "");
  at->item = &cases[0];
  at->path = pawl_arena_printf(&at->project->arena, "%s/selftest/%s-%s.json", at->project->cache_folder,
                               at->kernel.spec->name, at->item->name);
  return pawl_make_folders(pawl_arena_printf(&at->project->arena, "%s/selftest", at->project->cache_folder), err);
}

static void describe(const struct selftesting *at, struct pawl_selftest *out) {
  struct pawl_project *project = at->project;
  const struct pawl_gate_spec *gate = &project->suite.gate;
  const struct pawl_device *device = pawl_project_device(project, at->kernel.spec->device, NULL);
  struct pawl_text identity = {0};
  char now[20];
  pawl_device_identity(device, &identity);
  pawl_format_time(pawl_wall_clock(), now);
  const int share = pawl_pair_samples(&project->suite.measure);
  *out = (struct pawl_selftest){.kernel_name = at->kernel.spec->name,
                                .case_name = at->item->name,
                                .hardware = pawl_arena_copy(&project->arena, pawl_text_string(&identity)),
                                .hardware_name = device->name,
                                .code_hash = at->kernel.build.code_hash,
                                .timestamp = pawl_arena_copy(&project->arena, now),
                                .policy = {.tolerate = gate->tolerate,
                                           .detect = gate->detect,
                                           .false_alarm = gate->false_alarm,
                                           .miss = gate->miss,
                                           .max_blocks = gate->max_blocks,
                                           .comparisons = 1},
                                .samples = share < MOST_SAMPLES ? share : MOST_SAMPLES,
                                .base_ms = NAN,
                                .delay_ms = NAN};
  pawl_text_clear(&identity);
}

/* --- resuming --- */

static bool same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static bool same_policy(const struct pawl_sequential_policy *a, const struct pawl_sequential_policy *b) {
  const double mine[] = {a->tolerate, a->detect, a->false_alarm, a->miss, a->max_blocks};
  const double theirs[] = {b->tolerate, b->detect, b->false_alarm, b->miss, b->max_blocks};
  for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
    if (!(fabs(mine[i] - theirs[i]) <= 1e-12)) return false;
  }
  return true;
}

static pawl_status resume(const struct selftesting *at, struct pawl_selftest *selftest, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_selftest stored;
  if (!pawl_file_exists(at->path)) return PAWL_OK;
  PAWL_TRY(pawl_json_read(at->path, &document, err));
  if (pawl_selftest_from_json(document, at->path, &at->project->arena, &stored, err) != PAWL_OK)
    return pawl_prefix(err, "cannot go on; remove the file to start anew");
  const bool same = same_text(stored.hardware, selftest->hardware) &&
                    same_text(stored.code_hash, selftest->code_hash) && stored.samples == selftest->samples &&
                    same_policy(&stored.policy, &selftest->policy) && stored.base_ms > 0 && stored.delay_ms > 0;
  if (!same) {
    pawl_log_info(at->project->options.log, "'%s' is of other code, hardware or policy: starting anew", at->path);
    return PAWL_OK;
  }
  *selftest = stored;
  return PAWL_OK;
}

static pawl_status store(const struct selftesting *at, const struct pawl_selftest *selftest, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_selftest_to_json(selftest);
  return pawl_json_write(at->path, document, true, err);
}

/* --- trials --- */

static pawl_status judge(const struct selftesting *at, const struct pawl_selftest *selftest, double change,
                         uint64_t seed, int most_blocks, struct pawl_arena *arena, struct pawl_paired *paired,
                         struct pawl_error *err) {
  const double delay = isnan(selftest->delay_ms) ? SHORTEST_DELAY * 1e3 : selftest->delay_ms;
  const double longer = isnan(selftest->base_ms) ? 0 : change * (selftest->base_ms + delay);
  const struct pawl_pair_request request = {.base = &at->kernel,
                                            .candidate = &at->kernel,
                                            .oracle = at->oracle,
                                            .item = at->item,
                                            .comparisons = 1,
                                            .seed = seed,
                                            .arena = arena,
                                            .injected = true,
                                            .input_seed = INPUT_SEED,
                                            .samples = selftest->samples,
                                            .most_blocks = most_blocks,
                                            .delay_ns = {llround(delay * 1e6), llround((delay + longer) * 1e6)}};
  struct pawl_pair_outcome outcome;
  const enum pawl_status_code status = pawl_loop_pair(at->project, &request, paired, &outcome, err);
  if (status == PAWL_UNDECIDED) return err ? err->code = PAWL_UNAVAILABLE : PAWL_UNAVAILABLE;
  if (status != PAWL_OK) return status;
  if (outcome.base != PAWL_OUTCOME_OK || outcome.candidate != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails: %s", at->kernel.spec->name, outcome.reason);
  return PAWL_OK;
}

/* A few blocks, which count for nothing: how long a call and a block take, and thereby the delay. */
static pawl_status pilot(struct selftesting *at, struct pawl_selftest *selftest, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_paired paired;
  const int64_t begin = pawl_clock_ns();
  PAWL_TRY(judge(at, selftest, 0, at->options->seed, PILOT_BLOCKS, &arena, &paired, err));
  at->block_seconds = (double)(pawl_clock_ns() - begin) * 1e-9 / PILOT_BLOCKS;
  if (!isnan(selftest->base_ms)) return PAWL_OK;
  double times[PILOT_BLOCKS];
  struct pawl_summary summary;
  for (size_t i = 0; i < PILOT_BLOCKS; i++) times[i] = paired.blocks[i].base_ms;
  PAWL_TRY(pawl_summarize(times, PILOT_BLOCKS, &summary, err));
  selftest->base_ms = fmax(summary.median - SHORTEST_DELAY * 1e3, 1e-6);
  selftest->delay_ms = fmax(DELAY_SHARE * selftest->base_ms, SHORTEST_DELAY * 1e3);
  return PAWL_OK;
}

static double sd_of_blocks(const struct pawl_paired *paired, struct pawl_arena *arena) {
  double *ratios = pawl_arena_alloc(arena, paired->block_count + 1, sizeof *ratios);
  size_t count = 0;
  struct pawl_summary summary;
  struct pawl_error ignored;
  for (size_t i = 0; i < paired->block_count; i++) {
    if (!paired->blocks[i].spoiled) ratios[count++] = log(paired->blocks[i].candidate_ms / paired->blocks[i].base_ms);
  }
  return count > 1 && pawl_summarize(ratios, count, &summary, &ignored) == PAWL_OK ? summary.std : NAN;
}

static pawl_status add_trial(struct selftesting *at, struct pawl_selftest *selftest, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_paired paired;
  struct pawl_selftest_trial *trial = &selftest->trials[selftest->count];
  const double change = pawl_selftest_changes[selftest->count % PAWL_SELFTEST_CHANGES];
  const uint64_t seed = pawl_selftest_seed(at->options->seed, selftest->count);
  PAWL_TRY(judge(at, selftest, change, seed, 0, &arena, &paired, err));
  *trial = (struct pawl_selftest_trial){.change = change,
                                        .seed = seed,
                                        .answer = paired.answer,
                                        .blocks = paired.counted,
                                        .spoiled = paired.block_count - paired.counted,
                                        .slowdown = paired.slowdown.estimate,
                                        .block_sd = sd_of_blocks(&paired, &arena)};
  selftest->count++;
  return PAWL_OK;
}

/* The changes take turns, so that a selftest that is stopped has as many trials of each. */
static pawl_status take_trials(struct selftesting *at, struct pawl_selftest *selftest, struct pawl_error *err) {
  const size_t wanted = (size_t)at->options->trials * PAWL_SELFTEST_CHANGES;
  struct pawl_selftest_trial *trials =
      pawl_arena_alloc(&at->project->arena, (wanted > selftest->count ? wanted : selftest->count) + 1, sizeof *trials);
  if (selftest->count) memcpy(trials, selftest->trials, selftest->count * sizeof *trials);
  selftest->trials = trials;
  const double budget = at->options->budget_seconds, before = selftest->seconds;
  const double estimate =
      (double)(wanted > selftest->count ? wanted - selftest->count : 0) * USUAL_BLOCKS * at->block_seconds;
  pawl_log_info(at->project->options.log, "%zu trials of %s on %s are there, %zu wanted: about %.0f s%s",
                selftest->count, selftest->kernel_name, selftest->case_name, wanted, estimate,
                budget > 0 && budget < estimate ? ", of which the budget allows a part" : "");
  const int64_t begin = pawl_clock_ns();
  while (selftest->count < wanted) {
    const double spent = (double)(pawl_clock_ns() - begin) * 1e-9;
    if (budget > 0 && spent > budget) break;
    pawl_log_progress(at->project->options.log, "trial %zu of %zu", selftest->count + 1, wanted);
    PAWL_TRY(add_trial(at, selftest, err));
    selftest->seconds = before + (double)(pawl_clock_ns() - begin) * 1e-9;
    PAWL_TRY(store(at, selftest, err));
  }
  pawl_log_progress(at->project->options.log, "%s", "");
  return PAWL_OK;
}

pawl_status pawl_loop_selftest(struct pawl_project *project, const struct pawl_selftest_options *options,
                               struct pawl_selftest *out, struct pawl_error *err) {
  struct selftesting at = {.project = project, .options = options};
  struct pawl_selftest selftest;
  PAWL_TRY(find_kernel(&at, err));
  PAWL_TRY(find_case(&at, err));
  describe(&at, &selftest);
  PAWL_TRY(resume(&at, &selftest, err));
  PAWL_TRY(pilot(&at, &selftest, err));
  PAWL_TRY(take_trials(&at, &selftest, err));
  *out = selftest;
  return PAWL_OK;
}

/* --- what later runs say --- */

static void notice_of(struct pawl_project *project, const char *path, const char *hardware,
                      struct pawl_strings *notices) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_selftest selftest = {0};
  struct pawl_error err = {0};
  const char *text = NULL;
  if (pawl_json_read(path, &document, &err) != PAWL_OK ||
      pawl_selftest_from_json(document, path, &project->arena, &selftest, &err) != PAWL_OK) {
    text = pawl_arena_printf(&project->arena, "the gate's selftest cannot be read: %s", err.message);
  } else if (same_text(selftest.hardware, hardware) && pawl_selftest_failed(&selftest)) {
    struct pawl_selftest_tally same;
    pawl_selftest_tally(&selftest, 0, &same);
    text = pawl_arena_printf(&project->arena,
                             "the gate failed its calibration on this machine: %d of %d verdicts on identical code "
                             "(%s, %s) were false alarms; do not trust a verdict before `pawl selftest` is clean",
                             same.flagged, same.trials, selftest.kernel_name, selftest.case_name);
  }
  if (!text) return;
  const char **grown = pawl_arena_alloc(&project->arena, notices->count + 1, sizeof *grown);
  if (notices->count) memcpy(grown, notices->items, notices->count * sizeof *grown);
  grown[notices->count++] = text;
  notices->items = grown;
}

pawl_status pawl_loop_selftest_notices(struct pawl_project *project, const char *hardware, struct pawl_strings *notices,
                                       struct pawl_error *err) {
  const char *folder = pawl_arena_printf(&project->arena, "%s/selftest", project->cache_folder);
  if (!pawl_is_folder(folder)) return PAWL_OK;
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, NULL, alphasort); /* in a stable order */
  if (count < 0) return pawl_fail(err, PAWL_IO, "cannot read the folder '%s'", folder);
  for (int i = 0; i < count; i++) {
    if (pawl_ends_with(entries[i]->d_name, ".json"))
      notice_of(project, pawl_arena_printf(&project->arena, "%s/%s", folder, entries[i]->d_name), hardware, notices);
    free(entries[i]);
  }
  free(entries);
  return PAWL_OK;
}
