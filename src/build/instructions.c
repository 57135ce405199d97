/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the listings of cuobjdump and objdump. */
#include "build/instructions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/count.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "build/demangle.h"
#include "build/fatbin.h"
#include "build/tools.h"

#define SECONDS 120.0
#define LISTING_LIMIT ((size_t)1 << 30)
#define MOST_OPERANDS 32
#define KNOWN_OPERATIONS 1024

const char *const pawl_class_names[PAWL_CLASSES] = {
#define CLASS(ID, NAME) [PAWL_CLASS_##ID] = NAME,
#include "build/instruction_classes.inc"
#undef CLASS
};

struct operation_rule {
  const char *start;
  enum pawl_instruction_class kind;
};
#define OPERATION(START, KIND) {START, PAWL_CLASS_##KIND},
static const struct operation_rule gpu_rules[] = {
#include "build/gpu_operations.inc"
};
static const struct operation_rule cpu_rules[] = {
#include "build/cpu_operations.inc"
};
#undef OPERATION

static enum pawl_instruction_class class_by_name(const struct operation_rule *rules, size_t count,
                                                 const char *name) {
  enum pawl_instruction_class kind = PAWL_CLASS_OTHER;
  for (size_t i = 0, longest = 0; i < count; i++) {
    const size_t length = strlen(rules[i].start);
    if (length < longest || strncmp(name, rules[i].start, length) != 0) continue;
    longest = length;
    kind = rules[i].kind;
  }
  return kind;
}

struct known_operation {
  const char *name; /* NULL: none yet */
  enum pawl_instruction_class kind;
};

/* A listing while pawl reads it. */
struct code_listing {
  struct pawl_arena *arena;
  bool gpu;
  /* a listing of 100 000 instructions names some hundred operations; by hash, the last one stays */
  struct known_operation operations[KNOWN_OPERATIONS];
  struct pawl_function_code *functions; /* in the order of the listing */
  size_t count, room;
  struct pawl_function_code function; /* no symbol: lines belong to no function */
  size_t capacity;
  uint64_t begin; /* the address of the function */
  const char *arch;
};

static void listing_end(struct code_listing *listing) {
  const struct pawl_function_code *function = &listing->function;
  if (!function->symbol || !function->count) return;
  listing->functions =
      pawl_grow(listing->functions, listing->count, &listing->room, sizeof *listing->functions);
  struct pawl_function_code *added = &listing->functions[listing->count++];
  *added = *function;
  added->items = pawl_arena_alloc(listing->arena, function->count, sizeof *added->items);
  memcpy(added->items, function->items, function->count * sizeof *added->items);
  pawl_find_loops(added);
}

static void listing_begin(struct code_listing *listing, const char *symbol, uint64_t address) {
  char *plain = pawl_arena_copy(listing->arena, symbol);
  pawl_fatbin_normalise((unsigned char *)plain, strlen(plain));
  listing_end(listing);
  listing->begin = address;
  listing->function.plain = plain;
  listing->function.begin = address;
  listing->function.symbol = symbol;
  listing->function.name = pawl_demangle(symbol, listing->arena);
  listing->function.arch = listing->arch;
  listing->function.count = 0;
}

static void listing_add(struct code_listing *listing, struct pawl_instruction item) {
  struct pawl_function_code *function = &listing->function;
  function->items =
      pawl_grow(function->items, function->count, &listing->capacity, sizeof *function->items);
  function->items[function->count++] = item;
}

/* Returns the class of an operand: a vector register by its size, another register, an immediate,
   or memory. */
static char operand_class(const char *operand) {
  static const char *const vectors[] = {"%xmm", "%ymm", "%zmm"};
  for (size_t i = 0; *operand == '%' && i < PAWL_COUNT(vectors); i++)
    if (pawl_starts_with(operand, vectors[i])) return "xyz"[i];
  operand += strspn(operand, "-~!|");
  if (*operand == '$' || *operand == '#' || isdigit((unsigned char)*operand)) return 'i';
  if (pawl_starts_with(operand, "c[") || pawl_starts_with(operand, "cx[")) return 'c';
  if (memchr(operand, '(', strcspn(operand, ",")) || memchr(operand, '[', strcspn(operand, ",")))
    return 'm';
  if (*operand == 'U' && operand[1] != 'N') return 'u';
  if (*operand == 'P') return 'p';
  if (strchr("vsd", *operand) && isdigit((unsigned char)operand[1])) return *operand;
  return 'r';
}

