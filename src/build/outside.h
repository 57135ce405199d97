/* SPDX-License-Identifier: Apache-2.0 */
/* The files and folders outside of the repository that a suite names for its builds. The builds of
 * a change see those that the suite of its base names: docs/adr/sandboxed-builds.md. */
#pragma once

#include <stdbool.h>

#include "base/strings.h"
#include "model/suite.h"

/* Returns whether the path lies in a folder of the system's own programs, which each build sees. */
bool pawl_outside_is_of_system(const char *path);
/* Lists the absolute paths of `include_dirs`, of flags such as -I, and of `libs`, and compilers
 * that are given by path, except those of the system. Strings live in the suite and the arena. */
struct pawl_strings pawl_outside_of(const struct pawl_suite *suite, struct pawl_arena *arena);
/* Returns whether the path lies in one of the folders or is one of the files, with all links
 * followed. */
bool pawl_outside_holds(const struct pawl_strings *outside, const char *path);
/* Returns the folder that a flag names for headers or libraries; "": none. `before` is the flag
 * before it. */
const char *pawl_outside_of_flag(const char *before, const char *flag);
