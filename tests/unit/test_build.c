/* SPDX-License-Identifier: Apache-2.0 */
#include "build_support.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "build/ninja.h"
#include "build/toolchain.h"
#include "build/tools.h"

#define RETURNS_N "int answer(void) { return N; }\n"

static int answer_of(const char *plugin) {
  void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!library) print_message("%s\n", dlerror());
  assert_non_null(library);
  int (*answer)(void);
  *(void **)&answer = dlsym(library, "answer");
  assert_non_null(answer);
  const int value = answer();
  dlclose(library);
  return value;
}

static void test_builds_with_params_and_overrides(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  struct pawl_param_value params[] = {{"N", "4"}}, overrides[] = {{"N", "(2 + 3)"}};
  spec.params = params, spec.param_count = 1;
  struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result plain = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(plain.plugin), 4);
  assert_int_equal(plain.compiles, 1);
  assert_true(plain.plugin[0] == '/');
  assert_non_null(strstr(plain.command, "-march=native"));
  assert_non_null(strstr(plain.command, "-DN=4"));
  assert_true(plain.seconds > 0 && plain.seconds < 60);
  assert_non_null(strstr(plain.toolchain, "cc"));
  options.overrides = overrides, options.override_count = 1;
  const struct pawl_build_result other = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(other.plugin), 5);
  assert_string_not_equal(other.plugin, plain.plugin);
  assert_string_not_equal(other.code_hash, plain.code_hash);
}

static void test_second_build_is_up_to_date_until_a_header_changes(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/inc dir/n.h", "#define N 1\n");
  write_file(f, "tree/k.c", "#include \"n.h\"\n" RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  spec.include_dirs = STRINGS("inc dir");
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result first = build_ok(f, &spec, &options);
  assert_int_equal(first.compiles, 1);
  const struct pawl_build_result again = build_ok(f, &spec, &options);
  assert_int_equal(again.compiles, 0);
  assert_string_equal(again.code_hash, first.code_hash);
  usleep(20000);
  write_file(f, "tree/inc dir/n.h", "#define N 2\n");
  const struct pawl_build_result changed = build_ok(f, &spec, &options);
  assert_int_equal(changed.compiles, 1);
  assert_int_equal(answer_of(changed.plugin), 2);
  assert_string_not_equal(changed.code_hash, first.code_hash);
}

/* An attacker who can write to the cache puts another kernel's true code in the place of this
   kernel's code. The forgeries are the plug-in with its old time, a new object that Ninja would
   link, and a whole build with its seal. Without the seal, Ninja alone would trust the rest. */
static void test_forged_files_are_made_again(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  struct pawl_param_value one[] = {{"N", "1"}}, two[] = {{"N", "2"}};
  const struct pawl_build_options options = build_options(f, "tree");
  spec.params = two, spec.param_count = 1;
  const struct pawl_build_result other = build_ok(f, &spec, &options);
  spec.params = one;
  const struct pawl_build_result ours = build_ok(f, &spec, &options);
  static const char *const forgeries[] = {
      ("cp --no-preserve=all THEIRS/plugin.so new; touch -r OURS/plugin.so new; "
       "mv new OURS/plugin.so"),
      "cat THEIRS/plugin.so >OURS/plugin.so",
      "cat THEIRS/0.o >OURS/0.o; touch OURS/0.o",
      "cp -p THEIRS/* OURS",
      "ln -sf THEIRS/plugin.so OURS/plugin.so",
      "rm OURS/sealed; cat THEIRS/plugin.so >OURS/plugin.so"};
  for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
    shell(
        f, "tree",
        pawl_arena_printf(&f->arena, "echo '%s' | sed 's|OURS|%.*s|g;s|THEIRS|%.*s|g' | sh -e",
                          forgeries[i], (int)(strrchr(ours.plugin, '/') - ours.plugin), ours.plugin,
                          (int)(strrchr(other.plugin, '/') - other.plugin), other.plugin));
    const struct pawl_build_result again = build_ok(f, &spec, &options);
    if (again.compiles != 1) fail_msg("forgery %zu was not built again", i);
    assert_int_equal(answer_of(again.plugin), 1);
    assert_int_equal(build_ok(f, &spec, &options).compiles, 0); /* and all is well again */
  }
}

