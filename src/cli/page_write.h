/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page as files: pawl report [FILE] -o DIR.html. */
#pragma once

#include "cli/source.h"

/* Writes the whole history of the suite. */
pawl_status pawl_cli_page_of_history(struct pawl_cli *cli, const char *folder,
                                     struct pawl_error *err);
/* Writes the report of a document. If the suite has a history, it has the trends of the document's
   kernels and cases. A history that pawl cannot open is a warning. */
pawl_status pawl_cli_page_of_source(struct pawl_cli *cli, const struct pawl_cli_source *source,
                                    const char *folder, struct pawl_error *err);
