/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/init_kernel.h"
#include "cli/init_steps.h"
#include "device/backends.h"
#include "process/process.h"

/* --- an example for this machine's GPU --- */

#define SUITE_LIMIT ((size_t)1 << 20)

/* Whether the first GPU here has this architecture: "sm_90" includes sm_90a. */
static bool init_has_gpu(const char *arch) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_device gpu;
  struct pawl_error ignored;
  return pawl_device_find(PAWL_CUDA, NULL, &arena, &gpu, &ignored) == PAWL_OK && gpu.arch &&
         pawl_starts_with(gpu.arch, arch);
}

/* Inserts the text of the file `kernels` at the top of the suite's section `kernels:`. */
static pawl_status init_add_kernels(const char *suite, const char *kernels,
                                    struct pawl_error *err) {
  static const char section[] = "\nkernels:\n";
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text before = {0}, added = {0}, after = {0};
  PAWL_TRY(pawl_file_read(suite, SUITE_LIMIT, &before, err));
  PAWL_TRY(pawl_file_read(kernels, SUITE_LIMIT, &added, err));
  const char *found = strstr(pawl_text_string(&before), section);
  if (!found) return pawl_fail(err, PAWL_BAD_DATA, "'%s' has no section 'kernels'", suite);
  const size_t head = (size_t)(found - before.data) + sizeof section - 1;
  pawl_text_add_bytes(&after, before.data, head);
  pawl_text_add_bytes(&after, pawl_text_string(&added), added.length);
  pawl_text_add_bytes(&after, before.data + head, before.length - head);
  return pawl_file_write(suite, after.data, after.length, err);
}

/* An example is a template folder and the shipped kernels that it copies. */
struct example {
  const char *name;
  const char *files[12]; /* paths below share/pawl/kernels; the copies lose their first folder */
};

static const struct example examples[] = {
    {"attention",
     {"attention/sdpa_cpu_fast.c", "attention/sdpa_cpu_fast_simd.h",
      "attention/sdpa_cpu_fast_tile.h"}},
    {"attention-cuda",
     {"attention/sdpa_mma.cu", "attention/sdpa_launch.h", "attention/softmax.cuh",
      "attention/ampere/mma.cuh", "references/torch_sdpa.py", "references/triton_sdpa.py"}},
    {"minimal", {NULL}},
    {"triton", {NULL}},
};

/* The files that attention-cuda adds on a GPU of this architecture. */
#define HOPPER "sm_90"
static const struct example hopper = {
    "attention-cuda." HOPPER,
    {"attention/sdpa_hopper.cu", "attention/hopper/mbarrier.cuh", "attention/hopper/overlap.cuh",
     "attention/hopper/sdpa_fragments.cuh", "attention/hopper/sdpa_lists.h",
     "attention/hopper/sdpa_maps.h", "attention/hopper/sdpa_plan.h",
     "attention/hopper/sdpa_split.cuh", "attention/hopper/sdpa_stream.cuh",
     "attention/hopper/tensor_map.h", "attention/hopper/tma.cuh", "attention/hopper/wgmma.cuh"}};

static pawl_status find_example(const char *name, const struct example **out,
                                struct pawl_error *err) {
  const char *names[PAWL_COUNT(examples)];
  const size_t count = PAWL_COUNT(examples);
  for (size_t i = 0; i < count; i++) {
    names[i] = examples[i].name;
    if (strcmp(examples[i].name, name) != 0) continue;
    *out = &examples[i];
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no example '%s'; did you mean '%s'?", name, nearest);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  return pawl_fail(err, PAWL_USAGE, "no example '%s'; choose %s", name,
                   pawl_text_add_names(&list, names, count));
}

static pawl_status find_forge(const char *name, struct pawl_error *err) {
  static const char *const names[] = {"github", "gitlab", "forgejo", "gitea"};
  const size_t count = PAWL_COUNT(names);
  for (size_t i = 0; name && i < count; i++)
    if (!strcmp(names[i], name)) name = NULL;
  if (!name) return PAWL_OK;
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no code host '%s'; did you mean '%s'?", name, nearest);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  return pawl_fail(err, PAWL_USAGE, "no code host '%s'; choose %s", name,
                   pawl_text_add_names(&list, names, count));
}

static pawl_status copy(const char *from, const char *folder, const char *to,
                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *target = pawl_path_join(folder, to);
  return pawl_copy_file(from, target, err);
}