/* A power cut leaves files of the right name and time that are empty or cut short. */
static void test_damaged_files_are_made_again(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", "#define N 3\n" RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result first = build_ok(f, &spec, &options);
  const off_t lengths[] = {0, 100, 5000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const char *objects =
        pawl_arena_printf(&f->arena, "find '%.*s' -name '*.o' -exec truncate -s 0 {} +",
                          (int)(strrchr(first.plugin, '/') - first.plugin), first.plugin);
    shell(f, "tree", objects);
    assert_int_equal(truncate(first.plugin, lengths[i]), 0);
    const struct pawl_build_result again = build_ok(f, &spec, &options);
    assert_int_equal(again.compiles, 1);
    assert_string_equal(again.code_hash, first.code_hash);
    assert_int_equal(answer_of(again.plugin), 3);
  }
}

static void test_several_sources_and_libraries(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/a.c",
             "int b(void); int shared(void); int answer(void) { return b() + shared(); }\n");
  write_file(
      f, "tree/b.cpp",
      "#include <vector>\nextern \"C\" int b() { return (int)std::vector<int>(7).size(); }\n");
  write_file(f, "tree/lib/s.c", "int shared(void) { return 30; }\n");
  shell(f, "tree", "gcc -shared -fPIC -Wl,-soname,libs.so.1 -o lib/libs.so lib/s.c");
  struct pawl_kernel_spec spec = source_kernel(f, "a.c");
  spec.sources = STRINGS("a.c", "b.cpp");
  spec.libs = STRINGS("lib/libs.so", "m");
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result first = build_ok(f, &spec, &options);
  assert_int_equal(first.compiles, 2);
  assert_int_equal(answer_of(first.plugin), 37); /* libs.so.1 is found beside the plug-in */
  usleep(20000);
  write_file(f, "tree/lib/s.c", "int shared(void) { return 40; }\n");
  shell(f, "tree", "gcc -shared -fPIC -Wl,-soname,libs.so.1 -o lib/libs.so lib/s.c");
  const struct pawl_build_result second = build_ok(f, &spec, &options);
  assert_int_equal(second.compiles, second.cache_hits < 0 ? 2 : second.cache_hits);
  assert_string_not_equal(second.code_hash, first.code_hash); /* a library is part of the code */
}

static ino_t inode_of(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return info.st_ino;
}

/* A file that stays has the same inode. */
static void test_only_changed_sources_are_compiled(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/a.h", "#define A 1\n");
  write_file(f, "tree/a.c",
             "#include \"a.h\"\nint b(void); int answer(void) { return A + b(); }\n");
  write_file(f, "tree/b.c",
             "#if __has_include(\"more.h\")\n#define B 20\n#else\n#define B 10\n#endif\n"
             "int b(void) { return B; }\n");
  struct pawl_kernel_spec spec = source_kernel(f, "a.c");
  spec.sources = STRINGS("a.c", "b.c");
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result first = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(first.plugin), 11);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(first.plugin);
  const char *a = pawl_arena_printf(&f->arena, "%s/0.o", folder);
  const char *b = pawl_arena_printf(&f->arena, "%s/1.o", folder);
  const ino_t old_a = inode_of(a), old_b = inode_of(b);
  write_file(f, "tree/a.h", "#define A 2\n");
  struct pawl_build_result next = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(next.plugin), 12);
  assert_true(next.compiles == 2 && next.cache_hits == 1);
  assert_true(inode_of(a) != old_a && inode_of(b) == old_b);
  const ino_t plugin = inode_of(next.plugin);
  write_file(f, "tree/a.h", "#define A 2 /* two */\n");
  next = build_ok(f, &spec, &options);
  assert_true(next.compiles == 2 && next.cache_hits == 2);
  assert_int_equal(inode_of(next.plugin), plugin);
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
  write_file(f, "tree/more.h", "");
  next = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(next.plugin), 22);
}

