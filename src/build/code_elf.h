/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files by libelf. No other header uses it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* Finds the name by which the loader finds a shared library: its SONAME, else the file's name.
 * Fails with PAWL_BAD_DATA if the file is no shared library. */
pawl_status pawl_elf_soname(const char *path, struct pawl_arena *arena, const char **out,
                            struct pawl_error *err);

/* Returns the folders in which the loader looks for the libraries of a shared library (DT_RUNPATH
 * or DT_RPATH), or NULL. */
const char *pawl_elf_run_path(const char *path, struct pawl_arena *arena);

/* Finds the identity of a library as hexadecimal digits: its build id, or without one a hash of the
 * file. */
pawl_status pawl_elf_build_id(const char *path, struct pawl_arena *arena, const char **out,
                              struct pawl_error *err);

/* Adds what a loadable object computes: code, constants, initial data, relocations, the names and
 * versions that it imports and exports, and the libraries that it needs. fatbin.h adds device code.
 * The hash leaves out everything that may differ between two builds of the same code: build id,
 * symbol and debug tables, the compiler's name, hash tables. */
pawl_status pawl_elf_hash_code(const char *path, struct pawl_hasher *hasher,
                               struct pawl_error *err);

/* Returns whether the device code of two shared libraries (fatbin.h) is the same. Libraries without
 * device code have the same. False also means that one cannot be read. */
bool pawl_elf_same_device_code(const char *a, const char *b);

/* Calls `visit` with the bytes of each section of constants or data, which may hold the names of
 * files. Returns false if the file is no shared library. */
bool pawl_elf_read_constants(const char *path,
                             void (*visit)(void *context, const char *bytes, size_t length),
                             void *context);

/* Finds whether a shared library or an object leaves a matching name to other libraries. Returns
 * false if the file is neither. */
bool pawl_elf_imports(const char *path, bool (*matches)(const char *name), bool *out);
