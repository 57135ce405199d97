/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/explanation.h"

#include "base/file.h"
#include "picture/profile_picture.h"

void pawl_explanation_compare(struct pawl_explanation *explanation, struct pawl_arena *arena) {
  if (explanation->has_base)
    pawl_profile_compare(&explanation->base, &explanation->profile, arena, &explanation->change);
}

void pawl_explanation_text(const struct pawl_explanation *explanation, struct pawl_text *out) {
  if (explanation->has_base) pawl_profile_change_summary(&explanation->change, out);
  pawl_profile_summary(&explanation->profile, out);
}

json_t *pawl_explanation_json(const struct pawl_explanation *explanation) {
  return pawl_profile_to_json(&explanation->profile,
                              explanation->has_base ? &explanation->change : NULL);
}

pawl_status pawl_explanation_keep(const struct pawl_explanation *explanation, const char *folder,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *text_path = pawl_path_join(folder, "profile.txt");
  PAWL_CLEANUP(pawl_free_pointer) char *json_path = pawl_path_join(folder, "profile.json");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_explanation_json(explanation);
  pawl_explanation_text(explanation, &text);
  PAWL_TRY(pawl_file_write(text_path, text.data, text.length, err));
  PAWL_TRY(pawl_json_write(json_path, document, true, err));
  return pawl_profile_pictures(&explanation->profile,
                               explanation->has_base ? &explanation->change : NULL, folder, err);
}
