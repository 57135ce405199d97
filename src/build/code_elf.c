/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "build/fatbin.h"

struct elf_file {
  int fd;
  Elf *elf;
  size_t names; /* the section with the names of sections */
};

static void elf_file_release(struct elf_file *file) {
  if (file->elf) elf_end(file->elf);
  pawl_close(&file->fd);
}

static enum pawl_status_code bad_elf(const char *path, struct pawl_error *err) {
  return pawl_fail(err, PAWL_BAD_DATA, "'%s' is a damaged ELF shared library: %s", path,
                   elf_errmsg(-1));
}

static pawl_status elf_file_open(const char *path, bool object, struct elf_file *out,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(elf_file_release)
  struct elf_file file = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  if (elf_version(EV_CURRENT) == EV_NONE) return bad_elf(path, err);
  GElf_Ehdr header;
  file.elf = elf_begin(file.fd, ELF_C_READ, NULL);
  if (!file.elf || elf_kind(file.elf) != ELF_K_ELF || !gelf_getehdr(file.elf, &header))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not an ELF file", path);
  if (header.e_type != ET_DYN && !(object && header.e_type == ET_REL))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a shared library", path);
  if (elf_getshdrstrndx(file.elf, &file.names)) return bad_elf(path, err);
  *out = file;
  file = (struct elf_file){.fd = -1};
  return PAWL_OK;
}

/* Returns the next section of a type, or NULL at the end. */
static Elf_Scn *next_section(struct elf_file *file, Elf_Scn *after, GElf_Word type,
                             GElf_Shdr *info) {
  while ((after = elf_nextscn(file->elf, after)) != NULL) {
    if (gelf_getshdr(after, info) && info->sh_type == type) return after;
  }
  return NULL;
}

/* Returns a string of the dynamic section, or NULL. */
static const char *find_dynamic(struct elf_file *file, GElf_Sxword tag) {
  GElf_Shdr info;
  Elf_Scn *section = next_section(file, NULL, SHT_DYNAMIC, &info);
  Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
    if (entry.d_tag == tag) return elf_strptr(file->elf, info.sh_link, entry.d_un.d_val);
  return NULL;
}

pawl_status pawl_elf_soname(const char *path, struct pawl_arena *arena, const char **out,
                            struct pawl_error *err) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  PAWL_TRY(elf_file_open(path, false, &file, err));
  const char *slash = strrchr(path, '/'), *name = find_dynamic(&file, DT_SONAME);
  if (!name || !*name || strchr(name, '/')) name = slash ? slash + 1 : path;
  *out = pawl_arena_copy(arena, name);
  return PAWL_OK;
}

const char *pawl_elf_run_path(const char *path, struct pawl_arena *arena) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  if (elf_file_open(path, false, &file, NULL) != PAWL_OK) return NULL;
  const char *list = find_dynamic(&file, DT_RUNPATH);
  if (!list) list = find_dynamic(&file, DT_RPATH);
  return list ? pawl_arena_copy(arena, list) : NULL;
}

pawl_status pawl_elf_build_id(const char *path, struct pawl_arena *arena, const char **out,
                              struct pawl_error *err) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  PAWL_TRY(elf_file_open(path, false, &file, err));
  GElf_Shdr info;
  for (Elf_Scn *section = NULL;
       (section = next_section(&file, section, SHT_NOTE, &info)) != NULL;) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Nhdr note;
    size_t name, text;
    for (size_t offset = 0;
         data && (offset = gelf_getnote(data, offset, &note, &name, &text)) > 0;) {
      const char *bytes = data->d_buf;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(bytes + name, "GNU", 4)) {
        char *id = pawl_arena_alloc(arena, 2 * (size_t)note.n_descsz + 1, 1);
        pawl_hex_format((const unsigned char *)bytes + text, note.n_descsz, id);
        *out = id;
        return PAWL_OK;
      }
    }
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text whole = {0};
  PAWL_TRY(pawl_file_read(path, (size_t)4 << 30, &whole, err));
  char digits[PAWL_HASH_TEXT];
  pawl_hash_format(pawl_hash_bytes(whole.data, whole.length), digits);
  *out = pawl_arena_copy(arena, digits);
  return PAWL_OK;
}

/* Returns the name of a version of symbols, such as "GLIBC_2.14", or NULL. */
static const char *find_version(struct elf_file *file, GElf_Versym version) {
  GElf_Shdr info;
  GElf_Verneed need;
  GElf_Vernaux aux;
  Elf_Scn *section = next_section(file, NULL, SHT_GNU_verneed, &info);
  Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
  for (int at = 0, step = 1; data && step && gelf_getverneed(data, at, &need);
       step = (int)need.vn_next, at += step)
    for (int place = at + (int)need.vn_aux, i = 0; i < need.vn_cnt; i++) {
      if (!gelf_getvernaux(data, place, &aux)) break;
      if (aux.vna_other == version) return elf_strptr(file->elf, info.sh_link, aux.vna_name);
      place += (int)aux.vna_next;
    }
  return NULL;
}

/* Hashes names and not numbers, because another string in the string table changes all offsets. */
static void hash_symbols(struct elf_file *file, Elf_Scn *section, const GElf_Shdr *info,
                         struct pawl_hasher *hasher) {
  Elf_Data *data = elf_getdata(section, NULL);
  GElf_Shdr unused;
  GElf_Sym symbol;
  GElf_Versym version;
  Elf_Scn *versions = next_section(file, NULL, SHT_GNU_versym, &unused);
  Elf_Data *numbers = versions ? elf_getdata(versions, NULL) : NULL;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
    pawl_hasher_add_string(hasher, elf_strptr(file->elf, info->sh_link, symbol.st_name));
    if (numbers && gelf_getversym(numbers, i, &version) && version > VER_NDX_GLOBAL)
      pawl_hasher_add_string(hasher, find_version(file, version));
    const uint64_t parts[] = {symbol.st_value, symbol.st_size, symbol.st_info, symbol.st_other,
                              symbol.st_shndx};
    pawl_hasher_add(hasher, parts, sizeof parts);
  }
}

