/* SPDX-License-Identifier: Apache-2.0 */
#include "build_support.h"

#include "build/code_elf.h"
#include "build/fatbin.h"
#include "build/identity.h"
#include "build/other_inputs.h"
#include "build/tools.h"

static const char *identity_in(struct fixture *f, const char *tree, const char *plugin,
                               const char *toolchain, const char *value) {
  char hash[PAWL_HASH_TEXT];
  const struct pawl_param_value param = {"N", value};
  struct pawl_file_table *files = pawl_file_table_open(NULL);
  const struct pawl_code_origin origin = {toolchain, &param, value ? 1 : 0,
                                          tree ? in_folder(f, tree) : f->folder, files};
  const enum pawl_status_code status =
      pawl_code_identity(in_folder(f, plugin), &origin, hash, &f->err);
  pawl_file_table_close(files);
  if (status != PAWL_OK) print_message("%s\n", f->err.message);
  assert_int_equal(status, PAWL_OK);
  return pawl_arena_copy(&f->arena, hash);
}

static const char *identity_of(struct fixture *f, const char *plugin, const char *toolchain,
                               const char *value) {
  return identity_in(f, NULL, plugin, toolchain, value);
}

/* A plug-in with code, constants, initialised data, a pointer table and a static constructor. */
#define BODY                                                                                 \
  "#include <math.h>\nstatic double table[] = {1.5, 2.5};\nint counter = 3;\nstatic double " \
  "f(double x) { return "                                                                    \
  "x * FACTOR; }\nstatic double g(double x) { return sin(x); }\ndouble (*const "             \
  "functions[])(double) = {f, g};\n"                                                         \
  "__attribute__((constructor)) static void start(void) { counter += 1; }\nconst char "      \
  "*name(void) { return "                                                                    \
  "\"name\"; }\ndouble run(int i) { return functions[i](table[i]); }\n"

static void test_same_source_elsewhere_is_the_same(void **state) {
  struct fixture *f = *state;
  write_file(f, "a/k.c", BODY);
  write_file(f, "somewhere/quite/else/k.c", BODY);
  const char *compile = "gcc -O2 -fPIC -shared -DFACTOR=2 -o k.so k.c -lm";
  shell(f, "a", compile);
  shell(f, "somewhere/quite/else", compile);
  shell(f, "a",
        "gcc -O2 -g -fPIC -shared -DFACTOR=2 -o debug.so k.c -lm && strip -o stripped.so k.so");
  shell(f, "a", "gcc -O2 -fPIC -shared -DFACTOR=2 -Wl,--build-id=0x1234 -o id.so k.c -lm");
  const char *one = identity_of(f, "a/k.so", "cc 1", "1");
  assert_string_equal(identity_of(f, "somewhere/quite/else/k.so", "cc 1", "1"), one);
  assert_string_equal(identity_of(f, "a/debug.so", "cc 1", "1"), one);
  assert_string_equal(identity_of(f, "a/stripped.so", "cc 1", "1"), one);
  assert_string_equal(identity_of(f, "a/id.so", "cc 1", "1"), one);
}

