/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the tree from libfyaml's events, not its documents. So it can follow and count aliases
   itself, and refuse duplicate keys, tags and second documents with clear messages. */
#include "yaml/yaml.h"

#include <libfyaml.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

#define MOST_ANCHORS 1000 /* a linear search finds an anchor */

struct anchor {
  const char *name;
  struct pawl_yaml *node;
  bool open; /* still incomplete: an alias to it would be a cycle */
};

/* A list or a mapping that is still incomplete. */
struct frame {
  struct pawl_yaml *node;
  struct pawl_yaml *key; /* a mapping's key that waits for its value */
  size_t capacity, key_capacity;
  size_t anchor; /* index + 1 of its anchor; 0: none */
};

struct builder {
  const char *path;
  struct pawl_arena *arena;
  struct pawl_error *err;
  struct frame stack[PAWL_YAML_DEPTH_LIMIT];
  size_t depth;
  struct anchor *anchors;
  size_t anchor_count, anchor_capacity;
  struct pawl_yaml *root;
};

static enum pawl_status_code fail_at(const struct builder *builder, int line, int column,
                                     const char *words) {
  return pawl_fail(builder->err, PAWL_CONFIG, "%s:%d:%d: %s", builder->path, line, column, words);
}

/* Returns the length of the UTF-8 character at p, or 0 if it is invalid (RFC 3629: no surrogates,
   nothing overlong). */
static size_t utf8_length(const unsigned char *p, size_t left) {
  static const struct {
    unsigned char mask, lead;
    uint32_t least;
  } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (size_t n = 1; n <= 4; n++) {
    if ((p[0] & forms[n - 1].mask) != forms[n - 1].lead) continue;
    if (n > left) return 0;
    uint32_t code = p[0] & (unsigned char)~forms[n - 1].mask;
    for (size_t i = 1; i < n; i++) {
      if ((p[i] & 0xc0) != 0x80) return 0;
      code = code << 6 | (p[i] & 0x3f);
    }
    return code < forms[n - 1].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
                                                                                             : n;
  }
  return 0;
}

static pawl_status check_bytes(const struct builder *builder, const char *text, size_t length) {
  if (length > PAWL_YAML_FILE_LIMIT)
    return fail_at(builder, 1, 1, "the file is larger than the limit of 1 MiB");
  int line = 1, column = 1;
  for (size_t i = 0; i < length;) {
    const size_t n = utf8_length((const unsigned char *)text + i, length - i);
    if (n == 0) return fail_at(builder, line, column, "not UTF-8: save the file as UTF-8");
    if (text[i] == '\0')
      return fail_at(builder, line, column, "a NUL byte: this is not a text file");
    column++;
    if (text[i] == '\n') line++, column = 1;
    i += n;
  }
  return PAWL_OK;
}

/* Makes a node with its position. An empty value has no position of its own, and takes that of its
   key. */
static struct pawl_yaml *new_node(const struct builder *builder, enum pawl_yaml_kind kind,
                                  struct fy_event *event) {
  struct pawl_yaml *node = pawl_arena_alloc(builder->arena, 1, sizeof *node);
  const struct fy_mark *mark = fy_event_start_mark(event);
  const struct frame *frame = builder->depth ? &builder->stack[builder->depth - 1] : NULL;
  const struct pawl_yaml *near = frame ? (frame->key ? frame->key : frame->node) : NULL;
  *node = (struct pawl_yaml){.kind = kind, .text = "", .weight = 1, .line = 1, .column = 1};
  /* only the root has position 0, but libfyaml gives it to empty values too */
  if (mark && !(near && mark->input_pos == 0)) {
    node->line = mark->line + 1;
    node->column = mark->column + 1;
  } else if (near) {
    node->line = near->line;
    node->column = near->column;
  }
  return node;
}

static void yaml_append(struct pawl_arena *arena, struct pawl_yaml ***items, size_t count,
                        size_t *capacity, struct pawl_yaml *node) {
  /* The arena keeps the old array. Doubling wastes at most as much again. */
  if (count == *capacity) {
    *capacity = *capacity ? *capacity * 2 : 8;
    struct pawl_yaml **larger = pawl_arena_alloc(arena, *capacity, sizeof *larger);
    if (count) memcpy(larger, *items, count * sizeof *larger);
    *items = larger;
  }
  (*items)[count] = node;
}

/* Adds a finished node: as the root, a list's next item, or a mapping's key or value. */
static pawl_status place(struct builder *builder, struct pawl_yaml *node) {
  if (builder->depth == 0) {
    builder->root = node;
    return PAWL_OK;
  }
  struct frame *frame = &builder->stack[builder->depth - 1];
  struct pawl_yaml *parent = frame->node;
  parent->weight += node->weight;
  if (parent->weight > PAWL_YAML_NODE_LIMIT)
    return fail_at(builder, node->line, node->column,
                   "the file has more than 100000 values, with its aliases");
  if (parent->kind == PAWL_YAML_MAP && !frame->key) {
    if (node->kind != PAWL_YAML_SCALAR)
      return fail_at(builder, node->line, node->column, "a key must be a plain word");
    frame->key = node;
    return PAWL_OK;
  }
  if (parent->kind == PAWL_YAML_MAP) {
    yaml_append(builder->arena, &parent->keys, parent->count, &frame->key_capacity, frame->key);
    frame->key = NULL;
  }
  yaml_append(builder->arena, &parent->items, parent->count, &frame->capacity, node);
  parent->count++;
  return PAWL_OK;
}

