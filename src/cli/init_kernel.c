/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/init_kernel.h"

#include <ctype.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/init_suite.h"
#include "model/dtype.h"
#include "project/signature.h"
#include "suite/edit_params.h"

#define SOURCE_LIMIT ((size_t)4 << 20)

struct writing {
  struct pawl_signature signature;
  const char *source; /* relative to the suite's folder */
  const char *name;   /* the operator has small letters */
  struct pawl_arena *arena;
};

static const struct {
  const char *ending;
  enum pawl_signature_language language;
  const char *shim; /* the ending of the shim */
} languages[] = {{".c", PAWL_SIGNATURE_C, "c"},      {".cpp", PAWL_SIGNATURE_CPP, "cpp"},
                 {".cc", PAWL_SIGNATURE_CPP, "cpp"}, {".cxx", PAWL_SIGNATURE_CPP, "cpp"},
                 {".cu", PAWL_SIGNATURE_CUDA, "cu"}, {".py", PAWL_SIGNATURE_PYTHON, "py"}};

static bool is_tensor(const struct pawl_signature_param *param) {
  return param->role == PAWL_SIGNATURE_INPUT || param->role == PAWL_SIGNATURE_OUTPUT;
}

static size_t count_tensors(const struct pawl_signature *signature) {
  size_t count = 0;
  for (size_t i = 0; i < signature->count; i++) count += is_tensor(&signature->params[i]);
  return count;
}

static size_t count_sizes(const struct pawl_signature *signature) {
  size_t count = 0;
  for (size_t i = 0; i < signature->count; i++)
    count += signature->params[i].role == PAWL_SIGNATURE_SIZE;
  return count;
}

/* The name of the only parameter of a function without sizes. */
#define LONE_SIZE "n"

static int32_t main_dtype(const struct pawl_signature *signature) {
  for (size_t i = 0; i < signature->count; i++)
    if (is_tensor(&signature->params[i])) return signature->params[i].dtype;
  return PAWL_F32;
}

/* Calls `add` with the name of each shape parameter. */
static void each_size(const struct writing *w, void (*add)(struct pawl_text *out, const char *name),
                      struct pawl_text *out) {
  if (!count_sizes(&w->signature)) add(out, LONE_SIZE);
  for (size_t i = 0; i < w->signature.count; i++)
    if (w->signature.params[i].role == PAWL_SIGNATURE_SIZE) add(out, w->signature.params[i].name);
}

/* --- the operator --- */

static void add_param(struct pawl_text *out, const char *name) {
  pawl_text_printf(out, "    {\"%s\", 1, 1 << 30, 0, \"EDIT: what it is\"},\n", name);
}

/* Returns "PAWL_F32". */
static const char *dtype_constant(int32_t dtype, struct pawl_arena *arena) {
  char *name = pawl_arena_printf(arena, "PAWL_%s", pawl_dtype_name(dtype));
  for (char *p = name; *p; p++) *p = (char)toupper((unsigned char)*p);
  return name;
}

/* Returns whether the sizes are m, n and k and the tensors A, B and C of a matrix product. */
static bool is_matrix_product(const struct pawl_signature *signature) {
  size_t tensors = 0;
  bool has[3] = {false, false, false}; /* m, n, k */
  for (size_t i = 0; i < signature->count; i++) {
    const struct pawl_signature_param *param = &signature->params[i];
    const char letter = (char)tolower((unsigned char)*param->name);
    if (param->role == PAWL_SIGNATURE_SIZE)
      for (size_t j = 0; j < 3 && !param->name[1]; j++) has[j] = has[j] || letter == "mnk"[j];
    if (is_tensor(param) && (param->role == PAWL_SIGNATURE_INPUT) != (tensors < 2)) return false;
    tensors += is_tensor(param);
  }
  return tensors == 3 && count_sizes(signature) == 3 && has[0] && has[1] && has[2];
}

/* How a language writes the sizes of a tensor: SIZE(m) * SIZE(n), or m, n. */
struct size_words {
  const char *before, *after, *between;
};

static const struct size_words c_elements = {"SIZE(", ")", " * "}, python_shape = {"", "", ", "},
                               python_elements = {"", "", " * "};

