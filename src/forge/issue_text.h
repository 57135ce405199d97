/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the text of an issue about a change, and reads its hidden line. */
#pragma once

#include "base/hash.h"
#include "build/remote_page.h"
#include "store/change_notes.h"
#include "store/changes.h"

/* <!-- pawl-change: SERIES COMMIT PREVIOUS --> is the first line of the text. */
struct pawl_issue_mark {
  char series[PAWL_HASH_TEXT];
  struct pawl_change_note about; /* the commits and the direction alone */
};
/* Returns false if the text does not begin with the line. */
bool pawl_issue_mark_read(const char *body, struct pawl_arena *arena, struct pawl_issue_mark *out);
/* Returns whether the line is about the change: about its commit, or if `moved`, a neighbour. */
bool pawl_issue_mark_is_on(const struct pawl_issue_mark *mark,
                           const struct pawl_listed_change *listed, bool moved);

/* Returns one line of clean text: "scale on tiny: 20.0 % slower since 1a2b3c4d". */
const char *pawl_issue_title(const struct pawl_listed_change *listed, struct pawl_arena *arena);
/* Appends Markdown. `back`: the level is good again. */
void pawl_issue_body(const struct pawl_listed_change *listed, const struct pawl_remote_links *links,
                     const char *link, bool back, struct pawl_text *out);
