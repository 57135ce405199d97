/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

#define LARGEST_PLUGIN ((size_t)1 << 30)

/* The common beginning of every descriptor. */
struct head {
  uint32_t abi_version, struct_size;
};

/* A struct of an older pawl.h is shorter. The struct of version 1 is the shortest. */
static pawl_status check_head(const char *path, const struct head *head, const char *what,
                              size_t least, struct pawl_error *err) {
  if (!head) return pawl_fail(err, PAWL_CONFIG, "'%s': its entry returned no %s", path, what);
  if (head->abi_version != PAWL_ABI_VERSION)
    return pawl_fail(
        err, PAWL_CONFIG,
        "'%s' has ABI version %u, this pawl has %u; compile it against this pawl's headers", path,
        head->abi_version, PAWL_ABI_VERSION);
  if (head->struct_size < least)
    return pawl_fail(err, PAWL_CONFIG,
                     "'%s': struct_size is %u, but a struct pawl_%s has %zu bytes", path,
                     head->struct_size, what, least);
  return PAWL_OK;
}

static pawl_status load(const char *path, const char *entry, const void *(**function)(void),
                        struct pawl_error *err) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return pawl_fail(err, PAWL_CONFIG, "cannot load the plug-in: %s", dlerror());
  void *symbol = dlsym(library, entry);
  if (!symbol)
    return pawl_fail(err, PAWL_CONFIG, "'%s' exports no '%s'; is it defined and not static?", path,
                     entry);
  memcpy(function, &symbol, sizeof symbol);
  return PAWL_OK;
}

static enum pawl_status_code missing(const char *path, const char *what, struct pawl_error *err) {
  return pawl_fail(err, PAWL_CONFIG, "'%s' has no '%s', which is required", path, what);
}

static pawl_status load_kernel(const char *path, const char *file, const struct pawl_kernel **out,
                               struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(file, PAWL_KERNEL_ENTRY, &entry, err));
  const struct pawl_kernel *kernel = entry();
  PAWL_TRY(check_head(path, (const struct head *)kernel, "kernel", sizeof *kernel, err));
  if (!kernel->name || !*kernel->name) return missing(path, "name", err);
  if (!kernel->operator_name || !*kernel->operator_name) return missing(path, "operator_name", err);
  if (!kernel->supports) return missing(path, "supports", err);
  if (!kernel->launch) return missing(path, "launch", err);
  if (kernel->device != PAWL_CPU && kernel->device != PAWL_CUDA)
    return pawl_fail(err, PAWL_CONFIG, "'%s': device is %d, neither PAWL_CPU nor PAWL_CUDA", path,
                     kernel->device);
  *out = kernel;
  return PAWL_OK;
}

pawl_status host_load_kernel(const char *path, const struct pawl_kernel **out,
                             struct pawl_error *err) {
  return load_kernel(path, path, out, err);
}

/* Makes the shared names of a table of symbols usual global ones. */
static void own_names(char *file, const Elf64_Shdr *section) {
  Elf64_Sym *symbols = (Elf64_Sym *)(void *)(file + section->sh_offset);
  for (size_t i = 0; i < section->sh_size / sizeof *symbols; i++) {
    const unsigned char info = symbols[i].st_info;
    if (ELF64_ST_BIND(info) == STB_GNU_UNIQUE)
      symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(info));
  }
}