static void expect_failure(struct fixture *f, const struct pawl_kernel_spec *spec,
                           const struct pawl_build_options *options, enum pawl_status_code status,
                           const char *message) {
  struct pawl_build_result result = {.compiles = 77};
  const char *diagnostics = NULL;
  assert_int_equal(pawl_build_kernel(spec, options, &f->arena, &result, &diagnostics, &f->err),
                   status);
  if (!strstr(f->err.message, message)) print_message("%s\n", f->err.message);
  assert_non_null(strstr(f->err.message, message));
  assert_int_equal(result.compiles, 77);
  assert_true((status == PAWL_FAILED) == (diagnostics != NULL));
}

static void test_compiler_errors_come_with_source_lines(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", "int answer(void) {\n  return unknown_thing;\n}\n");
  write_file(f, "tree/l.c", "int other(void) { return missing_semicolon }\n");
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  spec.sources = STRINGS("k.c", "l.c");
  const struct pawl_build_options options = build_options(f, "tree");
  struct pawl_build_result result;
  const char *diagnostics = NULL;
  assert_int_equal(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, &f->err),
                   PAWL_FAILED);
  assert_non_null(strstr(diagnostics, "k.c:2:10: error: "));
  assert_non_null(strstr(diagnostics, "return unknown_thing;"));
  assert_non_null(strstr(diagnostics, "l.c:1:")); /* the second file's errors too */
  assert_null(strstr(diagnostics, "ninja"));
  assert_null(strstr(diagnostics, "FAILED"));
  assert_null(strchr(diagnostics, '\x01'));
  write_file(f, "tree/k.c", "int answer(void) { return 1; }\n");
  write_file(f, "tree/l.c", "int nowhere(void); int other(void) { return nowhere(); }\n");
  assert_int_equal(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, &f->err),
                   PAWL_FAILED);
  assert_non_null(strstr(diagnostics, "undefined reference to `nowhere'"));
}

static void test_bad_input_is_named(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", RETURNS_N);
  write_file(f, "tree/k.f90", "");
  const struct pawl_build_options options = build_options(f, "tree");
  struct pawl_kernel_spec spec = source_kernel(f, "absent.c");
  expect_failure(f, &spec, &options, PAWL_NO_INPUT, "absent.c");
  spec = source_kernel(f, "k.f90");
  expect_failure(f, &spec, &options, PAWL_CONFIG, "k.f90");
  spec = source_kernel(f, "k.c");
  spec.compiler = "no-such-compiler";
  expect_failure(f, &spec, &options, PAWL_UNAVAILABLE, "no-such-compiler");
  spec.compiler = NULL;
  struct pawl_param_value params[] = {{"N;x", "4"}};
  spec.params = params, spec.param_count = 1;
  expect_failure(f, &spec, &options, PAWL_CONFIG, "N;x");
  params[0] = (struct pawl_param_value){"N", "1\n#include \"/etc/passwd\""};
  expect_failure(f, &spec, &options, PAWL_CONFIG, "line break");
  params[0] = (struct pawl_param_value){"N", "4"};
  struct pawl_build_options elsewhere = options;
  elsewhere.folder = "/nonexistent";
  expect_failure(f, &spec, &elsewhere, PAWL_NO_INPUT, "/nonexistent");
  elsewhere = options;
  elsewhere.cuda_arch = "sm_80;x";
  expect_failure(f, &spec, &elsewhere, PAWL_USAGE, "sm_80;x");
}

