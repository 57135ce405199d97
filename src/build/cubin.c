/* SPDX-License-Identifier: Apache-2.0 */
#include "build/cubin.h"

#include <ctype.h>
#include <gelf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "build/fatbin.h"

#define PLUGIN_LIMIT ((size_t)1 << 30)
#define TEXT ".text."
#define SHARED ".nv.shared."
#define INFO ".nv.info"
#define TOOLKIT ".note.nv.tkinfo" /* "... release 13.0, V13.0.48 ..." */
#define RELEASE "release "
#define FIRST_ANNOTATING 13 /* the first CUDA release whose ptxas marks each spill */

/* Attributes of .nv.info. An entry has a format, an attribute and 16 bits, which are a value or the
   length of the data that follows. */
enum { FORMAT_SIZED = 4 };
enum {
  ATTRIBUTE_MAX_THREADS = 0x05,
  ATTRIBUTE_REQUIRED_THREADS = 0x10,
  ATTRIBUTE_FRAME_SIZE = 0x11,
  ATTRIBUTE_REGISTERS = 0x2f,
  ATTRIBUTE_ANNOTATIONS = 0x55 /* pairs of a kind and the offset of an instruction */
};
enum { ANNOTATION_SPILL = 1, ANNOTATION_BYTES = 8 };

/* An instruction has 16 bytes since Volta. Its low 12 bits are the operation. Bits 73 to 75 of a
   store to local memory give its width. */
enum { INSTRUCTION_BYTES = 16, STORE_LOCAL = 0x387 };
static const int width_of[8] = {1, 1, 2, 2, 4, 8, 16, 0};

struct list {
  struct pawl_arena *arena;
  struct pawl_device_function **items;
  size_t *count;
};

struct cubin {
  Elf *elf;
  size_t names;
  int arch;
  int release;  /* the CUDA release; 0: unknown */
  size_t first; /* index of its first function in the list */
  struct list list;
};

static uint32_t word(const unsigned char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static struct pawl_device_function *cubin_find(const struct cubin *cubin, const char *name) {
  for (size_t i = cubin->first; name && i < *cubin->list.count; i++) {
    if (!strcmp((*cubin->list.items)[i].name, name)) return &(*cubin->list.items)[i];
  }
  return NULL;
}

/* Returns the bytes that the instruction writes into local memory. */
static int local_store(const unsigned char *code) {
  return (word(code) & 0xfff) == STORE_LOCAL ? width_of[word(code + 8) >> 9 & 7] : 0;
}

static long long local_stores(const unsigned char *code, size_t size) {
  long long bytes = 0;
  for (size_t offset = 0; offset + INSTRUCTION_BYTES <= size; offset += INSTRUCTION_BYTES)
    bytes += local_store(code + offset);
  return bytes;
}

/* Returns the section of the function's code, or NULL if there is none. */
static const Elf_Data *cubin_code_of(const struct cubin *cubin, const char *function) {
  GElf_Shdr info;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(cubin->elf, section)) != NULL;) {
    const char *name =
        gelf_getshdr(section, &info) ? elf_strptr(cubin->elf, cubin->names, info.sh_name) : NULL;
    if (name && pawl_starts_with(name, TEXT) && !strcmp(name + strlen(TEXT), function))
      return elf_rawdata(section, NULL);
  }
  return NULL;
}

/* Moves the bytes of stores that ptxas marks as spills from local bytes to spill bytes. */
static void count_spills(const struct cubin *cubin, struct pawl_device_function *function,
                         const unsigned char *pairs, size_t size) {
  const Elf_Data *code = cubin_code_of(cubin, function->name);
  if (!code || !code->d_buf || function->local_bytes < 0) return;
  if (function->spill_bytes < 0) function->spill_bytes = 0;
  for (size_t i = 0; i + ANNOTATION_BYTES <= size; i += ANNOTATION_BYTES) {
    const size_t place = word(pairs + i + 4);
    if (word(pairs + i) != ANNOTATION_SPILL || place % INSTRUCTION_BYTES) continue;
    if (place >= code->d_size || code->d_size - place < INSTRUCTION_BYTES) continue;
    const int bytes = local_store((const unsigned char *)code->d_buf + place);
    if (bytes > function->local_bytes) return; /* a damaged file may name a store twice */
    function->spill_bytes += bytes;
    function->local_bytes -= bytes;
  }
}

