/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci bisect: searches for the commit behind the newest loss of the history, and notes it
   there. `pawl ci issues` then shows the note in the issue. */
#include "base/file.h"
#include "cli/bisect_change.h"
#include "cli/ci.h"
#include "project/devices.h"

/* Adds the identities of the devices of this machine. */
static void add_hardware(struct pawl_cli *cli, struct pawl_strings *out) {
  static const int32_t kinds[] = {PAWL_CPU, PAWL_CUDA};
  struct pawl_devices devices = {.arena = &cli->arena, .wanted = cli->device};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct pawl_device *device = pawl_devices_find(&devices, kinds[i], NULL);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
    if (!device) continue;
    pawl_device_identity(device, &identity);
    pawl_strings_add(out, &cli->arena, pawl_arena_copy(&cli->arena, pawl_text_string(&identity)));
  }
  pawl_devices_release(&devices);
}

enum pawl_status_code pawl_ci_bisect(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_cli *cli = ci->cli;
  struct pawl_arena *arena = &cli->arena;
  struct pawl_strings hardware = {0};
  struct pawl_listed_change listed;
  char *words[8];
  int count = 0;
  bool found;
  if (pawl_ci_on_github() || pawl_ci_on_gitlab()) PAWL_TRY(pawl_ci_refuse_tokens(err));
  add_hardware(cli, &hardware);
  PAWL_TRY(pawl_bisect_change_next(cli, &hardware, &listed, &found, err));
  if (!found) {
    pawl_log_info(&cli->log, "no loss of the history on this hardware waits for a search");
    return PAWL_OK;
  }
  PAWL_TRY(pawl_make_folders(ci->output, err));
  words[count++] = pawl_arena_printf(arena, "--change=%s", listed.change->commit);
  words[count++] = pawl_arena_printf(arena, "--case=%s", listed.series->case_name);
  words[count++] = pawl_arena_printf(arena, "--budget=%s", ci->budget ? ci->budget : "20m");
  words[count++] = pawl_arena_copy(arena, "--note");
  words[count++] = pawl_arena_printf(arena, "-o%s/bisect.json", ci->output);
  words[count++] = pawl_arena_copy(arena, "--");
  words[count++] = pawl_arena_copy(arena, listed.series->kernel_name);
  words[count] = NULL;
  const enum pawl_status_code status = pawl_cmd_bisect(cli, count, words, err);
  return status == PAWL_UNDECIDED ? PAWL_OK : status;
}
