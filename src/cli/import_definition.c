/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/import_definition.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "process/process.h"

#define SECONDS 60.0
#define ANSWER_LIMIT ((size_t)16 << 20)

/* Prints each line of the script's warnings and returns the last one, the reason of a failure. */
static const char *take_warnings(struct pawl_cli *cli, char *lines) {
  static const char warning[] = "warning: ";
  const char *last = "no reason";
  for (char *line = lines, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end) *end++ = '\0';
    if (pawl_starts_with(line, warning))
      pawl_log_warning(&cli->log, "%s", line + sizeof warning - 1);
    else
      last = line;
  }
  return last;
}

static enum pawl_status_code code_of_status(int status) {
  return status == PAWL_NO_INPUT || status == PAWL_CANNOT_WRITE ? (enum pawl_status_code)status
                                                                : PAWL_BAD_DATA;
}

pawl_status pawl_cli_import_definition(struct pawl_cli *cli, char *const *files,
                                       struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text printed = {0}, warnings = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_free_pointer) char *python = pawl_process_find("python3");
  struct pawl_words argv = {0};
  struct pawl_exit how = {0};
  if (!python)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "'import definition' needs python3, which is not on PATH");
  pawl_words_add(&argv, &cli->arena, python);
  pawl_words_add(&argv, &cli->arena,
                 pawl_arena_printf(&cli->arena, "%s/share/pawl/python/pawl_definition.py", home));
  for (size_t i = 0; files[i]; i++) pawl_words_add(&argv, &cli->arena, files[i]);
  const struct pawl_process_options options = {.argv = argv.items,
                                               .die_with_parent = true,
                                               .kill_descendants = true,
                                               .fds = {-1, -1, -1},
                                               .fd_count = 3};
  PAWL_TRY(pawl_process_run(&options, SECONDS, ANSWER_LIMIT, &printed, &warnings, &how, err));
  const char *reason =
      take_warnings(cli, pawl_arena_copy(&cli->arena, pawl_text_string(&warnings)));
  if (how.status != 0) return pawl_fail(err, code_of_status(how.status), "%s", reason);
  pawl_cli_print(pawl_text_string(&printed));
  return PAWL_OK;
}
