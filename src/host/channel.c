/* SPDX-License-Identifier: Apache-2.0 */
#include "host/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "protocol/frame.h"

/* Moves a descriptor to a high number. Returns -1 if it is not open. */
static int move_up(int fd) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 256;
  const int floor = limit.rlim_cur > 1024 ? 1000
                    : limit.rlim_cur > 64 ? (int)limit.rlim_cur - 32
                                          : 16;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, floor);
  if (moved >= 0) close(fd);
  return moved;
}

pawl_status host_channel_open(struct host_channel *channel, struct pawl_error *err) {
  *channel = (struct host_channel){move_up(3), move_up(4), move_up(5), move_up(6)};
  if (channel->request_fd < 0 || channel->reply_fd < 0)
    return pawl_fail(err, PAWL_USAGE,
                     "descriptors 3 and 4 are not open: only pawl can start pawl-worker");
  return PAWL_OK;
}

pawl_status host_channel_receive(struct host_channel *channel, json_t **request,
                                 struct pawl_error *err) {
  struct pawl_frame frame = {0};
  enum pawl_frame_state state;
  do state = pawl_frame_receive(&frame, channel->request_fd);
  while (state == PAWL_FRAME_PARTIAL);
  enum pawl_status_code status = PAWL_OK;
  if (state == PAWL_FRAME_READY)
    status = pawl_json_parse(frame.body, frame.length, "request", false, request, err);
  else if (state == PAWL_FRAME_CLOSED && frame.received == 0)
    *request = NULL;
  else
    status = pawl_fail(err, PAWL_PROTOCOL, "cannot read the next request");
  pawl_frame_clear(&frame);
  return status;
}

pawl_status host_channel_send(struct host_channel *channel, json_t *reply, struct pawl_error *err) {
  struct pawl_text bytes = {0};
  enum pawl_status_code status = pawl_frame_encode(reply, &bytes, err);
  json_decref(reply);
  for (size_t sent = 0; status == PAWL_OK && sent < bytes.length;) {
    const ssize_t n = write(channel->reply_fd, bytes.data + sent, bytes.length - sent);
    if (n > 0)
      sent += (size_t)n;
    else if (n < 0 && errno != EINTR)
      status = pawl_fail(err, PAWL_PROTOCOL, "cannot send a reply");
  }
  pawl_text_clear(&bytes);
  return status;
}
