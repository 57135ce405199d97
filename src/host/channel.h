/* SPDX-License-Identifier: Apache-2.0 */
/* pawl-worker's side of the connection, kept out of the plug-in's way. */
#pragma once

#include "base/error.h"
#include "base/json.h"

struct host_channel {
  int request_fd, reply_fd;
  int arena_fd, expected_fd; /* -1: not given */
};

/* Takes descriptors 3 to 6 over: they move to high close-on-exec numbers, so that a plug-in that
   uses or closes low ones does not meet them. PAWL_USAGE when 3 and 4 are not open. */
pawl_status host_channel_open(struct host_channel *channel, struct pawl_error *err);
/* The next request. *request is NULL when pawl has closed the connection. */
pawl_status host_channel_receive(struct host_channel *channel, json_t **request,
                                 struct pawl_error *err);
/* Takes the reply over. PAWL_PROTOCOL when the connection is gone. */
pawl_status host_channel_send(struct host_channel *channel, json_t *reply, struct pawl_error *err);
