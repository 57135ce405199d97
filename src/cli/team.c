/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* --- the GPUs --- */

static pawl_status add_gpu(struct pawl_team *team, const struct pawl_device *gpu, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text first = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text other = {0};
  if (team->gpu_count == PAWL_TEAM_GPUS)
    return pawl_fail(err, PAWL_USAGE, "'--device' takes up to %d GPUs", PAWL_TEAM_GPUS);
  if (!gpu->uuid)
    return pawl_fail(err, PAWL_UNAVAILABLE, "GPU %d has no UUID by which a process could be kept on it", gpu->index);
  for (int i = 0; i < team->gpu_count; i++) {
    if (team->gpus[i].index == gpu->index)
      return pawl_fail(err, PAWL_USAGE, "'--device %s' names GPU %d twice", team->cli->device, gpu->index);
  }
  if (team->gpu_count) {
    pawl_device_identity(&team->gpus[0], &first);
    pawl_device_identity(gpu, &other);
    if (strcmp(pawl_text_string(&first), pawl_text_string(&other)) != 0)
      return pawl_fail(err, PAWL_USAGE, "GPU %d is '%s', GPU %d is '%s': use them one after the other, into two files",
                       team->gpus[0].index, pawl_text_string(&first), gpu->index, pawl_text_string(&other));
  }
  team->gpus[team->gpu_count++] = *gpu;
  return PAWL_OK;
}

static pawl_status add_all(struct pawl_team *team, struct pawl_error *err) {
  struct pawl_device *gpus = NULL;
  int count = 0;
  const char *reason = NULL;
  PAWL_TRY(pawl_device_backend(PAWL_CUDA)->list(&team->cli->arena, &gpus, &count, &reason, err));
  if (!count) return pawl_fail(err, PAWL_UNAVAILABLE, "'--device all': there is no GPU: %s", reason);
  for (int i = 0; i < count; i++) PAWL_TRY(add_gpu(team, &gpus[i], err));
  return PAWL_OK;
}

pawl_status pawl_team_gather(struct pawl_team *team, struct pawl_cli *cli, bool *several, struct pawl_error *err) {
  *team = (struct pawl_team){.cli = cli};
  *several = false;
  if (!pawl_cli_names_gpus(cli)) return PAWL_OK;
  if (!strcmp(cli->device, "all")) PAWL_TRY(add_all(team, err));
  char *rest = team->gpu_count ? NULL : pawl_arena_copy(&cli->arena, cli->device);
  for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
    struct pawl_device gpu;
    PAWL_TRY(pawl_device_find(PAWL_CUDA, name, &cli->arena, &gpu, err));
    PAWL_TRY(add_gpu(team, &gpu, err));
  }
  *several = team->gpu_count > 1;
  if (!*several) cli->device = team->gpus[0].uuid;
  return PAWL_OK;
}

/* --- before the work --- */

static pawl_status build_all(struct pawl_team *team, struct pawl_project *project, char **names, int count,
                             struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count;
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    team->cpu_kernels = team->cpu_kernels || specs[i]->device != PAWL_CUDA;
    pawl_log_progress(&team->cli->log, "building %s", specs[i]->name);
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernel, err));
    pawl_log_progress(&team->cli->log, "%s", "");
    if (kernel.diagnostics) pawl_log_info(&team->cli->log, "%s", kernel.diagnostics);
  }
  return PAWL_OK;
}

pawl_status pawl_team_build(struct pawl_team *team, const struct pawl_option_list *definitions, const char *only_case,
                            char **names, int count, struct pawl_error *err) {
  struct pawl_project project;
  const char *wanted = team->cli->device;
  team->cli->device = team->gpus[0].uuid;
  enum pawl_status_code status = pawl_cli_open(team->cli, definitions, &project, err);
  team->cli->device = wanted;
  if (status != PAWL_OK) return status;
  status = pawl_cli_require_case(&project, only_case, err);
  if (status == PAWL_OK) status = build_all(team, &project, names, count, err);
  pawl_project_close(&project);
  return status;
}

/* --- the parts --- */

void pawl_team_add_words(const char **words, size_t used, const struct pawl_option_list *definitions, char **names,
                         int count) {
  for (size_t i = 0; i < definitions->count; i++) words[used++] = "-D", words[used++] = definitions->items[i];
  words[used++] = "--";
  for (int i = 0; i < count; i++) words[used++] = names[i];
}

static size_t count_words(const char *const *words) {
  size_t count = 0;
  while (words[count]) count++;
  return count;
}

/* Part `i` on the GPU; `lost`: why the part's own GPU cannot be used, then nothing is run on this one either. */
static pawl_status start(struct pawl_team *team, const struct pawl_team_task *task, int i,
                         const struct pawl_device *gpu, const char *lost, struct pawl_error *err) {
  struct pawl_cli *cli = team->cli;
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  if (!program) return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find pawl's own program: is /proc mounted?");
  const size_t count = count_words(task->words);
  const char **argv = pawl_arena_alloc(&cli->arena, count + 18, sizeof *argv);
  size_t used = 0;
  argv[used++] = program, argv[used++] = "-f", argv[used++] = cli->suite;
  argv[used++] = cli->log.level == PAWL_LOG_VERBOSE ? "-v" : "-q";
  argv[used++] = "--device", argv[used++] = gpu->uuid;
  if (lost) argv[used++] = "--gpu-lost", argv[used++] = lost;
  argv[used++] = task->command;
  argv[used++] = "--shard", argv[used++] = pawl_arena_printf(&cli->arena, "%d/%d", i + 1, team->part_count);
  if (task->cpu_apart && team->cpu_kernels) argv[used++] = "--cpu-apart";
  argv[used++] = "-o", argv[used++] = team->outputs[i];
  for (size_t w = 0; w < count; w++) {
    if (!lost || strcmp(task->words[w], "--update-baseline") != 0) argv[used++] = task->words[w];
  }
  const struct pawl_process_options options = {
      .argv = argv, .die_with_parent = true, .fds = {-1, -1, 2}, .fd_count = 3};
  return pawl_process_start(&team->processes[i], &options, err);
}