/* Copies the template's files and sub-folders; "dot." becomes a leading dot. `write` false only
   checks that no file is in the way. */
static pawl_status copy_folder(const char *source, const char *target, bool write,
                               struct pawl_error *err) {
  DIR *folder = opendir(source);
  if (!folder) return pawl_fail_errno(err, errno, "cannot open '%s'", source);
  enum pawl_status_code status = write ? pawl_make_folders(target, err) : PAWL_OK;
  for (struct dirent *entry; status == PAWL_OK && (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    PAWL_CLEANUP(pawl_free_pointer) char *from = pawl_path_join(source, entry->d_name);
    const bool dotted = pawl_starts_with(entry->d_name, "dot.");
    const char *name = dotted ? entry->d_name + 3 : entry->d_name;
    PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(target, name);
    if (pawl_is_folder(from))
      status = copy_folder(from, to, write, err);
    else if (write)
      status = copy(from, target, name, err);
    else if (pawl_file_exists(to))
      status = pawl_fail(err, PAWL_CANNOT_WRITE,
                         "'%s' already exists; init does not overwrite files", to);
  }
  closedir(folder);
  return status;
}

static pawl_status copy_kernels(const struct example *example, const char *home, const char *target,
                                bool write, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *shipped = pawl_path_join(home, "share/pawl/kernels");
  PAWL_CLEANUP(pawl_free_pointer) char *kernels = pawl_path_join(target, "kernels");
  for (size_t i = 0; i < PAWL_COUNT(example->files) && example->files[i]; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *from = pawl_path_join(shipped, example->files[i]);
    const char *name = strchr(example->files[i], '/') + 1;
    PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(kernels, name);
    if (!write && pawl_file_exists(to))
      return pawl_fail(err, PAWL_CANNOT_WRITE, "'%s' already exists; init does not overwrite files",
                       to);
    PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(kernels, name);
    char *slash = strrchr(folder, '/'); /* the path has one after "kernels" */
    *slash = '\0';
    if (write) PAWL_TRY(pawl_make_folders(folder, err));
    if (write) PAWL_TRY(copy(from, kernels, name, err));
  }
  return PAWL_OK;
}

/* Makes the folder a repository if it is in none. */
static pawl_status start_repository(const char *folder, struct pawl_log *log,
                                    struct pawl_error *err) {
  const char *inside[] = {"git", "rev-parse", "--is-inside-work-tree", NULL};
  const char *init[] = {"git", "init", "--quiet", "--initial-branch=main", NULL};
  struct pawl_process_options options = {.argv = inside, .folder = folder};
  struct pawl_exit exit = {0};
  PAWL_TRY(pawl_process_run(&options, 30, 4096, NULL, NULL, &exit, err));
  if (exit.status == 0) return PAWL_OK;
  struct pawl_text output = {0};
  options.argv = init;
  enum pawl_status_code status = pawl_process_run(&options, 30, 4096, &output, &output, &exit, err);
  if (status == PAWL_OK && exit.status != 0)
    status = pawl_fail(err, PAWL_CANNOT_WRITE, "git init failed in '%s': %s", folder,
                       pawl_text_string(&output));
  pawl_text_clear(&output);
  if (status == PAWL_OK) pawl_log_info(log, "made a git repository in %s", folder);
  return status;
}

static pawl_status need_folder(const char *path, const char *home, struct pawl_error *err) {
  if (pawl_is_folder(path)) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "pawl's own files are not at '%s': set PAWL_HOME to the installation folder",
                   home);
}

static pawl_status write_example(const struct example *example, const char *home,
                                 const char *folder, bool write, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *templates = pawl_path_join(home, "share/pawl/templates");
  PAWL_CLEANUP(pawl_free_pointer) char *source = pawl_path_join(templates, example->name);
  PAWL_TRY(need_folder(source, home, err));
  PAWL_TRY(copy_folder(source, folder, write, err));
  PAWL_TRY(copy_kernels(example, home, folder, write, err));
  if (strcmp(example->name, "attention-cuda") != 0 || !init_has_gpu(HOPPER)) return PAWL_OK;
  PAWL_TRY(copy_kernels(&hopper, home, folder, write, err));
  PAWL_CLEANUP(pawl_free_pointer) char *added = pawl_path_join(templates, hopper.name);
  PAWL_CLEANUP(pawl_free_pointer) char *kernels = pawl_path_join(added, "kernel.yaml");
  PAWL_CLEANUP(pawl_free_pointer) char *suite = pawl_path_join(folder, "pawl.yaml");
  return write ? init_add_kernels(suite, kernels, err) : PAWL_OK;
}

