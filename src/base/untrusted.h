/* SPDX-License-Identifier: Apache-2.0 */
/* JSON from outside: bounded in size, depth and number before anything is built of it. */
#ifndef PAWL_BASE_UNTRUSTED_H
#define PAWL_BASE_UNTRUSTED_H

#include "base/json.h"

#define PAWL_UNTRUSTED_DEPTH 32       /* of nesting */
#define PAWL_UNTRUSTED_VALUES 4000000 /* of all lists and objects */
#define PAWL_UNTRUSTED_CONTAINERS \
  1000000 /* lists and objects: 10 000 rows of 60 blocks are 620 000 */

/* A file and no link, of at most `limit` bytes. PAWL_BAD_DATA: a link, too large, too deep, too
 * many values, no JSON.
 */
pawl_status pawl_untrusted_read(const char *path, size_t limit, json_t **out,
                                struct pawl_error *err);
/* The same of a text in memory; `name` is for messages. */
pawl_status pawl_untrusted_parse(const char *text, size_t length, const char *name, json_t **out,
                                 struct pawl_error *err);

#endif
