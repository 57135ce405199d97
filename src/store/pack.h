/* SPDX-License-Identifier: Apache-2.0 */
/* Packs JSON as compressed bytes (zlib), as the store keeps samples and blocks. */
#pragma once

#include "base/json.h"

/* Compresses the value; NULL gives no bytes. */
void pawl_pack_json(const json_t *value, struct pawl_text *out);
/* PAWL_BAD_DATA: pawl_pack_json() did not make these bytes. No bytes: NULL. */
pawl_status pawl_unpack_json(const void *bytes, size_t length, json_t **out,
                             struct pawl_error *err);
