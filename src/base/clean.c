/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clean.h"

#include "base/error.h"

/* Bytes of the UTF-8 sequence at p, 0 when it is none: RFC 3629, table 3-7 of the Unicode standard. */
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

/* An escape sequence of a terminal, such as a compiler's colours: ECMA-48 CSI, or ESC and one character. */
static size_t terminal_sequence(const char *p) {
  if (p[0] != '\x1b') return 0;
  if (p[1] != '[') return p[1] && !(p[1] & 0x80) ? 2 : 1;
  size_t length = 2;
  while (p[length] >= 0x20 && p[length] <= 0x3f) length++;
  return p[length] >= 0x40 && p[length] <= 0x7e ? length + 1 : length;
}

/* U+202A..202E, U+2066..2069, U+200E, U+200F: they make text read other than it is. C1 controls: U+0080..009F. */
static bool misleading(const unsigned char *p) {
  if (p[0] == 0xc2) return p[1] < 0xa0;
  if (p[0] != 0xe2) return false;
  if (p[1] == 0x80) return (p[2] >= 0xaa && p[2] <= 0xae) || p[2] == 0x8e || p[2] == 0x8f;
  return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

void pawl_clean_text(const char *string, bool lines, struct pawl_text *out) {
  for (const char *p = string; *p;) {
    const unsigned char *const u = (const unsigned char *)p;
    const size_t sequence = terminal_sequence(p), length = utf8_length(u);
    if (sequence > 0) {
      p += sequence;
      continue;
    }
    if (length == 0) {
      pawl_text_add(out, "?");
      p++;
      continue;
    }
    if (length == 1 && (u[0] < 0x20 || u[0] == 0x7f)) {
      const bool keep = lines && (*p == '\n' || *p == '\t');
      if (*p != '\r') pawl_text_add_bytes(out, keep ? p : " ", 1);
    } else if (!misleading(u)) {
      pawl_text_add_bytes(out, p, length);
    }
    p += length;
  }
}
