/* SPDX-License-Identifier: Apache-2.0 */
/* How pawl gets from files to a program that it can run. */
#pragma once

/* An entry gives exactly one of the keys sources, build, protocol and command. */
enum pawl_source_kind {
  PAWL_FROM_SOURCES = 1,
  PAWL_FROM_BUILD,
  PAWL_FROM_PROTOCOL,
  PAWL_FROM_COMMAND
};