/* Whatever stands in a value reaches the compiler as it is, and no shell runs any of it. */
static void test_hostile_values_are_only_text(void **state) {
  static const char *const values[] = {
      "a b",   "$HOME",    "$(touch pwned)", "`touch pwned`",  "'; touch pwned; '",
      "x\"y",  "a\\\"b",   "$$in $out",      "&& touch pwned", "#",
      "a|b>c", "  spaces", "%s%n",           "\xc3\xa4",       ""};
  struct fixture *f = *state;
  write_file(f, "tree/k.c",
             "#define TEXT_(...) #__VA_ARGS__\n#define TEXT(...) TEXT_(__VA_ARGS__)\n"
             "const char text[] = RAW;\nint answer(void) { return (int)sizeof text; }\n");
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct pawl_text raw = {0}; /* as a C string literal */
    pawl_text_add(&raw, "\"");
    for (const char *p = values[i]; *p; p++) {
      if (*p == '"' || *p == '\\') pawl_text_add(&raw, "\\");
      pawl_text_add_bytes(&raw, p, 1);
    }
    pawl_text_add(&raw, "\"");
    struct pawl_kernel_spec spec = source_kernel(f, "k.c");
    struct pawl_param_value params[] = {{"RAW", raw.data}};
    spec.params = params, spec.param_count = 1;
    const struct pawl_build_options options = build_options(f, "tree");
    const struct pawl_build_result result = build_ok(f, &spec, &options);
    void *library = dlopen(result.plugin, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    const char *text = dlsym(library, "text");
    assert_string_equal(text, values[i]);
    dlclose(library);
    pawl_text_clear(&raw);
  }
  assert_false(pawl_file_exists(in_folder(f, "tree/pwned")));
}

static void test_odd_file_names(void **state) {
  static const char *const names[] = {"with space.c", "dollar$x.c",  "semi;colon.c", "pipe|bar.c",
                                      "quote'.c",     "colon:x.c",   "-dash.c",      "hash#.c",
                                      " lead.c",      "back`tick.c", "paren(1).c",   "amp&ersand.c",
                                      "star*.c"};
  struct fixture *f = *state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = pawl_arena_printf(&f->arena, "odd $tree/%s", names[i]);
    write_file(f, path, "#include \"h#1 x.h\"\nint answer(void) { return 9; }\n");
    write_file(f, "odd $tree/h#1 x.h", "");
    const struct pawl_kernel_spec spec = source_kernel(f, names[i]);
    const struct pawl_build_options options = build_options(f, "odd $tree");
    const struct pawl_build_result first = build_ok(f, &spec, &options);
    assert_int_equal(answer_of(first.plugin), 9);
    /* Ninja misreads some of these names in a depfile and then builds more often than it must,
     * never less */
    usleep(20000);
    write_file(f, path, "#include \"h#1 x.h\"\nint answer(void) { return 10; }\n");
    assert_int_equal(answer_of(build_ok(f, &spec, &options).plugin), 10);
  }
}

static void test_two_worktrees_share_the_cache_and_the_identity(void **state) {
  struct fixture *f = *state;
  write_file(f, "main/kernels/k.c",
             "#include <assert.h>\n#include \"../inc/h.h\"\n"
             "const char *where(void) { return __FILE__ HEADER; }\n"
             "int answer(void) { assert(N > 0); return N; }\n");
  write_file(f, "main/inc/h.h", "#define HEADER __FILE__\n");
  shell(f, "main", "git init -q . && git add . && git commit -qm one && sleep 0.01");
  assert_int_equal(pawl_git_worktree_add(in_folder(f, "main"), "HEAD",
                                         in_folder(f, "main/.pawl/a/deep/other tree"), &f->err),
                   PAWL_OK);
  struct pawl_kernel_spec spec = source_kernel(f, "kernels/k.c");
  struct pawl_param_value params[] = {{"N", "3"}};
  spec.params = params, spec.param_count = 1;
  spec.include_dirs = STRINGS(in_folder(f, "main/inc"));
  struct pawl_build_options options = build_options(f, "main");
  const struct pawl_build_result here = build_ok(f, &spec, &options);
  assert_int_equal(here.cache_hits, 0);
  spec.include_dirs = STRINGS(in_folder(f, "main/.pawl/a/deep/other tree/inc"));
  options.folder = in_folder(f, "main/.pawl/a/deep/other tree");
  const struct pawl_build_result there = build_ok(f, &spec, &options);
  assert_int_equal(there.compiles, 1);
  assert_int_equal(there.cache_hits, 1);
  assert_string_not_equal(there.plugin, here.plugin);
  assert_string_equal(there.code_hash, here.code_hash);
}

