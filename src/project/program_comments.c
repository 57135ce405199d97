/* SPDX-License-Identifier: Apache-2.0 */
#include "project/program_comments.h"

#include <string.h>

#include "base/file.h"
#include "build/words.h"
#include "process/process.h"

#define SECONDS 20.0
#define ANSWER_LIMIT ((size_t)1 << 16)
#define MEMORY_LIMIT ((uint64_t)1 << 31)
#define OTHER_CODE "." /* the answer of pawl_comments.py if more than comments differs */
#define MOST_BYTES ((size_t)1 << 20) /* the names must fit on a command line */

static bool add_names(struct pawl_words *argv, const struct pawl_strings *names, size_t *bytes,
                      struct pawl_arena *arena) {
  for (size_t i = 0; i < names->count; i++) {
    *bytes += strlen(names->items[i]) + sizeof(char *);
    pawl_words_add(argv, arena, names->items[i]);
  }
  return *bytes < MOST_BYTES;
}

const char *pawl_program_comments_differ(const struct pawl_program_comments *comments,
                                         struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text answer = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  struct pawl_words argv = {0};
  struct pawl_exit ended;
  struct pawl_error ignored;
  size_t bytes = 0;
  pawl_words_add(&argv, arena, comments->interpreter);
  pawl_words_add(&argv, arena, "-IS");
  pawl_words_add(&argv, arena,
                 pawl_arena_printf(arena, "%s/share/pawl/python/pawl_comments.py", home));
  pawl_words_add(&argv, arena, comments->base);
  pawl_words_add(&argv, arena, comments->now);
  if (!add_names(&argv, &comments->changed, &bytes, arena))
    return "too many Python files are changed";
  pawl_words_add(&argv, arena, "--");
  if (!add_names(&argv, &comments->scripts, &bytes, arena))
    return "too many Python files may read the comments of others";
  const struct pawl_process_options options = {.argv = argv.items,
                                               .folder = "/",
                                               .drop_secrets = true,
                                               .die_with_parent = true,
                                               .kill_descendants = true,
                                               .shield_us = true,
                                               .memory_limit = MEMORY_LIMIT,
                                               .fds = {-1, -1, -1},
                                               .fd_count = 3};
  if (pawl_process_run(&options, SECONDS, ANSWER_LIMIT, &answer, NULL, &ended, &ignored) !=
          PAWL_OK ||
      ended.status != 0)
    return pawl_arena_printf(arena, "'%s' cannot compare the Python files", comments->interpreter);
  if (!answer.length) return NULL;
  const char *why = pawl_text_string(&answer);
  return strcmp(why, OTHER_CODE) != 0 ? pawl_arena_copy(arena, why) : "";
}
