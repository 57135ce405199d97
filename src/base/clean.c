/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clean.h"

#include <stdint.h>

#include "base/count.h"
#include "base/error.h"

/* Returns the bytes of the UTF-8 sequence at p, or 0 if it is invalid: RFC 3629, table 3-7 of the
   Unicode standard. */
static size_t utf8_length(const unsigned char *p) {
  if (p[0] < 0x80) return 1;
  const size_t length = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
                        : (p[0] & 0xf0) == 0xe0        ? 3
                        : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                       : 0;
  for (size_t i = 1; i < length; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if (length == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))) return 0;
  if (length == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))) return 0;
  return length;
}

/* Returns the length of a terminal's escape sequence, such as a colour: ECMA-48 CSI, or ESC and one
   character. */
static size_t terminal_sequence(const char *p) {
  if (p[0] != '\x1b') return 0;
  if (p[1] != '[') return p[1] && !(p[1] & 0x80) ? 2 : 1;
  size_t length = 2;
  while (p[length] >= 0x20 && p[length] <= 0x3f) length++;
  return p[length] >= 0x40 && p[length] <= 0x7e ? length + 1 : length;
}

static uint32_t code_point(const unsigned char *p, size_t length) {
  static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t point = p[0] & first_bits[length];
  for (size_t i = 1; i < length; i++) point = point << 6 | (p[i] & 0x3f);
  return point;
}

/* Finds invisible characters and those that change how the text around them reads: controls of C1,
   directions, joiners, fillers, selectors and tags. They are Unicode's Default_Ignorable_Code_Point
   and the line separators. */
static bool is_hidden(uint32_t point) {
  static const uint32_t ranges[][2] = {
      {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},    {0x61c, 0x61c},   {0x115f, 0x1160},
      {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},  {0x2028, 0x202e}, {0x2060, 0x206f},
      {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},  {0xffa0, 0xffa0}, {0xfff0, 0xfffb},
      {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  for (size_t i = 0; i < PAWL_COUNT(ranges); i++)
    if (point >= ranges[i][0] && point <= ranges[i][1]) return true;
  return false;
}

/* A control character in a message. */
static void add_control(char control, bool lines, struct pawl_text *out) {
  const bool keep = lines && (control == '\n' || control == '\t');
  if (control != '\r') pawl_text_add_bytes(out, keep ? &control : " ", 1);
}

/* Returns how many bytes of `p` it took. */
static size_t clean_character(const char *p, bool name, bool lines, struct pawl_text *out) {
  const unsigned char *const u = (const unsigned char *)p;
  const size_t sequence = name ? 0 : terminal_sequence(p), length = utf8_length(u);
  if (sequence > 0) return sequence;
  if (length == 0) {
    pawl_text_add(out, "?");
    return 1;
  }
  const bool control = length == 1 && (u[0] < 0x20 || u[0] == 0x7f);
  if (control && !name)
    add_control(*p, lines, out);
  else if (control || is_hidden(code_point(u, length)))
    pawl_text_printf(out, "U+%04X", (unsigned)code_point(u, length));
  else
    pawl_text_add_bytes(out, p, length);
  return length;
}

void pawl_clean_text(const char *string, bool lines, struct pawl_text *out) {
  for (const char *p = string; *p;) p += clean_character(p, false, lines, out);
}

void pawl_clean_name(const char *string, struct pawl_text *out) {
  for (const char *p = string; *p;) p += clean_character(p, true, false, out);
}