/* Returns the parameter of the size with this letter, in a matrix product. */
static const char *size_named(const struct pawl_signature *signature, char letter) {
  for (size_t i = 0; i < signature->count; i++)
    if (signature->params[i].role == PAWL_SIGNATURE_SIZE &&
        tolower((unsigned char)*signature->params[i].name) == letter)
      return signature->params[i].name;
  return NULL;
}

/* Returns the sizes of a tensor: those that bound its indexes in the body, or all of them. The
 * tensors of a matrix product have two each: A[m, k], B[k, n] and C[m, n]. SIZE_MAX: no tensor, so
 * all sizes. */
static const char *sizes_of(const struct writing *w, size_t tensor,
                            const struct size_words *words) {
  static const char product[][3] = {"mk", "kn", "mn"};
  const struct pawl_signature *signature = &w->signature;
  const char *names[PAWL_SIGNATURE_MOST] = {LONE_SIZE};
  size_t count = 0;
  if (tensor < PAWL_COUNT(product) && is_matrix_product(signature))
    for (; count < 2; count++) names[count] = size_named(signature, product[tensor][count]);
  for (size_t i = 0, nth = 0; !count && i < signature->count; i++) {
    const struct pawl_signature_param *param = &signature->params[i];
    if (!is_tensor(param) || nth++ != tensor) continue;
    for (; count < param->size_count; count++) names[count] = param->sizes[count];
  }
  for (size_t i = 0, all = count; !all && i < signature->count; i++)
    if (signature->params[i].role == PAWL_SIGNATURE_SIZE)
      names[count++] = signature->params[i].name;
  const char *text = pawl_arena_printf(w->arena, "%s%s%s", words->before, names[0], words->after);
  for (size_t i = 1; i < count; i++)
    text = pawl_arena_printf(w->arena, "%s%s%s%s%s", text, words->between, words->before, names[i],
                             words->after);
  return text;
}

/* Adds a row for each tensor, and the line of its number of elements. */
static void add_tensors(const struct writing *w, struct pawl_text *out, struct pawl_text *counts) {
  size_t tensor = 0;
  for (size_t i = 0; i < w->signature.count; i++) {
    const struct pawl_signature_param *param = &w->signature.params[i];
    if (!is_tensor(param)) continue;
    pawl_text_printf(out, "    {\"%s\", %s, %s},\n", param->name,
                     param->role == PAWL_SIGNATURE_INPUT ? "PAWL_IN"
                     : param->reads                      ? "PAWL_INOUT"
                                                         : "PAWL_OUT",
                     dtype_constant(param->dtype, w->arena));
    pawl_text_printf(counts, "      %s, /* %s */\n", sizes_of(w, tensor++, &c_elements),
                     param->name);
  }
  const int32_t dtype = w->signature.returns ? w->signature.returned : PAWL_F32;
  if (!w->signature.returns && !w->signature.returns_tensor) return;
  pawl_text_printf(out, "    {\"out\", PAWL_OUT, %s},\n", dtype_constant(dtype, w->arena));
  pawl_text_printf(counts, "      %s, /* its result */\n",
                   w->signature.returns ? "1" : sizes_of(w, 0, &c_elements));
}

/* The text names no file of the tree: a file that an operator names is part of the operator, and
 * the kernel is not. */
