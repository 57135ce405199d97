/* SPDX-License-Identifier: Apache-2.0 */
#include "build/back_end.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "build/build_command.h"
#include "process/process.h"

#define SCRIPT "back-end.sh"
#define ANSWER "back-end.log"
#define OUTPUT "back-end.out" /* a program that ignores -### writes there */
#define ANSWER_LIMIT ((size_t)4 << 20)
#define MOST_HEADERS 64 /* the most program headers of a program */

struct back_end {
  const struct pawl_build_plan *plan;
  const struct pawl_build_options *options;
  struct pawl_arena *arena;
  struct pawl_inputs found;
  struct pawl_words hosts;     /* the host compilers of nvcc */
  struct pawl_words variables; /* NAME=VALUE, as nvcc sets them */
};

/* --- the questions --- */

/* -### and --dryrun show the commands that the compiler would start. */
static void add_question(const struct back_end *end, const struct pawl_words *words, bool nvcc,
                         const char *language, struct pawl_text *script) {
  struct pawl_words all = {0};
  const char *output = pawl_box_seen(
      &end->plan->box, pawl_arena_printf(end->arena, "%s/" OUTPUT, end->plan->folder));
  const char *const more[] = {
      nvcc ? "--dryrun" : "-###", "-x", language, "/dev/null", "-o", output};
  pawl_words_append(&all, end->arena, words);
  for (size_t i = 0; i < PAWL_COUNT(more); i++) pawl_words_add(&all, end->arena, more[i]);
  pawl_text_printf(script, "%s\n", pawl_words_join(&all, end->arena));
}

static const char *language_of(const struct pawl_build_unit *unit) {
  return unit->nvcc                           ? "cu"
         : pawl_ends_with(unit->source, ".c") ? "c"
         : pawl_ends_with(unit->source, ".s") ? "assembler"
         : pawl_ends_with(unit->source, ".S") ? "assembler-with-cpp"
                                              : "c++";
}

/* Leaves out the words that choose no program: the macros, the folders of headers, the output, and
   the inputs, which do not exist yet. */
static struct pawl_words asked_words(const struct back_end *end, const struct pawl_words *command,
                                     size_t count) {
  const struct pawl_build_plan *plan = end->plan;
  struct pawl_words words = {0};
  for (size_t i = 0; i < count; i++) {
    const char *word = command->items[i];
    bool asked = !(*word == '-' && word[1] && strchr("DUI", word[1]) && word[2]) &&
                 !pawl_starts_with(word, "-ffile-prefix-map=");
    for (size_t j = 0; j < plan->unit_count && asked; j++)
      asked = strcmp(word, pawl_box_seen(&plan->box, plan->units[j].object)) != 0;
    if (!strcmp(word, "-o") && i + 1 < count)
      i++;
    else if (asked)
      pawl_words_add(&words, end->arena, word);
  }
  return words;
}

/* Asks the linker's compiler, then each other compiler and each other language. */
static void add_questions(const struct back_end *end, struct pawl_text *script) {
  const struct pawl_build_plan *plan = end->plan;
  struct pawl_words asked = {0};
  for (size_t pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < plan->unit_count; i++) {
      const struct pawl_build_unit *unit = &plan->units[i];
      const struct pawl_words *command = pass ? &unit->command : &plan->link;
      const char *language = language_of(unit);
      const char *name = pawl_arena_printf(end->arena, "%s %s", language, unit->command.items[0]);
      bool known = !pass && (asked.count || strcmp(unit->command.items[0], plan->link.items[0]));
      for (size_t j = 0; j < asked.count; j++) known |= !strcmp(asked.items[j], name);
      if (known) continue;
      pawl_words_add(&asked, end->arena, name);
      const size_t tail = pass ? 4 : 0; /* -c SOURCE -o OBJECT */
      const struct pawl_words words = asked_words(end, command, command->count - tail);
      add_question(end, &words, unit->nvcc, language, script);
    }
  }
}

/* --- the answers --- */

static const char *value_of(const struct back_end *end, const char *name, size_t length) {
  for (size_t i = end->variables.count; i-- > 0;) {
    const char *variable = end->variables.items[i];
    if (!strncmp(variable, name, length) && variable[length] == '=') return variable + length + 1;
  }
  return NULL;
}

static void add_program(struct back_end *end, const char *seen) {
  const char *path = pawl_box_real(&end->plan->box, seen);
  if (pawl_is_regular(path) && !pawl_path_holds(end->plan->folder, path) &&
      pawl_box_shows(&end->plan->box, path))
    pawl_inputs_add(&end->found, end->arena, PAWL_INPUT_TOOL, path);
}

