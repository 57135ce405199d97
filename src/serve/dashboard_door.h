/* SPDX-License-Identifier: Apache-2.0 */
/* Who may see the dashboard. Without a token: whoever asks this machine by its own name, so that no
   page of another site reaches it through a name that its owner points here (DNS rebinding). With a
   token: whoever has it. */
#ifndef PAWL_SERVE_DASHBOARD_DOOR_H
#define PAWL_SERVE_DASHBOARD_DOOR_H

#include <stdbool.h>

#include "base/error.h"

#define PAWL_TOKEN_LEAST 16 /* characters */

/* Is "127.0.0.1:8788" or "[::1]:8788" an address of this machine alone? */
bool pawl_door_is_loopback(const char *address);
/* The same of the Host header of a request: "localhost:8788" too. NULL, which no browser sends:
 * yes. */
bool pawl_door_is_local_host(const char *host);

/* PAWL_USAGE: too short, or characters that a cookie cannot hold. The message does not show it. */
pawl_status pawl_door_check_token(const char *token, struct pawl_error *err);
/* Takes as long whatever the guess is. NULL: none was given. */
bool pawl_door_is_token(const char *token, const char *guess);

#endif