/* Waits for a part. What its GPU may be the reason of is put into *lost, and is no error. */
static pawl_status finish(struct pawl_team *team, const struct pawl_team_task *task, int i,
                          const struct pawl_device *gpu, const char **lost, struct pawl_error *err) {
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_process_wait(&team->processes[i], -1, &how, err));
  *lost = NULL;
  if (how.status == PAWL_OK || how.status == PAWL_FAILED || how.status == PAWL_UNDECIDED) {
    team->verdicts[i] = (enum pawl_status_code)how.status;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ended = {0};
  pawl_exit_describe(&how, &ended);
  const char *words = pawl_arena_printf(&team->cli->arena, "%s on GPU %d (%s) %s", task->command, gpu->index, gpu->uuid,
                                        pawl_text_string(&ended));
  if (how.status == PAWL_UNAVAILABLE || how.status == PAWL_NO_MEMORY || how.signal) *lost = words;
  return *lost ? PAWL_OK : pawl_fail(err, (enum pawl_status_code)how.status, "%s", words);
}

/* The GPUs' parts, all at once, to their ends. */
static pawl_status work_on_gpus(struct pawl_team *team, const struct pawl_team_task *task, struct pawl_error *err) {
  const char *lost[PAWL_TEAM_GPUS] = {0};
  const struct pawl_device *whole = NULL; /* one that came to its end */
  enum pawl_status_code status = PAWL_OK;
  for (int i = 0; i < team->gpu_count; i++) PAWL_TRY(start(team, task, i, &team->gpus[i], NULL, err));
  for (int i = 0; i < team->gpu_count; i++) {
    struct pawl_error failure = {0};
    const enum pawl_status_code ended = finish(team, task, i, &team->gpus[i], &lost[i], &failure);
    if (ended == PAWL_OK && !lost[i]) whole = &team->gpus[i];
    if (ended == PAWL_OK || status != PAWL_OK) continue;
    status = ended;
    if (err) *err = failure;
  }
  for (int i = 0; i < team->gpu_count && status == PAWL_OK; i++) {
    const char *again = NULL;
    if (!lost[i]) continue;
    if (!whole) return pawl_fail(err, PAWL_UNAVAILABLE, "%s, and no other GPU did better", lost[i]);
    pawl_log_warning(&team->cli->log, "%s; the others went on", lost[i]);
    PAWL_TRY(start(team, task, i, whole, lost[i], err));
    status = finish(team, task, i, whole, &again, err);
    if (status == PAWL_OK && again) status = pawl_fail(err, PAWL_UNAVAILABLE, "%s", again);
  }
  return status;
}

/* A GPU of the team that is still there: the results say of what hardware they are. */
static const struct pawl_device *one_at_hand(struct pawl_team *team) {
  const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CUDA);
  for (int i = 0; i < team->gpu_count; i++) {
    if (!backend->lost(&team->gpus[i], &team->cli->arena)) return &team->gpus[i];
  }
  return &team->gpus[0];
}

pawl_status pawl_team_work(struct pawl_team *team, const struct pawl_team_task *task, struct pawl_error *err) {
  struct pawl_cli *cli = team->cli;
  const char *place = getenv("TMPDIR"), *lost = NULL;
  char *folder = pawl_arena_printf(&cli->arena, "%s/pawl-team.XXXXXX", place && *place ? place : "/tmp");
  const bool apart = task->cpu_apart && team->cpu_kernels;
  if (!mkdtemp(folder)) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", folder);
  team->folder = folder;
  team->part_count = team->gpu_count + apart;
  for (int i = 0; i < team->part_count; i++) team->outputs[i] = pawl_arena_printf(&cli->arena, "%s/%d", folder, i + 1);
  pawl_log_progress(&cli->log, "%s on %d GPUs at once", task->command, team->gpu_count);
  enum pawl_status_code status = work_on_gpus(team, task, err);
  pawl_log_progress(&cli->log, "%s", "");
  if (status != PAWL_OK || !apart) return status;
  const int last = team->gpu_count;
  const struct pawl_device *gpu = one_at_hand(team);
  PAWL_TRY(start(team, task, last, gpu, NULL, err));
  status = finish(team, task, last, gpu, &lost, err);
  return status == PAWL_OK && lost ? pawl_fail(err, PAWL_UNAVAILABLE, "%s", lost) : status;
}

enum pawl_status_code pawl_team_verdict(const struct pawl_team *team) {
  enum pawl_status_code verdict = PAWL_OK;
  for (int i = 0; i < team->part_count; i++) {
    if (team->verdicts[i] == PAWL_FAILED) return PAWL_FAILED;
    if (team->verdicts[i] == PAWL_UNDECIDED) verdict = PAWL_UNDECIDED;
  }
  return verdict;
}

void pawl_team_release(struct pawl_team *team) {
  struct pawl_error ignored = {0};
  for (int i = 0; i < team->part_count; i++) pawl_process_kill(&team->processes[i]);
  if (team->folder && pawl_remove_tree(team->folder, &ignored) != PAWL_OK)
    pawl_log_info(&team->cli->log, "%s", ignored.message);
  team->folder = NULL;
}