static void test_every_change_is_seen(void **state) {
  struct fixture *f = *state;
  write_file(f, "k.c", BODY);
  const char *const changes[] = {
      "true",                              /* nothing */
      "sed -i 's/FACTOR/FACTOR + 1/' k.c", /* code */
      "sed -i 's/2.5/2.25/' k.c",          /* data */
      "sed -i 's/= 3/= 4/' k.c",           /* an initial value */
      "sed -i 's/\"name\"/\"game\"/' k.c", /* a constant */
      "sed -i 's/{f, g}/{g, f}/' k.c",     /* a table of pointers: relocations only */
      "sed -i 's/sin/cos/' k.c",           /* an imported name */
      "sed -i 's/__attribute__((constructor)) static //' k.c", /* no longer run at start */
      "sed -i 's/run(int/launch(int/' k.c",                    /* an exported name */
      "echo 'char space[4096];' >> k.c",                       /* zeroed data */
  };
  enum { COUNT = sizeof changes / sizeof *changes };
  const char *hashes[COUNT + 5];
  size_t count = 0;
  for (size_t i = 0; i < COUNT; i++) {
    write_file(f, "k.c", BODY);
    shell(f, "", changes[i]);
    shell(f, "", "gcc -O2 -fPIC -shared -DFACTOR=2 -o k.so k.c -lm");
    hashes[count++] = identity_of(f, "k.so", "cc 1", "1");
  }
  write_file(f, "k.c", BODY);
  shell(f, "", "gcc -O2 -fPIC -shared -DFACTOR=2 -o k.so k.c -lm");
  assert_string_equal(identity_of(f, "k.so", "cc 1", "1"), hashes[0]);
  shell(f, "", "sed s/counter/kounter/g k.so > renamed.so"); /* an exported name, everything else
                                                                where it was */
  hashes[count++] = identity_of(f, "renamed.so", "cc 1", "1");
  hashes[count++] = identity_of(f, "k.so", "cc 2", "1"); /* toolchain */
  hashes[count++] = identity_of(f, "k.so", "cc 1", "2"); /* parameter */
  hashes[count++] = identity_of(f, "k.so", "cc 1", NULL);
  shell(f, "",
        "gcc -O2 -fPIC -shared -DFACTOR=2 -o k.so k.c -lm -Wl,--no-as-needed -lz 2>/dev/null || "
        "gcc -O2 -fPIC -shared -DFACTOR=2 -o k.so k.c -lm -Wl,--no-as-needed -ldl -lelf "
        "-l:libelf.so.1");
  hashes[count++] = identity_of(f, "k.so", "cc 1", "1"); /* another library */
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) assert_string_not_equal(hashes[i], hashes[j]);
  }
}

static void test_a_linked_library_counts(void **state) {
  struct fixture *f = *state;
  write_file(f, "k.c", "int helper(void); int run(void) { return helper(); }\n");
  write_file(f, "h.c", "int helper(void) { return N; }\n");
  shell(f, "",
        "gcc -fPIC -shared -DN=1 -o libh.so h.c && gcc -fPIC -shared -o k.so k.c -L. -lh "
        "-Wl,-rpath,'$ORIGIN'");
  const char *before = identity_of(f, "k.so", NULL, NULL);
  shell(f, "", "gcc -fPIC -shared -DN=2 -o libh.so h.c");
  assert_string_not_equal(identity_of(f, "k.so", NULL, NULL), before);
  shell(f, "", "gcc -fPIC -shared -DN=1 -o libh.so h.c");
  assert_string_equal(identity_of(f, "k.so", NULL, NULL), before);
}

/* The plug-in lies in the cache of the change, and its own tree is the base's. */
static void test_a_library_of_the_own_tree_counts(void **state) {
  struct fixture *f = *state;
  static const char link[] =
      "mkdir -p lib first cache base/lib base/first base/.git && gcc -fPIC -shared -DN=1 "
      "-Wl,--build-id=0x12 -o lib/libh.so h.c && cp lib/libh.so "
      "base/lib && gcc -fPIC -shared -o cache/k.so k.c -Llib -lh "
      "-Wl,-rpath,'$ORIGIN/../first:$ORIGIN/../lib'";
  static const char *const changes[] = {
      "sed -i s/^/x/ base/lib/libh.so", "cp lib/libh.so base/first", "rm base/lib/libh.so",
      "printf x | dd of=lib/libh.so bs=1M seek=69 conv=notrunc status=none"};
  write_file(f, "k.c", "int helper(void); int run(void) { return helper(); }\n");
  write_file(f, "h.c", "int helper(void) { return N; }\n");
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    shell(f, "", "rm -rf lib first base");
    shell(f, "", link);
    if (i == 3) shell(f, "", "truncate -s 70M lib/libh.so base/lib/libh.so"); /* a large one */
    assert_string_equal(identity_in(f, ".", "cache/k.so", NULL, NULL),
                        identity_in(f, "base", "cache/k.so", NULL, NULL));
    shell(f, "", changes[i]);
    assert_string_not_equal(identity_in(f, ".", "cache/k.so", NULL, NULL),
                            identity_in(f, "base", "cache/k.so", NULL, NULL));
  }
}

