/* SPDX-License-Identifier: Apache-2.0 */
/* One way to get from files to something that runs. */
#pragma once

/* Exactly one of the keys sources, build, protocol and command is given. */
enum pawl_source_kind {
  PAWL_FROM_SOURCES = 1,
  PAWL_FROM_BUILD,
  PAWL_FROM_PROTOCOL,
  PAWL_FROM_COMMAND
};
