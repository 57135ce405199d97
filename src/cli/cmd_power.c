/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "cli/command.h"
#include "gate/paired_test.h"
#include "gate/power.h"

#define FEW 8 /* fewer values estimate the noise badly */

/* Takes the suite's gate, or the default without a suite. */
static pawl_status find_policy(struct pawl_cli *cli, struct pawl_sequential_policy *out,
                               struct pawl_error *err) {
  *out = pawl_sequential_default_policy();
  if (!pawl_file_exists(cli->suite)) return PAWL_OK;
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  *out = pawl_gate_policy(&suite.gate, out->comparisons);
  return PAWL_OK;
}

static void cmd_power_print_row(const struct pawl_power_row *row) {
  printf("%-20s %-18s %4zu %-9s ", row->kernel_name ? row->kernel_name : "-",
         row->case_name ? row->case_name : "-", row->count,
         row->from_blocks ? "blocks" : "processes");
  if (!(row->block_sd > 0)) {
    printf("unknown noise: fewer than two values, or all equal\n");
    return;
  }
  printf("%7.2f %% ", row->block_sd * 100);
  if (isnan(row->visible))
    printf("%9s", "none");
  else
    printf("%7.2f %%", row->visible * 100);
  for (int i = 0; i < PAWL_POWER_CHANGES; i++) {
    if (row->needed[i] > 0)
      printf(" %6d", row->needed[i]);
    else
      printf(" %5s%d", ">", row->policy.max_blocks);
  }
  puts(row->count < FEW ? "  (few values: an estimate)" : "");
}

static void cmd_power_print(const struct pawl_power *power) {
  printf("%-20s %-18s %-14s %9s %9s  blocks for", "kernel", "case", "noise from", "block sd",
         "visible");
  for (int i = 0; i < PAWL_POWER_CHANGES; i++) printf(" %.0f %%", pawl_power_changes[i] * 100);
  putchar('\n');
  for (size_t i = 0; i < power->count; i++) cmd_power_print_row(&power->rows[i]);
  const struct pawl_sequential_policy *policy = &power->rows[0].policy;
  printf(
      "visible: the smallest slow-down that the gate detects with probability %.0f %% within %d "
      "blocks, for %d comparison%s at a false-alarm rate of %g %%\n",
      PAWL_POWER_WANTED * 100, policy->max_blocks, policy->comparisons,
      policy->comparisons == 1 ? "" : "s", policy->false_alarm * 100);
}

enum pawl_status_code pawl_cmd_power(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  const struct pawl_option options[] = {{PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_sequential_policy policy;
  struct pawl_power power;
  PAWL_TRY(find_policy(cli, &policy, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *path = pawl_is_folder(argv[0]) ? pawl_path_join(argv[0], "results.json")
                                       : pawl_path_join(".", argv[0]);
  PAWL_TRY(pawl_json_read(path, &document, err));
  PAWL_TRY(pawl_power(document, path, &policy, &cli->arena, &power, err));
  if (!cli->json) {
    cmd_power_print(&power);
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_json_release) json_t *result = pawl_power_to_json(&power);
  return pawl_cli_write_json(NULL, result, err);
}