/* An assembler chooses the version of a symbol. */
static void test_the_version_of_a_symbol_counts(void **state) {
  struct fixture *f = *state;
  write_file(f, "k.c",
             "#include <string.h>\n__asm__(\".symver memcpy, memcpy@\" VERSION);\n"
             "void run(void *a, void *b, size_t n) { memcpy(a, b, n); }\n");
  write_file(f, "h.map", "ONE {}; TWO {} ONE;\n");
  write_file(f, "h.c",
             "__asm__(\".symver one, memcpy@ONE\\n.symver two, memcpy@@TWO\");\n"
             "void one(void) {}\nvoid two(void) {}\n");
  shell(f, "",
        "gcc -fPIC -shared -o libh.so h.c -Wl,--version-script=h.map; for v in ONE TWO; do gcc "
        "-fPIC -shared -DVERSION=\"\\\"$v\\\"\" -o $v.so k.c libh.so -Wl,-rpath,'$ORIGIN'; done");
  assert_string_not_equal(identity_of(f, "ONE.so", NULL, NULL),
                          identity_of(f, "TWO.so", NULL, NULL));
}

static void expect_other_inputs(struct fixture *f, const char *program, bool changed) {
  static struct pawl_hash last;
  const char *data = in_folder(f, "data");
  const struct pawl_strings allowed = {&data, 1, 0};
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_other_inputs_hash(in_folder(f, program), f->folder, &allowed, &hasher);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  assert_int_equal(changed, !pawl_hash_equal(hash, last));
  last = hash;
}

/* A script has its modules in PYTHONPATH. A plug-in that opens nothing reads no data. */
static void test_variables_and_files_outside_count(void **state) {
  struct fixture *f = *state;
  const char *file = pawl_arena_copy(&f->arena, in_folder(f, "file"));
  shell(f, "", "mkdir data modules; touch file data/x modules/m.py");
  write_file(
      f, "k.c",
      pawl_arena_printf(&f->arena, "const char *names[] = {\"PAWL_SCALE\", \"%s\"};\n", file));
  write_file(f, "s.py", pawl_arena_printf(&f->arena, "environ['PAWL_SCALE']; open('%s')\n", file));
  shell(f, "", "gcc -shared -fPIC -o k.so k.c");
  setenv("PYTHONPATH", in_folder(f, "modules"), 1);
  static const char *const programs[] = {"k.so", "s.py"};
  for (size_t i = 0; i < 2; i++) {
    expect_other_inputs(f, programs[i], true);
    setenv("PAWL_SCALE_NOT", "1", 1);
    expect_other_inputs(f, programs[i], false);
    setenv("PAWL_SCALE", i ? "2" : "1", 1);
    expect_other_inputs(f, programs[i], true);
    shell(f, "", "echo 2 >> file");
    expect_other_inputs(f, programs[i], true);
    shell(f, "", "echo 2 >> data/x");
    expect_other_inputs(f, programs[i], i == 1);
    shell(f, "", "echo 2 >> modules/m.py; echo 2 > modules/m.pyc");
    expect_other_inputs(f, programs[i], i == 1);
  }
  unsetenv("PYTHONPATH");
}

static void test_what_is_no_plugin(void **state) {
  struct fixture *f = *state;
  char hash[PAWL_HASH_TEXT] = "untouched";
  const struct pawl_code_origin origin = {NULL, NULL, 0, NULL, NULL};
  write_file(f, "text.so", "not an ELF file");
  write_file(f, "empty.so", "");
  write_file(f, "k.c", BODY);
  shell(f, "",
        "gcc -c -DFACTOR=1 -o object.so k.c && head -c 700 /bin/sh > cut.so; gcc -shared -fPIC "
        "-DFACTOR=1 -o k.so "
        "k.c && head -c 9000 k.so > half.so");
  static const char *const bad[] = {"text.so", "empty.so", "object.so", "cut.so", "half.so"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(pawl_code_identity(in_folder(f, bad[i]), &origin, hash, &f->err),
                     PAWL_BAD_DATA);
    assert_non_null(strstr(f->err.message, bad[i]));
  }
  assert_int_equal(pawl_code_identity(in_folder(f, "absent.so"), &origin, hash, &f->err),
                   PAWL_NO_INPUT);
  assert_string_equal(hash, "untouched");
}

