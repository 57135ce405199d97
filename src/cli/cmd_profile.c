/* SPDX-License-Identifier: Apache-2.0 */
/* pawl profile --import FILE.csv [--base FILE.csv] */
#include "cli/command.h"
#include "profile/ncu_csv.h"
#include "profile/summary.h"

static pawl_status output(const struct pawl_cli *cli, const struct pawl_profile *profile,
                          const struct pawl_profile_change *change, struct pawl_error *err) {
  if (cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_profile_to_json(profile, change);
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (change) pawl_profile_change_summary(change, &text);
  pawl_profile_summary(profile, &text);
  return pawl_cli_write(NULL, text.data, text.length, err);
}

PAWL_COMMAND(profile) {
  const char *path = NULL, *base_path = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--import", &path, "FILE.csv", "read what 'ncu --csv --page raw' wrote", 0, 0},
      {PAWL_OPTION_STRING, "--base", &base_path, "FILE.csv", "explain the change of the time since this profile", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if (!path) return pawl_fail(err, PAWL_USAGE, "'profile' needs --import FILE.csv; write it with ncu --csv --page raw");
  struct pawl_profile profile, base;
  struct pawl_profile_change change;
  PAWL_TRY(pawl_ncu_csv_read(path, &cli->arena, &profile, err));
  if (base_path) {
    PAWL_TRY(pawl_ncu_csv_read(base_path, &cli->arena, &base, err));
    pawl_profile_compare(&base, &profile, &cli->arena, &change);
  }
  return output(cli, &profile, base_path ? &change : NULL, err);
}
