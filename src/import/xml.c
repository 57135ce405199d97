/* SPDX-License-Identifier: Apache-2.0 */
#include "import/xml.h"

#include <expat.h>
#include <string.h>

#include "base/memory.h"

#define CHUNK ((size_t)64 << 10) /* bytes that expat gets at once */

struct xml_walk {
  XML_Parser parser;
  const struct pawl_json_text *text;
  const struct pawl_xml_visitor *visitor;
  struct pawl_error *err;
  enum pawl_status_code status; /* the status of the first failure */
  size_t depth, name_count;
  const char *names[PAWL_XML_NAMES]; /* expat keeps each as long as the parser lives */
  struct pawl_arena arena;
};

static void *allocate(size_t size) { return pawl_alloc(1, size); }

static void *reallocate(void *memory, size_t size) { return pawl_realloc(memory, 1, size); }

static size_t position_of(const struct xml_walk *walk) {
  const XML_Index index = XML_GetCurrentByteIndex(walk->parser);
  return index < 0 ? 0 : (size_t)index < walk->text->length ? (size_t)index : walk->text->length;
}

static void stop(struct xml_walk *walk, enum pawl_status_code status) {
  walk->status = status;
  XML_StopParser(walk->parser, XML_FALSE);
}

static void xml_refuse(struct xml_walk *walk, const char *why) {
  stop(walk, pawl_json_span_fail(walk->text, position_of(walk), walk->err, "%s", why));
}

/* Whether the name is one of the few that a document has. */
static bool xml_take_name(struct xml_walk *walk, const char *name) {
  for (size_t i = 0; i < walk->name_count; i++)
    if (!strcmp(walk->names[i], name)) return true;
  if (walk->name_count == PAWL_XML_NAMES) return false;
  walk->names[walk->name_count++] = pawl_arena_copy(&walk->arena, name);
  return true;
}

static bool take_names(struct xml_walk *walk, const char *name, const char *const *attributes) {
  if (!xml_take_name(walk, name)) return false;
  for (size_t i = 0; attributes[i]; i += 2)
    if (!xml_take_name(walk, attributes[i])) return false;
  return true;
}

static void XMLCALL open_element(void *data, const XML_Char *name, const XML_Char **attributes) {
  struct xml_walk *walk = data;
  const char *const *given = (const char *const *)attributes;
  if (walk->status != PAWL_OK) return; /* expat may finish a tag that opens and closes */
  if (++walk->depth > PAWL_XML_DEPTH) {
    xml_refuse(walk, "elements are nested too deep");
  } else if (!take_names(walk, name, given)) {
    xml_refuse(walk, "too many different names of elements and attributes");
  } else {
    const enum pawl_status_code status =
        walk->visitor->open(walk->visitor->context, name, given, position_of(walk), walk->err);
    if (status != PAWL_OK) stop(walk, status);
  }
}

static void XMLCALL close_element(void *data, const XML_Char *name) {
  struct xml_walk *walk = data;
  if (walk->status != PAWL_OK) return;
  walk->depth--;
  const enum pawl_status_code status =
      walk->visitor->close(walk->visitor->context, name, position_of(walk), walk->err);
  if (status != PAWL_OK) stop(walk, status);
}

/* Entities are declared in a DOCTYPE alone. */
static void XMLCALL refuse_doctype(void *data, const XML_Char *name, const XML_Char *system,
                                   const XML_Char *public, int has_subset) {
  (void)name, (void)system, (void)public, (void)has_subset;
  xml_refuse(data, "a DOCTYPE; pawl expands no entities");
}

/* expat buffers a tag whole until it ends. Newer versions do not look at each chunk, and then know
 * no position. */
static bool lags(const struct xml_walk *walk, size_t fed) {
  return XML_GetCurrentByteIndex(walk->parser) >= 0 && fed - position_of(walk) > PAWL_XML_TAG;
}

static void feed_chunks(struct xml_walk *walk) {
  const struct pawl_json_text *text = walk->text;
  size_t fed = 0, kept = 0;
  while (walk->status == PAWL_OK) {
    const size_t length = text->length - fed < CHUNK ? text->length - fed : CHUNK;
    const bool last = fed + length == text->length;
    if (XML_Parse(walk->parser, text->text + fed, (int)length, last) != XML_STATUS_OK) {
      if (walk->status != PAWL_OK) return; /* stopped by a function above */
      walk->status = pawl_json_span_fail(text, position_of(walk), walk->err, "not valid XML: %s",
                                         XML_ErrorString(XML_GetErrorCode(walk->parser)));
    }
    fed += length;
    kept = pawl_json_text_return(text, kept, fed);
    if (last) return;
    if (walk->status == PAWL_OK && lags(walk, fed)) xml_refuse(walk, "a tag is longer than 1 MiB");
  }
}

enum pawl_status_code pawl_xml_walk(const struct pawl_json_text *text,
                                    const struct pawl_xml_visitor *visitor,
                                    struct pawl_error *err) {
  static const XML_Memory_Handling_Suite memory = {allocate, reallocate, pawl_free};
  struct xml_walk walk = {.parser = XML_ParserCreate_MM(NULL, &memory, NULL),
                          .text = text,
                          .visitor = visitor,
                          .err = err};
  XML_SetUserData(walk.parser, &walk);
  XML_SetElementHandler(walk.parser, open_element, close_element);
  XML_SetStartDoctypeDeclHandler(walk.parser, refuse_doctype);
  feed_chunks(&walk);
  XML_ParserFree(walk.parser);
  pawl_arena_clear(&walk.arena);
  return walk.status;
}

const char *pawl_xml_attribute(const char *const *attributes, const char *name) {
  for (size_t i = 0; attributes[i]; i += 2)
    if (!strcmp(attributes[i], name)) return attributes[i + 1];
  return NULL;
}
