/* SPDX-License-Identifier: Apache-2.0 */
#include "notify/chat.h"

#include <string.h>

const char *pawl_chat_mark(const struct pawl_notice *notice) {
  return notice->failed ? "\xe2\x9d\x8c" : "\xe2\x9c\x85"; /* a cross, a tick */
}

void pawl_chat_add_markdown(const char *text, struct pawl_text *out) {
  for (const char *p = text; *p; p++) {
    if (strchr("\\`*_~|<>[]()#-+!@:&", *p)) pawl_text_add(out, "\\");
    pawl_text_add_bytes(out, p, 1);
  }
}

json_t *pawl_notice_payload(const struct pawl_notice *notice, int service) {
#define CHAT_SERVICE(name, function) function,
  static json_t *(*const services[])(const struct pawl_notice *) = {
#include "model/chat_services.inc"
  };
#undef CHAT_SERVICE
  return services[service - 1](notice);
}
