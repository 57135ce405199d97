/* SPDX-License-Identifier: Apache-2.0 */
/* A user's operator in a suite. The shipped operators need no entry. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/file_place.h"
#include "base/strings.h"
#include "model/source_kind.h"

struct pawl_operator_spec {
  const char *name;
  enum pawl_source_kind kind; /* SOURCES, BUILD or PROTOCOL */
  struct pawl_strings sources, include_dirs, flags, libs, build_command, protocol;
  const struct pawl_file_place *source_places; /* in pawl.yaml, one a source */
  bool flags_given;
  const char *build_output;
  struct pawl_operator_spec *gpu_oracle; /* SOURCES or BUILD; NULL: none */
};
