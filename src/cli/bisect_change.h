/* SPDX-License-Identifier: Apache-2.0 */
/* A search between the ends of a change of the history, and its answer as a note on that change. */
#pragma once

#include "cli/command.h"
#include "pairs/bisect_report.h"
#include "store/changes.h"

/* Says who found a commit, in the notes. */
#define PAWL_BISECT_PERSON "pawl bisect"

/* Reads the one change at `commit` of the chosen series and fills in the search: its kernel, case
 * and ends. If several series change there, that of this machine counts. Fails with PAWL_USAGE if
 * that is not one change, and with PAWL_NO_INPUT if the history has no such change, or does not
 * know both of its commits. */
pawl_status pawl_bisect_change_read(struct pawl_cli *cli, const char *commit,
                                    struct pawl_bisect_options *search,
                                    struct pawl_listed_change *out, struct pawl_error *err);

/* Finds the newest loss of this machine that nobody has noted anything on, and that has both
 * commits. *found: false if there is none. */
pawl_status pawl_bisect_change_next(struct pawl_cli *cli, struct pawl_listed_change *out,
                                    bool *found, struct pawl_error *err);

/* Notes the answer on the change. The state stays, and so does the text that a person wrote. An
 * answer that a budget cut short is no note. */
pawl_status pawl_bisect_change_note(struct pawl_cli *cli, const struct pawl_listed_change *change,
                                    const struct pawl_bisect_report *report,
                                    struct pawl_error *err);

/* Appends "1a2b3c4d5e6f: 3.1 % slower [2.8, 3.4], 1 ms -> 1.03 ms". */
void pawl_bisect_find_words(const struct pawl_bisect_report *report,
                            const struct pawl_bisect_find *find, struct pawl_text *out);
