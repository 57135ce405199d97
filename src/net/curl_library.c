/* SPDX-License-Identifier: Apache-2.0 */
#include "net/curl_library.h"

/* clang-format off */
#define CURL_FUNCTIONS(F) \
  F(curl_easy_cleanup) F(curl_easy_escape) F(curl_easy_getinfo) F(curl_easy_header) \
  F(curl_easy_init) F(curl_easy_perform) F(curl_easy_setopt) F(curl_easy_strerror) F(curl_free) \
  F(curl_getdate) F(curl_slist_append) F(curl_slist_free_all) F(curl_url) F(curl_url_cleanup) \
  F(curl_url_get) F(curl_url_set)
/* clang-format on */
PAWL_LATE_LIBRARY(pawl_curl, "libcurl.so.4", "libcurl4", CURL_FUNCTIONS);
