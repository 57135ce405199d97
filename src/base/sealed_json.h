/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON document that pawl keeps between runs, with a seal over its contents and its file's name.
 */
#pragma once

#include "base/json.h"
#include "base/seal.h"

/* A kind of document: the purpose of its seal, and its version. */
struct pawl_sealed_kind {
  const char *purpose;
  long long schema;
};

/* PAWL_NO_INPUT: there is no such file, another version of pawl wrote it, or another key has sealed
   it. PAWL_BAD_DATA: it is not as pawl wrote it. */
pawl_status pawl_sealed_json_read(const char *path, const struct pawl_seal_key *key,
                                  const struct pawl_sealed_kind *kind, json_t **out,
                                  struct pawl_error *err);
/* Adds the version and the seal to the document, and makes the folder. */
pawl_status pawl_sealed_json_write(const char *path, const struct pawl_seal_key *key,
                                   const struct pawl_sealed_kind *kind, json_t *document,
                                   struct pawl_error *err);
