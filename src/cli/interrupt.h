/* SPDX-License-Identifier: Apache-2.0 */
/* On Ctrl-C, pawl prints in one line what remains and how to resume, then ends by the signal. */
#pragma once

#include <signal.h>

/* Sets the line to print; the text must stay valid. NULL: no line. SIGINT and SIGTERM still end the
   program, and ignored signals, as in a shell's background, stay ignored. */
void pawl_interrupt_says(const char *text);

/* The first signal prints the text, sets the flag and calls `stop`, unless that is NULL. Then the
 * command ends itself. The second signal ends the program. */
const volatile sig_atomic_t *pawl_interrupt_asks(const char *text, void (*stop)(void));
/* Ends the program by the first signal, if there was one. main() calls it when the command has
 * ended itself. */
void pawl_interrupt_end(void);
