/* SPDX-License-Identifier: Apache-2.0 */
/* Decides from the names of the changed files whether a change can move a measurement. */
#pragma once

#include "forge/forge.h"

#define PAWL_FORGE_TOUCHES_NOTHING "the change touches no file that a measurement depends on"

/* Asks the code host which files a pull request or a merge group changes, and compares them with
 * the files of the base's suite at `suite_path`. Sets *touches if a measurement can depend on the
 * change. Sets *touches also for every other event, and if pawl is not certain: it cannot read the
 * suite, the server does not answer, or the list of files is not whole. A file touches if the suite
 * names or includes it, or if it is the baseline or a workflow of pawl. A new or deleted file
 * touches if its folder has files of the suite, unless no compiler reads its kind. */
void pawl_forge_touches(struct pawl_forge *forge, const char *suite_path, bool *touches);
