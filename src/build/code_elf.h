/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files by libelf: this header's room is the one place that uses it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* The name by which the loader finds a shared library: its SONAME, else the file's name.
   PAWL_BAD_DATA when the file is no shared library. */
pawl_status pawl_elf_soname(const char *path, struct pawl_arena *arena, const char **out,
                            struct pawl_error *err);

/* The identity of a library as hexadecimal digits: its build id, or, without one, a hash of the
   file. */
pawl_status pawl_elf_build_id(const char *path, struct pawl_arena *arena, const char **out,
                              struct pawl_error *err);

/* Adds what a loadable object computes: code, constants, initial data, relocations, the names it
   imports and exports, the libraries it needs; for device code see fatbin.h. Left out: build id,
   symbol and debug tables, the compiler's name, hash tables, and everything else that may differ
   between two builds of the same code. */
pawl_status pawl_elf_hash_code(const char *path, struct pawl_hasher *hasher,
                               struct pawl_error *err);
