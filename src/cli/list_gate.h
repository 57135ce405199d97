/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of each row, with the line of pawl.yaml that decides each limit. */
#pragma once

#include "base/json.h"
#include "model/suite.h"

/* Returns {schema_version, gate: [...]}, in a new reference. */
json_t *pawl_list_gate(const struct pawl_suite *suite);
/* Prints such a document. */
void pawl_list_gate_print(const json_t *document);
