/* SPDX-License-Identifier: Apache-2.0 */
#include "build/fatbin.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_KIND_ELF 2
#define EM_CUDA_MACHINE 190

/* At the start of a fatbin, little-endian; a section holds one after another, padded to 8 bytes. */
struct fatbin_header {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size; /* bytes of the entries that follow */
};

/* The known start of each entry's header. The header has header_size bytes, and payload_size bytes
   of payload follow. */
struct fatbin_entry {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t payload_size;
};

static bool is_hex(const unsigned char *p) {
  for (int i = 0; i < 8; i++) {
    if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f'))) return false;
  }
  return true;
}

/* p points after the prefix, to "<8 hex>_<n>_<name>_". */
static void normalise_one(unsigned char *p, const unsigned char *end) {
  if (end - p < 10 || !is_hex(p) || p[8] != '_') return;
  const unsigned char *q = p + 9;
  size_t length = 0;
  for (; q < end && *q >= '0' && *q <= '9' && length < 4096; q++)
    length = 10 * length + (size_t)(*q - '0');
  if (q == p + 9 || q >= end || *q != '_' || (size_t)(end - q) < length + 2 || q[1 + length] != '_')
    return;
  memset(p, '0', 8);
}

void pawl_fatbin_normalise(unsigned char *data, size_t size) {
  static const char *const prefixes[] = {"_GLOBAL__N__", "_INTERNAL_"};
  for (size_t i = 0; i < PAWL_COUNT(prefixes); i++) {
    const size_t length = strlen(prefixes[i]);
    unsigned char *end = data + size, *cursor = data;
    while ((cursor = memmem(cursor, (size_t)(end - cursor), prefixes[i], length)) != NULL) {
      cursor += length;
      normalise_one(cursor, end);
    }
  }
}

/* Calls `entry` for each entry. Returns false if the layout is unknown. */
static bool walk(const unsigned char *data, size_t size,
                 void (*visit)(void *context, uint16_t kind, const unsigned char *payload,
                               size_t size),
                 void *context) {
  size_t offset = 0;
  while (offset < size) {
    struct fatbin_header header;
    if (size - offset < sizeof header) return false;
    memcpy(&header, data + offset, sizeof header);
    if (header.magic != FATBIN_MAGIC || header.header_size < sizeof header ||
        header.header_size > size - offset || header.size > size - offset - header.header_size)
      return false;
    size_t entry_offset = offset + header.header_size;
    const size_t end = entry_offset + header.size;
    while (entry_offset < end) {
      struct fatbin_entry entry;
      if (end - entry_offset < sizeof entry) return false;
      memcpy(&entry, data + entry_offset, sizeof entry);
      if (entry.header_size < sizeof entry || entry.header_size > end - entry_offset ||
          entry.payload_size > end - entry_offset - entry.header_size)
        return false;
      visit(context, entry.kind, data + entry_offset + entry.header_size, entry.payload_size);
      entry_offset += entry.header_size + entry.payload_size;
    }
    offset = (end + 7) & ~(size_t)7;
  }
  return true;
}

static bool is_cubin(uint16_t kind, const unsigned char *payload, size_t size) {
  return kind == FATBIN_KIND_ELF && size > EI_NIDENT && !memcmp(payload, ELFMAG, SELFMAG);
}

struct cubin_visitor {
  void (*visit)(void *context, const unsigned char *cubin, size_t size);
  void *context;
};

static void visit_cubin(void *context, uint16_t kind, const unsigned char *payload, size_t size) {
  const struct cubin_visitor *visitor = context;
  if (is_cubin(kind, payload, size)) visitor->visit(visitor->context, payload, size);
}

void pawl_fatbin_each_cubin(const unsigned char *data, size_t size,
                            void (*visit)(void *context, const unsigned char *cubin, size_t size),
                            void *context) {
  struct cubin_visitor visitor = {visit, context};
  walk(data, size, visit_cubin, &visitor);
}

/* These sections tell how a cubin was made and not what it does. */
static bool fatbin_is_left_out(const GElf_Shdr *section, const char *name) {
  return section->sh_type == SHT_NULL || section->sh_type == SHT_NOTE ||
         pawl_starts_with(name, ".debug") || pawl_starts_with(name, ".nv_debug") ||
         pawl_starts_with(name, ".note") || !strcmp(name, ".comment");
}

static bool hash_cubin(unsigned char *cubin, size_t size, struct pawl_hasher *hasher) {
  Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)cubin, size);
  size_t names = 0;
  GElf_Ehdr header;
  bool known = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
               header.e_machine == EM_CUDA_MACHINE && !elf_getshdrstrndx(elf, &names);
  if (known) pawl_hasher_add(hasher, &header.e_flags, sizeof header.e_flags); /* the architecture */
  for (Elf_Scn *section = NULL; known && (section = elf_nextscn(elf, section)) != NULL;) {
    GElf_Shdr info;
    const char *name = gelf_getshdr(section, &info) ? elf_strptr(elf, names, info.sh_name) : NULL;
    if (!name) known = false;
    if (!known || fatbin_is_left_out(&info, name)) continue;
    pawl_hasher_add_string(hasher, name);
    pawl_hasher_add(hasher, &info.sh_size, sizeof info.sh_size);
    const Elf_Data *data = info.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    if (data && data->d_buf) pawl_hasher_add(hasher, data->d_buf, data->d_size);
  }
  if (elf) elf_end(elf);
  return known;
}

static void hash_entry(void *context, uint16_t kind, const unsigned char *payload, size_t size) {
  struct pawl_hasher *hasher = context;
  PAWL_CLEANUP(pawl_free_pointer) unsigned char *copy = pawl_alloc(size ? size : 1, 1);
  memcpy(copy, payload, size);
  pawl_fatbin_normalise(copy, size);
  pawl_hasher_add(hasher, &kind, sizeof kind);
  if (!is_cubin(kind, copy, size) || !hash_cubin(copy, size, hasher))
    pawl_hasher_add(hasher, copy, size);
}

void pawl_fatbin_hash(const unsigned char *data, size_t size, struct pawl_hasher *hasher) {
  if (!walk(data, size, hash_entry, hasher)) pawl_hasher_add(hasher, data, size);
}
