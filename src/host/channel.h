/* SPDX-License-Identifier: Apache-2.0 */
/* pawl-worker's side of the connection. It keeps the descriptors where a plug-in does not touch
   them. */
#pragma once

#include "base/error.h"
#include "base/json.h"

struct host_channel {
  int request_fd, reply_fd;
  int arena_fd, expected_fd; /* -1: pawl gave none */
};

/* Moves descriptors 3 to 6 to high close-on-exec numbers, because a plug-in may use or close low
   numbers. Fails with PAWL_USAGE if 3 or 4 is not open. */
pawl_status host_channel_open(struct host_channel *channel, struct pawl_error *err);
/* Receives the next request. Sets *request to NULL if pawl has closed the connection. */
pawl_status host_channel_receive(struct host_channel *channel, json_t **request,
                                 struct pawl_error *err);
/* Sends the reply and releases it. Fails with PAWL_PROTOCOL if the connection is closed. */
pawl_status host_channel_send(struct host_channel *channel, json_t *reply, struct pawl_error *err);
