/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/edit_params.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "yaml/yaml.h"

struct edit {
  const struct pawl_param_value *param;
  size_t begin, end; /* the bytes of the written value without its quotes */
  char quote;        /* its quotes; '\0': none */
};

struct editing {
  const char *text, *path, *kernel;
  size_t length;
  struct pawl_error *err;
};

static pawl_status edit_params_by_hand(const struct editing *editing, const char *param,
                                       const char *why) {
  return pawl_fail(editing->err, PAWL_CONFIG, "%s: '%s' of kernel '%s' %s: edit it manually",
                   editing->path, param, editing->kernel, why);
}

/* Returns the byte at a line and a column. Both count from 1, columns in characters. Returns
   `length` behind the end. */
static size_t offset_of(const struct editing *editing, int line, int column) {
  size_t offset = 0;
  for (int i = 1; i < line; i++) {
    const char *end = memchr(editing->text + offset, '\n', editing->length - offset);
    if (!end) return editing->length;
    offset = (size_t)(end - editing->text) + 1;
  }
  for (int i = 1; i < column && offset < editing->length; i++) {
    offset++;
    while (offset < editing->length && ((unsigned char)editing->text[offset] & 0xc0) == 0x80)
      offset++;
  }
  return offset;
}

/* Returns whether an anchor precedes the value, because others may then use the value. */
static bool is_anchored(const struct editing *editing, size_t offset) {
  while (offset > 0 && strchr(" \t\r\n", editing->text[offset - 1])) offset--;
  while (offset > 0 && !strchr(" \t\r\n{,", editing->text[offset - 1])) offset--;
  return editing->text[offset] == '&';
}

static bool edit_params_is_plain(const char *value) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
  const bool negative = *value == '-' && (isdigit((unsigned char)value[1]) || value[1] == '.');
  const bool null = !strcasecmp(value, "null"); /* without quotes, YAML reads it as no value */
  return *value && !null && (*value != '-' || negative) && strspn(value, letters) == strlen(value);
}

/* Appends the characters of a value between these quotes. */
static void add_quoted(const char *value, char quote, struct pawl_text *out) {
  for (const char *p = value; *p; p++) {
    if (quote == '\'' && *p == '\'') pawl_text_add(out, "'");
    if (quote == '"' && strchr("\"\\", *p)) pawl_text_add(out, "\\");
    pawl_text_add_bytes(out, p, 1);
  }
}

void pawl_suite_add_value(const char *value, struct pawl_text *out) {
  if (edit_params_is_plain(value)) {
    pawl_text_add(out, value);
    return;
  }
  pawl_text_add(out, "\"");
  add_quoted(value, '"', out);
  pawl_text_add(out, "\"");
}

static pawl_status find_value(const struct editing *editing, const struct pawl_yaml *node,
                              const struct pawl_param_value *param, struct edit *out) {
  if (!node) return edit_params_by_hand(editing, param->name, "is not among its 'params'");
  size_t begin = offset_of(editing, node->line, node->column);
  const size_t width = strlen(node->text);
  if (begin < editing->length && is_anchored(editing, begin))
    return edit_params_by_hand(editing, param->name, "has an anchor");
  if (node->quoted) begin++;
  const bool there =
      begin + width <= editing->length && !memcmp(editing->text + begin, node->text, width);
  const bool closed = !node->quoted || (begin + width < editing->length &&
                                        editing->text[begin + width] == editing->text[begin - 1]);
  if (!there || !closed || !width)
    return edit_params_by_hand(editing, param->name, "is not written as a plain value");
  for (const char *p = param->value; *p; p++)
    if (iscntrl((unsigned char)*p))
      return edit_params_by_hand(editing, param->name, "gets a value with a control character");
  *out = (struct edit){param, begin, begin + width, node->quoted ? editing->text[begin - 1] : '\0'};
  return PAWL_OK;
}

