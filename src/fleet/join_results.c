/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "fleet/parts.h"

/* Shards belong together only when they measured the same thing on the same hardware. */
static pawl_status check_same(const struct pawl_results *first, const struct pawl_results *other,
                              const char *first_path, const char *path, struct pawl_error *err) {
  if (!pawl_text_equal(first->commit, other->commit))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "'%s' and '%s' have different commits; merge shards of one commit", first_path,
                     path);
  if (!pawl_text_equal(first->hardware, other->hardware))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' come from different hardware", first_path,
                     path);
  return PAWL_OK;
}

static pawl_status join_results_append(struct pawl_results *joined,
                                       const struct pawl_results *other, const char *path,
                                       struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_result *grown = pawl_arena_alloc(arena, joined->count + other->count, sizeof *grown);
  if (joined->count) memcpy(grown, joined->items, joined->count * sizeof *grown);
  for (size_t i = 0; i < other->count; i++) {
    for (size_t j = 0; j < joined->count; j++) {
      if (pawl_text_equal(grown[j].kernel_name, other->items[i].kernel_name) &&
          pawl_text_equal(grown[j].config.name, other->items[i].config.name))
        return pawl_fail(err, PAWL_BAD_DATA,
                         "'%s': another file already has kernel '%s' on case '%s'", path,
                         grown[j].kernel_name ? grown[j].kernel_name : "?",
                         grown[j].config.name ? grown[j].config.name : "?");
    }
    grown[joined->count + i] = other->items[i];
  }
  joined->items = grown;
  joined->count += other->count;
  joined->dirty = joined->dirty || other->dirty;
  return PAWL_OK;
}

pawl_status pawl_fleet_join_results(char *const *paths, size_t count, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err) {
  for (size_t i = 0; i < count; i++) {
    PAWL_TRY(pawl_results_read(paths[i], arena, &files[i], err));
    if (i > 0) PAWL_TRY(check_same(&files[0], &files[i], paths[0], paths[i], err));
    if (i == 0) {
      *joined = files[0];
      joined->items = NULL;
      joined->count = 0;
      joined->document = NULL; /* the files own what they hold */
    }
    PAWL_TRY(join_results_append(joined, &files[i], paths[i], arena, err));
  }
  return PAWL_OK;
}

pawl_status pawl_fleet_join_outputs(const struct pawl_fleet *fleet, struct pawl_arena *arena,
                                    struct pawl_results *files, struct pawl_results *joined,
                                    struct pawl_error *err) {
  char *outputs[PAWL_FLEET_PARTS];
  size_t count = 0;
  for (int i = 0; i < fleet->part_count; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    PAWL_TRY(pawl_json_read(fleet->outputs[i], &document, err));
    if (json_array_size(json_object_get(document, "results"))) outputs[count++] = fleet->outputs[i];
  }
  return pawl_fleet_join_results(outputs, count, arena, files, joined, err);
}
