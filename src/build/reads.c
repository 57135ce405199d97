/* SPDX-License-Identifier: Apache-2.0 */
#include "build/reads.h"

#include <string.h>

#include "base/file.h"
#include "build/build_command.h"
#include "build/tools.h"

#define LIMIT ((size_t)16 << 20) /* bytes of the list */
#define INDENT "    "            /* before each path that Ninja lists under the name of an output */

static pawl_status list(const char *folder, const char *plan,
                        const struct pawl_build_options *options, struct pawl_text *out,
                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *output = pawl_path_join(folder, "reads");
  const struct pawl_tool ninja = pawl_tool_find("ninja", &arena);
  if (ninja.reason)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot list the headers: %s", ninja.reason);
  /* -n: it must not write to its own files, which have a seal */
  const char *const argv[] = {ninja.path, "-n", "-f", plan, "-t", "deps", NULL},
                    *const environment[] = {NULL};
  const struct pawl_build_command command = {
      argv, environment, options->folder, output, options->timeout_seconds, options->jobs};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_build_command_run(&command, &how, err));
  if (how.timed_out || how.status != 0)
    return pawl_fail(err, PAWL_FAILED, "ninja cannot list the headers of '%s': see '%s'", plan,
                     output);
  return pawl_build_output_read(output, LIMIT, out, err);
}

static void add_real(const char *folder, const char *path, struct pawl_arena *arena,
                     struct pawl_words *out) {
  PAWL_CLEANUP(pawl_free_pointer) char *joined = *path == '/' ? NULL : pawl_path_join(folder, path);
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(joined ? joined : path);
  if (real) pawl_words_add(out, arena, real);
}

pawl_status pawl_build_reads(const struct pawl_build_result *result,
                             const struct pawl_build_options *options, struct pawl_arena *arena,
                             struct pawl_words *out, struct pawl_error *err) {
  if (!result->plugin) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(result->plugin);
  PAWL_CLEANUP(pawl_free_pointer) char *plan = pawl_path_join(folder, "build.ninja");
  if (!pawl_file_exists(plan)) return PAWL_OK;
  PAWL_TRY(list(folder, plan, options, &text, err));
  char *rest = text.data;
  for (char *line; (line = strsep(&rest, "\n"));)
    if (pawl_starts_with(line, INDENT))
      add_real(options->folder, line + strlen(INDENT), arena, out);
  return PAWL_OK;
}
