/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/reference_key.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "build/named_files.h"
#include "build/other_inputs.h"
#include "device/device.h"
#include "project/interpreters.h"
#include "project/surroundings.h"
#include "worker/surroundings.h"

#define METHOD "4" /* change this number when the way to time a reference changes */
#define FILE_LIMIT ((size_t)64 << 20)
#define MOST_SCRIPTS 2000
#define MOST_DEPTH 12
#define PACKAGES_SECONDS 30.0

extern char **environ;

static const char *reference_key_refuse(struct pawl_arena *arena, const char *what,
                                        const char *subject) {
  return pawl_arena_printf(arena, "%s '%s'", what, subject);
}

static void add_int(struct pawl_hasher *hasher, long long value) {
  pawl_hasher_add(hasher, &value, sizeof value);
}

/* The files of a program, by their paths below `top`. */
struct script_walk {
  struct pawl_hasher *hasher;
  const char *top;
  bool is_shipped; /* pawl's own files, whose inputs pawl knows */
  int left;        /* the walk fails if there are more */
};

/* Adds a file, and the variables and files outside of the tree that its text names. `name`
   identifies the file wherever its tree lies. */
static bool reference_key_add_file(const struct script_walk *walk, const char *path,
                                   const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text content = {0};
  struct pawl_error ignored;
  if (pawl_file_read(path, FILE_LIMIT, &content, &ignored) != PAWL_OK) return false;
  pawl_hasher_add_string(walk->hasher, name);
  pawl_hasher_add(walk->hasher, pawl_text_string(&content), content.length);
  if (!walk->is_shipped)
    pawl_named_inputs_hash(pawl_text_string(&content), content.length, walk->hasher);
  return true;
}

static int no_hidden_name(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0;
}

/* Adds all Python files below a folder in a stable order. A folder that is a link does not count.
   Returns false if there are too many, or pawl cannot read one. */
static bool add_scripts(struct script_walk *walk, const char *folder, int depth) {
  struct dirent **entries = NULL;
  const int count = depth > 0 ? scandir(folder, &entries, no_hidden_name, alphasort) : -1;
  bool well = count >= 0;
  for (int i = 0; i < count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entries[i]->d_name);
    if (well && pawl_ends_with(path, ".py") && pawl_is_regular(path))
      well = walk->left-- > 0 && reference_key_add_file(walk, path, path + strlen(walk->top));
    else if (well && entries[i]->d_type == DT_DIR)
      well = add_scripts(walk, path, depth - 1);
    free(entries[i]);
  }
  free(entries);
  return well;
}

/* These variables change the behaviour of libraries. */
static void add_variables(struct pawl_hasher *hasher) {
  static const char *const names[] = {
      "CUBLAS_", "CUDA_", "CUDNN_", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "MKL_",
      "NVIDIA_", "OMP_",  "PYTHON", "PYTORCH_",         "TORCH",       "TRITON_"};
  for (size_t name = 0; name < PAWL_COUNT(names); name++)
    for (char **variable = environ; *variable; variable++)
      if (pawl_starts_with(*variable, names[name])) pawl_hasher_add_string(hasher, *variable);
}

/* Prints the interpreter's version and its packages, whose names have their versions. Fails if a
   package is editable, because its files lie elsewhere and change without a version. */
static const char packages_script[] =
    "print(sys.version)\n"
    "for folder in sys.path:\n"
    "    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []\n"
    "    print(folder, [name for name in names if name.endswith(('-info', '.pth'))])\n"
    "    for name in names:\n"
    "        if name.startswith('__editable__') or name.endswith('.egg-link'):\n"
    "            sys.exit(1)\n"
    "        if name.endswith('.pth'):\n"
    "            with open(os.path.join(folder, name), errors='replace') as file:\n"
    "                if any(line.startswith(('/', '..')) for line in file):\n"
    "                    sys.exit(1)\n";

static bool add_packages(struct pawl_hasher *hasher, const struct pawl_surroundings *around,
                         const char *program) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text printed = {0};
  if (!pawl_interpreter_ask(around, program, packages_script, PACKAGES_SECONDS, FILE_LIMIT,
                            &printed))
    return false;
  pawl_hasher_add(hasher, pawl_text_string(&printed), printed.length);
  return true;
}

/* Adds the program's command line and files, the suite's Python files, what these name outside of
   the tree, and the interpreter with its packages. */
