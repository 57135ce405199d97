/* SPDX-License-Identifier: Apache-2.0 */
#include "build/line_table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "build/cubin.h"
#include "build/fatbin.h"
#include "build/line_program.h"

#define PLUGIN_LIMIT ((size_t)1 << 30)

struct line_reader {
  struct pawl_arena *arena;
  struct pawl_line_table *out;
  size_t capacity;
  struct pawl_hasher hasher, layout;
  bool gpu, bad;
  /* The rest belongs to the ELF file that it reads. */
  Elf *elf;
  size_t names;
  int arch;
  Elf_Scn *relocations; /* the section of relocations for .debug_line; NULL: none */
  GElf_Shdr relocations_info;
  const char *folder, *name, *file;      /* the last file, and its path */
  const struct pawl_line_place **places; /* the rows of the sequence, by number; heap */
  size_t place_count, place_capacity;
};

/* Reads a relocation. A cubin for sm_80 has them without an addend. */
static bool read_relocation(const struct line_reader *reader, Elf_Data *data, int index,
                            GElf_Rela *out) {
  GElf_Rel plain;
  if (reader->relocations_info.sh_type == SHT_RELA) return gelf_getrela(data, index, out) != NULL;
  if (!gelf_getrel(data, index, &plain)) return false;
  *out = (GElf_Rela){.r_offset = plain.r_offset, .r_info = plain.r_info};
  return true;
}

/* Returns the function that a relocation gives for the address at this offset, or NULL. */
static const char *symbol_at(const struct line_reader *reader, size_t place) {
  Elf_Data *data = reader->relocations ? elf_getdata(reader->relocations, NULL) : NULL;
  Elf_Scn *table = elf_getscn(reader->elf, reader->relocations_info.sh_link);
  GElf_Shdr info;
  GElf_Rela entry;
  GElf_Sym symbol;
  for (int i = 0; data && read_relocation(reader, data, i, &entry); i++) {
    if (entry.r_offset != place || !table || !gelf_getshdr(table, &info)) continue;
    Elf_Data *symbols = elf_getdata(table, NULL);
    if (symbols && gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
      return elf_strptr(reader->elf, info.sh_link, symbol.st_name);
  }
  return NULL;
}

/* Keeps the place of the row, and returns where its code was inlined: at an earlier row of the
   sequence. NULL: nowhere. */
static const struct pawl_line_place *keep_place(struct line_reader *reader,
                                                const struct pawl_line_event *event) {
  if (event->number == 1) reader->place_count = 0;
  const bool known = event->caller && event->caller <= reader->place_count;
  const struct pawl_line_place *caller = known ? reader->places[event->caller - 1] : NULL;
  struct pawl_line_place *place = pawl_arena_alloc(reader->arena, 1, sizeof *place);
  *place = (struct pawl_line_place){reader->file, event->line, caller};
  reader->places = pawl_grow(reader->places, reader->place_count, &reader->place_capacity,
                             sizeof *reader->places);
  reader->places[reader->place_count++] = place;
  return caller;
}

static void add_row(void *context, const struct pawl_line_event *event) {
  struct line_reader *reader = context;
  struct pawl_line_table *out = reader->out;
  struct pawl_line_row row = {.arch = reader->arch, .address = event->address, .line = event->line};
  const struct pawl_line_row *last = out->count ? &out->rows[out->count - 1] : NULL;
  if (event->file != reader->name || event->folder != reader->folder) {
    reader->name = event->file, reader->folder = event->folder;
    reader->file = !event->file ? NULL
                   : event->folder && *event->file != '/'
                       ? pawl_arena_printf(reader->arena, "%s/%s", event->folder, event->file)
                       : pawl_arena_copy(reader->arena, event->file);
  }
  row.file = reader->file;
  if (reader->gpu) {
    row.caller = keep_place(reader, event);
    const char *symbol = symbol_at(reader, event->place);
    if (!symbol) return; /* nobody can find its code */
    row.symbol = last && last->symbol && !strcmp(last->symbol, symbol)
                     ? last->symbol
                     : pawl_arena_copy(reader->arena, symbol);
  }
  out->rows = pawl_grow(out->rows, out->count, &reader->capacity, sizeof *out->rows);
  out->rows[out->count++] = row;
}

/* Adds the name of a section of code without the hash of the source's path. */
static void hash_name(struct line_reader *reader, const char *name) {
  char *plain = pawl_arena_copy(reader->arena, name);
  pawl_fatbin_normalise((unsigned char *)plain, strlen(plain));
  pawl_hasher_add_string(&reader->hasher, plain);
}

/* Adds the code of an ELF file to the hash and finds its line table. */
static const Elf_Data *find_table(struct line_reader *reader) {
  const Elf_Data *table = NULL;
  GElf_Shdr info;
  reader->relocations = NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(reader->elf, section)) != NULL;) {
    const char *name =
        gelf_getshdr(section, &info) ? elf_strptr(reader->elf, reader->names, info.sh_name) : NULL;
    const bool is_code = info.sh_type == SHT_PROGBITS && info.sh_flags & SHF_EXECINSTR;
    const Elf_Data *data = name && info.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
    if (!data || !data->d_buf) continue;
    if (is_code) {
      hash_name(reader, name);
      pawl_hasher_add(&reader->hasher, data->d_buf, data->d_size);
      pawl_hasher_add(&reader->layout, &info.sh_addr, sizeof info.sh_addr);
      pawl_hasher_add(&reader->layout, &info.sh_size, sizeof info.sh_size);
    } else if (!strcmp(name, ".debug_line")) {
      table = data;
    } else if (!strcmp(name, ".rela.debug_line") || !strcmp(name, ".rel.debug_line")) {
      reader->relocations = section;
      reader->relocations_info = info;
    }
  }
  return table;
}