static int compare_keys(const void *a, const void *b) {
  const struct pawl_yaml *x = *(struct pawl_yaml *const *)a, *y = *(struct pawl_yaml *const *)b;
  const int order = strcmp(x->text, y->text);
  if (order) return order;
  return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                            : (x->column > y->column) - (x->column < y->column);
}

static pawl_status check_unique_keys(const struct builder *builder, const struct pawl_yaml *map) {
  if (map->count < 2) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_yaml **sorted = pawl_alloc(map->count, sizeof *sorted);
  memcpy(sorted, map->keys, map->count * sizeof *sorted);
  qsort(sorted, map->count, sizeof *sorted, compare_keys);
  for (size_t i = 1; i < map->count; i++) {
    if (strcmp(sorted[i - 1]->text, sorted[i]->text) != 0) continue;
    return pawl_fail(builder->err, PAWL_CONFIG,
                     "%s:%d:%d: key '%.60s' appears twice, first in line %d", builder->path,
                     sorted[i]->line, sorted[i]->column, sorted[i]->text, sorted[i - 1]->line);
  }
  return PAWL_OK;
}

static const char *copy_token(const struct builder *builder, struct fy_token *token) {
  size_t length = 0;
  const char *text = token ? fy_token_get_text(token, &length) : NULL;
  return text ? pawl_arena_printf(builder->arena, "%.*s", (int)length, text) : "";
}

/* Adds an anchor. *index is its index + 1, or 0 without an anchor. */
static pawl_status add_anchor(struct builder *builder, struct fy_token *token,
                              struct pawl_yaml *node, bool open, size_t *index) {
  *index = 0;
  if (!token) return PAWL_OK;
  if (builder->anchor_count == MOST_ANCHORS)
    return fail_at(builder, node->line, node->column, "more than 1000 anchors");
  builder->anchors = pawl_grow(builder->anchors, builder->anchor_count, &builder->anchor_capacity,
                               sizeof *builder->anchors);
  builder->anchors[builder->anchor_count++] =
      (struct anchor){copy_token(builder, token), node, open};
  *index = builder->anchor_count;
  return PAWL_OK;
}

static pawl_status refuse_tag(const struct builder *builder, struct fy_token *tag,
                              const struct pawl_yaml *node) {
  return tag ? fail_at(builder, node->line, node->column,
                       "tags such as !!str are not allowed: remove it")
             : PAWL_OK;
}

static pawl_status on_scalar(struct builder *builder, struct fy_event *event) {
  struct pawl_yaml *node = new_node(builder, PAWL_YAML_SCALAR, event);
  PAWL_TRY(refuse_tag(builder, event->scalar.tag, node));
  node->text = copy_token(builder, event->scalar.value);
  const enum fy_scalar_style style =
      event->scalar.value ? fy_token_scalar_style(event->scalar.value) : FYSS_PLAIN;
  node->quoted = style != FYSS_PLAIN;
  if ((style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && node->column > 1)
    node->column--; /* libfyaml's position is behind the quote */

  if (strlen(node->text) !=
      fy_token_get_text_length(event->scalar.value)) /* "\0" in double quotes */
    return fail_at(builder, node->line, node->column, "a NUL character in a text");
  size_t anchor;
  PAWL_TRY(add_anchor(builder, event->scalar.anchor, node, false, &anchor));
  return place(builder, node);
}

static pawl_status on_alias(struct builder *builder, struct fy_event *event) {
  struct pawl_yaml *node = new_node(builder, PAWL_YAML_SCALAR, event);
  const char *name = copy_token(builder, event->alias.anchor);
  if (node->column > 1) node->column--;              /* libfyaml's position is behind the star */
  for (size_t i = builder->anchor_count; i-- > 0;) { /* the latest anchor of a name counts */
    const struct anchor *anchor = &builder->anchors[i];
    if (strcmp(anchor->name, name) != 0) continue;
    if (anchor->open) {
      return pawl_fail(builder->err, PAWL_CONFIG,
                       "%s:%d:%d: '*%.60s' refers to a value that contains it", builder->path,
                       node->line, node->column, name);
    }
    const int line = node->line, column = node->column;
    *node = *anchor->node;
    node->line = line, node->column = column;
    return place(builder, node);
  }
  return pawl_fail(builder->err, PAWL_CONFIG, "%s:%d:%d: no anchor '&%.60s' before this alias",
                   builder->path, node->line, node->column, name);
}

static pawl_status open_container(struct builder *builder, enum pawl_yaml_kind kind,
                                  struct fy_event *event, struct fy_token *anchor,
                                  struct fy_token *tag) {
  struct pawl_yaml *node = new_node(builder, kind, event);
  PAWL_TRY(refuse_tag(builder, tag, node));
  if (builder->depth == PAWL_YAML_DEPTH_LIMIT)
    return fail_at(builder, node->line, node->column, "nested more than 32 deep");
  struct frame frame = {.node = node};
  PAWL_TRY(add_anchor(builder, anchor, node, true, &frame.anchor));
  builder->stack[builder->depth++] = frame;
  return PAWL_OK;
}

static pawl_status close_container(struct builder *builder) {
  const struct frame frame = builder->stack[--builder->depth];
  if (frame.anchor) builder->anchors[frame.anchor - 1].open = false;
  if (frame.node->kind == PAWL_YAML_MAP) PAWL_TRY(check_unique_keys(builder, frame.node));
  return place(builder, frame.node);
}

static pawl_status on_event(struct builder *builder, struct fy_event *event) {
  switch (event->type) {
    case FYET_DOCUMENT_START: {
      const struct fy_mark *mark = fy_event_start_mark(event);
      if (!builder->root) return PAWL_OK;
      return fail_at(builder, mark ? mark->line + 1 : 1, mark ? mark->column + 1 : 1,
                     "a second document: a suite has only one");
    }
    case FYET_SCALAR: return on_scalar(builder, event);
    case FYET_ALIAS: return on_alias(builder, event);
    case FYET_SEQUENCE_START:
      return open_container(builder, PAWL_YAML_LIST, event, event->sequence_start.anchor,
                            event->sequence_start.tag);
    case FYET_MAPPING_START:
      return open_container(builder, PAWL_YAML_MAP, event, event->mapping_start.anchor,
                            event->mapping_start.tag);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: return close_container(builder);
    default: return PAWL_OK;
  }
}

static void silent(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag, (void)user, (void)text, (void)length;
}

static enum pawl_status_code fail_syntax(const struct builder *builder, struct fy_diag *diag) {
  void *iterator = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);
  if (!error || !error->msg) return fail_at(builder, 1, 1, "not valid YAML");
  return pawl_fail(builder->err, PAWL_CONFIG, "%s:%d:%d: not valid YAML: %s", builder->path,
                   error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1,
                   error->msg);
}

