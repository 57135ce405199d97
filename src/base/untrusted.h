/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON from outside, and limits its size, depth and number of values before the parser sees
 * it. */
#pragma once

#include "base/json.h"

#define PAWL_UNTRUSTED_DEPTH 32       /* levels of nesting */
#define PAWL_UNTRUSTED_VALUES 4000000 /* values in all lists and objects */
/* lists and objects; 10 000 rows of 60 blocks have 620 000 */
#define PAWL_UNTRUSTED_CONTAINERS 1000000

/* Reads a regular file of at most `limit` bytes. Fails with PAWL_BAD_DATA for a link, for bad JSON,
 * and for a file that is too large or too deep or has too many values. */
pawl_status pawl_untrusted_read(const char *path, size_t limit, json_t **out,
                                struct pawl_error *err);
/* Parses a text in memory. `name` is for messages. */
pawl_status pawl_untrusted_parse(const char *text, size_t length, const char *name, json_t **out,
                                 struct pawl_error *err);
