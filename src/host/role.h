/* SPDX-License-Identifier: Apache-2.0 */
/* A role of pawl-worker: the plug-in that it loads and the methods that it answers. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "host/channel.h"

/* Answers one method. The status gives the kind of the error reply: PAWL_UNDECIDED is
   "unsupported", PAWL_CONFIG and PAWL_BAD_DATA are "invalid", all others are "failed". */
typedef pawl_status (*host_method)(void *state, const json_t *params, json_t **result,
                                   struct pawl_error *err);

struct host_method_row {
  const char *name;
  host_method answer;
};

struct host_role {
  const char *name;                      /* the first argument of pawl-worker */
  const char *const *capabilities;       /* NULL-terminated */
  const struct host_method_row *methods; /* ended by a row without a name */
  pawl_status (*open)(const char *plugin, const struct host_channel *channel, void **state,
                      struct pawl_error *err);
  void (*close)(void *state);
};

extern const struct host_role host_kernel_role, host_operator_role, host_gpu_oracle_role;
