/* SPDX-License-Identifier: Apache-2.0 */
/* Where two structs that the same table reads differ. */
#ifndef PAWL_YAML_DIFFERENCE_H
#define PAWL_YAML_DIFFERENCE_H

#include "base/text.h"
#include "yaml/keys.h"

/* Appends the keys whose fields differ: "tolerate, detect"; for what the table's `other` reads,
   "shape". A row whose reader is not of values.h says how its fields compare (`equal`), or is
   `uncompared`: a new key cannot be forgotten.
 */
void pawl_keys_difference(const struct pawl_keys *table, const void *a, const void *b,
                          struct pawl_text *out);

#endif