static void test_own_build_command(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/make.sh",
             "#!/bin/sh\nset -e\ntest -n \"$PAWL_CUDA_ARCH\"\ntest -z \"$MY_TOKEN\"\nmkdir -p out\n"
             "gcc -shared -fPIC -DN=$PAWL_PARAM_N -o out/lib.so k.c\n");
  write_file(f, "tree/k.c", RETURNS_N);
  shell(f, "tree", "chmod +x make.sh");
  setenv("MY_TOKEN", "secret", 1);
  struct pawl_param_value params[] = {{"N", "11"}};
  struct pawl_kernel_spec spec = {.name = "theirs",
                                  .kind = PAWL_FROM_BUILD,
                                  .build_command = STRINGS("./make.sh"),
                                  .build_output = "out/lib.so",
                                  .params = params,
                                  .param_count = 1};
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result first = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(first.plugin), 11);
  assert_int_equal(first.compiles, -1);
  params[0].value = "12";
  const struct pawl_build_result second = build_ok(f, &spec, &options);
  assert_int_equal(answer_of(second.plugin), 12);
  assert_int_equal(answer_of(first.plugin), 11); /* the first set of params is still there */
  spec.build_output = "out/other.so";
  expect_failure(f, &spec, &options, PAWL_FAILED, "made no file");
  spec.build_output = "k.c";
  expect_failure(f, &spec, &options, PAWL_FAILED, "not an ELF file");
  spec.build_command = STRINGS("sh", "-c", "echo the words; echo of the script >&2; exit 3");
  struct pawl_build_result result;
  const char *diagnostics = NULL;
  assert_int_equal(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, &f->err),
                   PAWL_FAILED);
  assert_non_null(strstr(diagnostics, "the words\nof the script\n"));
  assert_non_null(strstr(f->err.message, "exited with status 3"));
  unsetenv("MY_TOKEN");
}

static void test_time_is_bounded_and_compilers_end(void **state) {
  struct fixture *f = *state;
  const char *mark = in_folder(f, "compiler.pid");
  const char *script = pawl_arena_printf(
      &f->arena,
      "#!/bin/sh\n[ \"$1\" = --version ] && echo slow 1.0 && exit\necho $$ > %s\nsleep 100\n",
      mark);
  write_file(f, "slowcc", script);
  write_file(f, "tree/k.c", RETURNS_N);
  shell(f, "", "chmod +x slowcc");
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  spec.compiler = in_folder(f, "slowcc");
  struct pawl_build_options options = build_options(f, "tree");
  options.timeout_seconds = 1;
  options.isolate = PAWL_ISOLATE_OFF; /* the script writes beside the tree */
  const time_t start = time(NULL);
  expect_failure(f, &spec, &options, PAWL_FAILED, "timed out after");
  assert_true(time(NULL) - start < 10);
  struct pawl_text pid = {0};
  assert_int_equal(pawl_file_read(mark, 64, &pid, &f->err), PAWL_OK);
  bool gone = false; /* the compiler too */
  for (int i = 0; i < 500 && !gone; i++) {
    const pid_t compiler = (pid_t)atoi(pid.data); /* init or we bury it */
    gone = kill(compiler, 0) != 0 || waitpid(compiler, NULL, WNOHANG) == compiler;
    if (!gone) usleep(10000);
  }
  assert_true(gone);
  pawl_text_clear(&pid);
}