/* nvcc finds the programs that it starts by a PATH of its own. */
static const char *back_end_search(const struct back_end *end, const char *name) {
  const char *list = value_of(end, "PATH", 4), *folder;
  for (size_t length; list && pawl_next_folder(&list, &folder, &length);) {
    const char *path = pawl_arena_printf(end->arena, "%.*s/%s", (int)length, folder, name);
    if (!access(pawl_box_real(&end->plan->box, path), X_OK)) return path;
  }
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_process_find(name);
  return pawl_arena_copy(end->arena, path);
}

/* Adds the program that a command starts, and returns its path, or NULL. */
static const char *add_command_program(struct back_end *end, const char *word) {
  const char *rest = strchr(word, '/');
  const char *folder =
      *word == '$' && rest ? value_of(end, word + 1, (size_t)(rest - word) - 1) : NULL;
  const char *path = folder ? pawl_arena_printf(end->arena, "%s%s", folder, rest)
                     : rest ? word
                            : back_end_search(end, word);
  if (path) add_program(end, path);
  return path;
}

/* The driver of gcc names only the programs that it starts itself. The linker and its plug-in start
   the others, which they look for in the same folders. */
static void add_program_folders(struct back_end *end, const char *list) {
  static const char *const names[] = {"ld",      "ld.bfd",     "ld.gold", "ld.lld",      "ld.mold",
                                      "real-ld", "collect-ld", "as",      "lto-wrapper", "lto1"};
  const char *folder;
  for (size_t length; pawl_next_folder(&list, &folder, &length);) {
    const char *seen = pawl_arena_printf(end->arena, "%.*s", (int)length, folder);
    const char *path = pawl_box_real(&end->plan->box, seen);
    if (pawl_is_folder(path)) pawl_inputs_add(&end->found, end->arena, PAWL_INPUT_LISTING, path);
    for (size_t i = 0; i < PAWL_COUNT(names); i++)
      add_program(end, pawl_arena_printf(end->arena, "%s/%s", seen, names[i]));
  }
}

/* Any word may name a file that decides the output: a plug-in, the machine code of CUDA's own
   functions, a file of specs. */
static void add_words(struct back_end *end, const struct pawl_words *words) {
  for (size_t i = 0; i < words->count; i++) {
    const char *word = words->items[i], *value = strchr(word, '=');
    if (*word == '/') add_program(end, word);
    if (value && value[1] == '/') add_program(end, value + 1);
    if (!pawl_starts_with(word, "-fuse-ld=")) continue;
    const char *linker = back_end_search(end, pawl_arena_printf(end->arena, "ld.%s", value + 1));
    if (linker) add_program(end, linker);
  }
}

static bool compiles_cxx(const struct pawl_words *words) {
  for (size_t i = 1; i < words->count; i++)
    if (!strcmp(words->items[i - 1], "-x") && !strcmp(words->items[i], "c++")) return true;
  return false;
}

static void read_nvcc_line(struct back_end *end, const char *line) {
  static const char *const files[][2] = {
      {"_HERE_", "nvcc"}, {"_HERE_", "nvcc.profile"}, {"NVVMIR_LIBRARY_DIR", "libdevice.10.bc"}};
  struct pawl_words words = {0};
  const size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (name && line[name] == '=') {
    pawl_words_add(&end->variables, end->arena, line);
    for (size_t i = 0; i < PAWL_COUNT(files); i++)
      if (strlen(files[i][0]) == name && !strncmp(line, files[i][0], name))
        add_program(end, pawl_arena_printf(end->arena, "%s/%s", line + name + 1, files[i][1]));
    return;
  }
  if (pawl_words_split(&words, end->arena, line, "nvcc", NULL) != PAWL_OK || !words.count) return;
  const char *program = add_command_program(end, words.items[0]);
  add_words(end, &words);
  if (program && compiles_cxx(&words)) pawl_words_add(&end->hosts, end->arena, program);
}

static void read_line(struct back_end *end, const char *line) {
  struct pawl_words words = {0};
  if (pawl_starts_with(line, "#$ ")) {
    read_nvcc_line(end, line + 3);
  } else if (pawl_starts_with(line, "COMPILER_PATH=")) {
    add_program_folders(end, strchr(line, '=') + 1);
  } else if (pawl_words_split(&words, end->arena, line, "the compiler", NULL) == PAWL_OK &&
             words.count) {
    if (*line == ' ') add_command_program(end, words.items[0]);
    add_words(end, &words);
  }
}

/* Runs the questions as a script of the shell. A compiler that does not know them names nothing. */
static pawl_status ask(struct back_end *end, const struct pawl_text *script,
                       struct pawl_error *err) {
  const struct pawl_build_plan *plan = end->plan;
  const char *path = pawl_arena_printf(end->arena, "%s/" SCRIPT, plan->folder);
  const char *answer = pawl_arena_printf(end->arena, "%s/" ANSWER, plan->folder);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_exit how = {0};
  const char *const argv[] = {"/bin/sh", pawl_box_seen(&plan->box, path), NULL};
  PAWL_TRY(pawl_file_write_unsynced(path, script->data, script->length, err));
  PAWL_TRY(pawl_plan_run(plan, end->options, argv, NULL, answer, &how, err));
  PAWL_TRY(pawl_build_output_read(answer, ANSWER_LIMIT, &text, err));
  char *rest = text.data;
  for (char *line; (line = strsep(&rest, "\n"));) read_line(end, line);
  unlink(path);
  unlink(answer);
  return PAWL_OK;
}

