/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tune_place.h"

#include <stdlib.h>

#include "base/file.h"
#include "cli/duration.h"
#include "tuning/past.h"

static pawl_status check_slurm(struct pawl_cli *cli, struct pawl_tune_place *place,
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

pawl_status pawl_cli_find_tune_place(struct pawl_cli *cli, struct pawl_tune_place *place,
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

/* An evaluator's command is this search's, with absolute paths. */
static pawl_status list_words(struct pawl_cli *cli, const struct pawl_tune_options *options,
                              struct pawl_words *words, struct pawl_error *err) {
  struct pawl_arena *arena = &cli->arena;
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_path_real("/proc/self/exe");
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_real(options->folder);
  if (!program)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot find pawl's own program: is /proc mounted?");
  pawl_words_add(words, arena, pawl_arena_copy(arena, program));
  if (cli->suite) pawl_words_add(words, arena, "-f"), pawl_words_add(words, arena, cli->suite);
  pawl_words_add(words, arena, cli->log.level == PAWL_LOG_VERBOSE ? "-v" : "-q");
  pawl_words_add(words, arena, "tune");
  pawl_words_add(words, arena, options->kernel);
  if (options->case_name) pawl_words_printf(words, arena, "--case=%s", options->case_name);
  if (options->case_names) pawl_words_printf(words, arena, "--cases=%s", options->case_names);
  pawl_words_printf(words, arena, "--strategy=%s", options->strategy);
  pawl_words_printf(words, arena, "--seed=%llu", (unsigned long long)options->seed);
  pawl_words_printf(words, arena, "--budget=%.17gs", options->budget_seconds);
  pawl_words_printf(words, arena, "-o%s", folder ? folder : options->folder);
  /* The search asks the evaluator, which searches nothing itself. */
  pawl_words_add(words, arena, "--prior=" PAWL_TUNE_NO_PRIOR);
  pawl_words_add(words, arena, "--evaluate");
  return PAWL_OK;
}

pawl_status pawl_cli_tune_elsewhere(struct pawl_cli *cli, struct pawl_project *project,
                                    const struct pawl_tune_options *options,
                                    const struct pawl_tune_place *place,
                                    struct pawl_tune_pool_result *out, struct pawl_error *err) {
  struct pawl_words words = {0};
  const char **devices = NULL;
  PAWL_TRY(list_words(cli, options, &words, err));
  for (int i = 0; i < place->fleet.gpu_count && place->fleet.gpu_count > 1; i++) {
    if (!devices)
      devices = pawl_arena_alloc(&cli->arena, (size_t)place->fleet.gpu_count, sizeof *devices);
    devices[i] = place->fleet.gpus[i].uuid;
  }
  const struct pawl_tune_pool plan = {.executor = place->row,
                                      .evaluators = place->evaluators,
                                      .devices = devices,
                                      .executor_options = &place->slurm_words,
                                      .patience = place->patience,
                                      .words = &words};
  return pawl_loop_tune_pool(project, options, &plan, out, err);
}