static int cmd_init_by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_files(struct pawl_strings *files, const char *what, struct pawl_text *out) {
  if (files->count) qsort(files->items, files->count, sizeof *files->items, cmd_init_by_name);
  for (size_t i = 0; i < files->count; i++) pawl_text_printf(out, "%s %s\n", what, files->items[i]);
}

/* Finds the bundle that the workflows install: the named one, else this version's. If the release
   does not answer, pawl still writes the workflows, and to name the bundle is a step for the
   user. */
static pawl_status find_bundle(struct pawl_cli *cli, const char *named, const char *ca_file,
                               struct pawl_bundle *out, struct pawl_error *err) {
  const struct pawl_http_policy http = {
      .redirects = 3, .attempts = 2, .ca_file = ca_file, .log = &cli->log};
  const char *url = named ? named : pawl_bundle_address();
  struct pawl_error why = {0};
  *out = (struct pawl_bundle){0};
  if (!url) return PAWL_OK;
  const enum pawl_status_code status =
      pawl_bundle_read(url, &http, &cli->arena, out, named ? err : &why);
  if (named || status == PAWL_OK) return status;
  pawl_log_warning(&cli->log, "the workflows name no bundle: %s", why.message);
  return PAWL_OK;
}

/* Writes the workflows of the repository around the suite, and prints the manual steps. */
static pawl_status write_workflows(struct pawl_cli *cli, const char *forge,
                                   const struct pawl_bundle *bundle, const char *home,
                                   const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *suite = pawl_path_join(folder, "pawl.yaml");
  PAWL_CLEANUP(pawl_free_pointer) char *forges = pawl_path_join(home, "share/pawl/templates/forge");
  const bool on_gitea = !strcmp(forge, "gitea");
  PAWL_CLEANUP(pawl_free_pointer)
  char *source = pawl_path_join(forges, on_gitea ? "forgejo" : forge);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_workflow_setup setup;
  struct pawl_workflow_files files;
  PAWL_TRY(need_folder(source, home, err));
  PAWL_TRY(pawl_workflow_setup_read(suite, &cli->arena, &setup, err));
  setup.bundle = *bundle;
  setup.on_gitea = on_gitea;
  PAWL_TRY(pawl_workflow_files_write(&setup, source, &cli->arena, &files, err));
  if (cli->json) return PAWL_OK; /* with --json the outcome is the document */
  list_files(&files.written, "wrote", &text);
  list_files(&files.kept, "kept ", &text);
  list_files(&files.other, "other", &text);
  if (files.other.count)
    pawl_text_add(
        &text,
        "pawl did not write the other workflows, and needs their names: the code host runs "
        "both .yml and .yaml. Rename or remove them, and run init again.\n");
  if (files.kept.count)
    pawl_text_add(&text, "To get the new version of a file, remove it and run init again.\n");
  pawl_text_add(&text, "\n");
  pawl_init_steps(&setup, forge, folder, &text);
  return pawl_cli_write(NULL, pawl_text_string(&text), text.length, err);
}

/* pawl.yml may be the suite of this folder, which a second suite would hide. */
static pawl_status refuse_other_spelling(const char *folder, const char *suite,
                                         struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *other = pawl_path_join(folder, "pawl.yml");
  if (!pawl_file_exists(other) || pawl_file_exists(suite)) return PAWL_OK;
  return pawl_fail(err, PAWL_CANNOT_WRITE,
                   "'%s' is here, but pawl reads only '%s': rename it, or remove it, and run init "
                   "again",
                   other, suite);
}

static pawl_status write_text(const char *folder, const char *name, const char *text, bool write,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  PAWL_CLEANUP(pawl_free_pointer) char *parent = pawl_path_folder(path);
  if (!write && pawl_file_exists(path))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "'%s' already exists; init does not overwrite files",
                     path);
  if (!write) return PAWL_OK;
  PAWL_TRY(pawl_make_folders(parent, err));
  return pawl_file_write(path, text, strlen(text), err);
}

