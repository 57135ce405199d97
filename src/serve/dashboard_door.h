/* SPDX-License-Identifier: Apache-2.0 */
/* Decides who may see the dashboard. With a token, its bearer may. Without a token, a request must
 * name this machine by its own name. So no page of another site gets in through a name that its
 * owner points here (DNS rebinding). */
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define PAWL_TOKEN_LEAST 16 /* characters */

/* Whether "127.0.0.1:8788" or "[::1]:8788" is an address of this machine alone. */
bool pawl_door_is_loopback(const char *address);
/* Whether a request's Host header names this machine; "localhost:8788" does too. NULL, which no
 * browser sends: yes. */
bool pawl_door_is_local_host(const char *host);

/* PAWL_USAGE: too short, or a character that a cookie cannot hold. The message does not show the
 * token. */
pawl_status pawl_door_check_token(const char *token, struct pawl_error *err);
/* Takes the same time for every guess. NULL: the request has none. */
bool pawl_door_is_token(const char *token, const char *guess);
