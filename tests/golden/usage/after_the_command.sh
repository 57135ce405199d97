# SPDX-License-Identifier: Apache-2.0
# The options of every command also work after its name; what follows -- is no option; a second -C starts in the first.
repository
mkdir -p one/two
printf 'version: 1\n' >one/two/other.yaml
pawl --json list >"$SCRATCH/before"
pawl list --json | cmp - "$SCRATCH/before" && echo "list --json is --json list"
quiet pawl build -q
try pawl list -C one/two -f other.yaml
try pawl -C one list -C two --json -f other.yaml
try pawl list -C nowhere
try pawl list --device
try pawl list --jsno
try pawl build -- --json
