/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune_code.h"

#include <string.h>

#include "base/file.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

static const char *format(struct pawl_hash hash, struct pawl_arena *arena) {
  char text[PAWL_HASH_TEXT];
  pawl_hash_format(hash, text);
  return pawl_arena_copy(arena, text);
}

static const char *hash_source(const char *folder, const char *source, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, source);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (pawl_file_read(path, SOURCE_LIMIT, &text, &ignored) != PAWL_OK) return "";
  return format(pawl_hash_bytes(text.data, text.length), arena);
}

static void tune_code_add_words(struct pawl_hasher *hasher, const struct pawl_strings *words) {
  for (size_t i = 0; i < words->count; i++) pawl_hasher_add_string(hasher, words->items[i]);
  pawl_hasher_add(hasher, NULL, 0); /* ends the list */
}

static const char *hash_flags(const struct pawl_kernel_spec *spec, struct pawl_arena *arena) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  tune_code_add_words(&hasher, &spec->flags);
  tune_code_add_words(&hasher, &spec->include_dirs);
  tune_code_add_words(&hasher, &spec->libs);
  pawl_hasher_add_string(&hasher, spec->compiler ? spec->compiler : "");
  return format(pawl_hasher_finish(&hasher), arena);
}

void pawl_tune_code_read(const struct pawl_kernel_spec *spec, const char *folder,
                         struct pawl_arena *arena, struct pawl_tune_code *out) {
  *out = (struct pawl_tune_code){0};
  if (spec->kind != PAWL_FROM_SOURCES && spec->kind != PAWL_FROM_PROTOCOL) return;
  const struct pawl_strings *files =
      spec->kind == PAWL_FROM_SOURCES ? &spec->sources : &spec->protocol;
  out->parts = pawl_arena_alloc(arena, files->count + 1, sizeof *out->parts);
  out->parts[out->count++] =
      (struct pawl_tune_code_part){PAWL_TUNE_CODE_FLAGS, hash_flags(spec, arena)};
  for (size_t i = 0; i < files->count; i++) {
    const char *hash = hash_source(folder, files->items[i], arena);
    if (*hash || spec->kind == PAWL_FROM_SOURCES) /* a command has words that are no files */
      out->parts[out->count++] = (struct pawl_tune_code_part){files->items[i], hash};
  }
}

json_t *pawl_tune_code_to_json(const struct pawl_tune_code *code) {
  json_t *object = json_object();
  for (size_t i = 0; i < code->count; i++)
    pawl_json_set_string(object, code->parts[i].name, code->parts[i].hash);
  return object;
}

void pawl_tune_code_from_json(const json_t *object, struct pawl_arena *arena,
                              struct pawl_tune_code *out) {
  const char *name;
  json_t *value;
  *out = (struct pawl_tune_code){
      .parts = pawl_arena_alloc(arena, json_object_size(object) + 1, sizeof *out->parts)};
  json_object_foreach((json_t *)object, name, value) {
    if (!json_is_string(value)) continue;
    out->parts[out->count++] = (struct pawl_tune_code_part){
        pawl_arena_copy(arena, name), pawl_arena_copy(arena, json_string_value(value))};
  }
}

/* NULL: there is no such part. */
static const char *hash_of(const struct pawl_tune_code *code, const char *name) {
  for (size_t i = 0; i < code->count; i++)
    if (!strcmp(code->parts[i].name, name)) return code->parts[i].hash;
  return NULL;
}

const char *pawl_tune_code_changed(const struct pawl_tune_code *then,
                                   const struct pawl_tune_code *now) {
  if (!then->count || !now->count) return NULL;
  for (size_t i = 0; i < now->count; i++) {
    const char *hash = hash_of(then, now->parts[i].name);
    if (!hash || strcmp(hash, now->parts[i].hash) != 0) return now->parts[i].name;
  }
  return then->count > now->count ? PAWL_TUNE_CODE_SOURCES : NULL;
}
