# SPDX-License-Identifier: Apache-2.0
# What pawl inherits from the program that starts it: ignored signals and small limits. No message blames the compiler.
repository
(
  trap '' CHLD
  quiet pawl -q build
)
build_with() { # DESCRIPTORS
  rm -rf .pawl
  (
    # shellcheck disable=SC3045 # dash and bash have -n
    ulimit -n "$1"
    quiet pawl -q build
  )
}
build_with 64
build_with 24
