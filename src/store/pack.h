/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as compressed bytes (zlib), the way the store keeps samples and blocks. */
#ifndef PAWL_STORE_PACK_H
#define PAWL_STORE_PACK_H

#include "base/json.h"

/* Compressed; NULL is nothing at all. */
void pawl_pack_json(const json_t *value, struct pawl_text *out);
/* PAWL_BAD_DATA: these bytes are none that pawl_pack_json() made. No bytes: NULL. */
pawl_status pawl_unpack_json(const void *bytes, size_t length, json_t **out,
                             struct pawl_error *err);

#endif
