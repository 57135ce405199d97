/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernel_spec.h"

#include <fnmatch.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const char *pawl_kernel_param(const struct pawl_kernel_spec *spec, const char *name) {
  for (size_t i = 0; i < spec->param_count; i++)
    if (!strcmp(spec->params[i].name, name)) return spec->params[i].value;
  return NULL;
}

const char *pawl_kernel_params_text(const struct pawl_kernel_spec *spec, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < spec->param_count; i++)
    pawl_text_printf(&text, "%s%s=%s", i ? "," : "", spec->params[i].name, spec->params[i].value);
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

bool pawl_params_text_has(const char *text, const char *name, const char *value) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text item = {0};
  pawl_text_printf(&item, "%s=%s", name, value);
  for (const char *at = text ? strstr(text, item.data) : NULL; at; at = strstr(at + 1, item.data))
    if ((at == text || at[-1] == ',') && (!at[item.length] || at[item.length] == ',')) return true;
  return false;
}

bool pawl_kernel_is_harness(const struct pawl_kernel_spec *spec) {
  return spec->kind == PAWL_FROM_COMMAND && spec->parse &&
         strcmp(spec->parse, PAWL_PARSE_WALL) != 0;
}

/* A name may hold what a pattern means otherwise: "test_sort[1000]". */
bool pawl_pattern_matches(const char *pattern, const char *name) {
  return !strcmp(pattern, name) || fnmatch(pattern, name, 0) == 0;
}

bool pawl_kernel_selects(const struct pawl_kernel_spec *spec, const char *name) {
  bool found = spec->select.count == 0;
  for (size_t i = 0; i < spec->select.count && !found; i++)
    found = pawl_pattern_matches(spec->select.items[i], name);
  return found;
}
