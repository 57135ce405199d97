/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Installs a handler that writes the address of a fatal fault to the log before the process dies.
   If an allocation failed right before the fault or abort, the handler reports that instead, and
   the process exits with PAWL_NO_MEMORY. */
void host_crash_notes(void);
