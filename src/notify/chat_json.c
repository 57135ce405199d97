/* SPDX-License-Identifier: Apache-2.0 */
/* The notice for a user's own program. */
#include "notify/chat.h"

json_t *pawl_chat_json(const struct pawl_notice *notice) {
  json_t *body = json_object();
  pawl_json_set_int(body, "schema_version", 1);
  pawl_json_set_string(body, "subject", notice->subject);
  pawl_json_set_string(body, "verdict", notice->verdict);
  pawl_json_set_bool(body, "failed", notice->failed);
  pawl_json_set_string(body, "title", notice->title);
  pawl_json_set_string(body, "excerpt", notice->excerpt);
  pawl_json_set_string(body, "link", notice->link);
  return body;
}
