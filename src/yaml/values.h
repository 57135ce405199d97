/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of values, for the `read` column of a table of keys. */
#pragma once

#include <stdint.h>

#include "yaml/keys.h"

pawl_status pawl_read_bool(const struct pawl_slot *slot, void *field);   /* bool */
pawl_status pawl_read_int(const struct pawl_slot *slot, void *field);    /* int in [min, max] */
pawl_status pawl_read_number(const struct pawl_slot *slot, void *field); /* double in [min, max] */
/* double: "1%" or 0.01 */
pawl_status pawl_read_fraction(const struct pawl_slot *slot, void *field);
/* double: 60s, 500ms, 20m, 2h, 60 */
pawl_status pawl_read_seconds(const struct pawl_slot *slot, void *field);
/* uint64_t: 8GiB, 512MiB, 4GB, 65536 */
pawl_status pawl_read_bytes(const struct pawl_slot *slot, void *field);
/* int32_t or an enum: one of `words` */
pawl_status pawl_read_choice(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_text(const struct pawl_slot *slot, void *field); /* const char *, not empty */
/* struct pawl_strings, at least `min` */
pawl_status pawl_read_strings(const struct pawl_slot *slot, void *field);
/* struct pawl_secret_source: {env: NAME} */
pawl_status pawl_read_secret(const struct pawl_slot *slot, void *field);

/* Reads an integer; true and false are 1 and 0. Returns false for any other value. */
bool pawl_yaml_integer(const struct pawl_yaml *node, int64_t *out);