/* Fails if a table of sections does not show the names. */
static pawl_status own_all_names(const char *path, struct pawl_text *text, struct pawl_error *err) {
  char *file = text->data;
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)(void *)file;
  bool found = false;
  const bool is_elf = text->length >= sizeof *head && !memcmp(file, ELFMAG, SELFMAG) &&
                      file[EI_CLASS] == ELFCLASS64 && head->e_shentsize == sizeof(Elf64_Shdr) &&
                      head->e_shoff % 8 == 0 && head->e_shoff <= text->length &&
                      head->e_shnum <= (text->length - head->e_shoff) / sizeof(Elf64_Shdr);
  for (size_t i = 0; is_elf && i < head->e_shnum; i++) {
    const size_t at = head->e_shoff + i * sizeof(Elf64_Shdr);
    const Elf64_Shdr *section = (const Elf64_Shdr *)(void *)(file + at);
    if (section->sh_type != SHT_DYNSYM) continue;
    found = true;
    if (section->sh_offset % 8 || section->sh_offset > text->length ||
        section->sh_size > text->length - section->sh_offset)
      return pawl_fail(err, PAWL_CONFIG, "cannot load the plug-in: '%s' is cut off", path);
    own_names(file, section);
  }
  if (found) return PAWL_OK;
  return pawl_fail(err, PAWL_CONFIG,
                   "cannot load the plug-in '%s' beside another one: it has no table of names",
                   path);
}

static pawl_status write_copy(int copy, const char *path, const struct pawl_text *text,
                              struct pawl_error *err) {
  for (size_t done = 0; done < text->length;) {
    const ssize_t written = write(copy, text->data + done, text->length - done);
    if (written <= 0)
      return pawl_fail_errno(err, errno, "cannot copy the plug-in '%s' into memory", path);
    done += (size_t)written;
  }
  return PAWL_OK;
}

/* The copy lives as long as the process. */
pawl_status host_load_another_kernel(const char *path, const struct pawl_kernel **out,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  char file[64];
  PAWL_TRY(pawl_file_read(path, LARGEST_PLUGIN, &text, err));
  PAWL_TRY(own_all_names(path, &text, err));
  const int copy = memfd_create("plugin", MFD_CLOEXEC);
  if (copy < 0) return pawl_fail_errno(err, errno, "cannot copy the plug-in '%s'", path);
  PAWL_TRY(write_copy(copy, path, &text, err));
  snprintf(file, sizeof file, "/proc/self/fd/%d", copy);
  return load_kernel(path, file, out, err);
}

pawl_status host_load_operator(const char *path, const struct pawl_operator **out,
                               struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(path, PAWL_OPERATOR_ENTRY, &entry, err));
  const struct pawl_operator *op = entry();
  PAWL_TRY(check_head(path, (const struct head *)op, "operator", sizeof *op, err));
  if (!op->name || !*op->name) return missing(path, "name", err);
  if (!op->tensor) return missing(path, "tensor", err);
  if (!op->flop) return missing(path, "flop", err);
  if (op->param_count > 0 && !op->params) return missing(path, "params", err);
  if (op->distribution_count < 1 || !op->distributions) return missing(path, "distributions", err);
  if (op->tolerance_count < 1 || !op->tolerances) return missing(path, "tolerances", err);
  if (op->param_count < 0 || op->tensor_count < 1 || op->tensor_count > PAWL_MAX_TENSORS)
    return pawl_fail(err, PAWL_CONFIG,
                     "'%s': tensor_count is %d, but an operator has 1 to %d tensors", path,
                     op->tensor_count, PAWL_MAX_TENSORS);
  *out = op;
  return PAWL_OK;
}

pawl_status host_load_gpu_oracle(const char *path, const struct pawl_gpu_oracle **out,
                                 struct pawl_error *err) {
  const void *(*entry)(void) = NULL;
  PAWL_TRY(load(path, PAWL_GPU_ORACLE_ENTRY, &entry, err));
  const struct pawl_gpu_oracle *oracle = entry();
  PAWL_TRY(check_head(path, (const struct head *)oracle, "gpu_oracle", sizeof *oracle, err));
  if (!oracle->operator_name || !*oracle->operator_name) return missing(path, "operator_name", err);
  if (!oracle->compute) return missing(path, "compute", err);
  if (oracle->trial_count < 0 || (oracle->trial_count > 0 && !oracle->trial))
    return missing(path, "trial", err);
  for (int32_t i = 0; i < oracle->trial_count; i++) {
    if (!oracle->trial[i].name) return missing(path, "trial[].name", err);
  }
  *out = oracle;
  return PAWL_OK;
}