static void write_operator(const struct writing *w, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text params = {0}, counts = {0}, tensors = {0};
  each_size(w, add_param, &params);
  add_tensors(w, &tensors, &counts);
  pawl_text_printf(
      out,
      "/* The sizes and tensors of '%s', for pawl. pawl init wrote this file from the "
      "function's\n"
      "   signature. Look at each EDIT; pawl/operator.h explains each function. */\n"
      "#include <math.h>\n#include <pawl/operator.h>\n\n"
      "/* name, smallest, largest, default (0: a case must give it), help */\n"
      "static const struct pawl_param params[] = {\n%s};\n\n"
      "/* pawl times the first one; check uses all. */\n"
      "static const struct pawl_distribution distributions[] = {\n"
      "    {\"normal\", PAWL_FILL_NORMAL, 0, 1.0, NULL},\n"
      "    {\"uniform\", PAWL_FILL_UNIFORM, 0, 100.0, NULL},\n};\n\n"
      "/* NAN: pawl takes the error of sums in this precision. Numbers of yours replace it: atol, "
      "rtol and\n"
      "   the relative RMS error. */\n"
      "static const struct pawl_tolerance tolerances[] = {{%s, 0, NAN, NAN, NAN}};\n\n"
      "#define SIZE(name) pawl_shape_get(shape, #name)\n\n"
      "/* EDIT: the kernel reads a PAWL_IN, writes a PAWL_OUT, and reads and writes a PAWL_INOUT. "
      "*/\n"
      "static const struct {\n  const char *name;\n  int32_t role, dtype;\n} tensors[] = "
      "{\n%s};\n\n"
      "static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec "
      "*spec) {\n"
      "  const int64_t elements[] = {\n      /* EDIT: the number of elements of each tensor */\n%s "
      " "
      "};\n"
      "  spec->name = tensors[index].name;\n  spec->role = tensors[index].role;\n"
      "  spec->dtype = tensors[index].dtype;\n  spec->ndim = 1;\n"
      "  spec->size[0] = elements[index];\n}\n\n"
      "/* EDIT: the floating-point operations of one call. */\n"
      "static double flop(const struct pawl_shape *shape) { return %s * (double)(%s); }\n\n"
      "/* There is no oracle: 'oracle: base' in the suite compares with the outputs of the base. "
      "For exact\n"
      "   answers write the hook `oracle` (docs/plugins.md) and remove that line. */\n"
      "static const struct pawl_operator self = {\n"
      "    .abi_version = PAWL_ABI_VERSION,\n    .struct_size = sizeof(struct pawl_operator),\n"
      "    .name = \"%s\",\n    .summary = \"EDIT: what it computes\",\n    .params = params,\n"
      "    .param_count = sizeof params / sizeof *params,\n    .distributions = distributions,\n"
      "    .distribution_count = sizeof distributions / sizeof *distributions,\n"
      "    .tolerances = tolerances,\n"
      "    .tolerance_count = sizeof tolerances / sizeof *tolerances,\n"
      "    .tensor_count = sizeof tensors / sizeof *tensors,\n    .tensor = tensor,\n    .flop = "
      "flop,\n};\n\n"
      "const struct pawl_operator *pawl_operator_entry(void) { return &self; }\n",
      w->signature.name, pawl_text_string(&params),
      dtype_constant(main_dtype(&w->signature), w->arena), pawl_text_string(&tensors),
      pawl_text_string(&counts), is_matrix_product(&w->signature) ? "2.0" : "1.0",
      sizes_of(w, SIZE_MAX, &c_elements), w->name);
}

/* --- the shim --- */

static void add_arguments(const struct writing *w, struct pawl_text *out) {
  int tensor = 0;
  for (size_t i = 0; i < w->signature.count; i++) {
    const struct pawl_signature_param *param = &w->signature.params[i];
    pawl_text_add(out, i ? ", " : "");
    if (is_tensor(param))
      pawl_text_printf(out, "(%s%s)call->tensors[%d].data", param->type,
                       strchr(param->type, '*') ? "" : " *", tensor++); /* "float x[]" */
    else if (param->role == PAWL_SIGNATURE_SIZE)
      pawl_text_printf(out, "(%s)pawl_shape_get(call->shape, \"%s\")", param->type, param->name);
    else if (param->role == PAWL_SIGNATURE_STREAM)
      pawl_text_add(out, "(cudaStream_t)call->stream");
    else
      pawl_text_printf(out, "(%s)%s /* EDIT: %s */", param->type, param->value ? param->value : "1",
                       param->name);
  }
}

