# SPDX-License-Identifier: Apache-2.0
# A wrong setting is a mistake of the configuration, not a missing device.
repository
export PAWL_CPU_CACHE_BYTES=much
try pawl bench
try pawl run
