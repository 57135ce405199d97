/* SPDX-License-Identifier: Apache-2.0 */
/* Says where in a JSON document a value stands that pawl refuses. */
#pragma once

#include "base/error.h"
#include "base/json.h"

/* The place of a value in a document, for messages: a chain on the stack, which becomes text only
 * on failure. The first link holds the file's name as `key`. */
struct pawl_json_path {
  const struct pawl_json_path *parent;
  const char *key;
  long index; /* the index of an array's element; -1: `key` counts */
};
#define PAWL_JSON_KEY(parent, key) ((struct pawl_json_path){(parent), (key), -1})
#define PAWL_JSON_INDEX(parent, index) ((struct pawl_json_path){(parent), NULL, (long)(index)})

/* Fails with `code` and "results.json: results[3].performance.median_ms must be ...". `key` may be
 * NULL. */
enum pawl_status_code pawl_json_path_fail(const struct pawl_json_path *path, const char *key,
                                          enum pawl_status_code code, struct pawl_error *err,
                                          const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Does the same for a value of the wrong kind: "... must be WANTED, not the text 'abc'". */
enum pawl_status_code pawl_json_value_fail(const struct pawl_json_path *path, const char *key,
                                           const json_t *value, const char *wanted,
                                           enum pawl_status_code code, struct pawl_error *err);

/* Checks schema_version of a document. Fails with PAWL_BAD_DATA if it is no integer from 1 to
 * `newest`. It may be absent. */
pawl_status pawl_json_check_version(const json_t *document, const struct pawl_json_path *path,
                                    int newest, struct pawl_error *err);
