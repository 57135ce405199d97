/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses and expands bytes, by zlib. */
#pragma once

#include "base/json.h"

/* Compresses a value, as the history keeps samples and blocks. NULL gives no bytes. */
void pawl_pack_json(const json_t *value, struct pawl_text *out);
/* Fails with PAWL_BAD_DATA if pawl_pack_json() did not make these bytes. No bytes give NULL. */
pawl_status pawl_unpack_json(const void *bytes, size_t length, json_t **out,
                             struct pawl_error *err);

/* Appends the bytes as a gzip file: fast, because a client waits. */
void pawl_gzip(const void *bytes, size_t length, struct pawl_text *out);

/* Replaces the bytes of a gzip file (RFC 1952, one member or more) by its contents, and leaves
 * other text unchanged. `name` is the file name for messages. Fails with PAWL_BAD_DATA if the file
 * is damaged, or if its contents exceed `limit` bytes. */
pawl_status pawl_gunzip(struct pawl_text *text, size_t limit, const char *name,
                        struct pawl_error *err);
