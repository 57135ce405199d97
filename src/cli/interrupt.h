/* SPDX-License-Identifier: Apache-2.0 */
/* On Ctrl-C, pawl prints in one line what remains and how to resume, then ends by the signal. */
#pragma once

#include <signal.h>

/* Sets the line to print; the text must stay valid. SIGINT and SIGTERM still end the program, and
   ignored signals, as in a shell's background, stay ignored. */
void pawl_interrupt_says(const char *text);

/* The first signal prints the text and sets the flag, at which the command ends itself. The second
 * ends the program. */
const volatile sig_atomic_t *pawl_interrupt_asks(const char *text);
/* Ends the program by the first signal; call it when the command has ended itself. */
void pawl_interrupt_end(void);