/* Returns the release of the toolkit from its note. */
static int find_release(const Elf_Data *note) {
  const size_t length = strlen(RELEASE);
  for (size_t i = 0; i + length + 2 < note->d_size; i++) {
    const char *text = (const char *)note->d_buf + i;
    if (memcmp(text, RELEASE, length) != 0) continue;
    return isdigit((unsigned char)text[length]) && isdigit((unsigned char)text[length + 1])
               ? (text[length] - '0') * 10 + text[length + 1] - '0'
               : 0;
  }
  return 0;
}

/* An older toolkit writes no annotations, so a store may or may not be a spill. */
static void settle_spills(const struct cubin *cubin) {
  bool annotates = cubin->release >= FIRST_ANNOTATING;
  for (size_t i = cubin->first; i < *cubin->list.count; i++)
    annotates = annotates || (*cubin->list.items)[i].spill_bytes > 0;
  for (size_t i = cubin->first; i < *cubin->list.count; i++) {
    struct pawl_device_function *function = &(*cubin->list.items)[i];
    if (function->spill_bytes >= 0) continue;
    if (annotates || function->local_bytes == 0)
      function->spill_bytes = function->local_bytes < 0 ? -1 : 0;
    else
      function->local_bytes = -1;
  }
}

static void add_function(struct cubin *cubin, const char *name, const Elf_Data *code) {
  struct list *list = &cubin->list;
  struct pawl_device_function *grown =
      pawl_arena_alloc(list->arena, *list->count + 1, sizeof *grown);
  if (*list->count) memcpy(grown, *list->items, *list->count * sizeof *grown);
  grown[(*list->count)++] = (struct pawl_device_function){
      .name = pawl_arena_copy(list->arena, name),
      .arch = cubin->arch,
      .registers = -1,
      .stack_bytes = -1,
      .spill_bytes = -1,
      .local_bytes = cubin->arch >= 70 ? local_stores(code->d_buf, code->d_size) : -1,
      .code_bytes = (long long)code->d_size,
      .max_threads = -1};
  *list->items = grown;
}

/* Returns the name of a symbol. Attributes of the whole cubin name their function by it. */
static const char *symbol_name(const struct cubin *cubin, uint32_t index) {
  GElf_Shdr info;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(cubin->elf, section)) != NULL;) {
    GElf_Sym symbol;
    if (!gelf_getshdr(section, &info) || info.sh_type != SHT_SYMTAB) continue;
    Elf_Data *data = elf_getdata(section, NULL);
    if (data && gelf_getsym(data, (int)index, &symbol))
      return elf_strptr(cubin->elf, info.sh_link, symbol.st_name);
  }
  return NULL;
}

/* Reads a section. `function` is NULL for a section of the whole cubin. */
static void read_attribute(const struct cubin *cubin, struct pawl_device_function *function,
                           int attribute, const unsigned char *value, size_t size) {
  if (function && size >= 12 &&
      (attribute == ATTRIBUTE_MAX_THREADS || attribute == ATTRIBUTE_REQUIRED_THREADS)) {
    const long long threads = (long long)word(value) * word(value + 4) * word(value + 8);
    if (threads > 0 && threads <= 1024) function->max_threads = threads;
  }
  if (function && attribute == ATTRIBUTE_ANNOTATIONS) count_spills(cubin, function, value, size);
  if (function || size < 8) return;
  struct pawl_device_function *named = NULL;
  if (attribute == ATTRIBUTE_REGISTERS || attribute == ATTRIBUTE_FRAME_SIZE)
    named = cubin_find(cubin, symbol_name(cubin, word(value)));
  if (named && attribute == ATTRIBUTE_REGISTERS) named->registers = word(value + 4);
  if (named && attribute == ATTRIBUTE_FRAME_SIZE) named->stack_bytes = word(value + 4);
}