static void hash_needed(struct elf_file *file, Elf_Scn *section, const GElf_Shdr *info,
                        struct pawl_hasher *hasher) {
  Elf_Data *data = elf_getdata(section, NULL);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
    if (entry.d_tag == DT_NEEDED)
      pawl_hasher_add_string(hasher, elf_strptr(file->elf, info->sh_link, entry.d_un.d_val));
    const bool flags = entry.d_tag == DT_FLAGS || entry.d_tag == DT_FLAGS_1;
    if (flags) pawl_hasher_add(hasher, &entry.d_un.d_val, sizeof entry.d_un.d_val);
  }
}

static bool is_device_code(const char *name) {
  return !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
}

static void hash_content(Elf_Scn *section, const char *name, struct pawl_hasher *hasher) {
  for (Elf_Data *data = NULL; (data = elf_rawdata(section, data)) != NULL;) {
    if (!data->d_buf || !data->d_size) continue;
    if (is_device_code(name)) {
      pawl_fatbin_hash(data->d_buf, data->d_size, hasher);
      continue;
    }
    PAWL_CLEANUP(pawl_free_pointer) unsigned char *copy = pawl_alloc(data->d_size, 1);
    memcpy(copy, data->d_buf, data->d_size);
    pawl_fatbin_normalise(copy, data->d_size);
    pawl_hasher_add(hasher, copy, data->d_size);
  }
}

pawl_status pawl_elf_hash_code(const char *path, struct pawl_hasher *hasher,
                               struct pawl_error *err) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  PAWL_TRY(elf_file_open(path, false, &file, err));
  size_t hashed = 0;
  GElf_Shdr info;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section)) != NULL;) {
    const char *name =
        gelf_getshdr(section, &info) ? elf_strptr(file.elf, file.names, info.sh_name) : NULL;
    if (!name) return bad_elf(path, err);
    if (!(info.sh_flags & SHF_ALLOC)) continue;
    pawl_hasher_add_string(hasher, name);
    switch (info.sh_type) {
      case SHT_DYNSYM: hash_symbols(&file, section, &info, hasher); break;
      case SHT_DYNAMIC: hash_needed(&file, section, &info, hasher); break;
      case SHT_NOBITS: pawl_hasher_add(hasher, &info.sh_size, sizeof info.sh_size); break;
      case SHT_STRTAB: /* its users have added its names to the hash */
      case SHT_NOTE:
      case SHT_HASH:
      case SHT_GNU_HASH:
      case SHT_GNU_versym:
      case SHT_GNU_verneed:
      case SHT_GNU_verdef: break;
      default: hash_content(section, name, hasher), hashed++;
    }
  }
  if (!hashed) return pawl_fail(err, PAWL_BAD_DATA, "'%s' has no section with code", path);
  return PAWL_OK;
}

static bool hash_device_code(const char *path, struct pawl_hash *out) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  GElf_Shdr info;
  if (elf_file_open(path, false, &file, NULL) != PAWL_OK) return false;
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (Elf_Scn *section = NULL;
       (section = next_section(&file, section, SHT_PROGBITS, &info)) != NULL;) {
    const char *name = elf_strptr(file.elf, file.names, info.sh_name);
    if (name && is_device_code(name)) hash_content(section, name, &hasher);
  }
  *out = pawl_hasher_finish(&hasher);
  return true;
}

bool pawl_elf_same_device_code(const char *a, const char *b) {
  struct pawl_hash hashes[2];
  return hash_device_code(a, &hashes[0]) && hash_device_code(b, &hashes[1]) &&
         !memcmp(&hashes[0], &hashes[1], sizeof hashes[0]);
}

bool pawl_elf_read_constants(const char *path,
                             void (*visit)(void *context, const char *bytes, size_t length),
                             void *context) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  GElf_Shdr info;
  if (elf_file_open(path, false, &file, NULL) != PAWL_OK) return false;
  for (Elf_Scn *section = NULL;
       (section = next_section(&file, section, SHT_PROGBITS, &info)) != NULL;) {
    const char *name = elf_strptr(file.elf, file.names, info.sh_name);
    if (!(info.sh_flags & SHF_ALLOC) || (info.sh_flags & SHF_EXECINSTR) || !name ||
        strstr(name, "fatbin") || strstr(name, "eh_frame"))
      continue;
    for (Elf_Data *data = NULL; (data = elf_rawdata(section, data)) != NULL;)
      if (data->d_buf) visit(context, data->d_buf, data->d_size);
  }
  return true;
}

bool pawl_elf_imports(const char *path, bool (*matches)(const char *name), bool *out) {
  PAWL_CLEANUP(elf_file_release) struct elf_file file = {.fd = -1};
  GElf_Shdr info;
  GElf_Sym symbol;
  if (elf_file_open(path, true, &file, NULL) != PAWL_OK) return false;
  *out = false;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section)) != NULL;) {
    if (!gelf_getshdr(section, &info) || (info.sh_type != SHT_DYNSYM && info.sh_type != SHT_SYMTAB))
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
      const char *name = elf_strptr(file.elf, info.sh_link, symbol.st_name);
      const bool elsewhere = symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON;
      *out |= elsewhere && name && matches(name);
    }
  }
  return true;
}
