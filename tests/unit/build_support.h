/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch trees and short ways to build in them, for the tests of the build room. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "build/build.h"
#include "build/git.h"
#include "process/process.h"

struct fixture {
  char folder[64]; /* a scratch folder */
  struct pawl_arena arena;
  struct pawl_error err;
  struct pawl_seal_key seal_key;
};

static inline int set_up(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  snprintf(f->folder, sizeof f->folder, "/tmp/pawl-test-build.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  *state = f;
  return 0;
}

static inline int tear_down(void **state) {
  struct fixture *f = *state;
  assert_int_equal(pawl_remove_tree(f->folder, NULL), PAWL_OK);
  pawl_arena_clear(&f->arena);
  free(f);
  return 0;
}

static inline const char *in_folder(struct fixture *f, const char *name) {
  return pawl_arena_printf(&f->arena, "%s/%s", f->folder, name);
}

static inline void write_file(struct fixture *f, const char *name, const char *text) {
  const char *path = in_folder(f, name);
  char *folder = pawl_arena_copy(&f->arena, path);
  *strrchr(folder, '/') = '\0';
  assert_int_equal(pawl_make_folders(folder, &f->err), PAWL_OK);
  assert_int_equal(pawl_file_write(path, text, strlen(text), &f->err), PAWL_OK);
}

/* Runs a shell command in a folder below the scratch folder; it must succeed. */
static inline void shell(struct fixture *f, const char *folder, const char *command) {
  const char *environment[] = {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
                               "GIT_AUTHOR_EMAIL=a@b.c",      "GIT_COMMITTER_NAME=a",
                               "GIT_COMMITTER_EMAIL=a@b.c",   NULL};
  const char *argv[] = {"sh", "-ec", command, NULL};
  struct pawl_text output = {0};
  struct pawl_exit how = {0};
  const struct pawl_process_options options = {
      .argv = argv, .folder = in_folder(f, folder), .environment = environment};
  assert_int_equal(pawl_process_run(&options, 60, 65536, &output, &output, &how, &f->err), PAWL_OK);
  if (how.status != 0) print_message("%s\n%s\n", command, pawl_text_string(&output));
  assert_int_equal(how.status, 0);
  pawl_text_clear(&output);
}

#define STRINGS(...)                                    \
  ((struct pawl_strings){(const char *[]){__VA_ARGS__}, \
                         sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)})

static inline struct pawl_build_options build_options(struct fixture *f, const char *tree) {
  return (struct pawl_build_options){.folder = in_folder(f, tree),
                                     .cache_folder = in_folder(f, "cache"),
                                     .cuda_arch = "sm_80",
                                     .seal_key = &f->seal_key,
                                     .timeout_seconds = 60};
}

static inline struct pawl_kernel_spec source_kernel(struct fixture *f, const char *source) {
  const char **items = pawl_arena_alloc(&f->arena, 1, sizeof *items);
  items[0] = source;
  return (struct pawl_kernel_spec){
      .name = "k", .device = PAWL_CPU, .kind = PAWL_FROM_SOURCES, .sources = {items, 1}};
}

/* Builds, which must succeed. */
static inline struct pawl_build_result build_ok(struct fixture *f,
                                                const struct pawl_kernel_spec *spec,
                                                const struct pawl_build_options *options) {
  struct pawl_build_result result = {0};
  const char *diagnostics = NULL;
  const enum pawl_status_code status =
      pawl_build_kernel(spec, options, &f->arena, &result, &diagnostics, &f->err);
  if (status != PAWL_OK) print_message("%s\n%s\n", f->err.message, diagnostics ? diagnostics : "");
  assert_int_equal(status, PAWL_OK);
  return result;
}