static int edit_params_by_place(const void *a, const void *b) {
  const struct edit *left = a, *right = b;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static const char *wanted_value(const struct pawl_kernel_spec *spec, size_t i, const char *kernel,
                                const struct pawl_param_value *params, size_t count) {
  for (size_t j = 0; !strcmp(spec->name, kernel) && j < count; j++) {
    if (!strcmp(params[j].name, spec->params[i].name)) return params[j].value;
  }
  return spec->params[i].value;
}

/* Checks that the suite after the edit differs from the one before only in these params. */
static pawl_status verify(const struct editing *editing, const struct pawl_text *edited,
                          const struct pawl_param_value *params, size_t count,
                          struct pawl_arena *arena) {
  struct pawl_suite before, after;
  PAWL_TRY(pawl_suite_parse(editing->text, editing->length, editing->path, arena, &before,
                            editing->err));
  PAWL_TRY(
      pawl_suite_parse(edited->data, edited->length, editing->path, arena, &after, editing->err));
  bool same = before.kernel_count == after.kernel_count;
  for (size_t i = 0; same && i < before.kernel_count; i++) {
    const struct pawl_kernel_spec *old = &before.kernels[i], *new = &after.kernels[i];
    same = !strcmp(old->name, new->name) && old->param_count == new->param_count;
    for (size_t j = 0; same && j < old->param_count; j++)
      same = !strcmp(old->params[j].name, new->params[j].name) &&
             !strcmp(new->params[j].value, wanted_value(old, j, editing->kernel, params, count));
  }
  if (same) return PAWL_OK;
  return pawl_fail(editing->err, PAWL_CONFIG,
                   "%s: cannot change only the params of kernel '%s': edit them manually",
                   editing->path, editing->kernel);
}

static pawl_status edit(const struct editing *editing, const struct pawl_param_value *params,
                        size_t count, struct pawl_arena *arena, struct pawl_text *out) {
  struct pawl_yaml *root;
  PAWL_TRY(
      pawl_yaml_parse(editing->text, editing->length, editing->path, arena, &root, editing->err));
  const struct pawl_yaml *kernel = pawl_yaml_get(pawl_yaml_get(root, "kernels"), editing->kernel);
  const struct pawl_yaml *map = pawl_yaml_get(kernel, "params");
  struct edit *edits = pawl_arena_alloc(arena, count + 1, sizeof *edits);
  for (size_t i = 0; i < count; i++)
    PAWL_TRY(find_value(editing, pawl_yaml_get(map, params[i].name), &params[i], &edits[i]));
  qsort(edits, count, sizeof *edits, edit_params_by_place);
  struct pawl_text edited = {0};
  size_t done = 0;
  for (size_t i = 0; i < count; i++) {
    pawl_text_add_bytes(&edited, editing->text + done, edits[i].begin - done);
    if (edits[i].quote)
      add_quoted(edits[i].param->value, edits[i].quote, &edited);
    else
      pawl_suite_add_value(edits[i].param->value, &edited);
    done = edits[i].end;
  }
  pawl_text_add_bytes(&edited, editing->text + done, editing->length - done);
  const enum pawl_status_code status = verify(editing, &edited, params, count, arena);
  if (status == PAWL_OK) pawl_text_add_bytes(out, edited.data, edited.length);
  pawl_text_clear(&edited);
  return status;
}

pawl_status pawl_suite_edit_params(const char *text, size_t length, const char *path,
                                   const char *kernel, const struct pawl_param_value *params,
                                   size_t count, struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct editing editing = {text, path, kernel, length, err};
  return edit(&editing, params, count, &arena, out);
}

pawl_status pawl_suite_write_params(const char *path, const char *kernel,
                                    const struct pawl_param_value *params, size_t count,
                                    struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, edited = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  const char *file = real ? real : path;
  PAWL_TRY(pawl_file_read(file, PAWL_YAML_FILE_LIMIT, &text, err));
  PAWL_TRY(
      pawl_suite_edit_params(text.data, text.length, path, kernel, params, count, &edited, err));
  return pawl_file_write(file, edited.data, edited.length, err);
}
