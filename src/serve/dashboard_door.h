/* SPDX-License-Identifier: Apache-2.0 */
/* Decides who may see the dashboard. With a token, only its bearer may. Without a token, a request
 * must name this machine by its own name. A page of another site cannot get in through a name that
 * its owner points to this machine (DNS rebinding). */
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define PAWL_TOKEN_LEAST 16 /* characters */

/* Returns whether "127.0.0.1:8788" or "[::1]:8788" is an address of this machine alone. */
bool pawl_door_is_loopback(const char *address);
/* Returns whether a request's Host header, such as "localhost:8788", names this machine. Returns
 * true for NULL, no header, because every browser sends one. */
bool pawl_door_is_local_host(const char *host);

/* Fails with PAWL_USAGE if the token is too short or has a character that a cookie cannot hold. The
 * message does not show the token. */
pawl_status pawl_door_check_token(const char *token, struct pawl_error *err);
/* Takes the same time for every guess. `guess` may be NULL. */
bool pawl_door_is_token(const char *token, const char *guess);