/* Writes the classes of all operands. A comma inside of parentheses or brackets separates none. */
static void operand_classes(const char *operands, char out[MOST_OPERANDS]) {
  size_t used = 0;
  int depth = 0;
  bool next = true;
  for (; *operands && *operands != ';' && used + 1 < MOST_OPERANDS; operands++) {
    const char at = *operands;
    if (next && at != ' ') {
      out[used++] = operand_class(operands);
      next = false;
    }
    depth += (at == '(' || at == '[' || at == '{') - (at == ')' || at == ']' || at == '}');
    next = next || (at == ',' && depth == 0);
  }
  out[used] = '\0';
}

/* Instructions with the same name and the same classes of operands have the same form. */
static uint64_t form_of(const char *name, const char *classes) {
  return pawl_hash_bytes(name, strlen(name)).low ^ pawl_hash_bytes(classes, strlen(classes)).high;
}

/* Returns the address in the last operand, or -1. */
static int64_t last_address(const char *operands) {
  char *end;
  const char *last = strrchr(operands, ',');
  last = last ? last + 1 : operands;
  const uint64_t address = strtoull(last, &end, 16);
  return end == last ? -1 : (int64_t)address;
}

static const struct known_operation *find_operation(struct code_listing *listing, const char *words,
                                                    size_t length) {
  struct known_operation *known =
      &listing->operations[pawl_hash_bytes(words, length).low % KNOWN_OPERATIONS];
  if (known->name && !strncmp(known->name, words, length) && !known->name[length]) return known;
  known->name = pawl_arena_printf(listing->arena, "%.*s", (int)length, words);
  known->kind = listing->gpu ? class_by_name(gpu_rules, PAWL_COUNT(gpu_rules), known->name)
                             : class_by_name(cpu_rules, PAWL_COUNT(cpu_rules), known->name);
  return known;
}

/* --- cuobjdump -sass --- */

/* Returns the operation and its operands, with registers of each kind alike: "R4" is "R". */
static const char *without_registers(const char *name, const char *operands,
                                     struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, "%s ", name);
  for (const char *at = operands, *next; *at; at = next) {
    next = at + 1;
    pawl_text_add_bytes(&text, at, 1);
    const char before = at == operands ? ' ' : at[-1];
    const bool word = isalnum((unsigned char)before) && before != 'U';
    if ((*at == 'R' || *at == 'P') && !word) next += strspn(next, "0123456789");
  }
  while (pawl_ends_with(pawl_text_string(&text), " ")) text.data[--text.length] = '\0';
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

/* Reads an address in a comment, an instruction, and its bytes in another comment. */
static void read_gpu_instruction(struct code_listing *listing, char *line) {
  char *words, classes[MOST_OPERANDS];
  const uint64_t address = strtoull(line + 2, &words, 16);
  if (!pawl_starts_with(words, "*/")) return;
  words += 2;
  words += strspn(words, " \t{");
  words[strcspn(words, ";")] = '\0';
  const bool guarded = *words == '@';
  if (guarded) words += strcspn(words, " ");
  words += strspn(words, " ");
  const size_t length = strcspn(words, " ");
  const struct known_operation *operation = find_operation(listing, words, length);
  const char *name = operation->name;
  const char *operands = words + length + strspn(words + length, " ");
  if (!*name || !strcmp(name, "NOP")) return; /* padding */
  operand_classes(operands, classes);
  struct pawl_instruction item = {
      .name = name,
      .kind = operation->kind,
      .form = form_of(name, classes),
      .text = without_registers(name, operands, listing->arena),
      .address = address,
      .target = pawl_starts_with(name, "BRA") ? last_address(operands) : -1};
  if (item.target == (int64_t)address) return; /* padding too */
  item.ends =
      !guarded && (pawl_starts_with(name, "EXIT") || pawl_starts_with(name, "RET") ||
                   pawl_starts_with(name, "BRX") || (item.target >= 0 && !strchr(operands, ',')));
  listing_add(listing, item);
}

static void read_gpu_line(struct code_listing *listing, char *line) {
  static const char arch[] = "code for ", function[] = "Function : ";
  while (*line == ' ' || *line == '\t') line++;
  if (line[0] == '/' && line[1] == '*' && isxdigit((unsigned char)line[2]))
    read_gpu_instruction(listing, line);
  else if (pawl_starts_with(line, arch))
    listing->arch = pawl_arena_copy(listing->arena, line + strlen(arch));
  else if (pawl_starts_with(line, function))
    listing_begin(listing, pawl_arena_copy(listing->arena, line + strlen(function)), 0);
}

/* --- objdump -d --- */

/* The C library's start files bring these functions into every plug-in. */
static const char *const start_files[] = {"_init",
                                          "_fini",
                                          "_start",
                                          "call_weak_fn",
                                          "deregister_tm_clones",
                                          "register_tm_clones",
                                          "__do_global_dtors_aux",
                                          "frame_dummy"};

