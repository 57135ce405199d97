/* SPDX-License-Identifier: Apache-2.0 */
/* Decides from the names of the changed files whether a change can move a measurement. */
#pragma once

#include "forge/forge.h"

#define PAWL_FORGE_TOUCHES_NOTHING "the change touches no file that a measurement depends on"

/* Asks the code host which files a pull request or a merge group changes, and compares them with
   the files of the suite at `suite_path`, which is the base's. *touches: a measurement can depend
   on the change. It is true for every other event, and where the answer is not certain: the suite
   cannot be read, the server does not answer, or the list of files is not whole. A file touches
   when the suite names or includes it, when it is the baseline or a workflow of pawl, and when it
   is new or gone in a folder that has files of the suite, unless no compiler reads its kind. */
void pawl_forge_touches(struct pawl_forge *forge, const char *suite_path, bool *touches);