bool pawl_key_add_program(struct pawl_project *project, const struct pawl_strings *words,
                          struct pawl_hasher *hasher, const char **reason) {
  struct pawl_arena *arena = &project->arena;
  const struct pawl_surroundings *around = pawl_project_surroundings(project);
  const char *slash = strrchr(words->items[0], '/'), *name = slash ? slash + 1 : words->items[0];
  PAWL_CLEANUP(pawl_free_pointer)
  char *program =
      pawl_starts_with(name, "python") ? pawl_interpreter_find(around, words->items[0]) : NULL;
  const char *folder = project->paths.folder,
             *shipped = pawl_home_path(&project->paths, "share/pawl/python");
  struct script_walk own = {hasher, folder, false, MOST_SCRIPTS},
                     ours = {hasher, shipped, true, MOST_SCRIPTS};
  if (!program) {
    *reason =
        reference_key_refuse(arena, "it is no Python outside of the repository:", words->items[0]);
    return false;
  }
  pawl_hasher_add_string(hasher, program);
  for (size_t i = 1; i < words->count; i++) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *path = pawl_path_join(folder, words->items[i]);
    pawl_hasher_add_string(hasher, words->items[i]);
    if (pawl_is_regular(path) && !reference_key_add_file(&own, path, words->items[i])) {
      *reason = reference_key_refuse(arena, "cannot read", path);
      return false;
    }
    if (pawl_is_regular(path)) pawl_named_files_hash(path, folder, hasher);
  }
  pawl_outside_files_hash(&around->inputs, true, hasher);
  if (!add_scripts(&own, folder, MOST_DEPTH) || !add_scripts(&ours, shipped, MOST_DEPTH)) {
    *reason = reference_key_refuse(arena, "cannot read all Python files, or there are too many, in",
                                   folder);
    return false;
  }
  add_variables(hasher);
  if (add_packages(hasher, around, program)) return true;
  *reason =
      reference_key_refuse(arena, "cannot list the packages, or one is editable, of", program);
  return false;
}

static bool reference_key_add_code(struct pawl_project *project,
                                   const struct pawl_ready_kernel *kernel,
                                   struct pawl_hasher *hasher, const char **reason) {
  const struct pawl_kernel_spec *spec = kernel->spec;
  if (kernel->build.code_hash) {
    const struct pawl_surroundings *around = kernel->worker.surroundings;
    pawl_hasher_add_string(hasher, kernel->build.code_hash);
    pawl_other_inputs_hash(kernel->build.plugin, project->paths.folder,
                           around ? &around->inputs : NULL, hasher);
    return true;
  }
  if (spec->kind == PAWL_FROM_PROTOCOL) {
    const struct pawl_strings words = pawl_kernel_command(project, spec);
    return pawl_key_add_program(project, &words, hasher, reason);
  }
  *reason = "the hash of its machine code is unknown";
  return false;
}

static void add_device(struct pawl_hasher *hasher, const struct pawl_device *device) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  pawl_device_identity(device, &identity);
  pawl_hasher_add_string(hasher, pawl_text_string(&identity));
  pawl_hasher_add_string(hasher, device->uuid ? device->uuid : "");
  pawl_hasher_add_string(hasher, device->driver ? device->driver : "");
  add_int(hasher, device->units);
}

static void add_method(struct pawl_hasher *hasher, const struct pawl_project *project,
                       const struct pawl_kernel_spec *spec) {
  const struct pawl_measure_spec *m = &project->suite.measure;
  pawl_hasher_add_string(hasher, PAWL_VERSION " " METHOD);
  const long long numbers[] = {m->warmup,           m->samples,  m->processes, m->cache,
                               m->clocks,           m->threads,  m->placement, m->connections,
                               spec->deterministic, spec->device};
  pawl_hasher_add(hasher, numbers, sizeof numbers);
  pawl_hasher_add(hasher, m->cpus.numbers, m->cpus.count * sizeof *m->cpus.numbers);
}

bool pawl_key_add_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                         struct pawl_hasher *hasher, const char **reason) {
  const struct pawl_device *device =
      pawl_devices_find(&project->devices, kernel->spec->device, reason);
  if (!device && !pawl_kernel_is_only_code(kernel)) return false;
  if (!reference_key_add_code(project, kernel, hasher, reason)) return false;
  if (device) add_device(hasher, device);
  add_method(hasher, project, kernel->spec);
  return true;
}

bool pawl_reference_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        struct pawl_hash *out, const char **reason) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  const bool known = pawl_key_add_kernel(project, kernel, &hasher, reason);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  if (known) *out = hash;
  return known;
}