static void write_shim(const struct writing *w, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text arguments = {0};
  const bool cuda = w->signature.language == PAWL_SIGNATURE_CUDA;
  add_arguments(w, &arguments);
  const char *launch =
      cuda && w->signature.on_host
          ? pawl_arena_printf(w->arena, "  %s%s(%s);\n  return cudaGetLastError();\n",
                              w->signature.scope, w->signature.name, pawl_text_string(&arguments))
      : cuda ? pawl_arena_printf(
                   w->arena,
                   "  /* EDIT: the grid. Here one thread computes one element. */\n"
                   "  const int64_t elements = pawl_tensor_elements(&call->tensors[0]);\n"
                   "  %s%s<<<(unsigned)((elements + 255) / 256), 256, 0, "
                   "(cudaStream_t)call->stream>>>(\n"
                   "      %s);\n  return cudaGetLastError();\n",
                   w->signature.scope, w->signature.name, pawl_text_string(&arguments))
      : w->signature.returns
          ? pawl_arena_printf(w->arena,
                              "  *(%s *)call->tensors[%zu].data = %s%s(%s);\n  return 0;\n",
                              w->signature.returns, count_tensors(&w->signature),
                              w->signature.scope, w->signature.name, pawl_text_string(&arguments))
          : pawl_arena_printf(w->arena, "  %s%s(%s);\n  return 0;\n", w->signature.scope,
                              w->signature.name, pawl_text_string(&arguments));
  pawl_text_printf(out,
                   "/* The plug-in of '%s' for pawl. pawl init wrote it. Look at each EDIT; "
                   "pawl/kernel.h explains each\n"
                   "   function. */\n#include <pawl/kernel.h>\n\n#include \"../%s\"\n\n"
                   "/* EDIT: returns a reason for shapes that it does not support. */\n"
                   "static const char *supports(const struct pawl_shape *shape) {\n  "
                   "(void)shape;\n  return %s;\n}\n\n"
                   "static int launch(const struct pawl_launch *call) {\n%s}\n\n"
                   "%sconst struct pawl_kernel *pawl_kernel_entry(void) {\n"
                   "  static struct pawl_kernel self;\n"
                   "  self.abi_version = PAWL_ABI_VERSION;\n  self.struct_size = sizeof self;\n"
                   "  self.name = \"%s\";\n  self.operator_name = \"%s\";\n  self.device = %s;\n"
                   "  self.flags = PAWL_KERNEL_DETERMINISTIC; /* EDIT: 0 if the bits differ from "
                   "call to call */\n"
                   "  self.supports = supports;\n  self.launch = launch;\n  return &self;\n}\n",
                   w->signature.name, w->source,
                   w->signature.language == PAWL_SIGNATURE_C ? "NULL" : "nullptr", launch,
                   w->signature.language == PAWL_SIGNATURE_C ? "" : "extern \"C\" ", w->name,
                   w->name, cuda ? "PAWL_CUDA" : "PAWL_CPU");
}

/* --- both, in Python --- */

static void add_python_size(struct pawl_text *out, const char *name) {
  pawl_text_printf(out, "\"%s\": (1, 1 << 30), ", name);
}

static void add_python_tensors(const struct writing *w, struct pawl_text *out) {
  size_t tensor = 0;
  for (size_t i = 0; i < w->signature.count; i++) {
    const struct pawl_signature_param *param = &w->signature.params[i];
    if (!is_tensor(param)) continue;
    pawl_text_printf(out, "\"%s\": \"%s[%s]\", ", param->name,
                     param->role == PAWL_SIGNATURE_INPUT ? "in"
                     : param->reads                      ? "inout"
                                                         : "out",
                     sizes_of(w, tensor++, &python_shape));
  }
  if (w->signature.returns_tensor)
    pawl_text_printf(out, "\"out\": \"out[%s]\", ", sizes_of(w, 0, &python_shape));
}

static void write_python_operator(const struct writing *w, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text sizes = {0}, tensors = {0};
  each_size(w, add_python_size, &sizes);
  add_python_tensors(w, &tensors);
  pawl_text_printf(
      out,
      "\"\"\"The sizes and tensors of '%s', for pawl. pawl init wrote this file from the "
      "function's "
      "signature.\n\nLook at each EDIT; pawl guide python explains them.\"\"\"\n\n"
      "import pawl\n\n\n"
      "@pawl.operator(\n    sizes={%.*s},\n"
      "    tensors={%.*s},  # EDIT: in, out or inout, and the sizes\n"
      "    dtypes=\"%s\",\n    flop=\"%d * %s\",  # EDIT: the floating-point operations of one "
      "call\n    distributions={\"normal\": \"normal\", \"uniform\": (\"uniform\", 100.0)},\n)\n"
      "def %s(**tensors):\n"
      "    # EDIT: return the exact outputs of these FP64 inputs, and remove 'oracle: base' from "
      "the "
      "suite.\n    raise NotImplementedError\n\n\npawl.serve()\n",
      w->signature.name, (int)sizes.length - 2, pawl_text_string(&sizes), (int)tensors.length - 2,
      pawl_text_string(&tensors), pawl_dtype_name(main_dtype(&w->signature)),
      is_matrix_product(&w->signature) ? 2 : 1, sizes_of(w, SIZE_MAX, &python_elements), w->name);
}

/* Returns the place of the shim: Python imports the kernel from the shim's own folder, so the shim
 * needs no file names, and a change of comments needs no measurement. */
