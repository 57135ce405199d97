/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change_environment.h"

#include <string.h>

#include "base/count.h"
#include "store/store_handle.h"

enum fact { MACHINE, DEVICE, DRIVER, CPU, COMPILER, CLOCKS, FACTS };
static const char *const fact_names[FACTS] = {"machine", "device",   "driver",
                                              "CPU",     "compiler", "clocks"};

struct surroundings {
  struct pawl_arena *arena;
  int64_t previous;
  const char *facts[2][FACTS]; /* before and after; NULL: unknown */
};

static const char *word_of(const json_t *object, const char *key, struct pawl_arena *arena) {
  const char *word = json_string_value(json_object_get(object, key));
  return word && *word ? pawl_arena_copy(arena, word) : NULL;
}

static enum pawl_status_code take_surroundings(void *context, const struct pawl_sql_value *columns,
                                               size_t count, struct pawl_error *err) {
  struct surroundings *around = context;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const char *text = pawl_sql_get_text(&columns[3]);
  const bool is_before = pawl_sql_get_integer(&columns[0], 0) == around->previous;
  const char **facts = around->facts[is_before ? 0 : 1];
  (void)count;
  if (text) PAWL_TRY(pawl_json_parse(text, strlen(text), "the history", false, &document, err));
  const json_t *device = json_object_get(document, "device");
  facts[MACHINE] = pawl_arena_copy(around->arena, pawl_sql_get_text(&columns[1]));
  facts[DEVICE] = word_of(device, "name", around->arena);
  facts[DRIVER] = word_of(device, "driver", around->arena);
  facts[CPU] = word_of(document, "cpu", around->arena);
  facts[COMPILER] = word_of(document, "toolchain", around->arena);
  if (!facts[COMPILER])
    facts[COMPILER] = pawl_arena_copy(around->arena, pawl_sql_get_text(&columns[2]));
  facts[CLOCKS] = word_of(document, "clocks", around->arena);
  return PAWL_OK;
}

pawl_status pawl_change_environment(struct pawl_store *store, struct pawl_arena *arena,
                                    struct pawl_series_change *change, struct pawl_error *err) {
  struct surroundings around = {.arena = arena, .previous = change->previous};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  bool known = false;
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT p.id, p.machine, r.toolchain, e.document FROM pawl_points p"
      " JOIN pawl_runs r ON r.id = p.run LEFT JOIN pawl_details d ON d.point = p.id"
      " LEFT JOIN pawl_environments e ON e.id = d.environment WHERE p.id IN ($1, $2)",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(change->previous), pawl_sql_integer(change->point)),
      take_surroundings, &around, err));
  for (size_t i = 0; i < FACTS; i++) {
    const char *before = around.facts[0][i], *after = around.facts[1][i];
    if (!before || !after) continue;
    known = true;
    if (!strcmp(before, after)) continue;
    pawl_text_printf(&words, "%s%s %s to %s", words.length ? "; " : "", fact_names[i], before,
                     after);
  }
  change->environment = known ? pawl_arena_copy(arena, pawl_text_string(&words)) : NULL;
  return PAWL_OK;
}
