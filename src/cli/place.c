/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/place.h"

#include <stdlib.h>

#include "base/file.h"
#include "cli/duration.h"

static pawl_status check_slurm(struct pawl_cli *cli, struct pawl_place *place,
                               struct pawl_error *err) {
  const char *patience = getenv("PAWL_SLURM_PATIENCE");
  if (!place->evaluators)
    return pawl_fail(err, PAWL_USAGE, "'--executor slurm' needs --evaluators N");
  if (pawl_cli_names_gpus(cli))
    return pawl_fail(err, PAWL_USAGE,
                     "cannot use '--device %s' with Slurm: use --slurm-options \"--gres=gpu:1\", "
                     "so that each task has a GPU",
                     cli->device);
  if (place->slurm_options)
    PAWL_TRY(pawl_words_split(&place->slurm_words, &cli->arena, place->slurm_options,
                              "'--slurm-options'", err));
  place->elsewhere = true;
  return pawl_parse_duration("PAWL_SLURM_PATIENCE", patience && *patience ? patience : NULL,
                             &place->patience, err);
}

pawl_status pawl_cli_find_place(struct pawl_cli *cli, struct pawl_place *place,
                                struct pawl_error *err) {
  bool several;
  place->patience = PAWL_QUEUE_PATIENCE;
  PAWL_TRY(pawl_executor_find(place->executor ? place->executor : "local", &place->row, err));
  if (place->row == &pawl_executor_slurm) return check_slurm(cli, place, err);
  if (place->evaluators || place->slurm_options)
    return pawl_fail(err, PAWL_USAGE, "'--%s' works only with --executor slurm",
                     place->evaluators ? "evaluators" : "slurm-options");
  PAWL_TRY(pawl_cli_find_gpus(cli, &place->fleet, &several, err));
  if (!several) return PAWL_OK;
  place->elsewhere = true;
  place->evaluators = place->fleet.gpu_count;
  cli->device = place->fleet.gpus[0].uuid;
  return PAWL_OK;
}

pawl_status pawl_cli_begin_words(struct pawl_cli *cli, const char *command,
                                 struct pawl_words *words, struct pawl_error *err) {
  struct pawl_arena *arena = &cli->arena;
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find pawl's own program: is /proc mounted?");
  pawl_words_add(words, arena, pawl_arena_copy(arena, program));
  if (cli->suite) pawl_words_add(words, arena, "-f"), pawl_words_add(words, arena, cli->suite);
  pawl_words_add(words, arena, cli->log.level == PAWL_LOG_VERBOSE ? "-v" : "-q");
  pawl_words_add(words, arena, command);
  return PAWL_OK;
}

struct pawl_pool_plan pawl_cli_place_plan(struct pawl_cli *cli, const struct pawl_place *place,
                                          const struct pawl_words *words, const char *goes_on) {
  const int gpus = place->fleet.gpu_count > 1 ? place->fleet.gpu_count : 0;
  const char **devices = gpus ? pawl_arena_alloc(&cli->arena, (size_t)gpus, sizeof *devices) : NULL;
  for (int i = 0; i < gpus; i++) devices[i] = place->fleet.gpus[i].uuid;
  return (struct pawl_pool_plan){.executor = place->row,
                                 .evaluators = place->evaluators,
                                 .devices = devices,
                                 .executor_options = &place->slurm_words,
                                 .patience = place->patience,
                                 .words = words,
                                 .goes_on = goes_on};
}
