/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/source.h"

#include <math.h>
#include <string.h>

#include "base/file.h"

/* The folder of a path that names a verdict: FOLDER or FOLDER/verdict.json; NULL: it is a file of results. */
static const char *verdict_folder(const char *path, struct pawl_arena *arena) {
  static const char name[] = "verdict.json";
  const size_t length = strlen(path), tail = strlen(name);
  if (pawl_is_folder(path)) return path;
  if (length < tail || strcmp(path + length - tail, name) != 0) return NULL;
  if (length == tail) return ".";
  return path[length - tail - 1] == '/' ? pawl_arena_printf(arena, "%.*s", (int)(length - tail), path) : NULL;
}

pawl_status pawl_cli_source_read(struct pawl_cli *cli, const char *path, struct pawl_cli_source *out,
                                 struct pawl_error *err) {
  const char *folder = verdict_folder(path, &cli->arena);
  if (folder) {
    PAWL_TRY(pawl_stored_run_read(folder, &cli->arena, &out->verdict, err));
    out->report = out->verdict.report;
    return PAWL_OK;
  }
  PAWL_TRY(pawl_results_read(path, &cli->arena, &out->results, err));
  out->report = (struct pawl_run_report){.results = &out->results, .seconds = NAN, .cost_usd = NAN};
  return PAWL_OK;
}

void pawl_cli_source_release(struct pawl_cli_source *source) {
  pawl_stored_run_release(&source->verdict);
  pawl_results_release(&source->results);
}
