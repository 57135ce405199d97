/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/fleet.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "device/backends.h"
#include "gate/verdict.h"

#define LOOK_SECONDS 0.05

/* --- the GPUs --- */

static pawl_status add_gpu(struct pawl_fleet *fleet, const struct pawl_device *gpu,
                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text first = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text other = {0};
  if (fleet->gpu_count == PAWL_FLEET_GPUS)
    return pawl_fail(err, PAWL_USAGE, "'--device' takes up to %d GPUs", PAWL_FLEET_GPUS);
  if (!gpu->uuid)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "GPU %d has no UUID, so pawl cannot bind a process to it", gpu->index);
  for (int i = 0; i < fleet->gpu_count; i++) {
    if (fleet->gpus[i].index == gpu->index)
      return pawl_fail(err, PAWL_USAGE, "'--device %s' names GPU %d twice", fleet->names,
                       gpu->index);
  }
  if (fleet->gpu_count) {
    pawl_device_identity(&fleet->gpus[0], &first);
    pawl_device_identity(gpu, &other);
    if (strcmp(pawl_text_string(&first), pawl_text_string(&other)) != 0)
      return pawl_fail(
          err, PAWL_USAGE,
          "GPU %d is '%s', GPU %d is '%s': use them one after the other, with two output files",
          fleet->gpus[0].index, pawl_text_string(&first), gpu->index, pawl_text_string(&other));
  }
  fleet->gpus[fleet->gpu_count++] = *gpu;
  return PAWL_OK;
}

/* The GPUs of these names, or all. They are listed once: a list takes its time. */
pawl_status pawl_fleet_find(struct pawl_fleet *fleet, const char *names, struct pawl_arena *arena,
                            struct pawl_log *log, struct pawl_error *err) {
  struct pawl_device *gpus = NULL;
  int count = 0;
  const char *reason = NULL;
  const bool all = !strcmp(names, "all");
  *fleet = (struct pawl_fleet){.arena = arena, .log = log, .names = names};
  PAWL_TRY(pawl_device_backend(PAWL_CUDA)->list(NULL, arena, &gpus, &count, &reason, err));
  if (!count && all)
    return pawl_fail(err, PAWL_UNAVAILABLE, "'--device all': there is no GPU: %s", reason);
  if (!count) return pawl_fail(err, PAWL_UNAVAILABLE, "no such device: %s", reason);
  for (int i = 0; i < count && all; i++) PAWL_TRY(add_gpu(fleet, &gpus[i], err));
  char *rest = all ? NULL : pawl_arena_copy(arena, names);
  for (const char *name; rest && (name = strsep(&rest, ",")) != NULL;) {
    struct pawl_device gpu;
    PAWL_TRY(pawl_device_choose(gpus, count, name, &gpu, err));
    PAWL_TRY(add_gpu(fleet, &gpu, err));
  }
  return PAWL_OK;
}

/* --- the parts --- */

static size_t count_arguments(const char *const *words) {
  size_t count = 0;
  while (words[count]) count++;
  return count;
}

/* Part `i` on the GPU; `lost`: why the part's own GPU cannot be used, then nothing is run on this
 * one either. */