static const char *python_shim_path(const struct writing *w) {
  const char *slash = strrchr(w->source, '/');
  return pawl_arena_printf(w->arena, "%.*s%s_pawl.py", slash ? (int)(slash + 1 - w->source) : 0,
                           w->source, w->name);
}

/* The tensors and sizes have the names that the operator gives them. */
static void write_python_shim(const struct writing *w, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text params = {0}, arguments = {0};
  const char *slash = strrchr(w->source, '/'), *file = slash ? slash + 1 : w->source;
  const int stem = (int)(strlen(file) - strlen(".py"));
  bool by_name = false;
  for (size_t i = 0; i < w->signature.count; i++) {
    const struct pawl_signature_param *param = &w->signature.params[i];
    const bool named = is_tensor(param) || param->role == PAWL_SIGNATURE_SIZE;
    const char *value = named ? param->name : param->value ? param->value : "1.0";
    if (named) pawl_text_printf(&params, "%s%s", params.length ? ", " : "", param->name);
    by_name = by_name || param->by_name || !*value;
    if (!*value) continue;
    pawl_text_printf(&arguments, "%s%s%s%s", arguments.length ? ", " : "",
                     by_name ? param->name : "", by_name ? "=" : "", value);
  }
  pawl_text_printf(
      out,
      "\"\"\"The kernel of '%s' for pawl. pawl init wrote it. Look at each EDIT.\"\"\"\n\n"
      "import pawl\nfrom %.*s import %s as compute\n\n\n"
      "@pawl.kernel(\"%s\", device=\"cpu\")  # EDIT: \"cuda\"; supports=\"n <= 4096\"\n"
      "def %s(%s):\n    %scompute(%s)  # EDIT: scalars\n\n\npawl.serve()\n",
      w->signature.name, stem, file, w->signature.name, w->name, w->name, pawl_text_string(&params),
      w->signature.returns_tensor ? "return " : "", pawl_text_string(&arguments));
}

/* --- the suite --- */

static void add_first_size(struct pawl_text *out, const char *name) {
  pawl_text_printf(out, ", %s: SIZE", name);
}

static void add_axis(struct pawl_text *out, const char *name) {
  pawl_text_printf(out, "%s: [1, 7, 64], ", name);
}

/* Writes the line of the function in each section. In a suite with other kernels the case has the
 * function's name. */
static void suite_lines(const struct writing *w, const char *operator_path, const char *shim_path,
                        bool alone, struct pawl_suite_line out[PAWL_SUITE_LINES]) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text sizes = {0}, axes = {0}, first = {0}, shim = {0};
  const size_t count = count_sizes(&w->signature);
  const char *size = count < 2 ? "1000000" : count == 2 ? "1000" : "100";
  const char *from =
      w->signature.language == PAWL_SIGNATURE_PYTHON ? "protocol: [python3, " : "sources: [";
  each_size(w, add_first_size, &first);
  for (const char *p = pawl_text_string(&first); *p;) {
    const bool here = !strncmp(p, "SIZE", 4);
    pawl_text_add_bytes(&sizes, here ? size : p, here ? strlen(size) : 1);
    p += here ? 4 : 1;
  }
  each_size(w, add_axis, &axes);
  if (w->signature.language == PAWL_SIGNATURE_PYTHON)
    pawl_suite_add_value(shim_path, &shim); /* a folder of the user's may have any name */
  else
    pawl_text_add(&shim, shim_path);
  out[0] = (struct pawl_suite_line){"operators", "", w->name,
                                    pawl_arena_printf(w->arena, "{%s%s]}", from, operator_path)};
  out[1] = (struct pawl_suite_line){
      "kernels", "", w->name,
      pawl_arena_printf(w->arena, "{operator: %s, device: %s, %s%s]}", w->name,
                        w->signature.language == PAWL_SIGNATURE_CUDA ? "cuda" : "cpu", from,
                        pawl_text_string(&shim))};
  out[2] = (struct pawl_suite_line){
      "cases", " # EDIT: the shapes that you care about",
      alone ? "first" : pawl_arena_printf(w->arena, "%s_first", w->name),
      pawl_arena_printf(w->arena, "{operator: %s%s, dtype: %s}", w->name, pawl_text_string(&sizes),
                        pawl_dtype_name(main_dtype(&w->signature)))};
  out[3] = (struct pawl_suite_line){
      "check", " # EDIT: more shapes; 'oracle: base' compares with the outputs of the base",
      w->name, pawl_arena_printf(w->arena, "{%soracle: base}", pawl_text_string(&axes))};
}