/* Reads the line "0000000000001100 <name>:". */
static bool begin_cpu_function(struct code_listing *listing, const char *line) {
  char *end;
  const size_t length = strlen(line);
  const uint64_t begin = strtoull(line, &end, 16);
  if (!isxdigit((unsigned char)*line) || !pawl_starts_with(end, " <") ||
      !pawl_ends_with(line, ">:"))
    return false;
  const char *name =
      pawl_arena_printf(listing->arena, "%.*s", (int)(line + length - 2 - (end + 2)), end + 2);
  listing_begin(listing, name, begin);
  if (pawl_name_index(start_files, PAWL_COUNT(start_files), name) >= 0)
    listing->function.symbol = NULL;
  return true;
}

static enum pawl_instruction_class cpu_class_of(const struct known_operation *operation,
                                                const char *operands) {
  const char *name = operation->name;
  const bool memory = strchr(operands, 'm') != NULL, vector = strpbrk(operands, "xyzv") != NULL;
  const char *plain = *name == 'v' ? name + 1 : name;
  if (vector && pawl_starts_with(plain, "cvt")) return PAWL_CLASS_CONVERT;
  if (vector || strpbrk(operands, "sd")) {
    if (pawl_starts_with(plain, "mov") || pawl_starts_with(plain, "ld") ||
        pawl_starts_with(plain, "st") || pawl_starts_with(plain, "broadcast"))
      return memory ? PAWL_CLASS_MEMORY : PAWL_CLASS_MOVE;
    if (pawl_ends_with(name, "ss") || strchr(operands, 's')) return PAWL_CLASS_FP32;
    if (pawl_ends_with(name, "sd") || strchr(operands, 'd')) return PAWL_CLASS_FP64;
    return PAWL_CLASS_VECTOR;
  }
  if (!strcmp(name, "b")) return PAWL_CLASS_CONTROL;
  return operation->kind == PAWL_CLASS_MOVE && memory ? PAWL_CLASS_MEMORY : operation->kind;
}

/* "rep", "lock" and their like belong to the operation. */
static size_t cpu_operation_length(const char *words) {
  static const char *const prefixes[] = {"lock ", "rep ", "repz ", "repnz ", "bnd ", "notrack "};
  for (size_t i = 0; i < PAWL_COUNT(prefixes); i++) {
    const size_t length = strlen(prefixes[i]);
    if (pawl_starts_with(words, prefixes[i])) return length + strcspn(words + length, " ");
  }
  return strcspn(words, " ");
}

static bool is_cpu_padding(const char *words) {
  static const char *const beginnings[] = {"nop", "data16", "cs nop", "xchg   %ax,%ax", "int3"};
  for (size_t i = 0; i < PAWL_COUNT(beginnings); i++)
    if (pawl_starts_with(words, beginnings[i])) return true;
  return false;
}

/* Reads the line "    1123:\tvmovaps %ymm0,(%rax)". */
static void read_cpu_instruction(struct code_listing *listing, const char *line) {
  static const char *const last_ones[] = {"jmp", "ret", "ud2", "hlt", "b", "br", "notrack jmp"};
  char *end, classes[MOST_OPERANDS];
  const uint64_t address = strtoull(line, &end, 16);
  const char *words = *end == ':' ? end + 1 + strspn(end + 1, " \t") : "";
  if (!listing->function.symbol || end == line || !*words || is_cpu_padding(words)) return;
  const size_t length = cpu_operation_length(words);
  const struct known_operation *operation = find_operation(listing, words, length);
  const char *name = operation->name;
  const char *operands = words + length + strspn(words + length, " \t");
  operand_classes(operands, classes);
  struct pawl_instruction item = {.name = name,
                                  .kind = cpu_class_of(operation, classes),
                                  .form = form_of(name, classes),
                                  .address = address - listing->begin,
                                  .target = -1};
  const char *width = strchr(classes, 'z')   ? " zmm"
                      : strchr(classes, 'y') ? " ymm"
                      : strchr(classes, 'x') ? " xmm"
                                             : NULL;
  if (width) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text wide = {0};
    pawl_text_printf(&wide, "%s%s", name, width);
    item.name = find_operation(listing, wide.data, wide.length)->name;
  }
  if (item.kind == PAWL_CLASS_CONTROL && !pawl_starts_with(name, "call") &&
      strcmp(name, "bl") != 0 && last_address(operands) >= (int64_t)listing->begin)
    item.target = last_address(operands) - (int64_t)listing->begin;
  item.ends = pawl_name_index(last_ones, PAWL_COUNT(last_ones), name) >= 0;
  listing_add(listing, item);
}

