# SPDX-License-Identifier: Apache-2.0
# pawl's own files are found by PAWL_HOME, and their absence is said.
repository
try env PAWL_HOME="$SCRATCH/nothing" pawl build
try env PAWL_HOME="$SCRATCH/nothing" pawl init elsewhere
try env -u PAWL_HOME pawl list