static void read_attributes(const struct cubin *cubin, struct pawl_device_function *function,
                            const Elf_Data *data) {
  const unsigned char *bytes = data->d_buf;
  for (size_t offset = 0; offset + 4 <= data->d_size;) {
    const int format = bytes[offset], attribute = bytes[offset + 1];
    const size_t size =
        format == FORMAT_SIZED ? (size_t)(bytes[offset + 2] | bytes[offset + 3] << 8) : 0;
    offset += 4;
    if (size > data->d_size - offset) return;
    read_attribute(cubin, function, attribute, bytes + offset, size);
    offset += size;
  }
}

/* It takes two passes, first for the functions and then for their attributes. */
static void read_section(struct cubin *cubin, Elf_Scn *section, const GElf_Shdr *info,
                         const char *name, bool first) {
  Elf_Data *data = info->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
  const bool there = data && data->d_buf;
  if (first) {
    if (there && pawl_starts_with(name, TEXT)) add_function(cubin, name + strlen(TEXT), data);
    return;
  }
  struct pawl_device_function *function = NULL;
  if (pawl_starts_with(name, SHARED)) {
    function = cubin_find(cubin, name + strlen(SHARED));
    if (function) function->shared_bytes = (long long)info->sh_size;
  } else if (there && !strcmp(name, TOOLKIT)) {
    cubin->release = find_release(data);
  } else if (there && !strcmp(name, INFO)) {
    read_attributes(cubin, NULL, data);
  } else if (there && pawl_starts_with(name, INFO ".")) {
    function = cubin_find(cubin, name + strlen(INFO "."));
    if (function) read_attributes(cubin, function, data);
  }
}

void pawl_cubin_read(const unsigned char *bytes, size_t size, struct pawl_arena *arena,
                     struct pawl_device_function **functions, size_t *count) {
  if (elf_version(EV_CURRENT) == EV_NONE) return;
  struct cubin cubin = {.elf = elf_memory((char *)(uintptr_t)bytes, size),
                        .first = *count,
                        .list = {.arena = arena, .items = functions, .count = count}};
  GElf_Ehdr header;
  if (cubin.elf && gelf_getehdr(cubin.elf, &header) &&
      !elf_getshdrstrndx(cubin.elf, &cubin.names)) {
    cubin.arch = pawl_cubin_arch(header.e_ident, header.e_flags);
    for (int turn = 0; turn < 2; turn++) {
      GElf_Shdr info;
      for (Elf_Scn *section = NULL; (section = elf_nextscn(cubin.elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &info) ? elf_strptr(cubin.elf, cubin.names, info.sh_name) : NULL;
        if (name) read_section(&cubin, section, &info, name, turn == 0);
      }
    }
    settle_spills(&cubin);
  }
  if (cubin.elf) elf_end(cubin.elf);
}

static void visit(void *context, const unsigned char *cubin, size_t size) {
  const struct list *list = context;
  /* libelf needs alignment and may write into its input */
  PAWL_CLEANUP(pawl_free_pointer) unsigned char *copy = pawl_alloc(size, 1);
  memcpy(copy, cubin, size);
  pawl_cubin_read(copy, size, list->arena, list->items, list->count);
}

/* A file has relocatable code twice, compiled by nvcc and linked by nvlink. The linked code comes
   first. */
static size_t drop_repeated(struct pawl_device_function *functions, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t j = 0;
    while (j < kept && (functions[j].arch != functions[i].arch ||
                        strcmp(functions[j].name, functions[i].name) != 0))
      j++;
    if (j == kept) functions[kept++] = functions[i];
  }
  return kept;
}

static int cubin_by_name(const void *a, const void *b) {
  const struct pawl_device_function *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : x->arch - y->arch;
}