static void expect_normalised(const char *before, const char *after) {
  char text[256];
  snprintf(text, sizeof text, "%s", before);
  pawl_fatbin_normalise((unsigned char *)text, strlen(text));
  assert_string_equal(text, after);
}

static void test_anonymous_namespaces_lose_their_path_hash(void **state) {
  (void)state;
  expect_normalised("_ZN36_GLOBAL__N__3a6f6422_4_g_cu_ee60e7055innerEPf",
                    "_ZN36_GLOBAL__N__00000000_4_g_cu_ee60e7055innerEPf");
  expect_normalised(
      "x_INTERNAL_3a6f6422_12_a_b_c_d_e_cu_run y_GLOBAL__N__3a6f6422_4_g_cu_ee60e705",
      "x_INTERNAL_00000000_12_a_b_c_d_e_cu_run y_GLOBAL__N__00000000_4_g_cu_ee60e705");
  /* a text that only resembles such a name stays, wherever it is cut */
  static const char name[] = "_GLOBAL__N__3a6f6422_4_g_cu_";
  for (size_t i = 0; i < sizeof name - 1; i++) {
    char cut[64];
    snprintf(cut, sizeof cut, "%.*s", (int)i, name);
    expect_normalised(cut, cut);
  }
  expect_normalised("_GLOBAL__N__3a6fX422_4_g_cu_ee60e705", "_GLOBAL__N__3a6fX422_4_g_cu_ee60e705");
  expect_normalised("_GLOBAL__N__3a6f6422_5_g_cu_ee60e705", "_GLOBAL__N__3a6f6422_5_g_cu_ee60e705");
  expect_normalised("_GLOBAL__N__3a6f6422_99999999999999999999_g",
                    "_GLOBAL__N__3a6f6422_99999999999999999999_g");
}

static void test_fatbins_of_unknown_layout_are_hashed_whole(void **state) {
  (void)state;
  unsigned char data[256];
  struct pawl_hash before = {0};
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7);
  for (size_t length = 0; length <= sizeof data; length += 51) {
    struct pawl_hasher hasher;
    pawl_hasher_init(&hasher);
    memcpy(data,
           (const unsigned char[]){0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 255, 255, 255, 255, 255,
                                   255, 255, 255},
           16);
    pawl_fatbin_hash(data, length, &hasher);
    const struct pawl_hash hash = pawl_hasher_finish(&hasher);
    assert_false(pawl_hash_equal(hash, before));
    before = hash;
  }
}

#define DEVICE_CODE                                                                               \
  "namespace { __device__ int counter; __global__ void inner(float *p) { p[threadIdx.x] *= "      \
  "FACTOR; "                                                                                      \
  "atomicAdd(&counter, 1); } }\nextern \"C\" void run(float *p, void *s) { inner<<<GRID, 32, 0, " \
  "(cudaStream_t)s>>>(p); }\n"

static const char *cuda_identity(struct fixture *f, const char *tree, const char *factor,
                                 const char *grid, struct pawl_build_result *out) {
  struct pawl_kernel_spec spec = source_kernel(f, "k.cu");
  write_file(f, pawl_arena_printf(&f->arena, "%s/k.cu", tree),
             pawl_arena_printf(&f->arena, "#define FACTOR %s\n#define GRID %s\n" DEVICE_CODE,
                               factor, grid));
  struct pawl_build_options options = build_options(f, tree);
  options.cuda_arch = "sm_90a";
  options.cache_folder =
      in_folder(f, pawl_arena_printf(&f->arena, "cache-%s", tree)); /* nothing shared */
  *out = build_ok(f, &spec, &options);
  return out->code_hash;
}

static void test_cuda_identity(void **state) {
  struct fixture *f = *state;
  if (!pawl_tool_find("nvcc", &f->arena).path) skip();
  struct pawl_build_result result;
  const char *one = cuda_identity(f, "a", "2.0f", "1", &result);
  const char *elsewhere = cuda_identity(f, "other", "2.0f", "1", &result);
  assert_string_equal(elsewhere,
                      one); /* although the anonymous namespace is named after the path */
  assert_string_not_equal(cuda_identity(f, "a", "3.0f", "1", &result), one); /* device code */
  assert_string_not_equal(cuda_identity(f, "a", "2.0f", "2", &result),
                          one); /* host code: the grid */
}

