/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"
#include "cli/merge.h"

struct team {
  struct pawl_cli *cli;
  struct pawl_device devices[PAWL_BENCH_DEVICES];
  struct pawl_process processes[PAWL_BENCH_DEVICES];
  char *paths[PAWL_BENCH_DEVICES];
  int count;
};

static pawl_status check_alike(const struct team *team, const struct pawl_device *added, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text first = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text other = {0};
  for (int i = 0; i < team->count; i++) {
    if (team->devices[i].index == added->index)
      return pawl_fail(err, PAWL_USAGE, "'--device %s' names GPU %d twice", team->cli->device, added->index);
  }
  if (team->count == 0) return PAWL_OK;
  pawl_device_identity(&team->devices[0], &first);
  pawl_device_identity(added, &other);
  if (!strcmp(pawl_text_string(&first), pawl_text_string(&other))) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "GPU %d is '%s', GPU %d is '%s': bench them one after the other, into two files",
                   team->devices[0].index, pawl_text_string(&first), added->index, pawl_text_string(&other));
}

static pawl_status find_devices(struct team *team, struct pawl_error *err) {
  char *list = pawl_arena_copy(&team->cli->arena, team->cli->device), *rest = list;
  for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
    struct pawl_device device;
    if (team->count == PAWL_BENCH_DEVICES)
      return pawl_fail(err, PAWL_USAGE, "'--device' takes up to %d GPUs", PAWL_BENCH_DEVICES);
    PAWL_TRY(pawl_device_find(PAWL_CUDA, name, &team->cli->arena, &device, err));
    if (!device.uuid)
      return pawl_fail(err, PAWL_UNAVAILABLE, "GPU '%s' has no UUID by which a process could be kept on it", name);
    PAWL_TRY(check_alike(team, &device, err));
    team->devices[team->count++] = device;
  }
  return PAWL_OK;
}

/* Member `i` of the team: its share goes to a file of its own, its words to our standard error. */
static pawl_status start(struct team *team, int i, const char *program, const char *folder, const char *const *words,
                         struct pawl_error *err) {
  struct pawl_cli *cli = team->cli;
  size_t count = 0;
  while (words[count]) count++;
  team->paths[i] = pawl_arena_printf(&cli->arena, "%s/%d.json", folder, i);
  const char *shard = pawl_arena_printf(&cli->arena, "%d/%d", i + 1, team->count);
  const char *loudness = cli->log.level == PAWL_LOG_VERBOSE ? "-v" : "-q";
  const char *const head[] = {program, "-f",      cli->suite, loudness, "--device",    team->devices[i].uuid,
                              "bench", "--shard", shard,      "-o",     team->paths[i]};
  const size_t head_count = sizeof head / sizeof *head;
  const char **argv = pawl_arena_alloc(&cli->arena, head_count + count + 1, sizeof *argv);
  memcpy(argv, head, sizeof head);
  memcpy(argv + head_count, words, count * sizeof *argv);
  const struct pawl_process_options options = {
      .argv = argv, .die_with_parent = true, .fds = {-1, -1, 2}, .fd_count = 3};
  return pawl_process_start(&team->processes[i], &options, err);
}

static pawl_status finish(struct team *team, int i, struct pawl_error *err) {
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_process_wait(&team->processes[i], -1, &how, err));
  if (how.status == PAWL_OK || how.status == PAWL_FAILED || how.status == PAWL_UNDECIDED)
    return PAWL_OK; /* a verdict */
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ended = {0};
  pawl_exit_describe(&how, &ended);
  return pawl_fail(err, how.status > 0 ? (enum pawl_status_code)how.status : PAWL_BUG, "bench on GPU %d %s",
                   team->devices[i].index, pawl_text_string(&ended));
}

static pawl_status measure(struct team *team, const char *folder, const char *const *words, struct pawl_results *files,
                           struct pawl_results *merged, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  if (!program) return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find pawl's own program: is /proc mounted?");
  enum pawl_status_code status = PAWL_OK;
  for (int i = 0; i < team->count && status == PAWL_OK; i++) status = start(team, i, program, folder, words, err);
  for (int i = 0; i < team->count && status == PAWL_OK; i++) status = finish(team, i, err);
  for (int i = 0; i < team->count; i++) pawl_process_kill(&team->processes[i]);
  return status == PAWL_OK ? pawl_cli_merge(team->cli, team->paths, team->count, files, merged, err) : status;
}

pawl_status pawl_cli_bench_devices(struct pawl_cli *cli, const char *const *words, struct pawl_results *files,
                                   struct pawl_results *merged, struct pawl_error *err) {
  struct team *team = pawl_arena_alloc(&cli->arena, 1, sizeof *team);
  const char *place = getenv("TMPDIR");
  char *folder = pawl_arena_printf(&cli->arena, "%s/pawl-bench.XXXXXX", place && *place ? place : "/tmp");
  team->cli = cli;
  PAWL_TRY(find_devices(team, err));
  if (!mkdtemp(folder)) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot make a folder '%s'", folder);
  const enum pawl_status_code status = measure(team, folder, words, files, merged, err);
  struct pawl_error ignored = {0};
  if (pawl_remove_tree(folder, &ignored) != PAWL_OK) pawl_log_info(&cli->log, "%s", ignored.message);
  return status;
}