int pawl_cubin_arch(const unsigned char *ident, uint32_t flags) {
  /* since CUDA 13 the architecture lies a byte higher */
  return (int)(ident[EI_ABIVERSION] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
}

pawl_status pawl_each_cubin(const char *plugin,
                            void (*each)(void *context, const unsigned char *cubin, size_t size),
                            void *context, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  PAWL_TRY(pawl_file_read(plugin, PLUGIN_LIMIT, &file, err));
  size_t names = 0;
  Elf *elf = elf_version(EV_CURRENT) == EV_NONE || !file.length
                 ? NULL
                 : elf_memory(file.data, file.length);
  if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names)) {
    if (elf) elf_end(elf);
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not an ELF file", plugin);
  }
  static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
  for (size_t i = 0; i < PAWL_COUNT(sections); i++) {
    GElf_Shdr info;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
      const char *name = gelf_getshdr(section, &info) ? elf_strptr(elf, names, info.sh_name) : NULL;
      const Elf_Data *data = name && !strcmp(name, sections[i]) ? elf_rawdata(section, NULL) : NULL;
      if (data && data->d_buf) pawl_fatbin_each_cubin(data->d_buf, data->d_size, each, context);
    }
  }
  elf_end(elf);
  return PAWL_OK;
}

pawl_status pawl_device_functions(const char *plugin, struct pawl_arena *arena,
                                  struct pawl_device_function **out, size_t *count,
                                  struct pawl_error *err) {
  struct pawl_device_function *functions = NULL;
  size_t found = 0;
  struct list list = {arena, &functions, &found};
  PAWL_TRY(pawl_each_cubin(plugin, visit, &list, err));
  found = drop_repeated(functions, found);
  if (found) qsort(functions, found, sizeof *functions, cubin_by_name);
  *out = functions;
  *count = found;
  return PAWL_OK;
}

/* The limits of one SM. */
struct sm_limits {
  int arch, threads, blocks, shared_bytes,
      reserved_bytes; /* reserved: shared bytes that the system adds to each block */
};

static const struct sm_limits sm_table[] = {
    {70, 2048, 32, 96 << 10, 0},      {75, 1024, 16, 64 << 10, 0},
    {80, 2048, 32, 164 << 10, 1024},  {86, 1536, 16, 100 << 10, 1024},
    {87, 1536, 16, 164 << 10, 1024},  {89, 1536, 24, 100 << 10, 1024},
    {90, 2048, 32, 228 << 10, 1024},  {100, 2048, 32, 228 << 10, 1024},
    {103, 2048, 32, 228 << 10, 1024}, {120, 1536, 24, 100 << 10, 1024}};

#define SM_REGISTERS 65536
#define REGISTER_UNIT 256 /* a warp gets registers in units of this number */
#define WARP_UNIT 4       /* an SM has four partitions, so warps count in groups of four */

double pawl_device_function_occupancy(const struct pawl_device_function *f) {
  const struct sm_limits *sm = NULL;
  for (size_t i = 0; i < PAWL_COUNT(sm_table); i++) {
    if (sm_table[i].arch == f->arch) sm = &sm_table[i];
  }
  if (!sm || f->registers <= 0 || f->max_threads <= 0 || f->shared_bytes < 0) return NAN;
  const long long warps = (f->max_threads + 31) / 32;
  const long long warp_registers =
      (f->registers * 32 + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  const long long by_registers = SM_REGISTERS / warp_registers / WARP_UNIT * WARP_UNIT / warps;
  const long long block_bytes = f->shared_bytes + sm->reserved_bytes;
  long long blocks = sm->threads / 32 / warps;
  if (sm->blocks < blocks) blocks = sm->blocks;
  if (by_registers < blocks) blocks = by_registers;
  if (block_bytes && sm->shared_bytes / block_bytes < blocks)
    blocks = sm->shared_bytes / block_bytes;
  return 100.0 * (double)(blocks * warps * 32) / sm->threads;
}