static void line_table_read_elf(struct line_reader *reader, char *bytes, size_t size) {
  GElf_Ehdr header;
  reader->elf = elf_version(EV_CURRENT) == EV_NONE || !size ? NULL : elf_memory(bytes, size);
  if (!reader->elf || !gelf_getehdr(reader->elf, &header) ||
      elf_getshdrstrndx(reader->elf, &reader->names)) {
    reader->bad = true;
  } else {
    reader->arch = reader->gpu ? pawl_cubin_arch(header.e_ident, header.e_flags) : 0;
    const Elf_Data *table = find_table(reader);
    reader->name = reader->folder = reader->file = NULL;
    if (table && !pawl_line_program_run(table->d_buf, table->d_size, add_row, reader))
      reader->bad = true;
  }
  if (reader->elf) elf_end(reader->elf);
}

/* libelf needs alignment and may write into its input. */
static void line_table_visit(void *context, const unsigned char *cubin, size_t size) {
  PAWL_CLEANUP(pawl_free_pointer) char *copy = pawl_alloc(size + 1, 1);
  memcpy(copy, cubin, size);
  line_table_read_elf(context, copy, size);
}

static int compare_place(const struct pawl_line_row *a, int arch, const char *symbol) {
  if (a->arch != arch) return a->arch - arch;
  return a->symbol && symbol ? strcmp(a->symbol, symbol) : 0;
}

static int line_table_by_place(const void *a, const void *b) {
  const struct pawl_line_row *x = a, *y = b;
  const int order = compare_place(x, y->arch, y->symbol);
  if (order || x->address != y->address) return order ? order : x->address < y->address ? -1 : 1;
  if (!x->line != !y->line) return x->line ? 1 : -1; /* a sequence may begin where one ends */
  return (x > y) - (x < y);
}

pawl_status pawl_line_table_read(const char *plugin, bool gpu, struct pawl_arena *arena,
                                 struct pawl_line_table *out, struct pawl_error *err) {
  struct pawl_line_table found = {0};
  struct line_reader reader = {.arena = arena, .out = &found, .gpu = gpu};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  pawl_hasher_init(&reader.hasher);
  pawl_hasher_init(&reader.layout);
  enum pawl_status_code status = gpu ? pawl_each_cubin(plugin, line_table_visit, &reader, err)
                                     : pawl_file_read(plugin, PLUGIN_LIMIT, &file, err);
  if (status == PAWL_OK && !gpu) line_table_read_elf(&reader, file.data, file.length);
  found.code = pawl_hasher_finish(&reader.hasher);
  found.layout = pawl_hasher_finish(&reader.layout);
  pawl_free(reader.places);
  struct pawl_line_row *rows = found.rows;
  found.rows = pawl_arena_alloc(arena, found.count + 1, sizeof *rows);
  if (found.count) memcpy(found.rows, rows, found.count * sizeof *rows);
  pawl_free(rows);
  if (status != PAWL_OK) return status;
  if (reader.bad)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "'%s' has a line table that pawl cannot read; it reads DWARF 2 to 4", plugin);
  if (found.count) qsort(found.rows, found.count, sizeof *found.rows, line_table_by_place);
  *out = found;
  return PAWL_OK;
}

const struct pawl_line_row *pawl_line_table_find(const struct pawl_line_table *table,
                                                 const char *symbol, int arch, uint64_t address) {
  size_t low = 0, high = table->count; /* the first row beyond the address */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct pawl_line_row *row = &table->rows[middle];
    const int order = compare_place(row, arch, symbol);
    if (order < 0 || (!order && row->address <= address))
      low = middle + 1;
    else
      high = middle;
  }
  const struct pawl_line_row *row = low ? &table->rows[low - 1] : NULL;
  return row && row->line && !compare_place(row, arch, symbol) ? row : NULL;
}