static void read_cpu_line(struct code_listing *listing, char *line) {
  if (!begin_cpu_function(listing, line)) read_cpu_instruction(listing, line);
}

/* --- both --- */

/* Symbols that differ in the hash of a path alone are equal here. */
static int function_by_name(const void *a, const void *b) {
  const struct pawl_function_code *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (!order) order = strcmp(x->plain, y->plain);
  return order || !x->arch || !y->arch ? order : strcmp(x->arch, y->arch);
}

static int function_by_symbol(const struct pawl_function_code *x,
                              const struct pawl_function_code *y) {
  const int order = function_by_name(x, y);
  return order ? order : strcmp(x->symbol, y->symbol);
}

/* The first of equals comes first. */
static int function_by_name_and_place(const void *a, const void *b) {
  const struct pawl_function_code *x = *(const struct pawl_function_code *const *)a,
                                  *y = *(const struct pawl_function_code *const *)b;
  const int order = function_by_symbol(x, y);
  return order ? order : (x > y) - (x < y);
}

const struct pawl_function_code *pawl_machine_code_find(const struct pawl_machine_code *code,
                                                        const struct pawl_function_code *like) {
  if (!code->count) return NULL;
  return bsearch(like, code->items, code->count, sizeof *code->items, function_by_name);
}

/* Relocatable code is in a file twice, before and after the link. The first stays. */
static void keep_functions(const struct code_listing *listing, struct pawl_machine_code *out) {
  const struct pawl_function_code **sorted = pawl_alloc(listing->count + 1, sizeof *sorted);
  for (size_t i = 0; i < listing->count; i++) sorted[i] = &listing->functions[i];
  qsort(sorted, listing->count, sizeof *sorted, function_by_name_and_place);
  out->items = pawl_arena_alloc(listing->arena, listing->count + 1, sizeof *out->items);
  for (size_t i = 0; i < listing->count; i++)
    if (i == 0 || function_by_symbol(sorted[i - 1], sorted[i]) != 0)
      out->items[out->count++] = *sorted[i];
  pawl_free(sorted);
}

void pawl_disassembly_read(char *text, bool gpu, struct pawl_arena *arena,
                           struct pawl_machine_code *out) {
  *out = (struct pawl_machine_code){0};
  struct code_listing listing = {.arena = arena, .gpu = gpu};
  for (char *line = text, *next; *line; line = next) {
    char *end = strchrnul(line, '\n');
    next = end + (*end == '\n');
    *end = '\0';
    (gpu ? read_gpu_line : read_cpu_line)(&listing, line);
  }
  listing_end(&listing);
  keep_functions(&listing, out);
  pawl_free(listing.functions);
  pawl_free(listing.function.items);
}

/* --- the programs --- */

struct pawl_listing {
  const char *plugin;
  bool gpu;
  struct pawl_arena arena;
  struct pawl_machine_code code;
  enum pawl_status_code status;
  struct pawl_error error;
};

static pawl_status read_back(int fd, struct pawl_text *out, struct pawl_error *err) {
  char buffer[65536];
  off_t at = 0;
  while (out->length < LISTING_LIMIT) {
    const ssize_t got = pread(fd, buffer, sizeof buffer, at);
    if (got < 0) return pawl_fail_errno(err, errno, "cannot read a listing");
    if (got == 0) break;
    pawl_text_add_bytes(out, buffer, (size_t)got);
    at += got;
  }
  return PAWL_OK;
}

/* Runs a tool as one of the jobs, or alone. Fails with PAWL_TRY_AGAIN if the jobs are to end. */
static pawl_status run_tool(const char *const *argv, struct pawl_jobs *jobs, struct pawl_text *out,
                            struct pawl_text *words, struct pawl_exit *how,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int listed = memfd_create("listing", MFD_CLOEXEC);
  PAWL_CLEANUP(pawl_close) int said = memfd_create("words", MFD_CLOEXEC);
  if (listed < 0 || said < 0) return pawl_fail_errno(err, errno, "cannot keep a listing");
  const struct pawl_process_options options = {
      .argv = argv,
      .environment = (const char *const[]){"LC_ALL=C", NULL},
      .drop_secrets = true,
      .die_with_parent = true,
      .fds = {-1, listed, said},
      .fd_count = 3};
  struct pawl_process process = {0};
  PAWL_TRY(pawl_jobs_start(jobs, &process, &options, err));
  const bool late = !pawl_jobs_await(jobs, &process, pawl_budget_limit(SECONDS));
  PAWL_TRY(pawl_process_wait(&process, late ? 0 : -1, how, err));
  if (late && pawl_jobs_are_stopping(jobs))
    return pawl_fail(err, PAWL_TRY_AGAIN, "pawl ended '%s'", argv[0]);
  PAWL_TRY(read_back(listed, out, err));
  return read_back(said, words, err);
}

