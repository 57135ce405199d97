/* SPDX-License-Identifier: Apache-2.0 */
/* pawl merge FILE... -o FILE; pawl merge DIR... -o DIR */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/merge.h"
#include "cli/merge_runs.h"

static bool same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

/* Shards belong together only when they measured the same thing on the same hardware. */
static pawl_status check_same(const struct pawl_results *first, const struct pawl_results *other,
                              const char *first_path, const char *path, struct pawl_error *err) {
  if (!same_text(first->commit, other->commit))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' are of different commits; shards of one commit merge",
                     first_path, path);
  if (!same_text(first->hardware, other->hardware))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' were measured on different hardware", first_path, path);
  return PAWL_OK;
}

static pawl_status append(struct pawl_results *merged, const struct pawl_results *other, const char *path,
                          struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_result *grown = pawl_arena_alloc(arena, merged->count + other->count, sizeof *grown);
  if (merged->count) memcpy(grown, merged->items, merged->count * sizeof *grown);
  for (size_t i = 0; i < other->count; i++) {
    for (size_t j = 0; j < merged->count; j++) {
      if (same_text(grown[j].kernel_name, other->items[i].kernel_name) &&
          same_text(grown[j].config.name, other->items[i].config.name))
        return pawl_fail(err, PAWL_BAD_DATA, "'%s': kernel '%s' on case '%s' is in another file already", path,
                         grown[j].kernel_name ? grown[j].kernel_name : "?",
                         grown[j].config.name ? grown[j].config.name : "?");
    }
    grown[merged->count + i] = other->items[i];
  }
  merged->items = grown;
  merged->count += other->count;
  merged->dirty = merged->dirty || other->dirty;
  return PAWL_OK;
}

pawl_status pawl_cli_merge(struct pawl_cli *cli, char *const *paths, int count, struct pawl_results *files,
                           struct pawl_results *merged, struct pawl_error *err) {
  for (int i = 0; i < count; i++) {
    PAWL_TRY(pawl_results_read(paths[i], &cli->arena, &files[i], err));
    if (i > 0) PAWL_TRY(check_same(&files[0], &files[i], paths[0], paths[i], err));
    if (i == 0) {
      *merged = files[0];
      merged->items = NULL;
      merged->count = 0;
      merged->document = NULL; /* the files own what they hold */
    }
    PAWL_TRY(append(merged, &files[i], paths[i], &cli->arena, err));
  }
  return PAWL_OK;
}

static pawl_status merge(struct pawl_cli *cli, int count, char **paths, const char *out, struct pawl_error *err) {
  struct pawl_results *files = pawl_arena_alloc(&cli->arena, (size_t)count, sizeof *files), merged = {0};
  enum pawl_status_code status = pawl_cli_merge(cli, paths, count, files, &merged, err);
  if (status == PAWL_OK) status = pawl_results_write(&merged, out, err);
  for (int i = 0; i < count; i++) pawl_results_release(&files[i]);
  return status;
}

PAWL_COMMAND(merge) {
  const char *out = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "-o", &out, "FILE", "the joined results, or the folder of a joined run", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, -1, &done, err));
  if (done) return PAWL_OK;
  if (!out) return pawl_fail(err, PAWL_USAGE, "'-o FILE' is missing; usage: pawl %s", cli->command->synopsis);
  if (pawl_is_folder(argv[0])) return pawl_cli_merge_runs(cli, argv, (size_t)argc, out, NAN, err);
  return merge(cli, argc, argv, out, err);
}