/* Writes the operator, the plug-in and the suite of the user's function: all or none. */
static pawl_status start_from_kernel(struct pawl_cli *cli, const char *kernel, const char *folder,
                                     struct pawl_error *err) {
  struct pawl_init_kernel made;
  PAWL_TRY(pawl_init_kernel_make(kernel, folder, &cli->arena, &made, err));
  for (int write = 0; write < 2; write++) {
    PAWL_TRY(write_text(folder, made.operator_path, made.operator_text, write, err));
    PAWL_TRY(write_text(folder, made.shim_path, made.shim_text, write, err));
  }
  PAWL_CLEANUP(pawl_free_pointer) char *suite = pawl_path_join(folder, "pawl.yaml");
  const bool added = pawl_file_exists(suite);
  PAWL_TRY(pawl_file_write(suite, made.suite_text, strlen(made.suite_text), err));
  PAWL_TRY(start_repository(folder, &cli->log, err));
  pawl_log_info(&cli->log,
                "%s %s/pawl.yaml%s %s and %s for the function '%s' of %s; next: look at each EDIT "
                "in them and at its outputs, pawl check --trust-outputs, commit, then pawl run "
                "--update-baseline --trust-outputs",
                added ? "added a line to each section of" : "made", folder,
                added ? ", and made" : ",", made.operator_path, made.shim_path, made.name,
                made.source);
  if (made.others)
    pawl_log_info(&cli->log, "it also defines %s: pawl init --kernel %s:FUNCTION adds one",
                  made.others, made.source);
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_init(struct pawl_cli *cli, int argc, char **argv,
                                    struct pawl_error *err) {
  const char *name = NULL, *forge = NULL, *named = NULL, *ca_file = NULL, *kernel = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--example", &name, "NAME",
       "the example: attention (the default), attention-cuda, minimal or triton"},
      {PAWL_OPTION_PATH, "--kernel", &kernel, "FILE",
       "start from a function of your own in C, C++, CUDA or Python, or add it to the suite; "
       "FILE:FUNCTION names one of "
       "several"},
      {PAWL_OPTION_STRING, "--forge", &forge, "NAME",
       "add the workflows of github, gitlab, forgejo or gitea; only these if there is a suite"},
      {PAWL_OPTION_STRING, "--bundle", &named, "URL",
       "with --forge: the release that the workflows install; SHA256SUMS beside it has its "
       "checksum"},
      {PAWL_OPTION_PATH, "--ca-file", &ca_file, "FILE", PAWL_CA_FILE_HELP},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  const char *folder = argc ? argv[0] : ".";
  if (!*folder)
    return pawl_fail(err, PAWL_USAGE, "the folder is an empty text; usage: pawl %s",
                     cli->command->synopsis);
  const struct example *example = NULL;
  PAWL_TRY(find_example(name ? name : "attention", &example, err));
  PAWL_TRY(find_forge(forge, err));
  if ((named || ca_file) && !forge)
    return pawl_fail(err, PAWL_USAGE, "'%s' needs '--forge'", named ? "--bundle" : "--ca-file");
  if (kernel && forge)
    return pawl_fail(err, PAWL_USAGE, "use '--forge' after '--kernel', in a second call");
  if (kernel && name)
    return pawl_fail(err, PAWL_USAGE, "'--kernel' and '--example' exclude each other");
  struct pawl_bundle bundle = {0};
  if (forge) PAWL_TRY(find_bundle(cli, named, ca_file, &bundle, err));
  PAWL_CLEANUP(pawl_free_pointer) char *suite = pawl_path_join(folder, "pawl.yaml");
  PAWL_TRY(refuse_other_spelling(folder, suite, err));
  if (kernel) return start_from_kernel(cli, kernel, folder, err);
  if (forge && pawl_file_exists(suite))
    example = NULL; /* a repository with kernels gets only the workflows */
  if (example && pawl_file_exists(suite))
    return pawl_fail(err, PAWL_CANNOT_WRITE, "'%s' already exists; init does not overwrite files",
                     suite);
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  for (int write = 0; example && write < 2;
       /* The first pass only looks, because init writes all files or none and replaces none. */
       write++)
    PAWL_TRY(write_example(example, home, folder, write, err));
  PAWL_TRY(start_repository(folder, &cli->log, err));
  if (forge) PAWL_TRY(write_workflows(cli, forge, &bundle, home, folder, err));
  if (example)
    pawl_log_info(
        &cli->log,
        "made %s/pawl.yaml and its kernels; next: commit them, then pawl run --update-baseline",
        folder);
  return PAWL_OK;
}