/* --- the libraries of the programs --- */

/* The loader starts only such a program. Any other would run. */
static bool has_loader(const char *path) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  Elf64_Ehdr head;
  Elf64_Phdr parts[MOST_HEADERS];
  if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_phentsize != sizeof *parts || head.e_phnum > MOST_HEADERS)
    return false;
  const ssize_t size = (ssize_t)(head.e_phnum * sizeof *parts);
  if (pread(fd, parts, (size_t)size, (off_t)head.e_phoff) != size) return false;
  for (size_t i = 0; i < head.e_phnum; i++)
    if (parts[i].p_type == PT_INTERP) return true;
  return false;
}

static void add_loader_question(const struct back_end *end, const struct pawl_inputs *programs,
                                struct pawl_text *script) {
  for (size_t i = 0; i < programs->count; i++) {
    const struct pawl_input *program = &programs->items[i];
    if (program->kind != PAWL_INPUT_TOOL || access(program->path, X_OK) ||
        !has_loader(program->path))
      continue;
    pawl_text_add(script, "LD_TRACE_LOADED_OBJECTS=1 ");
    pawl_shell_quote(pawl_box_seen(&end->plan->box, program->path), script);
    pawl_text_add(script, "\n");
  }
}

static pawl_status ask_all(struct back_end *end, const struct pawl_text *questions,
                           const struct pawl_inputs *programs, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text hosts = {0}, loader = {0};
  PAWL_TRY(ask(end, questions, err));
  for (size_t i = 0; i < end->hosts.count; i++) {
    const struct pawl_words words = {(const char *[]){end->hosts.items[i], "-shared"}, 2, 0};
    add_question(end, &words, false, "c++", &hosts);
  }
  if (hosts.length) PAWL_TRY(ask(end, &hosts, err));
  add_loader_question(end, programs, &loader);
  add_loader_question(end, &end->found, &loader);
  return loader.length ? ask(end, &loader, err) : PAWL_OK;
}

/* --- the answers of this command --- */

static bool recall_answers(struct back_end *end, struct pawl_hash key,
                           const struct pawl_input_look *look) {
  struct pawl_known_compilers *known = end->options->compilers;
  pthread_mutex_lock(&known->lock);
  for (size_t i = 0; i < known->back_end_count; i++)
    if (pawl_hash_equal(known->back_ends[i].key, key)) end->found = known->back_ends[i].inputs;
  pthread_mutex_unlock(&known->lock);
  return end->found.count && !pawl_inputs_changed(&end->found, look);
}

static void remember_answers(const struct back_end *end, struct pawl_hash key) {
  struct pawl_known_compilers *known = end->options->compilers;
  pthread_mutex_lock(&known->lock);
  size_t slot = 0;
  while (slot < known->back_end_count && !pawl_hash_equal(known->back_ends[slot].key, key)) slot++;
  if (slot < PAWL_KNOWN_COMPILERS) {
    struct pawl_inputs copy = {0};
    for (size_t i = 0; i < end->found.count; i++) {
      const struct pawl_input *input = &end->found.items[i];
      pawl_inputs_add(&copy, &known->arena, input->kind, input->path);
      copy.items[i].hash = input->hash;
    }
    known->back_ends[slot].key = key;
    known->back_ends[slot].inputs = copy;
    if (slot == known->back_end_count) known->back_end_count++;
  }
  pthread_mutex_unlock(&known->lock);
}

pawl_status pawl_back_end_find(const struct pawl_build_plan *plan,
                               const struct pawl_build_options *options,
                               const struct pawl_input_look *look,
                               const struct pawl_inputs *programs, struct pawl_arena *arena,
                               struct pawl_inputs *out, struct pawl_error *err) {
  struct back_end end = {.plan = plan, .options = options, .arena = arena};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text questions = {0};
  add_questions(&end, &questions);
  struct pawl_hash key = pawl_hash_bytes(questions.data, questions.length);
  for (size_t i = 0; i < programs->count; i++) key.low += programs->items[i].hash.low;
  if (!recall_answers(&end, key, look)) {
    end.found = (struct pawl_inputs){0};
    PAWL_TRY(ask_all(&end, &questions, programs, err));
    pawl_inputs_take(&end.found, look);
    remember_answers(&end, key);
  }
  *out = end.found;
  return PAWL_OK;
}