static pawl_status start(struct pawl_fleet *fleet, const struct pawl_fleet_task *task, int i,
                         const struct pawl_device *gpu, const char *lost, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find pawl's own program: is /proc mounted?");
  const size_t count = count_arguments(task->arguments);
  const char **argv = pawl_arena_alloc(fleet->arena, count + 20, sizeof *argv);
  size_t used = 0;
  argv[used++] = program, argv[used++] = "-f", argv[used++] = task->suite;
  argv[used++] = fleet->log->level == PAWL_LOG_VERBOSE ? "-v" : "-q";
  argv[used++] = "--device", argv[used++] = gpu->uuid;
  if (fleet->wait) argv[used++] = "--wait", argv[used++] = fleet->wait;
  if (lost) argv[used++] = "--gpu-lost", argv[used++] = lost;
  argv[used++] = task->command;
  argv[used++] = "--shard",
  argv[used++] = pawl_arena_printf(fleet->arena, "%d/%d", i + 1, fleet->part_count);
  if (task->cpu_apart) argv[used++] = "--cpu-apart";
  argv[used++] = "-o", argv[used++] = fleet->outputs[i];
  for (size_t w = 0; w < count; w++) {
    if (!lost || strcmp(task->arguments[w], "--update-baseline") != 0)
      argv[used++] = task->arguments[w];
  }
  const struct pawl_process_options options = {
      .argv = argv,
      .environment = (const char *const[]){pawl_budget_variable(), NULL},
      .die_with_parent = true,
      .fds = {-1, -1, 2},
      .fd_count = 3};
  return pawl_process_start(&fleet->processes[i], &options, err);
}

/* Passes an interrupt on: the parts have process groups of their own, so a terminal signals this
   process alone. A background job may ignore SIGINT, and its parts with it. */
static void fleet_pass_on(struct pawl_fleet *fleet) {
  if (fleet->interrupted || !pawl_budget_is_interrupted()) return;
  fleet->interrupted = true;
  for (int i = 0; i < fleet->part_count; i++)
    if (fleet->processes[i].pid > 0) kill(fleet->processes[i].pid, SIGTERM);
}

/* Waits for a part. An interrupted part writes its report and ends by the signal, *reported. A part
   that was not yet able to do so starts again, and it reports that nothing is measured. */
static pawl_status fleet_wait(struct pawl_fleet *fleet, const struct pawl_fleet_task *task, int i,
                              const struct pawl_device *gpu, struct pawl_exit *how, bool *reported,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *last = pawl_path_join(fleet->outputs[i], "report.md");
  for (bool again = false;; again = true) {
    while (!pawl_process_has_ended(&fleet->processes[i])) {
      fleet_pass_on(fleet);
      pawl_sleep_seconds(LOOK_SECONDS);
    }
    PAWL_TRY(pawl_process_wait(&fleet->processes[i], -1, how, err));
    const bool by_us = fleet->interrupted && how->signal == SIGTERM;
    *reported = by_us && pawl_is_regular(last);
    if (!by_us || *reported || again) return PAWL_OK;
    PAWL_TRY(start(fleet, task, i, gpu, NULL, err));
  }
}

/* Waits for a part. If its GPU may have caused a failure, *lost gets the reason, and the result is
   no error. */