/* Makes the text of the suite: a new one, or that of the folder with a line more in each section.
 */
static pawl_status make_suite(const struct writing *w, const char *folder,
                              const char *operator_path, const char *shim_path,
                              struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "pawl.yaml");
  struct pawl_suite_line lines[PAWL_SUITE_LINES];
  const bool alone = pawl_file_absent(path);
  suite_lines(w, operator_path, shim_path, alone, lines);
  if (!alone) return pawl_suite_add_lines(path, lines, w->arena, out, err);
  pawl_text_printf(out,
                   "# pawl init wrote this from the signature of '%s' in %s. Look at each EDIT. "
                   "docs: pawl.yaml(5)\nversion: 1\n",
                   w->signature.name, w->source);
  for (size_t i = 0; i < PAWL_SUITE_LINES; i++)
    pawl_text_printf(out, "%s:%s\n  %s: %s\n", lines[i].section, lines[i].comment, lines[i].name,
                     lines[i].value);
  pawl_text_add(out, "measure: {warmup: 5, samples: 60, processes: 6}\n");
  return PAWL_OK;
}

/* --- all --- */

/* Returns the path of the file below the folder, or NULL. */
static const char *below(const char *path, const char *folder, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_real(path);
  PAWL_CLEANUP(pawl_free_pointer) char *root = pawl_path_real(folder);
  const size_t length = root ? strlen(root) : 0;
  if (!file || !root || strncmp(file, root, length) != 0 || file[length] != '/') return NULL;
  return pawl_arena_copy(arena, file + length + 1);
}

pawl_status pawl_init_kernel_make(const char *wanted, const char *folder, struct pawl_arena *arena,
                                  struct pawl_init_kernel *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, op = {0}, shim = {0}, suite = {0};
  struct writing w = {.arena = arena};
  char *path = pawl_arena_copy(arena, wanted), *function = strrchr(path, ':');
  size_t language = 0;
  if (function) *function++ = '\0';
  while (language < PAWL_COUNT(languages) && !pawl_ends_with(path, languages[language].ending))
    language++;
  if (language == PAWL_COUNT(languages))
    return pawl_fail(err, PAWL_USAGE,
                     "cannot read a kernel from '%s': its name must end in .c, .cpp, .cc, .cxx, "
                     ".cu or .py",
                     path);
  PAWL_TRY(pawl_file_read(path, SOURCE_LIMIT, &text, err));
  w.source = below(path, folder, arena);
  if (!w.source)
    return pawl_fail(err, PAWL_USAGE, "'%s' is not in the folder '%s' of the suite; copy it there",
                     path, folder);
  if (pawl_signature_read(pawl_text_string(&text), languages[language].language, function, arena,
                          &w.signature, err) != PAWL_OK)
    return pawl_prefix(err, "cannot read a kernel from '%s'", path);
  char *name = pawl_arena_copy(arena, w.signature.name);
  for (char *p = name; *p; p++) *p = (char)tolower((unsigned char)*p);
  w.name = isalpha((unsigned char)*name) ? name : pawl_arena_printf(arena, "kernel%s", name);
  const bool python = w.signature.language == PAWL_SIGNATURE_PYTHON;
  const char *operator_path =
      pawl_arena_printf(arena, "operators/%s.%s", w.name, python ? "py" : "c");
  const char *shim_path =
      python ? python_shim_path(&w)
             : pawl_arena_printf(arena, "kernels/%s_pawl.%s", w.name, languages[language].shim);
  (python ? write_python_operator : write_operator)(&w, &op);
  (python ? write_python_shim : write_shim)(&w, &shim);
  PAWL_TRY(make_suite(&w, folder, operator_path, shim_path, &suite, err));
  *out = (struct pawl_init_kernel){.source = w.source,
                                   .name = w.signature.name,
                                   .others = w.signature.others,
                                   .operator_path = operator_path,
                                   .shim_path = shim_path,
                                   .operator_text = pawl_arena_copy(arena, op.data),
                                   .shim_text = pawl_arena_copy(arena, shim.data),
                                   .suite_text = pawl_arena_copy(arena, suite.data)};
  return PAWL_OK;
}