static void test_killed_build_leaves_nothing_in_use(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", RETURNS_N);
  /* a linker that writes half a file, then waits to be killed, as long as the file `hang` is there
   */
  const char *script = pawl_arena_printf(
      &f->arena,
      "#!/bin/sh\ncase \"$*\" in *-shared*) if [ -e %s/hang ]; then\n"
      "for a; do [ \"$prev\" = -o ] && echo half > \"$a\"; prev=$a; done\necho $$ > "
      "%s/reaching; mv %s/reaching %s/reached; exec sleep 100; fi;; esac\n"
      "exec gcc \"$@\"\n",
      f->folder, f->folder, f->folder, f->folder);
  write_file(f, "mycc", script);
  write_file(f, "hang", "");
  shell(f, "", "chmod +x mycc");
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  struct pawl_param_value params[] = {{"N", "21"}};
  spec.compiler = in_folder(f, "mycc"), spec.params = params, spec.param_count = 1;
  struct pawl_build_options options = build_options(f, "tree");
  options.isolate = PAWL_ISOLATE_OFF; /* the script writes beside the tree */
  const pid_t child = fork();
  if (child == 0) {
    struct pawl_build_result result;
    const char *diagnostics;
    _exit(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, NULL) == PAWL_OK
              ? 0
              : 1);
  }
  for (int i = 0; i < 1000 && !pawl_file_exists(in_folder(f, "reached")); i++) usleep(10000);
  assert_true(pawl_file_exists(in_folder(f, "reached")));
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  shell(f, "", "kill `cat reached`; rm hang; ! test -e cache/build/*/plugin.so");
  assert_int_equal(answer_of(build_ok(f, &spec, &options).plugin), 21);
}

/* The compiler is a script that edits the source between its preprocessor and its compiler, once:
   no build may meet the edit's object under the key of the source before. */
static void test_an_edit_while_the_compiler_runs(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", "#include \"a/n.h\"\n#define N (M + K)\n#define K 1\n" RETURNS_N);
  write_file(f, "tree/a/n.h", "#define M 10\n");
  write_file(f, "tree/b/n.h", "#define M 20\n");
  write_file(
      f, "editing.sh",
      "#!/bin/sh\ncase \" $* \" in *\" -c \"*) if [ ! -e \"$0.done\" ]; then\n"
      ": >\"$0.done\"; sed 's/K 1/K 2/' k.c >k.new; touch -d 2001-01-01 k.new; mv k.new k.c\n"
      "elif [ ! -e \"$0.swapped\" ]; then : >\"$0.swapped\"; mv a c; mv b a; mv c b\n"
      "fi;; esac\nexec cc \"$@\"\n");
  shell(f, ".", "chmod +x editing.sh");
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  spec.compiler = in_folder(f, "editing.sh");
  struct pawl_build_options options = build_options(f, "tree");
  options.isolate = PAWL_ISOLATE_OFF; /* the script writes into the tree */
  assert_int_equal(answer_of(build_ok(f, &spec, &options).plugin), 22);
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
  shell(f, ".", "cp -a tree other; cd other; mv a c; mv b a; mv c b"); /* it shares objects */
  struct pawl_build_options other = build_options(f, "other");
  other.isolate = PAWL_ISOLATE_OFF;
  assert_int_equal(answer_of(build_ok(f, &spec, &other).plugin), 12);
  shell(f, "other", "sed -i 's/K 2/K 1/' k.c");
  assert_int_equal(answer_of(build_ok(f, &spec, &other).plugin), 11);
}

/* Content decides: neither an older time nor the same contents with a new time. */
static void test_content_decides(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", "#define N 1\n" RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  const struct pawl_build_options options = build_options(f, "tree");
  assert_int_equal(answer_of(build_ok(f, &spec, &options).plugin), 1);
  shell(f, "tree", "cp k.c copy; rm k.c; mv copy k.c; touch k.c");
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
  shell(f, "tree", "touch copy"); /* a header has this word */
  assert_int_equal(build_ok(f, &spec, &options).compiles, 1);
  shell(f, "tree", "echo text >unheard_of"); /* nothing looks for this name */
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
  /* compilers look for this one without a directive, and others come together */
  shell(f, "tree", "touch stdc-predef.h");
  assert_int_equal(build_ok(f, &spec, &options).compiles, 1);
  shell(f, "tree", "touch more.h others.h");
  assert_int_equal(build_ok(f, &spec, &options).compiles, 1);
  shell(f, "tree", "cp k.c ../copy; mv ../copy k.c; touch k.c");
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
  shell(f, "tree", "sed -i 's/N 1/N 2/' k.c; touch -d 2001-01-01 k.c");
  assert_int_equal(answer_of(build_ok(f, &spec, &options).plugin), 2);
  shell(f, "tree", "echo text >note; rm note");
  assert_int_equal(build_ok(f, &spec, &options).compiles, 0);
}

