/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/microhttpd_library.h"

/* clang-format off */
#define MICROHTTPD_FUNCTIONS(F) \
  F(MHD_add_response_header) F(MHD_create_response_from_buffer) F(MHD_destroy_response) \
  F(MHD_get_connection_info) F(MHD_lookup_connection_value) F(MHD_queue_response) \
  F(MHD_quiesce_daemon) F(MHD_start_daemon) F(MHD_stop_daemon)
/* clang-format on */
PAWL_LATE_LIBRARY(pawl_microhttpd, "libmicrohttpd.so.12", "libmicrohttpd12", MICROHTTPD_FUNCTIONS);
