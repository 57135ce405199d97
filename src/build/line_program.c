/* SPDX-License-Identifier: Apache-2.0 */
#include "build/line_program.h"

#include <string.h>

#define MOST_NAMES 65536

/* Bytes to read. `bad` stays once a read went beyond the end. */
struct line_bytes {
  const unsigned char *data;
  size_t size, at;
  bool bad;
};

struct line_program {
  struct line_bytes bytes; /* the bytes of one unit */
  size_t begin;            /* the offset of the unit in the section */
  int version, line_base, line_range, opcode_base, min_length;
  const unsigned char *lengths; /* operands of each standard opcode */
  size_t folders, files;        /* where the lists begin */
  struct pawl_line_event now;
  unsigned long long file,
      named; /* the number of the file, and the number that `now` has names of */
  void (*row)(void *context, const struct pawl_line_event *event);
  void *context;
};

static uint64_t take(struct line_bytes *bytes, size_t count) {
  uint64_t value = 0;
  if (count > bytes->size - bytes->at) {
    bytes->bad = true;
    bytes->at = bytes->size;
    return 0;
  }
  for (size_t i = 0; i < count && i < sizeof value; i++)
    value |= (uint64_t)bytes->data[bytes->at + i] << (8 * i);
  bytes->at += count;
  return value;
}

