/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and listings that end with their jobs: nobody says that they failed. */
#include "build_support.h"

#include <pthread.h>

#include "base/clock.h"
#include "build/instructions.h"

#define PATIENCE_SECONDS 60.0

static void make_tool(struct fixture *f, const char *name, const char *script) {
  write_file(f, name, script);
  shell(f, "", pawl_arena_printf(&f->arena, "chmod +x %s", name));
}

static void await_file(const char *path) {
  const int64_t begin = pawl_clock_ns();
  while (!pawl_file_exists(path)) {
    assert_true(pawl_seconds_since(begin) < PATIENCE_SECONDS);
    usleep(10000);
  }
}

/* A build on a thread of its own. */
struct slow_build {
  struct pawl_kernel_spec spec;
  struct pawl_build_options options;
  struct pawl_arena arena;
  enum pawl_status_code status;
  struct pawl_error err;
};

static void *run_build(void *context) {
  struct slow_build *build = context;
  struct pawl_build_result result = {0};
  const char *diagnostics;
  build->status = pawl_build_kernel(&build->spec, &build->options, &build->arena, &result,
                                    &diagnostics, &build->err);
  return NULL;
}

/* The second build waits for the lock of the first one, whose compiler runs. Both end with their
   jobs. */
static void test_builds_that_end_with_their_jobs(void **state) {
  struct fixture *f = *state;
  const char *mark = in_folder(f, "compiles");
  make_tool(f, "slowcc",
            pawl_arena_printf(&f->arena,
                              "#!/bin/sh\n[ \"$1\" = --version ] && echo slow 1.0 && exit\n"
                              "echo >%s\nexec sleep 100\n",
                              mark));
  write_file(f, "tree/k.c", "int k(void) { return 0; }\n");
  struct slow_build builds[2] = {0};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    builds[i].spec = source_kernel(f, "k.c");
    builds[i].spec.compiler = in_folder(f, "slowcc");
    builds[i].options = build_options(f, "tree");
    builds[i].options.isolate = PAWL_ISOLATE_OFF; /* the script writes beside the tree */
    builds[i].options.timeout_seconds = PATIENCE_SECONDS;
    builds[i].options.jobs = pawl_jobs_new();
    assert_int_equal(pthread_create(&threads[i], NULL, run_build, &builds[i]), 0);
    await_file(mark);
  }
  for (int i = 1; i >= 0; i--) {
    const int64_t begin = pawl_clock_ns();
    pawl_jobs_stop(builds[i].options.jobs);
    pthread_join(threads[i], NULL);
    assert_true(pawl_seconds_since(begin) < PATIENCE_SECONDS / 2);
    assert_int_equal(builds[i].status, PAWL_TRY_AGAIN);
    pawl_jobs_free(builds[i].options.jobs);
    pawl_arena_clear(&builds[i].arena);
  }
  assert_non_null(strstr(builds[1].err.message, "is locked by process"));
  assert_non_null(strstr(builds[0].err.message, "pawl ended"));
}

/* The first cuobjdump never ends. */
static void test_an_ended_listing_is_made_again(void **state) {
  struct fixture *f = *state;
  const char *mark = in_folder(f, "lists");
  make_tool(f, "cuobjdump",
            pawl_arena_printf(&f->arena,
                              "#!/bin/sh\nif [ ! -e %s ]; then echo >%s; exec sleep 100; fi\n"
                              "printf '\\tcode for sm_90a\\n\\t\\tFunction : f\\n"
                              "        /*0000*/ EXIT ; /* 0x0 */\\n'\n",
                              mark, mark));
  setenv("PATH", pawl_arena_printf(&f->arena, "%s:%s", f->folder, getenv("PATH")), 1);
  struct pawl_listings listings = {0};
  struct pawl_machine_code code = {0};
  pawl_listings_add(&listings, "plugin.so", true);
  pawl_listings_begin(&listings);
  await_file(mark);
  pawl_jobs_stop(listings.jobs);
  assert_int_equal(pawl_disassemble("plugin.so", true, &listings, &f->arena, &code, &f->err),
                   PAWL_OK);
  assert_int_equal(code.count, 1);
  assert_string_equal(code.items[0].symbol, "f");
  pawl_listings_clear(&listings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_builds_that_end_with_their_jobs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_an_ended_listing_is_made_again, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
