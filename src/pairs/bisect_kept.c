/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bisect_kept.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

#define KEPT_SCHEMA 1
#define PAIR_NAME (2 * 64 + 3) /* "COMMIT..COMMIT" */

static void name_pair(const char *base, const char *commit, char out[PAIR_NAME]) {
  snprintf(out, PAIR_NAME, "%.64s..%.64s", base, commit);
}

static json_t *kept_of(const struct pawl_bisect_kept *kept, const char *list, const char *base,
                       const char *commit) {
  char name[PAIR_NAME];
  name_pair(base, commit, name);
  return json_object_get(json_object_get(kept->document, list), name);
}

static pawl_status kept_put(struct pawl_bisect_kept *kept, const char *list, const char *base,
                            const char *commit, json_t *value, struct pawl_error *err) {
  char name[PAIR_NAME];
  name_pair(base, commit, name);
  json_t *pairs = json_object_get(kept->document, list);
  json_object_set_new(pairs, name, value);
  return pawl_json_write(kept->path, kept->document, true, err);
}

/* Returns a document without answers, which names what the answers hold for. */
static json_t *kept_begin(const char *kernel, const char *shape, const char *hardware) {
  json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", KEPT_SCHEMA);
  pawl_json_set_string(document, "kernel", kernel);
  pawl_json_set_string(document, "shape", shape);
  pawl_json_set_string(document, "hardware", hardware);
  pawl_json_set(document, "log_ratios", json_object());
  pawl_json_set(document, "tests", json_object());
  return document;
}

static bool same_member(const json_t *a, const json_t *b, const char *key) {
  return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Returns whether the stored answers hold for this search. */
static bool kept_holds(const json_t *stored, const json_t *begun) {
  return same_member(stored, begun, "schema_version") && same_member(stored, begun, "kernel") &&
         same_member(stored, begun, "shape") && same_member(stored, begun, "hardware") &&
         json_is_object(json_object_get(stored, "log_ratios")) &&
         json_is_object(json_object_get(stored, "tests"));
}

/* Returns the file's name. The benchmark of a harness can have any name, so the file has its
   hash. */
static const char *kept_name(const char *kernel, const struct pawl_case *config,
                             struct pawl_arena *arena) {
  struct pawl_hasher hasher;
  char hash[PAWL_HASH_TEXT];
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, kernel);
  pawl_hasher_add_string(&hasher, config->name);
  pawl_hash_format(pawl_hasher_finish(&hasher), hash);
  return pawl_arena_printf(arena, "%s-%.16s.json", kernel, hash);
}

pawl_status pawl_bisect_kept_open(struct pawl_project *project, const char *kernel,
                                  const struct pawl_case *config, const char *hardware,
                                  struct pawl_bisect_kept *out, struct pawl_error *err) {
  struct pawl_arena *arena = &project->arena;
  const char *folder = pawl_arena_printf(arena, "%s/bisect", project->paths.cache_folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  struct pawl_error why = {0};
  json_t *stored = NULL;
  pawl_case_key(config, &shape);
  *out = (struct pawl_bisect_kept){
      .path = pawl_arena_printf(arena, "%s/%s", folder, kept_name(kernel, config, arena))};
  PAWL_TRY(pawl_make_folders(folder, err));
  json_t *begun = kept_begin(kernel, pawl_text_string(&shape), hardware);
  if (pawl_file_exists(out->path) && pawl_json_read(out->path, &stored, &why) != PAWL_OK)
    pawl_log_warning(project->options.log, "%s; the search begins anew", why.message);
  const bool holds = stored && kept_holds(stored, begun);
  out->document = holds ? stored : begun;
  json_decref(holds ? begun : stored);
  return PAWL_OK;
}

void pawl_bisect_kept_close(struct pawl_bisect_kept *kept) {
  json_decref(kept->document);
  kept->document = NULL;
}

size_t pawl_bisect_kept_ratios(const struct pawl_bisect_kept *kept, const char *base,
                               const char *commit, double *out, size_t room) {
  const json_t *list = kept_of(kept, "log_ratios", base, commit);
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(list) && count < room; i++) {
    const json_t *value = json_array_get(list, i);
    if (json_is_number(value) && isfinite(json_number_value(value)))
      out[count++] = json_number_value(value);
  }
  return count;
}

pawl_status pawl_bisect_keep_ratios(struct pawl_bisect_kept *kept, const char *base,
                                    const char *commit, const double *ratios, size_t count,
                                    struct pawl_error *err) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real(ratios[i]));
  return kept_put(kept, "log_ratios", base, commit, list, err);
}

bool pawl_bisect_kept_test(const struct pawl_bisect_kept *kept, const char *base,
                           const char *commit, struct pawl_arena *arena,
                           struct pawl_paired_test *out) {
  const json_t *object = kept_of(kept, "tests", base, commit);
  struct pawl_error ignored;
  return object &&
         pawl_paired_test_from_json(object, kept->path, arena, out, &ignored) == PAWL_OK &&
         pawl_paired_test_judge(out, &ignored) == PAWL_OK;
}

pawl_status pawl_bisect_keep_test(struct pawl_bisect_kept *kept, const char *base,
                                  const char *commit, const struct pawl_paired_test *test,
                                  struct pawl_error *err) {
  return kept_put(kept, "tests", base, commit, pawl_paired_test_to_json(test), err);
}
