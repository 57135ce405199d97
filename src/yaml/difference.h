/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two structs that the same table reads. */
#pragma once

#include "base/text.h"
#include "yaml/keys.h"

/* Appends the keys whose fields differ ("tolerate, detect"), and the free names that differ
 * ("shape"). A row with a reader outside values.h has a comparison in `equal` or is `uncompared`,
 * so nobody can forget a new key. */
void pawl_keys_difference(const struct pawl_keys *table, const void *a, const void *b,
                          struct pawl_text *out);