static bool opens_files(struct fixture *f, const char *body) {
  struct pawl_kernel_spec spec = source_kernel(f, "k.cu");
  write_file(f, "tree/k.cu", body);
  struct pawl_build_options options = build_options(f, "tree");
  options.cuda_arch = "sm_90a";
  return build_ok(f, &spec, &options).opens_files;
}

/* The CUDA runtime in the plug-in opens files, and so may the kernel. */
static void test_the_kernel_and_not_the_runtime_opens_files(void **state) {
  struct fixture *f = *state;
  if (!pawl_tool_find("nvcc", &f->arena).path) skip();
  assert_false(opens_files(f, "#define FACTOR 2\n#define GRID 1\n" DEVICE_CODE));
  assert_true(opens_files(f, "#include <cstdio>\n#define FACTOR 2\n#define GRID 1\n" DEVICE_CODE
                             "extern \"C\" void *opened(const char *name) { return fopen(name, "
                             "\"r\"); }\n"));
  assert_true(opens_files(f, "#include <fstream>\n#define FACTOR 2\n#define GRID 1\n" DEVICE_CODE
                             "extern \"C\" int read(const char *name) { int n = 0; "
                             "std::ifstream(name) >> n; return n; }\n"));
}

/* nvcc hands "$ORIGIN" through a shell of its own; it has to come out whole. */
static void test_nvcc_links_a_library_beside_the_plugin(void **state) {
  struct fixture *f = *state;
  if (!pawl_tool_find("nvcc", &f->arena).path) skip();
  write_file(f, "tree/k.cu",
             "extern \"C\" int helper(); extern \"C\" int run() { return helper(); }\n");
  write_file(f, "tree/h.c", "int helper(void) { return 5; }\n");
  shell(f, "tree", "gcc -fPIC -shared -o libh.so h.c");
  struct pawl_kernel_spec spec = source_kernel(f, "k.cu");
  spec.libs = STRINGS("libh.so");
  const struct pawl_build_options options = build_options(f, "tree");
  const struct pawl_build_result result = build_ok(f, &spec, &options);
  shell(f, "tree",
        pawl_arena_printf(&f->arena,
                          "rm libh.so; readelf -d %s | grep -qF '[$ORIGIN]' && ldd %s | grep -q "
                          "%s/cache/build/.*/libh.so",
                          result.plugin, result.plugin, f->folder));
}

static void test_nvcc_words_reach_no_shell(void **state) {
  struct fixture *f = *state;
  if (!pawl_tool_find("nvcc", &f->arena).path) skip();
  static const char *const values[] = {"$(touch pwned)", "`touch pwned`", "${HOME}", "\\\""};
  write_file(f, "tree/k.cu", "int n = sizeof(RAW);\n");
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct pawl_kernel_spec spec = source_kernel(f, "k.cu");
    struct pawl_param_value params[] = {{"RAW", values[i]}};
    spec.params = params, spec.param_count = 1;
    const struct pawl_build_options options = build_options(f, "tree");
    struct pawl_build_result result;
    const char *diagnostics;
    assert_int_equal(pawl_build_kernel(&spec, &options, &f->arena, &result, &diagnostics, &f->err),
                     PAWL_CONFIG);
    assert_non_null(strstr(f->err.message, "nvcc"));
  }
  assert_false(pawl_file_exists(in_folder(f, "tree/pwned")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_same_source_elsewhere_is_the_same, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_every_change_is_seen, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_linked_library_counts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_library_of_the_own_tree_counts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_version_of_a_symbol_counts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_variables_and_files_outside_count, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_is_no_plugin, set_up, tear_down),
      cmocka_unit_test(test_anonymous_namespaces_lose_their_path_hash),
      cmocka_unit_test(test_fatbins_of_unknown_layout_are_hashed_whole),
      cmocka_unit_test_setup_teardown(test_cuda_identity, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_kernel_and_not_the_runtime_opens_files, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_nvcc_links_a_library_beside_the_plugin, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_nvcc_words_reach_no_shell, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
