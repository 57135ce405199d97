/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpus.h"
#include "project/kernels.h"

pawl_status pawl_cli_find_gpus(struct pawl_cli *cli, struct pawl_fleet *fleet, bool *several,
                               struct pawl_error *err) {
  *several = false;
  if (!pawl_cli_names_gpus(cli)) return PAWL_OK;
  PAWL_TRY(pawl_fleet_find(fleet, cli->device, &cli->arena, &cli->log, err));
  fleet->wait = cli->wait;
  *several = fleet->gpu_count > 1;
  if (!*several) cli->device = fleet->gpus[0].uuid;
  return PAWL_OK;
}

pawl_status pawl_cli_build_for(struct pawl_cli *cli, const struct pawl_fleet *fleet,
                               const struct pawl_option_list *definitions, const char *only_case,
                               char **names, int count, bool *cpu_kernels, struct pawl_error *err) {
  struct pawl_project project;
  const char *all = cli->device;
  cli->device = fleet->gpus[0].uuid;
  enum pawl_status_code status = pawl_cli_open(cli, definitions, &project, err);
  cli->device = all;
  if (status != PAWL_OK) return status;
  status = pawl_cli_require_row(&project, only_case, err);
  if (status == PAWL_OK) status = pawl_project_build(&project, names, count, cpu_kernels, err);
  pawl_project_close(&project);
  return status;
}