static pawl_status list_code(const char *plugin, bool gpu, struct pawl_jobs *jobs,
                             struct pawl_arena *arena, struct pawl_machine_code *out,
                             struct pawl_error *err) {
  const struct pawl_tool tool = pawl_tool_find(gpu ? "cuobjdump" : "objdump", arena);
  if (tool.reason) return pawl_fail(err, PAWL_UNAVAILABLE, "%s", tool.reason);
  const char *const gpu_words[] = {tool.path, "-sass", plugin, NULL};
  const char *const cpu_words[] = {tool.path, "-d",    "-w",   "--no-show-raw-insn",
                                   "-j",      ".text", plugin, NULL};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, words = {0}, ended = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(run_tool(gpu ? gpu_words : cpu_words, jobs, &text, &words, &how, err));
  if (how.timed_out || how.signal || how.status != 0) {
    const char *reason = pawl_text_string(words.length ? &words : &text);
    pawl_exit_describe(&how, &ended);
    return pawl_fail(err, PAWL_FAILED, "%s %s: %.*s", tool.spec->name, pawl_text_string(&ended),
                     (int)strcspn(reason, "\n"), reason);
  }
  pawl_text_add(&text, ""); /* an empty text has no data yet */
  pawl_disassembly_read(text.data, gpu, arena, out);
  return PAWL_OK;
}

static const struct pawl_listing *find_listing(const struct pawl_listings *listings,
                                               const char *plugin, bool gpu) {
  for (size_t i = 0; listings && i < listings->count; i++)
    if (listings->items[i].gpu == gpu && !strcmp(listings->items[i].plugin, plugin))
      return &listings->items[i];
  return NULL;
}

void pawl_listings_add(struct pawl_listings *listings, const char *plugin, bool gpu) {
  if (find_listing(listings, plugin, gpu)) return;
  listings->items =
      pawl_grow(listings->items, listings->count, &listings->capacity, sizeof *listings->items);
  listings->items[listings->count++] = (struct pawl_listing){.plugin = plugin, .gpu = gpu};
}

static void read_listing(void *context, int64_t i) {
  const struct pawl_listings *listings = context;
  struct pawl_listing *item = &listings->items[i];
  item->status =
      list_code(item->plugin, item->gpu, listings->jobs, &item->arena, &item->code, &item->error);
}

static void *read_listings(void *context) {
  const struct pawl_listings *listings = context;
  const int half = pawl_cpu_count() / 2;
  pawl_parallel_for(half ? half : 1, (int64_t)listings->count, read_listing, context);
  return NULL;
}

void pawl_listings_begin(struct pawl_listings *listings) {
  if (!listings->count || listings->jobs) return;
  listings->jobs = pawl_jobs_new();
  listings->running = !pthread_create(&listings->thread, NULL, read_listings, listings);
  if (!listings->running) read_listings(listings);
}

void pawl_listings_await(struct pawl_listings *listings) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* only one thread may join */
  if (pawl_budget_is_over()) pawl_jobs_stop(listings->jobs);
  pthread_mutex_lock(&one);
  if (listings->running) pthread_join(listings->thread, NULL);
  listings->running = false;
  pthread_mutex_unlock(&one);
}

void pawl_listings_clear(struct pawl_listings *listings) {
  pawl_jobs_stop(listings->jobs);
  pawl_listings_await(listings);
  pawl_jobs_free(listings->jobs);
  for (size_t i = 0; i < listings->count; i++) pawl_arena_clear(&listings->items[i].arena);
  pawl_free(listings->items);
  *listings = (struct pawl_listings){0};
}

pawl_status pawl_disassemble(const char *plugin, bool gpu, struct pawl_listings *listings,
                             struct pawl_arena *arena, struct pawl_machine_code *out,
                             struct pawl_error *err) {
  const struct pawl_listing *ready = find_listing(listings, plugin, gpu);
  if (ready) pawl_listings_await(listings);
  if (!ready || ready->status == PAWL_TRY_AGAIN) /* nobody waited for a listing that pawl ended */
    return list_code(plugin, gpu, NULL, arena, out, err);
  if (ready->status != PAWL_OK) return pawl_fail(err, ready->status, "%s", ready->error.message);
  *out = ready->code;
  return PAWL_OK;
}