static pawl_status parse_events(struct builder *builder, struct fy_parser *parser,
                                struct fy_diag *diag) {
  enum pawl_status_code status = PAWL_OK;
  struct fy_event *event;
  while (status == PAWL_OK && (event = fy_parser_parse(parser))) {
    status = on_event(builder, event);
    fy_parser_event_free(parser, event);
  }
  if (status == PAWL_OK && fy_parser_get_stream_error(parser)) return fail_syntax(builder, diag);
  return status;
}

static pawl_status parse_text(struct builder *builder, const char *text, size_t length) {
  struct fy_diag_cfg diag_config;
  fy_diag_cfg_default(&diag_config);
  diag_config.fp = NULL;
  diag_config.output_fn = silent;
  struct fy_diag *diag = fy_diag_create(&diag_config);
  PAWL_ASSERT(diag);
  fy_diag_set_collect_errors(diag, true);
  const struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
                                      .diag = diag};
  struct fy_parser *parser = fy_parser_create(&config);
  PAWL_ASSERT(parser);
  enum pawl_status_code status = fy_parser_set_string(parser, text, length)
                                     ? fail_at(builder, 1, 1, "not valid YAML")
                                     : parse_events(builder, parser, diag);
  fy_parser_destroy(parser);
  fy_diag_destroy(diag);
  pawl_free(builder->anchors);
  return status;
}

pawl_status pawl_yaml_parse(const char *text, size_t length, const char *path,
                            struct pawl_arena *arena, struct pawl_yaml **out,
                            struct pawl_error *err) {
  struct builder builder = {.path = path, .arena = arena, .err = err};
  PAWL_TRY(check_bytes(&builder, text, length));
  if (length) PAWL_TRY(parse_text(&builder, text, length));
  if (!builder.root || pawl_yaml_is_null(builder.root))
    return fail_at(&builder, 1, 1, "the file is empty");
  *out = builder.root;
  return PAWL_OK;
}

static size_t yaml_find_key(const struct pawl_yaml *map, const char *key) {
  if (!map || map->kind != PAWL_YAML_MAP) return SIZE_MAX;
  for (size_t i = 0; i < map->count; i++)
    if (strcmp(map->keys[i]->text, key) == 0) return i;
  return SIZE_MAX;
}

const struct pawl_yaml *pawl_yaml_get(const struct pawl_yaml *map, const char *key) {
  const size_t i = yaml_find_key(map, key);
  return i == SIZE_MAX ? NULL : map->items[i];
}

const struct pawl_yaml *pawl_yaml_get_key(const struct pawl_yaml *map, const char *key) {
  const size_t i = yaml_find_key(map, key);
  return i == SIZE_MAX ? NULL : map->keys[i];
}

bool pawl_yaml_is_null(const struct pawl_yaml *node) {
  if (node->kind != PAWL_YAML_SCALAR || node->quoted) return false;
  static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < PAWL_COUNT(nulls); i++)
    if (strcmp(node->text, nulls[i]) == 0) return true;
  return false;
}