static uint64_t take_unsigned(struct line_bytes *bytes) {
  uint64_t value = 0, byte = 0x80;
  for (int shift = 0; (byte & 0x80) && !bytes->bad; shift += 7) {
    byte = take(bytes, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  return value;
}

static int64_t take_signed(struct line_bytes *bytes) {
  uint64_t value = 0, byte = 0x80;
  int shift = 0;
  for (; (byte & 0x80) && !bytes->bad; shift += 7) {
    byte = take(bytes, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  if ((byte & 0x40) && shift < 64) value |= ~(uint64_t)0 << shift;
  return (int64_t)value;
}

/* Returns a string, which must end in the bytes. */
static const char *take_string(struct line_bytes *bytes) {
  const char *text = (const char *)bytes->data + bytes->at;
  const unsigned char *end =
      bytes->at < bytes->size ? memchr(text, 0, bytes->size - bytes->at) : NULL;
  if (!end) bytes->bad = true;
  bytes->at = end ? (size_t)(end - bytes->data) + 1 : bytes->size;
  return end ? text : "";
}

/* Returns name `number` of a list, counted from 1, and its folder's number. NULL: there is none. */
static const char *name_of(const struct line_program *program, size_t list, bool is_file,
                           unsigned long long number, unsigned long long *folder) {
  struct line_bytes bytes = program->bytes;
  bytes.at = list;
  for (unsigned long long i = 1; i <= number && i < MOST_NAMES && !bytes.bad; i++) {
    const char *name = take_string(&bytes);
    if (!*name) return NULL;
    const uint64_t in = is_file ? take_unsigned(&bytes) : 0;
    if (is_file) take_unsigned(&bytes), take_unsigned(&bytes);
    if (folder) *folder = in;
    if (i == number && !bytes.bad) return name;
  }
  return NULL;
}

static void say_row(struct line_program *program, int line) {
  unsigned long long folder = 0;
  if (program->named != program->file) {
    program->now.file = name_of(program, program->files, true, program->file, &folder);
    program->now.folder = name_of(program, program->folders, false, folder, NULL);
    program->named = program->file;
  }
  program->now.number++;
  struct pawl_line_event event = program->now;
  event.line = program->now.file && line > 0 ? line : 0;
  program->row(program->context, &event);
}

static void begin_sequence(struct line_program *program) {
  program->now = (struct pawl_line_event){.line = 1};
  program->file = 1;
  program->named = 0;
}

static void run_extended(struct line_program *program) {
  struct line_bytes *bytes = &program->bytes;
  const uint64_t length = take_unsigned(bytes);
  const size_t begin = bytes->at;
  if (!length || length > bytes->size - begin) {
    bytes->bad = true;
    return;
  }
  const uint64_t code = take(bytes, 1);
  if (code == 1) { /* DW_LNE_end_sequence */
    say_row(program, 0);
    begin_sequence(program);
  } else if (code == 2) { /* DW_LNE_set_address */
    program->now.place = program->begin + bytes->at;
    program->now.address = take(bytes, length - 1);
  } else if (code == 0x90) { /* NVIDIA's inlined call, also in LLVM's NVPTX back end */
    program->now.caller = take_unsigned(bytes);
  }
  bytes->at = begin + length; /* other codes change no row */
}

/* A damaged program may name a line that no int holds. */
static void go_on(struct line_program *program, int64_t lines) {
  program->now.line = (int)((uint32_t)program->now.line + (uint32_t)lines);
}

static void run_standard(struct line_program *program, int code) {
  struct line_bytes *bytes = &program->bytes;
  switch (code) {
    case 1: say_row(program, program->now.line); break; /* DW_LNS_copy */
    case 2: program->now.address += take_unsigned(bytes) * (uint64_t)program->min_length; break;
    case 3: go_on(program, take_signed(bytes)); break;
    case 4: program->file = take_unsigned(bytes); break;
    case 8: /* DW_LNS_const_add_pc */
      program->now.address +=
          (uint64_t)((255 - program->opcode_base) / program->line_range * program->min_length);
      break;
    case 9: program->now.address += take(bytes, 2); break; /* DW_LNS_fixed_advance_pc */
    default:
      for (int i = 0; i < program->lengths[code - 1]; i++) take_unsigned(bytes);
  }
}

static void run_special(struct line_program *program, int code) {
  const int adjusted = code - program->opcode_base;
  program->now.address += (uint64_t)(adjusted / program->line_range * program->min_length);
  go_on(program, program->line_base + adjusted % program->line_range);
  say_row(program, program->now.line);
}

static void run_unit(struct line_program *program) {
  struct line_bytes *bytes = &program->bytes;
  begin_sequence(program);
  while (bytes->at < bytes->size && !bytes->bad) {
    const int code = (int)take(bytes, 1);
    if (code >= program->opcode_base)
      run_special(program, code);
    else if (code)
      run_standard(program, code);
    else
      run_extended(program);
  }
}

/* Reads the header. Returns false if it is damaged or of another version. */
static bool begin_unit(struct line_program *program, size_t width) {
  struct line_bytes *bytes = &program->bytes;
  program->version = (int)take(bytes, 2);
  if (program->version < 2 || program->version > 4) return false;
  const uint64_t length = take(bytes, width);
  const size_t code = bytes->at + length;
  if (bytes->bad || length > bytes->size - bytes->at) return false;
  program->min_length = (int)take(bytes, 1);
  if (program->version >= 4) take(bytes, 1);
  take(bytes, 1);
  program->line_base = (int8_t)take(bytes, 1);
  program->line_range = (int)take(bytes, 1);
  program->opcode_base = (int)take(bytes, 1);
  if (bytes->bad || !program->line_range || !program->opcode_base) return false;
  program->lengths = bytes->data + bytes->at;
  take(bytes, (size_t)program->opcode_base - 1);
  program->folders = bytes->at;
  while (!bytes->bad && *take_string(bytes)) {
  }
  program->files = bytes->at;
  bytes->at = code;
  return !bytes->bad && program->files <= code;
}

bool pawl_line_program_run(const unsigned char *data, size_t size,
                           void (*row)(void *context, const struct pawl_line_event *event),
                           void *context) {
  struct line_bytes all = {.data = data, .size = size};
  while (all.at < size) {
    size_t width = 4;
    uint64_t length = take(&all, 4);
    if (length == 0xffffffff) length = take(&all, width = 8);
    if (all.bad || length > size - all.at) return false;
    struct line_program program = {.bytes = {.data = data + all.at, .size = length},
                                   .begin = all.at,
                                   .row = row,
                                   .context = context};
    if (!begin_unit(&program, width)) return false;
    run_unit(&program);
    if (program.bytes.bad) return false;
    all.at += length;
  }
  return true;
}