static pawl_status fleet_finish(struct pawl_fleet *fleet, const struct pawl_fleet_task *task, int i,
                                const struct pawl_device *gpu, const char **lost,
                                struct pawl_error *err) {
  struct pawl_exit how = {0};
  bool reported = false;
  PAWL_TRY(fleet_wait(fleet, task, i, gpu, &how, &reported, err));
  *lost = NULL;
  if (reported) {
    fleet->verdicts[i] = PAWL_UNDECIDED;
    return PAWL_OK;
  }
  if (how.status == PAWL_OK || how.status == PAWL_FAILED || how.status == PAWL_UNDECIDED) {
    fleet->verdicts[i] = (enum pawl_status_code)how.status;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ended = {0};
  pawl_exit_describe(&how, &ended);
  const char *words = pawl_arena_printf(fleet->arena, "%s on GPU %d (%s) %s", task->command,
                                        gpu->index, gpu->uuid, pawl_text_string(&ended));
  if (how.status == PAWL_UNAVAILABLE || how.status == PAWL_NO_MEMORY || how.signal) *lost = words;
  return *lost ? PAWL_OK : pawl_fail(err, (enum pawl_status_code)how.status, "%s", words);
}

/* The GPUs' parts, all at once, to their ends. */
static pawl_status work_on_gpus(struct pawl_fleet *fleet, const struct pawl_fleet_task *task,
                                struct pawl_error *err) {
  const char *lost[PAWL_FLEET_GPUS] = {0};
  const struct pawl_device *whole = NULL; /* the GPU of a part that finished */
  enum pawl_status_code status = PAWL_OK;
  for (int i = 0; i < fleet->gpu_count; i++)
    PAWL_TRY(start(fleet, task, i, &fleet->gpus[i], NULL, err));
  for (int i = 0; i < fleet->gpu_count; i++) {
    struct pawl_error failure = {0};
    const enum pawl_status_code ended =
        fleet_finish(fleet, task, i, &fleet->gpus[i], &lost[i], &failure);
    if (ended == PAWL_OK && !lost[i]) whole = &fleet->gpus[i];
    if (ended == PAWL_OK || status != PAWL_OK) continue;
    status = ended;
    if (err) *err = failure;
  }
  for (int i = 0; i < fleet->gpu_count && status == PAWL_OK; i++) {
    const char *again = NULL;
    if (!lost[i]) continue;
    if (!whole)
      return pawl_fail(err, PAWL_UNAVAILABLE, "%s, and all other GPUs failed too", lost[i]);
    pawl_log_warning(fleet->log, "%s; the other GPUs continued", lost[i]);
    PAWL_TRY(start(fleet, task, i, whole, lost[i], err));
    status = fleet_finish(fleet, task, i, whole, &again, err);
    if (status == PAWL_OK && again) status = pawl_fail(err, PAWL_UNAVAILABLE, "%s", again);
  }
  return status;
}

/* A GPU of the team that is still there: the results say of what hardware they are. */
static const struct pawl_device *one_at_hand(struct pawl_fleet *fleet) {
  const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CUDA);
  for (int i = 0; i < fleet->gpu_count; i++) {
    if (!backend->lost(&fleet->gpus[i], fleet->arena)) return &fleet->gpus[i];
  }
  return &fleet->gpus[0];
}

pawl_status pawl_fleet_run(struct pawl_fleet *fleet, const struct pawl_fleet_task *task,
                           struct pawl_error *err) {
  const char *folder, *lost = NULL;
  const bool apart = task->cpu_apart;
  if (!pawl_make_temporary("fleet", fleet->arena, &folder))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", folder);
  fleet->folder = folder;
  fleet->part_count = fleet->gpu_count + apart;
  for (int i = 0; i < fleet->part_count; i++)
    fleet->outputs[i] = pawl_arena_printf(fleet->arena, "%s/%d", folder, i + 1);
  pawl_log_progress(fleet->log, "%s on %d GPUs at once", task->command, fleet->gpu_count);
  enum pawl_status_code status = work_on_gpus(fleet, task, err);
  pawl_log_progress(fleet->log, "%s", "");
  if (status != PAWL_OK || !apart) return status;
  const int last = fleet->gpu_count;
  const struct pawl_device *gpu = one_at_hand(fleet);
  PAWL_TRY(start(fleet, task, last, gpu, NULL, err));
  status = fleet_finish(fleet, task, last, gpu, &lost, err);
  return status == PAWL_OK && lost ? pawl_fail(err, PAWL_UNAVAILABLE, "%s", lost) : status;
}

enum pawl_status_code pawl_fleet_verdict(const struct pawl_fleet *fleet) {
  enum pawl_status_code verdict = PAWL_OK;
  for (int i = 0; i < fleet->part_count; i++)
    verdict = pawl_worse_status(verdict, fleet->verdicts[i]);
  return verdict;
}

void pawl_fleet_release(struct pawl_fleet *fleet) {
  struct pawl_error ignored = {0};
  for (int i = 0; i < fleet->part_count; i++) pawl_process_kill(&fleet->processes[i]);
  if (fleet->folder && pawl_remove_tree(fleet->folder, &ignored) != PAWL_OK)
    pawl_log_info(fleet->log, "%s", ignored.message);
  fleet->folder = NULL;
}