static void test_two_builds_at_once(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/k.c", RETURNS_N);
  struct pawl_kernel_spec spec = source_kernel(f, "k.c");
  struct pawl_param_value params[] = {{"N", "5"}};
  spec.params = params, spec.param_count = 1;
  const struct pawl_build_options options = build_options(f, "tree");
  pid_t children[4];
  for (int i = 0; i < 4; i++) {
    if ((children[i] = fork()) != 0) continue;
    struct pawl_build_result result;
    const char *diagnostics;
    _exit(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, NULL) == PAWL_OK
              ? result.compiles
              : 99);
  }
  int compiles = 0;
  for (int i = 0; i < 4; i++) {
    int how = -1;
    assert_int_equal(waitpid(children[i], &how, 0), children[i]);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) <= 1);
    compiles += WEXITSTATUS(how);
  }
  assert_int_equal(compiles, 1);
}

static void test_what_is_not_built(void **state) {
  struct fixture *f = *state;
  const struct pawl_kernel_spec spec = {
      .name = "r", .kind = PAWL_FROM_PROTOCOL, .protocol = STRINGS("python3", "r.py")};
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result result = build_ok(f, &spec, &options);
  assert_null(result.plugin);
  assert_null(result.code_hash);
}

static void test_operator_builds_without_the_kernels_params(void **state) {
  struct fixture *f = *state;
  write_file(f, "tree/o.c", "#ifdef N\n#error\n#endif\nint answer(void) { return 8; }\n");
  const struct pawl_operator_spec spec = {
      .name = "o", .kind = PAWL_FROM_SOURCES, .sources = STRINGS("o.c")};
  struct pawl_build_options options = build_options(f, "tree");
  struct pawl_param_value overrides[] = {{"N", "5"}};
  options.overrides = overrides, options.override_count = 1;
  struct pawl_build_result result;
  const char *diagnostics;
  assert_int_equal(pawl_build_operator(&spec, &options, &f->arena, &result, &diagnostics, &f->err),
                   PAWL_OK);
  assert_int_equal(answer_of(result.plugin), 8);
}

static void test_flags(void **state) {
  struct fixture *f = *state;
  const struct pawl_compiler cc = {.path = "/usr/bin/cc"},
                             nvcc = {.path = "/usr/bin/nvcc", .nvcc = true};
  struct pawl_words words = {0};
  pawl_default_flags(&cc, PAWL_LANGUAGE_C, &f->arena, &words);
  pawl_required_flags(&cc, &words, "sm_90a", &f->arena, &words);
  assert_string_equal(
      pawl_words_join(&words, &f->arena),
      "-O3 -march=native -std=gnu11 -fPIC '-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"' "
      "-Wno-builtin-macro-redefined");
  words = (struct pawl_words){0};
  pawl_default_flags(&nvcc, PAWL_LANGUAGE_CUDA, &f->arena, &words);
  pawl_required_flags(&nvcc, &words, "sm_90a", &f->arena, &words);
  assert_string_equal(
      pawl_words_join(&words, &f->arena),
      "-O3 --use_fast_math -Xcompiler -fPIC -no-compress -gencode=arch=compute_90a,code=sm_90a");
  struct pawl_words own = {0};
  pawl_words_add(&own, &f->arena, "-arch=sm_75");
  pawl_required_flags(&nvcc, &own, "sm_90a", &f->arena, &own);
  assert_null(strstr(pawl_words_join(&own, &f->arena), "gencode"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_builds_with_params_and_overrides, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_second_build_is_up_to_date_until_a_header_changes,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damaged_files_are_made_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_forged_files_are_made_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_several_sources_and_libraries, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_only_changed_sources_are_compiled, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_compiler_errors_come_with_source_lines, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_bad_input_is_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_hostile_values_are_only_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_odd_file_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_two_worktrees_share_the_cache_and_the_identity, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_own_build_command, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_time_is_bounded_and_compilers_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_killed_build_leaves_nothing_in_use, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_an_edit_while_the_compiler_runs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_content_decides, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_two_builds_at_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_is_not_built, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_operator_builds_without_the_kernels_params, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_flags, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
