/* SPDX-License-Identifier: Apache-2.0 */
/* XML of other programs, element by element, with expat. The memory that it takes does not depend
   on the text's length: a DOCTYPE is refused, so no entity expands, and depth, names and the length
   of a tag have limits. */
#pragma once

#include "base/json_span.h"

#define PAWL_XML_DEPTH 64
#define PAWL_XML_NAMES 128             /* different names of elements and attributes */
#define PAWL_XML_TAG ((size_t)1 << 20) /* bytes of one tag or comment, about */

/* Takes the elements. `position` is the tag's place in the text, for pawl_json_span_fail(). */
struct pawl_xml_visitor {
  void *context;
  /* `attributes`: name, value, name, value ... NULL. They live until the function returns. */
  enum pawl_status_code (*open)(void *context, const char *name, const char *const *attributes,
                                size_t position, struct pawl_error *err);
  enum pawl_status_code (*close)(void *context, const char *name, size_t position,
                                 struct pawl_error *err);
};

/* Walks a whole document. PAWL_BAD_DATA, "FILE:LINE: ...": it is not well-formed, has a DOCTYPE or
 * breaks a limit. */
enum pawl_status_code pawl_xml_walk(const struct pawl_json_text *text,
                                    const struct pawl_xml_visitor *visitor, struct pawl_error *err);
/* Returns NULL if the element has no such attribute. */
const char *pawl_xml_attribute(const char *const *attributes, const char *name);
