/* SPDX-License-Identifier: Apache-2.0 */
/* Notices as e-mail: RFC 5322, RFC 2045 (MIME), RFC 2047 (encoded words). */
#include <stdint.h>
#include <string.h>

#include "notify/notice.h"

/* bytes of text in an encoded word: with 56 of Base64 and the frame, a line stays within 76 */
#define WORD_BYTES 42
#define LINE_BYTES 57 /* bytes of text in a line of 76 of Base64 */

static void add_base64(const unsigned char *bytes, size_t count, struct pawl_text *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t have = count - i < 3 ? count - i : 3;
    const uint32_t group = (uint32_t)bytes[i] << 16 | (have > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (have > 2 ? (uint32_t)bytes[i + 2] : 0);
    const char quad[4] = {digits[group >> 18], digits[group >> 12 & 63],
                          have > 1 ? digits[group >> 6 & 63] : '=',
                          have > 2 ? digits[group & 63] : '='};
    pawl_text_add_bytes(out, quad, sizeof quad);
  }
}

/* Adds a header's text. Only printable ASCII stays as it is, so no byte of the text can end the
 * line, begin an encoded word or add a header. */
static void add_header_text(const char *text, struct pawl_text *out) {
  const size_t length = strlen(text);
  bool plain = length <= 60 && !strstr(text, "=?");
  for (size_t i = 0; i < length && plain; i++) plain = text[i] >= 0x20 && text[i] < 0x7f;
  if (plain) {
    pawl_text_add(out, text);
    return;
  }
  for (size_t offset = 0; offset < length;) {
    size_t end = length - offset > WORD_BYTES ? offset + WORD_BYTES : length;
    while (end > offset + 1 && end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
      end--; /* ends between two characters */
    pawl_text_add(out, offset ? "\r\n =?utf-8?B?" : "=?utf-8?B?");
    add_base64((const unsigned char *)text + offset, end - offset, out);
    pawl_text_add(out, "?=");
    offset = end;
  }
}

/* strftime's names would follow the locale */
static void add_date(time_t when, struct pawl_text *out) {
  static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  struct tm parts = {0};
  gmtime_r(&when, &parts);
  pawl_text_printf(out, "Date: %s, %02d %s %d %02d:%02d:%02d +0000\r\n", days[parts.tm_wday],
                   parts.tm_mday, months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour,
                   parts.tm_min, parts.tm_sec);
}

static void add_body(const struct pawl_notice *notice, struct pawl_text *out) {
  struct pawl_text text = {0};
  pawl_text_printf(&text, "%s\n\n%s\n", notice->title, notice->excerpt);
  if (notice->changes) pawl_text_printf(&text, "\n%s", notice->changes);
  if (notice->link) pawl_text_printf(&text, "\n%s\n", notice->link);
  for (size_t offset = 0; offset < text.length; offset += LINE_BYTES) {
    add_base64((const unsigned char *)text.data + offset,
               text.length - offset < LINE_BYTES ? text.length - offset : LINE_BYTES, out);
    pawl_text_add(out, "\r\n");
  }
  pawl_text_clear(&text);
}

void pawl_notice_message(const struct pawl_notice *notice, const struct pawl_email_spec *email,
                         time_t when, const char *id, struct pawl_text *out) {
  add_date(when, out);
  pawl_text_printf(out, "Message-ID: <%s@%s>\r\nFrom: <%s>\r\nTo: ", id,
                   strchr(email->from, '@') + 1, email->from);
  for (size_t i = 0; i < email->to.count; i++)
    pawl_text_printf(out, "%s<%s>", i ? ",\r\n " : "", email->to.items[i]);
  pawl_text_add(out, "\r\nSubject: ");
  add_header_text(notice->title, out);
  pawl_text_add(
      out,
      "\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n");
  add_body(notice, out);
}
