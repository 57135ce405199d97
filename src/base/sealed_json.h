/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a JSON document between runs, with a seal over its contents and its file's name. */
#pragma once

#include "base/json.h"
#include "base/seal.h"

/* A kind of document: the purpose of its seal, and its version. */
struct pawl_sealed_kind {
  const char *purpose;
  long long schema;
};

/* Fails with PAWL_NO_INPUT if there is no such file, another version of pawl wrote it, or another
 * key has sealed it. Fails with PAWL_BAD_DATA if somebody changed it. */
pawl_status pawl_sealed_json_read(const char *path, const struct pawl_seal_key *key,
                                  const struct pawl_sealed_kind *kind, json_t **out,
                                  struct pawl_error *err);
/* Adds the version and the seal to the document, and makes the folder. */
pawl_status pawl_sealed_json_write(const char *path, const struct pawl_seal_key *key,
                                   const struct pawl_sealed_kind *kind, json_t *document,
                                   struct pawl_error *err);
