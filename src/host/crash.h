/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Has a fatal fault leave one line in the log (the address) before the process dies of it. A fault
   or an abort right after a failed allocation is one of memory: the process then exits with
   PAWL_NO_MEMORY. */
void host_crash_notes(void);
